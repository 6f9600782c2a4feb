"""Elasticities: against finite differences of every family and convention, and the published table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import exp, log

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import digamma

from ibc_report.complexity import CONVENTIONS, PUBLISHED, Complexity, Convention, classification, control, evaluate
from ibc_report.complexity.elasticities import Elasticities, elasticities
from tests.support.samples import few_properties, image_task
from tests.unit.complexity.test_families import SMALL

DEGREE_FREE = {"n", "nuisance_n", "classes", "nuisance_classes", "outputs", "output_bound", "target_error"}


def found(task: Complexity) -> Elasticities:
    """The elasticities of a task with more than 0 bits."""
    result = elasticities(task)
    assert result is not None
    return result


def difference(of: Callable[[float], float], step: float = 1e-4) -> float:
    """The derivative at 0, by central differences of fourth order."""
    return (8 * (of(step) - of(-step)) - (of(2 * step) - of(-2 * step))) / (12 * step)


def by_log(family: str, inputs: Mapping[str, float], name: str, convention: Convention) -> float:
    """∂ln I / ∂ln x by finite differences."""

    def log_bits(shift: float) -> float:
        return evaluate(family, {**inputs, name: inputs[name] * exp(shift)}, convention).log10_bits * log(10)

    return difference(log_bits)


@pytest.mark.parametrize(
    ("name", "margin", "n", "error", "classes", "dimension"),
    [
        ("mnist", -13.7317, -0.00516, -0.0722, 2.233, 0.5071),
        ("svhn", -19.0111, -0.00394, -0.0749, 2.236, 1.0442),
        ("cifar-10", -26.7836, -0.00287, -0.0775, 2.239, 0.6659),
        ("imagenet", -45.7811, -0.00120, -0.0578, 2.089, 0.3047),
    ],
)
def test_the_image_tasks(name: str, margin: float, n: float, error: float, classes: float, dimension: float) -> None:
    """The paper's image tasks have the checked elasticities, to every digit of the table."""
    slopes = found(evaluate("classification", image_task(name)))

    assert slopes.by_input["margin"] == pytest.approx(margin, abs=5.1e-5)
    assert slopes.by_input["radius"] == -slopes.by_input["margin"]
    assert slopes.by_input["n"] == pytest.approx(n, abs=5.1e-6)
    assert slopes.by_input["target_error"] == pytest.approx(error, abs=5.1e-5)
    assert slopes.by_input["classes"] == pytest.approx(classes, abs=5.1e-4)
    assert slopes.slopes["dimension"] == pytest.approx(dimension, abs=5.1e-5)
    assert not slopes.real_degree


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("family", SMALL)
def test_every_input_of_every_family_against_finite_differences(family: str, convention: str) -> None:
    """Each slope is the finite difference to 6 digits; a rounded degree is let go where the input moves it."""
    counted = CONVENTIONS[convention]
    task = evaluate(family, SMALL[family], convention)
    slopes = elasticities(task)
    if slopes is None:
        assert task.bits == 0
        return

    assert set(slopes.by_input) == set(task.inputs)
    assert slopes.real_degree == (counted.integer_degree and task.space.kind == "sphere")
    for name, value in slopes.by_input.items():
        form = counted if name in DEGREE_FREE else replace(counted, integer_degree=False)
        assert value == pytest.approx(by_log(family, task.inputs, name, form), rel=1e-6, abs=1e-8), name
        assert slopes.slopes[name] == pytest.approx(value / (task.inputs[name] * log(10)), rel=1e-12)


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_benchmark_of_the_paper_against_finite_differences(name: str) -> None:
    """The slopes of all of the paper's benchmarks, of up to 145 decades, are the finite differences to 6 digits."""
    benchmark = PUBLISHED[name]
    slopes = found(evaluate(benchmark.family, dict(benchmark.inputs)))
    released = CONVENTIONS["released"]

    for key, value in slopes.by_input.items():
        expected = by_log(benchmark.family, benchmark.inputs, key, released)
        assert value == pytest.approx(expected, rel=1e-6, abs=1e-8), key


