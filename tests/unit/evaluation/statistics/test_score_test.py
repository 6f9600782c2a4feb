"""The score test of two proportions: against other implementations, by brute force, and its interval's agreement."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from statsmodels.stats.proportion import confint_proportions_2indep, score_test_proportions_2indep

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.score_test import (
    EXACT_TABLES,
    exact_p,
    region_probability,
    rejection_region,
    score_statistic,
    score_test,
)
from tests.support.profiles import examples
from tests.support.samples import few_properties

some_properties = settings(few_properties, max_examples=examples(6))

LARGE = (100_000, 200_000)


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """Right answers and examples of two sets, small ones and uneven ones."""
    first_n, second_n = draw(st.integers(1, 60)), draw(st.integers(1, 200))
    return draw(st.integers(0, first_n)), first_n, draw(st.integers(0, second_n)), second_n


@few_properties
@given(tables())
def test_the_statistic_of_equality_is_that_of_statsmodels(table: tuple[int, int, int, int]) -> None:
    """At a difference of 0 it is the pooled z."""
    one, n, other, m = table
    if 0 < one + other < n + m:
        expected = score_test_proportions_2indep(one, n, other, m, value=0, compare="diff", correction=False).statistic
        assert float(score_statistic(one, n, other, m, 0.0)) == pytest.approx(expected, abs=1e-9)


@few_properties
@given(tables(), st.floats(-0.95, 0.95).filter(lambda value: abs(value) > 1e-3))
def test_the_statistic_has_the_likeliest_proportions(table: tuple[int, int, int, int], difference: float) -> None:
    """At another difference, its standard error is that of the proportions that a search finds likeliest."""
    one, n, other, m = table

    def unlikely(first: float) -> float:
        second = first - difference
        return -float(
            xlogy(one, first) + xlogy(n - one, 1 - first) + xlogy(other, second) + xlogy(m - other, 1 - second)
        )

    ends = (max(0.0, difference) + 1e-12, min(1.0, 1 + difference) - 1e-12)
    first = minimize_scalar(unlikely, bounds=ends, method="bounded", options={"xatol": 1e-11}).x
    second = first - difference
    error = (first * (1 - first) / n + second * (1 - second) / m) ** 0.5
    expected = (one / n - other / m - difference) / error
    assert float(score_statistic(one, n, other, m, difference)) == pytest.approx(expected, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("table", [(9, 10, 3, 10), (7, 12, 2, 15), (5, 8, 20, 30), (0, 9, 6, 11)])
def test_p_is_that_of_enumerated_tables(table: tuple[int, int, int, int]) -> None:
    """The exact p is the largest probability of tables as far from equality, to a thousandth of a fine grid's."""
    one, n, other, m = table
    x, y = np.arange(n + 1), np.arange(m + 1)
    z = score_statistic(x[:, None], n, y, m, 0.0)
    far = np.abs(z) >= abs(score_statistic(one, n, other, m, 0.0)) - 1e-9
    grid = np.linspace(0, 1, 4001)
    law, law_of_other = stats.binom.pmf(x[:, None], n, grid), stats.binom.pmf(y[:, None], m, grid)
    expected = np.einsum("xg,yg,xy->g", law, law_of_other, far).max()
    assert score_test(*table).p == pytest.approx(expected, rel=2e-3)


def test_scipys_barnard_loses_a_tie() -> None:
    """SciPy's p of 9/10 against 3/10 leaves out 7/10 against 1/10, of the same z; without such ties both agree."""
    tied = score_statistic([9, 7], 10, [3, 1], 10, 0.0)
    assert tied[0] == pytest.approx(tied[1], rel=1e-14)
    assert stats.barnard_exact([[9, 3], [1, 7]]).pvalue == pytest.approx(0.00693, abs=1e-5)
    assert score_test(9, 10, 3, 10).p == pytest.approx(0.00796, abs=1e-5)
    for one, n, other, m in ((6, 7, 2, 9), (3, 11, 9, 13), (0, 9, 6, 11)):
        barnard = stats.barnard_exact([[one, other], [n - one, m - other]], n=64).pvalue
        z = float(score_statistic(one, n, other, m, 0.0))
        assert exact_p(n, m, 0.0, z) == pytest.approx(barnard, rel=5e-3)


