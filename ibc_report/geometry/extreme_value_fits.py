"""How distances end: the law of the margin and of the radius, fitted to the order statistics next to them.

With r₁ ≤ r₂ ≤ … the smallest distances of pairs of different classes, the scaled spacings
Z_i = i·ln(r_{i+1} / r_i) are exponential with mean i^ξ / κ: ξ = 0 where the distances go down to 0 by a power κ
(classes that touch or overlap), ξ > 0 where they end at a gap (classes on disjoint manifolds). That is the exponential
regression model of Beirlant, Dierckx, Goegebeur, Matthys (1999, DOI 10.1023/A:1009975020370) at the lower end, and with
ξ = 0 the estimator of Hill (1975, DOI 10.1214/aos/1176343247). Given ξ, κ has a gamma distribution.

Which ξ can occur follows from the dimension m: pairs of points of two parallel sheets, or of two that come closest at
one point, lie beyond the gap by a power m/2, m or 2m; so ξ = 2/m, 1/m or 1/(2m). The five ways (two of them with ξ = 0,
of which one has m as its prior) are weighted by their probability given the spacings.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ibc_report.complexity.extreme_values import Law, TailTerm

__all__ = ["OBSERVATIONS", "PRIOR_WEIGHT", "law_of", "margin_law", "pair_distances", "radius_law"]

OBSERVATIONS = 80
"""Spacings that are used, at most: further ones would no longer see the end. At least half of the values stay out."""

PRIOR_WEIGHT = 20.0
"""Spacings that the prior κ = m counts as, where the classes fill one manifold."""

PRIOR_ODDS = 3.0
"""Odds of that way against each of the others, before the spacings are seen."""

MOST_OF_ONE_ROW = 8
"""Pairs next to the end, of `OBSERVATIONS` and one, that one row may be in; with more they all move with that row."""

LARGEST = 1e6
"""The exponents of the other ways lie between the prior's and this many times it, evenly in the logarithm."""

FEWEST = 3
"""Fewer spacings than this leave the exponent to the prior alone."""


