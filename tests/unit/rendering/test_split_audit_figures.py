"""Learning curves: the lines end where the errors were measured, and the predicted slopes are there once."""

from __future__ import annotations

import numpy as np
import pytest

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
    axes = learning_curves((NEAREST, LINEAR)).axes[0]
    lines = [line for line in axes.lines if line.get_linestyle() == "-"]

    assert [line.get_label() for line in lines] == ["1-NN", "linear probe"]
    for line, shown in zip(lines, (NEAREST, LINEAR), strict=True):
        assert np.asarray(line.get_xdata()).tolist() == list(SIZES)
        assert np.asarray(line.get_ydata()) == pytest.approx([100 * point.mean for point in shown.points])


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        pytest.param((NEAREST,), "predicted slopes", id="one"),
        pytest.param((NEAREST, LINEAR), "predicted slopes, the same for all:\ndrawn from the end of 1-NN", id="two"),
    ],
)
def test_the_predicted_slopes_are_drawn_once(shown: tuple[LearningCurveRecord, ...], said: str) -> None:
    """There is one band, and the legend says that it is for every curve."""
    axes = learning_curves(shown).axes[0]

    assert len(axes.collections) == 1
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [said, *(one.name for one in shown)]  # type: ignore[union-attr]
