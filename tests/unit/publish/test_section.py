"""The byte edit of a README: every byte outside the markers stays."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from ibc_report.common.errors import DataError, UsageError
from ibc_report.publish.section import BEGIN, END, insert, remove, section_of, sections
from tests.support.profiles import examples

SECTION = "## Difficulty\n\n10^10.6 bits\n\n| a | b |\n|---|---|\n| 1 | 2 |"

FRONT_MATTERS = [
    "",
    "---\nlicense: mit\n---\n",
    "---\n# a comment\nlanguage: no\ncode: 010\ntime: 12:30\nlicense:\n---\n",
    "---\ntags: [a,   b]   # flow\nlong: >-\n  folded\n  text\n---\n",
    "---   \nlicense: mit\n---\n",
    "---\nlicense: mit\n...\n",
    "---\non: push\n1: one\n\"quoted\": 'yes'\n---\n",
    "---\nconfigs:\n- config_name: default\n  data_files: 'data/*.parquet'\n---\n\n---\nsecond: block\n---\n",
    "<!-- a leading comment -->\n---\nlicense: mit\n---\n",
    "---\ntext: |\n  ```\n  not a fence\n---\n",
    f"---\n# {BEGIN}\nlicense: mit\n---\n",
    "---\nnever: closed\n",
]

BODIES = st.lists(
    st.one_of(
        st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="`~\r\n"), max_size=60),
        st.sampled_from(
            [
                "# Title",
                "",
                "   ",
                "text  ",
                "```python\nx = 1\n```",
                "~~~\n``` inside\n~~~",
                f"```\n{BEGIN}\nold\n{END}\n```",
                f"````md\n```\n{END}\n```\n````",
                "``` `not a fence` ```",
                "<!-- a comment\nover lines -->",
                "<!-- ibc-report -->",
                # two empty lines, for one may be taken by mixed line ends, and the block would go on
                "<div>\n<b>html</b>\n</div>\n\n",
                "- item\n\n  ```\n  code\n  ```",
                "$$x^2$$",
                "x" * 2000,
            ]
        ),
    ),
    max_size=12,
)


@st.composite
def readmes(draw: st.DrawFn) -> bytes:
    """A card with front matter of any kind, any line ends, with or without a byte order mark and a final line end."""
    text = draw(st.sampled_from(FRONT_MATTERS)) + "\n".join(draw(BODIES)) + draw(st.sampled_from(["", "\n", "\n\n\n"]))
    style = draw(st.sampled_from(["\n", "\r\n", "\r", "mixed"]))
    if style == "mixed":
        ends = draw(
            st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=text.count("\n"), max_size=text.count("\n"))
        )
        pieces = text.split("\n")
        text = "".join(piece + end for piece, end in zip(pieces, [*ends, ""], strict=True))
    else:
        text = text.replace("\n", style)
    return (draw(st.sampled_from(["", "\ufeff"])) + text).encode("utf-8")


@settings(max_examples=examples(10_000), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(readme=readmes())
def test_no_byte_outside_is_lost(readme: bytes) -> None:
    """A push leaves every other byte, a second push changes nothing, and removing gives the first bytes."""
    try:
        pushed = insert(readme, SECTION)
    except DataError:
        # an open fence or front matter is refused before anything is changed, and does not count as an example
        reject()
    assert pushed.startswith(readme)
    assert insert(pushed, SECTION) == pushed
    assert section_of(pushed) == SECTION
    assert remove(pushed) == readme


@settings(max_examples=examples(500), deadline=None)
@given(readme=readmes(), after=readmes())
def test_a_changed_section_keeps_what_stands_around_it(readme: bytes, after: bytes) -> None:
    """An update replaces what stands between the markers and nothing before or after them."""
    try:
        pushed = insert(readme, "old")
        suffix = b"\n\n" + after.replace(b"\xef\xbb\xbf", b"")
        updated = insert(pushed + suffix, "new\nlines")
    except DataError:
        return
    before = pushed[: pushed.rindex(BEGIN.encode())]
    assert updated.startswith(before + BEGIN.encode())
    assert updated.endswith(END.encode() + suffix)
    assert section_of(updated) == "new\nlines"
    assert b"old" not in updated[len(before) : len(updated) - len(suffix)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("    ```\n", id="ticks in indented code open nothing"),
        pytest.param(f"```\n    ```\n{BEGIN}\n{END}\n```\n", id="indented ticks close nothing"),
        pytest.param(f"    {BEGIN}\n", id="a marker in indented code"),
        pytest.param(f"\n---\nnote: |\n {BEGIN}\n---\n", id="front matter below a blank line"),
        pytest.param("- item\n\n      ```\n      open\n", id="a fence of a list that is never closed"),
    ],
)
def test_what_only_looks_like_markup_is_text(text: str) -> None:
    """Indentation and front matter are read as Markdown reads them: the section goes to the end, and out again."""
    pushed = insert(text.encode(), SECTION)
    assert pushed.startswith(text.encode())
    assert insert(pushed, SECTION) == pushed
    assert remove(pushed) == text.encode()


def test_a_large_card_is_edited_whole() -> None:
    """A README of 1 MB comes back to the byte."""
    readme = ("---\nlicense: mit\n---\n" + "A line of text with ünïcode.\r\n" * 35_000).encode()
    assert len(readme) > 1_000_000
    assert remove(insert(readme, SECTION)) == readme


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(f"{BEGIN}\nx\n", "leave one pair", id="no end"),
        pytest.param(f"x\n{END}\n", "leave one pair", id="no begin"),
        pytest.param(f"{END}\nx\n{BEGIN}\n", "leave one pair", id="wrong order"),
        pytest.param(f"{BEGIN}\nx\n{END}\n{BEGIN}\ny\n{END}\n", "leave one pair", id="two pairs"),
        pytest.param(f"{BEGIN}\n{BEGIN}\nx\n{END}\n", "leave one pair", id="nested"),
        pytest.param(f"text {BEGIN}\nx\n{END}\n", "line 1 of the README", id="beside text"),
        pytest.param("```\ncode\n", "code fence of line 1", id="open fence"),
        pytest.param("---\na: 1\n", "never closes it", id="open front matter"),
        pytest.param("\n---\na: 1\n", "never closes it", id="open front matter below a blank line"),
    ],
)
def test_a_readme_that_is_not_plain_is_refused(text: str, message: str) -> None:
    """Markers that are not one pair in order, and an open code fence, are refused by one line that says which."""
    for edit in (lambda readme: insert(readme, SECTION), remove):
        with pytest.raises(DataError, match=message):
            edit(text.encode())


def test_a_readme_that_is_not_utf8_is_refused() -> None:
    """A README in another encoding is left alone."""
    with pytest.raises(DataError, match="not UTF-8"):
        insert("# Größe".encode("latin-1"), SECTION)


@pytest.mark.parametrize("marker", [BEGIN, END])
def test_a_section_with_a_marker_cannot_be_made(marker: str) -> None:
    """A section that holds a marker is refused, for its end could not be found again."""
    with pytest.raises(UsageError, match="holds the marker"):
        insert(b"# Card\n", f"text {marker} text")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_section_has_the_line_ends_of_the_file(end: str) -> None:
    """A section takes the line ends that its README has."""
    pushed = insert(f"# Card{end}{end}Text.{end}".encode(), "a\nb").decode()
    assert pushed.endswith(f"{BEGIN}{end}a{end}b{end}{END}")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"~~~ `a` ~\n{BEGIN}\n~~~\n", id="a fence of tildes may have backticks in its info"),
        pytest.param(f"````\n```\n{BEGIN}\n`````\n", id="a fence ends with as many ticks or more"),
        pytest.param(f"```\n``` x\n{BEGIN}\n```\n", id="ticks with an info string end nothing"),
        pytest.param(f"```\n~~~\n{BEGIN}\n```\n", id="tildes end no backticks"),
        pytest.param(f"\t{BEGIN}\n", id="a marker behind a tab"),
        pytest.param("\t```\n", id="ticks behind a tab open nothing"),
        pytest.param(f"\ufeff```\n{BEGIN}\n```\n", id="a fence behind a byte order mark"),
        pytest.param(f"\ufeff---\nnote: {BEGIN}\n---\n", id="front matter behind a byte order mark"),
        pytest.param(f"---  \nnote: {BEGIN}\n...  \n", id="front matter that ends in dots, with spaces"),
        pytest.param("---\na: 1\n---\n```\ncode\n```\n", id="a fence right below the front matter"),
        pytest.param("---\na: |\n```\n---\n", id="ticks in front matter open nothing"),
        pytest.param(f"   ```\n{BEGIN}\n   ```\n", id="three spaces before a fence"),
        pytest.param("``\nno code\n", id="two ticks open nothing"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_fences_and_front_matter_hide_a_marker(text: str, end: str) -> None:
    """What CommonMark reads as code or front matter holds no section, in whichever line ends the README has."""
    readme = text.replace("\n", end).encode()
    assert section_of(readme) is None
    pushed = insert(readme, SECTION)
    assert pushed.startswith(readme)
    assert section_of(pushed) == SECTION
    assert remove(pushed) == readme


@pytest.mark.parametrize("text", ["", "\ufeff", "\ufeff# Card", "# Card\n\n\n", "# Card\r\r", "# a\r\n\r\n# b\r\n"])
def test_a_pushed_section_is_set_off_by_one_empty_line(text: str) -> None:
    """Exactly one empty line, in the README's line ends, comes before the section; an empty README has none."""
    end = "\r\n" if "\r\n" in text else "\r" if "\r" in text else "\n"
    separator = "" if text in ("", "\ufeff") else end * 2
    assert insert(text.encode(), "x").decode() == f"{text}{separator}{BEGIN}{end}x{end}{END}"


