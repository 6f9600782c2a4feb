"""The rows of a task, with what the user says of their columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibc_report.common.errors import UsageError
from ibc_report.data import reading
from ibc_report.data.task import Task
from tests.support.tables import column, table


def test_a_dropped_column_is_not_there() -> None:
    """--drop leaves a column out of inputs and targets alike; one that is not there is an error."""
    rows = table(column("a", [1]), column("b", [2]))
    assert [found.name for found in reading.prepared(rows, drop=("a",)).columns] == ["b"]
    with pytest.raises(UsageError, match="no column 'c'"):
        reading.prepared(rows, drop=("c",))


def test_numbers_are_categories_where_the_user_says_so() -> None:
    """--categorical makes strings of numbers as a table of text has them, and they stay so."""
    rows = table(column("a", [1.0, None, 2.5]), column("b", [True, False, None]), column("c", [[1], [2], [3]]))
    first, second, _ = reading.prepared(rows, categorical=("a", "b")).columns
    assert (first.kind, first.is_category, first.values.to_pylist()) == ("string", True, ["1", None, "2.5"])
    assert second.values.to_pylist() == ["true", "false", None]
    with pytest.raises(UsageError, match="column 'c' of here holds no values that could be categories"):
        reading.prepared(rows, categorical=("c",))


def test_what_columns_are_read_as_is_said_together() -> None:
    """Columns that are read in the same way are one note."""
    rows = table(column("a", ["1,000"]), column("b", ["2,000"]), column("c", ["x"]))
    found = reading.prepared(rows)
    assert found.notes == ("Columns of strings read as numbers with commas between thousands: a, b.",)


def test_a_task_says_how_its_file_is_read(tmp_path: Path) -> None:
    """The header, columns to drop and categories of a task hold for its source and for its own test file."""
    for name in ("train.csv", "test.csv"):
        (tmp_path / name).write_text("1,2,x\n3,4,y\n", encoding="utf-8")
    task = Task.of("train.csv", header=False, drop=("x2",), categorical=("x1",))
    for source in (None, "test.csv"):
        rows = reading.of_task(task, base=tmp_path, source=source)
        assert [(found.name, found.kind) for found in rows.columns] == [("x1", "string"), ("x3", "string")]
        assert rows.count == 2
