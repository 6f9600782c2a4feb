"""Report to figures: what each of them shows, and its alternative text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import ceil, floor
from unicodedata import east_asian_width

from ibc_report.common.escaping import one_line
from ibc_report.common.wording import number
from ibc_report.rendering import ticks
from ibc_report.rendering.plot import Axis, Bar, Dots, Item, Line, Plot, Words
from ibc_report.report.schema.document import Curve, ReportDocument
from ibc_report.report.schema.sections import SensitivityRecord

__all__ = ["catalog", "catalog_text", "curve", "ruler", "ruler_text", "ruler_words", "tornado"]

SUPERSCRIPT = str.maketrans("0123456789-−.", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⋅")

NARROW = 331.0
"""Points that a phone's screen shows at a legible size."""

CURVE = (245.0, 180.0)
"""Width and height of a curve."""

MARGIN = 0.05
"""Share of an axis that is left free beyond a curve."""

ROW_HEIGHT = 30.0
"""Of a dot plot: its title, and the line of its dot below."""

TITLE_LIFT = 0.27
"""Rows by which a title stands above the line of its dot."""

AROUND = 50.0
"""Height of a plot with rows beside its rows: the axis and its label."""

ROOM = 1.2
"""How far the axis of a dot plot reaches beyond the farthest dot, for its label."""

TITLE_WIDTH = 40
"""Letters of a title on a dot plot; a wide one counts as one and a half."""

TITLE_SIZE = 8.5

DECADES = 100.0
"""A logarithmic axis that spans less has more than powers of ten."""


def curve(report: ReportDocument, shown: Curve) -> Plot:
    """Plot bits against one input, the present point marked with its interval."""
    points = tuple((x, y) for x, y in zip(shown.values, shown.log10_bits, strict=True) if y is not None)
    zeros = tuple(x for x, y in zip(shown.values, shown.log10_bits, strict=True) if y is None)
    lowest = min((y for _, y in points), default=0.0)
    items: list[Item] = [Line(points, "accent", 1.6)]
    if zeros:
        items.append(Dots(tuple((x, lowest) for x in zeros), "cross", 3.0, "muted"))
        said = Words(
            "×: 0 bits", 0.98, 0.04, 7.0, "muted", anchor="end", centred=False, x_is_share=True, y_is_share=True
        )
        items.append(said)
    heights = [y for _, y in points] or [lowest]
    headline = report.headline
    present = headline.log10_bits
    if present is not None:
        heights.append(present)
        if headline.lower is not None and headline.upper is not None:
            heights += [headline.lower, headline.upper]
    y = _bits_axis(min(heights), max(heights), "bits")
    if present is not None:
        items.append(Line(((shown.present, y.low), (shown.present, y.high)), "muted", 0.8, dotted=True))
        if headline.lower is not None and headline.upper is not None:
            items.append(Line(((shown.present, headline.lower), (shown.present, headline.upper)), "ink", 1.0))
        items.append(Dots(((shown.present, present),), "circle", 6.0, "ink"))
    label = f"{shown.name} ({shown.symbol})" if shown.symbol else shown.name
    return Plot(*CURVE, _input_axis(shown, label), y, tuple(items))


def _input_axis(shown: Curve, label: str) -> Axis:
    low, high = min(shown.values), max(shown.values)
    if shown.key == "dimension":
        room = MARGIN * (high - low)
        low, high = low - room, high + room
        return Axis(label, low, high, tuple((place, number(place)) for place in ticks.even(low, high)))
    room = (high / low) ** MARGIN
    digits = (1, 2, 5) if high / low < DECADES else (1,)
    low, high = low / room, high * room
    places = ticks.logarithmic(low, high, digits)
    return Axis(label, low, high, tuple((place, _short(place)) for place in places), logarithmic=True)


