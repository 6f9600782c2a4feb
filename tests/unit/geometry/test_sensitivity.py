"""What would move the bits: theory's decades for MNIST, laws, and every family with and without data."""

from __future__ import annotations

from math import exp, inf, isfinite, log, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.complexity import CONVENTIONS, FAMILIES, Complexity, evaluate
from ibc_report.complexity.extreme_values import Law, TailTerm, known
from ibc_report.complexity.uncertainty import Noise, spread
from ibc_report.geometry.alternatives import Thinned, Variants
from ibc_report.geometry.feature_maps import FeatureMaps, Measured
from ibc_report.geometry.sensitivity import Change, Sensitivity, sensitivity
from tests.support.samples import few_properties, image_task
from tests.unit.complexity.test_families import SMALL

MNIST = Variants(
    centred_radius=12.232408120320565,
    mean_norm=9.214689127371628,
    next_radius=16.219212457728727,
    quantile_margin=3.0855325808559533,
    thinned=Thinned(2.5126729924702857, 3.267855161243153, 60),
    distinct=60000,
    all_asked=True,
    maps=FeatureMaps(
        rows=3000,
        features=784,
        before=Measured(15.5, 12.6, 3.7),
        centred_radius=11.9,
        halved=Measured(11.8, 12.5, 3.7),
        halved_features=392,
        standardised=Measured(143.0, 11.7, 9.0),
        other="standardised",
    ),
)
"""MNIST's, of all rows; the feature maps rounded."""


def mnist(**changes: float) -> Complexity:
    """MNIST as published, some numbers changed."""
    return evaluate("classification", image_task("mnist", **changes))


def change(found: Sensitivity, key: str) -> Change:
    """One of the changes."""
    return next(each for each in found.changes if each.key == key)


@pytest.mark.parametrize(
    ("key", "decades"),
    [
        ("centred", -2.01),
        ("mean_norm", -3.65),
        ("half_band", -4.05),
        ("integer_degree", -0.13),
        ("quantile", -1.49),
    ],
)
def test_what_other_decisions_are_worth_on_mnist(key: str, decades: float) -> None:
    """Other decisions move MNIST by the decades that theory has for them."""
    assert change(sensitivity(mnist(), MNIST), key).change == pytest.approx(decades, abs=0.0051)


def test_changes_are_the_bits_at_the_changed_inputs() -> None:
    """Each change of an input evaluates the task there, and a feature map's change is carried over from its sample."""
    found = sensitivity(mnist(), MNIST)
    decided: dict[str, dict[str, float]] = {
        "without_pair": {"margin": 2.5126729924702857},
        "without_worst": {"margin": 3.267855161243153},
        "next_radius": {"radius": 16.219212457728727},
        "twice_fixed": {"n": 120000},
        "half_error": {"target_error": 0.0005},
    }
    for key, moved in decided.items():
        assert change(found, key).log10_bits == mnist(**moved).log10_bits
    sample = {"n": 3000.0, "radius": 15.5, "dimension": 12.6, "margin": 3.7}
    mapped = {"n": 3000.0, "radius": 143.0, "dimension": 11.7, "margin": 9.0}
    standardised = change(found, "standardised")
    assert standardised.change == pytest.approx(mnist(**mapped).log10_bits - mnist(**sample).log10_bits)
    assert standardised.log10_bits == pytest.approx(mnist().log10_bits + (standardised.change or 0))
    centred = {**sample, "radius": 11.9}
    assert standardised.centring == pytest.approx(mnist(**centred).log10_bits - mnist(**sample).log10_bits)
    # no row of MNIST repeats another
    assert "distinct" not in {each.key for each in found.changes}


@pytest.mark.parametrize("kappa", [7.0, 14.0, 28.0])
def test_twice_the_data_move_the_margin_by_its_law(kappa: float) -> None:
    """With twice the data ln δ is expected at −(2/κ) ln 2, so that bits grow by about n² where κ is the dimension."""
    found = sensitivity(mnist(), None, Noise(0.0, 0.0, known(kappa)))
    twice = change(found, "twice_expected")

    margin = image_task("mnist")["margin"] * 2 ** (-2 / kappa)
    assert twice.log10_bits == pytest.approx(mnist(n=120000, margin=margin).log10_bits, abs=1e-12)
    assert change(found, "twice_fixed").change == pytest.approx(-0.00155, abs=5e-5)
    if kappa == 14:
        assert twice.change == pytest.approx(log(4) / log(10), abs=0.02)


def test_classes_with_a_gap_move_less_with_twice_the_data() -> None:
    """Where the distances end at a gap, the margin moves as its law says, and less than by −(2/κ) ln 2."""
    law = Law((TailTerm(1.0, 14.0, inf, 0.5),), 80)
    found = sensitivity(mnist(), None, Noise(0.0, 0.0, law))
    expected = mnist(n=120000, margin=image_task("mnist")["margin"] * exp(law.shift(0.25)))

    assert change(found, "twice_expected").log10_bits == pytest.approx(expected.log10_bits, abs=1e-12)
    assert -2 * log(2) / 14 < law.shift(0.25) < 0


