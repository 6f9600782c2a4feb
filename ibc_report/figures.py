"""Report to figures: deterministic SVG for pages, PNG where a page cannot show SVG.

No pyplot and no backend: figures are objects, and the settings that matplotlib only reads globally are set for
the time of one save and put back. Colours of an inline SVG are CSS variables, so that it follows the page's theme.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, floor
from typing import Any
from unicodedata import east_asian_width

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

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

ROW_HEIGHT = 0.24
"""Inches of a row of a dot plot."""

TITLE_WIDTH = 40
"""Letters of a title on a dot plot; a wide one counts as one and a half."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of a figure."""

    ink: str
    muted: str
    grid: str
    accent: str


LIGHT = Theme(ink="#1f2328", muted="#59636e", grid="#d1d9e0", accent="#0550ae")
DARK = Theme(ink="#e6edf3", muted="#9198a1", grid="#3d444d", accent="#79c0ff")

# Placeholders that no figure uses otherwise; each becomes a CSS variable with the light colour to fall back on.
MARKED = Theme(ink="#010203", muted="#040506", grid="#070809", accent="#0a0b0c")

_SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "ibc_report",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def svg(figure: Figure, prefix: str) -> str:
    """Write a figure drawn in the marked colours as an inline SVG.

    Parameters
    ----------
    figure : Figure
        From one of this module's functions, with the default theme.
    prefix : str
        Put before every id, so that several figures live in one page; what an id may not hold becomes a hyphen.

    Returns
    -------
    str
        An svg element without XML declaration: the same bytes for the same report.
    """
    stream = io.StringIO()
    with drawing():
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    # the size is the page's to set: the viewBox keeps the proportions
    text = re.sub(
        r'<svg [^>]*?viewBox="([^"]*)"[^>]*>',
        r'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="\1">',
        text,
        count=1,
    )
    # an inline style sheet would style the whole page, and the page chooses the font
    text = re.sub(r"<style.*?</style>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    plain_prefix = re.sub(r"[^A-Za-z0-9_.-]", "-", prefix)
    # only tags: a title that looks like an attribute or a colour stays as it is
    text = re.sub(r"<[^>]*>", lambda tag: _page_tag(tag.group(), plain_prefix), text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _page_tag(tag: str, prefix: str) -> str:
    """A tag with the page's font and colours, and ids of its own."""
    tag = re.sub(r"font-family: [^;\"]*", "font-family: sans-serif", tag)
    tag = re.sub(r'\bid="', f'id="{prefix}-', tag)
    tag = re.sub(r'(url\(|href=")#', rf"\1#{prefix}-", tag)
    for name in Theme.__dataclass_fields__:
        tag = tag.replace(getattr(MARKED, name), f"var(--ibc-{name}, {getattr(LIGHT, name)})")
    return tag


def standalone(inline: str) -> str:
    """Make an inline SVG a file of its own, which follows the reader's colour scheme.

    Parameters
    ----------
    inline : str
        From `svg`.

    Returns
    -------
    str
    """
    dark = " ".join(f"--ibc-{name}: {getattr(DARK, name)};" for name in Theme.__dataclass_fields__)
    style = f"<style>@media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}</style>"
    opening = inline.index(">") + 1
    return '<?xml version="1.0" encoding="utf-8"?>\n' + inline[:opening] + style + inline[opening:]


def png(figure: Figure, *, dpi: int = 160) -> bytes:
    """Write a figure as PNG.

    Parameters
    ----------
    figure : Figure
        Drawn in `LIGHT` or `DARK`.
    dpi : int
        Pixels per inch.

    Returns
    -------
    bytes
    """
    stream = io.BytesIO()
    with drawing():
        figure.savefig(stream, format="png", dpi=dpi, transparent=True, metadata={"Software": None})
    return stream.getvalue()


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
    rows = [_Row(mark.title, mark.log10_bits, None, None, False) for mark in report.ruler]
    if headline.log10_bits is not None:
        rows.append(_Row(report.title, headline.log10_bits, headline.lower, headline.upper, True))
    return _dots(rows, theme)


def catalog(reports: Sequence[Report], theme: Theme = MARKED) -> Figure:
    """Compare all tasks of a catalog, as the paper's Figure 5 does.

    Parameters
    ----------
    reports : sequence of Report
        At least one.
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
                report.data is not None,
            )
            for report in reports
            if report.headline.log10_bits is not None
        ],
        theme,
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a dot plot; a filled dot was measured here, an open one is declared or published."""

    title: str
    value: float
    lower: float | None
    upper: float | None
    measured: bool


def _dots(rows: Sequence[_Row], theme: Theme) -> Figure:
    ranked = sorted(rows, key=lambda row: row.value)
    with drawing():
        figure = Figure(figsize=(6.8, 0.7 + ROW_HEIGHT * max(1, len(ranked))), layout="constrained")
        axes = figure.add_subplot()
        for position, row in enumerate(ranked):
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
                xytext=(7, 0),
                textcoords="offset points",
                va="center",
                fontsize=7.5,
                color=theme.ink if row.measured else theme.muted,
            )
        axes.yaxis.set_major_locator(FixedLocator(range(len(ranked))))
        axes.set_yticklabels([_plain_title(row.title) for row in ranked])
        for label, row in zip(axes.get_yticklabels(), ranked, strict=True):
            label.set_fontweight("bold" if row.measured else "normal")
        axes.set_ylim(-0.7, len(ranked) - 0.3)
        highest = max((max(row.value, row.upper or 0.0) for row in ranked), default=1.0)
        axes.set_xlim(min([0.0, *(row.lower or 0.0 for row in ranked)]), highest * 1.1)
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


def plain(axes: Any, theme: Theme) -> None:
    """Give axes the look that all figures share.

    Parameters
    ----------
    axes : Axes
        What was drawn on.
    theme : Theme
        Colours.
    """
    axes.grid(True, color=theme.grid, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", color=theme.grid, labelcolor=theme.ink)
    for spine in axes.spines.values():
        spine.set_color(theme.grid)


@contextmanager
def drawing() -> Iterator[None]:
    """Settings that matplotlib reads globally, whatever the caller's are, for one drawing or save."""
    defaults: dict[Any, Any] = {
        key: value for key, value in matplotlib.rcParamsDefault.items() if not key.startswith("backend")
    }
    with matplotlib.rc_context(defaults | _SETTINGS), warnings.catch_warnings():
        # the reader's fonts draw an SVG's text, and a PNG shows a box
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield
