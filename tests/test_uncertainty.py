"""Intervals: against the worked MNIST of theory.md, closed forms, and a plain Monte Carlo."""

from __future__ import annotations

from math import exp, inf, isfinite, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.complexity import PUBLISHED, Complexity, classification, evaluate, interval, uncertainty
from tests.samples import few_properties, image_task

EULER = 0.5772156649015329


def mnist(**changes: float) -> Complexity:
    """The worked example of theory.md: MNIST with m = 14.247."""
    return evaluate("classification", image_task("mnist", **{"dimension": 14.247, **changes}))


def test_the_worked_interval_of_mnist() -> None:
    """With sd 0.53 of m over scales, the 95 % interval is [15.33, 17.74] within 0.1, around 16.296."""
    task = mnist()
    found = interval(task, dimension_sd=0.53)
    assert found is not None
    assert task.log10_bits == pytest.approx(16.296, abs=5e-3)
    assert found.lower == pytest.approx(15.33, abs=0.1)
    assert found.upper == pytest.approx(17.74, abs=0.1)
    assert found.level == 0.95


def test_the_worked_interval_is_skewed_to_the_right_and_made_of_its_parts() -> None:
    """MNIST's sd is 0.546 from δ and 0.265 from m over scales; the upper end lies further out than the lower."""
    task = mnist()
    found = interval(task, dimension_sd=0.265 / 0.5071)
    assert found is not None
    assert found.margin_sd == pytest.approx(0.546, abs=0.01)
    assert found.scale_sd == pytest.approx(0.265, abs=0.005)
    assert found.upper - task.log10_bits > 1.2 * (task.log10_bits - found.lower)


@pytest.mark.parametrize("name", ["mnist", "svhn", "cifar-10", "imagenet"])
def test_the_noise_of_the_margin_is_the_same_whatever_the_dimension(name: str) -> None:
    """With κ = m the sd of log10 bits from δ is π/(m√6)·|∂ln I/∂ln δ|/ln 10, about 0.55 decades for all image tasks."""
    found = interval(evaluate("classification", image_task(name)), dimension_sd=0.0)
    elasticity = {"mnist": 13.7317, "svhn": 19.0111, "cifar-10": 26.7836, "imagenet": 45.7811}[name]
    expected = elasticity * pi / (PUBLISHED[name].inputs["dimension"] * sqrt(6)) / log(10)
    assert found is not None
    assert found.margin_sd == pytest.approx(expected, rel=0.01)
    assert found.margin_sd == pytest.approx(0.557, abs=0.035)
    assert found.scale_sd == 0


def test_without_drift_the_ends_are_those_of_the_margins_law() -> None:
    """With δ^m exponential, the ends are the bits at the 97.5 % and 2.5 % quantiles of ln δ, centred on its mean."""
    task = mnist()
    found = interval(task, dimension_sd=0.0)
    assert found is not None
    for end, share in ((found.lower, 0.975), (found.upper, 0.025)):
        shift = (log(-log(1 - share)) + EULER) / 14.247
        moved = mnist(margin=task.inputs["margin"] * exp(shift))
        assert end == pytest.approx(moved.log10_bits, abs=0.02)


def test_the_lattice_agrees_with_a_monte_carlo() -> None:
    """The ends are those of 20 000 independent draws of both noises, to the noise of those draws."""
    task = mnist()
    found = interval(task, dimension_sd=0.53)
    generator = np.random.default_rng(7)
    shifts = (np.log(generator.exponential(size=20_000)) + EULER) / 14.247
    moves = generator.normal(scale=0.53, size=20_000)
    drawn = [
        mnist(margin=task.inputs["margin"] * exp(shift), dimension=14.247 + move).log10_bits
        for shift, move in zip(shifts, moves, strict=True)
    ]
    lower, upper = np.quantile(drawn, [0.025, 0.975])
    assert found is not None
    assert found.lower == pytest.approx(lower, abs=0.04)
    assert found.upper == pytest.approx(upper, abs=0.06)


def test_an_interval_is_the_same_in_every_call() -> None:
    """Nothing is drawn: two calls give the same numbers to the last bit."""
    assert interval(mnist(), dimension_sd=0.5) == interval(mnist(), dimension_sd=0.5)


@few_properties
@given(m=st.floats(0.5, 60), ratio=st.floats(0.3, 300), d=st.integers(2, 100), n=st.floats(10, 1e9), sd=st.floats(0, 3))
def test_an_interval_is_ordered_and_holds_the_estimate(m: float, ratio: float, d: int, n: float, sd: float) -> None:
    """Lower ≤ log10 bits ≤ upper, none of them NaN, for m down to and below 1 and tasks next to 0 bits."""
    task = classification(n=n, radius=ratio, dimension=m, classes=d, margin=1, target_error=0.01)
    found = interval(task, dimension_sd=sd)
    assert found is not None
    assert found.lower <= found.upper
    assert found.lower <= task.log10_bits <= found.upper
    assert isfinite(found.margin_sd)
    assert isfinite(found.scale_sd)


@pytest.mark.parametrize("name", ["omniglot", "reacher", "cartpole-3"])
def test_chosen_inputs_have_no_interval(name: str) -> None:
    """A family whose inputs are a designer's choice has nothing that was sampled."""
    assert interval(evaluate(PUBLISHED[name].family, dict(PUBLISHED[name].inputs)), dimension_sd=0.3) is None


def test_next_to_the_limit_the_lower_end_is_zero_bits_and_the_noise_is_not() -> None:
    """Where a wider margin gives 0 bits, the lower end is −inf and the sd is that of the other side, not 0."""
    found = interval(mnist(n=8e13, dimension=14), dimension_sd=0.5)
    assert found is not None
    assert found.lower == -inf
    assert isfinite(found.upper)
    assert found.margin_sd > 0.3


def test_zero_bits_have_an_interval_of_zero_bits() -> None:
    """One class needs 0 bits whatever the noise: both ends are −inf, and no sd is NaN."""
    found = interval(mnist(classes=1), dimension_sd=0.5)
    assert found is not None
    assert (found.lower, found.upper, found.margin_sd, found.scale_sd) == (-inf, -inf, 0, 0)


@pytest.mark.parametrize("dimension", [1.5, 2.0, 3.0])
def test_the_sd_from_the_dimension_is_of_both_sides(dimension: float) -> None:
    """The sd from m is the root mean square of the moves to its two sides, and not half their difference."""
    inputs = {"n": 10.0, "radius": 1.0, "dimension": dimension, "classes": 2, "margin": 0.1, "target_error": 0.01}
    sd = 0.4
    present, below, above = (
        evaluate("classification", {**inputs, "dimension": dimension + step}).log10_bits for step in (0.0, -sd, sd)
    )
    found = interval(evaluate("classification", inputs), dimension_sd=sd)
    assert found is not None
    assert found.scale_sd == pytest.approx(sqrt(((below - present) ** 2 + (above - present) ** 2) / 2), rel=1e-6)


def test_a_step_is_the_root_mean_square_of_its_sides() -> None:
    """Equal bits on both sides of a peak are a move; a side of 0 bits does not count; two of them are none."""
    assert uncertainty._step(3.0, 5.0, 3.0) == pytest.approx(2.0)
    assert uncertainty._step(4.0, 5.0, 6.0) == pytest.approx(1.0)
    assert uncertainty._step(-inf, 5.0, 4.0) == pytest.approx(1.0)
    assert uncertainty._step(-inf, 5.0, -inf) == 0
