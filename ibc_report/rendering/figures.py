"""Report to figures, with their alternative texts: deterministic SVG for pages, PNG where a page cannot show SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, floor
from typing import Any
from unicodedata import east_asian_width

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from ibc_report.common.escaping import one_line
from ibc_report.common.wording import number
from ibc_report.rendering.canvas import DARK, LIGHT, MARKED, NARROW, Theme, drawing, plain, png, standalone, svg, titled
from ibc_report.report.schema.document import Curve, ReportDocument
from ibc_report.report.schema.sections import SensitivityRecord

__all__ = [
    "DARK",
    "LIGHT",
    "MARKED",
    "Theme",
    "catalog",
    "catalog_text",
    "curve",
    "drawing",
    "plain",
    "png",
    "ruler",
    "ruler_text",
    "ruler_words",
    "standalone",
    "svg",
    "tornado",
]

SUPERSCRIPT = str.maketrans("0123456789-−.", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⋅")

ROW_HEIGHT = 0.42
"""Inches of a row of a dot plot: its title, and the line of its dot below."""

TITLE_LIFT = 0.27
"""Rows by which a title stands above the line of its dot."""

ROOM = 1.2
"""How far the axis of a dot plot reaches beyond the farthest dot, for its label."""

TITLE_WIDTH = 40
"""Letters of a title on a dot plot; a wide one counts as one and a half."""


def curve(report: ReportDocument, shown: Curve, theme: Theme = MARKED) -> Figure:
    """Plot bits against one input, the present point marked with its interval."""
    with drawing():
        figure = Figure(figsize=(3.4, 2.5), layout="constrained")
        axes = figure.add_subplot()
        points = [(x, y) for x, y in zip(shown.values, shown.log10_bits, strict=True) if y is not None]
        axes.plot([x for x, _ in points], [y for _, y in points], color=theme.accent, linewidth=1.6)
        if len(points) < len(shown.values):
            zeros = [x for x, y in zip(shown.values, shown.log10_bits, strict=True) if y is None]
            lowest = min((y for _, y in points), default=0.0)
            axes.plot(zeros, [lowest] * len(zeros), linestyle="none", marker="x", markersize=3, color=theme.muted)
            axes.annotate(
                "×: 0 bits", (0.98, 0.04), xycoords="axes fraction", ha="right", fontsize=7, color=theme.muted
            )
        headline = report.headline
        if headline.log10_bits is not None:
            axes.axvline(shown.present, color=theme.muted, linewidth=0.8, linestyle=":")
            if headline.lower is not None and headline.upper is not None:
                axes.plot([shown.present] * 2, [headline.lower, headline.upper], color=theme.ink, linewidth=1)
            axes.plot([shown.present], [headline.log10_bits], marker="o", markersize=6, color=theme.ink)
        if shown.key != "dimension":
            axes.set_xscale("log")
            span = max(shown.values) / min(shown.values)
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if span < 100 else (1,), numticks=7))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
        label = f"{shown.name} ({shown.symbol})" if shown.symbol else shown.name
        axes.set_xlabel(label, color=theme.ink)
        low, high = axes.get_ylim()
        # with fewer than two whole powers in sight there would be fractions on the axis
        if floor(high) <= ceil(low):
            axes.set_ylim(floor(low), max(ceil(high), floor(low) + 1))
        _bits_axis(axes.yaxis)
        axes.set_ylabel("bits", color=theme.ink)
        plain(axes, theme)
    return figure


def ruler(report: ReportDocument, theme: Theme = MARKED) -> Figure:
    """Place a task among the paper's benchmarks."""
    headline = report.headline
    rows = [_Row(mark.title, mark.log10_bits, None, None, measured=False, strong=False) for mark in report.ruler]
    if headline.log10_bits is not None:
        measured = report.data is not None
        own = _Row(report.title, headline.log10_bits, headline.lower, headline.upper, measured=measured, strong=True)
        rows.append(own)
    return _dots(sorted(rows, key=lambda row: row.value), theme)


def catalog(reports: Sequence[ReportDocument], theme: Theme = MARKED) -> Figure:
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
        ],
        theme,
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


