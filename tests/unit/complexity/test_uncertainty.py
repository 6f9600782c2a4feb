"""Intervals: against the worked MNIST of the reference values, closed forms, and a plain Monte Carlo."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from ibc_report.complexity import CONVENTIONS, PUBLISHED, Complexity, classification, evaluate, uncertainty
from ibc_report.complexity.extreme_values import Law, TailTerm, known
from ibc_report.complexity.quadrature import evenly_spread
from ibc_report.complexity.uncertainty import Noise, Spread, bits_at, conventions_range, spread
from ibc_report.geometry.extreme_value_fits import margin_law
from tests.support.samples import few_properties, image_task

very_few = settings(few_properties, max_examples=25)

EULER = 0.5772156649015329


def mnist(**changes: float) -> Complexity:
    """The worked example of the reference values: MNIST with m = 14.247."""
    return evaluate("classification", image_task("mnist", **{"dimension": 14.247, **changes}))


def worked(**changes: Any) -> Noise:
    """The noise of the worked example: 0.077 from a sample of queries, 0.5226 over scales, κ = m."""
    return replace(Noise(0.077, 0.5226, known(14.247)), **changes)


def sure(task: Complexity, noise: Noise) -> Spread:
    """The spread of a task that has one."""
    found = spread(task, noise)
    assert found is not None
    return found


def test_the_worked_deviation_of_mnist_and_its_parts() -> None:
    """The sds are 0.039 (m), 0.265 (m over scales) and 0.546 (δ) decades, 0.609 together."""
    found = sure(mnist(), worked())
    assert found.dimension_sd == pytest.approx(0.039, abs=1e-3)
    assert found.scale_sd == pytest.approx(0.265, abs=5e-3)
    assert found.margin_sd == pytest.approx(0.546, abs=3e-3)
    assert found.radius_sd == 0
    assert found.sd == pytest.approx(0.609, abs=4e-3)


def test_the_interval_is_the_mirror_image_of_another_samples_spread() -> None:
    """The noise of ln δ has a long left tail, so the expectation's interval has a long right one: fewer bits."""
    task = mnist()
    found = sure(task, worked(dimension_error=0.0))
    for end, share in ((found.sample.margin.lower, 0.975), (found.sample.margin.upper, 0.025)):
        assert log(end / task.inputs["margin"]) == pytest.approx(-(log(-log(1 - share)) + EULER) / 14.247, abs=3e-3)
    for end, other in (
        (found.sample.log10_bits.lower, found.sample.margin.upper),
        (found.sample.log10_bits.upper, found.sample.margin.lower),
    ):
        assert end == pytest.approx(mnist(margin=other).log10_bits, abs=0.03)
    assert task.log10_bits - found.sample.log10_bits.lower > 1.2 * (found.sample.log10_bits.upper - task.log10_bits)


def test_the_first_interval_covers_the_expectation_of_the_margin() -> None:
    """Of 600 simulated minima of pairs that fill 6 dimensions, 92 to 98 % have E ln δ in their interval."""
    generator = np.random.default_rng(5)
    expected = -(log(1e6) + EULER) / 6
    points = evenly_spread(1024, 3)
    covered = []
    for _ in range(600):
        smallest = (np.cumsum(generator.exponential(size=200)) / 1e6) ** (1 / 6)
        ends = log(smallest[0]) - np.quantile(margin_law(smallest, 6.0).noise(points), [0.975, 0.025])
        covered.append(ends[0] <= expected <= ends[1])
    assert 0.92 <= np.mean(covered) <= 0.98


def test_the_second_interval_holds_the_first_for_every_true_dimension() -> None:
    """Its ends are at least as far out as those of a task with any true dimension of the range."""
    found = sure(mnist(), worked(true_dimension=(15.0, 16.2)))
    assert found.truth is not None
    for m in (15.0, 15.5, 16.2):
        inner = sure(mnist(dimension=m), worked(dimension_error=0.077 * m / 14.247)).sample
        assert found.truth.log10_bits.lower <= inner.log10_bits.lower + 0.02
        assert found.truth.log10_bits.upper >= inner.log10_bits.upper - 0.02
        assert found.truth.dimension.lower < m < found.truth.dimension.upper
    assert found.truth.margin == found.sample.margin


def test_an_unknown_highest_dimension_leaves_no_upper_end() -> None:
    """A range that goes on beyond the table has a lower end only."""
    found = sure(mnist(), worked(true_dimension=(15.0, inf)))
    assert found.truth is not None
    assert isfinite(found.truth.log10_bits.lower)
    assert found.truth.log10_bits.upper == found.truth.dimension.upper == inf


