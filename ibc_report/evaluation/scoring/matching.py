"""Which example a row of answers is of, and rows of answers matched to each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import DataError, UsageError
from ibc_report.common.wording import counted, percent
from ibc_report.data.sources import Column, Rows
from ibc_report.evaluation.scoring.answers import Answers, Score
from ibc_report.evaluation.scoring.columns import ROW_NUMBERS, SAVED_INDEX, folded_name
from ibc_report.evaluation.scoring.spelling import ClassNames, exact, folded

__all__ = ["MatchedBy", "SplitSize", "placed"]

_WHOLE = re.compile(r"-?[0-9]+")

_Placed = tuple[list[NDArray[np.int64]], tuple[str, ...], list["MatchedBy"]]


@dataclass(frozen=True, slots=True)
class MatchedBy:
    """What rows of answers found their examples by.

    Parameters
    ----------
    kind : {"column", "numbers", "order"}
        A column whose values are the examples' own, one of row numbers from 0, or the order of the rows.
    column : str
        Its name; empty for the order.
    """

    kind: Literal["column", "numbers", "order"]
    column: str = ""

    def __str__(self) -> str:
        return {
            "column": f"column '{self.column}'",
            "numbers": f"row numbers in column '{self.column}'",
            "order": "order",
        }[self.kind]


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to find the examples of rows, and where it leads; −1 for nowhere."""

    by: MatchedBy
    places: NDArray[np.int64]

    @property
    def found(self) -> int:
        return int(np.count_nonzero(self.places >= 0))


def placed(answers: Sequence[Answers], rows: Rows | None, extent: SplitSize | None = None) -> _Placed:
    """Find the example of each row.

    Columns of a file are looked up in the source's columns of the same names where each row has a value of its own
    there: those that usually name examples, or that the user names, and texts. A value is that of the very text, else
    the only one that means the same. Another key column holds row numbers, from 0. Of several ways the one that finds
    most examples is taken, and columns of the source go before row numbers. Without any, the order of rows does, where
    there are as many.

    Parameters
    ----------
    rows : Rows or None
        The examples; None where they are not at hand, and the examples are those that any model answers.
    extent : SplitSize, optional
        How many there are, where they are not at hand.

    Returns
    -------
    tuple
        For each of the answers the positions of its rows' examples, −1 for none; the examples' names; and what each
        was found by.

    Raises
    ------
    UsageError
        If rows cannot be told to be of examples, or two columns say different ones.
    DataError
        If row numbers count from 1.
    """
    if rows is None:
        return _among_themselves(answers, extent)
    numbers = rows.numbers if rows.numbers is not None else np.arange(rows.count)
    known: dict[str, ClassNames] = {}
    chosen = [_way(one, rows, numbers, known) for one in answers]
    _refuse_other_orders([one for one, way in zip(answers, chosen, strict=True) if way.by.kind == "order"], rows)
    return [way.places for way in chosen], tuple(map(str, numbers.tolist())), [way.by for way in chosen]


def _way(one: Answers, rows: Rows, numbers: NDArray[np.int64], known: dict[str, ClassNames]) -> _Way:
    columns = _columns(one, rows)
    ways = [_by_column(column, one, known) for column in columns]
    others = _other_keys(one, rows, columns)
    if not ways and not others:
        return _in_order(one, rows)
    if not ways:
        first, *others = others
        _refuse_from_one(_keys(one, first), one, first, int(numbers[-1]) if len(numbers) else -1)
        ways = [_by_number(first, one, numbers, rows)]
    # what a program saved of its own accord is no key that anybody chose
    chosen = [key for key in others if folded_name(key) not in SAVED_INDEX and key not in _names(rows)]
    ways += [_by_number(key, one, numbers, rows) for key in chosen if _wrong_number(_keys(one, key)) is None]
    return _agreed(ways, one)