@some_properties
@given(tables(), st.sampled_from([0.8, 0.95, 0.99]))
def test_zero_is_outside_exactly_where_p_is_small(table: tuple[int, int, int, int], level: float) -> None:
    """Interval and test agree at every level, and the interval holds the observed difference within −1 and 1."""
    found = score_test(*table, level)
    assert found.exact
    assert (found.interval.lower > 0 or found.interval.upper < 0) == (found.p < 1 - level)
    assert -1 <= found.interval.lower <= found.difference <= found.interval.upper <= 1


@few_properties
@given(st.integers(0, LARGE[0]), st.integers(0, LARGE[1]))
def test_large_sets_agree_too(one: int, other: int) -> None:
    """Beyond the tables that are enumerated, interval and test agree as well."""
    found = score_test(one, LARGE[0], other, LARGE[1])
    assert (found.interval.lower > 0 or found.interval.upper < 0) == (found.p < 0.05)


@some_properties
@given(tables())
def test_swapping_the_sets_mirrors_everything(table: tuple[int, int, int, int]) -> None:
    """The order of the sets changes signs alone."""
    one, n, other, m = table
    found, mirrored = score_test(one, n, other, m), score_test(other, m, one, n)
    assert found.p == mirrored.p
    assert found.difference == -mirrored.difference
    assert (found.interval.lower, found.interval.upper) == (-mirrored.interval.upper, -mirrored.interval.lower)


@pytest.mark.parametrize("sizes", [(3, 7), (10, 10), (8, 25)])
def test_the_statistic_falls_as_the_second_count_grows(sizes: tuple[int, int]) -> None:
    """At any supposed difference, so that a region has one piece on either side."""
    n, m = sizes
    for difference in np.linspace(-0.9, 0.9, 19):
        z = score_statistic(np.arange(n + 1)[:, None], n, np.arange(m + 1), m, float(difference))
        assert np.all(np.diff(np.nan_to_num(z, posinf=1e6, neginf=-1e6), axis=1) <= 0)


@few_properties
@given(st.integers(1, 40), st.integers(1, 90), st.sampled_from([0.0, 0.1, -0.4]), st.floats(0.3, 6))
def test_a_region_is_the_tables_that_it_says(n: int, m: int, difference: float, z: float) -> None:
    """For each first count, the second counts outside of the two ends are those whose statistic is z or more."""
    above, below = rejection_region(n, m, difference, z)
    found = score_statistic(np.arange(n + 1)[:, None], n, np.arange(m + 1), m, difference)
    counts = np.arange(m + 1)
    assert np.array_equal(counts < above[:, None], found >= z)
    assert np.array_equal(counts >= below[:, None], found <= -z)


def test_a_region_has_the_probability_of_its_tables() -> None:
    """Tails of binomials add up to the sum over tables, also at shares of 0 and 1."""
    region = rejection_region(12, 30, 0.0, 1.7)
    z = score_statistic(np.arange(13)[:, None], 12, np.arange(31), 30, 0.0)
    for first, second in ((0.3, 0.6), (0.0, 0.2), (1.0, 0.0)):
        joint = stats.binom.pmf(np.arange(13)[:, None], 12, first) * stats.binom.pmf(np.arange(31), 30, second)
        expected = joint[np.abs(z) >= 1.7].sum()
        assert region_probability(12, 30, region, first, second) == pytest.approx(expected, abs=1e-12)


