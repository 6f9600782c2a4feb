"""Measured learning curves of two simple predictors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import sampling
from ibc_report.data.encoders import Progress, silent
from ibc_report.evaluation.audit.linear_probe import MOST_ROWS, Features, fit_probe
from ibc_report.evaluation.statistics.power_law import PowerLaw, fit_power_law
from ibc_report.geometry import DEFAULT_MEMORY, Neighbors, Points, search
from ibc_report.geometry.neighbors.search import merge, picked

__all__ = [
    "SEEDS",
    "SIZES",
    "KnownNeighbors",
    "LabelledPoints",
    "LearningCurve",
    "curve_sizes",
    "learning_curves",
    "nearest_in_samples",
]

SIZES = 6

SEEDS = 3

SPAN = 32
"""Largest size over smallest: five halvings."""

LEAST_PER_CLASS = 2
"""Rows for each class, on average, at the smallest size."""

LEAST_ROWS = 10

MOST_ASKED = 5_000
"""Test rows that the error of a point is measured on."""

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPoints:
    """A split as points, and the class of each: int64 codes of shape (points,)."""

    points: Points
    codes: _Ints


@dataclass(frozen=True, slots=True, eq=False)
class KnownNeighbors:
    """Training rows next to test rows.

    Parameters
    ----------
    asked : ndarray of int64, shape (q,)
        Where in the test split those stand that were asked, ascending: the first by a hash of (seed, row).
    positions : ndarray of int64, shape (q, k)
        Where in the training split their neighbours stand, the nearest first.
    """

    asked: _Ints
    positions: _Ints


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Error of a predictor against the number of training rows.

    Parameters
    ----------
    key : str
        nearest or linear.
    sizes : tuple of int
        Training rows, ascending.
    errors : tuple of tuple of float
        For each size, the share of wrong answers under each seed; one where the size takes all rows.
    law : PowerLaw or None
        Fitted to the means; None where too few sizes have an error.
    """

    key: str
    sizes: tuple[int, ...]
    errors: tuple[tuple[float, ...], ...]
    n: int
    law: PowerLaw | None

    @property
    def means(self) -> tuple[float, ...]:
        """Mean error at each size."""
        return tuple(sum(errors) / len(errors) for errors in self.errors)


def curve_sizes(n: int, classes: int) -> tuple[int, ...]:
    """Sizes of the samples of a training split, evenly spaced in the logarithm.

    Returns
    -------
    tuple of int
        Six, up to all rows or the 10,000 that a probe takes; none where the rows are too few to be halved even once.

    Examples
    --------
    >>> curve_sizes(60_000, 10), curve_sizes(105, 3), curve_sizes(15, 3)
    ((312, 625, 1250, 2500, 5000, 10000), (10, 16, 26, 41, 66, 105), ())
    """
    most = min(n, MOST_ROWS)
    least = max(most / SPAN, LEAST_PER_CLASS * classes, LEAST_ROWS)
    if most < 2 * least:
        return ()
    return tuple(round(float(size)) for size in np.geomspace(least, most, SIZES))


def learning_curves(
    train: LabelledPoints,
    test: LabelledPoints,
    features: Features,
    near: KnownNeighbors,
    *,
    seed: int,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = silent,
) -> tuple[LearningCurve, ...]:
    """Measure the error of 1-NN and of a linear probe on nested samples of a training split.

    Parameters
    ----------
    near : KnownNeighbors
        Of all test rows, or of at least 5,000 by the same seed.
    seed : int
        Of the samples, which are by a hash of (seed, row): a smaller one is part of a larger one.
    memory : int
        Bytes that a search may take.

    Returns
    -------
    tuple of LearningCurve
        Empty where the training rows are too few.
    """
    points, codes = train.points, train.codes
    sizes = curve_sizes(len(points), len(np.unique(codes)))
    if not sizes:
        return ()
    asked = np.searchsorted(test.points.rows, sampling.chosen(test.points.rows, MOST_ASKED, seed))
    queries, answers = test.points.take(asked), test.codes[asked]
    known = near.positions[np.searchsorted(near.asked, asked)]
    seen = features.of(test.points, asked)
    nearest: list[list[float]] = [[] for _ in sizes]
    linear: list[list[float]] = [[] for _ in sizes]
    for number in range(SEEDS):
        order = np.argsort(sampling.ranks(points.rows, seed + number), kind="stable")[: sizes[-1]]
        whole = len(order) == len(points)
        learned = features.of(points, order)
        # all rows are the same sample under every seed
        taken = [size for size in sizes if number == 0 or not whole or size < len(points)]
        samples = nearest_in_samples(points, queries, known, order, taken, memory=memory)
        for place, (size, found) in enumerate(zip(taken, samples, strict=True)):
            nearest[place].append(_wrong(codes[found], answers))
            probe = fit_probe(learned[:size], codes[order[:size]], standardise=features.standardise)
            linear[place].append(_wrong(probe.predict(seen), answers))
            progress((number + (place + 1) / len(sizes)) / SEEDS)
    return _curve("nearest", sizes, nearest, len(asked)), _curve("linear", sizes, linear, len(asked))


def nearest_in_samples(
    points: Points, queries: Points, near: _Ints, order: _Ints, sizes: Sequence[int], *, memory: int
) -> Iterator[_Ints]:
    """Yield the position of each query's nearest point among the first of an order, for growing numbers of them.

    It is read from the known neighbours where one of them is among these; the other queries alone are searched.

    Parameters
    ----------
    near : ndarray of int64, shape (q, k)
        Positions of each query's neighbours among all points, the nearest first.
    order : ndarray of int64
        Positions, of which the first make the samples.
    sizes : sequence of int
        Of the samples, ascending.

    Examples
    --------
    >>> line = Points(np.array([[0.0], [1.0], [3.0], [6.0]]), 1.0, np.arange(4))
    >>> middle = Points(np.array([[2.5]]), 1.0, np.array([0]))
    >>> known, order = np.array([[2]]), np.array([3, 0, 2, 1])
    >>> [found.tolist() for found in nearest_in_samples(line, middle, known, order, [1, 2, 3], memory=2**30)]
    [[3], [0], [2]]
    """
    places = np.full(len(points), len(points))
    places[order] = np.arange(len(order))
    places = places[near]
    joined: Neighbors | None = None
    start, before = 0, np.arange(len(near))
    for size in sizes:
        inside = places < size
        found = near[np.arange(len(near)), inside.argmax(axis=1)]
        # with the sample grows what is known, so that these are among those of the sample before
        unknown = np.flatnonzero(~inside.any(axis=1))
        if len(unknown):
            added = search(points.take(np.sort(order[start:size])), queries.take(unknown), k=1, memory=memory)
            joined = added if joined is None else merge(picked(joined, np.searchsorted(before, unknown)), added)
            found[unknown] = np.searchsorted(points.rows, joined.rows[:, 0])
            start, before = size, unknown
        yield found


def _curve(key: str, sizes: tuple[int, ...], errors: list[list[float]], n: int) -> LearningCurve:
    law = fit_power_law(sizes, [sum(one) / len(one) for one in errors])
    return LearningCurve(key, sizes, tuple(tuple(one) for one in errors), n, law)


def _wrong(predicted: _Ints, truth: _Ints) -> float:
    return float(np.count_nonzero(predicted != truth)) / len(truth)
