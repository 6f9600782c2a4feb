"""Models on two test sets: original and rebuilt, in and out of distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import InputError
from ibc_report.evaluation.scoring.predictions import Predictions
from ibc_report.evaluation.statistics.accuracy_line import FEWEST_MODELS, Line, Selection, accuracy_line, select
from ibc_report.evaluation.statistics.comparisons import TwoProportions, two_proportions
from ibc_report.evaluation.statistics.multiple_testing import holm

__all__ = ["AcrossSets", "OnTwoSets", "across", "between"]


@dataclass(frozen=True, slots=True)
class OnTwoSets:
    """One model on two test sets.

    Parameters
    ----------
    n, other_n : int
        Examples with an answer, on the first set and on the second.
    test : TwoProportions
        First accuracy less the second.
    holm_p : float
        p of the score test, corrected for all models by Holm's procedure.
    """

    model: str
    n: int
    accuracy: float
    other_n: int
    other_accuracy: float
    test: TwoProportions
    holm_p: float


@dataclass(frozen=True, slots=True, eq=False)
class AcrossSets:
    """The line of all models on two sets, and the examples of the second on which it breaks.

    Parameters
    ----------
    line : Line or None
        None with fewer than 30 of them, or where it is refused.
    refusal : str
        Why accuracies have no line although the models suffice; else empty.
    selection : Selection or None
        None without a line, or where single answers on the second set are not known.
    examples : tuple of str
        Those of the largest subset, the ones furthest off the line first.
    """

    shared: int
    line: Line | None = None
    refusal: str = ""
    selection: Selection | None = None
    examples: tuple[str, ...] = ()


def between(first: Predictions, second: Predictions, level: float) -> tuple[OnTwoSets, ...]:
    """Test each model's accuracy on one set against that on another; by accuracy on the first, the best first."""
    shared = [name for name in first.models if name in second.models]
    places = [(first.models.index(name), second.models.index(name)) for name in shared]
    compared = [
        two_proportions(float(first.correct[i]), int(first.n[i]), float(second.correct[j]), int(second.n[j]), level)
        for i, j in places
    ]
    corrected = holm([test.p for test in compared])
    found = [
        OnTwoSets(
            model=name,
            n=int(first.n[i]),
            accuracy=float(first.correct[i] / first.n[i]),
            other_n=int(second.n[j]),
            other_accuracy=float(second.correct[j] / second.n[j]),
            test=test,
            holm_p=p,
        )
        for name, (i, j), test, p in zip(shared, places, compared, corrected.tolist(), strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (-one.accuracy, one.model)))


def across(first: Predictions, second: Predictions, level: float, seed: int) -> AcrossSets:
    """Fit the line of all models on two sets, and select the examples of the second on which it breaks.

    Parameters
    ----------
    first, second : Predictions
        On the set that accuracy is read from, and on the one where it may not hold.
    """
    shared = [name for name in first.models if name in second.models]
    if len(shared) < FEWEST_MODELS:
        return AcrossSets(len(shared))
    i = np.array([first.models.index(name) for name in shared])
    j = np.array([second.models.index(name) for name in shared])
    accuracies, others = first.correct[i] / first.n[i], second.correct[j] / second.n[j]
    n, other_n = float(np.median(first.n[i])), float(np.median(second.n[j]))
    try:
        line = accuracy_line(accuracies, n, others, other_n, level)
    except InputError as error:
        return AcrossSets(len(shared), refusal=str(error))
    common = _answered_by_all(second, j)
    if second.right is None or not len(common):
        return AcrossSets(len(shared), line)
    selection = select(accuracies, n, second.right[np.ix_(j, common)], seed=seed, level=level)
    largest = selection.subsets[-1].size
    examples = tuple(second.examples[place] for place in common[selection.order[:largest]].tolist())
    return AcrossSets(len(shared), line, "", selection, examples)


def _answered_by_all(found: Predictions, models: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of the examples that all of these models answer; none where single answers are not known."""
    if found.answered is None:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(found.answered[models].all(axis=0))
