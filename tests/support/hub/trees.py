"""Trees: which content lies at which path of a revision, with the ids that git would give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from .blobs import Blob, git_hash


@dataclass(frozen=True)
class Entry:
    """A file of a tree; with `lfs` git holds a pointer and the content lies beside."""

    blob: Blob
    lfs: bool

    @property
    def pointer(self) -> bytes:
        """The text that git stores in place of an LFS content."""
        version = "https://git-lfs.github.com/spec/v1"
        return f"version {version}\noid sha256:{self.blob.sha256}\nsize {self.blob.size}\n".encode()

    @property
    def oid(self) -> str:
        """The id of the git object: of the pointer for LFS, of the content otherwise."""
        return git_hash("blob", self.pointer) if self.lfs else self.blob.sha1

    @property
    def etag(self) -> str:
        """What a change of content shows by."""
        return self.blob.sha256 if self.lfs else self.blob.sha1


Tree = Mapping[str, Entry]


def folder_ids(tree: Tree) -> dict[str, str]:
    """The git tree id of every folder; the root is the empty string."""
    children: dict[str, dict[str, tuple[str, str]]] = {"": {}}
    for path, entry in tree.items():
        children.setdefault(parent(path), {})[PurePosixPath(path).name] = ("100644", entry.oid)
        for folder in ancestors(path):
            children.setdefault(folder, {})
    ids: dict[str, str] = {}
    # The deepest folders come first, so that a folder's id is known when its parent needs it.
    for folder in sorted(children, key=lambda name: name.count("/") + bool(name), reverse=True):
        ids[folder] = git_hash("tree", b"".join(_tree_line(*item) for item in _git_order(children[folder])))
        if folder:
            children[parent(folder)][PurePosixPath(folder).name] = ("40000", ids[folder])
    return ids


def parent(path: str) -> str:
    """The folder that a path lies in, empty at the root."""
    return path.rpartition("/")[0]


def ancestors(path: str) -> list[str]:
    """Every folder above a path, without the root."""
    return [str(folder) for folder in PurePosixPath(path).parents if str(folder) != "."]


def _git_order(children: dict[str, tuple[str, str]]) -> list[tuple[str, str, str]]:
    # Git compares folder names as if they ended with a slash.
    named = [(name, mode, oid) for name, (mode, oid) in children.items()]
    return sorted(named, key=lambda item: (item[0] + "/" if item[1] == "40000" else item[0]).encode())


def _tree_line(name: str, mode: str, oid: str) -> bytes:
    return f"{mode} {name}".encode() + b"\0" + bytes.fromhex(oid)
