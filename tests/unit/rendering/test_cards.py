"""Cards: what they hold in each form, and that nothing in them comes from elsewhere."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import markdown
import pytest
from playwright.sync_api import Browser, Dialog

import ibc_report
from ibc_report import Report, load_report
from ibc_report.common.errors import IbcReportError, UsageError
from ibc_report.common.escaping import one_line
from ibc_report.data.task import Ranking, Task
from ibc_report.publish import content
from ibc_report.rendering import cards
from tests.support.chromium import browsing
from tests.support.markup import Page
from tests.support.once import Once

HOSTILE = {
    "html": '<script>alert(1)</script> "><img src=x onerror=alert(1)> </div></iframe><!-- --> &lt;b&gt; &amp;amp;',
    "markdown": "**bold** [a](http://x.org/a) `d` # e | f || g\n\n# second\n- third $x^2$ $$y$$ \\(z\\) 10^5",
    "jinja": "{{ 7 * 7 }} {% raw %} {# a #} שלום \u202eabc 👩‍🔬 🎉",
    "long": "x" * 3000,
}

MARKDOWN = ["tables", "fenced_code", "attr_list"]


@pytest.fixture(scope="module")
def digits(once: Once) -> Report:
    """The report of the handwritten digits."""
    return once.measured("builtin:digits")


@pytest.fixture(scope="module")
def diabetes(once: Once) -> Report:
    """The report of a regression."""
    return once.measured("builtin:diabetes")


@pytest.fixture(scope="module")
def dropped(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of a table with rows that cannot be used."""
    path = tmp_path_factory.mktemp("dropped") / "flowers.csv"
    rows = [f"{i % 7}.{i},{i % 5}.{i * 3},{'ab'[i % 2]}" for i in range(40)] + ["1,2,", "3,4,"]
    path.write_text("\n".join(["length,width,species", *rows]) + "\n", encoding="utf-8")
    return ibc_report.measure(str(path), target="species")


def as_page(report: Report, form: str) -> Page:
    """A card as a reader sees it."""
    return _page(report.to_json(), form)


@cache
def _page(content: str, form: str) -> Page:
    report = Report.model_validate_json(content)
    if form == "html":
        return Page(report.to_html())
    return Page(markdown.markdown(report.to_markdown(), extensions=MARKDOWN))


