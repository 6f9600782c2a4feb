"""Disjoint parts of a set of points, drawn by a hash: each size's parts are the two halves of the next larger one's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibc_report import sampling, storage
from ibc_report.geometry.points import Points

__all__ = ["part", "shuffled"]


def shuffled(points: Points, seed: int) -> NDArray[np.int64]:
    """Order the points by the hash of (seed, row); runs of it are random disjoint parts.

    Parameters
    ----------
    points : Points
        n points.
    seed : int
        Another one gives another order, which does not depend on how the points are stored.

    Returns
    -------
    ndarray of int64, shape (n,)
        Positions.

    Examples
    --------
    >>> points = Points(np.zeros((3, 1)), 1.0, np.array([5, 6, 9]))
    >>> sorted(shuffled(points, seed=0).tolist())
    [0, 1, 2]
    """
    return np.argsort(sampling.ranks(points.rows, seed), kind="stable")


def part(points: Points, positions: NDArray[np.int64], *, answers: bool = True) -> Points:
    """Take some of the points; in a file, where they are too large for memory.

    Parameters
    ----------
    points : Points
        From which.
    positions : ndarray of int64
        Which.
    answers : bool
        Whether labels and targets come along.

    Returns
    -------
    Points

    Examples
    --------
    >>> part(Points(np.zeros((3, 1)), 1.0, np.array([5, 6, 9])), np.array([0, 2])).rows
    array([5, 9])
    """
    return Points(
        storage.taken(points.raw, positions),
        points.unit,
        points.rows[positions],
        points.labels[positions] if answers and points.labels is not None else None,
        points.targets[positions] if answers and points.targets is not None else None,
    )
