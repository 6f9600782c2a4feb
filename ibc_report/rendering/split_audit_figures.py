"""What a score can tell, as figures: the width of its interval, and learning curves with the predicted slopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from ibc_report.common import wording
from ibc_report.rendering.canvas import MARKED, Theme, drawing, plain
from ibc_report.report.schema.split_audit import EvaluationRecord, LearningCurveRecord, PrecisionRecord

__all__ = ["figures_of", "learning_curves", "widths"]

SIZE = (4.2, 3.0)

TYPICAL = "0.9"
"""The accuracy whose line is drawn strong."""

MARKERS = {"nearest": "o", "linear": "s"}

TICKS = ((4.0, (1, 2, 3, 4, 5, 6, 7, 8, 9)), (40.0, (1, 2, 5)))
"""Digits that an axis has ticks at, where it spans less than a factor; beyond, powers of ten alone."""


def figures_of(shown: EvaluationRecord, theme: Theme = MARKED) -> dict[str, Figure]:
    """Draw all figures of a test split.

    Returns
    -------
    dict of str to Figure
        "interval-width" and "learning-curves", as far as the record has what they show.
    """
    drawn = {}
    if shown.precision is not None:
        drawn["interval-width"] = widths(shown.precision, theme)
    if shown.curves:
        drawn["learning-curves"] = learning_curves(shown.curves, theme)
    return drawn


def widths(shown: PrecisionRecord, theme: Theme = MARKED) -> Figure:
    """Plot half the width of the 95 % interval against the number of test rows, this split marked."""
    with drawing():
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.add_subplot()
        for accuracy, halfwidths in shown.widths.halfwidths.items():
            strong = accuracy == TYPICAL
            color = theme.accent if strong else theme.muted
            percent = [100 * value for value in halfwidths]
            axes.plot(shown.widths.n, percent, color=color, linewidth=1.8 if strong else 0.9)
            axes.annotate(
                wording.percent(float(accuracy)),
                (shown.widths.n[-1], percent[-1]),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color=color,
            )
            here = percent[shown.widths.n.index(shown.n)]
            axes.plot([shown.n], [here], marker="o", markersize=5 if strong else 3, color=theme.ink)
        axes.axvline(shown.n, color=theme.muted, linewidth=0.8, linestyle=":")
        axes.annotate(
            f"n = {shown.n:,}",
            (shown.n, 1),
            xycoords=("data", "axes fraction"),
            xytext=(4, -8),
            textcoords="offset points",
            fontsize=7.5,
            color=theme.ink,
        )
        _logarithmic(axes, shown.widths.n, [100 * one for values in shown.widths.halfwidths.values() for one in values])
        axes.set_xlim(shown.widths.n[0], shown.widths.n[-1] * (shown.widths.n[-1] / shown.widths.n[0]) ** 0.12)
        axes.set_xlabel("test rows", color=theme.ink)
        axes.set_ylabel("half-width, points", color=theme.ink)
        plain(axes, theme)
    return figure


def learning_curves(shown: Sequence[LearningCurveRecord], theme: Theme = MARKED) -> Figure:
    """Plot mean errors against training rows, with those of each sample, and the band of the predicted slopes.

    Parameters
    ----------
    shown : sequence of LearningCurveRecord
        At least one.

    Returns
    -------
    Figure
        The slopes are predicted for every curve, and their one band starts from the last point of the first; an error
        of 0 has no place on a log axis.
    """
    with drawing():
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.add_subplot()
        errors = [100 * point.mean for curve in shown for point in curve.points if point.mean > 0]
        _band(axes, shown, theme)
        for curve in shown:
            color = theme.accent if curve.key == "nearest" else theme.ink
            points = [(point.n, 100 * point.mean) for point in curve.points if point.mean > 0]
            for point in curve.points:
                spread = [100 * error for error in point.errors if error > 0]
                axes.plot([point.n] * len(spread), spread, linestyle="none", marker="_", markersize=5, color=color)
            axes.plot(
                [n for n, _ in points],
                [error for _, error in points],
                linewidth=1.2,
                marker=MARKERS[curve.key],
                markersize=4,
                color=color,
                label=curve.name,
            )
        _logarithmic(axes, [point.n for curve in shown for point in curve.points], errors)
        axes.set_xlabel("training rows", color=theme.ink)
        axes.set_ylabel("error, %", color=theme.ink)
        plain(axes, theme)
        legend = axes.legend(fontsize=7.5, frameon=False, labelcolor=theme.ink, loc="upper right")
        legend.set_zorder(5)
    return figure


def _band(axes: Any, shown: Sequence[LearningCurveRecord], theme: Theme) -> None:
    """The range of slopes that the intrinsic dimension predicts for all curves, through the first one's last point."""
    curve = shown[0]
    last = curve.points[-1]
    said = "predicted slopes" + (f", the same for all:\ndrawn from the end of {curve.name}" if len(shown) > 1 else "")
    if last.mean == 0:
        return
    sizes = np.geomspace(curve.points[0].n, last.n, 40)
    slow, fast = (100 * last.mean * (sizes / last.n) ** -exponent for exponent in curve.predicted)
    axes.fill_between(sizes, slow, np.minimum(fast, 100), color=theme.grid, linewidth=0, label=said)


def _logarithmic(axes: Any, first: Sequence[float], second: Sequence[float]) -> None:
    """Both axes logarithmic, with plain numbers on them."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis, values in ((axes.xaxis, first), (axes.yaxis, second)):
        span = max(values, default=1.0) / min(values, default=1.0)
        digits = next((found for most, found in TICKS if span < most), (1,))
        axis.set_major_locator(LogLocator(subs=digits, numticks=8))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: wording.number(value)))
