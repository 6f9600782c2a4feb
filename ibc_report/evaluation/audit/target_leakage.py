"""Inputs that give the answer away: a column that alone determines the target, also on rows that were held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import sampling
from ibc_report.data.examples import Examples
from ibc_report.data.sources import Column

__all__ = ["TargetLeak", "target_leaks"]

LEAST_HELD = 30
"""Held-out rows that a column has to be right on, all of them, before that is more than an easy task's luck."""

LEAST_ROWS = 20
"""Rows, held out or not, from which on a column with a value for each class is told."""

SAME = 0.9999
"""Correlation, of values or of their ranks, from which on a column is the target in another unit."""

SAMPLED = 10_000
"""Rows of each side that are looked at."""

NUMBERS = ("number", "boolean")

WORDS = ("class", "string", "date", *NUMBERS)

_Floats = NDArray[np.float64]

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TargetLeak:
    """An input column that alone determines the target.

    Parameters
    ----------
    held : int
        Rows that were held out, on all of which it is right.
    one_to_one : bool
        Whether it is the target in other words: a value for each class, or another unit.
    """

    name: str
    held: int
    one_to_one: bool


def target_leaks(train: Examples, test: Examples | None = None, *, seed: int = 0) -> tuple[TargetLeak, ...]:
    """Find the input columns that alone determine the target.

    A column does where each of its values goes with one answer, and all held-out rows have such a value and its
    answer; where its order sorts the classes into as few runs as there are classes; and, of numbers, where the nearest
    value of a training row gives all held-out rows their class, or where its correlation with a target of values is 1
    to four digits, of ranks or of values.

    Parameters
    ----------
    test : Examples, optional
        Rows of another split with the same columns and codes; half of the training rows are held out by default, and
        where no row of the other split is new. Rows whose inputs are those of a training row are never held out.

    Returns
    -------
    tuple of TargetLeak
        In the order of the columns. Pictures and vectors are not looked into.
    """
    learned, source, held = _sides(train, test, seed)
    answers = _answers(train)[learned], _answers(source)[held]
    if not len(answers[0]) or not len(answers[1]):
        return ()
    found = []
    for place, column in enumerate(train.columns):
        other = source.columns[place]
        if column.kind not in WORDS or other.kind not in WORDS:
            continue
        values = _taken(column, train.positions[learned]), _taken(other, source.positions[held])
        is_number = column.kind in NUMBERS and other.kind in NUMBERS
        told = _tells(values, answers, is_number=is_number, is_class=train.codes is not None)
        if told is not None:
            found.append(TargetLeak(column.name, len(answers[1]), told))
    return tuple(found)


def _sides(train: Examples, test: Examples | None, seed: int) -> tuple[_Ints, Examples, _Ints]:
    """Positions of the rows to learn from, what the held-out rows are of, and their positions in it."""
    if test is not None:
        new = np.flatnonzero(~np.isin(test.identities, train.identities))
        if len(new):
            every = np.arange(len(train.positions))
            return _sample(train, every, SAMPLED, seed), test, _sample(test, new, SAMPLED, seed)
    _, first = np.unique(train.identities, return_index=True)
    rows = _sample(train, np.sort(first), SAMPLED, seed)
    held = _sample(train, rows, len(rows) // 2, seed)
    return np.setdiff1d(rows, held), train, held


def _sample(examples: Examples, positions: _Ints, most: int, seed: int) -> _Ints:
    """Sample some rows by their keys."""
    keys = examples.encoded.rows
    return np.searchsorted(keys, sampling.chosen(keys[positions], most, seed))


def _answers(examples: Examples) -> NDArray[Any]:
    answers = examples.codes if examples.codes is not None else examples.values
    assert answers is not None
    return answers


def _taken(column: Column, positions: _Ints) -> list[Any]:
    return list(column.values.take(positions).to_pylist())


def _tells(
    values: tuple[list[Any], list[Any]], answers: tuple[NDArray[Any], NDArray[Any]], *, is_number: bool, is_class: bool
) -> bool | None:
    """Whether a column that determines the answers does so one to one; None where it does not determine them."""
    known: dict[Any, Any] = {}
    pure = all(known.setdefault(value, answer) == answer for value, answer in zip(values[0], answers[0], strict=True))
    if pure and all(known.get(value) == answer for value, answer in zip(values[1], answers[1], strict=True)):
        one_to_one = len(known) == len(set(known.values()))
        if one_to_one and len(answers[0]) + len(answers[1]) >= LEAST_ROWS:
            return True
        if len(answers[1]) >= LEAST_HELD:
            return False
    both = [*values[0], *values[1]]
    if is_class and len(both) >= LEAST_HELD and _in_runs(both, np.concatenate(answers)):
        return False
    if not is_number or len(answers[1]) < LEAST_HELD:
        return None
    numbers = tuple(np.array([np.nan if one is None else float(one) for one in part]) for part in values)
    if not all(np.isfinite(part).all() for part in numbers):
        return None
    if is_class:
        return False if pure and _nearest_right(numbers[0], answers[0], numbers[1], answers[1]) else None
    return True if all(_same(part, answer) for part, answer in zip(numbers, answers, strict=True)) else None


def _in_runs(values: list[Any], codes: _Ints) -> bool:
    """Whether the classes, in the order of the values, are as few runs as there are classes."""
    if any(value is None or value != value for value in values):
        return False
    order = sorted(range(len(values)), key=lambda place: (values[place], codes[place]))
    ordered = codes[order]
    starts = np.flatnonzero(np.diff(ordered)) + 1
    if len(starts) + 1 != len(np.unique(codes)):
        return False
    # a value that two classes share decides between them for neither
    return all(values[order[start - 1]] != values[order[start]] for start in starts)


def _nearest_right(train: _Floats, codes: _Ints, test: _Floats, truth: _Ints) -> bool:
    order = np.argsort(train, kind="stable")
    ordered = train[order]
    after = (
        np.clip(np.searchsorted(ordered, test), 1, len(ordered) - 1) if len(ordered) > 1 else np.zeros(len(test), int)
    )
    before = np.maximum(after - 1, 0)
    nearest = np.where(test - ordered[before] <= ordered[after] - test, before, after)
    return bool((codes[order][nearest] == truth).all())


def _same(values: _Floats, target: _Floats) -> bool:
    return max(_correlation(values, target), _correlation(_ranks(values), _ranks(target))) >= SAME


def _ranks(values: _Floats) -> _Floats:
    """Ranks; equal values have the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(ranks[places], dtype=np.float64)


def _correlation(first: _Floats, second: _Floats) -> float:
    # halves of the largest, so that no square of a huge value overflows
    first, second = (values / 2 / np.abs(values).max(initial=1.0) for values in (first, second))
    a, b = first - first.mean(), second - second.mean()
    scale = np.sqrt(a @ a) * np.sqrt(b @ b)
    return float(abs(a @ b) / scale) if scale > 0 else 0.0
