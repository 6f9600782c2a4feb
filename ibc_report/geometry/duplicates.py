"""Rows that are the same point: equal vectors, and vectors equal up to their encoder's rounding."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

__all__ = ["groups_of_equal", "merge_close"]


def groups_of_equal(vectors: NDArray[Any]) -> NDArray[np.int64]:
    """Number the groups of equal rows.

    Parameters
    ----------
    vectors : ndarray, shape (n, features)
        Any type; −0.0 equals 0.0.

    Returns
    -------
    ndarray of int64, shape (n,)
        Group of each row; groups are numbered by their first row.

    Examples
    --------
    >>> groups_of_equal(np.array([[1.0], [2.0], [1.0], [-0.0], [0.0]])).tolist()
    [0, 1, 0, 2, 2]
    """
    seen: dict[bytes, int] = {}
    groups = np.empty(len(vectors), dtype=np.int64)
    floating = np.issubdtype(vectors.dtype, np.floating)
    for position, vector in enumerate(vectors):
        content = (vector + 0.0 if floating else vector).tobytes()
        key = hashlib.blake2b(content, digest_size=16).digest()
        groups[position] = seen.setdefault(key, len(seen))
    return groups


def merge_close(
    distances: NDArray[np.float64],
    neighbors: NDArray[np.int64],
    threshold: float,
    asked: NDArray[np.int64] | None = None,
    count: int | None = None,
) -> NDArray[np.int64] | None:
    """Number the groups of points that a chain of distances within a threshold joins.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        To the nearest neighbours.
    neighbors : ndarray of int64, shape (n, k)
        Their positions.
    threshold : float
        Distances up to this count as zero.
    asked : ndarray of int64, shape (n,), optional
        Positions of the points that the rows belong to, where they are not all points.
    count : int, optional
        All points, then.

    Returns
    -------
    ndarray of int64, shape (n,), or None
        Group of each point, numbered by first point; None where no two points are that close.

    Examples
    --------
    >>> merge_close(np.array([[0.0], [0.0], [5.0]]), np.array([[1], [0], [1]]), 0.1).tolist()
    [0, 0, 1]
    """
    first, slot = np.nonzero(distances <= threshold)
    if not len(first):
        return None
    second = neighbors[first, slot]
    if asked is not None:
        first = asked[first]
    n = len(distances) if count is None else count
    links = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(n, n))
    _, component = connected_components(links, directed=False)
    _, earliest, groups = np.unique(component, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(earliest))
    return np.asarray(order[groups], dtype=np.int64)
