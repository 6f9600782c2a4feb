"""The list of a bundle's files with their SHA-256, and what differs from it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from ibc_report.common.errors import DataError
from ibc_report.common.escaping import one_line
from ibc_report.common.schema import Record
from ibc_report.common.schema import first_fault as complaint

__all__ = ["MANIFEST", "PUBLIC_HUB", "FileRecord", "Manifest", "differences", "foreign", "is_plain", "load", "safe"]

MANIFEST = "manifest.json"

CHUNK = 1 << 20

PUBLIC_HUB = "https://huggingface.co"

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

_DRIVE = re.compile(r"[A-Za-z]:")


def safe(path: str) -> bool:
    r"""Say whether a path stays inside of the folder that it is joined to, on every system.

    Parameters
    ----------
    path : str
        With forward slashes.

    Examples
    --------
    >>> [safe(path) for path in ("a/b.json", "../a", "/a", "a//b", "a/./b", "c:a", "a\\b", "")]
    [True, False, False, False, False, False, False, False]
    """
    parts = path.split("/")
    return not (
        "\\" in path or _CONTROL.search(path) or _DRIVE.match(path) or any(part in ("", ".", "..") for part in parts)
    )


class FileRecord(Record):
    """A file of the bundle."""

    path: str = Field(description="Within the bundle, with forward slashes.")
    size: int = Field(ge=0, description="In bytes.")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="Of its content, in hexadecimal digits.")

    @field_validator("path")
    @classmethod
    def _stays_inside(cls, path: str) -> str:
        if not safe(path) or path == MANIFEST:
            raise ValueError(f"path {path!r} does not stay inside of the bundle, and is not looked at")
        return path


class Manifest(Record):
    """What a bundle is of, and its files."""

    schema_version: Literal[1] = Field(1, description="Version of this document's form.")
    kind: Literal["bundle"] = Field("bundle", description="Tells it from a report.")
    name: str = Field(description="Short name of the task.")
    model: str = Field(description="OWNER/MODEL on the Hub.")
    entry: str = Field(description="How the results call the model.")
    dataset: str | None = Field(None, description="OWNER/NAME of the dataset on the Hub; null where it is not there.")
    task: str = Field("default", description="The benchmark's name of the task.")
    share: bool = Field(False, description="Whether the accuracy is submitted as a share.")
    card: str | None = Field(None, description="Address of a card that was published already; null for the model's.")
    hub: str = Field(PUBLIC_HUB, pattern=r"^https?://\S+$", description="Address of the Hub that the links lead to.")
    version: str = Field(description="Of this package.")
    made_with: dict[str, str] = Field({}, description="Versions of the packages that the files are written with.")
    files: tuple[FileRecord, ...] = Field(description="All but this one, by path.")

    @model_validator(mode="after")
    def _once_each(self) -> Manifest:
        paths = [file.path for file in self.files]
        twice = next((path for path in paths if paths.count(path) > 1), None)
        if twice is not None:
            raise ValueError(f"path {twice!r} is listed twice")
        return self

    @classmethod
    def of(cls, files: Mapping[str, bytes], **said: object) -> Manifest:
        """List files.

        Parameters
        ----------
        **said
            The other fields.
        """
        records = tuple(
            FileRecord(path=path, size=len(content), sha256=hashlib.sha256(content).hexdigest())
            for path, content in sorted(files.items())
        )
        return cls.model_validate({**said, "files": records})

    def to_json(self) -> str:
        """Write the document, the same for the same bundle."""
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


def load(folder: Path) -> Manifest:
    """Read the manifest of a bundle.

    Raises
    ------
    DataError
        If there is none, it cannot be read, or a path in it leads out of the bundle.
    """
    path = folder / MANIFEST
    if path.is_symlink():
        raise DataError(f"{path} is a link; a bundle holds its files itself")
    try:
        content: Any = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise DataError(f"{folder} has no {MANIFEST}; make a bundle with ibc-report attach") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read: {one_line(str(error))}") from error
    try:
        return Manifest.model_validate(content)
    except ValidationError as error:
        raise DataError(f"{path} is no manifest: {one_line(complaint(error, Manifest, content))}") from error


def differences(folder: Path, manifest: Manifest) -> tuple[str, ...]:
    """Compare a folder with a manifest.

    Returns
    -------
    tuple of str
        A line for each file that is missing, changed, not listed, or no plain file; by path.
    """
    listed = {file.path: file for file in manifest.files}
    found = dict(_walk(folder))
    faults = []
    for path in sorted({*listed, *found} - {MANIFEST}):
        if path not in found:
            faults.append(f"{path} is missing")
        elif found[path] == "link":
            faults.append(f"{path} is a link; a bundle holds its files itself")
        elif found[path] == "other":
            faults.append(f"{path} is no plain file")
        elif path not in listed:
            faults.append(f"{path} is not in {MANIFEST}")
        else:
            faults += _changed(folder / PurePosixPath(path), listed[path])
    return tuple(faults)


def foreign(folder: Path, manifest: Manifest) -> tuple[str, ...]:
    """Find what a folder has beside a bundle.

    Returns
    -------
    tuple of str
        Paths that the manifest does not list, links among them.
    """
    listed = {MANIFEST, *(file.path for file in manifest.files)}
    return tuple(path for path, _ in _walk(folder) if path not in listed)


def is_plain(folder: Path, path: str) -> bool:
    """Say whether a file can be opened without leaving the folder.

    Parameters
    ----------
    path : str
        A safe path within it.

    Returns
    -------
    bool
        False for a link, for what lies behind one, and for what is no file.
    """
    place = folder
    for part in path.split("/"):
        place = place / part
        if place.is_symlink():
            return False
    return place.is_file()


def _changed(path: Path, record: FileRecord) -> list[str]:
    try:
        digest = hashlib.sha256()
        size = 0
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                digest.update(chunk)
                size += len(chunk)
    except OSError as error:
        return [f"{record.path} cannot be read: {error.strerror or error}"]
    if size != record.size:
        return [f"{record.path} is changed: it has {size:,} bytes instead of {record.size:,}"]
    return [] if digest.hexdigest() == record.sha256 else [f"{record.path} is changed: its SHA-256 is another one"]


def _walk(folder: Path, prefix: str = "") -> Iterator[tuple[str, str]]:
    """What lies in a folder, without following links."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            path = f"{prefix}{entry.name}"
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                yield from _walk(Path(entry.path), f"{path}/")
            else:
                yield path, "link" if stat.S_ISLNK(mode) else "file" if stat.S_ISREG(mode) else "other"
