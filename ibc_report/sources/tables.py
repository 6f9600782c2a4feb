"""A dataset of `datasets` as columns, undecoded."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ibc_report.sources import folders
from ibc_report.sources.rows import Column, Dropped, Kind, Origin, Rows, kind_of

__all__ = ["rows_of", "without_bars"]

PICTURES = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF")
"""How image files begin: PNG, JPEG, GIF, BMP, TIFF, WebP."""


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
    origin : Origin
        Where it came from.
    dropped : tuple of Dropped
        What could not be read.
    numbers : ndarray of int64, optional
        Row numbers in the source, where the dataset is a sample of it.
    total : int, optional
        Rows that the sample was taken from.
    features : datasets.Features, optional
        What the columns are, where the dataset does not say it all.

    Returns
    -------
    Rows
    """
    table: pa.Table = dataset.data.table
    columns = tuple(
        _column(name, feature, table.column(name)) for name, feature in (features or dataset.features).items()
    )
    if dataset.info.builder_name == "imagefolder":
        columns = folders.with_whole_names(columns)
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


def _column(name: str, feature: Any, values: pa.ChunkedArray) -> Column:
    import datasets

    if isinstance(feature, datasets.ClassLabel):
        # YAML reads an unquoted no/yes as a boolean, and such names reach us as they are
        return Column(name, "class", values, class_names=tuple(str(label) for label in feature.names))
    if isinstance(feature, datasets.Image):
        return Column(name, "image", values)
    shape = tuple(getattr(feature, "shape", ()) or ()) or None
    storage = values.type.storage_type if isinstance(values.type, pa.BaseExtensionType) else values.type
    if isinstance(values.type, pa.BaseExtensionType):
        values = pa.chunked_array([chunk.storage for chunk in values.chunks], type=storage)
    kind: Kind = "other" if isinstance(feature, datasets.Audio | datasets.Video) else kind_of(storage)
    if kind == "other" and _holds_pictures(values):
        kind = "image"
    return Column(name, kind, values, shape=shape if kind == "vector" else None)


def _holds_pictures(values: pa.ChunkedArray) -> bool:
    """Whether a column of bytes begins with an image file."""
    if not (pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type)):
        return False
    first = next((content for value in values if (content := value.as_py()) is not None), b"")
    return bool(first.startswith(PICTURES))
