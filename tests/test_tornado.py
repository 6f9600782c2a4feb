"""The tornado: bars where they belong, readable without colour, the same bytes everywhere."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import warnings
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ibc_report import figures
from ibc_report.complexity import evaluate
from ibc_report.complexity.minima import known
from ibc_report.complexity.uncertainty import Noise
from ibc_report.records.sensitivity import SensitivityRecord, written
from ibc_report.sensitivity import sensitivity
from ibc_report.tornado import tornado
from tests.test_families import SMALL
from tests.test_figures import texts
from tests.test_sensitivity import MNIST, mnist


def shown(**changes: float) -> SensitivityRecord:
    """MNIST's record with all kinds of bars."""
    noise = Noise(0.077, 0.523, known(14.0), radius=known(60.0), true_dimension=(15.0, 16.2))
    return written(sensitivity(mnist(**changes), MNIST, noise))


def drawn_bytes() -> bytes:
    """The figure as inline SVG and as a dark PNG."""
    record = shown()
    return figures.svg(tornado(record), "p").encode() + figures.png(tornado(record, figures.DARK))


def ends(figure: Figure) -> list[tuple[float, float, float]]:
    """Start, end and height of each bar, from the lowest up."""
    bars = [bar for bar in figure.axes[0].patches if isinstance(bar, Rectangle)]
    return [(bar.get_x(), bar.get_x() + bar.get_width(), bar.get_y()) for bar in bars]


def test_a_bar_lies_between_the_decades_of_its_ends() -> None:
    """Each bar reaches from one end's decades to the other's, the widest on top; both ends have their input's value."""
    record = shown()
    figure = tornado(record)
    drawn = ends(figure)

    assert len(drawn) == len(record.bars) == 7
    for bar, (start, stop, _) in zip(record.bars[::-1], drawn, strict=True):
        assert bar.at_low is not None
        assert bar.at_high is not None
        assert (start, stop) == pytest.approx(sorted((bar.at_low, bar.at_high)))
    assert [height for _, _, height in drawn] == sorted(height for _, _, height in drawn)
    left, right = figure.axes[0].get_xlim()
    assert left < min(start for start, _, _ in drawn) < 0 < max(stop for _, stop, _ in drawn) < right


def test_it_is_read_without_colour() -> None:
    """Names, reasons and the values at both ends stand in the picture as text."""
    record = shown()
    said = texts(figures.svg(tornado(record), "p"))

    for bar in record.bars:
        assert {f"{bar.name}: {bar.moved}", bar.low_text, bar.high_text} <= set(said)
    assert "decades of bits, with the input as at the bar's ends" in said
    assert "0" in said
    assert any(text.startswith("+") for text in said)


def test_zero_bits_are_said_and_lie_furthest_left() -> None:
    """A bar that ends at 0 bits says so, and reaches further left than any other."""
    record = shown(n=8e13)
    figure = tornado(record)
    said = texts(figures.svg(figure, "p"))
    starts = {bar.key: start for bar, (start, _, _) in zip(record.bars[::-1], ends(figure), strict=True)}
    to_zero = {bar.key for bar in record.bars if None in (bar.at_low, bar.at_high)}

    assert 0 < len(to_zero) < len(record.bars)
    assert any(text.startswith("0 bits at ") for text in said)
    assert max(starts[key] for key in to_zero) < min(start for key, start in starts.items() if key not in to_zero)
    assert figure.axes[0].get_xlim()[0] < min(starts.values())


def test_both_ends_at_zero_bits() -> None:
    """A bar with both ends at 0 bits has no width, and draws."""
    record = shown()
    bar = record.bars[0].model_copy(update={"at_low": None, "at_high": None})
    svg = figures.svg(tornado(record.model_copy(update={"bars": (bar,)})), "p")

    assert sum(text.startswith("0 bits at ") for text in texts(svg)) == 2


@pytest.mark.parametrize("family", SMALL)
def test_every_family_draws(family: str) -> None:
    """Every family with more than 0 bits draws without a warning, in CSS variables alone."""
    record = written(sensitivity(evaluate(family, SMALL[family])))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = figures.svg(tornado(record), "p")
    colours = set(re.findall(r"(?:fill|stroke): ([^;\"]+)", svg)) - {"none"}

    ElementTree.fromstring(figures.standalone(svg))
    assert all(colour.startswith("var(--ibc-") for colour in colours)


def test_bars_next_to_nothing_look_like_it() -> None:
    """Where every input moves the bits by next to nothing, the axis still shows half a decade to either side."""
    record = shown()
    small = tuple(bar.model_copy(update={"at_low": -0.001, "at_high": 0.002}) for bar in record.bars)
    left, right = tornado(record.model_copy(update={"bars": small})).axes[0].get_xlim()

    assert left < -0.5 < 0.5 < right


def test_the_same_bytes_in_another_process() -> None:
    """Another process draws the same bytes, as SVG and as a dark PNG."""
    program = (
        "import hashlib\nfrom tests.test_tornado import drawn_bytes\nprint(hashlib.sha256(drawn_bytes()).hexdigest())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == hashlib.sha256(drawn_bytes()).hexdigest()
