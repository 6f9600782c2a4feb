"""Families: what each makes of its numbers, how they relate, and how wrong names and numbers are refused."""

from __future__ import annotations

from math import comb, exp, inf, isfinite, log2, log10, pi, sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import InputError
from ibc_report.complexity import (
    FAMILIES,
    PUBLISHED,
    control,
    evaluate,
    few_shot,
    few_shot_tasks,
    model_information,
    partially_observed_control,
    regression,
)
from ibc_report.complexity.spaces import highest_degree, log_eigenfunctions, log_sphere_surface
from tests.support.samples import image_task, properties

SMALL: dict[str, dict[str, float]] = {
    "classification": {"n": 1000, "radius": 5, "dimension": 4, "classes": 3, "margin": 1, "target_error": 0.01},
    "regression": {"n": 400, "radius": 5, "dimension": 3, "resolution": 1, "target_error": 0.1},
    "control": {"n": 1e4, "dimension": 3, "actions": 2, "resolution": 0.01, "target_error": 1e-3},
    "partially_observed_control": {
        "n": 1e4,
        "observations": 2,
        "observation_size": 2,
        "actions": 1,
        "resolution": 0.01,
        "target_error": 1e-3,
    },
    "few_shot": {
        "n": 1e9,
        "radius": 5,
        "dimension": 40,
        "input_dimension": 4,
        "ways": 5,
        "margin": 2,
        "target_error": 0.01,
    },
    "union": {
        "n": 1000,
        "radius": 5,
        "dimension": 4,
        "classes": 3,
        "margin": 1,
        "target_error": 0.01,
        "nuisance_n": 500,
        "nuisance_radius": 2,
        "nuisance_dimension": 3,
        "nuisance_classes": 2,
    },
}
"""A task of each family whose bits are above 0."""


def test_there_is_a_small_task_of_every_family() -> None:
    """The tables of this module leave no family out."""
    assert set(SMALL) == set(FAMILIES)
    assert all(evaluate(family, inputs).bits > 0 for family, inputs in SMALL.items())


@pytest.mark.parametrize("family", SMALL)
def test_a_family_keeps_its_inputs_so_that_it_can_be_repeated(family: str) -> None:
    """A result's family, inputs and convention evaluate to the same result."""
    found = evaluate(family, SMALL[family], "half-band")
    assert evaluate(found.family, dict(found.inputs), found.convention) == found


@pytest.mark.parametrize("family", SMALL)
def test_the_axes_and_sampled_inputs_of_a_family_are_inputs_of_it(family: str) -> None:
    """What a card varies, and what carries the noise of a sample, is among the family's inputs."""
    inputs = evaluate(family, SMALL[family]).inputs
    layout = FAMILIES[family]
    assert set(layout.axes) <= set(inputs)
    assert {layout.sampled_margin, layout.sampled_dimension} - {None} <= set(inputs)


def test_regression_is_one_sphere_with_its_own_outputs_and_bound() -> None:
    """Regression: dimΘ = 2·D·E, and ℓ = log2[B·√D·(K√D/R)·W/ε] with W of one sphere."""
    task = regression(n=50, radius=4, dimension=2, resolution=1, target_error=0.2, outputs=3, output_bound=7)
    degree = (sqrt(1 + 4 * (8 * pi) ** 2) - 1) / 2
    transport = sqrt(1 / 3) * 4 * sqrt(4 * pi / 50)
    assert 10**task.log10_parameters == pytest.approx(2 * 3 * (degree + 1) ** 2)
    assert task.bits_per_parameter == pytest.approx(log2(7 * sqrt(3) * degree * sqrt(3) / 4 * transport / 0.2))
    free = 10**task.log10_parameters - 50 * 3
    assert task.bits == pytest.approx(free * task.bits_per_parameter)
    assert task.chance_error is None


@properties
@given(st.floats(1e-6, 1e6))
def test_the_unit_of_a_regressions_target_does_not_matter(unit: float) -> None:
    """Scaling B and ε alike leaves the bits of a regression."""
    here = regression(n=400, radius=5, dimension=3, resolution=1, target_error=0.1, output_bound=2)
    there = regression(n=400, radius=5, dimension=3, resolution=1, target_error=0.1 * unit, output_bound=2 * unit)
    assert there.log10_bits == pytest.approx(here.log10_bits, rel=1e-9)


