"""What all figures share: colours, settings, titles of rows, and how they are written as SVG and PNG.

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
from typing import Any

import matplotlib
from matplotlib.figure import Figure

__all__ = ["DARK", "LIGHT", "MARKED", "NARROW", "Theme", "drawing", "plain", "png", "standalone", "svg", "titled"]

NARROW = 4.6
"""Inches that a phone's screen shows at a legible size."""


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

POWER = r">(10)\^(-?\d+\.\d)</text>"
"""A label that is a power of ten, whose exponent an SVG raises."""

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
    text = re.sub(POWER, r">\1<tspan dy='-0.35em' font-size='85%'>\2</tspan></text>", text)
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
    """
    stream = io.BytesIO()
    with drawing():
        figure.savefig(stream, format="png", dpi=dpi, transparent=True, metadata={"Software": None})
    return stream.getvalue()


def titled(axes: Any, titles: Sequence[tuple[str, bool]], theme: Theme, *, lift: float) -> None:
    """Write the title of each row above it, from the axes' left end: beside them a narrow screen has no room.

    Parameters
    ----------
    axes : Axes
        With a row at 0, 1, ….
    titles : sequence of (str, bool)
        From the lowest row up: the text, and whether it is bold.
    lift : float
        Rows by which a title stands above the middle of its row.
    """
    axes.tick_params(axis="y", length=0, labelleft=False)
    for position, (title, strong) in enumerate(titles):
        axes.annotate(
            title,
            (0, position + lift),
            xycoords=("axes fraction", "data"),
            xytext=(2, 0),
            textcoords="offset points",
            va="bottom",
            fontsize=8.5,
            fontweight="bold" if strong else "normal",
            color=theme.ink,
        )


def plain(axes: Any, theme: Theme) -> None:
    """Give axes the look that all figures share."""
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
