"""A plot drawn by matplotlib: for PNG, where a page cannot show SVG.

No pyplot and no backend: figures are objects, and the settings that matplotlib only reads globally are set for the
time of one drawing and put back.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from ibc_report.rendering.plot import Axis, Band, Bar, Dots, Item, Line, Plot, Words
from ibc_report.rendering.svg import FONT, LEGEND
from ibc_report.rendering.themes import Theme

__all__ = ["figure", "png"]

INCH = 72.0
"""Points."""

MARKERS = {"circle": "o", "diamond": "D", "square": "s", "cross": "x", "dash": "_"}

_SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.size": FONT,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def figure(plot: Plot, theme: Theme) -> Figure:
    """Draw a plot.

    Returns
    -------
    Figure
        With one pair of axes.
    """
    with _drawing():
        drawn = Figure(figsize=(plot.width / INCH, plot.height / INCH), layout="constrained")
        axes = drawn.add_subplot()
        _set(axes.xaxis, axes.set_xlim, axes.set_xscale, plot.x)
        _set(axes.yaxis, axes.set_ylim, axes.set_yscale, plot.y)
        axes.set_xlabel(plot.x.label, color=theme.ink)
        axes.set_ylabel(plot.y.label, color=theme.ink)
        for item in plot.items:
            _draw(axes, item, theme)
        axes.grid(True, color=theme.grid, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(which="both", color=theme.grid, labelcolor=theme.ink)
        if plot.has_rows:
            axes.tick_params(axis="y", length=0, labelleft=False)
        for spine in axes.spines.values():
            spine.set_color(theme.grid)
        if plot.legend:
            handles = [_handle(key.color, key.shape, theme) for key in plot.legend]
            named = [_plain(key.text) for key in plot.legend]
            axes.legend(handles, named, fontsize=LEGEND, frameon=False, labelcolor=theme.ink, loc="upper right")
    return drawn


def png(plot: Plot, theme: Theme, *, dpi: int = 160) -> bytes:
    """Draw a plot as PNG, on no background.

    Parameters
    ----------
    dpi : int
        Pixels per inch.
    """
    stream = io.BytesIO()
    drawn = figure(plot, theme)
    with _drawing():
        drawn.savefig(stream, format="png", dpi=dpi, transparent=True, metadata={"Software": None})
    return stream.getvalue()


def _set(axis: Any, limit: Any, scale: Any, shown: Axis) -> None:
    scale("log" if shown.logarithmic else "linear")
    limit(shown.low, shown.high)
    axis.set_major_locator(FixedLocator([place for place, _ in shown.ticks]))
    axis.set_major_formatter(FixedFormatter([_plain(text) for _, text in shown.ticks]))
    axis.set_minor_locator(NullLocator())


def _draw(axes: Any, item: Item, theme: Theme) -> None:
    color = getattr(theme, item.color)
    if isinstance(item, Line):
        x, y = zip(*item.points, strict=True) if item.points else ((), ())
        axes.plot(x, y, color=color, linewidth=item.width, linestyle=":" if item.dotted else "-")
    elif isinstance(item, Dots):
        x, y = zip(*item.points, strict=True) if item.points else ((), ())
        face = color if item.filled else "none"
        axes.plot(x, y, linestyle="none", marker=MARKERS[item.shape], ms=item.size, color=color, mfc=face)
    elif isinstance(item, Band):
        x, low, high = zip(*item.points, strict=True)
        axes.fill_between(x, low, high, color=color, linewidth=0)
    elif isinstance(item, Bar):
        axes.barh(item.middle, item.right - item.left, left=item.left, height=item.height, color=color)
    else:
        _write(axes, item, color)


def _write(axes: Any, words: Words, color: str) -> None:
    axes.annotate(
        _plain(words.text),
        (words.x, words.y),
        xycoords=tuple("axes fraction" if is_share else "data" for is_share in (words.x_is_share, words.y_is_share)),
        xytext=words.shift,
        textcoords="offset points",
        ha="left" if words.anchor == "start" else "right",
        va="center" if words.centred else "bottom",
        fontsize=words.size,
        fontweight="bold" if words.bold else "normal",
        color=color,
    ).set_in_layout(False)


def _handle(color: str, shape: str | None, theme: Theme) -> Any:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    painted = getattr(theme, color)
    if shape is None:
        return Patch(color=painted, linewidth=0)
    return Line2D([], [], color=painted, linewidth=1.2, marker=MARKERS[shape], markersize=4)


def _plain(text: str) -> str:
    """A text as it is: matplotlib would read $…$ as a formula."""
    return text.replace("$", r"\$")


@contextmanager
def _drawing() -> Iterator[None]:
    """Settings that matplotlib reads globally, whatever the caller's are, for one drawing or save."""
    defaults: dict[Any, Any] = {
        key: value for key, value in matplotlib.rcParamsDefault.items() if not key.startswith("backend")
    }
    with matplotlib.rc_context(defaults | _SETTINGS), warnings.catch_warnings():
        # a PNG shows a box for a letter that the font lacks
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield
