"""Templates to text: the Jinja environments, their filters, and a function for each thing that is printed."""

from __future__ import annotations

import json
import re
import traceback
from base64 import b64decode
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateNotFound,
    TemplateSyntaxError,
)
from markupsafe import Markup
from markupsafe import escape as escape_html

from ibc_report import alternatives, escaping, figures
from ibc_report.assets import script, stylesheet, template_folder
from ibc_report.errors import IbcReportError, UsageError
from ibc_report.evaluation_figures import figures_of
from ibc_report.report import Report
from ibc_report.task import Ranking
from ibc_report.tornado import tornado

__all__ = [
    "catalog_page",
    "figure_files",
    "html",
    "markdown",
    "notebook",
    "script",
    "stylesheet",
    "task_page",
    "template_folder",
]

PLAIN = ("card.md.j2", "section.md.j2")
"""Templates of plain Markdown; the website's Markdown is HTML in all that it prints."""

SECTION_NUMBERS = ("n", "dimension", "radius", "margin", "resolution", "target_error")
"""The numbers of a section: five, for a task has a margin or a resolution."""


def html(report: Report, *, templates: Path | None = None) -> str:
    """Render a card as one HTML file that asks for nothing else.

    Parameters
    ----------
    report : Report
        What to render.
    templates : Path, optional
        Folder whose templates stand in for those of the same name; built-in ones are at "builtin/…".

    Returns
    -------
    str
    """
    return _render("card.html.j2", templates, report=report, figures=_inline(report), css=Markup(stylesheet(templates)))


def markdown(report: Report, *, figure_paths: Mapping[str, str] | None = None, templates: Path | None = None) -> str:
    """Render a card as Markdown.

    Parameters
    ----------
    report : Report
        What to render.
    figure_paths : mapping of str to str, optional
        Path of each figure (see `figure_files`); without it the figures are in words.
    templates : Path, optional
        As for `html`.

    Returns
    -------
    str
    """
    return _render(
        "card.md.j2",
        templates,
        report=report,
        paths=figure_paths or {},
        ruler=alternatives.ruler(report),
        ruler_words=alternatives.ruler_words(report),
    )


def notebook(report: Report) -> str:
    """Render a card for a notebook: a frame that holds the whole HTML file.

    Parameters
    ----------
    report : Report
        What to render.

    Returns
    -------
    str
    """
    title = escape_html(report.title)
    return (
        f'<iframe title="Difficulty card of {title}" srcdoc="{escape_html(html(report))}" '
        'style="width: 100%; height: 40rem; border: 1px solid #8884" sandbox></iframe>'
    )


def task_page(report: Report, *, templates: Path | None = None) -> str:
    """Render a page of the website for a task.

    Parameters
    ----------
    report : Report
        What to render.
    templates : Path, optional
        As for `html`.

    Returns
    -------
    str
        Markdown for mkdocs: headings in Markdown, so that they reach the table of contents, the rest in HTML.
    """
    return _render("page.md.j2", templates, report=report, figures=_inline(report))


def catalog_page(
    reports: Sequence[Report],
    *,
    title: str,
    description: str | None,
    address: Mapping[str, str],
    missing: Sequence[str],
    csv: str,
    rank: Ranking = "released",
    templates: Path | None = None,
) -> str:
    """Render the website's table of all tasks.

    Parameters
    ----------
    reports : sequence of Report
        The tasks.
    title : str
        Heading.
    description : str or None
        Paragraph below it.
    address : mapping of str to str
        Page of each task by its name, relative to this one.
    missing : sequence of str
        Names of tasks without a report.
    csv : str
        Address of the table as CSV, relative to this page.
    rank : {"released", "robust"}
        Which bits set the order; a task without robust ones goes by its headline.
    templates : Path, optional
        As for `html`.

    Returns
    -------
    str
        Markdown for mkdocs.
    """
    ranked = sorted(reports, key=lambda report: _rank(report, rank))
    return _render(
        "catalog.md.j2",
        templates,
        reports=ranked,
        title=title,
        description=description,
        address=address,
        missing=missing,
        csv=csv,
        rank=rank,
        comparison=Markup(figures.svg(figures.catalog(ranked), "comparison")) if ranked else Markup(""),
        alternative=alternatives.catalog(ranked),
    )


def _rank(report: Report, by: Ranking) -> tuple[float, str]:
    bits = report.headline.log10_bits
    if by == "robust" and report.robust is not None:
        bits = report.robust.log10_bits
    return (float("-inf") if bits is None else bits, report.name)


