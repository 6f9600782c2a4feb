"""The margin by extrapolation from sampled pairs: by name only, where the pairs themselves are too many.

The largest of the reciprocal distances are fitted by a generalised Pareto law whose shape γ and scale are the moment
estimators of Dekkers, Einmahl, de Haan (1989, DOI 10.1214/aos/1176347397), and the law is followed to the level of one
pair among all. On data whose exact margin is known it misses by a tenth or more, which is decades of bits: an exact
margin, or the closest pair that was seen, is better wherever it can be had.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import DataError
from ibc_report.geometry.neighbors.distances import PairDistances
from ibc_report.geometry.neighbors.points import Points

__all__ = ["Extrapolation", "different_pairs", "extrapolated_margin", "pareto_minimum"]

PAIRS = 1_000_000
"""Pairs that are sampled for each seed, of which those of one class are of no use."""

SHARE = 2e-3
"""Share of the sampled pairs that the law is fitted to: 2,000 of a million."""

FEWEST = 20
"""No law is fitted to fewer."""

SEEDS = 8

BLOCK = 2**16
"""Pairs whose distances are computed at a time."""


@dataclass(frozen=True, slots=True)
class Extrapolation:
    """An extrapolated margin.

    Parameters
    ----------
    distance : float
        Median over the seeds, in the units of the features.
    lower, upper : float
        Smallest and largest over the seeds.
    closest : float
        Smallest distance among all sampled pairs: the margin is at most this.
    shape : float
        Median γ; 1/κ for distances that go down to 0 by a power κ.
    sampled : int
        Sampled pairs of different classes, a seed.
    pairs : int
        Unordered pairs of different classes that there are.
    """

    distance: float
    lower: float
    upper: float
    closest: float
    shape: float
    sampled: int
    pairs: int
    seeds: int


def different_pairs(labels: NDArray[np.int64]) -> int:
    """Count the unordered pairs of different classes, however unequal the classes are.

    Examples
    --------
    >>> different_pairs(np.array([0, 0, 1, 2]))
    5
    """
    counts = np.unique(labels, return_counts=True)[1].tolist()
    return (len(labels) ** 2 - sum(int(count) ** 2 for count in counts)) // 2


def pareto_minimum(smallest: NDArray[np.float64], sampled: int, pairs: int) -> tuple[float, float]:
    """Follow the law of the smallest distances of a sample to the smallest of all.

    Parameters
    ----------
    smallest : ndarray of float64, shape (k + 1,), k ≥ 1
        The smallest distances of the sample, ascending and above 0.
    sampled : int
        Pairs in the sample.
    pairs : int
        Pairs in all.

    Returns
    -------
    distance, shape : float
        The distance that one pair in all is expected to fall below, and γ. With distances that all tie there is no law
        to follow: the distance itself, and 0.

    Examples
    --------
    A power law with κ = 10, of which a hundredth was sampled:

    >>> seen = (np.arange(1, 2002) / 1e6) ** (1 / 10)
    >>> round(pareto_minimum(seen, 10**6, 10**8)[0], 2), round(1e-8 ** (1 / 10), 2)
    (0.16, 0.16)
    """
    threshold = float(smallest[-1])
    logs = np.log(threshold / smallest[:-1])
    first, second = float(logs.mean()), float((logs**2).mean())
    # equal spacings but for the threshold's leave nothing to tell a shape by
    if second <= 0 or first**2 >= second * (1 - 1e-12):
        return float(smallest[0]), 0.0
    negative = 1 - 0.5 / (1 - first**2 / second)
    shape = first + negative
    scale = first * (1 - min(0.0, shape)) / threshold
    reach = log(len(logs) * pairs / sampled)
    growth = reach if abs(shape * reach) < 1e-9 else expm1(shape * reach) / shape
    largest = 1 / threshold + scale * growth
    return 1 / largest, shape


def extrapolated_margin(points: Points, *, seed: int, sampled: int = PAIRS, seeds: int = SEEDS) -> Extrapolation:
    """Extrapolate the margin from pairs that are drawn at random.

    Parameters
    ----------
    seed : int
        Of the first sample; the others follow from it.
    sampled : int
        Pairs that are drawn for each.

    Raises
    ------
    ValueError
        If there are no labels.
    DataError
        If there is one class only, or too few of the drawn pairs are of different classes and apart.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(500, 3))
    >>> points = Points(rows, 1.0, np.arange(500), np.arange(500) % 2)
    >>> found = extrapolated_margin(points, seed=0, sampled=50_000)
    >>> found.pairs, found.lower <= found.distance <= found.upper
    (62500, True)
    """
    if points.labels is None:
        raise ValueError("a margin needs labels")
    pairs = different_pairs(points.labels)
    if pairs == 0:
        raise DataError("there is one class only, so there is no margin to extrapolate; choose another target")
    drawn = [_drawn(points, sampled, generator) for generator in np.random.default_rng(seed).spawn(seeds)]
    fits = []
    for distances, useful in drawn:
        if len(distances) <= FEWEST:
            raise DataError(
                f"of {sampled} drawn pairs {len(distances)} at most are of different classes and apart; draw more, or "
                "take the exact margin"
            )
        fits.append(pareto_minimum(distances, useful, max(pairs, useful)))
    found = [fit[0] for fit in fits]
    return Extrapolation(
        distance=float(np.median(found)),
        lower=min(found),
        upper=max(found),
        closest=min(float(distances[0]) for distances, _ in drawn),
        shape=float(np.median([fit[1] for fit in fits])),
        sampled=int(np.median([useful for _, useful in drawn])),
        pairs=pairs,
        seeds=seeds,
    )


def _drawn(points: Points, sampled: int, generator: np.random.Generator) -> tuple[NDArray[np.float64], int]:
    """The smallest distances of drawn pairs of different classes, and how many such pairs there were."""
    assert points.labels is not None
    measure = PairDistances.between(points, points)
    keep = max(FEWEST, round(SHARE * sampled)) + 1
    smallest = np.empty(0)
    useful = 0
    for start in range(0, sampled, BLOCK):
        ends = generator.integers(0, len(points), size=(2, min(BLOCK, sampled - start)))
        ends = ends[:, points.labels[ends[0]] != points.labels[ends[1]]]
        distances = measure(ends[0], ends[1])
        distances = distances[distances > 0]
        useful += len(distances)
        smallest = np.sort(np.concatenate([smallest, distances]))[:keep]
    return smallest, useful
