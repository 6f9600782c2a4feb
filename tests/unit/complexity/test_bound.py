"""The bound: each row of the limits table of the reference values, and the laws that hold everywhere else."""

from __future__ import annotations

from math import comb, exp, gamma, inf, isfinite, log, log10, pi, sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ibc_report.common.errors import InputError
from ibc_report.complexity import Complexity, classification, evaluate
from ibc_report.complexity.bound import Hypotheses, Setting, bound
from ibc_report.complexity.conventions import RELEASED
from ibc_report.complexity.spaces import sphere
from tests.support.samples import image_task, properties

# Tasks over the ranges that real datasets have, and well beyond.
sizes = st.floats(1, 1e9)

dimensions = st.floats(1, 1e4)

ratios = st.floats(0.05, 1e5)

class_counts = st.integers(2, 2000)

errors = st.floats(1e-9, 1)

factors = st.floats(1.0001, 50)


def measured(
    n: float, m: float, ratio: float, classes: float, error: float, *, scale: float = 1.0, convention: str = "released"
) -> Complexity:
    """A classification task by R/δ, in units of `scale`."""
    return classification(
        n=n,
        radius=ratio * scale,
        dimension=m,
        classes=classes,
        margin=scale,
        target_error=error,
        convention=convention,
    )


def codes(task: Complexity) -> set[str]:
    """The codes of a result's flags."""
    return {flag.code for flag in task.flags}


def test_more_rows_than_parameters_need_no_bits() -> None:
    """n·D ≥ dimΘ gives 0 bits and says that the data suffice, from MNIST's n = 2dE = 8.259e13 on."""
    task = evaluate("classification", image_task("mnist"))
    assert 10**task.log10_sufficient_n == pytest.approx(8.259e13, rel=5e-4)
    just_below = evaluate("classification", image_task("mnist", n=8.258e13))
    just_above = evaluate("classification", image_task("mnist", n=8.260e13))
    assert just_below.bits > 0
    assert just_above.log10_bits == -inf
    assert just_above.bits == 0
    assert codes(just_above) == {"data_suffice"}
    assert just_above.log10_free_parameters == -inf


def test_no_bits_per_parameter_need_no_bits() -> None:
    """ℓ ≤ 0 gives 0 bits and says that every hypothesis that fits meets the target."""
    task = evaluate("classification", image_task("mnist"))
    error = 0.001 * 2**task.bits_per_parameter
    met = evaluate("classification", image_task("mnist", target_error=error * 1.001))
    not_met = evaluate("classification", image_task("mnist", target_error=error * 0.999))
    assert met.bits_per_parameter < 0
    assert met.bits == 0
    assert "target_met" in codes(met)
    assert not_met.bits > 0
    assert "target_met" not in codes(not_met)


@pytest.mark.parametrize("convention", ["released", "all-classes", "no-transport"])
def test_one_class_needs_no_bits_by_definition(convention: str) -> None:
    """D = 1 gives 0 bits in every convention, with a flag, where the script gives NaN."""
    task = evaluate("classification", image_task("mnist", classes=1), convention)
    assert task.bits == 0
    assert codes(task) == {"one_class"}


@pytest.mark.parametrize("ratio", [0.7, 1.0, 3.3, 41.0])
def test_one_dimension_has_2k_plus_1_eigenfunctions_with_k_the_band_limit(ratio: float) -> None:
    """M = 1: K = M and E = 2K + 1, so dimΘ = 2(d − 1)d(2M + 1)."""
    task = measured(10, 1, ratio, 3, 1e-3)
    band_limit = 2 * pi * ratio
    assert task.space.degree == pytest.approx(band_limit)
    assert 10**task.log10_parameters == pytest.approx(2 * 2 * 3 * (2 * band_limit + 1))


@pytest.mark.parametrize("ratio", [0.7, 1.0, 3.3, 41.0])
def test_two_dimensions_have_k_plus_1_squared_eigenfunctions(ratio: float) -> None:
    """M = 2: K(K + 1) = M² and E = (K + 1)², also for real K."""
    task = measured(10, 2, ratio, 3, 1e-3)
    degree = (sqrt(1 + 4 * (2 * pi * ratio) ** 2) - 1) / 2
    assert task.space.degree == pytest.approx(degree)
    assert 10**task.log10_parameters == pytest.approx(2 * 2 * 3 * (degree + 1) ** 2)