def _bits_axis(low: float, high: float, label: str, *, margin: float = MARGIN) -> Axis:
    """An axis of log10 bits, with at least two whole powers in sight."""
    room = margin * (high - low)
    low, high = low - room, high + room
    # with fewer than two whole powers in sight there would be fractions on the axis
    if floor(high) <= ceil(low):
        low, high = floor(low), max(ceil(high), floor(low) + 1)
    places = ticks.whole(low, high)
    return Axis(label, low, high, tuple((place, f"10{f'{place:g}'.translate(SUPERSCRIPT)}") for place in places))


def ruler(report: ReportDocument) -> Plot:
    """Place a task among the paper's benchmarks."""
    headline = report.headline
    rows = [_Row(mark.title, mark.log10_bits, None, None, measured=False, strong=False) for mark in report.ruler]
    if headline.log10_bits is not None:
        measured = report.data is not None
        own = _Row(report.title, headline.log10_bits, headline.lower, headline.upper, measured=measured, strong=True)
        rows.append(own)
    return _dots(sorted(rows, key=lambda row: row.value))


def catalog(reports: Sequence[ReportDocument]) -> Plot:
    """Compare all tasks of a catalog, as the paper's Figure 5 does.

    Parameters
    ----------
    reports : sequence of Report
        At least one, the easiest first: the last is on top.
    """
    return _dots(
        [
            _Row(
                report.title,
                report.headline.log10_bits,
                report.headline.lower,
                report.headline.upper,
                measured=report.data is not None,
                strong=report.data is not None,
            )
            for report in reports
            if report.headline.log10_bits is not None
        ]
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a dot plot: a filled dot was measured here, an open one is declared or published; strong is bold."""

    title: str
    value: float
    lower: float | None
    upper: float | None
    measured: bool
    strong: bool


def _dots(rows: Sequence[_Row]) -> Plot:
    """Draw the rows from the bottom up."""
    items: list[Item] = []
    for place, row in enumerate(rows):
        if row.lower is not None and row.upper is not None:
            items.append(Line(((row.lower, place), (row.upper, place)), "ink", 2.0))
        mark = Dots(((row.value, place),), "circle", 5.0, "accent", filled=False)
        items.append(replace(mark, shape="diamond", size=7.0, filled=True) if row.measured else mark)
        far = max(row.value, row.upper or 0.0)
        power = f"10^{row.value:.1f}"
        items.append(
            Words(power, far, place, TITLE_SIZE, "ink" if row.strong else "muted", shift=(7.0, -1.0), is_power=True)
        )
        items.append(_title(_cut(row.title), place + TITLE_LIFT, bold=row.strong))
    highest = max((max(row.value, row.upper or 0.0) for row in rows), default=1.0)
    lowest = min([0.0, *(row.lower or 0.0 for row in rows)])
    x = _bits_axis(
        lowest, highest * ROOM, "bits, log scale (filled: measured, open: declared or published)", margin=0.0
    )
    return Plot(NARROW, AROUND + ROW_HEIGHT * max(1, len(rows)), x, _rows(len(rows), -0.6), tuple(items), has_rows=True)


def _rows(count: int, low: float) -> Axis:
    return Axis("", low, max(count, 1) - 0.1, tuple((float(place), "") for place in range(count)))


def _title(text: str, height: float, *, bold: bool = False) -> Words:
    """The title of a row above it, from the axes' left end: beside them a narrow screen has no room."""
    return Words(text, 0.0, height, TITLE_SIZE, "ink", shift=(2.0, 0.0), centred=False, bold=bold, x_is_share=True)


def _cut(title: str) -> str:
    text = one_line(title)
    used = list(accumulate(1.5 if letter.isupper() or east_asian_width(letter) in "WF" else 1.0 for letter in text))
    if used and used[-1] > TITLE_WIDTH:
        text = text[: sum(width <= TITLE_WIDTH - 1 for width in used)] + "…"
    return text


def _short(value: float) -> str:
    if 1e-3 <= value < 1e5:
        return number(value)
    mantissa, _, size = f"{value:.0e}".partition("e")
    power = f"10{str(int(size)).translate(SUPERSCRIPT)}"
    return power if mantissa == "1" else f"{mantissa}·{power}"


BAR_HEIGHT = 33.0
"""Of a bar's row: its name, and the bar below."""

THICKNESS = 0.42
"""Of a bar, in rows."""

LEAST_SPAN = 0.5
"""Decades to either side that the axis shows at least, so that bars next to nothing look like it."""

BAR_ROOM = 1.3
"""How far the axis reaches beyond the longest bar, for the labels at its ends."""


def tornado(shown: SensitivityRecord) -> Plot:
    """Draw the decades by which each input moves the bits, the widest bar on top.

    Parameters
    ----------
    shown : SensitivityRecord
        With at least one bar.

    Returns
    -------
    Plot
        At either end of a bar stands the value of the input there. A bar that ends at 0 bits, for which a log axis has
        no place, reaches further left than all others, and says so.
    """
    bars = shown.bars[::-1]
    ends = [end for bar in bars for end in (bar.at_low, bar.at_high) if end is not None]
    left, right = min([-LEAST_SPAN, *ends]), max([LEAST_SPAN, *ends])
    at_zero = left - 0.2 * (right - left)
    to_zero = any(end is None for bar in bars for end in (bar.at_low, bar.at_high))
    items: list[Item] = []
    for place, bar in enumerate(bars):
        (start, first), (stop, last) = sorted(
            (at_zero, f"0 bits at {text}") if end is None else (end, text)
            for end, text in ((bar.at_low, bar.low_text), (bar.at_high, bar.high_text))
        )
        items += [
            Bar(start, stop, place, THICKNESS, "accent"),
            Words(first, start, place, 7.5, "ink", shift=(-4.0, 0.0), anchor="end"),
            Words(last, stop, place, 7.5, "ink", shift=(4.0, 0.0)),
            # no line from top to bottom, which would strike through the names
            Line(((0.0, place - THICKNESS / 2), (0.0, place + THICKNESS / 2)), "ink", 0.8),
            _title(f"{bar.name}: {bar.moved}", place + 0.6 * THICKNESS),
        ]
    beyond = (BAR_ROOM - 1) * (right - left)
    low, high = at_zero - 2 * beyond if to_zero else left - beyond, right + beyond
    x = Axis(
        "decades of bits, with the input as at the bar's ends",
        low,
        high,
        tuple((place, _signed(place)) for place in ticks.even(low, high)),
    )
    y = Axis("", -0.5, len(bars) - 0.2, ())
    return Plot(NARROW, AROUND + 8.0 + BAR_HEIGHT * max(1, len(bars)), x, y, tuple(items), has_rows=True)


def _signed(value: float) -> str:
    return f"{value:+g}".replace("-", "−") if value else "0"


def ruler_text(report: ReportDocument) -> str:
    """Say in words what the ruler shows."""
    return f"{report.title}: {ruler_words(report)}"


def ruler_words(report: ReportDocument) -> str:
    """Say where on the ruler a task lies, without its title."""
    here = report.headline.log10_bits
    value = "0 bits" if here is None else f"10^{report.headline.exponent} bits"
    below = [mark for mark in report.ruler if here is not None and mark.log10_bits <= here]
    above = [mark for mark in report.ruler if here is None or mark.log10_bits > here]
    parts = [value]
    if below:
        nearest = max(below, key=lambda mark: mark.log10_bits)
        parts.append(f"above {nearest.title} (10^{nearest.log10_bits:.1f})")
    if above:
        nearest = min(above, key=lambda mark: mark.log10_bits)
        parts.append(f"below {nearest.title} (10^{nearest.log10_bits:.1f})")
    return ", ".join(parts) + ", as published."


def catalog_text(reports: Sequence[ReportDocument]) -> str:
    """Say in words what the comparison shows."""
    ranked = sorted(
        (report for report in reports if report.headline.log10_bits is not None),
        key=lambda report: report.headline.log10_bits or 0.0,
    )
    if not ranked:
        return "No task has more than 0 bits."
    first, last = ranked[0], ranked[-1]
    return (
        f"Bits of {len(ranked)} tasks on a log axis, from {first.title} (10^{first.headline.exponent}) to "
        f"{last.title} (10^{last.headline.exponent})."
    )
