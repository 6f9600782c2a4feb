"""Figures: the same bytes everywhere, readable without colour, and nothing of the caller's is touched."""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation
from PIL import Image

import ibc_report
from ibc_report import Report
from ibc_report.common.escaping import one_line
from ibc_report.complexity import evaluate
from ibc_report.complexity.extreme_values import known
from ibc_report.complexity.uncertainty import Noise
from ibc_report.data.task import Declared, Task
from ibc_report.geometry.sensitivity import sensitivity
from ibc_report.rendering import canvas, cards, figures
from ibc_report.rendering import figures as alternatives
from ibc_report.rendering.figures import tornado
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
    found = {"ruler": canvas.svg(figures.ruler(report), "p-ruler")}
    found["catalog"] = canvas.svg(figures.catalog([report]), "p-catalog")
    for curve in report.curves:
        found[curve.key] = canvas.svg(figures.curve(report, curve), f"p-{curve.key}")
    return found


def texts(svg: str) -> list[str]:
    """The texts of an SVG."""
    return ["".join(element.itertext()).strip() for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


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
    said = {curve.key: texts(canvas.svg(figures.curve(report, curve), "p")) for curve in report.curves}

    for curve in report.curves:
        assert ("×: 0 bits" in said[curve.key]) == (None in curve.log10_bits)
    assert any("×: 0 bits" in words for words in said.values())


@pytest.mark.parametrize("title", TITLES)
def test_a_title_is_text(title: str) -> None:
    """A title of any characters is the label that a reader sees, cut where it is long."""
    report = report_of("classification", title)
    others = texts(canvas.svg(figures.ruler(report_of("zero")), "p"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = canvas.svg(figures.ruler(report), "p")
    seen = one_line(title)
    bits = f"10{report.headline.exponent}"
    label = next((text for text in texts(svg) if text not in others and text != bits), "")

    assert label == seen or (label.endswith("…") and seen.startswith(label[:-1]) and len(label) > 20)
    ElementTree.fromstring(canvas.standalone(svg))


def test_a_long_title_stays_in_the_picture() -> None:
    """The longest title leaves the axes more than a third of the width."""
    figure = figures.ruler(report_of("classification", "W" * 400))
    canvas.svg(figure, "p")

    assert figure.axes[0].get_position().width > 1 / 3


@pytest.mark.parametrize("prefix", ["digits-ruler", "a b", '"><script>', "a.b_c"])
def test_ids_carry_the_prefix_and_are_unique(digits: Report, prefix: str) -> None:
    """Each id begins with the prefix, as an id may be written, occurs once, and each reference meets one."""
    svg = canvas.svg(figures.curve(digits, digits.curves[0]), prefix)
    root = ElementTree.fromstring(svg)
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    referred = re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', svg)

    assert len(set(ids)) == len(ids) > 5
    assert all(re.fullmatch(rf"{re.sub(r'[^A-Za-z0-9_.-]', '-', prefix)}-[\w.-]+", name) for name in ids)
    assert referred
    assert {first or second for first, second in referred} <= set(ids)


def test_colours_are_variables(digits: Report) -> None:
    """Every colour of an inline SVG is a CSS variable, with the light colour to fall back on."""
    svg = drawn(digits)["ruler"]
    colours = set(re.findall(r"(?:fill|stroke): ([^;\"]+)", svg)) - {"none"}
    theme = canvas.LIGHT

    assert colours == {
        f"var(--ibc-ink, {theme.ink})",
        f"var(--ibc-muted, {theme.muted})",
        f"var(--ibc-grid, {theme.grid})",
        f"var(--ibc-accent, {theme.accent})",
    }
    assert "<style" not in svg


def test_a_file_follows_the_readers_scheme(digits: Report) -> None:
    """An SVG file sets every colour anew where the reader's scheme is dark."""
    text = canvas.standalone(drawn(digits)["ruler"])
    style = ElementTree.fromstring(text).find(f"{SVG}style")

    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n<svg ')
    assert style is not None
    assert style.text is not None
    assert "prefers-color-scheme: dark" in style.text
    for name in ("ink", "muted", "grid", "accent"):
        assert f"--ibc-{name}: {getattr(canvas.DARK, name)};" in style.text


@pytest.mark.parametrize("theme", [canvas.LIGHT, canvas.DARK], ids=["light", "dark"])
def test_png_is_drawn_in_a_theme(digits: Report, theme: canvas.Theme) -> None:
    """A PNG has the theme's colours on no background, at the resolution asked for."""
    small = Image.open(io.BytesIO(canvas.png(figures.curve(digits, digits.curves[0], theme), dpi=100)))
    large = Image.open(io.BytesIO(canvas.png(figures.curve(digits, digits.curves[0], theme), dpi=200)))
    pixels = np.asarray(small.convert("RGBA")).reshape(-1, 4)
    accent = tuple(int(theme.accent[i : i + 2], 16) for i in (1, 3, 5))

    assert small.size == (340, 250)
    assert large.size == (680, 500)
    assert (pixels == (*accent, 255)).all(axis=1).any()
    assert (pixels[:, 3] == 0).any()


@pytest.mark.long
def test_the_same_bytes_in_another_process(digits: Report, tmp_path: Path) -> None:
    """Two processes with different hash seeds draw the same SVG and PNG."""
    path = tmp_path / "digits.json"
    path.write_text(digits.to_json(), encoding="utf-8")
    program = (
        "import hashlib, sys\n"
        "from ibc_report import load_report\nfrom ibc_report.rendering import figures\n"
        "report = load_report(sys.argv[1])\n"
        "curve = report.curves[1]\n"
        "drawn = figures.svg(figures.ruler(report), 'a') + figures.svg(figures.curve(report, curve), 'b')\n"
        "drawn = drawn.encode() + figures.png(figures.curve(report, curve, figures.DARK))\n"
        "print(hashlib.sha256(drawn).hexdigest())\n"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program, str(path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(seen) == 1


def test_the_callers_settings_are_left_and_not_used(digits: Report) -> None:
    """Odd settings of the caller change no figure, and are the same afterwards, as is the backend."""
    plain = drawn(digits), canvas.png(figures.ruler(digits, canvas.LIGHT))
    odd = {
        "font.size": 31.0,
        "axes.grid": False,
        "lines.linewidth": 9.0,
        "figure.figsize": [1.0, 1.0],
        "savefig.bbox": "tight",
        "savefig.dpi": 17.0,
        "svg.fonttype": "path",
        "axes.facecolor": "red",
        "text.usetex": True,
        "path.simplify": False,
    }
    with matplotlib.rc_context(odd):  # type: ignore[arg-type]
        before = dict(matplotlib.rcParams)
        found = drawn(digits), canvas.png(figures.ruler(digits, canvas.LIGHT))
        after = dict(matplotlib.rcParams)

    assert found == plain
    assert after == before


@pytest.mark.long
def test_no_backend_is_chosen() -> None:
    """Drawing imports no pyplot and resolves no backend."""
    program = (
        "import sys, matplotlib, ibc_report\n"
        "before = dict.__getitem__(matplotlib.rcParams, 'backend')\n"
        "ibc_report.measure('builtin:iris').to_html()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "assert dict.__getitem__(matplotlib.rcParams, 'backend') is before\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_catalog_in_words() -> None:
    """The comparison names the lowest and the highest task, and says where there is none."""
    zero, low, high = report_of("zero", "None"), report_of("classification", "Low"), report_of("few_shot", "High")

    said = alternatives.catalog_text([high, zero, low])
    assert said.startswith("Bits of 2 tasks on a log axis, from Low (10^")
    assert "to High (10^" in said
    assert alternatives.catalog_text([zero]) == "No task has more than 0 bits."


def test_a_measured_task_is_told_from_a_declared_one_without_colour(digits: Report) -> None:
    """On the ruler the measured task has another marker, filled, and a bold name."""
    axes = figures.ruler(digits).axes[0]
    labels = {label.get_text(): label.get_fontweight() for label in axes.texts}
    markers = {(str(line.get_marker()), str(line.get_markerfacecolor())) for line in axes.lines}

    assert labels["digits"] == "bold"
    assert labels["MNIST"] == "normal"
    assert ("o", "none") in markers
    assert any(marker == "D" and face != "none" for marker, face in markers)


def test_a_declared_task_is_open_on_its_own_ruler() -> None:
    """Nothing of a declared task was measured, so that its dot is open; its name is bold all the same."""
    axes = figures.ruler(report_of("classification")).axes[0]

    assert {str(line.get_markerfacecolor()) for line in axes.lines if line.get_marker() != "None"} == {"none"}
    assert {label.get_text() for label in axes.texts if label.get_fontweight() == "bold"} == {"A task"}


def test_the_catalog_keeps_the_order_that_it_is_given() -> None:
    """The last of the reports is on top, whatever bits the order goes by."""
    given = [report_of("few_shot", "first"), report_of("classification", "second")]
    heights = {
        text.get_text(): text.xy[1] for text in figures.catalog(given).axes[0].texts if isinstance(text, Annotation)
    }

    assert heights["first"] < heights["second"]


def test_a_label_s_exponent_is_raised() -> None:
    """A power of ten on a dot plot has a raised exponent in an SVG, and a title that holds one stays as it is."""
    report = report_of("classification", "at 10^16.1 bits")
    svg = canvas.svg(figures.ruler(report), "p")

    assert f">10<tspan dy='-0.35em' font-size='85%'>{report.headline.exponent}</tspan></text>" in svg
    assert "at 10^16.1 bits" in texts(svg)


def test_dot_plots_fit_a_phone(digits: Report) -> None:
    """At a phone's width the smallest letters of a dot plot are nine pixels, with no label outside the picture."""
    figure = figures.ruler(digits)
    canvas.svg(figure, "p")
    width = figure.get_figwidth()
    phone = 350 / (72 * width)
    edge = figure.bbox.width

    assert min(float(text.get_fontsize()) for text in figure.axes[0].texts) * phone >= 8.9
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert 0 <= box.x0 < box.x1 <= edge


@pytest.mark.parametrize("span", [(10.6, 11.6), (10.2, 10.4), (10.6, 10.6), (10.9, 12.05)], ids=str)
def test_the_axis_of_bits_has_whole_powers(span: tuple[float, float]) -> None:
    """However little a curve rises, the bits axis has at least two whole powers of ten in sight and no fractions."""
    report = report_of("classification")
    chosen = report.curves[0]
    low, high = span
    steps = len(chosen.values) - 1
    flat = chosen.model_copy(update={"log10_bits": tuple(low + (high - low) * n / steps for n in range(steps + 1))})
    headline = report.headline.model_copy(update={"log10_bits": low, "lower": low, "upper": high})
    figure = figures.curve(report.model_copy(update={"headline": headline}), flat)
    figure.canvas.draw()
    (axes,) = figure.axes
    bottom, top = axes.get_ylim()
    ticks = [tick for tick in axes.get_yticks() if bottom <= tick <= top]
    assert len(ticks) > 1
    assert ticks == [round(tick) for tick in ticks]


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


def drawn_bytes() -> bytes:
    """The figure as inline SVG and as a dark PNG."""
    record = shown()
    return canvas.svg(tornado(record), "p").encode() + canvas.png(tornado(record, canvas.DARK))


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
    said = texts(canvas.svg(tornado(record), "p"))

    for bar in record.bars:
        assert {f"{bar.name}: {bar.moved}", bar.low_text, bar.high_text} <= set(said)
    assert "decades of bits, with the input as at the bar's ends" in said
    assert "0" in said
    assert any(text.startswith("+") for text in said)


def test_zero_bits_are_said_and_lie_furthest_left() -> None:
    """A bar that ends at 0 bits says so, and reaches further left than any other."""
    record = shown(n=8e13)
    figure = tornado(record)
    said = texts(canvas.svg(figure, "p"))
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
    svg = canvas.svg(tornado(record.model_copy(update={"bars": (bar,)})), "p")

    assert sum(text.startswith("0 bits at ") for text in texts(svg)) == 2


@pytest.mark.parametrize("family", SMALL)
def test_every_family_draws(family: str) -> None:
    """Every family with more than 0 bits draws without a warning, in CSS variables alone."""
    record = written(sensitivity(evaluate(family, SMALL[family])))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = canvas.svg(tornado(record), "p")
    colours = set(re.findall(r"(?:fill|stroke): ([^;\"]+)", svg)) - {"none"}

    ElementTree.fromstring(canvas.standalone(svg))
    assert all(colour.startswith("var(--ibc-") for colour in colours)


def test_bars_next_to_nothing_look_like_it() -> None:
    """Where every input moves the bits by next to nothing, the axis still shows half a decade to either side."""
    record = shown()
    small = tuple(bar.model_copy(update={"at_low": -0.001, "at_high": 0.002}) for bar in record.bars)
    left, right = tornado(record.model_copy(update={"bars": small})).axes[0].get_xlim()

    assert left < -0.5 < 0.5 < right


@pytest.mark.long
def test_a_tornado_has_the_same_bytes_in_another_process() -> None:
    """Another process draws the same bytes, as SVG and as a dark PNG."""
    program = (
        "import hashlib\nfrom tests.unit.rendering.test_figures import drawn_bytes\n"
        "print(hashlib.sha256(drawn_bytes()).hexdigest())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == hashlib.sha256(drawn_bytes()).hexdigest()
