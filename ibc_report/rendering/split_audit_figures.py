"""What a score can tell, as figures: the width of its interval, and learning curves with the predicted slopes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ibc_report.common import wording
from ibc_report.rendering import ticks
from ibc_report.rendering.plot import Axis, Band, Color, Dots, Item, Key, Line, Plot, Shape, Words
from ibc_report.report.schema.split_audit import EvaluationRecord, LearningCurveRecord, PrecisionRecord

__all__ = ["figures_of", "learning_curves", "widths"]

SIZE = (302.0, 216.0)
"""Width and height in points."""

TYPICAL = "0.9"
"""The accuracy whose line is drawn strong."""

MARKERS: dict[str, Shape] = {"nearest": "circle", "linear": "square"}

TICKS = ((4.0, (1, 2, 3, 4, 5, 6, 7, 8, 9)), (40.0, (1, 2, 5)))
"""Digits that an axis has ticks at, where it spans less than a factor; beyond, powers of ten alone."""

MARGIN = 0.05
"""Share of an axis that is left free beyond what it shows."""

LABELS = 0.12
"""Share of an axis that is left free for labels at the ends of lines."""


def figures_of(shown: EvaluationRecord) -> dict[str, Plot]:
    """Draw all figures of a test split.

    Returns
    -------
    dict of str to Plot
        "interval-width" and "learning-curves", as far as the record has what they show.
    """
    drawn = {}
    if shown.precision is not None:
        drawn["interval-width"] = widths(shown.precision)
    if shown.curves:
        drawn["learning-curves"] = learning_curves(shown.curves)
    return drawn


def widths(shown: PrecisionRecord) -> Plot:
    """Plot half the width of the 95 % interval against the number of test rows, this split marked."""
    sizes = shown.widths.n
    percents = {accuracy: [100 * value for value in values] for accuracy, values in shown.widths.halfwidths.items()}
    x = _logarithmic("test rows", sizes, after=LABELS)
    y = _logarithmic("half-width, points", [one for values in percents.values() for one in values])
    items: list[Item] = [Line(((shown.n, y.low), (shown.n, y.high)), "muted", 0.8, dotted=True)]
    for accuracy, percent in percents.items():
        strong = accuracy == TYPICAL
        color: Color = "accent" if strong else "muted"
        items += [
            Line(tuple(zip(sizes, percent, strict=True)), color, 1.8 if strong else 0.9),
            Words(wording.percent(float(accuracy)), sizes[-1], percent[-1], 7.0, color, shift=(3.0, 0.0)),
            Dots(((shown.n, percent[sizes.index(shown.n)]),), "circle", 5.0 if strong else 3.0, "ink"),
        ]
    items.append(Words(f"n = {shown.n:,}", shown.n, 1.0, 7.5, "ink", shift=(4.0, -8.0), centred=False, y_is_share=True))
    return Plot(*SIZE, x, y, tuple(items))


def learning_curves(shown: Sequence[LearningCurveRecord]) -> Plot:
    """Plot mean errors against training rows, with those of each sample, and the band of the predicted slopes.

    Parameters
    ----------
    shown : sequence of LearningCurveRecord
        At least one.

    Returns
    -------
    Plot
        The slopes are predicted for every curve, and their one band starts from the last point of the first; an error
        of 0 has no place on a log axis.
    """
    items: list[Item] = []
    keys = []
    band = _band(shown[0])
    if band is not None:
        items.append(band)
        more = f", the same for all:\ndrawn from the end of {shown[0].name}" if len(shown) > 1 else ""
        keys.append(Key(f"predicted slopes{more}", "grid", None))
    heights = [] if band is None else [end for _, low, high in band.points for end in (low, high)]
    for curve in shown:
        color: Color = "accent" if curve.key == "nearest" else "ink"
        means = tuple((float(point.n), 100 * point.mean) for point in curve.points if point.mean > 0)
        each = tuple((float(point.n), 100 * error) for point in curve.points for error in point.errors if error > 0)
        items += [
            Dots(each, "dash", 5.0, color),
            Line(means, color, 1.2),
            Dots(means, MARKERS[curve.key], 4.0, color),
        ]
        keys.append(Key(curve.name, color, MARKERS[curve.key]))
        heights += [height for _, height in (*means, *each)]
    x = _logarithmic("training rows", [float(point.n) for curve in shown for point in curve.points])
    return Plot(*SIZE, x, _logarithmic("error, %", heights or [1.0]), tuple(items), tuple(keys))


def _band(curve: LearningCurveRecord) -> Band | None:
    """The range of slopes that the intrinsic dimension predicts for all curves, through the first one's last point."""
    last = curve.points[-1]
    if last.mean == 0:
        return None
    sizes = np.geomspace(curve.points[0].n, last.n, 40)
    slow, fast = (100 * last.mean * (sizes / last.n) ** -exponent for exponent in curve.predicted)
    points = zip(sizes.tolist(), slow.tolist(), np.minimum(fast, 100).tolist(), strict=True)
    return Band(tuple(points), "grid")


def _logarithmic(label: str, values: Sequence[float], *, after: float = MARGIN) -> Axis:
    """A logarithmic axis with plain numbers on it."""
    low, high = min(values), max(values)
    span = high / low
    if span == 1:
        low, high, span = low / 2, high * 2, 4.0
    digits = next((found for most, found in TICKS if span < most), (1,))
    low, high = low / span**MARGIN, high * span**after
    places = ticks.logarithmic(low, high, digits, most=8)
    return Axis(label, low, high, tuple((place, wording.number(place)) for place in places), logarithmic=True)
