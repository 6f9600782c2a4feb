"""Intervals of an accuracy: published values, the equations that define them, and what holds for all."""

from __future__ import annotations

from math import comb, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.proportions import METHODS, clopper_pearson, halfwidth, two_sided, wald, wilson
from tests.support.samples import few_properties

counts = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))

levels = st.floats(0.5, 0.999)


@pytest.mark.parametrize(
    ("accuracy", "n", "points"),
    [
        (0.8, 100, 7.84),
        (0.8, 1000, 2.48),
        (0.8, 1250, 2.22),
        (0.8, 5000, 1.11),
        (0.8, 14042, 0.66),
        (0.5, 100, 9.80),
        (0.5, 1000, 3.10),
        (0.5, 1250, 2.77),
        (0.5, 5000, 1.39),
        (0.5, 14042, 0.83),
    ],
)
def test_wald_halfwidths(accuracy: float, n: int, points: float) -> None:
    """The textbook's half-widths in points come out."""
    assert round(100 * halfwidth(accuracy, n, "wald"), 2) == points


@pytest.mark.parametrize(
    ("correct", "n", "score", "exact"),
    [(80, 100, (0.7112, 0.8666), (0.7082, 0.8733)), (0, 30, (0, 0.1135), (0, 0.1157))],
)
def test_published_intervals(correct: int, n: int, score: tuple[float, float], exact: tuple[float, float]) -> None:
    """Wilson's and Clopper and Pearson's intervals have their published ends."""
    for found, ends in ((wilson(correct, n), score), (clopper_pearson(correct, n), exact)):
        assert (round(found.lower, 4), round(found.upper, 4)) == ends


@few_properties
@given(counts, levels)
def test_wilson_solves_the_score_equation(count: tuple[int, int], level: float) -> None:
    """At each end of Wilson's interval the observed share lies z standard errors of that end away."""
    correct, n = count
    found, z = wilson(correct, n, level), two_sided(level)
    for end, observed in ((found.lower, correct > 0), (found.upper, correct < n)):
        if observed:
            assert abs(correct / n - end) == pytest.approx(z * sqrt(end * (1 - end) / n), rel=1e-6, abs=1e-12)


@few_properties
@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), levels)
def test_clopper_pearson_leaves_half_the_size_in_each_tail(count: tuple[int, int], level: float) -> None:
    """At each end the binomial tail beyond what was seen has probability (1 − level)/2, summed term by term."""
    correct, n = count
    found = clopper_pearson(correct, n, level)

    def tail(share: float, terms: range) -> float:
        return sum(comb(n, i) * share**i * (1 - share) ** (n - i) for i in terms)

    if correct > 0:
        assert tail(found.lower, range(correct, n + 1)) == pytest.approx((1 - level) / 2, rel=1e-6)
    if correct < n:
        assert tail(found.upper, range(correct + 1)) == pytest.approx((1 - level) / 2, rel=1e-6)


@few_properties
@given(counts, levels)
def test_intervals_hold_the_share_and_mirror(count: tuple[int, int], level: float) -> None:
    """Each interval holds the observed share, and that of the wrong answers is its mirror image."""
    correct, n = count
    for method in METHODS.values():
        found, mirrored = method(correct, n, level), method(n - correct, n, level)
        assert found.lower <= correct / n <= found.upper
        assert found.lower == pytest.approx(1 - mirrored.upper, abs=1e-9)
        assert found.upper == pytest.approx(1 - mirrored.lower, abs=1e-9)


@few_properties
@given(counts)
def test_the_exact_interval_is_the_wider_at_the_ends(count: tuple[int, int]) -> None:
    """Both intervals stay within 0 and 1 and widen with the level, as Wald's does without staying."""
    correct, n = count
    for method in (wilson, clopper_pearson):
        narrow, wide = method(correct, n, 0.8), method(correct, n, 0.99)
        assert 0 <= wide.lower <= narrow.lower <= narrow.upper <= wide.upper <= 1
    assert wald(correct, n, 0.99).halfwidth >= wald(correct, n, 0.8).halfwidth


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: wilson(5, 0), "none; give a number above 0"),
        (lambda: wilson(5, float("nan")), "none; give a number above 0"),
        (lambda: wald(11, 10), "not within 0 and n = 10"),
        (lambda: clopper_pearson(-1, 10), "not within 0 and n = 10"),
        (lambda: wilson(5, 10, 95), "level 95 is not between 0 and 1"),
        (lambda: halfwidth(80, 10), "accuracy 80 is not within 0 and 1"),
        (lambda: halfwidth(0.8, 10, "wilsen"), "did you mean 'wilson'?"),
    ],
)
def test_numbers_outside_their_domain_are_refused(call: object, said: str) -> None:
    """What is no count, share or level is named."""
    assert callable(call)
    with pytest.raises(InputError, match=said):
        call()
