"""One tag in a card's front matter: a textual edit of one line, or a refusal."""

from __future__ import annotations

import re
from typing import Any

import yaml

from ibc_report.common.errors import DataError, UsageError
from ibc_report.publish.section import front_matter

__all__ = ["add_tag"]

MODALITIES = frozenset({"3d", "audio", "geospatial", "image", "tabular", "text", "timeseries", "video"})
"""Tags by which the Hub sorts datasets."""

_PLAIN_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(:[A-Za-z0-9][A-Za-z0-9._-]*)?")

# Words that YAML would not read as a string.
_NOT_STRINGS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def add_tag(readme: bytes, tag: str) -> bytes:
    r"""Add a tag to a card's front matter.

    Parameters
    ----------
    readme : bytes
        A card in UTF-8 with front matter.
    tag : str
        Letters, digits, hyphens and underscores.

    Returns
    -------
    bytes
        With one line more, or one line longer; the same bytes where the tag is there.

    Raises
    ------
    UsageError
        If the tag would need quoting.
    DataError
        If the front matter is not plainly editable: there is none, it is not YAML, or the edited one would not read as
        the old one with the tag.

    Examples
    --------
    >>> add_tag(b"---\ntags:\n- a\n---\n", "b")
    b'---\ntags:\n- a\n- b\n---\n'
    """
    if not _PLAIN_TAG.fullmatch(tag) or tag.lower() in _NOT_STRINGS:
        raise UsageError(
            f"'{tag}' is not a plain tag; use letters, digits, hyphens and underscores, as in difficulty-card"
        )
    if tag.lower() in MODALITIES:
        raise UsageError(
            f"the tag '{tag}' would change what the Hub takes the dataset for; use another, as difficulty-card"
        )
    text = readme.decode("utf-8")
    span = front_matter(text)
    if span is None:
        raise DataError(f"the card has no front matter to put the tag '{tag}' into; add it by hand, or leave --tag out")
    matter = text[span[0] : span[1]]
    before = _parsed(matter)
    tags = before.get("tags")
    if isinstance(tags, list) and tag in tags:
        return readme
    edited = _edited(matter, tag, has_tags="tags" in before)
    expected = {**before, "tags": [*(tags or []), tag]}
    if edited is None or _parsed(edited) != expected:
        raise DataError(f"the front matter's tags are not plainly editable; add '{tag}' by hand, or leave --tag out")
    return (text[: span[0]] + edited + text[span[1] :]).encode("utf-8")


def _parsed(matter: str) -> dict[str, Any]:
    try:
        content = yaml.safe_load(matter)
    except yaml.YAMLError as error:
        raise DataError("the card's front matter is not valid YAML; mend it first, or leave --tag out") from error
    if not isinstance(content, dict):
        raise DataError("the card's front matter is not a mapping; mend it first, or leave --tag out")
    return content


def _edited(matter: str, tag: str, *, has_tags: bool) -> str | None:
    """Front matter with the tag, or None where no single line can take it."""
    end = "\r\n" if "\r\n" in matter else "\r" if "\r" in matter and "\n" not in matter else "\n"
    if not has_tags:
        return f"{matter}tags: [{tag}]{end}"
    lines = matter.splitlines(keepends=True)
    for position, line in enumerate(lines):
        flow = re.fullmatch(r"(tags:[ ]*\[)([^\[\]#'\"]*)(\][ ]*)(\r\n|\n|\r)", line)
        if flow:
            inner = flow[2].rstrip()
            comma = ", " if inner else ""
            lines[position] = f"{flow[1]}{inner}{comma}{tag}{flow[3]}{flow[4]}"
            return "".join(lines)
        if re.fullmatch(r"tags:[ ]*(\r\n|\n|\r)", line):
            last = position
            indent = ""
            while last + 1 < len(lines) and (item := re.match(r"([ ]*)- ", lines[last + 1])):
                indent = item[1]
                last += 1
            lines.insert(last + 1, f"{indent}- {tag}{end}")
            return "".join(lines)
    return None
