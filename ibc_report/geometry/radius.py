"""Norms of points: the radius, and what a reader needs to judge it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.points import Points

__all__ = ["Norms", "lengths", "norms"]

BLOCK_ROWS = 4096


@dataclass(frozen=True, slots=True)
class Norms:
    """Norms of a set of points, in the units of the features.

    Parameters
    ----------
    radius : float
        The largest norm R.
    radius_row : int
        Row that has it.
    mean : float
        Mean norm.
    deviation : float
        Standard deviation of the norms.
    centre : float
        Norm of the mean point.
    high : float
        The 99.9 % quantile of the norms.
    """

    radius: float
    radius_row: int
    mean: float
    deviation: float
    centre: float
    high: float


def norms(points: Points) -> Norms:
    """Measure the norms of points.

    Parameters
    ----------
    points : Points
        At least one.

    Returns
    -------
    Norms
        Squared norms of uint8 vectors are integers, so the radius is exact.

    Examples
    --------
    >>> norms(Points(np.array([[3, 4], [0, 1]], dtype=np.uint8), 1.0, np.arange(2))).radius
    5.0
    """
    squares, total = _sums(points)
    each = np.sqrt(squares) * points.unit
    largest = int(each.argmax())
    return Norms(
        radius=float(each[largest]),
        radius_row=int(points.rows[largest]),
        mean=float(each.mean()),
        deviation=float(each.std()),
        centre=float(np.linalg.norm(total / len(squares)) * points.unit),
        high=float(np.quantile(each, 0.999)),
    )


def lengths(points: Points) -> NDArray[np.float64]:
    """Measure the norm of each point.

    Parameters
    ----------
    points : Points
        Any number.

    Returns
    -------
    ndarray of float64, shape (n,)
        In the units of the features.

    Examples
    --------
    >>> lengths(Points(np.array([[3, 4], [0, 1]], dtype=np.uint8), 1.0, np.arange(2)))
    array([5., 1.])
    """
    return np.asarray(np.sqrt(_sums(points)[0]) * points.unit, dtype=np.float64)


def _sums(points: Points) -> tuple[NDArray[Any], NDArray[Any]]:
    """The squared norm of each point, and the sum of all, in stored units."""
    vectors = points.vectors
    integral = vectors.dtype == np.uint8
    squares = np.empty(len(vectors), dtype=np.int64 if integral else np.float64)
    total = np.zeros(vectors.shape[1], dtype=squares.dtype)
    for start in range(0, len(vectors), BLOCK_ROWS):
        block = vectors[start : start + BLOCK_ROWS].astype(squares.dtype)
        squares[start : start + BLOCK_ROWS] = np.einsum("ij,ij->i", block, block)
        total += block.sum(axis=0)
        points.release()
    return squares, total
