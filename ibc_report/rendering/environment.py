"""Jinja as cards and pages use it: templates found, text escaped for where it is printed, faults located."""

from __future__ import annotations

import json
import traceback
from functools import cache
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

from ibc_report.common import escaping
from ibc_report.common.errors import IbcReportError, UsageError
from ibc_report.rendering import figures as alternatives

__all__ = ["script", "stylesheet", "template_folder"]

PLAIN = ("card.md.j2", "section.md.j2")
"""Templates of plain Markdown; the website's Markdown is HTML in all that it prints."""


def render(name: str, templates: Path | None, **values: Any) -> str:
    """Render a template.

    Parameters
    ----------
    templates : Path or None
        Folder whose templates stand in for those of the same name; built-in ones are at "builtin/…".

    Raises
    ------
    IbcReportError
        If the template cannot be rendered, with its file and line.
    """
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
    environment.globals["ruler_alternative"] = alternatives.ruler_text
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


KNOWN_TEMPLATE = "card.html.j2"
"""A folder of templates is known by this file."""


@cache
def template_folder() -> Path:
    """Find the templates that come with the package.

    Returns
    -------
    Path
        Inside the package where it was installed from a wheel, beside it in a checkout.

    Raises
    ------
    IbcReportError
        If there are none, which a broken installation explains.
    """
    package = Path(__file__).parents[1]
    for folder in (package / "templates", package.parent / "templates"):
        if (folder / KNOWN_TEMPLATE).is_file():
            return folder
    raise IbcReportError(f"no templates beside {package}; install ibc-report again")


def stylesheet(templates: Path | None = None) -> str:
    """Read the style sheet of cards and pages."""
    return _file("card.css", templates)


def script(templates: Path | None = None) -> str:
    """Read the script of the catalog page, which sorts and filters its table."""
    return _file("catalog.js", templates)


def _file(name: str, templates: Path | None) -> str:
    """A file of the user's templates, or else of the built-in ones."""
    if templates is not None and (templates / name).is_file():
        return (templates / name).read_text(encoding="utf-8")
    return (template_folder() / name).read_text(encoding="utf-8")
