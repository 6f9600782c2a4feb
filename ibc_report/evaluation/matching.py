"""Which example a row of answers is of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.errors import UsageError
from ibc_report.evaluation.extent import Extent
from ibc_report.evaluation.layouts import SAVED_INDEX, Answers, folded_name
from ibc_report.evaluation.matching_files import among_themselves, refuse_from_one
from ibc_report.evaluation.spelling import Names, exact, folded
from ibc_report.sources import Column, Rows
from ibc_report.wording import counted

__all__ = ["placed"]

_WHOLE = re.compile(r"-?[0-9]+")


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to find the examples of rows: in words, and where it leads; −1 for nowhere."""

    said: str
    places: NDArray[np.int64]

    @property
    def found(self) -> int:
        return int(np.count_nonzero(self.places >= 0))


def placed(
    answers: Sequence[Answers], rows: Rows | None, extent: Extent | None = None
) -> tuple[list[NDArray[np.int64]], tuple[str, ...], list[str]]:
    """Find the example of each row.

    Columns of a file are looked up in the source's columns of the same names where each row has a value of its own
    there: those that usually name examples, or that the user names, and texts. A value is that of the very text, else
    the only one that means the same. Another key column holds row numbers, from 0. Of several ways the one that finds
    most examples is taken, and columns of the source go before row numbers. Without any, the order of rows does, where
    there are as many.

    Parameters
    ----------
    answers : sequence of Answers
        What files say of models.
    rows : Rows or None
        The examples; None where they are not at hand, and the examples are those that any model answers.
    extent : Extent, optional
        How many there are, where they are not at hand.

    Returns
    -------
    tuple
        For each of the answers the positions of its rows' examples, −1 for none; the examples' names; and how each
        was found, in words.

    Raises
    ------
    UsageError
        If rows cannot be told to be of examples, or two columns say different ones.
    DataError
        If row numbers count from 1.
    """
    if rows is None:
        return among_themselves(answers, extent)
    numbers = rows.numbers if rows.numbers is not None else np.arange(rows.count)
    known: dict[str, Names] = {}
    chosen = [_way(one, rows, numbers, known) for one in answers]
    return [way.places for way in chosen], tuple(map(str, numbers.tolist())), [way.said for way in chosen]


def _way(one: Answers, rows: Rows, numbers: NDArray[np.int64], known: dict[str, Names]) -> _Way:
    ways, columns = [], _columns(one, rows)
    for column in columns:
        if column.name not in known:
            known[column.name] = Names.of(exact(value) or "" for value in column.values.to_pylist())
        keys = _keys(one, column.name)
        places = [known[column.name].find(key) if key else -1 for key in keys]
        ways.append(_Way(f"column '{column.name}'", np.array(places, dtype=np.int64)))
    looked_up = {column.name for column in columns}
    others = [key for key in one.keys if key not in looked_up]
    others.sort(key=lambda key: (key in _names(rows), folded_name(key) in SAVED_INDEX))
    if not ways and not others:
        return _in_order(one, rows)
    if not ways:
        refuse_from_one(_keys(one, others[0]), one, others[0], int(numbers[-1]) if len(numbers) else -1)
        ways = [_by_number(others[0], one, numbers, rows)]
        others = others[1:]
    # what a program saved of its own accord is no key that anybody chose
    others = [key for key in others if folded_name(key) not in SAVED_INDEX and key not in _names(rows)]
    ways += [_by_number(key, one, numbers, rows) for key in others if _wrong_number(_keys(one, key)) is None]
    best = max(ways, key=lambda way: way.found)
    for way in ways:
        differing = np.flatnonzero((way.places >= 0) & (best.places >= 0) & (way.places != best.places))
        if len(differing):
            raise UsageError(
                f"{one.file}: {best.said} and {way.said} say that {len(differing):,} rows of model '{one.model}' are "
                f"of different examples, the first is row {one.lines[differing[0]] + 1:,}; say with --key which column "
                "is right"
            )
    return best


def _in_order(one: Answers, rows: Rows) -> _Way:
    if len(one.values) == rows.count:
        return _Way("order", np.arange(rows.count))
    split = f"split '{rows.origin.split}'" if rows.origin.split else rows.origin.source
    raise UsageError(
        f"{one.file} has {counted(len(one.values), 'rows')} of model '{one.model}' and nothing to match them by, and "
        f"{split} has {rows.count:,}; add a column 'row' with row numbers from 0, or name the column to match by with "
        "--key"
    )


def _columns(one: Answers, rows: Rows) -> list[Column]:
    """The source's columns to match a file by, those that usually name examples first."""
    found = []
    for column in rows.columns:
        is_key = column.name in one.keys
        # by chance alone two tables hardly share a column of texts that are all different, as they may numbers
        kinds = ("string", "number") if is_key else ("string",)
        shared = is_key or (not one.named and column.name in one.columns)
        if shared and column.kind in kinds and _distinct(column, rows.count):
            found.append(column)
    return sorted(found, key=lambda column: column.name not in one.keys)


def _distinct(column: Column, count: int) -> bool:
    values: Any = column.values
    return values.null_count == 0 and len(values.unique()) == count


def _names(rows: Rows) -> set[str]:
    return {column.name for column in rows.columns}


def _keys(one: Answers, column: str) -> list[str]:
    return [exact(one.columns[column][line]) or "" for line in one.lines]


def _wrong_number(keys: Sequence[str]) -> str | None:
    return next((key for key in keys if key and not _WHOLE.fullmatch(folded(key))), None)


def _by_number(key: str, one: Answers, numbers: NDArray[np.int64], rows: Rows) -> _Way:
    keys = _keys(one, key)
    wrong = _wrong_number(keys)
    if wrong is not None:
        raise UsageError(
            f"{one.file}: column '{key}' holds '{wrong[:40]}', and {rows.origin.source} has no column of that name "
            "with a value of its own in each row to look it up in; give row numbers from 0, or name another column "
            "with --key"
        )
    known = {str(number): position for position, number in enumerate(numbers.tolist())}
    # leading zeros are not another row
    places = [known.get(folded(text), -1) if text else -1 for text in keys]
    return _Way(f"row numbers in column '{key}'", np.array(places, dtype=np.int64))
