"""Verdicts: where they change, and that worse is never better."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.complexity import classification, regression
from ibc_report.report.sections.verdicts import NOT_TESTABLE, THRESHOLDS, judge, judge_degree, judge_target
from tests.support.samples import properties

ORDER = {"holds": 0, "doubtful": 1, "violated": 2}


@pytest.mark.parametrize("id", THRESHOLDS)
def test_a_verdict_changes_at_its_thresholds(id: str) -> None:
    """At the first threshold an assumption still holds, from the second it is violated, and the words have both."""
    threshold = THRESHOLDS[id]
    assert threshold.holds < threshold.violated
    assert judge(id, threshold.holds).verdict == "holds"
    assert judge(id, (threshold.holds + threshold.violated) / 2).verdict == "doubtful"
    assert judge(id, threshold.violated).verdict == "violated"
    assert judge(id, 0.0).threshold == threshold.text
    assert f"holds up to {threshold.holds:g}, violated from {threshold.violated:g}" in threshold.text


@properties
@given(st.sampled_from(sorted(THRESHOLDS)), st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_larger_value_is_no_better(id: str, one: float, other: float) -> None:
    """Every verdict gets worse with its value, or stays."""
    low, high = sorted((one, other))
    assert ORDER[judge(id, low).verdict] <= ORDER[judge(id, high).verdict]


def test_what_is_not_known_is_not_testable() -> None:
    """No value makes no verdict and no threshold."""
    assert judge("A1", None) == NOT_TESTABLE
    assert NOT_TESTABLE.threshold is None


@pytest.mark.parametrize(("degree", "verdict"), [(0.99, "violated"), (1.0, "holds"), (1e9, "holds")])
def test_below_degree_one_the_band_limit_is_violated(degree: float, verdict: str) -> None:
    """K < 1 leaves constants."""
    assert judge_degree(degree).verdict == verdict


@pytest.mark.parametrize(
    ("target", "nearest", "verdict"),
    [(0.01, None, "holds"), (0.01, 0.005, "holds"), (0.01, 0.02, "doubtful"), (0.5, 0.02, "violated")],
)
def test_a_target_lies_between_noise_and_chance(target: float, nearest: float | None, verdict: str) -> None:
    """A target at chance is met by guessing; one below the nearest neighbour's error may be out of reach."""
    task = classification(n=100, radius=3, dimension=2, classes=2, margin=1, target_error=target)
    assert judge_target(target, task, nearest).verdict == verdict


def test_a_regression_is_judged_by_its_bound() -> None:
    """A target error at the bound of the outputs is met by a constant."""
    for target, verdict in ((2.0, "violated"), (1.0, "holds")):
        task = regression(n=100, radius=3, dimension=2, resolution=1, output_bound=2, target_error=target)
        judged = judge_target(target, task, None)
        assert judged.verdict == verdict
        assert "bound of the outputs" in (judged.threshold or "")