def test_partial_observations_make_the_dimension() -> None:
    """A policy of T observations of size s is one on a torus of dimension T·s, which is not a number of the card."""
    partial = partially_observed_control(
        n=1e5, observations=3, observation_size=2, actions=2, resolution=0.01, target_error=0.01
    )
    full = control(n=1e5, dimension=6, actions=2, resolution=0.01, target_error=0.01)
    assert partial.log10_bits == full.log10_bits
    assert partial.space == full.space
    assert "dimension" not in partial.inputs


def test_few_shot_outputs_are_the_coefficients_of_a_classifier() -> None:
    """Few-shot: D = 2·w(w−1)·E(m₀, 2πR/δ), radius R√w, B = √(w(w−1)), one sphere."""
    task = evaluate("few_shot", SMALL["few_shot"])
    inner = exp(log_eigenfunctions(4, highest_degree(2 * pi * 5 / 2, 4)))
    outputs = 2 * 5 * 4 * inner
    degree = highest_degree(2 * pi * 5 * sqrt(5) / 2, 40)
    assert task.space.degree == pytest.approx(degree)
    assert task.log10_parameters == pytest.approx(log10(2 * outputs) + log_eigenfunctions(40, degree) / 2.302585092994)
    transport = sqrt(40 / 6) * 5 * sqrt(5) * exp((log_sphere_surface(40) - 20.72326583694641) / 40)
    bound = sqrt(20) * sqrt(outputs) * (degree * sqrt(outputs) / (5 * sqrt(5))) * transport / 0.01
    assert task.bits_per_parameter == pytest.approx(log2(bound), rel=1e-9)


def test_few_shot_does_not_overflow() -> None:
    """Inputs of ten thousand dimensions, whose coefficients no double holds, have finite log10 bits."""
    task = few_shot(n=1e9, radius=5, dimension=4e4, input_dimension=1e4, ways=5, margin=0.01, target_error=0.01)
    assert isfinite(task.log10_bits)
    assert task.log10_parameters > 308
    assert task.bits == inf


@pytest.mark.parametrize("family", ["few_shot", "union"])
def test_one_class_needs_no_bits_in_other_families_too(family: str) -> None:
    """A one-way task and a union whose own task has one class need 0 bits by definition."""
    task = evaluate(family, {**SMALL[family], "ways" if family == "few_shot" else "classes": 1})
    assert task.bits == 0
    assert [flag.code for flag in task.flags] == ["one_class"]


@properties
@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(1, 6), st.integers(1, 9))
def test_few_shot_tasks_are_choices_of_characters_and_drawings(counts: list[int], ways: int, drawings: int) -> None:
    """N is the exact sum of C(max(characters, ways), ways)·drawings^ways over the alphabets, in integers."""
    found = few_shot_tasks(counts, ways=ways, drawings=drawings)
    assert found == sum(comb(max(count, ways), ways) for count in counts) * drawings**ways


def test_a_union_is_a_task_on_the_product_with_its_own_outputs() -> None:
    """Union: n₁n₂, √(R₁²+R₂²), m₁+m₂, c = d₁d₂ and D = d₁, so it is `all-classes` on the product's numbers."""
    task = evaluate("union", SMALL["union"])
    assert task.space.dimension == 7
    assert task.space.band_limit == pytest.approx(2 * pi * sqrt(29))
    assert 10**task.log10_sufficient_n == pytest.approx(2 * 6 * exp(task.space.log_eigenfunctions))
    assert 10**task.log10_fixed_fraction == pytest.approx(500_000 / 10**task.log10_sufficient_n)
    assert 10 ** (task.log10_parameters - task.log10_sufficient_n) == pytest.approx(3)
    assert task.chance_error == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("name", "bits"),
    [("mnist", 7.295e15), ("svhn", 4.087e30), ("cifar-10", 1.199e32), ("imagenet", 4.766e40)],
)
def test_model_information_over_chance_at_the_target_error(name: str, bits: float) -> None:
    """ΔI = dimΘ_q·log2(ε_chance/ε_model) at the target error is the published one, and I there the task's."""
    task = evaluate("classification", image_task(name))
    found = model_information(task, task.inputs["target_error"])
    assert float(f"{10**found.log10_bits_over_chance:.3e}") == bits
    assert found.log10_bits == task.log10_bits