def test_the_commonest_line_end_is_taken() -> None:
    """A README of mixed line ends gets a section in the one that it has most of, its old section not counted."""
    assert insert(b"a\r\nb\r\nc\n", "x").decode().endswith(f"\r\n\r\n{BEGIN}\r\nx\r\n{END}")
    assert insert(b"a\r\nb\nc\n", "x").decode().endswith(f"\n\n{BEGIN}\nx\n{END}")
    assert insert(b"a\r\nb\r\nc\r", "x").decode().endswith(f"\r\n{END}")
    old = f"a\r\n\r\n{BEGIN}\none\ntwo\nthree\nfour\n{END}\r\n"
    assert insert(old.encode(), "x").decode() == f"a\r\n\r\n{BEGIN}\r\nx\r\n{END}\r\n"


@pytest.mark.parametrize("indent", ["", "   ", "\ufeff"])
def test_a_marker_may_be_indented_as_prose_may(indent: str) -> None:
    """Up to three spaces, trailing ones, or a byte order mark before a marker leave it one."""
    text = f"{indent}{BEGIN}  \nold\n{END}\n\nrest\n"
    assert section_of(text.encode()) is not None
    assert "old" not in insert(text.encode(), "new").decode()
    assert remove(text.encode()).decode().endswith("\n\nrest\n")


