"""The headline: the number, its interval, and first of all whether the data fix it."""

from __future__ import annotations

from math import inf

import pytest

from ibc_report.complexity import evaluate
from ibc_report.complexity.extreme_values import known
from ibc_report.complexity.uncertainty import Ends, Noise, Ranges, Spread, spread
from ibc_report.report.sections.headline import headline_section
from tests.support.samples import image_task

TASK = evaluate("classification", image_task("mnist", dimension=14.247))


def within(sample: tuple[float, float], truth: tuple[float, float] | None) -> Spread:
    """A spread with these ends of log10 bits."""
    there = Ends(1.0, 2.0)
    ranges = [None if ends is None else Ranges(Ends(*ends), there, there) for ends in (sample, truth)]
    assert ranges[0] is not None
    return Spread(0.95, 0.5, 0.1, 0.1, 0.4, 0.1, ranges[0], ranges[1])


@pytest.mark.parametrize(
    ("sample", "truth", "said"),
    [
        ((14.0, 17.0), (14.0, 17.0), ""),
        ((14.0, 17.0), None, ""),
        (
            (15.0, 17.0),
            (14.0, 17.1),
            "These data do not fix the number: for the true dimension they allow 10^14.0 to 10^17.1 bits.",
        ),
        ((14.0, 17.02), None, "These data do not fix the number: they allow 10^14.0 to 10^17.0 bits."),
        ((13.0, 17.1), None, "These data do not fix the number: they allow 10^13.0 to 10^17.1 bits."),
        (
            (15.0, 17.0),
            (14.0, inf),
            "These data do not fix the number: for the true dimension they allow 10^14.0 bits or more.",
        ),
        ((-inf, 17.0), None, "These data do not fix the number: they allow 0 to 10^17.0 bits."),
    ],
)
def test_three_decades_are_the_most_that_fix_a_number(
    sample: tuple[float, float], truth: tuple[float, float] | None, said: str
) -> None:
    """A wider interval is said first, the wider of the two, with its ends; one of three decades is not."""
    assert headline_section(TASK, within(sample, truth), declared=False).not_fixed == said


def test_declared_numbers_and_0_bits_have_no_such_sentence() -> None:
    """Nothing was measured of a declared task, and nothing is around 0 bits."""
    wide = within((10.0, 20.0), (10.0, 20.0))
    assert headline_section(TASK, wide, declared=True).not_fixed == ""
    zero = evaluate("classification", image_task("mnist", n=1e30))
    found = spread(zero, Noise(0.1, 0.5, known(14.0), None, (13.0, 18.0)))
    assert headline_section(zero, found, declared=False).not_fixed == ""
