"""Which rows a task's models are tested on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibc_report.common.errors import UsageError
from ibc_report.data import sources
from ibc_report.data.held_out import held_out, pinned
from ibc_report.data.sources import Rows
from ibc_report.data.task import Task


def written(folder: Path, **splits: int) -> Path:
    """A folder of CSV files, a split each, with some rows."""
    for name, count in splits.items():
        lines = ["a,label", *(f"{row},{'xy'[row % 2]}" for row in range(count))]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def found(folder: Path, test: str | None, *, split: str | None = None) -> Rows | None:
    """The test rows of a task on a folder."""
    task = Task.of(str(folder), test=test, split=split)
    return held_out(task, sources.load(str(folder), base=Path(), split=split), Path())


def test_the_test_split_is_found(tmp_path: Path) -> None:
    """Where a source has a split 'test', it is the one."""
    rows = found(written(tmp_path, train=8, test=3, validation=4), None)
    assert rows is not None
    assert (rows.origin.split, rows.count) == ("test", 3)


def test_a_validation_split_stands_in(tmp_path: Path) -> None:
    """Without a test split, the one for validation is taken."""
    rows = found(written(tmp_path, train=8, validation=4), None)
    assert rows is not None
    assert (rows.origin.split, rows.count) == ("validation", 4)


def test_none_is_taken_where_none_is_wanted(tmp_path: Path) -> None:
    """The word 'none' leaves the test split out, as does a task that is measured on the test split itself."""
    folder = written(tmp_path, train=8, test=3)
    assert found(folder, "none") is None
    assert found(folder, None, split="test") is None


def test_a_source_without_splits_has_none() -> None:
    """A built-in set is one table."""
    task = Task.of("builtin:iris")
    assert held_out(task, sources.load("builtin:iris", base=Path()), Path()) is None


def test_a_file_may_be_named(tmp_path: Path) -> None:
    """The test examples may lie in a file of their own, whose content pins them."""
    folder = written(tmp_path, first=8, second=5)
    task = Task.of("first.csv", test="second.csv")
    rows = held_out(task, sources.load("first.csv", base=folder), folder)
    assert rows is not None
    assert rows.count == 5
    before = pinned(task, folder)
    written(folder, second=6)
    assert before != pinned(task, folder)
    assert pinned(Task.of("first.csv"), folder) is None


def test_a_wrong_name_gets_the_nearest(tmp_path: Path) -> None:
    """A split that does not exist, or is the measured one, is refused."""
    folder = written(tmp_path, train=8, test=3)
    with pytest.raises(UsageError, match="no split or file 'tset' to test on; did you mean 'test'"):
        found(folder, "tset")
    with pytest.raises(UsageError, match="is what is measured"):
        found(folder, "train")
