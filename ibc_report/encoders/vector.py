"""Vectors as they are: embeddings, arrays, spectra.

Metric: the Euclidean distance of the stored numbers, unscaled.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ibc_report.encoders.encoded import Encoded, Options
from ibc_report.errors import DataError
from ibc_report.sources.rows import Column, Dropped

__all__ = ["encode"]


def encode(column: Column, rows: NDArray[np.int64], options: Options) -> Encoded:
    """Flatten a column of lists of numbers.

    Parameters
    ----------
    column : Column
        Lists, possibly nested, of one length.
    rows : ndarray of int64
        Rows of the source to encode.
    options : Options
        None are known.

    Returns
    -------
    Encoded
        float64 vectors. Rows of another length than most, and rows with a missing or infinite number, are
        dropped.

    Raises
    ------
    DataError
        If no row is usable.
    """
    options.known()
    values = column.values.take(pa.array(rows)).combine_chunks()
    null = values.is_null().to_numpy(zero_copy_only=False)
    lengths = np.zeros(len(rows), dtype=np.int64)
    flat, owners = _flatten(values)
    np.add.at(lengths, owners, 1)
    counts = np.bincount(lengths[~null]) if (~null).any() else np.zeros(1, dtype=np.int64)
    width = int(counts.argmax())
    if width == 0:
        raise DataError(f"column '{column.name}' has no row with numbers in it")
    other = ~null & (lengths != width)
    right = ~null & ~other
    matrix = flat[right[owners]].reshape(-1, width)
    finite = np.isfinite(matrix).all(axis=1)
    kept = np.flatnonzero(right)[finite]
    if not len(kept):
        raise DataError(f"column '{column.name}' has no row whose numbers are all finite")
    reasons = (
        ("rows without a vector", np.flatnonzero(null)),
        (f"vectors of another length than {width}", np.flatnonzero(other)),
        ("vectors with a missing or infinite number", np.flatnonzero(right)[~finite]),
    )
    shape = column.shape
    picture = shape if shape is not None and len(shape) == 2 and shape[0] * shape[1] == width else None
    return Encoded(
        name="vector",
        metric="Euclidean distance of the stored numbers",
        settings={"length": str(width)},
        inputs=(column.name,),
        vectors=np.ascontiguousarray(matrix[finite]),
        unit=1.0,
        rows=rows[kept],
        rounding=0.0,
        picture_shape=picture,
        dropped=tuple(Dropped.of(reason, rows[bad].tolist()) for reason, bad in reasons if len(bad)),
    )


def _flatten(values: pa.Array) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """All numbers in order, and for each the position of the row that it belongs to."""
    owners = np.arange(len(values))
    while (
        pa.types.is_list(values.type) or pa.types.is_large_list(values.type) or pa.types.is_fixed_size_list(values.type)
    ):
        lengths = values.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        owners = np.repeat(owners, lengths)
        values = values.flatten()
    return values.cast(pa.float64()).to_numpy(zero_copy_only=False), owners