@few_properties
@given(
    dimension=st.floats(1.01, 400),
    ratio=st.floats(0.3, 1e4),
    n=st.floats(2, 1e7),
    classes=st.integers(2, 1000),
    error=st.floats(1e-6, 0.5),
)
def test_spheres_of_any_size(dimension: float, ratio: float, n: float, classes: int, error: float) -> None:
    """On spheres of any dimension and resolution with free parameters left, the slopes are the finite differences."""
    inputs = {
        "n": n,
        "radius": ratio,
        "dimension": dimension,
        "classes": classes,
        "margin": 1.0,
        "target_error": error,
    }
    task = evaluate("classification", inputs)
    # near 0 bits the logarithm is too steep for a difference
    assume(task.log10_bits > -300 and task.bits_per_parameter > 0.1 and task.log10_fixed_fraction < -0.05)
    slopes = found(task)

    for name, value in slopes.by_input.items():
        expected = by_log("classification", inputs, name, CONVENTIONS["released"])
        assert value == pytest.approx(expected, rel=1e-5, abs=1e-6), name


@pytest.mark.parametrize("degree", [1e5, 1e8, 1e12])
def test_a_very_fine_resolution_keeps_its_digits(degree: float) -> None:
    """Where the degree is huge, ∂ln E/∂ln δ tends to −m and the Lipschitz constant's to −1, without cancellation."""
    task = classification(n=100, radius=degree, dimension=8, classes=3, margin=6.283, target_error=0.01)
    expected = -8 - 1 / (task.bits_per_parameter * log(2))

    assert found(task).by_input["margin"] == pytest.approx(expected, rel=20 / degree + 1e-12)


def test_a_huge_dimension_has_finite_slopes() -> None:
    """At m = 10,000, where the bits overflow a double by thousands of decades, the slopes are the differences still."""
    inputs = image_task("mnist", dimension=1e4, radius=1, margin=6.283185307179586e-4)
    slopes = found(evaluate("classification", inputs))

    for name in ("margin", "dimension", "n"):
        expected = by_log("classification", inputs, name, CONVENTIONS["released"])
        assert slopes.by_input[name] == pytest.approx(expected, rel=1e-5, abs=1e-7), name


@pytest.mark.parametrize(
    "changes", [{"classes": 1.0}, {"n": 1e14}, {"target_error": 1e9}], ids=["one-class", "enough-data", "met"]
)
def test_zero_bits_have_no_slopes(changes: dict[str, float]) -> None:
    """At 0 bits, for whatever reason, there is nothing to differentiate."""
    assert elasticities(evaluate("classification", image_task("mnist", **changes))) is None


def test_a_dimension_below_one_moves_nothing() -> None:
    """Where the formula takes a dimension below 1 as 1, the bits do not move with it."""
    small = {"n": 2, "radius": 100, "dimension": 0.5, "classes": 3, "margin": 1, "target_error": 0.001}

    assert found(evaluate("classification", small)).by_input["dimension"] == 0
    assert found(evaluate("classification", {**small, "dimension": 1.0})).by_input["dimension"] != 0


def test_the_torus_in_closed_form() -> None:
    """With nothing fixed, a torus has ∂ln I/∂ln δ = −(m + 1/ℓₙ) and a slope in m of the log volume of its ball."""
    task = control(n=1e6, dimension=6, actions=2, resolution=1e-3, target_error=1e-3)
    log_ratio = task.bits_per_parameter * log(2)
    slopes = found(task)
    by_volume = log(task.space.band_limit) + (log(3.141592653589793) - float(digamma(4))) / 2
    by_reach = (1 / 12 + log(1e6) / 36) / log_ratio

    assert slopes.by_input["resolution"] == pytest.approx(-(6 + 1 / log_ratio), rel=1e-12)
    assert slopes.by_input["actions"] == pytest.approx(1 + 1 / log_ratio, rel=1e-12)
    assert slopes.by_input["target_error"] == pytest.approx(-1 / log_ratio, rel=1e-12)
    assert slopes.slopes["dimension"] * log(10) == pytest.approx(by_volume + by_reach, rel=1e-12)
