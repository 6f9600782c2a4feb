"""A section of somebody's README: bytes in, bytes out, and every byte outside the markers stays.

The section stands between two lines, `BEGIN` and `END`. A marker inside a code fence or the front matter is text. What
`insert` adds around a new section is what `remove` takes out, so that the first bytes come back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ibc_report.common.errors import DataError, UsageError

__all__ = ["BEGIN", "END", "insert", "remove", "section_of"]

BEGIN = "<!-- ibc-report:begin -->"

END = "<!-- ibc-report:end -->"

_BOM = "\ufeff"

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")

_FENCE = re.compile(r" {0,3}(?P<ticks>`{3,}|~{3,})(?P<info>.*)")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with its end, and where it starts."""

    start: int
    text: str

    @property
    def bare(self) -> str:
        return self.text.strip()


@dataclass(frozen=True, slots=True)
class _Span:
    """Where a section stands: from the first character of its first marker to after its last."""

    start: int
    stop: int


def insert(readme: bytes, section: str) -> bytes:
    r"""Put a section into a README, in the place of the one that is there or at the end.

    Parameters
    ----------
    readme : bytes
        UTF-8, with any line ends, with or without a byte order mark.
    section : str
        Markdown with line feeds; its markers are added here.

    Returns
    -------
    bytes
        The README with the section in the README's own line ends. Inserting the same section again changes nothing.

    Raises
    ------
    UsageError
        If the section holds a marker.
    DataError
        If the README is not UTF-8, has more or fewer than one pair of markers in order, or ends inside a code fence.

    Examples
    --------
    >>> print(insert(b"# Card", "Hard.").decode())
    # Card
    <BLANKLINE>
    <!-- ibc-report:begin -->
    Hard.
    <!-- ibc-report:end -->
    """
    for marker in (BEGIN, END):
        if marker in section:
            raise UsageError(
                f"the section holds the marker {marker}, so its end could not be found again; rename what does"
            )
    text = _decoded(readme)
    span = _find(text)
    outside = text if span is None else text[: span.start] + text[span.stop :]
    end_of_line = _line_end(outside)
    body = end_of_line.join([BEGIN, *section.strip("\n").split("\n"), END])
    if span is not None:
        return (text[: span.start] + body + text[span.stop :]).encode("utf-8")
    separator = end_of_line * 2 if text.removeprefix(_BOM) else ""
    return (text + separator + body).encode("utf-8")


def remove(readme: bytes) -> bytes:
    r"""Take the section out of a README, with the empty line that came with it.

    Parameters
    ----------
    readme : bytes
        As for `insert`.

    Returns
    -------
    bytes
        Without the section; the same bytes where there is none.

    Raises
    ------
    DataError
        As for `insert`.

    Examples
    --------
    >>> remove(insert(b"# Card\r\n", "Hard."))
    b'# Card\r\n'
    """
    text = _decoded(readme)
    span = _find(text)
    if span is None:
        return readme
    before = text[: span.start]
    for separator in ("\r\n\r\n", "\n\n", "\r\r"):
        if before.endswith(separator):
            before = before[: -len(separator)]
            break
    return (before + text[span.stop :]).encode("utf-8")


def section_of(readme: bytes) -> str | None:
    """Read the section of a README.

    Parameters
    ----------
    readme : bytes
        As for `insert`.

    Returns
    -------
    str or None
        Between the markers, with line feeds; None where there is no section.

    Raises
    ------
    DataError
        As for `insert`.
    """
    text = _decoded(readme)
    span = _find(text)
    if span is None:
        return None
    inside = text[span.start : span.stop].removeprefix(BEGIN).removesuffix(END)
    return inside.replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def front_matter(text: str) -> tuple[int, int] | None:
    r"""Find the front matter of a card.

    Parameters
    ----------
    text : str
        The card, possibly with a byte order mark.

    Returns
    -------
    tuple of int, or None
        Where the lines between its two fences start and stop; None where it has none.

    Examples
    --------
    >>> front_matter("---\na: 1\n---\nbody")
    (4, 9)
    """
    lines = _lines(text)
    first = _opening(lines)
    if first is None:
        return None
    for line in lines[first + 1 :]:
        if line.text.rstrip() in ("---", "..."):
            return lines[first + 1].start, line.start
    return None


def _opening(lines: list[_Line]) -> int | None:
    """Where front matter begins: on the first line that is not blank."""
    for number, line in enumerate(lines):
        bare = line.text.removeprefix(_BOM).rstrip()
        if bare:
            return number if bare == "---" else None
    return None


def _decoded(readme: bytes) -> str:
    try:
        return readme.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"the README is not UTF-8 (byte {error.start}); save it as UTF-8 first, it is left as it is"
        ) from None


def _lines(text: str) -> list[_Line]:
    return [_Line(match.start(), match.group()) for match in _LINE.finditer(text) if match.group()]


def _line_end(text: str) -> str:
    """The line end that a text has most of; a line feed where there is none."""
    pairs = text.count("\r\n")
    counts = {"\n": text.count("\n") - pairs, "\r\n": pairs, "\r": text.count("\r") - pairs}
    return max(counts, key=lambda end: counts[end])


def _find(text: str) -> _Span | None:
    """Find the one pair of markers outside front matter and code fences."""
    matter = front_matter(text)
    if matter is None and _opening(_lines(text)) is not None:
        raise DataError("the README opens front matter with '---' and never closes it; close it first")
    skip = matter[1] if matter is not None else 0
    found: list[tuple[str, int]] = []
    fence: str | None = None
    opened = 0
    for number, line in enumerate(_lines(text), start=1):
        if line.start < skip:
            continue
        match = _FENCE.match(line.text.removeprefix(_BOM))
        if fence is not None:
            closes = match is not None and match["ticks"][0] == fence[0] and len(match["ticks"]) >= len(fence)
            if closes and match is not None and not match["info"].strip():
                fence = None
            continue
        # an info string of backticks would hold inline code, not open a fence
        if match is not None and not (match["ticks"][0] == "`" and "`" in match["info"]):
            fence, opened = match["ticks"], number
            continue
        # deeper than three spaces it is code, or text of a list
        if line.text.startswith(("    ", "\t")):
            continue
        for marker in (BEGIN, END):
            if marker in line.text:
                if line.text.removeprefix(_BOM).strip() != marker:
                    raise DataError(
                        f"line {number} of the README has the marker {marker} beside other text; put it on its own line"
                    )
                found.append((marker, line.start + line.text.index(marker)))
    if fence is not None:
        raise DataError(f"the README ends inside the code fence of line {opened}; close it first")
    if not found:
        return None
    if [marker for marker, _ in found] != [BEGIN, END]:
        said = ", ".join(marker for marker, _ in found)
        raise DataError(f"the README has the markers {said}; leave one pair of {BEGIN} and {END}, in this order")
    return _Span(found[0][1], found[1][1] + len(END))
