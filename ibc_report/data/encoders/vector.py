"""Vectors as they are: embeddings, arrays, spectra.

Metric: the Euclidean distance of the stored numbers, unscaled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ibc_report.common import files
from ibc_report.common.errors import DataError
from ibc_report.data.encoders.base import Encoded, Options
from ibc_report.data.sources.rows import Column, Dropped, is_list

__all__ = ["encode"]

BLOCK_ROWS = 1024
"""Rows that are unpacked at a time: what a source wrote at a time lies in buffers of its own."""


def encode(column: Column, rows: NDArray[np.int64], options: Options) -> Encoded:
    """Flatten a column of lists of numbers; there are no settings.

    Parameters
    ----------
    column : Column
        Lists, possibly nested, of one length.

    Returns
    -------
    Encoded
        uint8 vectors of numbers that are stored as such, otherwise float64; many of them lie in a file, as
        `ibc_report.common.files.filled` says. Rows of another length than most, and rows with a missing or infinite
        number, are dropped.

    Raises
    ------
    DataError
        If no row is usable.
    """
    options.known()
    # they are read in the order in which they lie, and each goes to the place that is asked for
    places = np.argsort(rows)
    stored = rows[places]
    null, finite = np.zeros(len(rows), dtype=bool), np.ones(len(rows), dtype=bool)
    lengths = np.zeros(len(rows), dtype=np.int64)
    for block in _blocks(column.values, stored):
        null[block.at] = block.null
        lengths[block.at] = block.lengths
        finite[block.at][block.owners[~np.isfinite(block.numbers)]] = False
    counts = np.bincount(lengths[~null]) if (~null).any() else np.zeros(1, dtype=np.int64)
    width = int(counts.argmax())
    if width == 0:
        raise DataError(f"column '{column.name}' has no row with numbers in it")
    other = ~null & (lengths != width)
    right = ~null & ~other
    kept = right & finite
    if not kept.any():
        raise DataError(f"column '{column.name}' has no row whose numbers are all finite")

    back = np.argsort(places)
    goes_to = (np.cumsum(kept[back]) - 1)[places]

    def fill(vectors: NDArray[Any]) -> None:
        for block in _blocks(column.values, stored):
            part = block.numbers[kept[block.at][block.owners]].reshape(-1, width)
            vectors[goes_to[block.at][kept[block.at]]] = part

    reasons = (
        ("rows without a vector", null),
        (f"vectors of another length than {width}", other),
        ("vectors with a missing or infinite number", right & ~finite),
    )
    shape = column.shape
    picture = shape if shape is not None and len(shape) == 2 and shape[0] * shape[1] == width else None
    return Encoded(
        name="vector",
        metric="Euclidean distance of the stored numbers",
        settings={"length": str(width)},
        inputs=(column.name,),
        vectors=files.filled((int(kept.sum()), width), _number_type(column.values.type), fill),
        unit=1.0,
        rows=rows[kept[back]],
        rounding=0.0,
        picture_shape=picture,
        dropped=tuple(Dropped.of(reason, stored[bad].tolist()) for reason, bad in reasons if bad.any()),
    )


@dataclass(frozen=True, slots=True)
class _VectorBlock:
    """Some of the rows: which are missing, their lengths, all their numbers, and the row of each number."""

    at: slice
    null: NDArray[np.bool_]
    lengths: NDArray[np.int64]
    numbers: NDArray[np.float64]
    owners: NDArray[np.int64]


def _blocks(values: pa.ChunkedArray, rows: NDArray[np.int64]) -> Iterator[_VectorBlock]:
    """Unpack the wanted rows, a few at a time."""
    for start in range(0, len(rows), BLOCK_ROWS):
        wanted = rows[start : start + BLOCK_ROWS]
        first, last = int(wanted.min()), int(wanted.max())
        # "take" on the whole column would join its chunks first
        part = pa.concat_arrays(values.slice(first, last - first + 1).chunks).take(pa.array(wanted - first))
        numbers, owners = _flatten(part)
        lengths = np.bincount(owners, minlength=len(wanted))
        at = slice(start, start + len(wanted))
        yield _VectorBlock(at, part.is_null().to_numpy(zero_copy_only=False), lengths, numbers, owners)


def _number_type(kind: pa.DataType) -> type[np.uint8] | type[np.float64]:
    """What the numbers of a column are kept as."""
    while is_list(kind):
        kind = kind.value_type
    return np.uint8 if pa.types.is_uint8(kind) else np.float64


def _flatten(values: pa.Array) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """All numbers in order, and for each the position of the row that it belongs to."""
    owners = np.arange(len(values))
    while is_list(values.type):
        lengths = values.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        owners = np.repeat(owners, lengths)
        values = values.flatten()
    return values.cast(pa.float64()).to_numpy(zero_copy_only=False), owners