@pytest.mark.parametrize("dimension", [0.999, 0.5, 1e-6])
def test_a_dimension_below_one_is_taken_as_one_and_said(dimension: float) -> None:
    """M < 1 is undefined: the result is that of m = 1, flagged, and keeps the input as it was given."""
    clamped = evaluate("classification", image_task("mnist", dimension=dimension))
    one = evaluate("classification", image_task("mnist", dimension=1))
    assert clamped.log10_parameters == one.log10_parameters
    assert clamped.space == one.space
    assert "dimension_clamped" in codes(clamped)
    assert "dimension_clamped" not in codes(one)
    assert clamped.inputs["dimension"] == dimension


@pytest.mark.parametrize("m", [2, 9, 14, 100])
def test_a_margin_beyond_two_pi_r_over_root_m_leaves_constants_only(m: float) -> None:
    """δ > 2πR/√m makes K < 1, which is said; at that δ, K = 1."""
    limit = 2 * pi * 5 / sqrt(m)
    at = classification(n=2, radius=5, dimension=m, classes=5, margin=limit, target_error=1e-3)
    beyond = classification(n=2, radius=5, dimension=m, classes=5, margin=limit * 1.001, target_error=1e-3)
    within = classification(n=2, radius=5, dimension=m, classes=5, margin=limit * 0.999, target_error=1e-3)
    assert at.space.degree == pytest.approx(1)
    assert "constants_only" in codes(beyond)
    assert "constants_only" not in codes(within)


def test_a_margin_of_zero_is_refused() -> None:
    """δ = 0 is refused with what to do: leave the pair out."""
    with pytest.raises(InputError, match=r"^margin is 0: two equal inputs need different outputs.*leave that pair out"):
        evaluate("classification", image_task("mnist", margin=0))


@pytest.mark.parametrize("error", [0.9, 1.0])
def test_a_target_at_or_above_chance_is_flagged_and_not_made_zero(error: float) -> None:
    """ε ≥ chance is flagged while the formula's value is kept: MNIST at ε = 1 has 7.44e15 bits."""
    task = evaluate("classification", image_task("mnist", target_error=error))
    assert codes(task) == {"target_above_chance"}
    assert task.bits > 7.4e15
    if error == 1:
        assert task.bits == pytest.approx(7.44e15, rel=1e-3)
    assert codes(evaluate("classification", image_task("mnist", target_error=0.899))) == set()


@pytest.mark.parametrize("value", [inf, -inf, float("nan"), -1.0, 0.0], ids=str)
@pytest.mark.parametrize("name", ["n", "radius", "dimension", "classes", "target_error"])
def test_numbers_outside_the_domain_are_refused_by_name(name: str, value: float) -> None:
    """An input that is not a finite number above 0 is refused in one line with its name."""
    with pytest.raises(InputError, match=f"^{name} has to be a finite number above 0, not "):
        evaluate("classification", image_task("mnist", **{name: value}))


@pytest.mark.parametrize("name", ["n", "classes"])
def test_counts_below_one_are_refused(name: str) -> None:
    """Fewer than one row or one class is refused."""
    with pytest.raises(InputError, match=f"^{name} has to be at least 1, not 0.5"):
        evaluate("classification", image_task("mnist", **{name: 0.5}))


@properties
@given(sizes, dimensions, ratios, class_counts, errors, st.floats(1e-12, 1e12))
def test_scale_does_not_matter(n: float, m: float, ratio: float, d: int, error: float, scale: float) -> None:
    """Scaling R and δ alike leaves the bits, to the rounding of a double, for all tasks and scales."""
    here = measured(n, m, ratio, d, error)
    there = measured(n, m, ratio, d, error, scale=scale)
    # next to the limits a rounding of dimΘ − nD or of ℓ is amplified
    assume(here.log10_bits > -3 and here.log10_fixed_fraction < -1e-3)
    assert there.log10_bits == pytest.approx(here.log10_bits, rel=1e-9, abs=1e-7)


