"""Scores as numbers: what is computed of answers, before any of it is worded."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from ibc_report.complexity import evaluate
from ibc_report.evaluation.scoring.answers import Score
from ibc_report.evaluation.scoring.matching import MatchedBy
from ibc_report.evaluation.scoring.predictions import Predictions, RowCounts, of_scores
from ibc_report.evaluation.scoring.score import MajorityClass, ScoredSet, Scores, score
from ibc_report.evaluation.statistics.comparisons import mcnemar, paired_interval, two_proportions
from ibc_report.evaluation.statistics.proportions import clopper_pearson, wilson
from ibc_report.evaluation.statistics.skill import error_bits, skill, skill_interval
from tests.support.samples import image_task

N = 200


def answered(**firsts: range) -> Predictions:
    """Models that have these examples right, of 200."""
    right = np.array([[place in own for place in range(N)] for own in firsts.values()])
    return Predictions(
        models=tuple(firsts),
        correct=right.sum(axis=1).astype(float),
        n=np.full(len(right), float(N)),
        right=right,
        answered=np.ones_like(right),
        examples=tuple(map(str, range(N))),
        counts=tuple(RowCounts(given=N) for _ in firsts),
        matched_by=(MatchedBy("order"),),
    )


def scored(predictions: Predictions, majority: MajorityClass | None = None) -> ScoredSet:
    """A test set with these answers on it."""
    return ScoredSet("here", None, None, predictions, majority)


TEST = answered(bad=range(100), good=range(180), fair=range(20, 180))


@pytest.fixture(scope="module")
def scores() -> Scores:
    """What the scores of three models tell."""
    train, other = answered(good=range(190)), answered(good=range(150), fair=range(N))
    task = evaluate("classification", image_task("mnist"))
    base = MajorityClass(0.25, "cat", "test")
    return score(scored(TEST, base), train=train, against=scored(other), complexity=task, level=0.9)


def test_models_go_by_accuracy_with_the_values_of_the_formulas(scores: Scores) -> None:
    """Each model has its interval of either kind and its skill, the best model first."""
    assert [(one.name, one.correct, one.accuracy) for one in scores.models] == [
        ("good", 180, 0.9),
        ("fair", 160, 0.8),
        ("bad", 100, 0.5),
    ]
    for one in scores.models:
        assert one.wilson == wilson(one.correct, N, 0.9)
        assert one.clopper_pearson == clopper_pearson(one.correct, N, 0.9)
        assert one.skill == skill(one.accuracy, 0.25)
        assert one.skill_interval == skill_interval(one.wilson, 0.25)
        assert one.bits == error_bits(evaluate("classification", image_task("mnist")), one.correct, N, 0.9)


@pytest.mark.parametrize("majority", [None, MajorityClass(), MajorityClass(None, "cat", "training"), MajorityClass(1)])
def test_without_a_majority_to_beat_there_is_no_skill(majority: MajorityClass | None) -> None:
    """A class of unknown accuracy, or one that is always right, leaves nothing to gain."""
    found = score(scored(TEST, majority)).models[0]
    assert (found.skill, found.skill_interval, found.gap, found.bits) == (None, None, None, None)


def test_pairs_count_who_is_right_alone(scores: Scores) -> None:
    """The better model is the first of a pair, whatever the order of the files, and its tests are of its counts."""
    assert [(one.first, one.second) for one in scores.pairs] == [("good", "fair"), ("good", "bad"), ("fair", "bad")]
    first, _, last = scores.pairs
    assert (first.both, first.test.first_only, first.test.second_only, first.neither, first.n) == (160, 20, 0, 20, N)
    assert (last.both, last.test.first_only, last.test.second_only, last.neither) == (80, 80, 20, 20)
    for pair in scores.pairs:
        one, other = pair.test.first_only, pair.test.second_only
        assert pair.test == mcnemar(one, other)
        assert pair.interval == paired_interval(pair.both, one, other, pair.neither, 0.9)
        assert pair.difference == pytest.approx((one - other) / N)
        assert pair.distinguishable == (pair.holm_p <= 0.1)
        assert pair.false_discovery <= pair.holm_p


def test_gaps_and_differences_are_of_different_examples(scores: Scores) -> None:
    """Train less test, and the first set less the second, for the models that have answers on both."""
    good, fair, _ = scores.models
    assert fair.gap is None
    assert good.gap is not None
    assert (good.gap.train_n, good.gap.train_accuracy) == (N, 0.95)
    assert good.gap.test == two_proportions(190, N, 180, N, 0.9)
    assert [(one.model, one.test) for one in scores.between] == [
        ("good", two_proportions(180, N, 150, N, 0.9)),
        ("fair", two_proportions(160, N, N, N, 0.9)),
    ]
    assert scores.across is not None
    assert (scores.across.shared, scores.across.line) == (2, None)


def test_resolution_measures_how_often_neighbours_disagree(scores: Scores) -> None:
    """With single answers the disagreement is that of neighbours in rank; without, it is assumed from the accuracy."""
    found = scores.resolution
    assert found.measured
    assert found.disagreement == pytest.approx((20 / N + 100 / N) / 2)
    assert (found.n, found.accuracy, found.level) == (N, 0.8, 0.9)
    alone = score(scored(of_scores([Score("m", 0.8, N)])))
    assert not alone.resolution.measured
    assert alone.resolution.disagreement == pytest.approx(0.8 * 0.2)
    assert alone.models[0].rank is None
    assert alone.pairs == ()


def test_scores_hold_no_sentence(scores: Scores) -> None:
    """What is computed has names and numbers: no text of it has the spaces of a phrase."""

    def texts(value: object) -> list[str]:
        if isinstance(value, str):
            return [value]
        if isinstance(value, tuple):
            return [text for one in value for text in texts(one)]
        if is_dataclass(value) and not isinstance(value, type):
            return [text for field in fields(value) for text in texts(getattr(value, field.name))]
        return []

    assert {text for text in texts(scores) if " " in text} == set()
