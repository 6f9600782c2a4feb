"""Answers on test sets to numbers: each model's accuracy, the tests between models, and what they can resolve."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ibc_report.complexity import Complexity
from ibc_report.evaluation.scoring.predictions import Predictions, RowCounts
from ibc_report.evaluation.scoring.two_test_sets import AcrossSets, OnTwoSets, across, between
from ibc_report.evaluation.statistics.comparisons import McNemar, TwoProportions, paired_interval, two_proportions
from ibc_report.evaluation.statistics.multiple_testing import Pairs, RankInterval, all_pairs
from ibc_report.evaluation.statistics.power import (
    POWER,
    corrected_level,
    pairs_of,
    smallest_paired,
    smallest_unpaired,
    typical_disagreement,
)
from ibc_report.evaluation.statistics.proportions import LEVEL, Interval, clopper_pearson, wilson
from ibc_report.evaluation.statistics.resolution import MODELS
from ibc_report.evaluation.statistics.skill import ErrorBits, error_bits, skill, skill_interval

__all__ = [
    "LISTED",
    "MajorityClass",
    "ModelScore",
    "PairScore",
    "ScoreResolution",
    "ScoredSet",
    "Scores",
    "TrainGap",
    "score",
]

LISTED = 30
"""Models whose pairs are listed; the tests of all pairs are made whatever is listed."""


@dataclass(frozen=True, slots=True)
class MajorityClass:
    """What always answering the most frequent class reaches; without arguments, of a task that has no classes.

    Parameters
    ----------
    accuracy : float or None
        On the test set; None where it is not known.
    name : str or None
        The class; None where only its accuracy is known.
    counted : {"report", "training", "test"} or None
        What it is most frequent in: the training split, as a report has scored it on this very test set; the training
        split; or the test examples themselves.
    split : str or None
        The training split's name, where it has one.
    tied : int
        Classes that are as frequent there as it is, itself among them; 0 where that is not known.
    """

    accuracy: float | None = None
    name: str | None = None
    counted: Literal["report", "training", "test"] | None = None
    split: str | None = None
    tied: int = 0


@dataclass(frozen=True, slots=True)
class ScoredSet:
    """A test set with answers on it.

    Parameters
    ----------
    revision : str or None
        What pins its content.
    majority : MajorityClass or None
        None where nothing but the name is known.
    """

    name: str
    revision: str | None
    split: str | None
    predictions: Predictions
    majority: MajorityClass | None


@dataclass(frozen=True, slots=True)
class TrainGap:
    """A model's accuracy on training examples less that on the test set, which `test` compares."""

    train_n: int
    train_accuracy: float
    test: TwoProportions


@dataclass(frozen=True, slots=True)
class ModelScore:
    """One model on the test set.

    Parameters
    ----------
    n : int
        Examples with an answer.
    correct : float
        Right answers; a published accuracy times n need not be whole.
    rank : RankInterval or None
        None for one model, or where no single answer is known.
    skill, skill_interval : float, Interval or None
        Over the majority class, whose accuracy is taken as known; None where it is not, or is 1.
    gap : TrainGap or None
        None without answers on training examples.
    bits : ErrorBits or None
        Of the task at the model's error; None where the task's numbers, or its chance error, are not known.
    """

    name: str
    n: int
    correct: float
    accuracy: float
    wilson: Interval
    clopper_pearson: Interval
    rank: RankInterval | None
    skill: float | None
    skill_interval: Interval | None
    gap: TrainGap | None
    bits: ErrorBits | None
    rows: RowCounts


@dataclass(frozen=True, slots=True)
class PairScore:
    """Two models on the examples that both answer.

    Parameters
    ----------
    first, second : str
        The first has more right.
    both, neither : int
        Examples that both have right, and neither; `test` counts those that one of them has.
    interval : Interval
        Of the difference of the accuracies: 0 lies outside exactly where the exact p is below 1 − level.
    holm_p : float
        Exact p, corrected for all pairs and both directions by Holm's procedure.
    false_discovery : float
        Exact p, corrected for all pairs by Benjamini and Hochberg.
    distinguishable : bool
        Whether Holm's p is at most 1 − level.
    """

    first: str
    second: str
    both: int
    neither: int
    interval: Interval
    test: McNemar
    holm_p: float
    false_discovery: float
    distinguishable: bool

    @property
    def n(self) -> int:
        """Examples that both answer."""
        return self.both + self.test.first_only + self.test.second_only + self.neither

    @property
    def difference(self) -> float:
        """First accuracy less the second; a share."""
        return (self.test.first_only - self.test.second_only) / self.n