def hostile_report(folder: Path, text: str) -> Report:
    """A report of a table whose columns, labels, values and title are one hostile text."""
    path = folder / "hostile.jsonl"
    # many words would be free text, which is no label
    label = text.replace(" ", "·")
    rows = [
        {f"{text} in": f"{text} {'ab'[i % 2]}", "size": i * 1.5 + i % 3, f"{text} out": f"{label}·{'cd'[i % 2]}"}
        for i in range(30)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    task = Task(
        name="hostile",
        title=f"{text} title",
        description=f"{text} description",
        source=str(path),
        target=f"{text} out",
        encoder="tabular",
        license=f"{text} license",
        homepage=f"{text} homepage",
    )
    return ibc_report.measure(task)


NOT_FIXED = "These data do not fix the number: they allow 10^1.5 bits or more."


@pytest.mark.parametrize("form", ["html", "md", "section"])
def test_what_the_data_do_not_fix_is_said_before_the_number(digits: Report, form: str) -> None:
    """A card and a section begin with that sentence, where a dataset has no description; without it they do not."""
    links = content.Links("https://huggingface.co/datasets/someone/digits", "0" * 40)
    said = {}
    for sentence in (NOT_FIXED, ""):
        changed = digits.model_copy(
            update={"description": "", "headline": digits.headline.model_copy(update={"not_fixed": sentence})}
        )
        text = content.section(changed, links) if form == "section" else ""
        page = Page(markdown.markdown(text, extensions=MARKDOWN)) if text else as_page(changed, form)
        said[sentence] = page.all("p")[0].text
    assert said[NOT_FIXED] == NOT_FIXED.replace("^", "")
    assert said[""].startswith("1010.6 bits")


@pytest.mark.parametrize("form", ["html", "md"])
class TestWhatACardHolds:
    """Both forms hold all of the card."""

    def test_headline_with_its_interval(self, digits: Report, form: str) -> None:
        """The card leads with what the data leave open, the bits, their interval, and what that is made of."""
        page = as_page(digits, form)

        assert page.all("h1")[0].text == "digits"
        assert "1010.6 bits" in page.text
        lower, upper = digits.headline.lower_exponent, digits.headline.upper_exponent
        assert f"between 10{lower} and 10{upper}" in page.text
        assert digits.headline.not_fixed.replace("^", "") in page.text
        assert [raised.text for raised in page.all("sup")][2:5] == ["10.6", lower, upper]
        assert digits.headline.interval_is.replace("^", "") in page.text

    def test_what_the_number_is_not(self, digits: Report, form: str) -> None:
        """The card has the sentence on what the number is not."""
        assert "These are not bits that a model must store." in as_page(digits, form).text

    def test_numbers_with_their_origins(self, digits: Report, form: str) -> None:
        """Each number of the report is a row of a table, with where it came from."""
        page = as_page(digits, form)
        cells = [cell.text for cell in page.all("td")]

        assert len(digits.numbers) > 10
        for number in digits.numbers:
            position = cells.index(number.name)
            assert cells[position + 1] == number.symbol
            assert cells[position + 2] == number.text.replace("^", "")
            assert cells[position + 3] == number.origin

    def test_every_doubt(self, digits: Report, form: str) -> None:
        """Each doubt is an item of a list."""
        items = [item.text for item in as_page(digits, form).all("li")]

        assert len(digits.doubts) > 0
        for doubt in digits.doubts:
            assert doubt.replace("10^", "10") in items

    def test_the_ruler_in_words(self, digits: Report, form: str) -> None:
        """Where the task lies among the paper's benchmarks is said in words."""
        page = as_page(digits, form)
        words = [figure["aria-label"] for figure in page.all("figure")] + [page.text.replace("10", "10^")]

        assert any("below MNIST" in text and "above Cartpole, 1 observation" in text for text in words)

    def test_scaling_in_words(self, digits: Report, form: str) -> None:
        """Each scaling plot has its numbers in words: bits against n, m, δ, ε and classes."""
        page = as_page(digits, form)
        words = [figure["aria-label"] for figure in page.all("figure")] + [item.text for item in page.all("li")]

        assert [curve.symbol for curve in digits.curves] == ["n", "m", "δ", "ε", "d"]
        for curve in digits.curves:
            assert curve.alternative in words or curve.alternative.replace("^", "") in words

    def test_the_pair_with_rows_and_labels(self, digits: Report, form: str) -> None:
        """The two rows that set the margin are named with their labels."""
        assert digits.pair is not None
        text = as_page(digits, form).text

        for example in (digits.pair.first, digits.pair.second):
            assert f"Row {example.row}, target: {example.label}" in text

    def test_sixteen_assumptions(self, digits: Report, form: str) -> None:
        """All sixteen are there, with statement, consequence, verdict, what the data say, and what each is worth."""
        page = as_page(digits, form)
        cells = [cell.text for cell in page.all("td")]

        assert [entry.id for entry in digits.assumptions] == [f"A{i}" for i in range(1, 17)]
        for entry in digits.assumptions:
            start = cells.index(entry.id)
            row = " ".join(cells[start : start + 6])
            for part in (entry.name, entry.consequence, entry.verdict, entry.diagnostic, entry.threshold):
                assert one_line(part or "") in row
            assert one_line(entry.change_text or "") in row

    def test_how_sure_it_is(self, digits: Report, form: str) -> None:
        """Both intervals have plain names and what they cover, and the conventions stand apart from them."""
        text = as_page(digits, form).text
        certainty = digits.certainty

        assert certainty is not None
        assert certainty.sd_text in text
        for ranges in (certainty.sample, certainty.truth, certainty.conventions):
            assert ranges is not None
            assert ranges.name in text
            assert ranges.meaning in text

    def test_what_would_move_it(self, digits: Report, form: str) -> None:
        """Each decision that would change the bits is a row, with the bits and the decades."""
        page = as_page(digits, form)
        cells = [cell.text for cell in page.all("td")]

        assert digits.sensitivity is not None
        for change in digits.sensitivity.changes:
            start = next(place for place, cell in enumerate(cells) if cell.startswith(change.name))
            assert cells[start + 1 : start + 3] == [change.bits.replace("^", ""), change.change_text]

    def test_dropped_rows(self, dropped: Report, form: str) -> None:
        """Rows that were left out are counted, with the reason and their numbers."""
        assert dropped.data is not None
        lost = dropped.data.dropped[0]

        assert (lost.count, lost.rows) == (2, (40, 41))
        assert f"2 {lost.reason} (rows 40, 41)" in as_page(dropped, form).text

    def test_how_to_repeat(self, digits: Report, form: str) -> None:
        """The command, the Python, the seed, the versions and the fingerprint are there."""
        page = as_page(digits, form)
        blocks = [block.text for block in page.all("code")]

        assert "ibc-report card builtin:digits" in blocks
        assert one_line(digits.repeat.python) in blocks
        assert digits.repeat.fingerprint in blocks
        assert "Seed 0." in page.text
        assert all(f"{name} {version}" in page.text for name, version in digits.repeat.versions.items())

    def test_bibtex(self, digits: Report, form: str) -> None:
        """How to cite is a block of code."""
        assert one_line(digits.bibtex) in [block.text for block in as_page(digits, form).all("code")]

    def test_a_regression_speaks_of_targets(self, diabetes: Report, form: str) -> None:
        """The pair of a regression is one of targets that differ by more than the tolerance, not of classes."""
        text = as_page(diabetes, form).text

        assert "No two rows with targets more than 3.21 apart are closer" in text
        assert "different classes are closer" not in text

    def test_a_classification_speaks_of_classes(self, digits: Report, form: str) -> None:
        """The pair of a classification is one of classes, without a tolerance."""
        text = as_page(digits, form).text

        assert "No two rows of different classes are closer" in text
        assert "apart are closer" not in text

    def test_separators_keep_their_space(self, digits: Report, diabetes: Report, form: str) -> None:
        """What a card lists is separated by a sign and a space."""
        text = as_page(digits, form).text
        table = as_page(diabetes, form).text

        assert "0 (178), 1 (182), 2 (177)" in text
        assert re.search(r"k = 3: [0-9.]+; k = 5: [0-9.]+; k = ", text)
        assert re.search(r"standardise: yes; missing: a missing number", table)
        assert re.search(r"[0-9], numpy [0-9.]+, pandas [0-9.]+, pillow ", text)

    def test_conflicts_are_listed_with_their_labels(self, dropped: Report, form: str) -> None:
        """Rows of one point and two targets are on the card with their row numbers and labels."""
        assert dropped.data is not None
        data = dropped.data.model_copy(update={"conflicting_rows": 3, "conflicting_examples": ((4, "a"), (9, "b"))})
        text = as_page(dropped.model_copy(update={"data": data}), form).text

        assert (
            "3 rows with the inputs of a row of another target (row 4: a, row 9: b, …), left out of the margin" in text
        )

    def test_the_place_of_the_command_is_said(self, digits: Report, dropped: Report, form: str) -> None:
        """A card says from which folder its command is run."""
        assert "From any folder:" in as_page(digits, form).text
        assert f"{dropped.repeat.place} ibc-report card" in as_page(dropped, form).text

    @pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
    def test_hostile_text_is_text(self, digits: Report, form: str, text: str, tmp_path: Path) -> None:
        """Title, description, columns, labels and values come out as the text that they are."""
        report = hostile_report(tmp_path, text)
        page = as_page(report, form)
        seen = one_line(text)

        assert page.all("h1")[0].text == f"{seen} title"
        for use in ("description", "license", "homepage"):
            assert f"{seen} {use}" in page.text
        # a cell is cut where it is long, a column's name is not
        assert f"{seen} out" in page.text
        assert one_line(text.replace(" ", "·")[:60]) in page.text
        assert {element.tag for element in page.elements} <= {
            *(element.tag for element in as_page(digits, form).elements),
            *("code", "tbody"),
        }
        assert not page.all("a")
        assert not page.all("script")


def test_html_asks_for_nothing(digits: Report) -> None:
    """No attribute and no style of the HTML names another place, and there is no script."""
    page = Page(digits.to_html())

    assert page.asked_of_others() == []
    assert page.all("script") == []
    assert any(address.startswith("data:image/png") for _, address in page.addresses())


def test_html_is_small(digits: Report) -> None:
    """The card of the digits is under 120 kB."""
    assert len(digits.to_html().encode()) < 120_000


@pytest.mark.parametrize("source", ["builtin:digits", "builtin:iris", "builtin:diabetes"])
def test_ids_are_unique_and_references_meet(source: str) -> None:
    """Each id of the HTML occurs once, is free of spaces, and every reference to one meets it."""
    page = Page(ibc_report.measure(source).to_html())
    referred = [address[1:] for _, address in page.addresses() if address.startswith("#")]
    for element in page.elements:
        referred += [value[5:-1] for value in element.attributes.values() if value.startswith("url(#")]

    assert len(set(page.ids)) == len(page.ids)
    assert not [name for name in page.ids if not name or " " in name]
    assert set(referred) <= set(page.ids)


def test_pictures_have_an_alternative(digits: Report) -> None:
    """The two pictures of the pair and every figure say in words what they show, with numbers."""
    page = Page(digits.to_html())
    images, plots = page.all("img"), page.all("figure")

    assert [image["alt"] for image in images] == ["Row 242, target 8", "Row 1714, target 1"]
    assert len(plots) == 2 + len(digits.curves)
    for figure in plots:
        assert figure["role"] == "img"
        assert any(character.isdigit() for character in figure["aria-label"])
    assert "10^10.6 bits" in plots[0]["aria-label"]


def test_markdown_with_figures_points_at_files_that_are_made(digits: Report) -> None:
    """Each picture of the Markdown is one of the figure files, and each file is shown."""
    files = cards.figure_files(digits)
    paths = {Path(name).stem: f"card files/{name}" for name in files}
    page = Page(markdown.markdown(cards.markdown(digits, figure_paths=paths), extensions=MARKDOWN))

    assert sorted(image["src"] for image in page.all("img")) == sorted(f"card%20files/{name}" for name in files)
    assert all(image["alt"] for image in page.all("img"))
    assert {name for name in files if name.endswith(".png")} == {"first.png", "second.png"}
    assert files["first.png"].startswith(b"\x89PNG")


@pytest.mark.long
def test_every_declared_family_renders() -> None:
    """A declared task of each of the paper's families becomes a card and a page without data."""
    catalog = ibc_report.load_catalog(Path(__file__).parents[3] / "site" / "catalog.yml")
    declared = {task.declared.family: task for task in catalog.tasks if task.declared is not None}

    assert set(declared) == {"classification", "few_shot", "control", "partially_observed_control"}
    for task in declared.values():
        report = ibc_report.measure(task)
        for form in ("html", "md"):
            page = as_page(report, form)
            assert [heading.text for heading in page.all("h1")] == [report.title]
            assert "The pair that sets the margin" not in page.text
        assert "The pair that sets the margin" not in cards.task_page(report)


def test_zero_bits_is_a_card(digits: Report) -> None:
    """A task of 0 bits says so, and claims no interval."""
    task = Task.model_validate(
        {
            "name": "easy",
            "declared": {
                "family": "classification",
                "n": 1e9,
                "radius": 1,
                "dimension": 1,
                "classes": 2,
                "margin": 1,
                "target_error": 0.9,
            },
        }
    )
    report = ibc_report.measure(task)

    assert report.headline.log10_bits is None
    for form in ("html", "md"):
        text = as_page(report, form).text
        assert "0 bits" in text
        assert "between" not in text.partition("Among the paper")[0]
    assert "0 bits, below" in cards.html(report)


def test_a_saved_report_renders_to_the_same_bytes(digits: Report, tmp_path: Path) -> None:
    """Read back from its JSON, without its data, a report gives the very same cards and page."""
    path = tmp_path / "digits.json"
    path.write_text(digits.to_json(), encoding="utf-8")
    again = load_report(path)

    assert again.to_json() == digits.to_json()
    assert again.to_html() == digits.to_html()
    assert again.to_markdown() == digits.to_markdown()
    assert cards.task_page(again) == cards.task_page(digits)
    assert cards.figure_files(again) == cards.figure_files(digits)


def test_a_notebook_shows_a_frame(digits: Report) -> None:
    """The notebook display is one frame that holds the whole card and lets nothing in it run."""
    page = Page(digits._repr_html_())

    assert [element.tag for element in page.elements] == ["iframe"]
    frame = page.elements[0]
    assert frame["srcdoc"] == digits.to_html()
    assert "sandbox" in frame.attributes
    assert frame["sandbox"] == ""
    assert "digits" in frame["title"]


class TestUsersTemplates:
    """A folder of templates stands in for the built-in ones."""

    def test_one_partial(self, digits: Report, tmp_path: Path) -> None:
        """One partial is overridden, the others stay, and its values are escaped."""
        (tmp_path / "partials").mkdir()
        (tmp_path / "partials" / "doubts.html.j2").write_text("<p>Doubts: {{ report.doubts[-1] ~ '<' }}</p>")

        text = cards.html(digits, templates=tmp_path)

        assert f"<p>Doubts: {html.escape(digits.doubts[-1])}&lt;</p>" in text
        assert "<h2>Assumptions</h2>" in text

    def test_extends_the_original(self, digits: Report, tmp_path: Path) -> None:
        """A template of the same name builds on the built-in one."""
        (tmp_path / "card.html.j2").write_text('{% extends "builtin/card.html.j2" %}')

        assert cards.html(digits, templates=tmp_path) == cards.html(digits)

    def test_style_sheet(self, digits: Report, tmp_path: Path) -> None:
        """The style sheet is one of the files that can be overridden."""
        (tmp_path / "card.css").write_text("body { color: teal }")

        assert "body { color: teal }\n</style>" in cards.html(digits, templates=tmp_path)

    def test_markdown_values_are_escaped(self, digits: Report, tmp_path: Path) -> None:
        """What a user's Markdown template prints is escaped too."""
        (tmp_path / "card.md.j2").write_text("{{ report.title ~ '*|<b>' }}\n")

        assert cards.markdown(digits, templates=tmp_path) == "digits\\*&#124;&lt;b&gt;\n"

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ("\n{% if %}", r"card\.md\.j2, line 2: Expected an expression"),
            ("\n\n{{ report.nothing }}", r"card\.md\.j2, line 3: .*has no attribute 'nothing'"),
            ("{{ wrong }}", r"card\.md\.j2, line 1: 'wrong' is undefined"),
            ("\n{{ 1 / 0 }}", r"card\.md\.j2, line 2: division by zero"),
            ('\n{% include "partials/none.j2" %}', r"card\.md\.j2, line 2: there is no template 'partials/none\.j2'"),
            ('{% extends "builtin/cart.md.j2" %}', r"there is no template 'builtin/cart\.md\.j2'"),
            ("{{ report | nothing }}", r"card\.md\.j2, line 1: No filter named 'nothing'"),
        ],
        ids=["syntax", "attribute", "name", "value", "include", "extends", "filter"],
    )
    def test_an_error_names_file_and_line(self, digits: Report, tmp_path: Path, source: str, message: str) -> None:
        """An error in a user's template is one line with the file, the line and what is wrong."""
        (tmp_path / "card.md.j2").write_text(source)

        with pytest.raises(IbcReportError, match=message) as caught:
            cards.markdown(digits, templates=tmp_path)

        assert str(tmp_path) in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_a_folder_that_is_none(self, digits: Report, tmp_path: Path) -> None:
        """A path that is no folder is refused."""
        with pytest.raises(UsageError, match="is not a folder"):
            cards.html(digits, templates=tmp_path / "nowhere")