def test_the_noise_of_the_radius_adds_to_that_of_the_margin() -> None:
    """Only R/δ enters: a radius with the same law as the margin has the same sd, and widens the interval."""
    without, with_radius = sure(mnist(), worked()), sure(mnist(), worked(radius=known(14.247)))
    assert with_radius.radius_sd == pytest.approx(with_radius.margin_sd)
    assert with_radius.sample.margin == without.sample.margin
    one, other = (found.sample.log10_bits for found in (without, with_radius))
    assert other.upper - other.lower > 1.2 * (one.upper - one.lower)


@very_few
@given(
    m=st.floats(0.5, 60),
    ratio=st.floats(0.3, 300),
    d=st.integers(1, 100),
    n=st.floats(10, 1e9),
    error=st.floats(0, 3),
    shape=st.one_of(st.just(inf), st.floats(3, 100)),
)
def test_a_spread_is_ordered_and_holds_the_estimate(
    m: float, ratio: float, d: int, n: float, error: float, shape: float
) -> None:
    """Lower ≤ estimate ≤ upper for bits, m and δ, nothing NaN, down to tasks at and next to 0 bits."""
    task = classification(n=n, radius=ratio, dimension=m, classes=d, margin=1, target_error=0.01)
    law = Law((TailTerm(1.0, max(m, 1.0), shape, 0.0),), 0)
    found = sure(task, Noise(error, 0.1, law, known(50), (m, 1.3 * m)))
    assert found.sample.dimension.lower <= m <= found.sample.dimension.upper
    assert found.sample.margin.lower <= 1 <= found.sample.margin.upper
    assert isfinite(found.sd)
    for ranges in (found.sample, found.truth):
        assert ranges is not None
        assert ranges.log10_bits.lower <= ranges.log10_bits.upper
    if error == 0 and m >= 3:
        assert found.sample.log10_bits.lower <= task.log10_bits <= found.sample.log10_bits.upper


def test_a_spread_next_to_0_bits() -> None:
    """Where a wider margin gives 0 bits the lower end is −inf; one class has 0 bits whatever the noise."""
    near = sure(mnist(n=8e13, dimension=14), worked())
    assert near.sample.log10_bits.lower == -inf
    assert isfinite(near.sample.log10_bits.upper)
    none = sure(mnist(classes=1), worked())
    assert (none.sample.log10_bits.lower, none.sample.log10_bits.upper, none.sd) == (-inf, -inf, 0)


def test_a_spread_is_the_same_in_every_call() -> None:
    """Nothing is drawn at random."""
    noise = worked(true_dimension=(15.0, 16.2), radius=known(90))
    assert spread(mnist(), noise) == spread(mnist(), noise)


@pytest.mark.parametrize("name", ["omniglot", "reacher", "cartpole-3"])
def test_chosen_inputs_have_no_spread(name: str) -> None:
    """A family whose inputs are a designer's choice has nothing that was sampled, and its bits cannot be moved so."""
    task = evaluate(PUBLISHED[name].family, dict(PUBLISHED[name].inputs))
    assert spread(task, worked()) is None
    with pytest.raises(ValueError, match="not sampled"):
        bits_at(task)


def test_conventions_are_a_range_of_their_own() -> None:
    """MNIST's decades by convention are those of the reference values, under every convention that there is."""
    found = conventions_range(mnist(dimension=14))
    assert set(found) == set(CONVENTIONS)
    moved = {name: value - found["released"] for name, value in found.items()}
    assert moved["half-band"] == pytest.approx(-4.05, abs=5e-3)
    assert moved["integer-degree"] == pytest.approx(-0.13, abs=2e-2)
    assert moved["all-classes"] == pytest.approx(0.05, abs=5e-3)
    assert moved["real-basis"] == pytest.approx(-0.30, abs=5e-3)


def test_a_step_is_the_root_mean_square_of_its_sides() -> None:
    """Equal bits on both sides of a peak are a move; a side of 0 bits does not count; two of them are none."""
    assert uncertainty._step(3.0, 5.0, 3.0) == pytest.approx(2.0)
    assert uncertainty._step(4.0, 5.0, 6.0) == pytest.approx(1.0)
    assert uncertainty._step(-inf, 5.0, 4.0) == pytest.approx(1.0)
    assert uncertainty._step(-inf, 5.0, -inf) == 0


