"""Datasets of `datasets` as columns, undecoded, and image folders, a zip of one unpacked."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from multiprocessing.util import Finalize
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ibc_report.common.errors import DataError
from ibc_report.common.limits import unwritable_cache
from ibc_report.common.untrusted import refuse_large_zip
from ibc_report.data.sources.rows import Column, Dropped, Origin, Rows
from ibc_report.data.sources.storage import columns_of

__all__ = ["FOLDERS", "cache_folder", "rows_of", "unpacked", "with_whole_names", "without_bars"]


FOLDERS = ("imagefolder", "audiofolder")
"""Readers that take the names of folders for classes."""


UNPACKED = 2
"""How zips are unpacked, counted up where it changes: 2 takes the separators of Windows."""


def rows_of(
    dataset: Any,
    origin: Origin,
    dropped: tuple[Dropped, ...] = (),
    *,
    numbers: NDArray[np.int64] | None = None,
    total: int | None = None,
    features: Any = None,
) -> Rows:
    """View a `datasets.Dataset` as columns, without decoding anything.

    Parameters
    ----------
    dataset : datasets.Dataset
        Not filtered or selected: its arrow table is read as it is.
    numbers : ndarray of int64, optional
        Row numbers in the source, where the dataset is a sample of it.
    total : int, optional
        Rows that the sample was taken from.
    features : datasets.Features, optional
        What the columns are, where the dataset does not say it all.
    """
    table: pa.Table = dataset.data.table
    columns = columns_of(table, (features or dataset.features).to_dict())
    if dataset.info.builder_name in FOLDERS:
        columns = with_whole_names(columns)
    return Rows(columns, table.num_rows, origin, dropped, numbers=numbers, total=total)


@contextmanager
def without_bars() -> Iterator[None]:
    """Keep the loaders from drawing bars, logging and warning by themselves, and leave their settings as they were.

    Whatever they cannot do is raised too, and said in a line of our own. Their patience with a failing Hub is
    shortened: what stands around their calls is patient already.
    """
    import datasets

    hidden = datasets.are_progress_bars_disabled()
    verbosity = datasets.logging.get_verbosity()
    loggers = [logging.getLogger(name) for name in ("huggingface_hub", "fsspec", "httpx", "httpx2")]
    levels = [logger.level for logger in loggers]
    patience = datasets.config.STREAMING_READ_MAX_RETRIES, datasets.config.STREAMING_READ_RETRY_INTERVAL
    datasets.disable_progress_bars()
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    datasets.config.STREAMING_READ_MAX_RETRIES, datasets.config.STREAMING_READ_RETRY_INTERVAL = 2, 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            yield
    finally:
        datasets.config.STREAMING_READ_MAX_RETRIES, datasets.config.STREAMING_READ_RETRY_INTERVAL = patience
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        datasets.logging.set_verbosity(verbosity)
        if not hidden:
            datasets.enable_progress_bars()


@lru_cache(maxsize=1)
def cache_folder() -> str | None:
    """Where `datasets` converts local files: None for its own cache, else a folder that is gone with this process.

    A home that cannot be written is no reason not to read a file.
    """
    import datasets

    if unwritable_cache(Path(datasets.config.HF_DATASETS_CACHE)) is None:
        return None
    folder = tempfile.mkdtemp(prefix="ibc_report-")
    # a process that was forked runs these, and not what is registered with atexit
    Finalize(None, shutil.rmtree, (folder,), {"ignore_errors": True}, exitpriority=0)
    return folder


def unpacked(path: Path, revision: str, folder: Path) -> Path:
    """Unpack a zip once.

    Parameters
    ----------
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
    refuse_large_zip(path)
    # what was unpacked with other separators lies under another name
    there = folder / f"{revision.replace(':', '-')}-{UNPACKED}"
    if there.is_dir():
        return there
    folder.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=folder))
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                # some programs on Windows write its own separators
                member.filename = member.filename.replace("\\", "/")
                archive.extract(member, temporary)
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
        Of a folder of images or sounds: "image" or "audio" with paths, and "label" where the folders are classes.

    Returns
    -------
    tuple of Column
        With "Balinese/character01" and "Hebrew/character01" as two classes, where the last part alone would make
        them one.
    """
    named = {column.name: column for column in columns}
    shown, label = named.get("image", named.get("audio")), named.get("label")
    if shown is None or label is None or shown.kind not in ("image", "audio") or label.kind != "class":
        return tuple(columns)
    paths: list[str] = [value["path"] or "" if value else "" for value in shown.values.to_pylist()]
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
