"""Hostile text in Markdown: it prints as itself."""

from __future__ import annotations

import markdown
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ibc_report.common.escaping import Markdown, code, escape, fenced, one_line
from tests.support.markup import Page

EXTENSIONS = ["tables", "fenced_code", "attr_list", "toc"]

PIECES = [
    *("<b>", "</div>", "<script>", "<!--", "-->", "<?", "<![CDATA[", "&amp;", "&#60;"),
    *("``", "**", "__", "![a]", "(b)", "{: #i}", "[TOC]", "~~~", "|", "\\|", "\\(", "$$", "10^5", "=", "- ", "1."),
    *("http://x.org", "www.x.org", "a@b.org", "@you", "#1", "שלום", "👩‍🔬", "word"),
    *("\n\n", "    ", "\u202e", "\u2028", "\x02", "\x03", "\x00"),
]

# letters alone would seldom meet the characters that Markdown reads
TEXT = st.one_of(
    st.text(),
    st.text(alphabet="`*_{}[]()<>#+-.!|~$@\\&;:/=\"'^%0123456789 \n\tabw"),
    st.lists(st.sampled_from(PIECES)).map("".join),
)

HOSTILE = [
    "<script>alert(1)</script>",
    "=== a",
    "1. a",
    "a | b \\| c",
    "`a` ``b",
    "\\",
    "a\\",
    "<!-- a",
    "`<div>",
    "\x02wzxhzdk:0\x03",
    "klzzwxh:0000",
    "[a](javascript:b) ![c](d)",
]


def shown(text: str) -> str:
    """What a reader should see of a text on one line."""
    return one_line(text)


def rendered(source: str) -> Page:
    """The page that python-markdown makes of a source."""
    return Page(markdown.markdown(source, extensions=EXTENSIONS))


def tags(page: Page) -> list[str]:
    """The tags of a page's elements, in order."""
    return [element.tag for element in page.elements]


@settings(deadline=None)
@given(TEXT)
@example(HOSTILE[0])
@example(HOSTILE[1])
@example(HOSTILE[9])
def test_escaped_text_is_a_paragraph_of_that_text(text: str) -> None:
    """A paragraph of escaped text has no markup and reads as the text with its white space folded."""
    page = rendered(escape(text))

    assert page.text == shown(text)
    assert tags(page) == (["p"] if shown(text) else [])


@settings(deadline=None)
@given(TEXT)
def test_escaped_text_is_one_line(text: str) -> None:
    """Escaped text never breaks its line, by any of Unicode's line ends."""
    assert len(escape(text).splitlines()) <= 1


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize(
    "template",
    ["# {}", "- {}", "a {} b", "**x**: {}", "![{}](x.png)"],
    ids=["heading", "item", "inside", "bold", "alt"],
)
def test_hostile_text_stays_text_wherever_it_is_printed(text: str, template: str) -> None:
    """In a heading, a list, a sentence and an alternative text, hostile text reads as itself."""
    page = rendered(template.format(escape(text)))
    allowed = {"h1", "ul", "li", "p", "strong", "img"}

    assert set(tags(page)) <= allowed
    assert shown(text) in page.text or [image["alt"] for image in page.all("img")] == [shown(text)]


@settings(deadline=None)
@given(TEXT, TEXT)
def test_escaped_text_stays_in_its_cell(first: str, second: str) -> None:
    """A table of escaped texts has the cells that it was given."""
    source = f"| A | B |\n|---|---|\n| x {escape(first)} | {code(second)} y |\n"
    page = rendered(source)

    assert [cell.text for cell in page.all("td")] == [f"x {shown(first)}".strip(), f"{shown(second)} y".strip()]


@settings(deadline=None)
@given(TEXT)
@example(HOSTILE[3])
@example(HOSTILE[4])
@example(HOSTILE[6])
@example(HOSTILE[7])
@example(HOSTILE[8])
def test_code_is_a_code_element_of_that_text(text: str) -> None:
    """Inline code reads as its text, and holds no other element."""
    page = rendered(f"a {code(text)} b")

    assert tags(page) == ["p", "code"]
    assert page.all("code")[0].text == shown(text)


@settings(deadline=None)
@given(TEXT)
def test_fenced_is_one_block_of_that_text(text: str) -> None:
    """A block of code reads as its text, whatever fences it holds, and nothing escapes from it."""
    page = rendered(f"before\n\n{fenced(text, 'sh')}\n\nafter")

    assert tags(page) == ["p", "pre", "code", "p"]
    assert page.all("code")[0].text == shown(text)


def test_fenced_keeps_line_breaks() -> None:
    """A block of code keeps its lines, with one kind of line end."""
    assert fenced("a\r\nb\rc", "sh") == "```sh\na\nb\nc\n```"


def test_markdown_is_not_escaped_again() -> None:
    """Text that is Markdown source already is left as it is."""
    assert escape(Markdown("**a**")) == "**a**"


def test_nothing_prints_as_nothing() -> None:
    """A missing value prints as an empty text."""
    assert escape(None) == ""


@settings(deadline=None)
@given(st.text(alphabet=st.characters()))
def test_one_line_is_what_files_can_hold(text: str) -> None:
    """Text on one line can be written as UTF-8 and has no control character."""
    line = one_line(text)

    line.encode("utf-8")
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in line)
