"""What the website's generated pages hold."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ibc_report.common.errors import DataError, UsageError
from ibc_report.common.escaping import code, escape
from ibc_report.common.wording import number
from ibc_report.complexity import CONVENTIONS, PUBLISHED
from ibc_report.rendering import cards, environment
from ibc_report.rendering.cards import CatalogPage
from ibc_report.report.assumptions.ledger import LEDGER
from ibc_report.report.schema.document import SCHEMA_VERSION, ReportDocument, json_schema
from ibc_report.website.quotes import without_templates

__all__ = [
    "NO_ADDRESS",
    "SCHEMA_FILE",
    "SitePaths",
    "generate",
    "with_formulas",
    "with_references",
    "with_scrolling_tables",
    "with_working_switch",
]

CSV_FILE = "catalog.csv"

SCHEMA_FILE = f"report-{SCHEMA_VERSION}.schema.json"

NO_ADDRESS = (
    "sitemap.xml is empty, for no address is known; set 'site_url' in mkdocs.yml to where the website will be, "
    "as in https://example.org/catalog/"
)

_CODE = re.compile(
    r"^[ ]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^[ ]*(?P=fence)[`~]*[ ]*$"
    r"|(?<![`\\])(?P<ticks>`+)(?!`)(?:(?!\n[ ]*\n).)+?(?<!`)(?P=ticks)(?!`)",
    re.MULTILINE | re.DOTALL,
)

_DISPLAY = re.compile(r"^\$\$(.+?)\$\$$", re.MULTILINE | re.DOTALL)

_INLINE = re.compile(r"\\\((.+?)\\\)")


@dataclass(frozen=True, slots=True)
class SitePaths:
    """Where generated files lie in the site's sources.

    Parameters
    ----------
    page : str
        The table of all tasks.
    folder : str
        Folder of the pages of tasks, of their reports and of the table as CSV.
    """

    page: str
    folder: str
    style: str
    script: str


def generate(
    catalog: CatalogPage, paths: SitePaths, *, link: Callable[[str], str], templates: Path | None = None
) -> dict[str, str]:
    """Make all files that a set of reports becomes, by their path in the site's sources.

    Parameters
    ----------
    catalog : CatalogPage
        With at least one report.
    link : callable
        Address of a file in the built site, by its path, relative to the catalog page.
    templates : Path, optional
        Folder whose templates stand in for the built-in ones.

    Raises
    ------
    UsageError
        If the catalog page has the path of a task's page.
    """
    table = cards.catalog_page(
        catalog,
        address={report.name: link(f"{paths.folder}/{report.name}.md") for report in catalog.reports},
        csv=link(f"{paths.folder}/{CSV_FILE}"),
        templates=templates,
    )
    files = {
        paths.page: without_templates(table),
        paths.style: environment.stylesheet(templates),
        paths.script: environment.script(templates),
        f"{paths.folder}/{CSV_FILE}": _csv(catalog.reports),
        SCHEMA_FILE: json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n",
    }
    for report in catalog.reports:
        own = f"{paths.folder}/{report.name}.md"
        if own == paths.page:
            raise UsageError(f"page {own} is that of the task '{report.name}' too; set another 'page' or 'folder'")
        files[own] = without_templates(cards.task_page(report, templates=templates))
        files[f"{paths.folder}/{report.name}.json"] = report.to_json()
    return files


def with_references(markdown: str) -> str:
    """Fill in the tables that the code knows better than a page: {{ assumptions }} and its like, alone on a line.

    Examples
    --------
    >>> with_references("{{ conventions }}").splitlines()[0]
    '| Name | What it does |'
    """
    return _outside_code(markdown, lambda text: _REFERENCE.sub(lambda match: _REFERENCES[match.group(1)](), text))


def with_formulas(markdown: str) -> str:
    r"""Turn formulas, $$…$$ alone on a line and \(…\) inline, into MathML; code is left alone.

    Raises
    ------
    DataError
        If a formula is not LaTeX that can be converted.

    Examples
    --------
    >>> with_formulas(r"so \(x\) is")[:15]
    'so <span><math '
    """
    return _outside_code(markdown, _formulas)


def with_scrolling_tables(html: str) -> str:
    """Put each table of Markdown into a frame that scrolls, so that a narrow page does not.

    Examples
    --------
    >>> with_scrolling_tables("<table><tr></tr></table>")
    '<div class="ibc-scroll" tabindex="0" role="region" aria-label="Table"><table><tr></tr></table></div>'
    """
    frame = r'<div class="ibc-scroll" tabindex="0" role="region" aria-label="Table">\g<0></div>'
    return re.sub(r"<table>.*?</table>", frame, html, flags=re.DOTALL)


def with_working_switch(html: str) -> str:
    """Give the built-in theme's switch of the colour scheme what it stumbles over.

    Its script, js/darkmode.js, sets a property of two style sheets of highlight.js. Where `highlightjs: false` leaves
    them out (they come from another host) it stops, and the switch does nothing.

    Examples
    --------
    >>> with_working_switch('<head></head><script src="js/darkmode.js"></script>')[:32]
    '<head><style id="hljs-light"></s'
    """
    if "js/darkmode.js" not in html or 'id="hljs-light"' in html:
        return html
    return html.replace("</head>", '<style id="hljs-light"></style><style id="hljs-dark"></style></head>', 1)


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    pieces = []
    position = 0
    for match in _CODE.finditer(markdown):
        pieces += [change(markdown[position : match.start()]), match.group()]
        position = match.end()
    return "".join([*pieces, change(markdown[position:])])


def _formulas(text: str) -> str:
    text = _DISPLAY.sub(lambda match: f'<div class="ibc-formula">{_mathml(match.group(1), "block")}</div>', text)
    # math at the start of a line would be a block of its own to Markdown; a span is not
    return _INLINE.sub(lambda match: f"<span>{_mathml(match.group(1), 'inline')}</span>", text)


def _mathml(formula: str, display: str) -> str:
    from latex2mathml.converter import convert

    formula = " ".join(formula.split())
    try:
        converted = str(convert(formula, display=display))
        _refuse_leftovers(formula, converted)
    except Exception as error:
        said = " ".join(f"{type(error).__name__} {error}".split())
        raise DataError(f"formula '{formula}' cannot be converted: {said}; mend its LaTeX") from error
    return converted


def _refuse_leftovers(formula: str, converted: str) -> None:
    """Raise where the converter passed over an open brace, or printed a command that it does not know."""
    braces = re.sub(r"\\.", "", formula)
    if braces.count("{") != braces.count("}"):
        raise ValueError("braces do not match")
    unknown = re.search(r">(\\[A-Za-z]+)<", converted)
    if unknown:
        raise ValueError(f"{unknown.group(1)} is not known")


def _csv(reports: Sequence[ReportDocument]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        [
            "name",
            "title",
            "family",
            "log10_bits",
            "lower",
            "upper",
            "robust_log10_bits",
            "convention",
            "measured",
            "source",
            "revision",
        ]
    )
    for report in reports:
        headline, data = report.headline, report.data
        writer.writerow(
            [
                report.name,
                _cell(report.title),
                report.family,
                headline.log10_bits,
                headline.lower,
                headline.upper,
                report.robust.log10_bits if report.robust else None,
                report.convention,
                data is not None,
                _cell(data.source) if data else "",
                _cell(data.revision) if data else "",
            ]
        )
    return stream.getvalue()


def _cell(text: str) -> str:
    """A spreadsheet runs a cell that starts like a formula; an apostrophe makes it text."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _assumptions() -> str:
    lines = ["| Id | Assumed | If it fails |", "|---|---|---|"]
    lines += [
        f"| {entry.id} | **{escape(entry.name)}**: {escape(entry.statement)} | {escape(entry.consequence)} |"
        for entry in LEDGER
    ]
    return "\n".join(lines)


