"""Templates to text: the Jinja environments, their filters, and a function for each thing that is printed."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from markupsafe import Markup
from markupsafe import escape as escape_html

from ibc_report.data.task import Ranking
from ibc_report.rendering import canvas, figures
from ibc_report.rendering.environment import render, stylesheet
from ibc_report.rendering.split_audit_figures import figures_of
from ibc_report.report.schema.document import ReportDocument

__all__ = [
    "CatalogPage",
    "catalog_page",
    "figure_files",
    "html",
    "markdown",
    "notebook",
    "section",
    "task_page",
]

SECTION_NUMBERS = ("n", "dimension", "radius", "margin", "resolution", "target_error")
"""The numbers of a section: five, for a task has a margin or a resolution."""


def html(report: ReportDocument, *, templates: Path | None = None) -> str:
    """Render a card as one HTML file that asks for nothing else.

    Parameters
    ----------
    templates : Path, optional
        Folder whose templates stand in for those of the same name; built-in ones are at "builtin/…".
    """
    return render("card.html.j2", templates, report=report, figures=_inline(report), css=Markup(stylesheet(templates)))


def markdown(
    report: ReportDocument, *, figure_paths: Mapping[str, str] | None = None, templates: Path | None = None
) -> str:
    """Render a card as Markdown.

    Parameters
    ----------
    figure_paths : mapping of str to str, optional
        Path of each figure (see `figure_files`); without it the figures are in words.
    """
    return render(
        "card.md.j2",
        templates,
        report=report,
        paths=figure_paths or {},
        ruler=figures.ruler_text(report),
        ruler_words=figures.ruler_words(report),
    )


def notebook(report: ReportDocument) -> str:
    """Render a card for a notebook: a frame that holds the whole HTML file."""
    title = escape_html(report.title)
    return (
        f'<iframe title="Difficulty card of {title}" srcdoc="{escape_html(html(report))}" '
        'style="width: 100%; height: 40rem; border: 1px solid #8884" sandbox></iframe>'
    )


def task_page(report: ReportDocument, *, templates: Path | None = None) -> str:
    """Render a page of the website for a task.

    Returns
    -------
    str
        Markdown for mkdocs: headings in Markdown, so that they reach the table of contents, the rest in HTML.
    """
    return render("page.md.j2", templates, report=report, figures=_inline(report))


@dataclass(frozen=True, slots=True)
class CatalogPage:
    """What the website's table of all tasks says.

    Parameters
    ----------
    reports : tuple of ReportDocument
        In any order: the page ranks them.
    description : str or None
        Paragraph below the title.
    missing : tuple of str
        Names of tasks without a report, which the page owns up to.
    rank : {"released", "robust"}
        Which bits set the order; a task without robust ones goes by its headline.
    """

    reports: tuple[ReportDocument, ...]
    title: str
    description: str | None = None
    missing: tuple[str, ...] = ()
    rank: Ranking = "released"


def catalog_page(page: CatalogPage, *, address: Mapping[str, str], csv: str, templates: Path | None = None) -> str:
    """Render the website's table of all tasks as Markdown for mkdocs.

    Parameters
    ----------
    address : mapping of str to str
        Page of each task by its name, relative to this one.
    csv : str
        Address of the table as CSV, relative to this page.
    """
    ranked = sorted(page.reports, key=lambda report: _rank(report, page.rank))
    return render(
        "catalog.md.j2",
        templates,
        reports=ranked,
        title=page.title,
        description=page.description,
        address=address,
        missing=page.missing,
        csv=csv,
        rank=page.rank,
        comparison=Markup(canvas.svg(figures.catalog(ranked), "comparison")) if ranked else Markup(""),
        alternative=figures.catalog_text(ranked),
    )


def _rank(report: ReportDocument, by: Ranking) -> tuple[float, str]:
    bits = report.headline.log10_bits
    if by == "robust" and report.robust is not None:
        bits = report.robust.log10_bits
    return (float("-inf") if bits is None else bits, report.name)


def section(report: ReportDocument, *, links: Any, cite: bool, templates: Path | None = None) -> str:
    """Render the section of a dataset's card on the Hub.

    Parameters
    ----------
    links : Links
        Addresses of the files that it links to (`ibc_report.publish.content.Links`).

    Returns
    -------
    str
        Markdown as the Hub renders it.
    """
    numbers = [number for key in SECTION_NUMBERS for number in report.numbers if number.key == key]
    text = render(
        "section.md.j2",
        templates,
        report=report,
        links=links,
        cite=cite,
        ruler=figures.ruler_text(report),
        numbers=numbers,
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def figure_files(report: ReportDocument, *, png: bool = False) -> dict[str, bytes]:
    """Draw the figures of a card as files.

    Parameters
    ----------
    png : bool
        Draw PNG instead of SVG, in the colours of a light page.

    Returns
    -------
    dict of str to bytes
        File name to content; the name without ".svg" or ".png" is the key that `markdown` knows it by.
    """
    if png:
        files = {f"{name}.png": canvas.png(figure) for name, figure in _figures(report, canvas.LIGHT).items()}
    else:
        files = {f"{name}.svg": canvas.standalone(str(text)).encode() for name, text in _inline(report).items()}
    if report.pair is not None:
        for name, example in (("first", report.pair.first), ("second", report.pair.second)):
            if example.png is not None:
                files[f"{name}.png"] = b64decode(example.png)
    return files


def _inline(report: ReportDocument) -> dict[str, Markup]:
    return _drawn(report.to_json())


@lru_cache(maxsize=256)
def _drawn(content: str) -> dict[str, Markup]:
    """The figures of a report's JSON, kept: drawing is slow, and a served website is built again and again."""
    report = ReportDocument.model_validate_json(content)
    drawn = _figures(report, canvas.MARKED)
    return {name: Markup(canvas.svg(figure, f"{report.name}-{name}")) for name, figure in drawn.items()}


def _figures(report: ReportDocument, theme: canvas.Theme) -> dict[str, Any]:
    drawn = {"ruler": figures.ruler(report, theme)}
    if report.sensitivity and report.sensitivity.bars:
        drawn["tornado"] = figures.tornado(report.sensitivity, theme)
    if report.test:
        drawn |= figures_of(report.test, theme)
    return drawn | {f"curve-{curve.key}": figures.curve(report, curve, theme) for curve in report.curves}