@pytest.mark.parametrize("error", [0.9, 0.95])
def test_a_model_no_better_than_chance_has_no_information_over_it(error: float) -> None:
    """ΔI is 0 at chance and above, while I stays above 0."""
    found = model_information(evaluate("classification", image_task("mnist")), error)
    assert found.log10_bits_over_chance == -inf
    assert isfinite(found.log10_bits)


@properties
@given(st.floats(1e-6, 0.89), st.floats(1.0001, 100))
def test_a_better_model_tells_more(error: float, factor: float) -> None:
    """Both informations of a model fall with its error, below chance."""
    task = evaluate("classification", image_task("mnist"))
    better, worse = model_information(task, error / factor), model_information(task, error)
    assert better.log10_bits > worse.log10_bits
    assert better.log10_bits_over_chance > worse.log10_bits_over_chance


def test_model_information_needs_a_chance_error() -> None:
    """A family without classes has no chance, and says so."""
    with pytest.raises(InputError, match=r"^family 'control' has no chance error"):
        model_information(evaluate("control", SMALL["control"]), 0.1)


def test_a_model_without_errors_is_refused() -> None:
    """An error of 0 would need infinitely many bits and is refused."""
    with pytest.raises(InputError, match=r"^target_error has to be a finite number above 0, not 0"):
        model_information(evaluate("classification", SMALL["classification"]), 0.0)


@pytest.mark.parametrize(
    ("family", "inputs", "message"),
    [
        ("clasification", {}, "^family 'clasification' is not known; did you mean 'classification'"),
        ("control", {"radius": 1.0}, "^family 'control' has no input 'radius'; Known: actions, dimension, n, "),
        ("control", {"acions": 1.0}, "^family 'control' has no input 'acions'; did you mean 'actions'"),
        ("control", {"n": 1e4, "actions": 2}, "^family 'control' lacks dimension, resolution, target_error$"),
    ],
    ids=["family", "stranger", "typo", "missing"],
)
def test_wrong_names_are_refused(family: str, inputs: dict[str, float], message: str) -> None:
    """A family or input that does not exist, or is missing, is named in one line with what would be right."""
    with pytest.raises(InputError, match=message):
        evaluate(family, inputs)


@pytest.mark.parametrize(
    ("family", "name"), [(family, name) for family, inputs in SMALL.items() for name in inputs], ids=str
)
def test_every_input_of_every_family_has_to_be_positive(family: str, name: str) -> None:
    """No family takes a number below 0 for any of its inputs, and the message has its name."""
    with pytest.raises(InputError, match=f"^{name} "):
        evaluate(family, {**SMALL[family], name: -1.0})


@pytest.mark.parametrize("family", ["regression", "control", "few_shot", "union"])
def test_a_dimension_below_one_is_clamped_in_every_family(family: str) -> None:
    """A dimension below 1 is taken as 1 and flagged, whatever the family; a union clamps the sum."""
    low: dict[str, Any] = {"dimension": 0.4}
    if family == "union":
        low["nuisance_dimension"] = 0.4
    task = evaluate(family, {**SMALL[family], **low})
    assert task.space.dimension == 1
    assert task.flags[0].code == "dimension_clamped"


def test_published_families_are_families() -> None:
    """Every benchmark names a family that exists, and gives it all that it needs."""
    assert {benchmark.family for benchmark in PUBLISHED.values()} < set(FAMILIES)


@pytest.mark.parametrize(("error", "flagged"), [(0.5, False), (0.999, False), (1.0, True), (1.5, True)])
def test_an_action_is_met_by_one_constant_from_its_bound_on(error: float, flagged: bool) -> None:
    """Actions are bounded by 1: a target error of that or more is flagged, a smaller one is not."""
    task = evaluate("control", {**PUBLISHED["reacher"].inputs, "target_error": error})
    assert ("target_above_chance" in {flag.code for flag in task.flags}) == flagged