@properties
@given(sizes, dimensions, ratios, class_counts, errors, factors)
def test_a_wider_margin_never_adds_bits(n: float, m: float, ratio: float, d: int, error: float, factor: float) -> None:
    """Bits fall with δ at fixed R, everywhere: strictly where they are above 0."""
    narrow = measured(n, m, ratio, d, error)
    wide = evaluate("classification", {**narrow.inputs, "margin": factor})
    assert wide.log10_bits <= narrow.log10_bits
    if narrow.bits > 0:
        assert wide.log10_bits < narrow.log10_bits


@properties
@given(sizes, dimensions, ratios, class_counts, errors, factors)
def test_a_larger_target_error_never_adds_bits(
    n: float, m: float, ratio: float, d: int, error: float, factor: float
) -> None:
    """Bits fall with ε, everywhere: strictly where they are above 0."""
    strict, lax = measured(n, m, ratio, d, error), measured(n, m, ratio, d, error * factor)
    assert lax.log10_bits <= strict.log10_bits
    if strict.bits > 0:
        assert lax.log10_bits < strict.log10_bits


@properties
@given(sizes, dimensions, ratios, class_counts, errors, factors)
def test_a_larger_radius_never_takes_bits(
    n: float, m: float, ratio: float, d: int, error: float, factor: float
) -> None:
    """Bits grow with R at fixed δ, everywhere."""
    assert measured(n, m, ratio * factor, d, error).log10_bits >= measured(n, m, ratio, d, error).log10_bits


@properties
@given(sizes, dimensions, ratios, class_counts, errors, factors)
def test_more_rows_at_a_fixed_margin_never_add_bits(
    n: float, m: float, ratio: float, d: int, error: float, factor: float
) -> None:
    """Bits fall with n at fixed δ, everywhere (on a sample δ falls with n, and they grow)."""
    assert measured(n * factor, m, ratio, d, error).log10_bits <= measured(n, m, ratio, d, error).log10_bits


@properties
@given(sizes, dimensions, ratios, class_counts, errors, st.integers(1, 100))
@pytest.mark.parametrize("convention", ["released", "all-classes", "no-transport", "figures"])
def test_more_classes_never_take_bits(
    convention: str, n: float, m: float, ratio: float, d: int, error: float, more: int
) -> None:
    """Bits grow with d at fixed n and δ, everywhere and in every convention, for dimΘ_q = D(2dE − n)."""
    few = measured(n, m, ratio, d, error, convention=convention)
    many = measured(n, m, ratio, d + more, error, convention=convention)
    assert many.log10_bits >= few.log10_bits


@properties
@given(sizes, st.floats(1, 1e3), st.floats(1, 1e3), class_counts, st.floats(1e-6, 0.1), st.floats(0.01, 5))
def test_a_higher_dimension_adds_bits_while_the_degree_keeps_up(
    n: float, m: float, excess: float, d: int, error: float, step: float
) -> None:
    """Bits grow with m at fixed R/δ where the higher m has K ≥ 3 and K ≥ m/2, for ε ≤ 0.1.

    The paper's tasks lie there (ImageNet has K = 1.5 m). Below about K = m/3 the degree falls faster with m than the
    number of eigenfunctions of a degree grows.
    """
    higher = m + step
    degree = max(3, higher / 2) * excess
    ratio = sqrt(degree * (degree + higher - 1)) / (2 * pi)
    low, high = measured(n, m, ratio, d, error), measured(n, higher, ratio, d, error)
    assert high.log10_bits >= low.log10_bits


def test_a_higher_dimension_takes_bits_once_only_constants_are_left() -> None:
    """Beyond m = M² the bits fall again: with R = δ, m = 1000 has fewer parameters than m = 10."""
    assert measured(1, 1000, 1, 10, 1e-3).log10_parameters < measured(1, 10, 1, 10, 1e-3).log10_parameters


@properties
@given(st.floats(1, 1e3), ratios, class_counts, errors)
def test_bits_are_continuous_in_the_dimension(m: float, ratio: float, d: int, error: float) -> None:
    """A step of 1e-7 in m, from 1 to 1000, moves log10 bits by less than 1e-4: no step at whole numbers."""
    here, there = measured(1, m, ratio, d, error), measured(1, m + 1e-7, ratio, d, error)
    # ln ℓ is steep where ℓ vanishes
    assume(here.bits_per_parameter > 0.1 and here.log10_fixed_fraction < -1e-2)
    assert there.log10_bits == pytest.approx(here.log10_bits, abs=1e-4)


