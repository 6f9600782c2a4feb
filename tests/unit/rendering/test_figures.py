"""Figures: what each of them shows, readable without colour, for every family and any title."""

from __future__ import annotations

import re
import warnings
from xml.etree import ElementTree

import pytest

import ibc_report
from ibc_report import Report
from ibc_report.common.escaping import one_line
from ibc_report.complexity import evaluate
from ibc_report.complexity.extreme_values import known
from ibc_report.complexity.uncertainty import Noise
from ibc_report.data.task import Declared, Task
from ibc_report.geometry.sensitivity import sensitivity
from ibc_report.rendering import cards, figures, letters
from ibc_report.rendering.figures import tornado
from ibc_report.rendering.plot import Bar, Dots, Plot, Words
from ibc_report.rendering.svg import Frame, inline, standalone
from ibc_report.report.schema.sections import SensitivityRecord
from ibc_report.report.sections.sensitivity import written
from tests.support.once import Once
from tests.unit.complexity.test_families import SMALL
from tests.unit.geometry.test_sensitivity import MNIST, mnist

SVG = "{http://www.w3.org/2000/svg}"

FAMILIES: dict[str, dict[str, float]] = {
    "classification": {"n": 6e4, "radius": 17, "dimension": 14, "classes": 10, "margin": 2.4, "target_error": 0.001},
    "regression": {"n": 400, "radius": 5, "dimension": 6, "resolution": 0.5, "target_error": 0.01},
    "control": {"n": 1e6, "dimension": 6, "actions": 2, "resolution": 0.001, "target_error": 0.001},
    "partially_observed_control": {
        "n": 1e4,
        "observations": 2,
        "observation_size": 2,
        "actions": 1,
        "resolution": 0.001,
        "target_error": 0.001,
    },
    "few_shot": {
        "n": 6.9e40,
        "radius": 49.4,
        "dimension": 447,
        "input_dimension": 22,
        "ways": 20,
        "margin": 5.477,
        "target_error": 0.01,
    },
    "union": {
        "n": 6e4,
        "radius": 17,
        "dimension": 14,
        "classes": 10,
        "margin": 2.4,
        "target_error": 0.01,
        "nuisance_n": 5e4,
        "nuisance_radius": 54,
        "nuisance_dimension": 27,
        "nuisance_classes": 10,
    },
    "zero": {"n": 1e9, "radius": 1, "dimension": 1, "classes": 2, "margin": 1, "target_error": 0.9},
}

TITLES = [
    "plain",
    "$x^2$ costs $5 and \\$3",
    "$\\frac{",
    "10^5 things",
    "W" * 400,
    "a\n\nb\x00c\x07",
    '<b> & "quotes" id="x" href="#y" font-family: serif; #010203 --> ]]>',
    "שלום 漢字 👩‍🔬 ﷽",
]


def report_of(family: str, title: str = "A task") -> Report:
    """A report of declared numbers."""
    name = "classification" if family == "zero" else family
    declared = Declared.model_validate({"family": name, **FAMILIES[family]})
    return ibc_report.measure(Task(name="a.task", title=title, declared=declared))


def drawn(report: Report) -> dict[str, str]:
    """All figures of a report as inline SVG."""
    found = {"ruler": str(inline(figures.ruler(report))), "catalog": str(inline(figures.catalog([report])))}
    return found | {curve.key: str(inline(figures.curve(report, curve))) for curve in report.curves}


