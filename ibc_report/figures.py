"""Report to figures: deterministic SVG for pages, PNG where a page cannot show SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, floor
from typing import Any
from unicodedata import east_asian_width

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from ibc_report.canvas import DARK, LIGHT, MARKED, NARROW, Theme, drawing, plain, png, standalone, svg, titled
from ibc_report.escaping import one_line
from ibc_report.report import Curve, Report
from ibc_report.wording import number

__all__ = [
    "DARK",
    "LIGHT",
    "MARKED",
    "Theme",
    "catalog",
    "curve",
    "drawing",
    "plain",
    "png",
    "ruler",
    "standalone",
    "svg",
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


def curve(report: Report, shown: Curve, theme: Theme = MARKED) -> Figure:
    """Plot bits against one input, the present point marked with its interval.

    Parameters
    ----------
    report : Report
        Where the curve is from.
    shown : Curve
        One of its curves.
    theme : Theme
        Colours.

    Returns
    -------
    Figure
    """
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


def ruler(report: Report, theme: Theme = MARKED) -> Figure:
    """Place a task among the paper's benchmarks.

    Parameters
    ----------
    report : Report
        The task.
    theme : Theme
        Colours.

    Returns
    -------
    Figure
    """
    headline = report.headline
    rows = [_Row(mark.title, mark.log10_bits, None, None, measured=False, strong=False) for mark in report.ruler]
    if headline.log10_bits is not None:
        measured = report.data is not None
        own = _Row(report.title, headline.log10_bits, headline.lower, headline.upper, measured=measured, strong=True)
        rows.append(own)
    return _dots(sorted(rows, key=lambda row: row.value), theme)


def catalog(reports: Sequence[Report], theme: Theme = MARKED) -> Figure:
    """Compare all tasks of a catalog, as the paper's Figure 5 does.

    Parameters
    ----------
    reports : sequence of Report
        At least one, the easiest first: the last is on top.
    theme : Theme
        Colours.

    Returns
    -------
    Figure
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
