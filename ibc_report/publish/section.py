"""A section of somebody's README: bytes in, bytes out, and every byte outside the markers stays.

The section stands between two lines, `BEGIN` and `END`. A marker inside a code fence or the front matter is text. What
`insert` adds around a new section is what `remove` takes out, so that the first bytes come back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    """A line with its end: its number from 1, and where it starts."""

    number: int
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class _Fence:
    """The ticks that open a block of code, and the number of their line."""

    ticks: str
    number: int

    @classmethod
    def opened_by(cls, line: _Line) -> _Fence | None:
        match = _FENCE.match(line.text.removeprefix(_BOM))
        # an info string of backticks would hold inline code, not open a fence
        if match is None or (match["ticks"][0] == "`" and "`" in match["info"]):
            return None
        return cls(match["ticks"], line.number)

    def is_closed_by(self, line: _Line) -> bool:
        match = _FENCE.match(line.text.removeprefix(_BOM))
        return match is not None and match["ticks"].startswith(self.ticks) and not match["info"].strip()


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
    matches = (match for match in _LINE.finditer(text) if match.group())
    return [_Line(number, match.start(), match.group()) for number, match in enumerate(matches, start=1)]


def _line_end(text: str) -> str:
    """The line end that a text has most of; a line feed where there is none."""
    pairs = text.count("\r\n")
    counts = {"\n": text.count("\n") - pairs, "\r\n": pairs, "\r": text.count("\r") - pairs}
    return max(counts, key=lambda end: counts[end])


def _find(text: str) -> _Span | None:
    """Find the one pair of markers in the prose."""
    found = [
        (marker, line.start + line.text.index(marker)) for line in _prose(text) if (marker := _marker(line)) is not None
    ]
    if not found:
        return None
    if [marker for marker, _ in found] != [BEGIN, END]:
        said = ", ".join(marker for marker, _ in found)
        raise DataError(f"the README has the markers {said}; leave one pair of {BEGIN} and {END}, in this order")
    (_, start), (_, last) = found
    return _Span(start, last + len(END))


def _prose(text: str) -> Iterator[_Line]:
    """Lines outside front matter and code, neither of which may be left open."""
    lines, matter = _lines(text), front_matter(text)
    if matter is None and _opening(lines) is not None:
        raise DataError("the README opens front matter with '---' and never closes it; close it first")
    start = 0 if matter is None else matter[1]
    fence: _Fence | None = None
    for line in lines:
        if line.start < start:
            continue
        if fence is not None:
            fence = None if fence.is_closed_by(line) else fence
            continue
        fence = _Fence.opened_by(line)
        # deeper than three spaces it is code, or text of a list
        if fence is None and not line.text.startswith(("    ", "\t")):
            yield line
    if fence is not None:
        raise DataError(f"the README ends inside the code fence of line {fence.number}; close it first")


def _marker(line: _Line) -> str | None:
    """The marker of a line, which has to have the line to itself."""
    marker = next((marker for marker in (BEGIN, END) if marker in line.text), None)
    if marker is not None and line.text.removeprefix(_BOM).strip() != marker:
        raise DataError(
            f"line {line.number} of the README has the marker {marker} beside other text; put it on its own line"
        )
    return marker
