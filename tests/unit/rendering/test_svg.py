"""Plots as SVG: valid, escaped, in the page's colours, each mark where it belongs."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from ibc_report.rendering.plot import Axis, Band, Bar, Dots, Key, Line, Plot, Words
from ibc_report.rendering.svg import Frame, inline, standalone
from ibc_report.rendering.themes import DARK, LIGHT

SVG = "{http://www.w3.org/2000/svg}"

HOSTILE = "<script>alert(1)</script> & \"quotes\" 'x' ]]> --> {{ 7 * 7 }}"

EVERY = Plot(
    200.0,
    100.0,
    Axis("across", 0.0, 10.0, ((0.0, "0"), (10.0, "10"))),
    Axis("up", 1.0, 100.0, ((1.0, "1"), (10.0, "ten"), (100.0, "100")), logarithmic=True),
    (
        Band(((0.0, 1.0, 2.0), (10.0, 5.0, 50.0)), "grid"),
        Line(((0.0, 1.0), (10.0, 100.0)), "accent", 1.5),
        Line(((5.0, 1.0), (5.0, 100.0)), "muted", 0.8, dotted=True),
        Bar(2.0, 4.0, 10.0, 0.5, "accent"),
        *(Dots(((5.0, 10.0),), shape, 4.0, "ink") for shape in ("circle", "diamond", "square", "cross", "dash")),
        Dots(((5.0, 10.0),), "circle", 4.0, "ink", filled=False),
        Words(HOSTILE, 1.0, 1.0, 8.0, "muted", x_is_share=True, y_is_share=True, anchor="end", bold=True),
        Words("10^3.5", 5.0, 10.0, 8.0, "ink", is_power=True, centred=False, shift=(3.0, 2.0)),
    ),
    (Key("a band\nof two lines", "grid", None), Key("a line", "accent", "circle")),
)


def drawn(plot: Plot = EVERY) -> ElementTree.Element:
    """A plot as a tree."""
    return ElementTree.fromstring(inline(plot))


def test_it_parses_and_has_its_size() -> None:
    """The picture is one svg element with the proportions of the plot, and no element carries an id or a style."""
    root = drawn()

    assert root.tag == f"{SVG}svg"
    assert root.attrib == {"viewBox": "0 0 200 100", "font-family": "sans-serif"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {"svg", "path", "text", "tspan"}
    assert not any({"id", "style", "class"} & set(element.attrib) for element in root.iter())


def test_colours_are_variables() -> None:
    """Every colour is a CSS variable, with the light colour to fall back on."""
    colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', inline(EVERY))) - {"none"}

    assert colours == {f"var(--ibc-{name}, {getattr(LIGHT, name)})" for name in ("ink", "muted", "grid", "accent")}


def test_words_are_text_whatever_they_say() -> None:
    """Markup in a label is what a reader sees, not what a browser does."""
    said = ["".join(element.itertext()) for element in drawn().iter(f"{SVG}text")]

    assert HOSTILE in said
    assert "103.5" in said
    assert {"across", "up", "0", "10", "1", "ten", "100", "a band", "of two lines", "a line"} <= set(said)


def test_a_line_goes_from_corner_to_corner() -> None:
    """The ends of the axes are the corners of the frame, with the larger values to the right and on top."""
    frame = Frame.of(EVERY)
    steps = next(
        element.attrib["d"] for element in drawn().iter(f"{SVG}path") if element.attrib.get("stroke-width") == "1.5"
    )
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", steps)]

    assert numbers == pytest.approx([frame.left, frame.bottom, frame.right, frame.top], abs=0.01)
    assert 0 < frame.left < frame.right < 200
    assert 0 < frame.top < frame.bottom < 100


def test_every_path_stays_in_the_picture() -> None:
    """No mark, line or tick lies outside of the picture."""
    for element in drawn().iter(f"{SVG}path"):
        for command, numbers in re.findall(r"([MLHV])((?:-?[\d.]+[ ]?)*)", element.attrib["d"]):
            values = [float(number) for number in numbers.split()]
            across = values[::2] if command in "ML" else values if command == "H" else []
            upwards = values[1::2] if command in "ML" else values if command == "V" else []
            assert all(0 <= value <= 200 for value in across)
            assert all(0 <= value <= 100 for value in upwards)


def test_a_file_follows_the_readers_scheme() -> None:
    """An SVG file sets every colour anew where the reader's scheme is dark."""
    text = standalone(inline(EVERY))
    style = ElementTree.fromstring(text).find(f"{SVG}style")

    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n<svg ')
    assert style is not None
    assert style.text is not None
    assert "prefers-color-scheme: dark" in style.text
    for name in ("ink", "muted", "grid", "accent"):
        assert f"--ibc-{name}: {getattr(DARK, name)};" in style.text