def test_the_bars_of_mnist() -> None:
    """Each input is moved over the interval that its noise has, and the widest bar stands first."""
    noise = Noise(0.077, 0.523, known(14.247), radius=known(60.0), true_dimension=(15.0, 16.2))
    task = mnist(dimension=14.247)
    found = sensitivity(task, None, noise)
    bars = {bar.key: bar for bar in found.bars}
    whole = spread(task, noise)
    assert whole is not None

    assert list(bars)[:2] == ["margin", "scale"]
    assert [bar.span for bar in found.bars] == sorted((bar.span for bar in found.bars), reverse=True)
    assert set(bars) == {"margin", "scale", "bias", "radius", "dimension", "n", "target_error"}
    assert (bars["margin"].low, bars["margin"].high) == pytest.approx(
        (whole.sample.margin.lower, whole.sample.margin.upper), rel=0.01
    )
    assert (bars["dimension"].low, bars["dimension"].high) == pytest.approx(
        (14.247 - 1.96 * 0.077, 14.247 + 1.96 * 0.077), abs=1e-4
    )
    assert (bars["bias"].low, bars["bias"].high) == (15.0, 16.2)
    assert 0 < bars["bias"].at_low < bars["bias"].at_high == bars["bias"].span
    # half of a 95 % bar is about two standard deviations
    assert bars["scale"].span / 3.92 == pytest.approx(whole.scale_sd, rel=0.05)
    assert bars["radius"].low < task.inputs["radius"] < bars["radius"].high
    for key, bar in bars.items():
        name = "dimension" if key in ("dimension", "scale", "bias") else key
        moved = evaluate("classification", {**task.inputs, name: bar.high})
        assert bar.at_high == pytest.approx(moved.log10_bits - task.log10_bits, abs=1e-12)


def test_the_radius_is_a_maximum_with_a_long_tail_downwards() -> None:
    """The observed radius is a maximum, so its expectation may lie further below it than above."""
    found = sensitivity(mnist(), None, Noise(0.0, 0.0, known(14.0), radius=known(20.0)))
    bar = next(bar for bar in found.bars if bar.key == "radius")
    radius = image_task("mnist")["radius"]

    assert log(radius / bar.low) > 1.3 * log(bar.high / radius) > 0


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("family", SMALL)
def test_every_family_without_data(family: str, convention: str) -> None:
    """A declared task of any family has slopes, bars and changes of the law, under any convention."""
    task = evaluate(family, SMALL[family], convention)
    found = sensitivity(task)
    keys = {each.key for each in found.changes}
    counted = CONVENTIONS[convention]

    assert found.variants is None
    assert (found.elasticities is None) == (not isfinite(task.log10_bits)) == (not found.bars)
    assert {"twice_fixed", "half_error"} <= keys
    assert ("twice_expected" in keys) == (FAMILIES[family].sampled_margin is not None)
    assert ("half_band" in keys) == (counted.band_factor > pi)
    assert ("whole_band" in keys) == (counted.band_factor == pi)
    if task.space.kind == "sphere":
        assert ("real_degree" if counted.integer_degree else "integer_degree") in keys
    other = change(found, "whole_band" if convention == "half-band" else "half_band")
    assert other.change is None or (other.change > 0) == (convention == "half-band")


def test_zero_bits_have_no_bars_and_changes_without_decades() -> None:
    """At 0 bits there is no decade to move, but what other decisions would give is said."""
    found = sensitivity(mnist(n=1e14), MNIST)

    assert found.bars == ()
    assert found.elasticities is None
    assert all(each.change is None for each in found.changes)
    assert change(found, "twice_fixed").log10_bits == -inf
    assert change(found, "without_pair").log10_bits == -inf
    more = sensitivity(mnist(n=8.3e13), MNIST)
    assert isfinite(change(more, "twice_expected").log10_bits)


def test_a_bar_that_ends_at_zero_bits_is_the_widest() -> None:
    """A bar that reaches 0 bits is infinitely wide, and comes first."""
    task = evaluate(
        "classification", {"n": 400, "radius": 1, "dimension": 2, "classes": 3, "margin": 0.5, "target_error": 0.1}
    )
    found = sensitivity(task, None, Noise(0.3, 0.6, known(2.0)))

    assert found.bars[0].span == inf
    assert found.bars[-1].span < inf


@few_properties
@given(
    dimension=st.floats(1, 60),
    ratio=st.floats(0.2, 100),
    sd=st.floats(0, 2),
    classes=st.integers(1, 50),
    convention=st.sampled_from(sorted(CONVENTIONS)),
)
def test_any_task_has_finite_decades(dimension: float, ratio: float, sd: float, classes: int, convention: str) -> None:
    """Whatever the task, a change has decades exactly where both bits are above 0, and no bar is not a number."""
    inputs = {"n": 100, "radius": ratio, "dimension": dimension, "classes": classes, "margin": 1, "target_error": 0.01}
    task = evaluate("classification", inputs, convention)
    noise = Noise(sd / 3, sd, known(max(dimension, 1.0)), radius=known(9.0), true_dimension=(dimension, dimension + 2))
    found = sensitivity(task, None, noise)

    for each in found.changes:
        assert (each.change is None) == (not isfinite(each.log10_bits) or not isfinite(task.log10_bits))
    for bar in found.bars:
        assert bar.low <= bar.high
        assert not np.isnan(bar.span)