def test_both_ways_through_the_larger_set_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of binomials and their tails from the beta function give the same p."""
    tabulated = exact_p(20, 300, 0.05, 2.1)
    monkeypatch.setattr("ibc_report.evaluation.statistics.score_test.TABULATED", 100)
    assert exact_p(20, 300, 0.05, 2.1) == pytest.approx(tabulated, rel=1e-9)


@pytest.mark.long
def test_the_interval_covers() -> None:
    """Enumerated over all tables of 6 and 11 examples, at least 95 % have the true difference in their interval."""
    n, m = 6, 11
    ends = [[score_test(x, n, y, m).interval for y in range(0, m + 1)] for x in range(n + 1)]
    lower = np.array([[one.lower for one in row] for row in ends])
    upper = np.array([[one.upper for one in row] for row in ends])
    for first, second in ((0.5, 0.5), (0.9, 0.6), (0.95, 0.97), (0.2, 0.05), (0.99, 0.3)):
        joint = np.outer(stats.binom.pmf(np.arange(n + 1), n, first), stats.binom.pmf(np.arange(m + 1), m, second))
        difference = first - second
        assert joint[(lower <= difference) & (difference <= upper)].sum() > 0.948


def test_a_rebuilt_set_that_shows_nothing() -> None:
    """Of 30 against 1,000 examples, 29 right against 900, p has a size between Fisher's and the pooled z's."""
    found = score_test(29, 30, 900, 1000)
    assert 2 * stats.norm.sf(abs(found.z)) < found.p < stats.fisher_exact(np.array([[29, 900], [1, 100]])).pvalue
    assert found.interval.lower < 0 < found.interval.upper


def test_large_sets_are_asymptotic() -> None:
    """Beyond the tables that are enumerated p and the interval are those of statsmodels."""
    counts = (9000, 10_000, 53_500, 60_000)
    assert counts[1] * counts[3] > EXACT_TABLES
    found = score_test(*counts)
    expected = confint_proportions_2indep(*counts, compare="diff", method="score", correction=False)
    assert not found.exact
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(found.z)))
    assert (found.interval.lower, found.interval.upper) == pytest.approx(expected, abs=1e-5)
    ends = [float(score_statistic(*counts, end)) for end in (found.interval.lower, found.interval.upper)]
    assert ends == pytest.approx([1.96, -1.96], abs=1e-3)


def test_rare_errors_of_large_sets_are_exact() -> None:
    """One wrong of 1,000 against none of 100,000 is no finding of z = 10, but what Fisher's test has."""
    found = score_test(999, 1000, 100_000, 100_000)
    assert abs(found.z) > 9
    assert found.exact
    assert found.p == pytest.approx(stats.fisher_exact(np.array([[999, 100_000], [1, 0]])).pvalue, rel=1e-9)
    assert score_test(9999, 10_000, 999_990, 1_000_000).p > 0.05


def test_published_accuracies_need_not_be_whole() -> None:
    """Counts between whole numbers give values between those of their neighbours."""
    ps = [score_test(correct, 20, 9, 20).p for correct in (15, 15.4, 16)]
    assert ps[0] >= ps[1] >= ps[2]


@pytest.mark.parametrize("table", [(11, 10, 1, 10), (1, 10, -1, 10), (0, 0, 1, 10)])
def test_counts_outside_their_sets_are_refused(table: tuple[int, int, int, int]) -> None:
    """More right answers than examples, fewer than none, and no examples are errors."""
    with pytest.raises(InputError):
        score_test(*table)


@pytest.mark.parametrize("difference", [0.0, 0.2, -0.45])
@pytest.mark.parametrize(("n", "m"), [(3, 5), (12, 40), (31, 7)])
@pytest.mark.parametrize("z", [0.7, 1.96, 3.3])
def test_the_region_holds_the_tables_that_are_as_far(n: int, m: int, z: float, difference: float) -> None:
    """A table is in the region exactly where its statistic is z or more either way, for every first count."""
    above, below = rejection_region(n, m, difference, z)
    for first in range(n + 1):
        statistics = score_statistic(first, n, np.arange(m + 1), m, difference)
        inside = (np.arange(m + 1) < above[first]) | (np.arange(m + 1) >= below[first])
        assert inside.tolist() == (np.abs(statistics) >= z).tolist()


@pytest.mark.parametrize(("first", "second"), [(0.3, 0.6), (0.05, 0.02), (0.99, 0.5)])
def test_the_probability_of_a_region_is_that_of_its_tables(first: float, second: float) -> None:
    """It is the sum over its tables of the product of two binomial probabilities, the outermost tables among them."""
    n, m = 9, 14
    for z in (0.4, 1.5, 2.6):
        region = rejection_region(n, m, 0.0, z)
        expected = sum(
            stats.binom.pmf(one, n, first) * stats.binom.pmf(other, m, second)
            for one in range(n + 1)
            for other in range(m + 1)
            if other < region[0][one] or other >= region[1][one]
        )
        assert region_probability(n, m, region, first, second) == pytest.approx(expected, rel=1e-9)
