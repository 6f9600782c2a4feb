"""Tests of two accuracies: published values, brute force, and what holds for all counts."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.comparisons import discordant, mcnemar, paired_interval, two_proportions
from ibc_report.evaluation.statistics.multiple_testing import benjamini_hochberg, holm
from tests.support.profiles import examples
from tests.support.samples import few_properties

cells = st.integers(0, 200)

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def ends(interval: object) -> tuple[float, float]:
    """An interval as papers print it."""
    return round(getattr(interval, "lower", inf), 4), round(getattr(interval, "upper", inf), 4)


def test_gsm8k_against_gsm1k() -> None:
    """0.782 of 1,319 against 0.684 of 1,250: SE 0.01738, z 5.638, pooled 5.621, interval [0.0636, 0.1324]."""
    found = two_proportions(0.782 * 1319, 1319, 0.684 * 1250, 1250)
    assert round(found.standard_error, 5) == 0.01738
    assert round(found.z, 3) == 5.638
    assert round(found.pooled_z, 3) == 5.621
    assert ends(found.interval) == (0.0636, 0.1324)
    assert found.pooled_p < found.p < 1e-7


def test_one_point_between_the_two_is_nothing() -> None:
    """One point at these sizes is z 0.575."""
    standard_error = two_proportions(0.782 * 1319, 1319, 0.684 * 1250, 1250).standard_error
    assert round(0.01 / standard_error, 3) == 0.575


@few_properties
@given(cells, cells, cells, cells)
def test_paired_intervals_hold_the_difference_and_mirror(both: int, first: int, second: int, neither: int) -> None:
    """The interval holds the observed difference within −1 and 1, and swapping the models mirrors it."""
    n = both + first + second + neither
    if n == 0:
        with pytest.raises(InputError):
            paired_interval(0, 0, 0, 0)
        return
    found, mirrored = paired_interval(both, first, second, neither), paired_interval(both, second, first, neither)
    assert -1 <= found.lower <= (first - second) / n <= found.upper <= 1
    assert found.lower == pytest.approx(-mirrored.upper, abs=1e-12)


def test_paired_intervals_cover() -> None:
    """Of simulated pairs of models that err together, 95 % or a little more have the true difference inside."""
    rng = np.random.default_rng(0)
    shares = [0.7, 0.08, 0.05, 0.17]
    inside = [
        found.lower <= 0.03 <= found.upper
        for draw in rng.multinomial(300, shares, size=1500)
        for found in [paired_interval(*(int(count) for count in draw))]
    ]
    assert 0.94 < np.mean(inside) < 0.985


@few_properties
@given(cells, cells, cells, cells, st.sampled_from([0.8, 0.95, 0.99]))
def test_paired_intervals_agree_with_the_exact_test(
    both: int, one: int, other: int, neither: int, level: float
) -> None:
    """0 lies outside exactly where the exact p is below 1 − level, also where the models nearly always agree."""
    if both + one + other + neither:
        found = paired_interval(both, one, other, neither, level)
        assert (found.lower > 0 or found.upper < 0) == (mcnemar(one, other).exact_p < 1 - level)


@pytest.mark.parametrize("n", [20, 45])
def test_paired_intervals_cover_wherever_the_truth_is(n: int) -> None:
    """Enumerated over all outcomes, at least 95 % have the true difference inside, one-sided disagreement included."""
    first, second = (each.ravel() for each in np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij"))
    first, second = first[first + second <= n], second[first + second <= n]
    found = [paired_interval(0, b, c, n - b - c) for b, c in zip(first.tolist(), second.tolist(), strict=True)]
    lower, upper = np.array([one.lower for one in found]), np.array([one.upper for one in found])
    for disagreement in (0.03, 0.1, 0.3, 0.8):
        for lean in (0.0, 0.5, 1.0):
            cells = [disagreement * (1 + lean) / 2, disagreement * (1 - lean) / 2, 1 - disagreement]
            law = np.asarray(stats.multinomial.pmf(np.c_[first, second, n - first - second], n, cells))
            difference = disagreement * lean
            inside = (lower <= difference + 1e-12) & (difference <= upper + 1e-12)
            assert law[inside].sum() >= 0.95


def test_mcnemar_values() -> None:
    """121 against 59 and 6 against 16 give their published statistics and p."""
    many, few = mcnemar(121, 59), mcnemar(6, 16)
    assert (round(many.statistic, 3), round(many.corrected_statistic, 3)) == (21.356, 20.672)
    assert many.exact_p == pytest.approx(4.43e-6, rel=2e-3)
    assert (round(few.statistic, 3), round(few.p, 4)) == (4.545, 0.0330)
    assert (round(few.exact_p, 4), round(few.mid_p, 4)) == (0.0525, 0.0347)


@few_properties
@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_against_fractions(first: int, second: int) -> None:
    """Exact p and mid-p are those of the binomial, in exact arithmetic; models that agree everywhere give 1."""
    found = mcnemar(first, second)
    total, fewer = first + second, min(first, second)
    tail = Fraction(sum(comb(total, i) for i in range(fewer + 1)), 2**total)
    at = Fraction(comb(total, fewer), 2**total)
    assert found.exact_p == pytest.approx(float(min(Fraction(1), 2 * tail)), rel=1e-9)
    expected = float(min(Fraction(1), 2 * tail - at)) if total else 1.0
    assert found.mid_p == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert found.mid_p <= found.exact_p
    assert found.corrected_p >= found.p
    assert found.exact_p == pytest.approx(mcnemar(second, first).exact_p)


def test_mcnemar_at_a_million_examples() -> None:
    """Large counts neither overflow nor lose the tail."""
    found = mcnemar(500_000, 498_000)
    assert found.exact_p == pytest.approx(stats.binomtest(498_000, 998_000).pvalue, rel=1e-6)
    assert 0 < found.mid_p < found.exact_p


@settings(few_properties, max_examples=examples(5))
@given(st.integers(0, 20), st.integers(0, 20))
def test_equal_accuracies_on_equal_numbers(correct: int, wrong: int) -> None:
    """Two equal accuracies differ by 0 with z 0 and p 1, also where all or none are right."""
    n = correct + wrong + 1
    found = two_proportions(correct, n, correct, n)
    assert (found.difference, found.z, found.p, found.pooled_z, found.pooled_p) == (0, 0, 1, 0, 1)
    assert found.interval.lower <= 0 <= found.interval.upper


def test_all_right_against_none() -> None:
    """Where the unpooled error is 0 and the accuracies differ, z is infinite, and the pooled one is not."""
    found = two_proportions(10, 10, 0, 10)
    assert found.z == inf
    assert 0 < found.p < 1e-4
    assert found.pooled_z == pytest.approx(20**0.5)


@few_properties
@given(p_values)
def test_holm_is_the_closed_test_of_bonferroni(p: list[float]) -> None:
    """A hypothesis is rejected where Bonferroni rejects every set that it is in: the definition, by brute force."""
    corrected = holm(p)
    for i in range(len(p)):
        others = [j for j in range(len(p)) if j != i]
        sets = [(i, *more) for size in range(len(p)) for more in combinations(others, size)]
        closed = max(min(1.0, len(members) * min(p[j] for j in members)) for members in sets)
        assert corrected[i] == pytest.approx(closed)


@few_properties
@given(p_values)
def test_benjamini_hochberg_against_scipy(p: list[float]) -> None:
    """Corrected p are scipy's, at least the p themselves, and at most Holm's."""
    corrected = benjamini_hochberg(p)
    assert corrected == pytest.approx(stats.false_discovery_control(p))
    assert np.all(corrected >= np.asarray(p) - 1e-15)
    assert np.all(corrected <= holm(p) + 1e-12)


def test_nothing_to_correct() -> None:
    """No p-values stay none."""
    assert holm([]).shape == benjamini_hochberg([]).shape == (0,)


@pytest.mark.parametrize("p", [[1.5], [-0.1], [float("nan")]])
def test_what_is_no_p_is_refused(p: list[float]) -> None:
    """Values outside 0 and 1 are refused."""
    with pytest.raises(InputError, match="p-value"):
        holm(p)


@pytest.mark.parametrize("call", [lambda: mcnemar(-1, 2), lambda: paired_interval(1, -1, 0, 0)])
def test_negative_counts_are_refused(call: object) -> None:
    """A negative count is refused."""
    assert callable(call)
    with pytest.raises(InputError, match="negative"):
        call()


@few_properties
@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=50))
def test_discordant_counts(answers: list[tuple[bool, bool]]) -> None:
    """The four counts are those of a loop over examples."""
    first, second = np.array([a for a, _ in answers], dtype=bool), np.array([b for _, b in answers], dtype=bool)
    expected = tuple(answers.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False)))
    assert discordant(first, second) == expected


def test_models_that_agree_everywhere_do_not_differ() -> None:
    """Without a discordant example every statistic is 0 and every p is 1."""
    found = mcnemar(0, 0)
    assert (found.first_only, found.second_only, found.statistic, found.corrected_statistic) == (0, 0, 0, 0)
    assert (found.p, found.corrected_p, found.exact_p, found.mid_p) == (1, 1, 1, 1)
