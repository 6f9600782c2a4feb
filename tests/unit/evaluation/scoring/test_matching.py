"""Which example a row is of, where a file has several columns that could say it, or spells them otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ibc_report.common.errors import DataError, UsageError
from ibc_report.evaluation.scoring.answers import Answers, AnswerTable
from ibc_report.evaluation.scoring.columns import laid_out
from ibc_report.evaluation.scoring.matching import MatchedBy, SplitSize, placed
from tests.support.tables import column, table

N = 12

ORDER = [5, 3, 8, 0, 11, 1, 2, 4, 6, 7, 9, 10]

ROWS = table(
    column("id", [f"q{i}" for i in range(N)]),
    column("text", [f"text {i}" for i in range(N)]),
    column("label", ["a", "b"] * 6),
)


def answers(model: str = "m", key: str | None = None, **columns: Sequence[object]) -> list[Answers]:
    """What a file with these columns says; `saved` is the index that nobody named."""
    named = {"" if name == "saved" else name: list(values) for name, values in columns.items()}
    size = len(next(iter(named.values())))
    return laid_out(AnswerTable("a.csv", model, named | {"correct": [1] * size}), key=key)[0]


@pytest.mark.parametrize("name", ["id", "text"])
def test_columns_of_the_dataset_go_before_a_saved_index(name: str) -> None:
    """The index that a program saved with a shuffled table does not number the dataset's rows."""
    columns: dict[str, Any] = {name: [f"q{i}" if name == "id" else f"text {i}" for i in ORDER]}
    places, _, ways = placed(answers(saved=range(N), **columns), ROWS)
    assert places[0].tolist() == ORDER
    assert ways == [MatchedBy("column", name)]
    assert str(ways[0]) == f"column '{name}'"


@pytest.mark.parametrize("name", ["id", "text"])
def test_keys_that_disagree_are_refused(name: str) -> None:
    """A named index that contradicts the dataset's own column is refused, until the user says which is right."""
    values = [f"q{i}" if name == "id" else f"text {i}" for i in ORDER]
    columns: dict[str, Any] = {"index": list(range(N)), name: values}
    with pytest.raises(
        UsageError, match=rf"column '{name}' and row numbers in column 'index' say that \d+ rows .*--key"
    ):
        placed(answers(**columns), ROWS)
    assert placed(answers(key=name, **columns), ROWS)[0][0].tolist() == ORDER
    assert placed(answers(key="index", **columns), ROWS)[0][0].tolist() == list(range(N))


def test_keys_that_agree_help_each_other() -> None:
    """Where texts were edited and row numbers were not, the numbers find all rows."""
    texts = [f"text {i}" if i % 3 else "cut" for i in ORDER]
    places, _, ways = placed(answers(row=ORDER, text=texts), ROWS)
    assert places[0].tolist() == ORDER
    assert ways == [MatchedBy("numbers", "row")]
    assert str(ways[0]) == "row numbers in column 'row'"


def test_leading_zeros() -> None:
    """Ids are matched by their text, and else by their number, on either side."""
    padded = table(column("id", [f"{i:05}" for i in range(N)]), column("label", ["a", "b"] * 6))
    numbers = table(column("id", [i + 100 for i in range(N)]), column("label", ["a", "b"] * 6))
    assert placed(answers(id=[f"{i:05}" for i in ORDER]), padded)[0][0].tolist() == ORDER
    assert placed(answers(id=ORDER), padded)[0][0].tolist() == ORDER
    assert placed(answers(id=[f"{i + 100:05}" for i in ORDER]), numbers)[0][0].tolist() == ORDER
    assert placed([*answers("a", id=["007", "8"]), *answers("b", id=[8, 7])], None)[0][1].tolist() == [1, 0]
    assert placed([*answers("a", id=["007", "7"]), *answers("b", id=["7"])], None)[0][1].tolist() == [1]


def test_numbers_of_many_digits() -> None:
    """A row number of 5,000 digits is of no row."""
    keys = ["9" * 5000, *range(1, N)]
    assert placed(answers(row=keys), ROWS)[0][0][0] == -1
    assert placed(answers(row=keys), None, SplitSize("split 'test'", N, N))[0][0][0] == -1


def test_files_whose_keys_contradict_each_other() -> None:
    """Two models' files are not matched by an index where their ids say otherwise."""
    first = answers("a", index=[0, 1, 2], id=["x", "y", "z"])
    second = answers("b", index=[0, 1, 2], id=["z", "x", "y"])
    with pytest.raises(UsageError, match="columns 'index' and 'id' match rows of model 'b' to different rows"):
        placed([*first, *second], None)
    assert placed([*first, *answers("b", index=[2, 0, 1], id=["z", "x", "y"])], None)[0][1].tolist() == [2, 0, 1]


def test_row_numbers_within_the_split() -> None:
    """Of a split whose size a report knows, all rows are examples, and numbers beyond them are of none."""
    extent = SplitSize("split 'test'", 4, 4)
    places, examples, _ = placed(answers(row=[3, 4, -1, 0]), None, extent)
    assert places[0].tolist() == [3, -1, -1, 0]
    assert examples == ("0", "1", "2", "3")
    with pytest.raises(DataError, match="numbers rows from 1 to 4"):
        placed(answers(row=[1, 2, 3, 4]), None, extent)
    for found in (answers(id=list("abcde")), answers(text=list("abcde"))):
        with pytest.raises(DataError, match="the files name 5 examples, and split 'test' has 4"):
            placed(found, None, extent)
