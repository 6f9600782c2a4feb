"""Names among many: the nearest first, the others as a reader would sort them, cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import MOST_LISTED, natural, suggested
from tests.support.samples import few_properties


def test_numbers_are_sorted_by_size() -> None:
    """A2 is before A10, and letters of either case are one."""
    assert sorted(["A10", "A1", "b", "A2", "a3"], key=natural) == ["A1", "A2", "a3", "A10", "b"]


@few_properties
@given(st.lists(st.text(max_size=30), max_size=40), st.text(max_size=30))
def test_any_names_make_one_short_list(names: list[str], wrong: str) -> None:
    """Whatever the names are, each is listed once, or counted."""
    said = suggested(wrong, names)
    count = len(set(names))
    if not count:
        assert said == "Nothing is known here"
    elif count > MOST_LISTED:
        assert said.endswith(f" and {count - MOST_LISTED} more")
    else:
        assert all(name in said for name in names)


def test_other_letters_are_the_nearest() -> None:
    """A name in capitals is the same name, however short it is."""
    assert suggested("NO", ["yes", "no", "now"]).startswith("did you mean 'no'? Known: no, ")


def test_what_stands_for_many_is_listed_in_their_place() -> None:
    """A listing may be shorter than what is known, and has the nearest all the same."""
    assert suggested("A77", ["A7", "A8", "m"], ["A7 to A8", "m"]) == "did you mean 'A7'? Known: A7, A7 to A8, m"
