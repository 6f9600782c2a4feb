"""Contents by hash, in a folder: any number of revisions can share a file, and large ones stay on disk."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

CHUNK = 1 << 20


@dataclass(frozen=True)
class Blob:
    """One content: where it lies, and the two hashes by which git and LFS name it."""

    path: Path
    size: int
    sha1: str
    sha256: str

    def read(self) -> bytes:
        return self.path.read_bytes()


class BlobStore:
    """A write-once folder of contents named by their SHA-256."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._blobs: dict[str, Blob] = {}
        root.mkdir(parents=True, exist_ok=True)

    def put(self, data: bytes) -> Blob:
        """Keep a content, or find it again."""
        sha256 = hashlib.sha256(data).hexdigest()
        if sha256 not in self._blobs:
            path = self._root / sha256
            path.write_bytes(data)
            self._blobs[sha256] = Blob(path, len(data), git_hash("blob", data), sha256)
        return self._blobs[sha256]

    def put_file(self, source: Path) -> Blob:
        """Keep a copy of a file without holding it in memory."""
        size = source.stat().st_size
        sha1, sha256 = hashlib.sha1(f"blob {size}\0".encode()), hashlib.sha256()
        with source.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                sha1.update(chunk)
                sha256.update(chunk)
        name = sha256.hexdigest()
        if name not in self._blobs:
            shutil.copyfile(source, self._root / name)
            self._blobs[name] = Blob(self._root / name, size, sha1.hexdigest(), name)
        return self._blobs[name]

    def get(self, sha256: str) -> Blob | None:
        return self._blobs.get(sha256)


def git_hash(kind: str, data: bytes) -> str:
    """The object id that git gives to `data`."""
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data).hexdigest()
