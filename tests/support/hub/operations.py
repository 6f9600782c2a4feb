"""The body of a commit: one JSON object a line, a header and then what to do to which path."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .blobs import BlobStore
from .errors import HubError, bad_request
from .trees import Entry, Tree, ancestors

PARENT = re.compile(r"[0-9a-f]{5,40}\Z")


@dataclass(frozen=True)
class Write:
    """A file sent within the commit."""

    path: str
    content: bytes


@dataclass(frozen=True)
class WriteLfs:
    """A file whose content was uploaded before."""

    path: str
    sha256: str
    size: int | None


@dataclass(frozen=True)
class Delete:
    """A file, or a folder with all below."""

    path: str
    folder: bool


Operation = Write | WriteLfs | Delete


@dataclass(frozen=True)
class CommitRequest:
    """A whole commit as the client sent it."""

    summary: str
    description: str
    parent: str | None
    operations: tuple[Operation, ...]


def parse_commit(body: bytes) -> CommitRequest:
    """Read the lines of a commit, refusing what the Hub could not apply."""
    try:
        lines = [json.loads(line) for line in body.splitlines() if line.strip()]
        header = lines[0]["value"] if lines and lines[0]["key"] == "header" else {}
        operations = tuple(_operation(line["key"], line["value"]) for line in lines[1:])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise bad_request(f"the commit cannot be read: {error!r}") from error
    if not isinstance(header, dict) or not str(header.get("summary", "")).strip():
        raise bad_request("a commit starts with a header that has a summary")
    parent = header.get("parentCommit")
    if parent is not None and not PARENT.match(str(parent)):
        raise bad_request("parentCommit must be 5 to 40 hexadecimal digits")
    return CommitRequest(str(header["summary"]), str(header.get("description") or ""), parent, operations)


def apply(tree: Tree, operations: Iterable[Operation], store: BlobStore, sha: str) -> Tree:
    """The tree after a commit; `sha` names the revision that a missing path was looked for in."""
    result = dict(tree)
    for operation in operations:
        match operation:
            case Write(path, content):
                result[path] = Entry(store.put(content), lfs=False)
            case WriteLfs(path, sha256, size):
                blob = store.get(sha256)
                if blob is None or size not in (None, blob.size):
                    raise bad_request(f"the LFS content of {path} was not uploaded")
                result[path] = Entry(blob, lfs=True)
            case Delete(path, folder):
                gone = [name for name in result if name == path or (folder and name.startswith(path + "/"))]
                if not gone:
                    raise HubError(404, f"A file with this name doesn't exist: {path}", code="EntryNotFound")
                for name in gone:
                    del result[name]
    _refuse_clashes(result)
    return result


def _operation(key: str, value: dict[str, Any]) -> Operation:
    path = _checked_path(value["path"].removesuffix("/") if key == "deletedFolder" else value["path"])
    if key == "file":
        if value.get("encoding", "utf-8") != "base64":
            return Write(path, value["content"].encode())
        try:
            return Write(path, base64.b64decode(value["content"], validate=True))
        except binascii.Error as error:
            raise bad_request(f"the content of {path} is no base64") from error
    if key == "lfsFile":
        return WriteLfs(path, value["oid"], value.get("size"))
    if key in ("deletedFile", "deletedFolder"):
        return Delete(path, folder=key == "deletedFolder")
    raise bad_request(f"unknown operation: {key}")


def _checked_path(path: str) -> str:
    parts = path.split("/")
    if any(part in ("", ".", "..", ".git") for part in parts):
        raise bad_request(f"not a path of a repository: {path!r}")
    return path


def _refuse_clashes(tree: Tree) -> None:
    folders = {folder for path in tree for folder in ancestors(path)}
    for path in sorted(folders & tree.keys()):
        raise bad_request(f"{path} would be a file and a folder")
