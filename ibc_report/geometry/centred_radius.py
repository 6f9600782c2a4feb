"""The radius from the law of the norms about a robust centre, where no row decides it.

Each class has its own median norm and all share one spread, a normal law; the radius is where the largest of the rows
is expected (compare Rousseeuw, Croux, "Alternatives to the Median Absolute Deviation", JASA 1993, DOI
10.1080/01621459.1993.10476408, on scales from quantiles).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ibc_report import sampling
from ibc_report.geometry.points import Points

__all__ = ["CentredRadius", "centred_radius"]

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

    Parameters
    ----------
    points : Points
        At least one. The centre is the mean of the rows that are not far from a first one. That is the mean over
        rows of the coordinate-wise median of the row's class (of all rows where there are no classes): a mean of
        medians, because the median of well separated classes lies in one of them.
    seed : int
        Of the sample that the centre is computed from, where there are more than 20,000 points.

    Returns
    -------
    CentredRadius
        Invariant under translation, up to rounding.

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
    centre = first + (sample.raw - first)[close].mean(axis=0)
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
        members = points.raw[classes == label]
        total += len(members) * np.median(members, axis=0)
    return total / len(points)


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
