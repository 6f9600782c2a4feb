"""PNG by matplotlib: in a theme's colours, the same bytes everywhere, and nothing of the caller's is touched."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from ibc_report.rendering.matplotlib_figure import figure, png
from ibc_report.rendering.plot import Plot
from ibc_report.rendering.themes import DARK, LIGHT, Theme
from tests.unit.rendering.test_svg import EVERY, HOSTILE


def axes(plot: Plot = EVERY) -> Figure:
    """A drawn figure."""
    return figure(plot, LIGHT)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_png_is_drawn_in_a_theme(theme: Theme) -> None:
    """A PNG has the theme's colours on no background, at the resolution asked for."""
    small, large = (Image.open(io.BytesIO(png(EVERY, theme, dpi=dpi))) for dpi in (72, 144))
    pixels = np.asarray(large.convert("RGBA")).reshape(-1, 4)
    accent = tuple(int(theme.accent[i : i + 2], 16) for i in (1, 3, 5))

    assert small.size == (200, 100)
    assert large.size == (400, 200)
    assert (pixels == (*accent, 255)).all(axis=1).any()
    assert (pixels[:, 3] == 0).any()


def test_it_shows_what_the_plot_has() -> None:
    """Ends, ticks, labels, lines, bars and the legend are those of the plot, and words are no formulas."""
    (found,) = axes().axes
    said = {text.get_text() for text in found.texts}
    legend = found.get_legend()

    assert found.get_xlim() == (0, 10)
    assert found.get_ylim() == (1, 100)
    assert [label.get_text() for label in found.get_yticklabels()] == ["1", "ten", "100"]
    assert said == {HOSTILE, "10^3.5"}
    assert len(found.lines) == 8
    assert len(found.patches) == 1
    assert len(found.collections) == 1
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["a band\nof two lines", "a line"]


def test_the_callers_settings_are_left_and_not_used() -> None:
    """Odd settings of the caller change no figure, and are the same afterwards, as is the backend."""
    plain = png(EVERY, LIGHT)
    odd = {
        "font.size": 31.0,
        "axes.grid": False,
        "lines.linewidth": 9.0,
        "savefig.bbox": "tight",
        "savefig.dpi": 17.0,
        "axes.facecolor": "red",
        "text.usetex": True,
    }
    with matplotlib.rc_context(odd):  # type: ignore[arg-type]
        before = dict(matplotlib.rcParams)
        found = png(EVERY, LIGHT)
        after = dict(matplotlib.rcParams)

    assert found == plain
    assert after == before


@pytest.mark.long
def test_the_same_bytes_in_another_process_without_a_backend() -> None:
    """Another process draws the same bytes, imports no pyplot and resolves no backend."""
    program = (
        "import hashlib, sys, matplotlib\n"
        "before = dict.__getitem__(matplotlib.rcParams, 'backend')\n"
        "from tests.unit.rendering.test_matplotlib_figure import EVERY, DARK, png\n"
        "print(hashlib.sha256(png(EVERY, DARK)).hexdigest())\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "assert dict.__getitem__(matplotlib.rcParams, 'backend') is before\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == hashlib.sha256(png(EVERY, DARK)).hexdigest()
