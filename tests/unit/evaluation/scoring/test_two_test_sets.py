"""Models on two test sets: one test for each, and a line for many."""

from __future__ import annotations

from math import isinf

import pytest

from ibc_report.evaluation.scoring.answers import Score
from ibc_report.evaluation.scoring.predictions import of_scores
from ibc_report.evaluation.scoring.two_test_sets import across, between
from ibc_report.evaluation.statistics.comparisons import two_proportions
from ibc_report.evaluation.statistics.multiple_testing import holm


def test_p_is_of_the_score_test() -> None:
    """The corrected p is Holm's of the score test's, and z stays beside it."""
    here = of_scores([Score("a", 0.782, 131), Score("b", 0.7, 131)])
    there = of_scores([Score("a", 0.75, 125), Score("b", 0.68, 125)])
    found = between(here, there, 0.95)
    tests = [
        two_proportions(0.782 * 131, 131, 0.75 * 125, 125),
        two_proportions(0.7 * 131, 131, 0.68 * 125, 125),
    ]
    assert [one.test.z for one in found] == pytest.approx([test.z for test in tests])
    assert [one.holm_p for one in found] == pytest.approx(holm([test.p for test in tests]).tolist())


def test_accuracies_without_variance_do_not_prove_anything() -> None:
    """One of one against none of one has no finite z, and is no finding."""
    found = between(of_scores([Score("a", 1.0, 1)]), of_scores([Score("a", 0.0, 1)]), 0.95)
    assert isinf(found[0].test.z)
    assert found[0].holm_p > 0.05


def test_few_models_have_no_line_and_that_is_said() -> None:
    """With fewer than 30 models on both sets the line is missing, and how many there are is told."""
    scores = of_scores([Score(f"m{i}", 0.5 + i / 100, 1000) for i in range(29)])
    found = across(scores, scores, 0.95, 0)
    assert (found.line, found.shared, found.refusal) == (None, 29, "")
