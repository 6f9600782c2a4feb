"""Templates to text: the Jinja environments, their filters, and a function for each thing that is printed."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup
from markupsafe import escape as escape_html

from ibc_report.data.task import Ranking
from ibc_report.rendering import figures, svg
from ibc_report.rendering.environment import render, stylesheet
from ibc_report.rendering.plot import Plot
from ibc_report.rendering.split_audit_figures import figures_of
from ibc_report.rendering.themes import LIGHT
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
        comparison=svg.inline(figures.catalog(ranked)) if ranked else Markup(""),
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
    plots = _plots(report)
    if png:
        # slow to load, and pages need none of it
        from ibc_report.rendering import matplotlib_figure

        files = {f"{name}.png": matplotlib_figure.png(plot, LIGHT) for name, plot in plots.items()}
    else:
        files = {f"{name}.svg": svg.standalone(svg.inline(plot)).encode() for name, plot in plots.items()}
    if report.pair is not None:
        for name, example in (("first", report.pair.first), ("second", report.pair.second)):
            if example.png is not None:
                files[f"{name}.png"] = b64decode(example.png)
    return files


def _inline(report: ReportDocument) -> dict[str, Markup]:
    return {name: svg.inline(plot) for name, plot in _plots(report).items()}


def _plots(report: ReportDocument) -> dict[str, Plot]:
    drawn = {"ruler": figures.ruler(report)}
    if report.sensitivity and report.sensitivity.bars:
        drawn["tornado"] = figures.tornado(report.sensitivity)
    if report.test:
        drawn |= figures_of(report.test)
    return drawn | {f"curve-{curve.key}": figures.curve(report, curve) for curve in report.curves}
