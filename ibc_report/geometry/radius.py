"""Norms of points: the radius, and what a reader needs to judge it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibc_report.geometry.points import Points

__all__ = ["Norms", "norms"]

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
    vectors = points.vectors
    integral = vectors.dtype == np.uint8
    squares = np.empty(len(vectors), dtype=np.int64 if integral else np.float64)
    total = np.zeros(vectors.shape[1], dtype=squares.dtype)
    for start in range(0, len(vectors), BLOCK_ROWS):
        block = vectors[start : start + BLOCK_ROWS].astype(squares.dtype)
        squares[start : start + BLOCK_ROWS] = np.einsum("ij,ij->i", block, block)
        total += block.sum(axis=0)
    lengths = np.sqrt(squares) * points.unit
    largest = int(lengths.argmax())
    return Norms(
        radius=float(lengths[largest]),
        radius_row=int(points.rows[largest]),
        mean=float(lengths.mean()),
        deviation=float(lengths.std()),
        centre=float(np.linalg.norm(total / len(vectors)) * points.unit),
        high=float(np.quantile(lengths, 0.999)),
    )