def _conventions() -> str:
    lines = ["| Name | What it does |", "|---|---|"]
    lines += [f"| {code(entry.name)} | {escape(entry.statement)} |" for entry in CONVENTIONS.values()]
    return "\n".join(lines)


def _published() -> str:
    lines = ["| Benchmark | Family | Bits |", "|---|---|---:|"]
    lines += [
        f"| {escape(entry.title)} | {escape(entry.family.replace('_', ' '))} | {_bits(entry.log10_bits)} |"
        for entry in PUBLISHED.values()
    ]
    return "\n".join(lines)


def _bits(log10_bits: float) -> str:
    mantissa, _, size = number(10**log10_bits).partition(" × 10^")
    return f"{mantissa} × 10<sup>{size}</sup>"


def _json_schema() -> str:
    """The fields of a report, record by record, from the schema itself."""
    whole = json_schema()
    records = {"Report": whole, **whole.get("$defs", {})}
    parts = []
    for name, record in records.items():
        rows = ["| Key | Type | What |", "|---|---|---|"]
        rows += [
            f"| {code(key)} | {escape(_type(field))} | {escape(field.get('description', ''))} |"
            for key, field in record.get("properties", {}).items()
        ]
        parts.append("\n".join([f"### {escape(name)}", "", escape(record.get("description", "")), "", *rows]))
    return "\n\n".join(parts)


def _type(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(_type(choice) for choice in field["anyOf"])
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "const" in field:
        return repr(field["const"])
    if field.get("type") == "array":
        inner = field.get("items")
        return f"list of {_type(inner)}" if isinstance(inner, dict) else "list"
    if field.get("type") == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"object of {_type(field['additionalProperties'])}"
    return str(field.get("type", "any"))


_REFERENCES: dict[str, Callable[[], str]] = {
    "assumptions": _assumptions,
    "conventions": _conventions,
    "published": _published,
    "schema": _json_schema,
}

_REFERENCE = re.compile(rf"^\{{\{{ ({'|'.join(_REFERENCES)}) \}}\}}$", re.MULTILINE)
