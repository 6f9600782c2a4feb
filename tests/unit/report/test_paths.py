"""Paths into a document: what they find, and how wrong ones are told."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import Field

from ibc_report import Report
from ibc_report.common.errors import UsageError
from ibc_report.common.schema import Record
from ibc_report.report.paths import find, paths


class Entry(Record):
    """An entry of a list."""

    name: str = Field(description="Its name.")
    score: float | None = Field(description="Its score.")


class Whole(Record):
    """A document of every shape."""

    entries: tuple[Entry, ...] = Field(description="A list of records.")
    pairs: tuple[tuple[str, int], ...] = Field(description="A list of pairs.")
    profile: dict[int, float] = Field(description="A mapping.")
    inner: Entry | None = Field(description="Null for none.")
    kind: Literal["near", "far"] = Field(description="One of two.")
    free: Any = Field(description="Whatever it is.")


WHOLE = {
    "entries": [{"name": "a.b [c]", "score": 2.5}, {"name": "1", "score": None}, {"name": "z", "score": 7}],
    "pairs": [["x", 3], ["y", 4]],
    "profile": {"3": 0.5},
    "inner": None,
    "kind": "near",
    "free": {"deep": [{"n": 1}], "flat": "x"},
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ('entries["a.b [c]"].score', 2.5),
        ("entries[z].score", 7),
        ("entries[0].name", "a.b [c]"),
        ("entries[1].name", "1"),
        ("entries.count", 3),
        ("pairs[1][0]", "y"),
        ("pairs[1][1]", 4),
        ("profile.3", 0.5),
        ("profile[3]", 0.5),
        ("kind", "near"),
        ("free.flat", "x"),
        ("free.deep[0].n", 1),
    ],
)
def test_a_path_leads_to_its_value(path: str, value: object) -> None:
    """Fields, entries by name or by place, counts, mappings and what the schema leaves open are found."""
    assert find(Whole, WHOLE, path).value == value


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("inner.score", "inner is null (Null for none.)"),
        ("entries[1].score", "entries[1].score is null (Its score.)"),
        ("entries[zz].score", "entries has no 'zz'; did you mean 'z'? Known: 1, a.b [c], z"),
        ("entries[9].score", "entries has no '9'; Known: 1, a.b [c], z"),
        ("pairs[7][0]", "pairs has no '7'; it has 2 entries"),
        ("profile.4", "profile has no '4'; Known: 3"),
        ("free.other", "free has no 'other'; Known: deep, flat"),
    ],
)
def test_what_a_document_lacks_has_a_reason(path: str, reason: str) -> None:
    """A path that the schema has and this document has not gives no value, and says why."""
    found = find(Whole, WHOLE, path)
    assert (found.value, found.reason) == (None, reason)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("entrys.count", "there is no 'entrys'; did you mean 'entries'?"),
        ("inner.scor", "inner has no 'scor'; did you mean 'score'?"),
        ("entries", "'entries' is more than one value; go on with one of: .count, [a.b [c]], [1], [z]"),
        ("inner", "'inner' is more than one value; go on with one of: .name, .score"),
        ("profile", "go on with one of: .3"),
        ("free", "go on with one of: .deep, .flat"),
        ("free.deep", "go on with one of: [0]"),
        ("kind.more", "'kind.more' goes too far: kind is one value"),
        ("entries[z", "is no name"),
        (".kind", "is no name"),
        ("", "is more than one value"),
    ],
)
def test_a_wrong_path_is_told(path: str, message: str) -> None:
    """A path that no document of the schema has, or that ends too early, is refused with what would do."""
    with pytest.raises(UsageError) as caught:
        find(Whole, WHOLE, path)
    assert message in str(caught.value)


def test_a_wrong_path_is_told_although_the_document_ends_before(tmp_path: object) -> None:
    """A wrong name below a null is wrong all the same."""
    with pytest.raises(UsageError, match="did you mean 'score'"):
        find(Whole, WHOLE, "inner.scoer")


def test_words_of_the_schema_are_known() -> None:
    """Where a field is one of some words, they are told."""
    assert find(Whole, WHOLE, "kind").words == ("near", "far")
    assert find(Whole, WHOLE, "entries[z].name").words == ()


def test_every_listed_path_can_be_followed() -> None:
    """Each path that is listed of a report is one that a rule can have."""
    listed = paths(Report)
    assert {"data.rows_used", "headline.upper", "numbers[KEY].value", "doubts.count"} <= set(listed)
    empty: dict[str, Any] = {}
    for path in listed:
        assert find(Report, empty, path).value is None