@pytest.fixture
def browser() -> Iterator[Browser]:
    """Chromium, new for the test."""
    with browsing() as found:
        yield found


@pytest.mark.browser
@pytest.mark.parametrize("form", [cards.html, cards.notebook], ids=["card", "notebook"])
def test_a_browser_asks_nobody(browser: Browser, digits: Report, tmp_path: Path, form: Callable[[Report], str]) -> None:
    """Opened in Chromium, the card makes no request but the one for itself, and no complaint."""
    path = tmp_path / "card.html"
    path.write_text(form(digits), encoding="utf-8")
    page = browser.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(path.as_uri())
    page.wait_for_load_state("networkidle")

    assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]
    assert said == []


@pytest.mark.browser
def test_hostile_text_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    """In Chromium, no hostile text of a card becomes a script or a dialog."""
    page = browser.new_page()
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    report = hostile_report(tmp_path, HOSTILE["html"])
    page.set_content(cards.html(report))
    assert page.locator("h1").inner_text() == f"{HOSTILE['html']} title"
    page.set_content(cards.notebook(report))
    assert page.frame_locator("iframe").locator("h1").inner_text() == f"{HOSTILE['html']} title"

    assert dialogs == []


@pytest.mark.parametrize(("rank", "order"), [("released", ["hard", "easy"]), ("robust", ["easy", "hard"])])
def test_a_catalog_is_in_the_order_that_it_is_ranked_by(digits: Report, rank: Ranking, order: list[str]) -> None:
    """The hardest comes first: where an outlier turns two tasks around, the robust ranking has the other one first."""
    assert digits.robust is not None
    reports = tuple(
        digits.model_copy(
            update={
                "name": name,
                "headline": digits.headline.model_copy(update={"log10_bits": released}),
                "robust": digits.robust.model_copy(update={"log10_bits": robust}),
            }
        )
        for name, released, robust in (("hard", 12.0, 8.0), ("easy", 10.0, 9.0))
    )
    page = cards.CatalogPage(reports, "Catalog", rank=rank)
    text = cards.catalog_page(page, address={"hard": "at/hard", "easy": "at/easy"}, csv="catalog.csv")
    assert sorted(order, key=lambda name: text.index(f"at/{name}")) == order