def _agreed(ways: Sequence[_Way], one: Answers) -> _Way:
    """The way that finds most examples, refused where another finds different ones."""
    best = max(ways, key=lambda way: way.found)
    for way in ways:
        differing = np.flatnonzero((way.places >= 0) & (best.places >= 0) & (way.places != best.places))
        if len(differing):
            raise UsageError(
                f"{one.file}: {best.by} and {way.by} say that {len(differing):,} rows of model '{one.model}' are "
                f"of different examples, the first is row {one.lines[differing[0]] + 1:,}; say with --key which column "
                "is right"
            )
    return best


def _by_column(column: Column, one: Answers, known: dict[str, ClassNames]) -> _Way:
    if column.name not in known:
        known[column.name] = ClassNames.of(exact(value) or "" for value in column.values.to_pylist())
    places = [known[column.name].find(key) if key else -1 for key in _keys(one, column.name)]
    return _Way(MatchedBy("column", column.name), np.array(places, dtype=np.int64))


def _other_keys(one: Answers, rows: Rows, columns: Sequence[Column]) -> list[str]:
    """Key columns to take as row numbers: those that were not looked up, the ones a program saved last."""
    looked_up = {column.name for column in columns}
    others = [key for key in one.keys if key not in looked_up]
    return sorted(others, key=lambda key: (key in _names(rows), folded_name(key) in SAVED_INDEX))


def _in_order(one: Answers, rows: Rows) -> _Way:
    if len(one.values) == rows.count:
        return _Way(MatchedBy("order"), np.arange(rows.count))
    split = f"split '{rows.origin.split}'" if rows.origin.split else rows.origin.source
    if one.headless:
        raise UsageError(
            f"{one.file} has {counted(len(one.values), 'lines')}, and {split} has {counted(rows.count, 'rows')}: "
            "labels alone need one line for each row, in their order; or add a column 'row' with row numbers from 0"
        )
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
    return _Way(MatchedBy("numbers", key), np.array(places, dtype=np.int64))


def _among_themselves(answers: Sequence[Answers], extent: SplitSize | None) -> _Placed:
    """Match rows of several files to each other by their first key column, or by order."""
    if any(one.key is None for one in answers):
        column = _shared_texts(answers)
        if column is None:
            return _all_in_order(answers, extent)
        answers = [replace(one, key=column, keys=(column,)) for one in answers]
    keys = [_keys(one, str(one.key)) for one in answers]
    _refuse_contradictions(answers)
    apart = _spelled_apart(keys)
    known = _row_numbers(answers, keys, extent)
    places = []
    for one, texts in zip(answers, keys, strict=True):
        names = _example_names(one, texts, apart, None if extent is None else extent.rows)
        found = [known.setdefault(name, len(known)) if name else -1 for name in names]
        places.append(np.array(found, dtype=np.int64))
    _refuse_more(len(known), answers[0], extent)
    return places, tuple(known), [MatchedBy("column", str(one.key)) for one in answers]


def _refuse_other_orders(answers: Sequence[Answers], rows: Rows) -> None:
    """Refuse to take files by the order of rows whose texts are the same in another order."""
    column = _shared_texts(answers) if len(answers) > 1 else None
    if column is None:
        return
    first, *others = ([one.columns[column][line] for line in one.lines] for one in answers)
    for one, texts in zip(answers[1:], others, strict=True):
        if texts != first:
            raise UsageError(
                f"{answers[0].file} and {one.file} have the texts of column '{column}' in different orders, and "
                f"{rows.origin.source} has no such column to match them by; add a column 'row' with row numbers from 0"
            )


def _shared_texts(answers: Sequence[Answers]) -> str | None:
    """A column of texts that are the same in all files, a text of its own in each row, as of prompts; None for none."""
    first, *others = answers
    if not others or any(one.key is not None for one in answers):
        return None
    for column in first.columns:
        texts = [one.columns.get(column) for one in answers]
        if any(values is None for values in texts):
            continue
        own = [[values[line] for line in one.lines] for one, values in zip(answers, texts, strict=True) if values]
        if all(all(isinstance(text, str) and text.strip() for text in each) for each in own):
            said = [set(each) for each in own]
            if all(len(of) == len(each) and of == said[0] for of, each in zip(said, own, strict=True)):
                return column
    return None


