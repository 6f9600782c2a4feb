"""Ticks: round, within the ends, and neither too few nor too many."""

from __future__ import annotations

from itertools import pairwise
from math import isclose, log10

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.rendering.ticks import even, logarithmic, whole
from tests.support.samples import few_properties


@few_properties
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_even_ticks_are_round_and_few(low: float, span: float) -> None:
    """From two to seven multiples of one round step lie between any two ends."""
    places = even(low, low + span)
    steps = [after - before for before, after in pairwise(places)]

    assert 2 <= len(places) <= 7
    assert low - 1e-6 * span <= places[0] <= places[-1] <= low + span * (1 + 1e-6)
    digit = steps[0] / 10 ** round(log10(steps[0]) // 1)
    assert any(isclose(digit, round_one, rel_tol=1e-3) for round_one in (1, 2, 2.5, 5, 10))


@few_properties
@given(st.floats(-1e3, 1e3), st.floats(0.1, 1e4))
def test_whole_ticks_are_whole(low: float, span: float) -> None:
    """At most seven whole numbers, all of them where the ends are less than seven apart."""
    places = whole(low, low + span)

    assert len(places) <= 7
    assert all(place == round(place) for place in places)
    if span < 6:
        assert places == [float(place) for place in range(-1001, 1010) if low <= place <= low + span]


@pytest.mark.parametrize(
    ("low", "high", "digits", "places"),
    [
        (0.9, 120.0, (1,), [1, 10, 100]),
        (1.5, 60.0, (1, 2, 5), [2, 5, 10, 20, 50]),
        (1e-9, 1e9, (1,), [1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9]),
        (2.1, 2.9, (1, 2, 5), []),
    ],
)
def test_logarithmic_ticks(low: float, high: float, digits: tuple[int, ...], places: list[float]) -> None:
    """A digit times a power of ten, powers alone over many decades, and of very many every so many."""
    most = 7 if high == 1e9 else 6
    assert logarithmic(low, high, digits, most) == pytest.approx(places)
