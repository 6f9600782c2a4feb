"""Rows that give an example again: ways of reading an answer in one file, and one model's name in several files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import UsageError, choices, suggested
from ibc_report.evaluation.scoring.answers import Answers, AnswerTable
from ibc_report.evaluation.scoring.spelling import exact, folded

__all__ = ["apart_by_column", "named_by_files", "where"]

MOST_VALUES = 20
"""Values that a column has at most whose values give every example again."""

MORE = 1.01
"""Rows of each example, on average, up to which repeated ones are put up with."""

MOST_APART = 0.5
"""Share of a file's examples from which on two files of one model's name are two sets of answers."""

_Places = NDArray[np.int64]


def where(
    tables: Sequence[AnswerTable], chosen: Sequence[tuple[str, str]], *, may_lack: bool = False
) -> list[AnswerTable]:
    """Keep the rows that have given values in given columns; files without a column are kept whole.

    Parameters
    ----------
    chosen : sequence of tuple of str
        Columns and values; of several values of one column any does.
    may_lack : bool
        Whether all of the files may lack a column.

    Raises
    ------
    UsageError
        If no file has a column, or a file that has it has no such value.

    Examples
    --------
    >>> table = AnswerTable("a.csv", "a", {"filter": ["strict", "loose", "strict"], "acc": [1, 1, 0]})
    >>> where([table], [("filter", "strict")])[0].lines
    (0, 2)
    """
    kept = list(tables)
    for column in dict.fromkeys(name for name, _ in chosen):
        values = [value for name, value in chosen if name == column]
        if not may_lack and not any(column in table.columns for table in kept):
            known = dict.fromkeys(name for table in kept for name in table.columns)
            raise UsageError(f"{tables[0].name} has no column '{column}' to choose rows by; {choices(column, known)}")
        kept = [_of_values(table, column, values) if column in table.columns else table for table in kept]
    return kept


def _of_values(table: AnswerTable, column: str, values: Sequence[str]) -> AnswerTable:
    said = {line: folded(exact(table.columns[column][line]) or "") for line in table.lines}
    for value in values:
        if folded(value) not in said.values():
            known = suggested(value, (text for text in said.values() if text))
            raise UsageError(f"{table.name} has no row with '{value}' in column '{column}'; {known}")
    meant = {folded(value) for value in values}
    return replace(table, kept=tuple(line for line, text in said.items() if text in meant))


def apart_by_column(one: Answers) -> list[Answers]:
    """Take each value of a column whose values give every example again as a model of its own.

    So does lm-evaluation-harness write what several filters make of one answer, and others several prompts or seeds.
    Where no column, nor a pair of columns, tells the repeated rows apart, they stay as they are.

    Returns
    -------
    list of Answers
        One for each value, in the order of their first rows, with a note that says so.

    Examples
    --------
    >>> columns = {"row": [0, 0, 1, 1], "filter": ["a", "b", "a", "b"]}
    >>> one = Answers("m", "m.csv", "correct", (True, False, True, True), (0, 1, 2, 3), columns, "row", None, ("row",))
    >>> [(part.model, part.values) for part in apart_by_column(one)]
    [('m (a)', (True, True)), ('m (b)', (False, True))]
    """
    again = ""
    for identity, ids in _identities(one):
        distinct = len(set(ids))
        if distinct < 2 or len(ids) <= MORE * distinct:
            continue
        columns = {
            name: texts for name in one.columns if name not in (identity, one.split) and (texts := _few(one, name))
        }
        for number in (1, 2):
            for names in combinations(columns, number):
                values = list(zip(*(columns[name] for name in names), strict=True))
                if len(set(values)) > MOST_VALUES or not _tells_apart(ids, values):
                    continue
                if min(Counter(values).values()) > distinct / 2:
                    return _parts(one, names, values)
                said = "; ".join(", ".join(value) for value in dict.fromkeys(values))
                again = again or f"{said} in {_columns(names)}: take one {_option(names, values[0])}"
    return [replace(one, again=again)]


def _identities(one: Answers) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Columns that may say which example a row is of, with what they say: the keys, or else texts."""
    splits = _texts(one, one.split) if one.split is not None else [""] * len(one.lines)
    for column in one.keys or one.columns:
        is_text = all(isinstance(one.columns[column][line], str) for line in one.lines)
        if column not in (one.column, one.split) and (one.keys or is_text):
            ids = _texts(one, column)
            if all(ids):
                yield column, list(zip(splits, ids, strict=True))


