"""Axes: where values lie along them."""

from __future__ import annotations

import pytest

from ibc_report.rendering.plot import Axis


@pytest.mark.parametrize(("logarithmic", "middle"), [(False, 50.5), (True, 10.0)])
def test_the_ends_and_the_middle_of_an_axis(*, logarithmic: bool, middle: float) -> None:
    """Its ends are 0 and 1, and half of it is the mean of the ends, or of their logarithms."""
    axis = Axis("", 1.0, 100.0, (), logarithmic=logarithmic)
    assert [axis.share(value) for value in (1.0, middle, 100.0)] == pytest.approx([0.0, 0.5, 1.0])
