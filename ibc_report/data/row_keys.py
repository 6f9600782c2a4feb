"""A number for each row that hangs on what the row holds: not on where it stands, the order of columns, or the format.

Rows are put in the order of their keys, and every draw is made by them. So a shuffled file, its columns in another
order, or the same table as CSV, parquet and JSON Lines give the same samples, halves and folds. The names of classes
are in no key; a class counts by its rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ibc_report.data.sources.rows import Column

__all__ = ["class_ranks", "content_hashes", "digest", "row_keys"]

_Hashes = NDArray[np.uint64]

ODD = np.uint64(0x9E3779B97F4A7C15)
"""An odd multiplier spreads small differences over all bits."""

MEASURED = ("number", "boolean", "class")
"""Kinds of column whose values are numbers, however they are stored."""


def content_hashes(columns: Sequence[Column], rows: NDArray[np.int64]) -> _Hashes:
    """Hash what some rows hold.

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        Positions of the rows.

    Returns
    -------
    ndarray of uint64, shape (n,)
        Equal for equal rows; the same for columns in another order, and for numbers that are stored as whole ones, or
        read from text. Fractions count to the seven digits of single precision.

    Examples
    --------
    >>> a = Column("a", "number", pa.chunked_array([[1, 2]]))
    >>> b = Column("b", "string", pa.chunked_array([["x", "y"]]))
    >>> as_floats = Column("a", "number", pa.chunked_array([[1.0, 2.0]]))
    >>> bool((content_hashes([a, b], np.arange(2)) == content_hashes([b, as_floats], np.arange(2))).all())
    True
    """
    total: _Hashes = np.zeros(len(rows), dtype=np.uint64)
    index = pa.array(rows)
    for column in columns:
        if column.kind == "other":
            # no encoder takes it
            continue
        name = np.uint64(int.from_bytes(hashlib.blake2b(column.name.encode(), digest_size=8).digest(), "little"))
        # a sum does not hang on the order of the columns; overflow is meant
        total += _mixed(_hashes(column, column.values.take(index)) + name)
    return total


def class_ranks(codes: NDArray[np.int64], hashes: _Hashes) -> NDArray[np.int64]:
    """Rank classes by their rows, whatever they are called: by their number, then by what they hold.

    Returns
    -------
    ndarray of int64, shape (classes,)
        Rank of each code.

    Examples
    --------
    >>> class_ranks(np.array([0, 1, 1, 2, 2, 2]), np.arange(6, dtype=np.uint64)).tolist()
    [0, 1, 2]
    """
    count = int(codes.max(initial=-1)) + 1
    sums: _Hashes = np.zeros(count, dtype=np.uint64)
    np.add.at(sums, codes, hashes)
    ranks = np.empty(count, dtype=np.int64)
    ranks[np.lexsort((sums, np.bincount(codes, minlength=count)))] = np.arange(count)
    return ranks


def row_keys(hashes: _Hashes, ties: NDArray[Any]) -> NDArray[np.int64]:
    """Give each row a key of its own: its hash, and among equal rows their number.

    Parameters
    ----------
    ties : ndarray, shape (n,)
        Orders rows of equal hashes, such as by their class; rows that are equal in this too are interchangeable.

    Returns
    -------
    ndarray of int64, shape (n,)
        At least 0, and all different.

    Examples
    --------
    >>> first, second, other = row_keys(np.array([7, 7, 9], dtype=np.uint64), np.zeros(3))
    >>> bool(first != second), bool(other == row_keys(np.array([9], dtype=np.uint64), np.zeros(1))[0])
    (True, True)
    """
    order = np.lexsort((ties, hashes))
    ordered = hashes[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)])
    repeat = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    mixed = (_mixed(ordered + repeat.astype(np.uint64) * ODD) >> np.uint64(1)).astype(np.int64)
    # two rows in a billion billion may meet in a key: the later one takes the next
    by_key = np.argsort(mixed, kind="stable")
    steps = np.arange(len(mixed))
    mixed[by_key] = np.maximum.accumulate(mixed[by_key] - steps) + steps
    keys = np.empty(len(order), dtype=np.int64)
    keys[order] = mixed
    return keys


def digest(scalar: pa.Scalar) -> int:
    """Hash a picture, a sound or a vector: what is in its file, or its value."""
    value = scalar.as_py()
    if isinstance(value, dict):
        value = value["bytes"] if value["bytes"] is not None else value["path"]
    if isinstance(value, str) and Path(value).is_file():
        value = Path(value).read_bytes()
    content = value if isinstance(value, bytes) else repr(value).encode()
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")


def _hashes(column: Column, values: pa.ChunkedArray) -> _Hashes:
    if column.kind in MEASURED:
        numbers = values.cast(pa.float64(), safe=False).to_numpy().astype(np.float64) + 0.0
        # readers of text differ in the last digit of a fraction, and every missing number is the same
        with np.errstate(over="ignore", invalid="ignore"):
            rounded = np.where(np.trunc(numbers) == numbers, numbers, numbers.astype(np.float32).astype(np.float64))
        return np.where(np.isnan(numbers), np.nan, rounded).view(np.uint64)
    if column.kind in ("image", "audio", "vector"):
        return np.array([digest(scalar) for scalar in values], dtype=np.uint64)
    return np.asarray(pd.util.hash_array(values.to_pandas().astype(object).to_numpy()), dtype=np.uint64)


def _mixed(values: _Hashes) -> _Hashes:
    # arithmetic modulo 2⁶⁴ is meant
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(31))) * ODD
        values = (values ^ (values >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        return values ^ (values >> np.uint64(32))
