"""What a push brings: the section's text, the two pictures that it shows, and what a reviewer is told."""

from __future__ import annotations

import hashlib
import io
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from ibc_report.common.escaping import fenced
from ibc_report.common.version import __version__
from ibc_report.rendering import cards, figures, matplotlib_figure
from ibc_report.rendering.themes import DARK, LIGHT
from ibc_report.report.schema.document import ReportDocument

__all__ = ["FOLDER", "Links", "config_of", "description", "files", "folder_of", "section"]

FOLDER = ".ibc-report"
"""A hidden folder: a visible one could change what the dataset loads as."""

METHOD = "https://arxiv.org/abs/2305.01034"

COLOURS = 64
"""Of a picture: enough for lines and smoothed letters, at a third of the bytes."""


def folder_of(config: str | None) -> str:
    """Say where the files of a configuration lie.

    Parameters
    ----------
    config : str or None
        None for a dataset that has no other.

    Examples
    --------
    >>> folder_of(None), folder_of("en"), folder_of("../x")
    ('.ibc-report', '.ibc-report/en', '.ibc-report/x-d6b96a97')
    """
    if config is None:
        return FOLDER
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", config):
        return f"{FOLDER}/{config}"
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", config).strip("-")
    return f"{FOLDER}/{plain}-{hashlib.sha256(config.encode()).hexdigest()[:8]}".replace("/-", "/")


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses that a section links to, pinned to a commit.

    Parameters
    ----------
    dataset : str
        Page of the dataset on the Hub.
    sha : str
        Commit that holds the files.
    config : str or None
        Configuration that the section is of.
    """

    dataset: str
    sha: str
    config: str | None = None

    def picture(self, theme: str) -> str:
        """Address of the ruler's picture in a theme, "light" or "dark"."""
        return f"{self.dataset}/resolve/{self.sha}/{folder_of(self.config)}/ruler-{theme}.png"


def files(report: ReportDocument) -> dict[str, bytes]:
    """Make the files of a push: the pictures that the section shows, and nothing else.

    Returns
    -------
    dict of str to bytes
        Path in the repository to content; the same bytes for the same report.
    """
    folder = folder_of(report.data.config if report.data is not None else None)
    return {
        f"{folder}/ruler-{name}.png": _smaller(matplotlib_figure.png(figures.ruler(report), theme))
        for name, theme in (("light", LIGHT), ("dark", DARK))
    }


def _smaller(png: bytes) -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        picture.quantize(COLOURS, method=Image.Quantize.FASTOCTREE).save(stream, format="PNG", optimize=True)
    return stream.getvalue()


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


def config_of(section: str) -> str | None:
    r"""Read which configuration a section is of from the command that it says to repeat.

    Examples
    --------
    >>> config_of("To repeat:\n\nibc-report card o/n --config 'a b'"), config_of("ibc-report card o/n")
    ('a b', None)
    """
    found = re.search(r"^ibc-report card .*$", section, re.MULTILINE)
    try:
        words = shlex.split(found[0]) if found is not None else []
    except ValueError:
        return None
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == "--config":
            return following
        if word.startswith("--config="):
            return word.removeprefix("--config=")
    return None


def description(report: ReportDocument, repository: str, brought: Mapping[str, int]) -> str:
    """Write what a pull request says of itself.

    Parameters
    ----------
    brought : mapping of str to int
        Bytes that each file gains.

    Returns
    -------
    str
        Markdown.
    """
    top = report.headline
    value = f"10^{top.exponent} bits" if top.exponent else "0 bits"
    if top.lower_exponent and top.upper_exponent:
        value += f", between 10^{top.lower_exponent} and 10^{top.upper_exponent}"
    config = report.data.config if report.data is not None else None
    option = "" if config is None else f" --config {shlex.quote(config)}"
    listed = "\n".join(f"- `{path}`: {size:+,} bytes" for path, size in brought.items())
    undo = f"ibc-report push {repository} --remove{option}"
    return (
        f"**{value}** of inductive bias complexity\n\n"
        "The section says how hard it is to generalize on this dataset, as the bits that are needed to single out a "
        "hypothesis, with their interval and with what is doubtful. "
        f"They are measured from the data alone, without a model, by the method of [Boopathy et al., 2023]({METHOD}).\n"
        f"\nWhat comes in:\n\n{listed}\n\n"
        "In `README.md` nothing outside the two `ibc-report` markers is changed. The pictures lie in a hidden folder, "
        "which loading the dataset does not see.\n\n"
        f"Measured with ibc-report {report.repeat.versions.get('ibc-report', __version__)} by\n\n"
        f"{fenced(report.repeat.command, 'sh')}\n\n"
        f"To undo it, close this pull request, or once it is merged:\n\n{fenced(undo, 'sh')}\n"
    )
