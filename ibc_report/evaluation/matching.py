"""Which example a row of answers is of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.errors import DataError, UsageError
from ibc_report.evaluation.layouts import Answers, plain
from ibc_report.sources import Column, Rows
from ibc_report.wording import counted

__all__ = ["placed"]

_WHOLE = re.compile(r"-?\d+")


def placed(answers: Sequence[Answers], rows: Rows | None) -> tuple[list[NDArray[np.int64]], tuple[str, ...], list[str]]:
    """Find the example of each row.

    A file's key column is looked up in the source's column of the same name, where each row has a value of its own
    there; else it holds row numbers, from 0. Without a key column, a column of texts that the file and the source share
    does, or else the order of rows, where there are as many.

    Parameters
    ----------
    answers : sequence of Answers
        What files say of models.
    rows : Rows or None
        The examples; None where they are not at hand, and the examples are those that any model answers.

    Returns
    -------
    tuple
        For each of the answers the positions of its rows' examples, −1 for none; the examples' names; and how each
        was found, in words.

    Raises
    ------
    UsageError
        If rows cannot be told to be of examples.
    DataError
        If row numbers count from 1.
    """
    if rows is None:
        return _among_themselves(answers)
    numbers = rows.numbers if rows.numbers is not None else np.arange(rows.count)
    known: dict[str, dict[str, int]] = {}
    places, ways = [], []
    for one in answers:
        column, way = _matching_column(one, rows)
        if column is None and one.key is None:
            if len(one.values) != rows.count:
                split = f"split '{rows.origin.split}'" if rows.origin.split else rows.origin.source
                raise UsageError(
                    f"{one.file} has {counted(len(one.values), 'rows')} of model '{one.model}' and nothing to match "
                    f"them by, and {split} has {rows.count:,}; add a column 'row' with row numbers from 0, or name the "
                    "column to match by with --key"
                )
            places.append(np.arange(rows.count))
            ways.append("order")
            continue
        if column is None:
            assert one.key is not None
            keys = [plain(one.columns[one.key][line]) for line in one.lines]
            places.append(_by_number(keys, one, numbers, rows))
            ways.append(f"row numbers in column '{one.key}'")
            continue
        if column.name not in known:
            texts = [plain(value) for value in column.values.to_pylist()]
            known[column.name] = {text: position for position, text in enumerate(texts)}
        values = (plain(one.columns[way][line]) for line in one.lines)
        places.append(np.array([known[column.name].get(text, -1) for text in values], dtype=np.int64))
        ways.append(f"column '{column.name}'")
    return places, tuple(str(number) for number in numbers.tolist()), ways


def _among_themselves(
    answers: Sequence[Answers],
) -> tuple[list[NDArray[np.int64]], tuple[str, ...], list[str]]:
    """The examples are those that any of the files names."""
    if any(one.key is None for one in answers):
        sizes = {len(one.values) for one in answers}
        if len(sizes) > 1 or any(one.key is not None for one in answers):
            raise UsageError(
                "the files' rows cannot be matched to each other: not all of them have a column that says which "
                "example a row is of, or they differ in length; add a column 'row', or name one with --key"
            )
        size = sizes.pop()
        return [np.arange(size) for _ in answers], tuple(str(row) for row in range(size)), ["order"]
    known: dict[str, int] = {}
    places, ways = [], []
    for one in answers:
        assert one.key is not None
        texts = [plain(one.columns[one.key][line]) for line in one.lines]
        places.append(np.array([known.setdefault(text, len(known)) if text else -1 for text in texts], dtype=np.int64))
        ways.append(f"column '{one.key}'")
    return places, tuple(known), ways


def _matching_column(one: Answers, rows: Rows) -> tuple[Column | None, str]:
    """The dataset's column to match a file by, and the file's column that holds its values."""
    # by chance alone two tables hardly share a column of texts that are all different, as they may numbers
    kinds = ("string",) if one.key is None else ("string", "number")
    for column in rows.columns:
        shared = column.name == one.key if one.key is not None else column.name in one.columns
        if shared and column.kind in kinds and _distinct(column, rows.count):
            return column, column.name
    return None, ""


def _distinct(column: Column, count: int) -> bool:
    values: Any = column.values
    return values.null_count == 0 and len(values.unique()) == count


def _by_number(keys: Sequence[str], one: Answers, numbers: NDArray[np.int64], rows: Rows) -> NDArray[np.int64]:
    wrong = next((key for key in keys if key and not _WHOLE.fullmatch(key)), None)
    if wrong is not None:
        raise UsageError(
            f"{one.file}: column '{one.key}' holds '{wrong[:40]}', and {rows.origin.source} has no column of that "
            "name with a value of its own in each row to look it up in; give row numbers from 0, or name another "
            "column with --key"
        )
    known = {str(number): position for position, number in enumerate(numbers.tolist())}
    last = int(numbers[-1]) if len(numbers) else -1
    given = {int(key) for key in keys if key}
    if 0 not in given and last + 1 in given and last + 2 not in given:
        raise DataError(
            f"{one.file}: column '{one.key}' numbers rows from 1 to {last + 1:,}, and row numbers count from 0; "
            "subtract 1"
        )
    # leading zeros are not another row
    return np.array([known.get(str(int(key)), -1) if key else -1 for key in keys], dtype=np.int64)