def test_empty_lines_around_a_section_are_not_kept() -> None:
    """A section that begins or ends with empty lines stands between its markers without them."""
    assert insert(b"# Card", "\n\nHard.\n\n") == insert(b"# Card", "Hard.")


AROUND = [
    pytest.param("- ```python\n  load()\n  ```\n\nText.\n", id="a fence on the line of a bullet"),
    pytest.param("1. Install:\n\n1. ```bash\n   pip install it\n   ```\n", id="a fence on the line of an item"),
    pytest.param("10) ~~~\n    x\n    ~~~\n", id="tildes in an item of two digits"),
    pytest.param("* - > ```\n    > x\n", id="an open fence in a quotation of a list of a list"),
    pytest.param("> ```\n> x\n\nText.\n", id="an open fence in a quotation"),
    pytest.param("<!--\n```\n-->\n\nText.\n", id="a fence in a comment"),
    pytest.param("<!-- ```\n\n~~~ -->\n", id="a comment over an empty line"),
    pytest.param("<pre>\n```\n</pre>\n", id="a fence in pre"),
    pytest.param("<script>\n\n```\n</script>\n", id="a fence in a script"),
    pytest.param("<details>\n<summary>s</summary>\n```\n</details>\n", id="ticks in details"),
    pytest.param("<?php ``` ?>\n", id="a processing instruction"),
    pytest.param("- item\n\n      ```\n", id="indented code in an item"),
    pytest.param("text\n    ```\n", id="a paragraph that goes on indented"),
    pytest.param(f"<pre>\n{BEGIN}\n</pre>\n", id="a marker in pre"),
    pytest.param(f"- ```\n  {BEGIN}\n  ```\n", id="a marker in the fence of a bullet"),
    pytest.param(f"Write `{BEGIN}` first.\n", id="a marker as inline code"),
    pytest.param(f"<!-- see\n{BEGIN}\n", id="a marker that ends a comment"),
    pytest.param("| a |\n|---|\n| ``` |\n", id="ticks in a table"),
    pytest.param("[a]: <x>\n'```\n'\n", id="ticks in a title of a link"),
    pytest.param("Title\n===\n```js```\n", id="inline code of three ticks"),
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("after", AROUND)
@pytest.mark.parametrize("before", AROUND)
def test_there_is_one_section_whatever_stands_around_it(before: str, after: str, end: str) -> None:
    """With every construct before it and every one after it, the section is found, replaced and removed: never two."""
    head, tail = before.replace("\n", end).encode(), after.replace("\n", end).encode()
    pushed = insert(head, SECTION)
    assert remove(pushed) == head
    whole = pushed + end.encode() * 2 + tail
    again = insert(whole, "new")
    assert again == head + insert(b"", "new").replace(b"\n", end.encode()).join(
        [end.encode() * 2, end.encode() * 2 + tail]
    )
    assert section_of(again) == "new"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("<!--\nnever closed\n", "inside the HTML that opens on line 1", id="an open comment"),
        pytest.param("a\n\n<pre>\n\nb\n", "inside the HTML that opens on line 3", id="open pre"),
        pytest.param(f"- item\n\n  {BEGIN}\n  x\n", "line 3 of .* inside of a list or a quotation", id="in a list"),
        pytest.param(f"> {BEGIN}\n> x\n", "line 1 of .* inside of a list or a quotation", id="in a quotation"),
        pytest.param("- a\n\n~~~\nx\n", "code fence of line 3", id="an open fence behind a list"),
    ],
)
def test_what_would_swallow_a_section_is_refused(text: str, message: str) -> None:
    """HTML that is left open, and a marker that only a list or a quotation holds, are named with their line."""
    with pytest.raises(DataError, match=message):
        insert(text.encode(), SECTION)


def test_sections_of_several_names_leave_each_other_alone() -> None:
    """Each name has its own section; changing or removing one keeps every byte of the others."""
    one = insert(insert(insert(b"# Card\n", "plain"), "of en", "en"), "of a b", "a b-->")
    assert sections(one) == {None: "plain", "en": "of en", "a b-->": "of a b"}
    changed = insert(one, "new", "en")
    assert changed == one.replace(b"of en", b"new")
    assert sections(remove(changed, "en")) == {None: "plain", "a b-->": "of a b"}
    assert remove(remove(remove(one, "a b-->"), "en")) == b"# Card\n"


def test_a_section_of_an_earlier_version_gets_its_name() -> None:
    """Where told so, the section without a name gives its place to the one of a name, once."""
    former = insert(b"# Card\n", "old") + b"\n\nrest\n"
    named = insert(former, "new", "en", earlier=True)
    assert sections(named) == {"en": "new"}
    assert named.endswith(b"\n\nrest\n")
    both = insert(named, "other")
    assert sections(insert(both, "newer", "en", earlier=True)) == {"en": "newer", None: "other"}
