"""One tag by a textual edit of one line."""

from __future__ import annotations

import pytest
import yaml

from ibc_report.common.errors import DataError, UsageError
from ibc_report.publish.front_matter import add_tag


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("---\nlicense: mit\n---\n", "---\nlicense: mit\ntags: [hard]\n---\n", id="no tags"),
        pytest.param("---\ntags:\n- a\n---\nx", "---\ntags:\n- a\n- hard\n---\nx", id="block"),
        pytest.param(
            "---\ntags:\n  - a\n  - b\nz: 1\n---\n", "---\ntags:\n  - a\n  - b\n  - hard\nz: 1\n---\n", id="indented"
        ),
        pytest.param("---\r\ntags:\r\n- a\r\n---\r\n", "---\r\ntags:\r\n- a\r\n- hard\r\n---\r\n", id="CRLF"),
        pytest.param("---\ntags: [a, b]\n---\n", "---\ntags: [a, b, hard]\n---\n", id="flow"),
        pytest.param("---\ntags: []\n---\n", "---\ntags: [hard]\n---\n", id="empty flow"),
        pytest.param("---\ntags:\n- a\n- hard\n---\n", "---\ntags:\n- a\n- hard\n---\n", id="there already"),
    ],
)
def test_a_tag_is_one_line(before: str, after: str) -> None:
    """A tag is added by one line, in the list's own form, and only once."""
    assert add_tag(before.encode(), "hard") == after.encode()
    assert add_tag(after.encode(), "hard") == after.encode()
    assert "hard" in yaml.safe_load(after.split("---")[1])["tags"]


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("# no front matter\n", id="none"),
        pytest.param("---\na: [1\n---\n", id="not YAML"),
        pytest.param("---\n- a\n---\n", id="a list"),
        pytest.param("---\ntags: a\n---\n", id="a string"),
        pytest.param("---\ntags: &t [a]\nother: *t\n---\n", id="an anchor"),
        pytest.param("---\ntags:\n# comment\n- a\n---\n", id="a comment first"),
        pytest.param("---\ntags: [a,\n  b]\n---\n", id="flow over lines"),
    ],
)
def test_front_matter_that_is_not_plain_is_refused(before: str) -> None:
    """Where one line cannot add the tag, nothing is changed and the error says what to do."""
    with pytest.raises(DataError, match="leave --tag out"):
        add_tag(before.encode(), "hard")


@pytest.mark.parametrize("tag", ["no", "a b", "x: y", "1st", ""])
def test_a_tag_that_needs_quotes_is_refused(tag: str) -> None:
    """A tag that YAML would not read as that string is refused."""
    with pytest.raises(UsageError, match="not a plain tag"):
        add_tag(b"---\nlicense: mit\n---\n", tag)
