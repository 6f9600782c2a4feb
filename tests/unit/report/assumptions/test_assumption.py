"""Verdicts: where they change, and that worse is never better."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.complexity import classification, regression
from ibc_report.geometry.alternatives import Thinned, Variants
from ibc_report.geometry.sensitivity import sensitivity
from ibc_report.report.assumptions.assumption import NOT_TESTABLE, Evidence, Judgement, decades_by_change
from ibc_report.report.assumptions.ledger import LEDGER
from tests.support.samples import properties
from tests.unit.geometry.test_sensitivity import MNIST, mnist
from tests.unit.report.assumptions.test_ledger import FACTS

ORDER = {"holds": 0, "doubtful": 1, "violated": 2}

BY_ID = {entry.id: entry for entry in LEDGER}

THRESHOLDS = {entry.id: entry.threshold for entry in LEDGER if entry.threshold is not None}

TASK = classification(n=100, radius=3, dimension=2, classes=2, margin=1, target_error=0.01)


def judge(id: str, value: float | None) -> Judgement:
    """The verdict on a value, with nothing else known."""
    return BY_ID[id].judgement(Evidence(TASK), value)


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
    assert judge("A11", degree).verdict == verdict


@pytest.mark.parametrize(
    ("target", "nearest", "verdict"),
    [(0.01, None, "holds"), (0.01, 0.005, "holds"), (0.01, 0.02, "doubtful"), (0.5, 0.02, "violated")],
)
def test_a_target_lies_between_noise_and_chance(target: float, nearest: float | None, verdict: str) -> None:
    """A target at chance is met by guessing; one below the nearest neighbour's error may be out of reach."""
    task = classification(n=100, radius=3, dimension=2, classes=2, margin=1, target_error=target)
    facts = None if nearest is None else replace(FACTS, disagreement={1: nearest})
    assert BY_ID["A14"].judgement(Evidence(task, facts), target).verdict == verdict


def test_a_regression_is_judged_by_its_bound() -> None:
    """A target error at the bound of the outputs is met by a constant."""
    for target, verdict in ((2.0, "violated"), (1.0, "holds")):
        task = regression(n=100, radius=3, dimension=2, resolution=1, output_bound=2, target_error=target)
        judged = BY_ID["A14"].judgement(Evidence(task), target)
        assert judged.verdict == verdict
        assert "bound of the outputs" in (judged.threshold or "")


def worths(found: Variants) -> dict[str, str]:
    """The key of the change that each assumption is worth, of those that have one."""
    changes = decades_by_change(sensitivity(mnist(), found))
    keys = {entry.id: next((worth.key for worth in entry.worth if worth.key in changes), None) for entry in LEDGER}
    return {id: key for id, key in keys.items() if key is not None}


def test_each_assumption_has_the_change_that_tells_of_it() -> None:
    """The ledger's changes are those of the assumption's own decision; where the worst rows are one pair, of that."""
    found = worths(MNIST)
    assert found == {
        "A1": "mean_norm",
        "A2": "centred",
        "A3": "next_radius",
        "A7": "quantile",
        "A8": "without_worst",
        "A9": "twice_expected",
        "A11": "half_band",
        "A14": "half_error",
        "A15": "integer_degree",
        "A16": "standardised",
    }
    few = Variants(
        centred_radius=0.0,
        mean_norm=9.2,
        next_radius=16.2,
        quantile_margin=3.0,
        thinned=Thinned(2.5, None, 2),
        distinct=59000,
        all_asked=False,
        maps=None,
    )
    found = worths(few)
    assert found["A8"] == "without_pair"
    assert found["A10"] == "distinct"
    assert "A2" not in found
    assert "A16" not in found
