"""Where intervals fall short: the regions that the package ships, and which tasks lie in them."""

from __future__ import annotations

from math import inf

import pytest

from ibc_report.report.sections import calibration
from ibc_report.report.sections.calibration import Kind, Region, counted, kinds, regions, shortfalls

REGION = Region("bits, true", (10.0, 16.0), (700.0, inf), 0.9, 0.7, 100)


@pytest.mark.parametrize(
    ("dimension", "n", "inside"),
    [
        (10.0, 1000, False),
        (10.1, 1000, True),
        (16.0, 701, True),
        (16.1, 1000, False),
        (12, 700, False),
        (12, 1e9, True),
    ],
)
def test_a_region_is_above_its_first_bounds_and_up_to_its_second(dimension: float, n: float, inside: bool) -> None:
    """Neighbouring regions share no task."""
    assert REGION.holds(dimension, n) is inside


def test_the_shipped_regions_fall_short() -> None:
    """Each names its interval and bounds, and covers less than it promises in at least twenty draws."""
    for region in regions():
        assert region.interval
        assert region.dimension[0] < region.dimension[1]
        assert region.rows[0] < region.rows[1]
        assert 0 <= region.covered < region.promised < 1
        assert region.draws >= 20


def test_a_task_falls_short_by_each_interval_once_at_most() -> None:
    """The regions of one interval do not overlap."""
    for dimension in (1.5, 4.0, 8.0, 14.0, 20.0, 40.0):
        for n in (300, 600, 1200, 3000, 8000, 60_000):
            names = [region.interval for region in shortfalls(dimension, n)]
            assert len(names) == len(set(names))


def test_what_was_counted_is_said_as_it_is_shipped() -> None:
    """The sentence of a card has the least and the largest share of the bits, and names what falls short."""
    for intervals in (("m, this scale", "δ", "bits, this scale"), ("m, true", "bits, true")):
        said = counted(intervals)
        shares = {kind.kind: kind.covered for kind in kinds() if kind.interval == intervals[-1]}
        assert len(shares) >= 15
        assert f"{100 * min(shares.values()):.3g} %" in said
        assert f"{100 * max(shares.values()):.3g} %" in said
        short = {
            kind.kind for kind in kinds() if kind.interval in intervals and not kind.passes and kind.covered < 0.98
        }
        assert all(kind in said for kind in short)
        assert ("Short of it" in said) == bool(short)


def test_what_falls_short_is_named_and_what_is_too_wide_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A share below what is promised is named with its number; 98 % and more is no shortfall, whatever its goal."""
    found = (
        Kind("moons", "δ", 400, 0.805, passes=False),
        Kind("rolls", "δ", 400, 0.98, passes=False),
        Kind("moons", "bits, true", 400, 0.871, passes=False),
        Kind("rolls", "bits, true", 400, 0.979, passes=False),
        Kind("shells", "bits, true", 400, 0.95, passes=True),
    )
    monkeypatch.setattr(calibration, "kinds", lambda: found)
    said = counted(("δ", "bits, true"))
    assert said == (
        "On synthetic tasks whose truth is known, of 3 kinds, the interval of the bits covered it in 87.1 % (moons) to "
        "97.9 % of draws. Short of it: the margin of moons 80.5 %; the bits of moons 87.1 %; the bits of rolls 97.9 %."
    )
    assert counted(("m, true",)) == ""