def _all_in_order(answers: Sequence[Answers], extent: SplitSize | None) -> _Placed:
    sizes = {len(one.values) for one in answers}
    if len(sizes) > 1 or any(one.key is not None for one in answers):
        raise UsageError(
            "the files' rows cannot be matched to each other: not all of them have a column that says which "
            "example a row is of, or they differ in length; add a column 'row', or name one with --key"
        )
    size = sizes.pop()
    _refuse_more(size, answers[0], extent)
    return [np.arange(size) for _ in answers], tuple(str(row) for row in range(size)), [MatchedBy("order")]


def _row_numbers(answers: Sequence[Answers], keys: Sequence[Sequence[str]], extent: SplitSize | None) -> dict[str, int]:
    """All rows of a split of known size, where all files number them and each row is an example; else none."""
    if extent is None or extent.rows != extent.usable or not all(map(_numbers_rows, answers, keys)):
        return {}
    return {str(number): number for number in range(extent.usable)}


def _example_names(one: Answers, texts: Sequence[str], apart: set[str], rows: int | None) -> list[str]:
    """What files call the example of each row, alike where they mean the same; empty for none."""
    if rows is not None and _numbers_rows(one, texts):
        _refuse_from_one(texts, one, str(one.key), rows - 1)
        return [name if _below(name, rows) else "" for name in map(folded, texts)]
    return [text if folded(text) in apart else folded(text) for text in texts]


def _refuse_from_one(keys: Sequence[str], one: Answers, column: str, last: int) -> None:
    """Refuse row numbers from 1 to one beyond the last row's, which are all off by one."""
    given = {folded(key) for key in keys if key}
    if "0" not in given and str(last + 1) in given and str(last + 2) not in given:
        raise DataError(
            f"{one.file}: column '{column}' numbers rows from 1 to {last + 1:,}, and row numbers count from 0; "
            "subtract 1"
        )


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
    return folded_name(str(one.key)) in ROW_NUMBERS and all(_WHOLE.fullmatch(folded(text)) for text in texts if text)


def _below(name: str, rows: int) -> bool:
    # numbers of many digits are beyond any row, and slow or forbidden to read
    return name.isdecimal() and len(name) <= len(str(rows)) and int(name) < rows


def _refuse_more(found: int, one: Answers, extent: SplitSize | None) -> None:
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
            mine, other = _keys(one, str(one.key)), _keys(one, key)
            if len(set(mine)) < len(mine) or len(set(other)) < len(other):
                break
            if any(meant.setdefault(text, said) != said for text, said in zip(mine, other, strict=True)):
                raise UsageError(
                    f"{one.file}: columns '{one.key}' and '{key}' match rows of model '{one.model}' to different rows "
                    "of other models; say with --key which column is right"
                )


@dataclass(frozen=True, slots=True)
class SplitSize:
    """The size of a split.

    Parameters
    ----------
    usable : int
        Examples that have a label.
    rows : int or None
        Rows, those without a label among them; None where they were not counted.
    """

    name: str
    usable: int
    rows: int | None

    def refuse_others(self, scores: Sequence[Score], most: float) -> None:
        """Refuse published accuracies on another number of examples.

        Parameters
        ----------
        most : float
            Share of the examples that may be missing.

        Raises
        ------
        DataError
            If a score is of more examples than there are, or of too few.
        """
        for score in scores:
            share = (self.usable - score.n) / self.usable
            if self.rows is not None and score.n > self.rows:
                raise DataError(
                    f"model '{score.model}': the score is of {score.n:,} examples, and {self.name} has {self.rows:,}; "
                    "give a score on that split"
                )
            if share > most:
                raise DataError(
                    f"model '{score.model}': the score is of {score.n:,} of the {self.usable:,} examples of "
                    f"{self.name}; that leaves out {percent(share)}, and {percent(most)} is allowed: give a score on "
                    "all of them, or allow more with --max-unmatched"
                )
