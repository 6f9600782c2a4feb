"""Accuracy on the line between two test sets, and the examples on which it breaks.

Sources: Miller et al., *Accuracy on the Line* (ICML 2021, arXiv 2107.04649) for the line in probit scale; the selection
of examples by the correlation of correctness with it (OODSelect) is reported on models that had no part in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, sqrt, tanh

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.proportions import LEVEL, Interval, two_sided

__all__ = ["FEWEST_MODELS", "SHARES", "Correlation", "Line", "Selection", "Subset", "accuracy_line", "probit", "select"]

FEWEST_MODELS = 30
"""Models that are needed: half of them select, and fewer than 15 in the other half show nothing."""

SHARES = (0.05, 0.1, 0.2, 0.4)
"""Shares of the examples that are selected."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's correlation over models, with an interval on Fisher's scale.

    Parameters
    ----------
    interval : Interval
        Of r. It takes models for independent, which those of one family are not. 0 lies outside exactly where the t
        test of no correlation is below 1 − level; of subsets, at a level that holds for all of them at once.
    """

    models: int
    r: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Line:
    """Least-squares line of the probit of the accuracy on one set against that on another."""

    slope: float
    intercept: float
    correlation: Correlation


@dataclass(frozen=True, slots=True)
class Subset:
    """Examples that were selected, and what they do.

    Parameters
    ----------
    selected : Correlation or None
        On the models that selected them, which overstates; None where it is undefined, their accuracy being constant.
    held_out : Correlation or None
        On the other models.
    """

    size: int
    selected: Correlation | None
    held_out: Correlation | None


@dataclass(frozen=True, slots=True)
class Selection:
    """Examples ranked by how far correctness goes against the line.

    Parameters
    ----------
    order : ndarray of int64, shape (examples,)
        Examples, the one with the lowest correlation first.
    selecting, reporting : ndarray of int64
        Models of the two halves.
    everything : Correlation or None
        All examples, on the reporting half.
    subsets : tuple of Subset
        The first of `order`, by size.
    """

    order: NDArray[np.int64]
    selecting: NDArray[np.int64]
    reporting: NDArray[np.int64]
    everything: Correlation | None
    subsets: tuple[Subset, ...]


def probit(accuracy: NDArray[np.float64], n: float) -> NDArray[np.float64]:
    """Quantile of the standard normal at an accuracy, kept half an answer away from 0 and 1.

    Parameters
    ----------
    accuracy : ndarray of float64
        Shares of correct answers.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> probit(np.array([0.5, 1.0]), 100).round(3).tolist()
    [0.0, 2.576]
    """
    nearest = 0.5 / n
    return np.asarray(ndtri(np.clip(accuracy, nearest, 1 - nearest)), dtype=np.float64)


def accuracy_line(
    first: NDArray[np.float64], first_n: float, second: NDArray[np.float64], second_n: float, level: float = LEVEL
) -> Line:
    """Fit the line of many models' accuracies on two test sets.

    Parameters
    ----------
    first, second : ndarray of float64, shape (models,)
        Accuracies on the two sets: the second is fitted by the first.
    first_n, second_n : float
        Examples of the two.

    Raises
    ------
    InputError
        If there are fewer than 30 models, or all have the same accuracy on a set.

    Examples
    --------
    >>> accuracy = np.linspace(0.5, 0.9, 30)
    >>> line = accuracy_line(accuracy, 1000, accuracy, 1000)
    >>> round(line.slope, 6), round(line.correlation.r, 6)
    (1.0, 1.0)
    """
    _enough(len(first))
    x, y = probit(first, first_n), probit(second, second_n)
    found = _correlation(x, y, level)
    if found is None:
        raise InputError("all models have the same accuracy on one of the sets: there is no line")
    slope = found.r * float(np.std(y) / np.std(x))
    return Line(slope, float(y.mean() - slope * x.mean()), found)


def select(
    reference: NDArray[np.float64],
    reference_n: float,
    correct: NDArray[np.bool_],
    *,
    shares: tuple[float, ...] = SHARES,
    seed: int = 0,
    level: float = LEVEL,
) -> Selection:
    """Find the examples on which better models do worse, on half of the models, and look at them on the other half.

    Models are sorted by their reference accuracy, and of each two neighbours one goes into either half by a seeded
    coin, so that both halves span the same range.

    Parameters
    ----------
    reference : ndarray of float64, shape (models,)
        Accuracy of each model on the reference set.
    reference_n : float
        Examples of that set.
    correct : ndarray of bool, shape (models, examples)
        Correctness on the other set.
    shares : tuple of float
        Shares of the examples to select.

    Raises
    ------
    InputError
        If there are fewer than 30 models, no example, or a share outside its domain.

    Examples
    --------
    >>> skill = np.linspace(-1, 1, 40)
    >>> ease = np.linspace(-1, 1, 50)
    >>> correct = skill[:, None] > ease
    >>> correct[:, :10] = ~correct[:, :10]
    >>> found = select((skill + 1.5) / 3, 1000, correct, shares=(0.2,))
    >>> found.subsets[0].held_out.r < 0 < found.everything.r
    True
    """
    models, examples = correct.shape
    _enough(models)
    if examples == 0:
        raise InputError("there are no examples to select from")
    if not all(0 < share < 1 for share in shares):
        raise InputError(f"shares {shares} have to be between 0 and 1")
    x = probit(reference, reference_n)
    selecting, reporting = _halves(x, seed)
    order = np.argsort(_by_example(x[selecting], correct[selecting]), kind="stable")

    def look(half: NDArray[np.int64], chosen: NDArray[np.int64], covered: float) -> Correlation | None:
        accuracy = correct[np.ix_(half, chosen)].mean(axis=1)
        return _correlation(x[half], probit(accuracy, len(chosen)), covered)

    sizes = sorted({max(1, round(share * examples)) for share in shares})
    # of several subsets, one with no line must not be found more often than of one
    each = 1 - (1 - level) / len(sizes)
    subsets = tuple(
        Subset(size, look(selecting, order[:size], each), look(reporting, order[:size], each)) for size in sizes
    )
    return Selection(order, selecting, reporting, look(reporting, order, level), subsets)


def _halves(x: NDArray[np.float64], seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    ranked = np.argsort(x, kind="stable")
    coins = np.random.default_rng(seed).integers(0, 2, size=(len(x) + 1) // 2)
    mine = np.zeros(len(x), dtype=bool)
    place = np.arange(len(x))
    mine[ranked] = (place % 2) == coins[place // 2]
    return np.flatnonzero(mine), np.flatnonzero(~mine)


def _by_example(x: NDArray[np.float64], correct: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Correlation of each example's correctness with x over models; 0 where all models agree."""
    right = correct.astype(np.float64)
    share = right.mean(axis=0)
    centred = x - x.mean()
    scale = np.sqrt(np.sum(centred**2) * len(x) * share * (1 - share))
    along = centred @ right
    correlations = np.zeros(len(along))
    np.divide(along, scale, out=correlations, where=scale > 0)
    return correlations


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64], level: float) -> Correlation | None:
    # a constant has no correlation, and its computed deviation need not be quite 0
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    a, b = x - x.mean(), y - y.mean()
    r = float(np.clip(a @ b / sqrt(float(a @ a) * float(b @ b)), -1, 1))
    if abs(r) == 1:
        return Correlation(len(x), r, Interval(r, r))
    two_sided(level)
    t = float(stdtrit(len(x) - 2, (1 + level) / 2))
    # Fisher's z, as wide as makes 0 an end where the t test of no correlation is at its level
    half = atanh(t / sqrt(t * t + len(x) - 2))
    return Correlation(len(x), r, Interval(tanh(atanh(r) - half), tanh(atanh(r) + half)))


def _enough(models: int) -> None:
    if models < FEWEST_MODELS:
        raise InputError(f"{models} models are too few for a line; it takes {FEWEST_MODELS}")
