"""Measured learning curves of two simple predictors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import sampling
from ibc_report.data.encoders import Progress, silent
from ibc_report.evaluation.audit.linear_probe import MOST_ROWS, Features, fit_probe
from ibc_report.evaluation.statistics.power_law import PowerLaw, fit_power_law
from ibc_report.geometry import DEFAULT_MEMORY, Neighbors, Points, search
from ibc_report.geometry.neighbors.search import merge

__all__ = ["SEEDS", "SIZES", "LabelledPoints", "LearningCurve", "curve_sizes", "learning_curves"]

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
    *,
    seed: int,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = silent,
) -> tuple[LearningCurve, ...]:
    """Measure the error of 1-NN and of a linear probe on nested samples of a training split.

    Parameters
    ----------
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
    seen = features.of(test.points, asked)
    nearest: list[list[float]] = [[] for _ in sizes]
    linear: list[list[float]] = [[] for _ in sizes]
    for number in range(SEEDS):
        order = np.argsort(sampling.ranks(points.rows, seed + number), kind="stable")[: sizes[-1]]
        whole = len(order) == len(points)
        learned = features.of(points, order)
        joined: Neighbors | None = None
        start = 0
        for place, size in enumerate(sizes):
            # all rows are the same sample under every seed
            if size == len(points) and whole and number > 0:
                continue
            added = search(points.take(np.sort(order[start:size])), queries, k=1, memory=memory)
            joined = added if joined is None else merge(joined, added)
            start = size
            found = codes[np.searchsorted(points.rows, joined.rows[:, 0])]
            nearest[place].append(_wrong(found, answers))
            probe = fit_probe(learned[:size], codes[order[:size]], standardise=features.standardise)
            linear[place].append(_wrong(probe.predict(seen), answers))
            progress((number + (place + 1) / len(sizes)) / SEEDS)
    return _curve("nearest", sizes, nearest, len(asked)), _curve("linear", sizes, linear, len(asked))


def _curve(key: str, sizes: tuple[int, ...], errors: list[list[float]], n: int) -> LearningCurve:
    law = fit_power_law(sizes, [sum(one) / len(one) for one in errors])
    return LearningCurve(key, sizes, tuple(tuple(one) for one in errors), n, law)


def _wrong(predicted: _Ints, truth: _Ints) -> float:
    return float(np.count_nonzero(predicted != truth)) / len(truth)