def section(report: Report, *, links: Any, cite: bool, templates: Path | None = None) -> str:
    """Render the section of a dataset's card on the Hub.

    Parameters
    ----------
    report : Report
        Of a dataset.
    links : Links
        Addresses of the files that it links to (`ibc_report.publish.content.Links`).
    cite : bool
        Link to the paper.
    templates : Path, optional
        As for `html`.

    Returns
    -------
    str
        Markdown as the Hub renders it.
    """
    numbers = [number for key in SECTION_NUMBERS for number in report.numbers if number.key == key]
    text = _render(
        "section.md.j2",
        templates,
        report=report,
        links=links,
        cite=cite,
        ruler=alternatives.ruler(report),
        numbers=numbers,
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def figure_files(report: Report, *, png: bool = False) -> dict[str, bytes]:
    """Draw the figures of a card as files.

    Parameters
    ----------
    report : Report
        What to draw.
    png : bool
        Draw PNG instead of SVG, in the colours of a light page.

    Returns
    -------
    dict of str to bytes
        File name to content; the name without ".svg" or ".png" is the key that `markdown` knows it by.
    """
    if png:
        files = {f"{name}.png": figures.png(figure) for name, figure in _figures(report, figures.LIGHT).items()}
    else:
        files = {f"{name}.svg": figures.standalone(str(text)).encode() for name, text in _inline(report).items()}
    if report.pair is not None:
        for name, example in (("first", report.pair.first), ("second", report.pair.second)):
            if example.png is not None:
                files[f"{name}.png"] = b64decode(example.png)
    return files


def _inline(report: Report) -> dict[str, Markup]:
    return _drawn(report.to_json())


@lru_cache(maxsize=256)
def _drawn(content: str) -> dict[str, Markup]:
    """The figures of a report's JSON, kept: drawing is slow, and a served website is built again and again."""
    report = Report.model_validate_json(content)
    drawn = _figures(report, figures.MARKED)
    return {name: Markup(figures.svg(figure, f"{report.name}-{name}")) for name, figure in drawn.items()}


def _figures(report: Report, theme: figures.Theme) -> dict[str, Any]:
    drawn = {"ruler": figures.ruler(report, theme)}
    if report.sensitivity and report.sensitivity.bars:
        drawn["tornado"] = tornado(report.sensitivity, theme)
    if report.test:
        drawn |= figures_of(report.test, theme)
    return drawn | {f"curve-{curve.key}": figures.curve(report, curve, theme) for curve in report.curves}


def _render(name: str, templates: Path | None, **values: Any) -> str:
    environment = _environment(templates, name in PLAIN)
    try:
        return environment.get_template(name).render(**values)
    # a user's template may raise anything: it calls what it likes
    except Exception as error:
        raise IbcReportError(f"template {_place(error, name)}: {_fault(error)}") from error


def _place(error: Exception, name: str) -> str:
    """File and line of a template's error: Jinja puts the template's own lines into the traceback."""
    if isinstance(error, TemplateSyntaxError):
        return f"{error.filename or name}, line {error.lineno}"
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(".j2")]
    return f"{lines[-1].filename}, line {lines[-1].lineno}" if lines else name


def _fault(error: Exception) -> str:
    if isinstance(error, TemplateNotFound):
        return f"there is no template '{error.name}'; the built-in ones are at builtin/…"
    text = " ".join(str(error.message if isinstance(error, TemplateSyntaxError) else error).split())
    return text or type(error).__name__


@cache
def _environment(templates: Path | None, plain: bool) -> Environment:
    """Jinja for HTML (and the Markdown of the site, which is HTML in all that it prints), or for plain Markdown."""
    if templates is not None and not templates.is_dir():
        raise UsageError(f"{templates} is not a folder; give one that holds templates")
    builtin = FileSystemLoader(template_folder())
    users = [FileSystemLoader(templates)] if templates else []
    environment = Environment(
        loader=ChoiceLoader([*users, builtin, PrefixLoader({"builtin": builtin})]),
        undefined=StrictUndefined,
        autoescape=not plain,
        finalize=escaping.escape if plain else _printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["powers"] = _powers_markdown if plain else _powers_html
    environment.globals["ruler_alternative"] = alternatives.ruler
    environment.filters["path"] = _path
    environment.filters["address"] = _address
    environment.filters["attribute"] = _attribute
    environment.filters["code"] = escaping.code
    environment.filters["fenced"] = escaping.fenced
    environment.filters["inline"] = _inline_heading
    environment.filters["front_matter"] = _front_matter
    environment.filters["count"] = "{:,}".format
    environment.filters["percent"] = "{:.1%}".format
    return environment


def _powers_html(text: object) -> Markup:
    """Raise the exponents of our own wording, 10^16.2."""
    return Markup(escaping.raised(str(escape_html(text))))


def _powers_markdown(text: object) -> escaping.Markdown:
    return escaping.Markdown(escaping.raised(escaping.escape(text)))


def _path(path: object) -> escaping.Markdown:
    """A relative path as the target of a Markdown link."""
    return escaping.Markdown(quote(str(path)))


def _attribute(text: object) -> escaping.Markdown:
    """Text as the value of an HTML attribute in Markdown."""
    safe = str(escape_html(escaping.one_line(str(text)))).replace("$", "&#36;").replace("\\", "&#92;")
    return escaping.Markdown(safe.replace("arxiv.", "arxiv&#46;"))


def _address(address: object) -> escaping.Markdown:
    """An absolute address as the target of a link."""
    return escaping.Markdown(quote(str(address), safe=":/"))


def _inline_heading(text: object) -> Markup:
    """A heading that Markdown reads: escaped for Markdown, which is safe in HTML too."""
    return Markup(escaping.escape(text))


def _front_matter(text: object) -> Markup:
    """A title in a page's front matter: themes print it as HTML, and YAML reads a JSON string."""
    return Markup(json.dumps(str(escape_html(escaping.one_line(str(text)))), ensure_ascii=False))


def _printable(value: object) -> object:
    return escaping.printable(value) if type(value) is str else value
