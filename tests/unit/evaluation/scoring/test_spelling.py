"""Values that files spell in several ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.evaluation.scoring.spelling import ClassNames, exact, folded
from tests.support.samples import few_properties


@few_properties
@given(st.lists(st.text(max_size=4), unique=True))
def test_every_name_is_found_as_it_stands(names: list[str]) -> None:
    """Whatever names mean, each of them is found by its very text."""
    known = ClassNames.of(names)
    assert [known.find(name) for name in names] == list(range(len(names)))


@few_properties
@given(st.text(max_size=6))
def test_folding_twice_is_folding_once(text: str) -> None:
    """What is folded stays as it is."""
    assert folded(folded(text)) == folded(text)


@few_properties
@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**6), max_value=10**6, places=3))
def test_numbers_are_folded_to_their_value(number: object) -> None:
    """Two spellings of one number are folded alike, and keep the number."""
    form = folded(str(number))
    assert float(form) == float(str(number))
    assert folded(f" {number}00 ") == form
    assert not form.endswith(".")


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (("7", "007", "7.0", "+7", " 7 ", "7."), "7"),
        (("0", "-0", "0.00", "000"), "0"),
        (("true", "True", "TRUE "), "true"),
        (("v2.0",), "v2.0"),
        (("1e3",), "1e3"),
        (("Cat",), "Cat"),
        (("0" * 5000 + "1",), "1"),
    ],
)
def test_what_is_folded_to_what(texts: tuple[str, ...], form: str) -> None:
    """Whole numbers, fractions and truth are folded, other texts are only stripped."""
    assert {folded(text) for text in texts} == {form}


def test_names_of_one_meaning_are_found_only_as_they_stand() -> None:
    """Where two names mean the same a third spelling is neither of them."""
    assert [ClassNames.of(["1", "1.0"]).find(text) for text in ("1", "1.0", "01")] == [0, 1, -1]


def test_what_says_nothing() -> None:
    """No value, not a number and white space say nothing; 0, False and the word null say something."""
    assert [exact(value) for value in (None, float("nan"), "", " \t")] == [None] * 4
    assert [exact(value) for value in (0, False, "null")] == ["0", "False", "null"]
