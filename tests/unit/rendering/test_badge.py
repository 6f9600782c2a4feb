"""The badge: what it says, and that hostile text stays text."""

from __future__ import annotations

import json
from functools import cache
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibc_report
from ibc_report import Report
from ibc_report.rendering.badge import endpoint, message, svg
from tests.support.samples import few_properties

SVG = "{http://www.w3.org/2000/svg}"


@cache
def iris() -> Report:
    """A measured report."""
    return ibc_report.measure("builtin:iris")


def with_headline(report: Report, **changes: object) -> Report:
    """The report with another headline."""
    return report.model_copy(update={"headline": report.headline.model_copy(update=changes)})


def test_the_message_is_the_bits_and_their_interval() -> None:
    """The bits have their interval where there is one; 0 bits are said so."""
    report = iris()
    head = report.headline
    assert message(report) == f"10^{head.exponent} [{head.lower_exponent}, {head.upper_exponent}] bits"
    assert message(with_headline(report, lower_exponent=None, upper_exponent=None)) == f"10^{head.exponent} bits"
    assert message(with_headline(report, exponent=None)) == "0 bits"


def test_the_endpoint_has_what_shields_reads() -> None:
    """The JSON has the schema's version, a label and a message, and colours as hexadecimal digits."""
    said = json.loads(endpoint(iris(), "how\nhard"))
    assert (said["schemaVersion"], said["label"], said["message"]) == (1, "how hard", message(iris()))
    assert all(int(said[key], 16) >= 0 and len(said[key]) == 6 for key in ("color", "labelColor"))


@few_properties
@given(st.text(max_size=30))
def test_any_label_is_well_formed(label: str) -> None:
    """Whatever the label holds, the SVG can be read, has an accessible title, and its texts fit beside each other."""
    root = ElementTree.fromstring(svg(iris(), label))
    title = root.find(f"{SVG}title")
    assert title is not None
    assert root.get("aria-label") == title.text
    assert root.get("role") == "img"
    boxes = list(root.iter(f"{SVG}rect"))[1:]
    assert sum(float(box.get("width", 0)) for box in boxes) == float(root.get("width", 0))
    for text in root.iter(f"{SVG}text"):
        start, length = float(text.get("x", 0)), float(text.get("textLength", 0))
        assert any(
            float(box.get("x", 0)) <= start and start + length <= float(box.get("x", 0)) + float(box.get("width", 0))
            for box in boxes
        )


@pytest.mark.parametrize(
    ("label", "least", "most"),
    [("難易度", 30, 36), ("👍👍", 20, 24), ("\ue000", 5, 11), ("difficulty", 46, 50), ("e\u0301", 5, 8)],
)
def test_characters_that_the_font_lacks_have_a_width(label: str, least: int, most: int) -> None:
    """East Asian characters and emoji take a square each, a combining accent nothing, and no text is drawn at 0."""
    text = next(ElementTree.fromstring(svg(iris(), label)).iter(f"{SVG}text"))
    assert text.text == label
    assert least <= float(text.get("textLength", 0)) <= most


def test_long_labels_are_cut() -> None:
    """A label of 60 characters stands as it is; a longer one is cut to that."""
    for made, wanted in (("a" * 60, "a" * 60), ("a" * 61, "a" * 59 + "…"), ("b" * 10_000, "b" * 59 + "…")):
        assert json.loads(endpoint(iris(), made))["label"] == wanted
        assert next(ElementTree.fromstring(svg(iris(), made)).iter(f"{SVG}text")).text == wanted


def test_markup_in_a_label_is_text() -> None:
    """A label that is markup adds no element."""
    text = svg(iris(), '<script>alert("1")</script>')
    assert "<script" not in text
    assert "&lt;script&gt;" in text


@pytest.mark.parametrize(("front", "back"), [("#ffffff", "#2b5b84"), ("#ffffff", "#444444")])
def test_the_badge_can_be_read(front: str, back: str) -> None:
    """The text stands out from both colours as WCAG asks of small text: 4.5 to 1."""

    def luminance(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    text = svg(iris())
    assert front in text
    assert back in text
    assert (luminance(front) + 0.05) / (luminance(back) + 0.05) >= 4.5


def test_the_badge_asks_for_nothing() -> None:
    """The SVG refers to nothing outside, and is the same each time."""
    text = svg(iris())
    assert text.replace("http://www.w3.org/2000/svg", "").count("//") == 0
    assert text == svg(iris())
