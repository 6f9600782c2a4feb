"""Finite-sample bias: the shipped table against independent values and fresh draws, and what follows from it."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import InputError
from ibc_report.geometry import Points, search
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood
from ibc_report.geometry.dimension.finite_sample_bias import FAMILIES, expected_estimates, true_dimensions, true_range
from tests.support.samples import few_properties

# Mean estimates at true dimensions 2, 5, 10, 14, 20, 27, 40, measured apart from the table, with other code.
MEASURED_AT = (2, 5, 10, 14, 20, 27, 40)

MEASURED = {
    ("ball", 1_000): (1.99, 4.66, 8.72, 11.58, 15.38, 19.55, 25.99),
    ("ball", 60_000): (2.00, 4.85, 9.40, 12.54, 17.16, 21.97, 30.14),
    ("sphere", 1_000): (1.99, 4.90, 9.15, 12.07, 16.04, 20.02, 26.46),
    ("sphere", 60_000): (2.00, 4.98, 9.61, 12.99, 17.82, 22.54, 30.76),
    ("gaussian", 1_000): (2.02, 5.04, 9.31, 12.25, 15.97, 19.59, 25.51),
    ("gaussian", 60_000): (1.99, 5.06, 9.91, 13.51, 18.07, 22.78, 30.35),
}


@pytest.mark.parametrize(("family", "n"), MEASURED)
def test_the_table_is_what_was_measured_apart(family: str, n: int) -> None:
    """Each expected estimate is within 2 % of one measured by other code: one set each, whose noise is that large."""
    for dimension, measured in zip(MEASURED_AT, MEASURED[family, n], strict=True):
        assert expected_estimates(dimension, n)[family] == pytest.approx(measured, rel=0.021)


@pytest.mark.parametrize(("dimension", "n"), [(10, 40), (3, 150), (9, 700), (22, 3000), (70, 400)])
def test_fresh_gaussians_have_the_estimate_that_is_expected(dimension: int, n: int) -> None:
    """Between the table's sizes and dimensions too, the mean of new draws is within 2 % of it."""
    estimates = []
    for draw in range(1 + 3000 // n):
        vectors = np.random.default_rng([draw, dimension]).normal(size=(n, dimension))
        found = search(Points(vectors, 1.0, np.arange(n)), k=PAPER_K)
        estimates.append(maximum_likelihood(found.distances, PAPER_K))
    assert expected_estimates(dimension, n)["gaussian"] == pytest.approx(float(np.mean(estimates)), rel=0.02)


@few_properties
@given(st.floats(1, 200), st.floats(6, 1e8), st.sampled_from(FAMILIES))
def test_the_true_dimension_undoes_the_expected_estimate(dimension: float, n: float, family: str) -> None:
    """The dimension that gives the estimate that a dimension gives is that dimension."""
    estimate = expected_estimates(dimension, n)[family]
    assert estimate is not None
    found = true_dimensions(estimate * (1 - 1e-12), n)[family]
    assert found == pytest.approx(dimension, rel=1e-6)


@few_properties
@given(st.floats(0.2, 40), st.floats(1.001, 1.5), st.floats(6, 1e8), st.sampled_from(FAMILIES))
def test_a_larger_estimate_means_a_larger_dimension(estimate: float, factor: float, n: float, family: str) -> None:
    """True dimensions rise with the estimate at every n, within the table and beyond it."""
    lower, upper = true_dimensions(estimate, n)[family], true_dimensions(estimate * factor, n)[family]
    assert lower is not None
    assert upper is None or lower < upper


def test_mnist_and_cifar_have_the_true_dimensions_that_were_found() -> None:
    """14.24 at 60,000 points is what 15.0 to 16.2 gives, 27.2 what 34.4 to 35.4 gives, within the table's noise."""
    mnist = [value for value in true_dimensions(14.24, 60_000).values() if value]
    assert (min(mnist), max(mnist)) == pytest.approx((15.0, 16.2), abs=0.25)
    cifar = [value for value in true_dimensions(27.2253, 50_000).values() if value]
    assert (min(cifar), max(cifar)) == pytest.approx((34.4, 35.4), abs=0.6)


def test_more_points_never_bring_an_estimate_past_the_dimension() -> None:
    """Extrapolated to 10⁸ points, no space has an estimate above its dimension, or below that at 60,000."""
    for dimension in (8, 14, 40, 100):
        for family in FAMILIES:
            far, near = (expected_estimates(dimension, n)[family] for n in (1e8, 60_000))
            assert far is not None
            assert near is not None
            assert near <= far <= dimension


def test_an_estimate_beyond_the_table_is_flagged() -> None:
    """An estimate that no dimension of the table gives has no true dimension, and its range no upper end."""
    assert set(true_dimensions(150, 1000).values()) == {None}
    lower, upper = true_range(150, 1, 1000)
    assert upper == inf
    assert 50 < lower < 200


@few_properties
@given(st.floats(0.5, 60), st.floats(0, 3), st.floats(20, 1e7), st.none() | st.floats(0.1, 300))
def test_the_range_holds_the_true_dimensions(estimate: float, error: float, n: float, whole: float | None) -> None:
    """Every true dimension lies within the range, which only grows with the error and with the level."""
    lower, upper = true_range(estimate, error, n, global_dimension=whole)
    assert all(value is None or lower <= value <= upper for value in true_dimensions(estimate, n).values())
    wider = true_range(estimate, error + 0.1, n, global_dimension=whole)
    surer = true_range(estimate, error, n, 0.99, global_dimension=whole)
    for low, high in (wider, surer):
        assert low <= lower * (1 + 1e-9)
        assert high >= upper * (1 - 1e-9)


def test_concentrated_distances_widen_the_range_downwards() -> None:
    """Points that may fold back on themselves may have a far smaller dimension; unknown counts as the worst."""
    spread, folded, unknown = (true_range(20, 0.1, 5000, global_dimension=whole) for whole in (20.0, 80.0, None))
    assert folded[0] < 0.75 * spread[0]
    assert folded[1] < spread[1]
    assert unknown == (folded[0], spread[1])


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0.0, 0.1, 100), "estimate"),
        ((5.0, -0.1, 100), "standard_error"),
        ((5.0, 0.1, 0), "n is"),
        ((5, 0, 9, 1), "level"),
    ],
)
def test_a_number_outside_its_domain_is_named(arguments: tuple[float, ...], named: str) -> None:
    """Each wrong input has an error that names it."""
    with pytest.raises(InputError, match=named):
        true_range(*arguments)


def test_other_functions_check_their_inputs_too() -> None:
    """NaN is no estimate and no dimension."""
    with pytest.raises(InputError, match="estimate is nan"):
        true_dimensions(float("nan"), 100)
    with pytest.raises(InputError, match="dimension is nan"):
        expected_estimates(float("nan"), 100)