@dataclass(frozen=True, slots=True)
class ScoreResolution:
    """Smallest differences of two accuracies that the test set shows with probability `power` at 1 − `level`.

    Parameters
    ----------
    n : int
        Examples: the median of the models.
    accuracy : float
        Of the better of the two: the median of the models.
    unpaired, paired : float or None
        On different examples and on the same; a share, None where no difference is found so often.
    disagreement : float
        Share of examples on which exactly one of two models is right.
    measured : bool
        Whether that is the mean over neighbours in accuracy, or assumed.
    models : int
        Models whose pairs the correction is for: those that there are, or ten, for an example, where they are fewer
        than three.
    unpaired_corrected, paired_corrected : float or None
        As `unpaired` and `paired`, where the p are corrected for all pairs of so many models.
    """

    n: int
    level: float
    power: float
    accuracy: float
    unpaired: float | None
    disagreement: float
    measured: bool
    paired: float | None
    models: int
    unpaired_corrected: float | None
    paired_corrected: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What scores on a test set tell, and the answers that they are of: there, on training examples, on another set.

    Parameters
    ----------
    level : float
        Of all intervals; 1 − level is the size of all tests.
    seed : int
        Of the halves of the line.
    models : tuple of ModelScore
        By accuracy, the best first.
    pairs : tuple of PairScore
        Pairs of the best 30 models, those of the best first.
    between : tuple of OnTwoSets
        Models on both test sets, by accuracy on the first.
    across : AcrossSets or None
        The line of accuracies; None without another test set.
    """

    test: ScoredSet
    train: Predictions | None
    against: ScoredSet | None
    level: float
    seed: int
    models: tuple[ModelScore, ...]
    pairs: tuple[PairScore, ...]
    between: tuple[OnTwoSets, ...]
    across: AcrossSets | None
    resolution: ScoreResolution


def score(
    test: ScoredSet,
    *,
    train: Predictions | None = None,
    against: ScoredSet | None = None,
    complexity: Complexity | None = None,
    level: float = LEVEL,
    seed: int = 0,
) -> Scores:
    """Compute what scores tell.

    Parameters
    ----------
    complexity : Complexity, optional
        The task's numbers, for the bits of errors.
    level : float
        Of all intervals; 1 − level is the size of all tests.
    seed : int
        Of the halves of the line.

    Raises
    ------
    InputError
        If the level is not between 0 and 1.
    """
    found = test.predictions
    several = found.right is not None and len(found.models) > 1
    pairs = all_pairs(found.right, found.answered, level) if several else None  # type: ignore[arg-type]
    ranks = pairs.ranks if pairs is not None else tuple(None for _ in found.models)
    models = [
        _model(test, index, rank, _gap(found, index, train, level), _bits(complexity, found, index, level), level)
        for index, rank in enumerate(ranks)
    ]
    order = sorted(range(len(models)), key=lambda index: (-models[index].accuracy, models[index].name))
    return Scores(
        test=test,
        train=train,
        against=against,
        level=level,
        seed=seed,
        models=tuple(models[index] for index in order),
        pairs=_pairs(found, pairs, order[:LISTED], level) if pairs is not None else (),
        between=between(found, against.predictions, level) if against is not None else (),
        across=across(found, against.predictions, level, seed) if against is not None else None,
        resolution=_resolution(found, pairs, order, level),
    )


def _model(
    test: ScoredSet, index: int, rank: RankInterval | None, gap: TrainGap | None, bits: ErrorBits | None, level: float
) -> ModelScore:
    found = test.predictions
    correct, n = float(found.correct[index]), float(found.n[index])
    around = wilson(correct, n, level)
    base = None if test.majority is None else test.majority.accuracy
    # nothing is left to gain over a class that is always right
    base = None if base is None or base >= 1 else base
    return ModelScore(
        name=found.models[index],
        n=int(n),
        correct=correct,
        accuracy=correct / n,
        wilson=around,
        clopper_pearson=clopper_pearson(correct, n, level),
        rank=rank,
        skill=None if base is None else skill(correct / n, base),
        skill_interval=None if base is None else skill_interval(around, base),
        gap=gap,
        bits=bits,
        rows=found.counts[index],
    )


def _gap(found: Predictions, index: int, train: Predictions | None, level: float) -> TrainGap | None:
    if train is None or found.models[index] not in train.models:
        return None
    other = train.models.index(found.models[index])
    compared = two_proportions(
        float(train.correct[other]), int(train.n[other]), float(found.correct[index]), int(found.n[index]), level
    )
    return TrainGap(int(train.n[other]), float(train.correct[other] / train.n[other]), compared)


def _bits(complexity: Complexity | None, found: Predictions, index: int, level: float) -> ErrorBits | None:
    if complexity is None or complexity.chance_error is None:
        return None
    return error_bits(complexity, float(found.correct[index]), float(found.n[index]), level)


def _pairs(found: Predictions, pairs: Pairs, listed: list[int], level: float) -> tuple[PairScore, ...]:
    place = {model: position for position, model in enumerate(listed)}
    scores = []
    for number, (i, j) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        if i not in place or j not in place or pairs.n[number] == 0:
            continue
        both, one, other, neither = (
            int(counts[number]) for counts in (pairs.both, pairs.first_only, pairs.second_only, pairs.neither)
        )
        if (one, place[j]) < (other, place[i]):
            i, j, one, other = j, i, other, one
        pair = PairScore(
            first=found.models[i],
            second=found.models[j],
            both=both,
            neither=neither,
            interval=paired_interval(both, one, other, neither, level),
            test=replace(pairs.tests[number], first_only=one, second_only=other),
            holm_p=float(pairs.holm[number]),
            false_discovery=float(pairs.false_discovery[number]),
            distinguishable=bool(pairs.holm[number] <= 1 - level),
        )
        scores.append((sorted((place[i], place[j])), pair))
    return tuple(pair for _, pair in sorted(scores, key=lambda entry: entry[0]))


def _resolution(found: Predictions, pairs: Pairs | None, order: list[int], level: float) -> ScoreResolution:
    n = int(np.median(found.n))
    accuracy = float(np.median(found.correct / found.n))
    measured = pairs.disagreement(order) if pairs is not None else None
    disagreement = measured if measured is not None else typical_disagreement(accuracy)
    models = len(found.models) if len(found.models) > 2 else MODELS
    strict = corrected_level(pairs_of(models), level)
    return ScoreResolution(
        n=n,
        level=level,
        power=POWER,
        accuracy=accuracy,
        unpaired=smallest_unpaired(accuracy, n, level, POWER),
        disagreement=disagreement,
        measured=measured is not None,
        paired=smallest_paired(disagreement, n, level, POWER),
        models=models,
        unpaired_corrected=smallest_unpaired(accuracy, n, strict, POWER),
        paired_corrected=smallest_paired(disagreement, n, strict, POWER),
    )