def pair_distances(
    rows: NDArray[np.int64], other_rows: NDArray[np.int64], distances: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Distances to the nearest point of another class, each unordered pair once.

    Both ends of a close pair have it as their nearest, so that it would be counted twice. Where one row is nearest to
    many, as the tip of a class that reaches into another, their distances are hardly more than one observation; only
    pairs that share no row are then given, of those that do the closest.

    Parameters
    ----------
    rows : ndarray of int64, shape (q,)
        Row numbers of the queries.
    other_rows : ndarray of int64, shape (q,)
        `Neighbors.other_row`; −1 where there is none.
    distances : ndarray of float64, shape (q,)
        `Neighbors.other_distance`.

    Returns
    -------
    ndarray of float64, shape (≤ q,)
        Ascending, finite and above 0.

    Examples
    --------
    >>> pair_distances(np.array([0, 1, 2]), np.array([1, 0, 1]), np.array([0.5, 0.5, 0.7]))
    array([0.5, 0.7])

    Row 0 is nearest to nine others:

    >>> pair_distances(np.arange(1, 11), np.array([0] * 9 + [1]), np.linspace(0.5, 1.4, 10))
    array([0.5])
    """
    usable = (other_rows >= 0) & np.isfinite(distances) & (distances > 0)
    ends = np.sort(np.column_stack([rows[usable], other_rows[usable]]), axis=1)
    ends, first = np.unique(ends, axis=0, return_index=True)
    found = distances[usable][first]
    ascending = np.argsort(found, kind="stable")
    ends, found = ends[ascending], found[ascending]
    _, counts = np.unique(ends[: OBSERVATIONS + 1], return_counts=True)
    return found[_sharing_no_row(ends)] if counts.max(initial=0) > MOST_OF_ONE_ROW else found


def _sharing_no_row(pairs: NDArray[np.int64]) -> list[int]:
    """Places of the pairs of which neither row is in one that was taken before."""
    taken: set[int] = set()
    places = []
    for place, pair in enumerate(pairs.tolist()):
        if taken.isdisjoint(pair):
            taken.update(pair)
            places.append(place)
    return places


def margin_law(distances: NDArray[np.float64], dimension: float) -> Law:
    """Fit the law of the margin.

    The law is that of the smallest distance. Without enough distances it is the prior: κ about m.

    Parameters
    ----------
    distances : ndarray of float64, shape (p,)
        Of `pair_distances`: ascending and above 0.
    dimension : float
        Intrinsic dimension m: the prior of κ; below 1 it is taken as 1.

    Examples
    --------
    Distances of a power law with κ = 6:

    >>> found = margin_law((np.arange(1, 401) / 400) ** (1 / 6), dimension=6)
    >>> round(found.exponent), found.observations
    (6, 80)
    """
    m = max(dimension, 1.0)
    return law_of(distances, prior=m, curvatures=(0.0, 0.5 / m, 1 / m, 2 / m))


def radius_law(norms: NDArray[np.float64]) -> Law | None:
    """Fit the law of the radius, the largest norm: that of the smallest of the reciprocals.

    ln R less its expectation is the law's noise with its sign turned. None where all of the largest norms are equal, or
    fewer than three can be used: there is no noise to speak of, or none that can be seen.

    Parameters
    ----------
    norms : ndarray of float64, shape (n,)
        In any order.

    Examples
    --------
    >>> radius_law(np.ones(100)) is None
    True
    >>> round(radius_law(np.arange(1, 1001) ** (-1 / 30.0)).exponent)
    31
    """
    ascending = np.sort(1 / norms[norms > 0])
    count = _observations(len(ascending))
    if count < FEWEST or ascending[count] <= ascending[0] * (1 + 1e-9):
        return None
    return law_of(ascending, prior=None, curvatures=(0.0, 0.5, 1.0))


def law_of(values: NDArray[np.float64], *, prior: float | None, curvatures: tuple[float, ...]) -> Law:
    """Fit the law of the smallest of some values.

    Parameters
    ----------
    values : ndarray of float64, shape (p,)
        Ascending, above 0.
    prior : float or None
        Exponent that is expected at curvature 0; None for no expectation.
    curvatures : tuple of float
        The ξ that can occur.

    Raises
    ------
    ValueError
        If there is neither a prior nor at least `FEWEST` spacings.
    """
    count = _observations(len(values))
    if count < FEWEST:
        if prior is None:
            raise ValueError(f"{len(values)} values are too few for a law without a prior")
        return Law((TailTerm(1.0, prior, PRIOR_WEIGHT, 0.0),), 0)
    order = np.arange(1, count + 1)
    spacings = order * np.diff(np.log(values[: count + 1]))
    shapes, rates, evidence, xis = [], [], [], []
    if prior is not None:
        shape, rate = count + PRIOR_WEIGHT, float(spacings.sum()) + PRIOR_WEIGHT / prior
        shapes.append(shape)
        rates.append(rate)
        xis.append(0.0)
        evidence.append(
            log(PRIOR_ODDS)
            + float(gammaln(shape) - gammaln(PRIOR_WEIGHT))
            + PRIOR_WEIGHT * log(PRIOR_WEIGHT / prior)
            - shape * log(rate)
        )
    for xi in curvatures:
        # values that all tie have no spacing; the least one keeps the exponent finite
        rate = max(float((spacings * order**-xi).sum()), count / (LARGEST * (prior or 1.0)))
        shapes.append(float(count))
        rates.append(rate)
        xis.append(xi)
        evidence.append(float(gammaln(count)) - count * log(rate) - xi * float(np.log(order).sum()) - log(log(LARGEST)))
    weights = np.exp(np.array(evidence) - max(evidence))
    weights /= weights.sum()
    return Law(
        tuple(
            TailTerm(float(weight), shape / rate, shape, xi)
            for weight, shape, rate, xi in zip(weights, shapes, rates, xis, strict=True)
            if weight > 1e-6
        ),
        count,
    )


def _observations(values: int) -> int:
    """Spacings next to the end that are used of so many values."""
    return min(OBSERVATIONS, values // 2)
