"""A section of somebody's README: bytes in, bytes out, and every byte outside the markers stays.

The section stands between two lines, `BEGIN` and `END`, or the same with a name, where a card has several. The README
is read as CommonMark reads it: a marker inside code, a comment or the front matter is text. What `insert` adds around
a new section is what `remove` takes out, so that the first bytes come back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from ibc_report.common.errors import DataError, UsageError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["BEGIN", "END", "front_matter", "insert", "marker", "remove", "section_of", "sections"]

BEGIN = "<!-- ibc-report:begin -->"

END = "<!-- ibc-report:end -->"

_BOM = "\ufeff"

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")

_MARKER = re.compile(r"<!-- ibc-report:(?P<kind>begin|end)(?: (?P<name>[^\s>]+))? -->")

# What opens a block of HTML that goes on to its own end, over empty lines too, and what ends it.
_ENCLOSED = (
    (re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE), r"</(?:script|pre|style|textarea)>"),
    (re.compile(r"<!--"), r"-->"),
    (re.compile(r"<\?"), r"\?>"),
    (re.compile(r"<!\[CDATA\["), r"\]\]>"),
    (re.compile(r"<![A-Za-z]"), r">"),
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with its end: its number from 1, and where it starts."""

    number: int
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class _Span:
    """Where a section stands: from the first character of its first marker to after its last."""

    start: int
    stop: int


def marker(kind: str, name: str | None = None) -> str:
    """Write a marker.

    Parameters
    ----------
    kind : str
        begin or end.
    name : str, optional
        Of the section; what could end a comment, or is white, is escaped in it.

    Examples
    --------
    >>> marker("begin", "en -->")
    '<!-- ibc-report:begin en%20--%3E -->'
    """
    return f"<!-- ibc-report:{kind}{'' if name is None else f' {quote(name, safe=str())}'} -->"


def insert(readme: bytes, section: str, name: str | None = None, *, earlier: bool = False) -> bytes:
    r"""Put a section into a README, in the place of the one that is there or at the end.

    Parameters
    ----------
    readme : bytes
        UTF-8, with any line ends, with or without a byte order mark.
    section : str
        Markdown with line feeds; its markers are added here.
    name : str, optional
        Of the section, where a README may have several.
    earlier : bool
        Take the place of the section without a name, which an earlier version wrote, where there is none of this name.

    Returns
    -------
    bytes
        The README with the section in the README's own line ends. Inserting the same section again changes nothing.

    Raises
    ------
    UsageError
        If the section holds a marker.
    DataError
        If the README is not UTF-8, has markers that are no pairs in order, or ends inside of code or HTML.

    Examples
    --------
    >>> print(insert(b"# Card", "Hard.").decode())
    # Card
    <BLANKLINE>
    <!-- ibc-report:begin -->
    Hard.
    <!-- ibc-report:end -->
    """
    held = re.search(r"<!-- ibc-report:(?:begin|end)[^>]*-->", section)
    if held is not None:
        raise UsageError(
            f"the section holds the marker {held[0]}, so its end could not be found again; rename what does"
        )
    text = _decoded(readme)
    spans = _find(text)
    span = spans.get(name, spans.get(None) if earlier else None)
    outside = text if span is None else text[: span.start] + text[span.stop :]
    end_of_line = _line_end(outside)
    body = end_of_line.join([marker("begin", name), *section.strip("\n").split("\n"), marker("end", name)])
    if span is not None:
        return (text[: span.start] + body + text[span.stop :]).encode("utf-8")
    separator = end_of_line * 2 if text.removeprefix(_BOM) else ""
    return (text + separator + body).encode("utf-8")


