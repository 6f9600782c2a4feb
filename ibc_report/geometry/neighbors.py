"""The engine: exact nearest neighbours, within a class and across classes, in one pass over blocks.

The search runs on expanded squared distances, which lose all digits of a small distance; every distance that
leaves this module is computed again from the difference of the two rows (integers for uint8).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.points import Points

__all__ = ["Neighbors", "exact_distances", "search"]

BLOCK_BYTES = 64 << 20
"""Bytes of one block of distances."""

SPARE = 16
"""Candidates beyond k that are computed exactly, so that rounding in the search does not decide the last one."""


@dataclass(frozen=True, slots=True)
class Neighbors:
    """Nearest neighbours of each query.

    Parameters
    ----------
    k : int
        Neighbours a query.
    distances : ndarray of float64, shape (q, k)
        Ascending; inf where there are fewer than k others.
    rows : ndarray of int64, shape (q, k)
        Row numbers of the neighbours; −1 where there are fewer.
    other_distance : ndarray of float64, shape (q,)
        Distance of the nearest point of another class, or of a target further away than the tolerance; inf where
        there is none.
    other_row : ndarray of int64, shape (q,)
        Its row number, −1 where there is none.
    method : str
        Which search ran.
    """

    k: int
    distances: NDArray[np.float64]
    rows: NDArray[np.int64]
    other_distance: NDArray[np.float64]
    other_row: NDArray[np.int64]
    method: str


def search(
    points: Points,
    *,
    k: int,
    tolerance: float = 0.0,
    progress: Callable[[float], None] = lambda fraction: None,
) -> Neighbors:
    """Find the k nearest neighbours of every point among the others, and the nearest of another class.

    Parameters
    ----------
    points : Points
        Distinct points; with labels or targets, the nearest point of another class is found too.
    k : int
        Neighbours a point.
    tolerance : float
        Targets that differ by more than this are different.
    progress : callable
        Told the fraction done.

    Returns
    -------
    Neighbors
        Ties are broken by the smaller row number.

    Examples
    --------
    >>> line = Points(np.array([[0.0], [1.0], [3.0]]), 1.0, np.arange(3), labels=np.array([0, 0, 1]))
    >>> found = search(line, k=1)
    >>> found.distances.ravel().tolist(), found.other_distance.tolist()
    ([1.0, 1.0, 2.0], [3.0, 2.0, 2.0])
    """
    vectors = points.vectors.astype(np.float64)
    vectors -= vectors.mean(axis=0)
    norms = np.einsum("ij,ij->i", vectors, vectors)
    n = len(vectors)
    distances = np.full((n, k), np.inf)
    rows = np.full((n, k), -1, dtype=np.int64)
    other_distance = np.full(n, np.inf)
    other_row = np.full(n, -1, dtype=np.int64)
    wanted = min(k + SPARE, n - 1)
    step = max(1, BLOCK_BYTES // (8 * n))
    for start in range(0, n, step):
        stop = min(start + step, n)
        block = norms[start:stop, None] + norms[None, :] - 2 * (vectors[start:stop] @ vectors.T)
        block[np.arange(stop - start), np.arange(start, stop)] = np.inf
        near = np.argpartition(block, wanted - 1, axis=1)[:, :wanted]
        _exact_rank(points, start, near, distances[start:stop], rows[start:stop])
        different = _different(points, start, stop, tolerance)
        if different is not None:
            block[~different] = np.inf
            few = min(SPARE, n - 1)
            candidates = np.argpartition(block, few - 1, axis=1)[:, :few]
            valid = np.isfinite(np.take_along_axis(block, candidates, axis=1))
            best_distance = np.full((stop - start, 1), np.inf)
            best_row = np.full((stop - start, 1), -1, dtype=np.int64)
            _exact_rank(points, start, candidates, best_distance, best_row, valid)
            other_distance[start:stop] = best_distance[:, 0]
            other_row[start:stop] = best_row[:, 0]
        progress(stop / n)
    return Neighbors(k, distances, rows, other_distance, other_row, "plain GEMM, exact re-rank")


def exact_distances(points: Points, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
    """Distances of pairs of positions, from the differences of their rows.

    Parameters
    ----------
    points : Points
        The set.
    first, second : ndarray of int64, shape (pairs,)
        Positions in the set.

    Returns
    -------
    ndarray of float64, shape (pairs,)
    """
    left, right = points.vectors[first], points.vectors[second]
    kind = np.int64 if points.vectors.dtype == np.uint8 else np.float64
    difference = left.astype(kind) - right
    return np.asarray(np.sqrt((difference * difference).sum(axis=1)) * points.unit, dtype=np.float64)


def _exact_rank(
    points: Points,
    start: int,
    candidates: NDArray[np.int64],
    distances: NDArray[np.float64],
    rows: NDArray[np.int64],
    valid: NDArray[np.bool_] | None = None,
) -> None:
    """Write the nearest candidates of each query, by exact distance and then by row number."""
    width = min(distances.shape[1], candidates.shape[1])
    for query, found in enumerate(candidates):
        kept = found if valid is None else found[valid[query]]
        if not len(kept):
            continue
        exact = exact_distances(points, np.full(len(kept), start + query), kept)
        order = np.lexsort((points.rows[kept], exact))[:width]
        distances[query, : len(order)] = exact[order]
        rows[query, : len(order)] = points.rows[kept][order]


def _different(points: Points, start: int, stop: int, tolerance: float) -> NDArray[Any] | None:
    if points.labels is not None:
        return np.asarray(points.labels[start:stop, None] != points.labels[None, :])
    if points.targets is not None:
        return np.asarray(np.abs(points.targets[start:stop, None] - points.targets[None, :]) > tolerance)
    return None
