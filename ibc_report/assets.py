"""The files of the templates' folder: where they lie, and those that are not templates."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ibc_report.errors import IbcReportError

__all__ = ["script", "stylesheet", "template_folder"]

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
    package = Path(__file__).parent
    for folder in (package / "templates", package.parent / "templates"):
        if (folder / KNOWN_TEMPLATE).is_file():
            return folder
    raise IbcReportError(f"no templates beside {package}; install ibc-report again")


def stylesheet(templates: Path | None = None) -> str:
    """Read the style sheet of cards and pages.

    Parameters
    ----------
    templates : Path, optional
        As for `html`.

    Returns
    -------
    str
    """
    return _file("card.css", templates)


def script(templates: Path | None = None) -> str:
    """Read the script of the catalog page, which sorts and filters its table.

    Parameters
    ----------
    templates : Path, optional
        As for `html`.

    Returns
    -------
    str
    """
    return _file("catalog.js", templates)


def _file(name: str, templates: Path | None) -> str:
    """A file of the user's templates, or else of the built-in ones."""
    if templates is not None and (templates / name).is_file():
        return (templates / name).read_text(encoding="utf-8")
    return (template_folder() / name).read_text(encoding="utf-8")