def remove(readme: bytes, name: str | None = None) -> bytes:
    r"""Take a section out of a README, with the empty line that came with it.

    Parameters
    ----------
    name : str, optional
        Of the section; the one without a name by default.

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
    span = _find(text).get(name)
    if span is None:
        return readme
    before = text[: span.start]
    for separator in ("\r\n\r\n", "\n\n", "\r\r"):
        if before.endswith(separator):
            before = before[: -len(separator)]
            break
    return (before + text[span.stop :]).encode("utf-8")


def section_of(readme: bytes, name: str | None = None) -> str | None:
    """Read a section of a README.

    Parameters
    ----------
    name : str, optional
        Of the section; the one without a name by default.

    Returns
    -------
    str or None
        Between the markers, with line feeds; None where there is no section.

    Raises
    ------
    DataError
        As for `insert`.
    """
    return sections(readme).get(name)


def sections(readme: bytes) -> dict[str | None, str]:
    """Read all sections of a README by their names; None is the name of the one without.

    Raises
    ------
    DataError
        As for `insert`.
    """
    text = _decoded(readme)
    found = {}
    for name, span in _find(text).items():
        inside = text[span.start : span.stop].removeprefix(marker("begin", name)).removesuffix(marker("end", name))
        found[name] = inside.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return found


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


def _find(text: str) -> dict[str | None, _Span]:
    """Find the pairs of markers in the prose, by name."""
    found = list(_markers(text))
    spans: dict[str | None, _Span] = {}
    for (first, start), (last, stop) in zip(found[::2], found[1::2], strict=False):
        if (first["kind"], last["kind"]) != ("begin", "end") or first["name"] != last["name"]:
            break
        spans[unquote(first["name"]) if first["name"] else None] = _Span(start, stop + len(last[0]))
    if 2 * len(spans) != len(found):
        said = ", ".join(match[0] for match, _ in found)
        raise DataError(f"the README has the markers {said}; leave one pair of {BEGIN} and {END}, in this order")
    return spans


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _markers(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Markers outside of front matter, code and comments, none of which may be left open, and where they start."""
    lines, matter = _lines(text), front_matter(text)
    if matter is None and _opening(lines) is not None:
        raise DataError("the README opens front matter with '---' and never closes it; close it first")
    if matter is not None:
        lines = [line for line in lines if line.start > matter[1]]
    prose = text[lines[0].start :] if lines else ""
    for token in _parser().parse(prose.removeprefix(_BOM)):
        if token.map is None or not token.content:
            continue
        inside = lines[token.map[0] : token.map[1]]
        if token.type in ("fence", "html_block") and token.level == 0:
            _refuse_open(token, inside)
        if token.type == "html_block":
            yield from _markers_of_html(token, inside)
        elif token.type == "inline" and _MARKER.search(token.content):
            _refuse_beside(token, inside)


def _markers_of_html(token: Token, lines: list[_Line]) -> Iterator[tuple[re.Match[str], int]]:
    alone = len([line for line in lines if line.text.strip()]) == 1
    if not alone and any(opening.match(token.content.lstrip()) for opening, _ in _ENCLOSED):
        return
    for line in lines:
        match = _MARKER.search(line.text)
        if match is None:
            continue
        if token.level:
            raise DataError(
                f"line {line.number} of the README has the marker {match[0]} inside of a list or a quotation; put it "
                "outside, on its own line"
            )
        if line.text.removeprefix(_BOM).strip() != match[0]:
            raise _beside(line.number, match[0])
        yield match, line.start + match.start()


def _refuse_open(token: Token, lines: list[_Line]) -> None:
    """Refuse a block that goes on to the end of the README for want of an end: it would swallow a section."""
    number = lines[0].number
    if token.type == "fence":
        ticks = re.escape(token.markup[0])
        if len(lines) < 2 or not re.fullmatch(rf" {{0,3}}{ticks}{{{len(token.markup)},}}\s*", lines[-1].text):
            raise DataError(f"the README ends inside the code fence of line {number}; close it first")
        return
    for opening, end in _ENCLOSED:
        if opening.match(token.content.lstrip()):
            if not re.search(end, token.content, re.IGNORECASE):
                raise DataError(f"the README ends inside the HTML that opens on line {number}; close it first")
            return


def _refuse_beside(token: Token, lines: list[_Line]) -> None:
    """Refuse a marker in a line of text, where it is no code."""
    for child in _inline().parseInline(token.content)[0].children or ():
        match = _MARKER.fullmatch(child.content) if child.type == "html_inline" else None
        if match is not None:
            number = next((line.number for line in lines if match[0] in line.text), lines[0].number)
            raise _beside(number, match[0])


@cache
def _inline() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _beside(number: int, said: str) -> DataError:
    return DataError(f"line {number} of the README has the marker {said} beside other text; put it on its own line")
