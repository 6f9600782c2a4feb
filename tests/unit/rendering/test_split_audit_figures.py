"""Learning curves: the lines end where the errors were measured, and the predicted slopes are there once."""

from __future__ import annotations

import pytest

from ibc_report.rendering.plot import Band, Line
from ibc_report.rendering.split_audit_figures import learning_curves
from ibc_report.report.schema.split_audit import LearningCurveRecord, PowerLawRecord, SizeRecord

SIZES = (50, 100, 200)


def curve(key: str, name: str, *errors: tuple[float, ...]) -> LearningCurveRecord:
    """A curve with a fitted law that misses its last point."""
    points = tuple(
        SizeRecord(n=n, errors=found, mean=sum(found) / len(found), text="")
        for n, found in zip(SIZES, errors, strict=True)
    )
    law = PowerLawRecord(a=0.1, exponent=0.5, floor=0.0, exponent_error=0.1, text="")
    return LearningCurveRecord(key=key, name=name, points=points, n=90, law=law, predicted=(0.1, 0.4), text="")


NEAREST = curve("nearest", "1-NN", (0.4, 0.5), (0.2, 0.3), (0.2,))

LINEAR = curve("linear", "linear probe", (0.6, 0.6), (0.5, 0.5), (0.45,))


def test_each_line_goes_through_the_measured_means() -> None:
    """A curve's line joins the means, and lies neither above nor below its last point."""
    plot = learning_curves((NEAREST, LINEAR))
    lines = [item for item in plot.items if isinstance(item, Line)]

    assert [key.text for key in plot.legend][1:] == ["1-NN", "linear probe"]
    for line, shown in zip(lines, (NEAREST, LINEAR), strict=True):
        assert [n for n, _ in line.points] == list(SIZES)
        assert [error for _, error in line.points] == pytest.approx([100 * point.mean for point in shown.points])


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        pytest.param((NEAREST,), "predicted slopes", id="one"),
        pytest.param((NEAREST, LINEAR), "predicted slopes, the same for all:\ndrawn from the end of 1-NN", id="two"),
    ],
)
def test_the_predicted_slopes_are_drawn_once(shown: tuple[LearningCurveRecord, ...], said: str) -> None:
    """There is one band, and the legend says that it is for every curve."""
    plot = learning_curves(shown)

    assert sum(isinstance(item, Band) for item in plot.items) == 1
    assert [key.text for key in plot.legend] == [said, *(one.name for one in shown)]


def test_errors_of_0_leave_axes_that_draw() -> None:
    """A curve whose errors are all 0 has no place on a log axis, and the figure still has one."""
    perfect = curve("nearest", "1-NN", (0.0,), (0.0,), (0.0,))
    axis = learning_curves((perfect,)).y

    assert 0 < axis.low < axis.high
