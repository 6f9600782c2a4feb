"""The radius: the largest norm, and that from the law of the norms about a robust centre, where no row decides it.

Each class has its own median norm and all share one spread, a normal law; the radius is where the largest of the rows
is expected (compare Rousseeuw, Croux, "Alternatives to the Median Absolute Deviation", JASA 1993, DOI
10.1080/01621459.1993.10476408, on scales from quantiles).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ibc_report.common import sampling
from ibc_report.common.resources import BLOCK_BYTES, block_rows, slices
from ibc_report.geometry.neighbors.points import Points

__all__ = ["CentredRadius", "Norms", "centred_radius", "lengths", "norms"]


@dataclass(frozen=True, slots=True)
class Norms:
    """Norms of a set of points, in the units of the features.

    Parameters
    ----------
    radius : float
        The largest norm R.
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

    Squared norms of uint8 vectors are integers, so the radius is exact.

    Parameters
    ----------
    points : Points
        At least one.

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
    for part in slices(len(vectors), block_rows(vectors.shape[1])):
        block = vectors[part].astype(squares.dtype)
        squares[part] = np.einsum("ij,ij->i", block, block)
        total += block.sum(axis=0)
        points.release()
    return squares, total


MOST_ROWS = 20_000
"""Rows that the centre is computed from."""

BLOCK_ELEMENTS = 2**22

FIRST_QUANTILE, SECOND_QUANTILE = 0.75, 0.9
"""Quantiles of the norms that give their spread: first of all rows, then of those that are not far out."""

MOST_FAR = 0.05
"""Largest share of rows that may be far out."""

EXPECTED = float(np.exp(-np.euler_gamma))
"""Rows beyond the radius, on average: of the laws with an exponential tail, where the largest is on average."""

ROUNDING = 1e-9
"""Norms this much beyond the radius, relative to it, are not far out: on a sphere all are equal but for rounding."""

HALVINGS = 100


@dataclass(frozen=True, slots=True, eq=False)
class CentredRadius:
    """The radius about a centre.

    Parameters
    ----------
    radius : float
        In the units of the features.
    offset : float
        Distance of the centre from the origin.
    norms : ndarray of float64, shape (n,)
        Distances of the points from the centre.
    near : ndarray of bool, shape (n,)
        Points that are not far out.
    """

    radius: float
    offset: float
    norms: NDArray[np.float64]
    near: NDArray[np.bool_]


def centred_radius(points: Points, *, seed: int = 0) -> CentredRadius:
    """Measure the radius of points about their centre.

    It is invariant under translation, up to rounding.

    Parameters
    ----------
    points : Points
        At least one. The centre is the mean of the rows that are not far from a first one. That is the mean over
        rows of the coordinate-wise median of the row's class (of all rows where there are no classes): a mean of
        medians, because the median of well separated classes lies in one of them.
    seed : int
        Of the sample that the centre is computed from, where there are more than 20,000 points.

    Examples
    --------
    >>> square = Points(np.array([[4.0, 5.0], [6.0, 5.0], [5.0, 4.0], [5.0, 6.0]]), 1.0, np.arange(4))
    >>> found = centred_radius(square)
    >>> round(found.radius, 6), round(found.offset, 6)
    (1.0, 7.071068)
    """
    rows = sampling.chosen(points.rows, MOST_ROWS, seed)
    sample = points if len(rows) == len(points) else points.take(np.flatnonzero(np.isin(points.rows, rows)))
    first = _middle(sample)
    close = _near(_norms(sample, first), _classes(sample))
    centre = first + _mean_step(sample, first, close)
    norms, classes = _norms(points, centre), _classes(points)
    near = _near(norms, classes)
    radius = _largest(norms, classes, near, SECOND_QUANTILE)
    return CentredRadius(radius, float(np.linalg.norm(centre)) * points.unit, norms, near)


def _classes(points: Points) -> NDArray[np.int64]:
    return np.zeros(len(points), dtype=np.int64) if points.labels is None else points.labels


def _middle(points: Points) -> NDArray[np.float64]:
    """Mean over rows of the median of the row's class, in stored units."""
    classes = _classes(points)
    total = np.zeros(points.dimension)
    for label in np.unique(classes):
        members = np.flatnonzero(classes == label)
        # a median needs all rows of a coordinate, and sorts a copy of them
        for part in slices(points.dimension, max(1, BLOCK_BYTES // (8 * len(members)))):
            total[part] += len(members) * np.median(points.raw[members, part], axis=0)
            points.release()
    return total / len(points)


def _mean_step(points: Points, first: NDArray[np.float64], close: NDArray[np.bool_]) -> NDArray[np.float64]:
    """From a first centre to the mean of the rows that are close to it."""
    total = np.zeros(points.dimension)
    for part in slices(len(points), block_rows(points.dimension)):
        total += (points.raw[part][close[part]] - first).sum(axis=0)
        points.release()
    return total / int(close.sum())


def _near(norms: NDArray[np.float64], classes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Rows that are not far out."""
    everything = np.ones(len(norms), dtype=bool)
    fence = max(_largest(norms, classes, everything, FIRST_QUANTILE), float(np.quantile(norms, 1 - MOST_FAR)))
    return np.asarray(norms <= fence * (1 + ROUNDING))


def _norms(points: Points, centre: NDArray[np.float64]) -> NDArray[np.float64]:
    norms = np.empty(len(points))
    size = max(1, BLOCK_ELEMENTS // points.dimension)
    for start in range(0, len(points), size):
        away = points.raw[start : start + size] - centre
        norms[start : start + size] = np.sqrt(np.einsum("ij,ij->i", away, away))
        points.release()
    return norms * points.unit


def _largest(
    norms: NDArray[np.float64], classes: NDArray[np.int64], taken: NDArray[np.bool_], quantile: float
) -> float:
    """Where the largest norm of the taken rows is expected."""
    norms, classes = norms[taken], classes[taken]
    present, classes, counts = np.unique(classes, return_inverse=True, return_counts=True)
    middles = np.array([np.median(norms[classes == number]) for number in range(len(present))])
    spread = float(np.quantile(norms - middles[classes], quantile) / ndtri(quantile))
    low = float(middles.max())
    if spread <= 0:
        return low
    low, high = float(middles.min()), low + spread * float(-ndtri(EXPECTED / (2 * len(norms))))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        beyond = float((counts * ndtr((middles - middle) / spread)).sum())
        low, high = (middle, high) if beyond > EXPECTED else (low, middle)
    return (low + high) / 2
