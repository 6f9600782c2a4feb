"""Parts of the calibration page, each of which a benchmark of its own writes."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PAGE", "write_part"]

PAGE = Path(__file__).resolve().parents[1] / "site" / "docs" / "calibration.md"


def write_part(name: str, text: str, page: Path = PAGE) -> None:
    """Put a text between the marks of its name, and leave the rest of the page as it is.

    Raises
    ------
    ValueError
        If the page has no such marks.
    """
    marks = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- /{re.escape(name)} -->\n)", re.DOTALL)
    before = page.read_text(encoding="utf-8")
    if not marks.search(before):
        raise ValueError(f"{page.name} has no marks <!-- {name} --> and <!-- /{name} -->")
    page.write_text(marks.sub(lambda found: f"{found[1]}\n{text.strip()}\n\n{found[2]}", before), encoding="utf-8")