def _texts(one: Answers, column: str) -> list[str]:
    return [folded(exact(one.columns[column][line]) or "") for line in one.lines]


def _few(one: Answers, column: str) -> list[str] | None:
    """The values of a column that has two or a few; None for another, and for one of answers or measurements."""
    values = [one.columns[column][line] for line in one.lines]
    if column == one.column or not all(isinstance(value, str | int | float) for value in values):
        return None
    if any(isinstance(value, float) and not value.is_integer() for value in values):
        return None
    texts = _texts(one, column)
    return texts if all(texts) and 2 <= len(set(texts)) <= MOST_VALUES else None


def _tells_apart(ids: Sequence[tuple[str, str]], values: Sequence[tuple[str, ...]]) -> bool:
    """Whether each example has each value once at most."""
    return len(set(zip(ids, values, strict=True))) == len(ids)


def _columns(names: Sequence[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {' and '.join(repr(name) for name in names)}"


def _option(names: Sequence[str], values: Sequence[str]) -> str:
    return "with " + " ".join(f"--where {name}={value}" for name, value in zip(names, values, strict=True))


def _parts(one: Answers, names: Sequence[str], values: Sequence[tuple[str, ...]]) -> list[Answers]:
    option = _option(names, values[0])
    called = {value: ", ".join(value) for value in dict.fromkeys(values)}
    note = (
        f"{one.file} gives the examples again for {len(called)} values of {_columns(names)}: "
        f"{'; '.join(called.values())}. Each is taken as a model of its own; take one {option}."
    )
    return [
        replace(_taken(one, [place for place, own in enumerate(values) if own == value]), model=name, notes=notes)
        for (value, said), notes in zip(called.items(), _once((*one.notes, note), len(called)), strict=True)
        for name in [f"{one.model} ({said})"]
    ]


def _once(notes: tuple[str, ...], parts: int) -> list[tuple[str, ...]]:
    """Notes for the first part, and none for the others."""
    return [notes, *[()] * (parts - 1)]


def _taken(one: Answers, places: Iterable[int]) -> Answers:
    chosen = list(places)
    return replace(one, values=tuple(one.values[i] for i in chosen), lines=tuple(one.lines[i] for i in chosen))


def named_by_files(answers: Sequence[Answers], places: Sequence[_Places]) -> list[Answers]:
    """Call a model by its files where several give answers of its name on the same examples.

    Files that share few examples are parts of one set of answers, and stay one model.

    Parameters
    ----------
    places : sequence of ndarray of int64
        Of the answers, the positions of their examples; −1 for none.
    """
    named = list(answers)
    for model in dict.fromkeys(one.model for one in answers):
        own = [number for number, one in enumerate(answers) if one.model == model]
        files = list(dict.fromkeys(answers[number].file for number in own))
        found = {file: {*_found(answers, places, file, own)} for file in files}
        if len(files) < 2 or not any(
            len(found[first] & found[second]) > MOST_APART * max(1, min(len(found[first]), len(found[second])))
            for first, second in combinations(files, 2)
        ):
            continue
        alone = all(one.model == model or one.file not in files for one in answers)
        for number in own:
            called = answers[number].called
            named[number] = replace(answers[number], model=called if alone else f"{model} ({called})")
        note = (
            f"'{model}' has answers to the same examples in {len(files)} files, and each file is taken as a model: "
            f"{', '.join(dict.fromkeys(named[number].model for number in own))}."
        )
        named[own[0]] = replace(named[own[0]], notes=(*named[own[0]].notes, note))
    return named


def _found(answers: Sequence[Answers], places: Sequence[_Places], file: str, own: Iterable[int]) -> Iterator[int]:
    for number in own:
        if answers[number].file == file:
            yield from places[number][places[number] >= 0].tolist()
