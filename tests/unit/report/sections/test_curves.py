"""Curves: every point is the formula's, the present one among them, and the words say the same."""

from __future__ import annotations

import pytest

from ibc_report.common import wording
from ibc_report.complexity import FAMILIES, PUBLISHED, Complexity, evaluate
from ibc_report.report.schema.document import Curve
from ibc_report.report.sections import curves
from tests.support.samples import image_task

SMALL = {"n": 100, "radius": 3.0, "dimension": 2.5, "resolution": 0.5, "target_error": 0.1}

TASKS: dict[str, Complexity] = {
    **{
        name: evaluate(PUBLISHED[name].family, dict(PUBLISHED[name].inputs))
        for name in ("mnist", "imagenet", "omniglot", "reacher", "cartpole-1", "cartpole-5")
    },
    "small": evaluate("regression", SMALL),
    "clamped": evaluate("regression", {**SMALL, "dimension": 0.6}),
    "lax": evaluate("regression", {**SMALL, "target_error": 250.0, "output_bound": 1000.0}),
    "above chance": evaluate("classification", image_task("mnist", target_error=0.95)),
    "zero": evaluate("classification", image_task("mnist", n=1e15)),
}


@pytest.mark.parametrize("name", TASKS)
def test_points_are_evaluations_of_the_formula(name: str) -> None:
    """Each point has the bits of the task with that one input changed; 0 bits are null."""
    task = TASKS[name]
    for curve in curves.scaling_curves(task):
        for value, log10_bits in zip(curve.values, curve.log10_bits, strict=True):
            expected = evaluate(task.family, {**task.inputs, curve.key: value}, task.convention).log10_bits
            assert log10_bits == (expected if expected > float("-inf") else None)


@pytest.mark.parametrize("name", TASKS)
def test_curves_follow_the_familys_axes(name: str) -> None:
    """There is one curve for each input that the family varies, in that order, with the present value marked."""
    task = TASKS[name]
    drawn = curves.scaling_curves(task)
    assert tuple(curve.key for curve in drawn) == FAMILIES[task.family].axes
    assert all(curve.present == float(task.inputs[curve.key]) for curve in drawn)


@pytest.mark.parametrize("name", TASKS)
def test_values_ascend_without_repeats_around_the_present_one(name: str) -> None:
    """Values are distinct and ascending, above 0, and the present one lies between the ends."""
    for curve in curves.scaling_curves(TASKS[name]):
        assert list(curve.values) == sorted(set(curve.values)), curve.key
        assert curve.values[0] > 0
        assert curve.values[0] <= curve.present * (1 + 1e-12)
        assert curve.present <= curve.values[-1] * (1 + 1e-12)
        assert len(curve.values) > 5


@pytest.mark.parametrize("name", TASKS)
def test_counts_are_whole_numbers(name: str) -> None:
    """No curve shows half a row, class or action."""
    for curve in curves.scaling_curves(TASKS[name]):
        if curve.key in ("n", "classes", "ways", "observations", "outputs", "actions"):
            assert all(value == int(value) for value in curve.values)


def by_key(task: Complexity) -> dict[str, Curve]:
    """The curves of a task by the input that varies."""
    return {curve.key: curve for curve in curves.scaling_curves(task)}


def test_the_words_say_the_ends_and_the_present_point() -> None:
    """The alternative text of MNIST's margin has the values and bits of both ends and of the card."""
    curve = by_key(TASKS["mnist"])["margin"]
    ends = [(wording.number(curve.values[place]), curve.log10_bits[place]) for place in (0, -1)]
    assert curve.alternative == (
        f"Bits against margin (δ): 10^{wording.exponent(ends[0][1] or 0)} bits at {ends[0][0]}, "
        f"10^16.2 bits at the present 2.399, 10^{wording.exponent(ends[1][1] or 0)} bits at {ends[1][0]}."
    )


def test_the_words_say_zero_bits_where_they_are() -> None:
    """A task of 0 bits says so instead of a power of ten."""
    assert ", 0 bits at the present 14, " in by_key(TASKS["zero"])["dimension"].alternative


def test_a_target_error_is_not_traced_beyond_one_unless_the_task_is_there() -> None:
    """Error rates end at 1; a regression whose target is larger ends at its target."""
    assert by_key(TASKS["mnist"])["target_error"].values[-1] == pytest.approx(0.1)
    assert by_key(TASKS["above chance"])["target_error"].values[-1] == pytest.approx(1)
    assert by_key(TASKS["lax"])["target_error"].values[-1] == pytest.approx(250)
