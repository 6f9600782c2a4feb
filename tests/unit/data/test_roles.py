"""What a column is for, by its name and its values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ibc_report.data.roles import IDENTIFIER, ROW_NUMBERS, SPLIT, is_calendar, is_whole, set_aside
from ibc_report.data.sources.storage import PANDAS
from tests.support.tables import column

SHUFFLED = random.Random(0).sample(range(100, 160), 60)
SPREAD = random.Random(1).sample(range(10_000_000), 60)

ASIDE = [
    pytest.param("split", ["train", "test"] * 30, SPLIT, id="split"),
    pytest.param("fold", [0, 1, 2, 3] * 15, SPLIT, id="fold"),
    pytest.param("is_test", [True, False] * 30, SPLIT, id="is-test"),
    pytest.param("part", ["oos_train", "oos_val", "train"] * 20, SPLIT, id="words-of-splits"),
    pytest.param("split", [f"{number} times" for number in range(60)], None, id="a-split-of-many-values"),
    pytest.param("state", ["training", "idle"] * 30, None, id="one-word-of-splits"),
    pytest.param("Unnamed: 0", SHUFFLED, ROW_NUMBERS, id="saved-index"),
    pytest.param("rank", SHUFFLED, ROW_NUMBERS, id="numbers-that-follow"),
    pytest.param("Unnamed: 0", SPREAD, IDENTIFIER, id="part-of-a-saved-index"),
    pytest.param("record_id", SPREAD, IDENTIFIER, id="record-id"),
    pytest.param("PassengerId", SPREAD, IDENTIFIER, id="camel-case"),
    pytest.param("customer id", [*SPREAD[:40], *SPREAD[:20]], IDENTIFIER, id="some-twice"),
    pytest.param("store_id", [1, 2, 3] * 20, None, id="few-stores"),
    pytest.param("id", [f"q-{number}" for number in range(60)], IDENTIFIER, id="names-of-rows"),
    pytest.param("id", [f"a text about {number}" for number in range(60)], None, id="texts"),
    pytest.param("file", [f"{number:032x}" for number in SPREAD], IDENTIFIER, id="hashes"),
    pytest.param("width", SPREAD, None, id="amounts"),
    pytest.param("id", [number / 7 for number in SPREAD], None, id="fractions"),
    pytest.param("x", list(range(10)), None, id="few-rows"),
]


@pytest.mark.parametrize(("name", "values", "why"), ASIDE)
def test_what_is_no_input_is_told_by_its_name_and_values(name: str, values: list[Any], why: str | None) -> None:
    """Identifiers, saved indexes and columns of splits are set aside, and measurements are not."""
    assert set_aside(column(name, values)) == why


def test_rows_of_a_sample_are_counted_by_their_numbers() -> None:
    """A column that counts all rows of a source counts those of a sample of it too."""
    numbers = np.sort(np.array(SPREAD))
    assert set_aside(column("a", (numbers + 3).tolist()), numbers) == ROW_NUMBERS
    assert set_aside(column("a", (numbers * 2).tolist()), numbers) is None


def test_what_the_source_says_of_a_column_stands() -> None:
    """An index of pandas stays one, whatever its values."""
    from dataclasses import replace

    assert set_aside(replace(column("a", [0.5, 1.5]), aside=PANDAS)) == PANDAS


CALENDAR = [("month", True), ("Day", True), ("pickup_hour", True), ("day_of_week", True), ("monthly", False)]


@pytest.mark.parametrize(("name", "says_when"), CALENDAR)
def test_a_column_of_the_calendar_is_known_by_its_name(name: str, says_when: bool) -> None:
    """Months, days and hours say when, in any case and after other words."""
    assert is_calendar(column(name, [1, 2])) is says_when


def test_whole_numbers_may_be_stored_as_doubles() -> None:
    """A missing label makes a column floating, and an infinite one does not make it whole or not."""
    assert is_whole(pa.chunked_array([[1.0, None, float("inf")]]))
    assert not is_whole(pa.chunked_array([[1.0, 1.5]]))
    assert not is_whole(pa.chunked_array([["1"]]))
