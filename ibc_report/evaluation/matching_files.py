"""Rows of answers matched to each other, where the examples are those that the files name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ibc_report.errors import DataError, UsageError
from ibc_report.evaluation.extent import Extent
from ibc_report.evaluation.layouts import ROW_NUMBERS, SAVED_INDEX, Answers, folded_name
from ibc_report.evaluation.spelling import exact, folded
from ibc_report.wording import counted

__all__ = ["among_themselves", "refuse_from_one"]

_NUMBER = re.compile(r"-?[0-9]+")

_Places = list[NDArray[np.int64]]


def among_themselves(answers: Sequence[Answers], extent: Extent | None) -> tuple[_Places, tuple[str, ...], list[str]]:
    """Match rows of several files to each other by their first key column, or by order.

    Parameters
    ----------
    answers : sequence of Answers
        What files say of models.
    extent : Extent or None
        How many examples there are: row numbers beyond them are of none.

    Returns
    -------
    tuple
        As `ibc_report.evaluation.matching.placed`.

    Raises
    ------
    UsageError
        If rows cannot be told to be of examples, or two key columns say different ones.
    DataError
        If row numbers count from 1, or the files name more examples than there are.
    """
    if any(one.key is None for one in answers):
        sizes = {len(one.values) for one in answers}
        if len(sizes) > 1 or any(one.key is not None for one in answers):
            raise UsageError(
                "the files' rows cannot be matched to each other: not all of them have a column that says which "
                "example a row is of, or they differ in length; add a column 'row', or name one with --key"
            )
        size = sizes.pop()
        _refuse_more(size, answers[0], extent)
        return [np.arange(size) for _ in answers], tuple(str(row) for row in range(size)), ["order"]
    keys = [_texts(one, str(one.key)) for one in answers]
    _refuse_contradictions(answers)
    apart = _spelled_apart(keys)
    ways = [f"column '{one.key}'" for one in answers]
    known: dict[str, int] = {}
    rows = None if extent is None else extent.rows
    places = []
    if extent is not None and rows == extent.usable and all(map(_numbers_rows, answers, keys)):
        known = {str(number): number for number in range(rows)}
    for one, texts in zip(answers, keys, strict=True):
        if rows is not None and _numbers_rows(one, texts):
            refuse_from_one(texts, one, str(one.key), rows - 1)
            names = [name if _below(name, rows) else "" for name in map(folded, texts)]
        else:
            names = [text if folded(text) in apart else folded(text) for text in texts]
        found = [known.setdefault(name, len(known)) if name else -1 for name in names]
        places.append(np.array(found, dtype=np.int64))
    _refuse_more(len(known), answers[0], extent)
    return places, tuple(known), ways


def refuse_from_one(keys: Sequence[str], one: Answers, column: str, last: int) -> None:
    """Refuse row numbers that count from 1, which are all off by one.

    Parameters
    ----------
    keys : sequence of str
        What the column holds.
    one : Answers
        Where it stands.
    column : str
        Its name.
    last : int
        The last row's number.

    Raises
    ------
    DataError
        If numbers go from 1 to one beyond the last.
    """
    given = {folded(key) for key in keys if key}
    if "0" not in given and str(last + 1) in given and str(last + 2) not in given:
        raise DataError(
            f"{one.file}: column '{column}' numbers rows from 1 to {last + 1:,}, and row numbers count from 0; "
            "subtract 1"
        )


def _texts(one: Answers, column: str) -> list[str]:
    return [exact(one.columns[column][line]) or "" for line in one.lines]


def _spelled_apart(keys: Sequence[Sequence[str]]) -> set[str]:
    """Meanings that one file has in several spellings, which are then several examples."""
    apart = set()
    for texts in keys:
        spelled: dict[str, str] = {}
        for text in texts:
            if spelled.setdefault(folded(text), text) != text:
                apart.add(folded(text))
    return apart


def _numbers_rows(one: Answers, texts: Sequence[str]) -> bool:
    return folded_name(str(one.key)) in ROW_NUMBERS and all(_NUMBER.fullmatch(folded(text)) for text in texts if text)


def _below(name: str, rows: int) -> bool:
    # numbers of many digits are beyond any row, and slow or forbidden to read
    return name.isdecimal() and len(name) <= len(str(rows)) and int(name) < rows


def _refuse_more(found: int, one: Answers, extent: Extent | None) -> None:
    if extent is not None and extent.rows is not None and found > extent.rows:
        raise DataError(
            f"{one.file}: the files name {counted(found, 'examples')}, and {extent.name} has {extent.rows:,}; give "
            "answers on that split"
        )


def _refuse_contradictions(answers: Sequence[Answers]) -> None:
    """Refuse two key columns of which each tells a file's rows apart, and that match the files' rows differently."""
    first = answers[0]
    shared = [key for key in first.keys if all(key in one.keys for one in answers)]
    for key in shared:
        if key == first.key or folded_name(key) in SAVED_INDEX or folded_name(str(first.key)) in SAVED_INDEX:
            continue
        meant: dict[str, str] = {}
        for one in answers:
            if one.key != first.key:
                return
            mine, other = _texts(one, str(one.key)), _texts(one, key)
            if len(set(mine)) < len(mine) or len(set(other)) < len(other):
                break
            if any(meant.setdefault(text, said) != said for text, said in zip(mine, other, strict=True)):
                raise UsageError(
                    f"{one.file}: columns '{one.key}' and '{key}' match rows of model '{one.model}' to different rows "
                    "of other models; say with --key which column is right"
                )
