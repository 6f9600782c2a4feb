"""What pages of the website are made of: formulas, reference tables, the table as CSV, the schema."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import markdown
import pytest

import ibc_report
from ibc_report import Report
from ibc_report.common.errors import DataError
from ibc_report.complexity import CONVENTIONS, PUBLISHED
from ibc_report.data.task import Declared, Task
from ibc_report.rendering.cards import CatalogPage
from ibc_report.report.schema.document import json_schema
from ibc_report.website import pages
from ibc_report.website.pages import SitePaths
from tests.support.markup import Page


def declared(name: str, **settings: str) -> Report:
    """A report of declared numbers."""
    numbers = {"family": "control", "n": 1e6, "dimension": 6, "actions": 2, "resolution": 0.001, "target_error": 0.001}
    return ibc_report.measure(Task.model_validate({"name": name, "declared": numbers, **settings}))


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    """The files of two tasks."""
    return pages.generate(
        CatalogPage(
            (declared("b", title="=SUM(A1)"), declared("a", title='a, "b"\n$x$ <i>')),
            title="Difficulty *catalog*",
            description="About <b> it.",
            missing=("lost", "<gone>"),
        ),
        SitePaths(page="index.md", folder="all", style="s.css", script="s.js"),
        link=lambda path: f"to/{path}",
    )


class TestFormulas:
    """LaTeX in pages becomes MathML."""

    def test_inline(self) -> None:
        r"""A formula in \(…\) becomes inline MathML and leaves its sentence as it is."""
        page = Page(markdown.markdown(pages.with_formulas(r"Take \(x_i * y * z\), and *b*.")))

        assert [element["display"] for element in page.all("math")] == ["inline"]
        assert [element.text for element in page.all("mi")] == ["x", "i", "y", "z"]
        assert page.text == "Take xi*y*z , and b." or page.text == "Take xi*y*z, and b."
        assert [element.text for element in page.all("em")] == ["b"]

    def test_at_the_start_of_a_line(self) -> None:
        """A formula that begins a line stays in its paragraph."""
        page = Page(markdown.markdown(pages.with_formulas("\\(x\\) is *that*.")))

        assert [element.tag for element in page.elements][:3] == ["p", "span", "math"]
        assert [element.text for element in page.all("em")] == ["that"]

    def test_display_over_lines(self) -> None:
        """A formula in $$…$$ may go over lines and becomes a block."""
        page = Page(markdown.markdown(pages.with_formulas("before\n\n$$a <\n\\frac{b}{c}$$\n\nafter")))

        assert [element["display"] for element in page.all("math")] == ["block"]
        assert [element.text for element in page.all("p")] == ["before", "after"]
        assert len(page.all("mfrac")) == 1

    @pytest.mark.parametrize(
        "text",
        [
            "`\\(x\\)`",
            "``a ` \\(x\\)``",
            "```\n\\(x\\)\n$$y$$\n```",
            "~~~ tex\n$$y$$\n~~~",
            "- item\n\n  ```\n  \\(x\\)\n  ```",
            "````\n```\n\\(x\\)\n````",
            "`over\n\\(x\\) lines`",
            "costs $5 and $$ more",
            "$$",
        ],
    )
    def test_code_and_money_are_left_alone(self, text: str) -> None:
        """What is in code, and dollars that are no formula, come back unchanged."""
        assert pages.with_formulas(text) == text

    def test_around_code(self) -> None:
        """Formulas before and after code are converted, the code is not."""
        text = pages.with_formulas("\\(a\\) `\\(b\\)` \\(c\\)")

        assert text.count("<math") == 2
        assert "`\\(b\\)`" in text

    @pytest.mark.parametrize("formula", ["{x", "x}", r"\left( x", r"\nonsense + x"])
    def test_bad_latex_is_one_line(self, formula: str) -> None:
        """A formula that cannot be converted is one line that shows it."""
        with pytest.raises(DataError, match="cannot be converted") as caught:
            pages.with_formulas(f"$$\n  {formula}\n  + 1\n$$")

        assert "\n" not in str(caught.value)
        assert formula in str(caught.value)


class TestReferences:
    """Tables that the code knows better than a page."""

    def test_conventions(self) -> None:
        """The table has a row for each convention, with what it does."""
        page = Page(markdown.markdown(pages.with_references("{{ conventions }}"), extensions=["tables"]))

        assert [cell.text for cell in page.all("td")] == [
            text for entry in CONVENTIONS.values() for text in (entry.name, entry.statement)
        ]

    def test_published(self) -> None:
        """The table has a row for each published value, with its bits."""
        page = Page(markdown.markdown(pages.with_references("{{ published }}"), extensions=["tables"]))
        cells = [cell.text for cell in page.all("td")]

        assert cells[::3] == [entry.title for entry in PUBLISHED.values()]
        assert cells[cells.index("MNIST") + 2] == "1.485 × 1016"

    def test_assumptions(self) -> None:
        """The table has all sixteen assumptions in order."""
        page = Page(markdown.markdown(pages.with_references("{{ assumptions }}"), extensions=["tables"]))

        assert [cell.text for cell in page.all("td")][::3] == [f"A{i}" for i in range(1, 17)]

    def test_schema(self) -> None:
        """Each record of the report has a heading, and each of its keys a row with a description."""
        page = Page(markdown.markdown(pages.with_references("{{ schema }}"), extensions=["tables"]))
        headings = [heading.text for heading in page.all("h3")]
        keys = [code.text for code in page.all("code")]

        assert headings[0] == "Report"
        assert {"Headline", "Curve", "DataRecord", "Pair"} <= set(headings)
        assert set(Report.model_fields) <= set(keys)
        assert "log10_bits" in keys

    @pytest.mark.parametrize("text", ["a {{ schema }} b", "{{ unknown }}", "```\n{{ schema }}\n```"])
    def test_only_alone_on_a_line(self, text: str) -> None:
        """A name within a line or in code, and an unknown one, are left as they are."""
        assert pages.with_references(text) == text


class TestGenerated:
    """The files that reports become."""

    def test_paths(self, generated: dict[str, str]) -> None:
        """There is the catalog page, a page and a report for each task, the table, the schema, style and script."""
        assert sorted(generated) == [
            *("all/a.json", "all/a.md", "all/b.json", "all/b.md", "all/catalog.csv"),
            *("index.md", "report-2.schema.json", "s.css", "s.js"),
        ]

    def test_csv(self, generated: dict[str, str]) -> None:
        """The table as CSV has a row for each task; a cell that a spreadsheet would run is text."""
        rows = list(csv.DictReader(io.StringIO(generated["all/catalog.csv"])))

        assert [row["name"] for row in rows] == ["b", "a"]
        assert [row["title"] for row in rows] == ["'=SUM(A1)", 'a, "b"\n$x$ <i>']
        assert [float(row["log10_bits"]) for row in rows] == [declared("x").headline.log10_bits] * 2
        assert {(row["lower"], row["measured"], row["source"], row["convention"]) for row in rows} == {
            ("", "False", "", "released")
        }

    def test_reports_are_published(self, generated: dict[str, str]) -> None:
        """Each task's report is beside its page, and the published schema accepts it."""
        schema = json.loads(generated["report-2.schema.json"])
        jsonschema.Draft202012Validator.check_schema(schema)
        report = json.loads(generated["all/a.json"])

        jsonschema.validate(report, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**report, "unknown": 1}, schema)

    def test_missing_tasks_are_owned_up_to(self, generated: dict[str, str]) -> None:
        """The catalog page names the tasks without a report."""
        page = Page(markdown.markdown(generated["index.md"]))

        assert "Without a report: lost, <gone>." in page.text
        assert page.all("h1")[0].text == "Difficulty *catalog*"
        assert "About <b> it." in page.text

    def test_links_come_from_the_site(self, generated: dict[str, str]) -> None:
        """Addresses of pages and of the CSV are the site's own, and hostile titles are text in them."""
        links = {link["href"]: link.text for link in Page(markdown.markdown(generated["index.md"])).all("a")}

        assert links == {
            "to/all/a.md": 'a, "b" $x$ <i>',
            "to/all/b.md": "=SUM(A1)",
            "to/all/catalog.csv": "The table as CSV",
        }


def test_schema_accepts_the_example_reports(tmp_path: Path) -> None:
    """The published schema accepts the report of measured data."""
    report = json.loads(ibc_report.measure("builtin:iris").to_json())

    jsonschema.validate(report, json_schema())


def test_declared_numbers_are_the_inputs() -> None:
    """A declared task's numbers come back from its report."""
    report = declared("a")

    assert report.inputs == Declared.model_validate({"family": "control", **report.inputs}).inputs
