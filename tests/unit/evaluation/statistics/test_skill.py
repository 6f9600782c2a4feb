"""Skill and the bits of an error."""

from __future__ import annotations

from math import inf, log2, log10

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import InputError
from ibc_report.complexity import evaluate
from ibc_report.evaluation.statistics.proportions import Interval
from ibc_report.evaluation.statistics.skill import error_bits, skill, skill_interval
from tests.support.samples import few_properties, image_task

shares = st.floats(0, 1)


def test_a_model_below_the_majority_has_negative_skill() -> None:
    """0.961 against a majority of 0.97 is −0.300."""
    assert round(skill(0.961, 0.97), 3) == -0.300


@few_properties
@given(shares, st.floats(0, 0.999))
def test_skill_is_one_when_perfect_and_nothing_at_the_baseline(accuracy: float, baseline: float) -> None:
    """Skill is 1 for a perfect model, 0 at the baseline, and rises with the accuracy."""
    assert skill(1, baseline) == pytest.approx(1)
    assert skill(baseline, baseline) == 0
    found = skill_interval(Interval(accuracy / 2, accuracy), baseline)
    assert found.lower <= found.upper <= 1 + 1e-12


@pytest.mark.parametrize(("accuracy", "baseline"), [(1, 1), (1.2, 0.5), (0.5, -0.1)])
def test_skill_outside_its_domain_is_refused(accuracy: float, baseline: float) -> None:
    """A baseline that is always right leaves nothing to gain, and shares are within 0 and 1."""
    with pytest.raises(InputError):
        skill(accuracy, baseline)


@pytest.mark.parametrize(
    ("name", "target", "bits"),
    [
        ("mnist", 0.001, 7.295e15),
        ("svhn", 0.01, 4.087e30),
        ("cifar-10", 0.01, 1.199e32),
        ("imagenet", 0.1, 4.766e40),
    ],
)
def test_published_bits_over_chance(name: str, target: float, bits: float) -> None:
    """At the target errors of the paper's tasks the difference to chance is the recomputed one."""
    task = evaluate("classification", image_task(name))
    found = error_bits(task, 1_000_000 * (1 - target), 1_000_000)
    assert found.error == pytest.approx(target)
    assert found.log10_bits_over_chance == pytest.approx(log10(bits), abs=2e-4)
    assert found.log10_bits == pytest.approx(task.log10_bits, abs=1e-6)


def test_the_interval_of_the_error_bounds_the_bits() -> None:
    """Bits at a higher error are fewer; guessing has none over chance; the difference is dimΘ_q·log2 of the ratio."""
    task = evaluate("classification", image_task("mnist"))
    found = error_bits(task, 970, 1000)
    assert None not in (found.least, found.log10_bits, found.most)
    assert found.least < found.log10_bits < found.most  # type: ignore[operator]
    expected = task.log10_free_parameters + log10(log2(0.9 / 0.03))
    assert found.log10_bits_over_chance == pytest.approx(expected)
    assert error_bits(task, 100, 1000).log10_bits_over_chance == -inf


def test_no_error_seen_leaves_a_lower_end_only() -> None:
    """Without an error the formula has no value, and the upper end of the error's interval bounds the bits."""
    found = error_bits(evaluate("classification", image_task("mnist")), 10_000, 10_000)
    assert found.log10_bits is found.log10_bits_over_chance is found.most is None
    assert found.least is not None
    assert found.least_over_chance is not None


def test_a_model_at_chance_or_below_has_no_bits() -> None:
    """It has shown no bit of the task; just above chance, bits have an upper end alone."""
    task = evaluate("classification", image_task("mnist"))
    for correct in (100, 50):
        found = error_bits(task, correct, 1000)
        assert found.log10_bits is found.least is None
    near = error_bits(task, 110, 1000)
    assert near.least is None
    assert near.log10_bits is not None
    assert near.most is not None
    assert near.log10_bits < near.most


def test_a_task_without_classes_has_no_bits_of_errors() -> None:
    """A control task has no chance error, so an error rate says nothing of it."""
    numbers = {"n": 1e6, "dimension": 6, "actions": 2, "resolution": 1e-3, "target_error": 1e-3}
    found = error_bits(evaluate("control", numbers), 90, 100)
    assert found.log10_bits is found.least is found.log10_bits_over_chance is None
