"""What a push brings: the section's text, and the files that it links to."""

from __future__ import annotations

from dataclasses import dataclass

from ibc_report.rendering import cards, figures
from ibc_report.rendering.matplotlib_figure import png
from ibc_report.rendering.themes import DARK, LIGHT
from ibc_report.report.schema.document import ReportDocument

__all__ = ["FOLDER", "Links", "files", "section"]

FOLDER = ".ibc-report"
"""A hidden folder: a visible one could change what the dataset loads as."""


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses that a section links to, pinned to a commit.

    Parameters
    ----------
    dataset : str
        Page of the dataset on the Hub.
    sha : str
        Commit that holds the files.
    """

    dataset: str
    sha: str

    @property
    def card(self) -> str:
        """Page of the full card."""
        return f"{self.dataset}/blob/{self.sha}/{FOLDER}/card.md"

    def picture(self, theme: str) -> str:
        """Address of the ruler's picture in a theme, "light" or "dark"."""
        return f"{self.dataset}/resolve/{self.sha}/{FOLDER}/ruler-{theme}.png"


def files(report: ReportDocument) -> dict[str, bytes]:
    """Make the files of a push.

    Returns
    -------
    dict of str to bytes
        Path in the repository to content; the same bytes for the same report.
    """
    content = {"report.json": report.to_json().encode(), "card.md": cards.markdown(report).encode()}
    for name, theme in (("light", LIGHT), ("dark", DARK)):
        content[f"ruler-{name}.png"] = png(figures.ruler(report), theme)
        for curve in report.curves:
            content[f"curve-{curve.key}-{name}.png"] = png(figures.curve(report, curve), theme)
    return {f"{FOLDER}/{name}": data for name, data in content.items()}


def section(report: ReportDocument, links: Links, *, cite: bool = False) -> str:
    """Write the section of a dataset's card.

    Parameters
    ----------
    cite : bool
        Link to the paper, which tags the dataset with it on the Hub.

    Returns
    -------
    str
        Markdown in the form that the Hub renders.
    """
    return cards.section(report, links=links, cite=cite)
