"""Arrays that may be larger than memory: beyond a size they lie in a temporary file and are read through a map."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["filled", "taken"]

BLOCK_ROWS = 4096

IN_MEMORY = 128 << 20
"""Bytes up to which an array is kept in memory."""


def filled(shape: tuple[int, ...], dtype: DTypeLike, fill: Callable[[NDArray[Any]], None]) -> NDArray[Any]:
    """Make an array and fill it, in memory or in a file that is gone when the array is.

    Parameters
    ----------
    shape : tuple of int
        Shape.
    dtype : dtype
        Type.
    fill : callable
        Writes the values into the array that it is given.

    Returns
    -------
    ndarray
        A read-only memory map where the array has more than `IN_MEMORY` bytes.

    Examples
    --------
    >>> filled((3,), np.uint8, lambda array: array.fill(7)).tolist()
    [7, 7, 7]
    """
    if prod(shape) * np.dtype(dtype).itemsize <= IN_MEMORY:
        array = np.empty(shape, dtype=dtype)
        fill(array)
        return array
    # the file has no name, so it is gone with the last map of it
    with tempfile.TemporaryFile(prefix="ibc_report-") as file:
        writable = np.memmap(file, dtype=dtype, mode="w+", shape=shape)
        fill(writable)
        writable.flush()
        del writable
        return np.memmap(file, dtype=dtype, mode="r", shape=shape)


def taken(array: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """Keep some rows of an array, in memory or in a file as `filled` does.

    Parameters
    ----------
    array : ndarray, shape (n, ...)
        From which.
    rows : ndarray of int64
        Their positions.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> taken(np.arange(6).reshape(3, 2), np.array([2, 0])).tolist()
    [[4, 5], [0, 1]]
    """

    def fill(out: NDArray[Any]) -> None:
        for start in range(0, len(rows), BLOCK_ROWS):
            out[start : start + BLOCK_ROWS] = array[rows[start : start + BLOCK_ROWS]]

    return filled((len(rows), *array.shape[1:]), array.dtype, fill)