@properties
@given(sizes, dimensions, ratios, class_counts, errors)
def test_results_are_never_nan_and_never_overflow(n: float, m: float, ratio: float, d: int, error: float) -> None:
    """Up to m = 1e4, log10 bits is finite or −inf for 0 bits, and a flag says why it is 0."""
    task = measured(n, m, ratio, d, error)
    assert isfinite(task.log10_bits) or task.log10_bits == -inf
    assert (task.log10_bits == -inf) == bool(codes(task) & {"data_suffice", "target_met"})
    assert all(
        isfinite(x)
        for x in (task.log10_parameters, task.bits_per_parameter, task.log10_fixed_fraction, task.log10_sufficient_n)
    )


@properties
@given(
    n=st.integers(1, 10**6),
    m=st.integers(1, 12),
    degree=st.integers(1, 40),
    d=st.integers(2, 30),
    error=st.floats(1e-6, 0.5),
)
def test_the_bound_is_its_terms_multiplied_out(n: int, m: int, degree: int, d: int, error: float) -> None:
    """Where nothing overflows, log10 bits is that of (2DdE − nD)·log2(√(Dd)·L_f·W/ε) computed term by term."""
    radius = 3.0
    margin = 2 * pi * radius / sqrt(degree * (degree + m - 1))
    eigenfunctions = comb(m + degree, m) + comb(m + degree - 1, m)
    outputs = d - 1
    free = 2 * outputs * d * eigenfunctions - n * outputs
    surface = 2 * pi ** ((m + 1) / 2) / gamma((m + 1) / 2)
    transport = sqrt(m / 6) * radius * (d * surface / n) ** (1 / m)
    per_parameter = log(sqrt(outputs * d) * (degree * sqrt(outputs) / radius) * transport / error) / log(2)
    task = classification(n=n, radius=radius, dimension=m, classes=d, margin=margin, target_error=error)
    assert task.bits_per_parameter == pytest.approx(per_parameter, rel=1e-9, abs=1e-9)
    # whether n·D = dimΘ to the last bit is for the limits table
    assume(abs(free) > 1e-6 * 2 * outputs * d * eigenfunctions and abs(per_parameter) > 1e-6)
    expected = log10(free * per_parameter) if free > 0 and per_parameter > 0 else -inf
    assert task.log10_bits == pytest.approx(expected, rel=1e-8, abs=1e-6)


def test_the_complement_keeps_its_precision_next_to_the_limit() -> None:
    """With n one part in 1e9 below dimΘ/D, dimΘ − nD is that part of dimΘ, to the rounding of n."""
    space = sphere(n=1, radius=1, dimension=2, resolution=1)
    parameters = 2 * exp(space.log_eigenfunctions)
    task = bound(
        Setting("regression", {}, RELEASED),
        space,
        Hypotheses(0.0),
        n=parameters * (1 - 1e-9),
        target_error=1e-3,
    )
    assert task.log10_free_parameters == pytest.approx(log10(parameters) - 9, abs=1e-5)


def test_bits_beyond_doubles_are_infinite_and_their_logarithm_is_not() -> None:
    """M = 1e4 with MNIST's n, d and ε has log10 bits 4674.8762657 while `bits` overflows to inf."""
    task = evaluate("classification", image_task("mnist", dimension=1e4, radius=1, margin=2 * pi / 1e4))
    assert task.log10_bits == pytest.approx(4674.8762657, abs=5e-7)
    assert task.bits == inf


def test_one_class_leaves_nothing_of_any_term() -> None:
    """Without outputs there are no parameters, none free, no bits for one, and no n that would fix them."""
    task = evaluate("classification", image_task("mnist", classes=1))
    terms = (task.log10_bits, task.log10_parameters, task.log10_free_parameters, task.log10_sufficient_n)
    assert terms == (-inf,) * 4
    assert (task.bits_per_parameter, task.log10_fixed_fraction, task.chance_error) == (0.0, 0.0, 0.0)
