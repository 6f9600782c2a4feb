"""The tornado: how far each input moves the bits, as a figure."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from ibc_report.canvas import MARKED, NARROW, Theme, drawing, plain, titled
from ibc_report.records.sensitivity import SensitivityRecord

__all__ = ["tornado"]

ROW_HEIGHT = 0.46
"""Inches of a bar's row: its name, and the bar below."""

THICKNESS = 0.42
"""Of a bar, in rows."""

LEAST_SPAN = 0.5
"""Decades to either side that the axis shows at least, so that bars next to nothing look like it."""

ROOM = 1.3
"""How far the axis reaches beyond the longest bar, for the labels at its ends."""


def tornado(shown: SensitivityRecord, theme: Theme = MARKED) -> Figure:
    """Draw the decades by which each input moves the bits, the widest bar on top.

    Parameters
    ----------
    shown : SensitivityRecord
        With at least one bar.
    theme : Theme
        Colours.

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
        figure = Figure(figsize=(NARROW, 0.8 + ROW_HEIGHT * max(1, len(bars))), layout="constrained")
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
        beyond = (ROOM - 1) * (right - left)
        axes.set_xlim(at_zero - 2 * beyond if to_zero else left - beyond, right + beyond)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
        axes.xaxis.set_major_formatter(FuncFormatter(_signed))
        axes.set_xlabel("decades of bits, with the input as at the bar's ends", color=theme.ink)
        plain(axes, theme)
        axes.grid(False, axis="y")
    return figure


def _signed(value: float, _: int | None) -> str:
    return f"{value:+g}".replace("-", "−") if value else "0"
