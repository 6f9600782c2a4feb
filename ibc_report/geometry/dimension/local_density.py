"""How even a set of points is: the spread of its density and dimension over places, and near duplicates.

Around a point of a manifold with constant density the distances T_1 < T_2 < … of its neighbours are those of a
Poisson process in T^m: T_k^m is a Gamma(k) variable over the density, and the variables i·m·ln(T_{i+1} / T_i) are
independent and exponential (Levina, Bickel, "Maximum Likelihood Estimation of Intrinsic Dimension", NIPS 2004). What
exceeds their variances is the spread of density and of dimension.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, polygamma

__all__ = [
    "FIRST",
    "LOCAL_K",
    "Near",
    "density_gradient",
    "density_spread",
    "dimension_drift",
    "dimension_spread",
    "mean_spacing",
    "near_duplicates",
    "spacings",
    "too_near",
]

LOCAL_K = 10
"""Neighbours whose distances tell the density and the dimension at one point."""

FIRST = 2
"""The nearest neighbour is left out of both, since near duplicates would decide it."""


def spacings(distances: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Sum the weighted log spacings of each point's neighbours: a Gamma(k − 2, m) variable where density is constant.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, ≥ k)
        Ascending, above 0.
    k : int
        Neighbours that take part, at least 3.

    Returns
    -------
    ndarray of float64, shape (n,)
        Σ over 2 ≤ i < k of i·ln(T_{i+1} / T_i).

    Examples
    --------
    >>> spacings(np.array([[1.0, 2.0, 4.0]]), 3) / np.log(2)
    array([2.])
    """
    logs = np.log(distances[:, FIRST - 1 : k])
    return np.asarray(np.diff(logs, axis=1) @ np.arange(FIRST, k, dtype=np.float64))


def mean_spacing(distances: NDArray[np.float64], k: int) -> float | None:
    """Estimate 1/m from k neighbours without the nearest.

    None where a point has fewer neighbours, or all are equally far.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, any)
        Ascending, above 0.
    k : int
        Neighbours that take part, at least 3.

    Examples
    --------
    >>> round(mean_spacing(np.array([[1.0, 2.0, 4.0]]), 3) / float(np.log(2)), 12)
    2.0
    """
    if distances.shape[1] < k or not len(distances) or not np.isfinite(distances[:, k - 1]).all():
        return None
    mean = float(spacings(distances, k).mean()) / (k - FIRST)
    return mean if mean > 0 else None


def density_spread(distances: NDArray[np.float64]) -> float | None:
    """Estimate the spread of the log density over points.

    Standard deviation of ln density, in nats: what the variance of m̂·ln T_10 has above ψ′(10); 0 where it has nothing.
    None where a point has fewer than 10 neighbours or there is no dimension.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        To the neighbours of each point, ascending, above 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> radii = np.cumsum(rng.exponential(size=(2000, 10)), axis=1) ** (1 / 3)
    >>> density_spread(radii) < 0.2
    True
    """
    mean = mean_spacing(distances, LOCAL_K)
    if mean is None:
        return None
    variance = float(np.log(distances[:, LOCAL_K - 1]).var()) / mean**2 - float(polygamma(1, LOCAL_K))
    return sqrt(max(variance, 0.0))


def density_gradient(
    distances: NDArray[np.float64], coordinates: NDArray[np.float64], classes: NDArray[np.int64]
) -> float | None:
    """Estimate how far the log density rises or falls along straight lines through the classes.

    Standard deviation over points, in nats, of what a linear fit of m̂·ln T_10 on the coordinates tells, each class
    about its own mean; 0 where the noise of such a fit may be all of it. Edges of a symmetric body, which pass for thin
    places, lie on both sides and leave it as it is. None where a point has fewer than 10 neighbours or there is no
    dimension.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        To the neighbours of each point, ascending, above 0.
    coordinates : ndarray of float64, shape (n, q)
        Where each point lies.
    classes : ndarray of int64, shape (n,)
        Codes from 0.

    Notes
    -----
    Neighbourhoods overlap, so that a smooth fit has the error of the density of n points, a variance of 1 / n for each
    coordinate, and not that of n independent neighbourhoods. To that comes what the density varies by in other ways
    (White 1980, DOI 10.2307/1912934). In their sum the fit is about a chi-square variable.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> line = np.log1p(rng.random(3000) * (np.exp(3) - 1))  # the density is e^x, x from 0 to 3
    >>> away = np.sort(np.abs(line[:, None] - line), axis=1)[:, 1:11]
    >>> round(density_gradient(away, line[:, None], np.zeros(3000, np.int64)), 1)
    0.7
    """
    mean = mean_spacing(distances, LOCAL_K)
    if mean is None or not coordinates.size:
        return None
    both = np.column_stack([np.log(distances[:, LOCAL_K - 1]) / mean, coordinates])
    counts = np.maximum(np.bincount(classes), 1)
    for column in both.T:
        column -= (np.bincount(classes, column) / counts)[classes]
    basis, sizes, _ = np.linalg.svd(both[:, 1:], full_matrices=False)
    basis = basis[:, sizes > RANK * max(float(sizes.max(initial=0.0)), np.finfo(np.float64).tiny)]
    fit = both[:, 0] @ basis
    told, used = float(fit @ fit), basis.shape[1]
    unfitted = both[:, 0] - basis @ fit
    noise = used + float(unfitted**2 @ (basis**2).sum(axis=1))
    return sqrt((told - noise) / len(both)) if told > noise * (1 + SURE * sqrt(2 / used)) else 0.0


SURE = 3.0
"""Standard deviations of a fit's noise that a gradient has to be above."""

RANK = 1e-9
"""Singular values up to this share of the largest are rounding."""


def dimension_spread(distances: NDArray[np.float64]) -> float | None:
    """Estimate the spread of the dimension over points.

    Standard deviation of 1/m over its mean, from what the variance of `spacings` over 10 neighbours has above that of a
    Gamma variable and above one standard error of itself; 0 where it has nothing. None where a point has fewer than 10
    neighbours.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        To the neighbours of each point, ascending, above 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> powers = np.cumsum(rng.exponential(size=(2000, 10)), axis=1)
    >>> dimension_spread(powers ** (1 / 3)) < 0.1
    True
    >>> round(dimension_spread(powers ** (1 / np.array([[2.0], [6.0]] * 1000))), 1)
    0.5
    """
    mean = mean_spacing(distances, LOCAL_K)
    if mean is None:
        return None
    terms = LOCAL_K - FIRST
    squares = (spacings(distances, LOCAL_K) - terms * mean) ** 2
    error = float(squares.std()) / sqrt(len(squares))
    variance = (float(squares.mean()) - error - terms * mean**2) / (terms * (terms + 1))
    return sqrt(max(variance, 0.0)) / mean


def dimension_drift(profile: Mapping[int, float]) -> float | None:
    """Fit the drift of the dimension over neighbourhood sizes.

    Least-squares slope of ln m̂ on ln k; None for fewer than three sizes.

    Parameters
    ----------
    profile : mapping of int to float
        Dimension by neighbourhood size.

    Examples
    --------
    MNIST, from 14.65 at k = 3 to 12.79 at k = 50:

    >>> round(dimension_drift({3: 14.6533, 5: 14.2437, 10: 13.8004, 20: 13.37, 50: 12.79}), 2)
    -0.05
    """
    if len(profile) < 3:
        return None
    scales = np.log(list(profile))
    values = np.log(list(profile.values()))
    centred = scales - scales.mean()
    return float(centred @ values / (centred @ centred))


NEAR_RATIO_K = 5
"""A neighbour is too close by its distance over that of this neighbour."""

NEAR_SHARE = 1e-3
"""Share of points that a uniform density would have at least as close."""


@dataclass(frozen=True, slots=True)
class Near:
    """Points whose nearest neighbour is nearer than a uniform density allows.

    Parameters
    ----------
    count : int
        Such points; both of a pair count.
    expected : float
        How many a uniform density would have.
    probability : float
        That a uniform density has so many.
    """

    count: int
    expected: float
    probability: float


def near_duplicates(distances: NDArray[np.float64]) -> Near | None:
    """Count points whose nearest neighbour is too near.

    Points with T_1 / T_5 below x, where a uniform density has a share 1 − (1 − x^m)^4 = 0.001 of them. None where a
    point has fewer than 10 neighbours.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        To the neighbours of each point, ascending, above 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> radii = np.cumsum(rng.exponential(size=(2000, 10)), axis=1) ** (1 / 3)
    >>> radii[:100, 0] *= 1e-3
    >>> near_duplicates(radii).count > 95
    True
    """
    near = too_near(distances)
    if near is None:
        return None
    count, n = int(near.sum()), len(near)
    return Near(count, n * NEAR_SHARE, float(bdtrc(count - 1, n, NEAR_SHARE)) if count else 1.0)


def too_near(distances: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    """Find the points that `near_duplicates` counts.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        As for `near_duplicates`.

    Returns
    -------
    ndarray of bool, shape (n,)
        None where a point has fewer than 10 neighbours.

    Examples
    --------
    >>> radii = np.cumsum(np.random.default_rng(0).exponential(size=(200, 10)), axis=1) ** (1 / 3)
    >>> radii[5, 0] *= 1e-3
    >>> np.flatnonzero(too_near(radii))
    array([5])
    """
    mean = mean_spacing(distances, LOCAL_K)
    if mean is None:
        return None
    log_ratio = mean * log(-np.expm1(np.log1p(-NEAR_SHARE) / (NEAR_RATIO_K - 1)))
    return np.asarray(np.log(distances[:, 0] / distances[:, NEAR_RATIO_K - 1]) < log_ratio)