def texts(svg: str) -> list[str]:
    """The texts of an SVG."""
    return ["".join(element.itertext()).strip() for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def words(plot: Plot) -> dict[str, Words]:
    """The labels of a plot by what they say."""
    return {item.text: item for item in plot.items if isinstance(item, Words)}


def dots(plot: Plot) -> list[Dots]:
    """The marks of a plot."""
    return [item for item in plot.items if isinstance(item, Dots)]


@pytest.fixture(scope="module")
def digits(once: Once) -> Report:
    """The report of the handwritten digits."""
    return once.measured("builtin:digits")


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_draws_without_a_warning(family: str) -> None:
    """Each family, with 0 bits and with no interval too, gives SVG that parses and has axes with labels."""
    report = report_of(family)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = drawn(report)

    assert set(found) == {"ruler", "catalog", *(curve.key for curve in report.curves)}
    for curve in report.curves:
        said = texts(found[curve.key])
        assert "bits" in said
        assert (f"{curve.name} ({curve.symbol})" if curve.symbol else curve.name) in said
    assert "MNIST" in texts(found["ruler"])
    assert ("A task" in texts(found["ruler"])) == (family != "zero")
    assert (report.headline.lower is None) == (family in ("control", "partially_observed_control", "few_shot", "zero"))


def test_zero_bits_are_marked_on_a_curve() -> None:
    """A curve with values of 0 bits says so, for a log axis has no place for them."""
    report = report_of("zero")
    said = {curve.key: texts(inline(figures.curve(report, curve))) for curve in report.curves}

    for curve in report.curves:
        assert ("×: 0 bits" in said[curve.key]) == (None in curve.log10_bits)
    assert any("×: 0 bits" in each for each in said.values())


@pytest.mark.parametrize("title", TITLES)
def test_a_title_is_text(title: str) -> None:
    """A title of any characters is the label that a reader sees, cut where it is long."""
    report = report_of("classification", title)
    others = texts(inline(figures.ruler(report_of("zero"))))
    svg = inline(figures.ruler(report))
    seen = one_line(title)
    bits = f"10{report.headline.exponent}"
    label = next((text for text in texts(svg) if text not in others and text != bits), "")

    assert label == seen or (label.endswith("…") and seen.startswith(label[:-1]) and len(label) > 20)
    ElementTree.fromstring(standalone(svg))


def test_a_measured_task_is_told_from_a_declared_one_without_colour(digits: Report) -> None:
    """On the ruler the measured task has another marker, filled, and a bold name."""
    plot = figures.ruler(digits)
    labels = words(plot)

    assert labels["digits"].bold
    assert not labels["MNIST"].bold
    assert {(mark.shape, mark.filled) for mark in dots(plot)} == {("circle", False), ("diamond", True)}


def test_a_declared_task_is_open_on_its_own_ruler() -> None:
    """Nothing of a declared task was measured, so that its dot is open; its name is bold all the same."""
    plot = figures.ruler(report_of("classification"))

    assert not any(mark.filled for mark in dots(plot))
    assert {text for text, label in words(plot).items() if label.bold} == {"A task"}


def test_the_catalog_keeps_the_order_that_it_is_given() -> None:
    """The last of the reports is on top, whatever bits the order goes by."""
    labels = words(figures.catalog([report_of("few_shot", "first"), report_of("classification", "second")]))

    assert labels["first"].y < labels["second"].y


def test_the_catalog_in_words() -> None:
    """The comparison names the lowest and the highest task, and says where there is none."""
    zero, low, high = report_of("zero", "None"), report_of("classification", "Low"), report_of("few_shot", "High")

    said = figures.catalog_text([high, zero, low])
    assert said.startswith("Bits of 2 tasks on a log axis, from Low (10^")
    assert "to High (10^" in said
    assert figures.catalog_text([zero]) == "No task has more than 0 bits."


def test_a_label_s_exponent_is_raised() -> None:
    """A power of ten on a dot plot has a raised exponent, and a title that holds one stays as it is."""
    report = report_of("classification", "at 10^16.1 bits")
    svg = inline(figures.ruler(report))

    assert f'>10<tspan dy="-0.35em" font-size="85%">{report.headline.exponent}</tspan></text>' in svg
    assert "at 10^16.1 bits" in texts(svg)


def test_dot_plots_fit_a_phone(digits: Report) -> None:
    """At a phone's width the smallest letters of a dot plot are nine pixels, with no label outside the picture."""
    plot = figures.ruler(digits)
    frame = Frame.of(plot)
    labels = [item for item in plot.items if isinstance(item, Words)]

    assert min(label.size for label in labels) * 350 / plot.width >= 8.9
    for label in labels:
        left = frame.x(label.x if label.x_is_share else plot.x.share(label.x)) + label.shift[0]
        assert left >= 0
        assert left + letters.width(label.text.replace("^", ""), label.size) <= plot.width


@pytest.mark.parametrize("span", [(10.6, 11.6), (10.2, 10.4), (10.6, 10.6), (10.9, 12.05)], ids=str)
def test_the_axis_of_bits_has_whole_powers(span: tuple[float, float]) -> None:
    """However little a curve rises, the bits axis has at least two whole powers of ten in sight and no fractions."""
    report = report_of("classification")
    chosen = report.curves[0]
    low, high = span
    steps = len(chosen.values) - 1
    flat = chosen.model_copy(update={"log10_bits": tuple(low + (high - low) * n / steps for n in range(steps + 1))})
    headline = report.headline.model_copy(update={"log10_bits": low, "lower": low, "upper": high})
    axis = figures.curve(report.model_copy(update={"headline": headline}), flat).y
    places = [place for place, _ in axis.ticks]

    assert axis.low <= low <= high <= axis.high
    assert len(places) > 1
    assert places == [round(place) for place in places]


def test_the_table_of_a_catalog_has_the_order_of_its_figure() -> None:
    """Figure and table show the hardest task first."""
    given = (report_of("classification", "Low"), report_of("few_shot", "High"), report_of("regression", "Lowest"))
    page = cards.catalog_page(cards.CatalogPage(given, "Catalog"), address={"a.task": "a"}, csv="tasks.csv")
    figure, table = page.split("</svg>")
    titles = ("High", "Low", "Lowest")

    assert [text for text in re.findall(r">([A-Z]\w+)</(?:a|text)>", table) if text in titles] == list(titles)
    assert [text for text in re.findall(r">([A-Z]\w+)</text>", figure) if text in titles] == list(reversed(titles))


def shown(**changes: float) -> SensitivityRecord:
    """MNIST's record with all kinds of bars."""
    noise = Noise(0.077, 0.523, known(14.0), radius=known(60.0), true_dimension=(15.0, 16.2))
    return written(sensitivity(mnist(**changes), MNIST, noise))


def bars(plot: Plot) -> list[Bar]:
    """The bars of a plot, from the lowest up."""
    return [item for item in plot.items if isinstance(item, Bar)]


def test_a_bar_lies_between_the_decades_of_its_ends() -> None:
    """Each bar reaches from one end's decades to the other's, the widest on top; both ends have their input's value."""
    record = shown()
    plot = tornado(record)
    found = bars(plot)

    assert len(found) == len(record.bars) == 7
    for bar, item in zip(record.bars[::-1], found, strict=True):
        assert bar.at_low is not None
        assert bar.at_high is not None
        assert (item.left, item.right) == pytest.approx(sorted((bar.at_low, bar.at_high)))
    assert [item.middle for item in found] == sorted(item.middle for item in found)
    assert plot.x.low < min(item.left for item in found) < 0 < max(item.right for item in found) < plot.x.high


def test_it_is_read_without_colour() -> None:
    """Names, reasons and the values at both ends stand in the picture as text."""
    record = shown()
    said = texts(inline(tornado(record)))

    for bar in record.bars:
        assert {f"{bar.name}: {bar.moved}", bar.low_text, bar.high_text} <= set(said)
    assert "decades of bits, with the input as at the bar's ends" in said
    assert "0" in said
    assert any(text.startswith("+") for text in said)


def test_zero_bits_are_said_and_lie_furthest_left() -> None:
    """A bar that ends at 0 bits says so, and reaches further left than any other."""
    record = shown(n=8e13)
    plot = tornado(record)
    starts = {bar.key: item.left for bar, item in zip(record.bars[::-1], bars(plot), strict=True)}
    to_zero = {bar.key for bar in record.bars if None in (bar.at_low, bar.at_high)}

    assert 0 < len(to_zero) < len(record.bars)
    assert any(text.startswith("0 bits at ") for text in texts(inline(plot)))
    assert max(starts[key] for key in to_zero) < min(start for key, start in starts.items() if key not in to_zero)
    assert plot.x.low < min(starts.values())


def test_both_ends_at_zero_bits() -> None:
    """A bar with both ends at 0 bits has no width, and draws."""
    record = shown()
    bar = record.bars[0].model_copy(update={"at_low": None, "at_high": None})
    svg = inline(tornado(record.model_copy(update={"bars": (bar,)})))

    assert sum(text.startswith("0 bits at ") for text in texts(svg)) == 2


@pytest.mark.parametrize("family", SMALL)
def test_every_family_draws(family: str) -> None:
    """Every family with more than 0 bits draws what would move it."""
    ElementTree.fromstring(standalone(inline(tornado(written(sensitivity(evaluate(family, SMALL[family])))))))


def test_bars_next_to_nothing_look_like_it() -> None:
    """Where every input moves the bits by next to nothing, the axis still shows half a decade to either side."""
    record = shown()
    small = tuple(bar.model_copy(update={"at_low": -0.001, "at_high": 0.002}) for bar in record.bars)
    axis = tornado(record.model_copy(update={"bars": small})).x

    assert axis.low < -0.5 < 0.5 < axis.high