def test_the_worked_spread_of_another_sample_of_mnist() -> None:
    """What other samples of MNIST would give has 95 % within [15.33, 17.74]: the same noise the other way round."""
    noise = worked()
    points = evenly_spread(4000, 4)
    moves = ndtri(points[:, 3]) * sqrt(noise.dimension_error**2 + noise.scale_sd**2)
    at = bits_at(mnist())
    values = [at(shift, move) for shift, move in zip(noise.margin.noise(points[:, :3]), moves, strict=True)]
    assert mnist().log10_bits == pytest.approx(16.296, abs=5e-3)
    assert np.quantile(values, [0.025, 0.975]) == pytest.approx([15.33, 17.74], abs=0.05)


@pytest.mark.parametrize("name", ["mnist", "svhn", "cifar-10", "imagenet"])
def test_the_noise_of_the_margin_is_the_same_whatever_the_dimension(name: str) -> None:
    """With κ = m the sd of log10 bits from δ is about 0.55 decades for all image tasks."""
    found = sure(
        evaluate("classification", image_task(name)), Noise(0.0, 0.0, known(PUBLISHED[name].inputs["dimension"]))
    )
    elasticity = {"mnist": 13.7317, "svhn": 19.0111, "cifar-10": 26.7836, "imagenet": 45.7811}[name]
    expected = elasticity * pi / (PUBLISHED[name].inputs["dimension"] * sqrt(6)) / log(10)
    assert found.margin_sd == pytest.approx(expected, rel=0.01)
    assert found.margin_sd == pytest.approx(0.557, abs=0.035)


def test_the_noise_of_the_radius_moves_the_bits_as_that_of_the_margin() -> None:
    """Only R/δ enters, and the law of R is that of 1/R: the same law of either gives the same interval of bits."""
    of_margin = sure(mnist(), worked())
    of_radius = sure(mnist(), worked(margin=known(1e9), radius=known(14.247)))
    for one, other in zip(
        (of_margin.sample.log10_bits.lower, of_margin.sample.log10_bits.upper),
        (of_radius.sample.log10_bits.lower, of_radius.sample.log10_bits.upper),
        strict=True,
    ):
        assert other == pytest.approx(one, abs=0.03)


def test_no_margin_is_expected_beyond_the_diameter() -> None:
    """The wide end of the margin is 2R where its noise goes further, and the bits end where they are at 2R."""
    task = classification(n=2, radius=3.0, dimension=2.0, classes=2, margin=4.0, target_error=0.01)
    found = sure(task, Noise(0.0, 0.0, known(2.0)))
    assert found.sample.margin.upper == pytest.approx(6.0)
    widest = classification(n=2, radius=3.0, dimension=2.0, classes=2, margin=6.0, target_error=0.01)
    assert found.sample.log10_bits.lower == pytest.approx(widest.log10_bits, abs=0.02)


def test_a_dimension_is_within_students_t_of_its_splits() -> None:
    """A standard error from twenty splits reaches by t of 20 degrees, 2.086, not by the normal's 1.960."""
    found = sure(mnist(), Noise(0.5, 0.0, known(1e9)))
    assert found.sample.dimension.upper == pytest.approx(14.247 + 2.086 * 0.5, abs=1e-3)
    assert found.sample.dimension.lower == pytest.approx(14.247 - 2.086 * 0.5, abs=1e-3)
    assert found.sample.log10_bits.upper == pytest.approx(mnist(dimension=14.247 + 1.043).log10_bits, abs=0.01)
    assert found.sample.log10_bits.lower == pytest.approx(mnist(dimension=14.247 - 1.043).log10_bits, abs=0.01)


def test_dimensions_between_the_lowest_and_the_highest_true_one_count() -> None:
    """Where bits first grow and then fall with the dimension, the upper end is that of one between, of five in all."""
    task = classification(n=50, radius=1.0, dimension=2.5, classes=2, margin=1.8, target_error=0.01)
    found = spread(task, Noise(0.0, 0.0, known(1e6), true_dimension=(2.5, 20.0)))
    assert found is not None
    assert found.truth is not None
    at = bits_at(task)
    bits = [at(0.0, dimension - 2.5) for dimension in np.linspace(2.5, 20.0, 5)]
    assert bits[1] == max(bits)
    assert bits[1] > max(bits[0], bits[2]) + 0.1
    assert found.truth.log10_bits.upper == pytest.approx(bits[1], abs=1e-3)
    assert found.truth.log10_bits.lower == pytest.approx(min(bits), abs=1e-3)
