"""Strings that stand for numbers or vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.data.written import understood
from tests.support.tables import column

READ = [
    pytest.param(["1,250.50", "75", None], [1250.5, 75.0, None], "numbers with commas between thousands", id="commas"),
    pytest.param(["1,234", "-2,500,000"], [1234.0, -2_500_000.0], "numbers with commas between thousands", id="whole"),
    pytest.param(["1.234,5", "3,25", "7"], [1234.5, 3.25, 7.0], "numbers with decimal commas", id="decimal-commas"),
    pytest.param([f"${n},000" for n in range(1, 61)], [1000.0 * n for n in range(1, 61)], "numbers in $", id="money"),
    pytest.param([f"{n} %" for n in range(60)], [float(n) for n in range(60)], "numbers in %", id="shares"),
    pytest.param(["1,000"] * 20 + ["?"], [1000.0] * 20 + [None], "numbers with commas", id="mark-of-a-missing-one"),
    pytest.param(["[1, 2]", None, "[3,4]"], [[1.0, 2.0], None, [3.0, 4.0]], "vectors", id="json"),
    pytest.param(["[0. 1.\n 2.]", "[1e-3 2 3]"], [[0.0, 1.0, 2.0], [0.001, 2.0, 3.0]], "vectors", id="numpy"),
    pytest.param(["(1, 2)", "(3, 4, 5)"], [[1.0, 2.0], [3.0, 4.0, 5.0]], "vectors", id="tuples"),
    pytest.param(["[[1, 2], [3, 4]]"], [[1.0, 2.0, 3.0, 4.0]], "vectors", id="nested"),
]


@pytest.mark.parametrize(("values", "read", "how"), READ)
def test_strings_that_stand_for_something_else_are_read_as_it(values: list[Any], read: list[Any], how: str) -> None:
    """Numbers as people write them and lists as programs print them are numbers and vectors, and it is said how."""
    found, said = understood(column("c", values))
    assert found.values.to_pylist() == read
    assert said is not None
    assert said.startswith(how)


LEFT = [
    pytest.param(["a", "b"], id="words"),
    pytest.param(["10%", "20%"] * 30, id="few-shares-are-categories"),
    pytest.param(["1,2,3", "4,5,6"], id="three-numbers"),
    pytest.param(["12,34", "a"], id="one-word"),
    pytest.param(["(5)", "(6)"], id="numbers-in-brackets"),
    pytest.param(["['a']", "['b']"], id="lists-of-words"),
    pytest.param(["[1, 2]", "none of these"], id="one-is-no-list"),
    pytest.param(["1", "2"], id="plain-numbers"),
    pytest.param([None, None], id="nothing"),
]


@pytest.mark.parametrize("values", LEFT)
def test_other_strings_stay_strings(values: list[Any]) -> None:
    """What is not a number or a list in every row is left as it is, and nothing is said."""
    import pyarrow as pa

    before = column("c", values, storage=pa.string())
    assert understood(before) == (before, None)


def test_lists_that_were_shortened_are_no_vectors() -> None:
    """A list with dots for most of it is refused as an input, with what to do."""
    found, said = understood(column("c", ["[1. 2. ... 9.]", "[3. 4. ... 8.]"]))
    assert found.kind == "other"
    assert said == "lists that were shortened when they were printed: write them whole"


def test_what_the_user_calls_categories_stays_so() -> None:
    """--categorical is stronger than how values look."""
    before = replace(column("c", ["1,000", "2,000"]), is_category=True)
    assert understood(before) == (before, None)


@given(st.lists(st.floats(-1e12, 1e12).map(lambda number: round(number, 2)), min_size=1, max_size=20))
def test_numbers_written_with_commas_come_back(numbers: list[float]) -> None:
    """Whatever is written with commas between thousands is read as the number that it was."""
    found, said = understood(column("c", [f"{number:,.2f}" for number in numbers]))
    if said is not None:
        assert found.values.to_pylist() == numbers
    else:
        assert max(abs(number) for number in numbers) < 1000
