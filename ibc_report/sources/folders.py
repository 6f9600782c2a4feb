"""Image folders: a zip of one is unpacked, and two folders of one name are two classes."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath

import numpy as np
import pyarrow as pa

from ibc_report.errors import DataError
from ibc_report.sources.rows import Column

__all__ = ["unpacked", "with_whole_names"]


def unpacked(path: Path, revision: str, folder: Path) -> Path:
    """Unpack a zip once.

    Parameters
    ----------
    path : Path
        The zip.
    revision : str
        Hash of its content: another content goes into another folder.
    folder : Path
        Where unpacked zips lie.

    Returns
    -------
    Path
        The folder with the zip's content.

    Raises
    ------
    DataError
        If the file is no zip.
    """
    if not zipfile.is_zipfile(path):
        raise DataError(f"{path} is not a zip, though its name says so; give a zip of an image folder")
    there = folder / revision.replace(":", "-")
    if there.is_dir():
        return there
    folder.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=folder))
    try:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(temporary)
        # another process may have been faster, with the same content
        if not there.is_dir():
            temporary.rename(there)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return there


def with_whole_names(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Name classes by their whole folder where the last part of it stands for several.

    Parameters
    ----------
    columns : sequence of Column
        Of an image folder: "image" with paths, and "label" where the folders are classes.

    Returns
    -------
    tuple of Column
        With "Balinese/character01" and "Hebrew/character01" as two classes, where the last part alone would make
        them one.
    """
    named = {column.name: column for column in columns}
    image, label = named.get("image"), named.get("label")
    if image is None or label is None or image.kind != "image" or label.kind != "class":
        return tuple(columns)
    paths: list[str] = [value["path"] or "" if value else "" for value in image.values.to_pylist()]
    if not paths or not all(paths):
        return tuple(columns)
    folders = [PurePath(path).parent for path in paths]
    different = set(folders)
    if len({folder.name for folder in different}) == len(different):
        return tuple(columns)
    common = os.path.commonpath(different)
    names = sorted(folder.relative_to(common).as_posix() for folder in different)
    code = {name: number for number, name in enumerate(names)}
    codes = np.array([code[folder.relative_to(common).as_posix()] for folder in folders], dtype=np.int64)
    whole = replace(label, values=pa.chunked_array([codes]), class_names=tuple(names))
    return tuple(whole if column is label else column for column in columns)
