"""A badge for a README: the bits and their interval as SVG, and as JSON for the endpoint badge of shields.io."""

from __future__ import annotations

import json
from math import ceil
from xml.etree import ElementTree

from ibc_report.common.escaping import one_line
from ibc_report.rendering import letters
from ibc_report.report.schema.document import ReportDocument

__all__ = ["LABEL", "endpoint", "message", "svg"]

LABEL = "difficulty"

COLOR = "#2b5b84"
"""One colour for all: more bits are not better or worse."""

LABEL_COLOR = "#444444"

HEIGHT = 20

SIZE = 11

PADDING = 6

LONGEST = 60
"""Characters of a label; a longer one is cut."""

FONTS = "Verdana,DejaVu Sans,Geneva,sans-serif"


def message(report: ReportDocument) -> str:
    """Say the bits in a few characters.

    Returns
    -------
    str
        With the interval of log10 bits where there is one.
    """
    headline = report.headline
    if headline.exponent is None:
        return "0 bits"
    if headline.lower_exponent is None or headline.upper_exponent is None:
        return f"10^{headline.exponent} bits"
    return f"10^{headline.exponent} [{headline.lower_exponent}, {headline.upper_exponent}] bits"


def endpoint(report: ReportDocument, label: str = LABEL) -> str:
    """Write the JSON that the endpoint badge of shields.io reads.

    Parameters
    ----------
    label : str
        Left half; what is longer than 60 characters is cut.
    """
    said = {
        "schemaVersion": 1,
        "label": _short(label),
        "message": message(report),
        "color": COLOR.lstrip("#"),
        "labelColor": LABEL_COLOR.lstrip("#"),
    }
    return json.dumps(said, ensure_ascii=False, indent=1) + "\n"


def svg(report: ReportDocument, label: str = LABEL) -> str:
    """Draw the badge.

    Parameters
    ----------
    label : str
        Left half; what is longer than 60 characters is cut.

    Returns
    -------
    str
        An SVG that asks for nothing else; its title is what a screen reader says.
    """
    left, right = _short(label), message(report)
    title = f"{left}: {right}"
    lengths = [ceil(letters.width(text, SIZE)) for text in (left, right)]
    widths = [length + 2 * PADDING if length else 0 for length in lengths]
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": str(sum(widths)),
            "height": str(HEIGHT),
            "viewBox": f"0 0 {sum(widths)} {HEIGHT}",
            "role": "img",
            "aria-label": title,
        },
    )
    ElementTree.SubElement(root, "title").text = title
    clip = ElementTree.SubElement(root, "clipPath", id="ibc-badge")
    _rectangle(clip, 0, sum(widths), rx="3")
    back = ElementTree.SubElement(root, "g", {"clip-path": "url(#ibc-badge)"})
    _rectangle(back, 0, widths[0], fill=LABEL_COLOR)
    _rectangle(back, widths[0], widths[1], fill=COLOR)
    words = ElementTree.SubElement(
        root, "g", {"fill": "#ffffff", "font-family": FONTS, "font-size": str(SIZE), "aria-hidden": "true"}
    )
    for text, start, length in ((left, 0, lengths[0]), (right, widths[0], lengths[1])):
        if length:
            # the length that was measured is kept, whatever font the reader has
            place = {"x": str(start + PADDING), "y": "14", "textLength": str(length)}
            ElementTree.SubElement(words, "text", place).text = text
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _rectangle(parent: ElementTree.Element, start: int, width: int, **more: str) -> None:
    place = {"x": str(start), "width": str(width), "height": str(HEIGHT)}
    ElementTree.SubElement(parent, "rect", {**place, **more})


def _short(label: str) -> str:
    said = one_line(label)
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 1].rstrip()}…"