def _dots(rows: Sequence[_Row], theme: Theme) -> Figure:
    """Draw the rows from the bottom up."""
    with drawing():
        figure = Figure(figsize=(NARROW, 0.7 + ROW_HEIGHT * max(1, len(rows))), layout="constrained")
        axes = figure.add_subplot()
        for position, row in enumerate(rows):
            if row.lower is not None and row.upper is not None:
                axes.plot([row.lower, row.upper], [position] * 2, color=theme.ink, linewidth=2)
            axes.plot(
                [row.value],
                [position],
                marker="D" if row.measured else "o",
                markersize=6 if row.measured else 5,
                color=theme.accent,
                markerfacecolor=theme.accent if row.measured else "none",
            )
            axes.annotate(
                _power(row.value),
                (max(row.value, row.upper or 0.0), position),
                xytext=(7, -1),
                textcoords="offset points",
                va="center",
                fontsize=8.5,
                color=theme.ink if row.strong else theme.muted,
            )
        axes.yaxis.set_major_locator(FixedLocator(range(len(rows))))
        titled(axes, [(_plain_title(row.title), row.strong) for row in rows], theme, lift=TITLE_LIFT)
        axes.set_ylim(-0.6, len(rows) - 0.1)
        highest = max((max(row.value, row.upper or 0.0) for row in rows), default=1.0)
        axes.set_xlim(min([0.0, *(row.lower or 0.0 for row in rows)]), highest * ROOM)
        _bits_axis(axes.xaxis)
        axes.set_xlabel("bits, log scale (filled: measured, open: declared or published)", color=theme.ink)
        plain(axes, theme)
    return figure


def _plain_title(title: str) -> str:
    """A title as text: matplotlib would read $…$ as a formula."""
    text = one_line(title)
    used = list(accumulate(1.5 if letter.isupper() or east_asian_width(letter) in "WF" else 1.0 for letter in text))
    if used and used[-1] > TITLE_WIDTH:
        text = text[: sum(width <= TITLE_WIDTH - 1 for width in used)] + "…"
    return text.replace("$", r"\$")


def _bits_axis(axis: Any) -> None:
    axis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"10{f'{value:g}'.translate(SUPERSCRIPT)}"))


def _power(log10_bits: float) -> str:
    return f"10^{log10_bits:.1f}"


def _short(value: float) -> str:
    if 1e-3 <= value < 1e5:
        return number(value)
    mantissa, _, size = f"{value:.0e}".partition("e")
    power = f"10{str(int(size)).translate(SUPERSCRIPT)}"
    return power if mantissa == "1" else f"{mantissa}·{power}"


BAR_HEIGHT = 0.46
"""Inches of a bar's row: its name, and the bar below."""

THICKNESS = 0.42
"""Of a bar, in rows."""

LEAST_SPAN = 0.5
"""Decades to either side that the axis shows at least, so that bars next to nothing look like it."""

BAR_ROOM = 1.3
"""How far the axis reaches beyond the longest bar, for the labels at its ends."""


def tornado(shown: SensitivityRecord, theme: Theme = MARKED) -> Figure:
    """Draw the decades by which each input moves the bits, the widest bar on top.

    Parameters
    ----------
    shown : SensitivityRecord
        With at least one bar.

    Returns
    -------
    Figure
        At either end of a bar stands the value of the input there. A bar that ends at 0 bits, for which a log axis has
        no place, reaches further left than all others, and says so.
    """
    bars = shown.bars[::-1]
    ends = [end for bar in bars for end in (bar.at_low, bar.at_high) if end is not None]
    left, right = min([-LEAST_SPAN, *ends]), max([LEAST_SPAN, *ends])
    at_zero = left - 0.2 * (right - left)
    to_zero = any(end is None for bar in bars for end in (bar.at_low, bar.at_high))
    with drawing():
        figure = Figure(figsize=(NARROW, 0.8 + BAR_HEIGHT * max(1, len(bars))), layout="constrained")
        axes = figure.add_subplot()
        for position, bar in enumerate(bars):
            stops = sorted(
                (at_zero, f"0 bits at {text}") if end is None else (end, text)
                for end, text in ((bar.at_low, bar.low_text), (bar.at_high, bar.high_text))
            )
            (start, _), (stop, _) = stops
            axes.barh(position, stop - start, left=start, height=THICKNESS, color=theme.accent)
            for (place, text), side in zip(stops, (-1, 1), strict=True):
                axes.annotate(
                    text,
                    (place, position),
                    xytext=(4 * side, 0),
                    textcoords="offset points",
                    ha="left" if side > 0 else "right",
                    va="center",
                    fontsize=7.5,
                    color=theme.ink,
                )
        # no line from top to bottom, which would strike through the names
        places = range(len(bars))
        low, high = ([at + side * THICKNESS for at in places] for side in (-0.5, 0.5))
        axes.vlines([0] * len(bars), low, high, color=theme.ink, linewidth=0.8)
        axes.yaxis.set_major_locator(FixedLocator(range(len(bars))))
        titled(axes, [(f"{bar.name}: {bar.moved}", False) for bar in bars], theme, lift=0.6 * THICKNESS)
        axes.set_ylim(-0.5, len(bars) - 0.2)
        beyond = (BAR_ROOM - 1) * (right - left)
        axes.set_xlim(at_zero - 2 * beyond if to_zero else left - beyond, right + beyond)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
        axes.xaxis.set_major_formatter(FuncFormatter(_signed))
        axes.set_xlabel("decades of bits, with the input as at the bar's ends", color=theme.ink)
        plain(axes, theme)
        axes.grid(False, axis="y")
    return figure


def _signed(value: float, _: int | None) -> str:
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
