"""A training and a test split in one space of features, with one list of classes.

Pixels and stored vectors mean the same in every split, so the test split is encoded by itself. What an encoder of
texts or tables learns from its rows (weights of n-grams, means, categories) is learned anew from both splits together,
without their targets, so that a distance between the two means what one within them does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ibc_report.common.errors import DataError
from ibc_report.data import encoders, targets
from ibc_report.data.encoders import Options, Progress, silent
from ibc_report.data.examples import Examples, gather, identities, keys_of, ordered
from ibc_report.data.sources import Column, Rows

__all__ = ["KnownRows", "Splits", "take_together", "with_whole"]

KEPT = ("size", "mode", "bands", "frames", "top")
"""Settings of those that follow from the training split and hold for the test split."""

STANDALONE = ("image", "audio", "vector")
"""Encoders whose vectors do not depend on the other rows."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownRows:
    """The rows of a training split, as far as they are known: all of them, or those of a sample.

    Parameters
    ----------
    identities, rows : ndarray, shape (n,)
        Hashes of their inputs, and their row numbers.
    codes, values : ndarray or None
        Their classes among `names`, or their targets.
    is_whole : bool
        Whether the split has no other row.
    """

    identities: NDArray[np.uint64]
    rows: NDArray[np.int64]
    codes: NDArray[np.int64] | None
    values: NDArray[np.float64] | None
    names: tuple[str, ...]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Splits:
    """Two splits whose vectors and class codes mean the same.

    Parameters
    ----------
    train, test : Examples
        A class of the test split that the training split lacks has a code beyond those of the training split.
    names : tuple of str
        Names of all classes; empty for a regression.
    refitted : bool
        Whether the features were learned anew from both splits, so that `train` is not what the card measured.
    whole : KnownRows, optional
        All rows of the training split, where `train` is a sample of them.
    """

    train: Examples
    test: Examples
    names: tuple[str, ...]
    refitted: bool
    whole: KnownRows | None = None

    @property
    def known(self) -> KnownRows:
        """The training rows that a test row is compared with by its inputs."""
        train = self.train
        own = KnownRows(
            train.identities, train.numbers, train.codes, train.values, self.names, is_whole=not train.sampled
        )
        return self.whole or own


def with_whole(splits: Splits, rows: Rows) -> Splits:
    """Add all rows of a training split to a sample of it, without encoding them.

    Parameters
    ----------
    rows : Rows
        Of the whole training split.
    """
    train = splits.train
    columns = tuple(_like(rows.column(column.name), column) for column in train.columns)
    used = tuple(column for column in columns if column.name in train.encoded.inputs)
    as_classes = train.codes is not None
    answer = targets.read(rows.column(train.target), kind="classes" if as_classes else "values")
    # of equal inputs with several targets the first by its key counts, wherever they stand
    usable, _ = ordered(columns, answer, np.flatnonzero(answer.usable))
    names = (*splits.names, *(name for name in answer.names if name not in splits.names))
    places = np.array([names.index(name) for name in answer.names], dtype=np.int64)
    numbers = rows.numbers if rows.numbers is not None else np.arange(rows.count)
    known = KnownRows(
        identities(used, usable),
        numbers[usable],
        places[answer.codes[usable]] if as_classes else None,
        None if as_classes else answer.values[usable],
        names,
        is_whole=True,
    )
    return replace(splits, whole=known)


def _like(column: Column, other: Column) -> Column:
    """A column stored as another one of the same meaning is, so that equal values have equal hashes."""
    if column.values.type == other.values.type:
        return column
    return replace(column, values=_named(column).values.cast(other.values.type))


def take_together(
    train_rows: Rows,
    test_rows: Rows,
    train: Examples,
    *,
    kind: Literal["classes", "values"] | None,
    encoder: str | None,
    seed: int = 0,
    progress: Progress = silent,
) -> Splits:
    """Encode a test split so that it compares with its training split.

    Parameters
    ----------
    kind : {"classes", "values"} or None
        How the user asked to take the target.
    encoder : str or None
        Encoder that the user asked for, with settings.

    Raises
    ------
    UsageError
        If the test split lacks a column that the training split has.
    DataError
        If no row of the test split has a usable target and usable inputs.
    """
    name = train.encoded.name
    if name in STANDALONE:
        return _test_alone(train_rows, test_rows, train, kind, progress)
    count = train_rows.count
    inputs = train.encoded.inputs
    columns = tuple(_joined(train_rows.column(name), test_rows.column(name)) for name in (train.target, *inputs))
    both = gather(
        Rows(columns, count + test_rows.count, train_rows.origin),
        target=train.target,
        kind=kind,
        inputs=inputs,
        encoder=encoder or name,
        seed=seed,
        progress=progress,
    )
    first = np.flatnonzero(both.positions < count)
    second = np.flatnonzero(both.positions >= count)
    if not len(second):
        raise DataError(_nothing(test_rows))
    return Splits(
        _part(both, first, _numbers(train_rows)[both.positions[first]], train_rows),
        _part(both, second, _numbers(test_rows)[both.positions[second] - count], test_rows),
        both.names,
        refitted=True,
    )


def _test_alone(
    train_rows: Rows, test_rows: Rows, train: Examples, kind: Literal["classes", "values"] | None, progress: Progress
) -> Splits:
    """Encode the test split as the training split was, with targets read from both."""
    answer = targets.read(_joined(train_rows.column(train.target), test_rows.column(train.target)), kind=kind)
    usable = np.flatnonzero(answer.usable[train_rows.count :])
    if not len(usable):
        raise DataError(_nothing(test_rows))
    columns = tuple(test_rows.column(name) for name in train.encoded.inputs)
    usable, keys = ordered(columns, answer, usable, offset=train_rows.count)
    kept = {key: train.encoded.settings[key] for key in KEPT if key in train.encoded.settings}
    encoded = encoders.encode(columns, usable, Options(train.encoded.name, kept), progress=progress)
    if encoded.vectors.shape[1] != train.encoded.vectors.shape[1]:
        raise DataError(
            f"{test_rows.origin.source}: vectors of split '{test_rows.origin.split}' have {encoded.vectors.shape[1]} "
            f"numbers, and those of '{train_rows.origin.split}' {train.encoded.vectors.shape[1]}"
        )
    answers = train_rows.count + encoded.rows
    test = replace(
        train,
        encoded=replace(encoded, rows=keys_of(encoded.rows, usable, keys)),
        codes=None if train.codes is None else answer.codes[answers],
        names=answer.names,
        values=None if train.values is None else answer.values[answers],
        identities=identities(columns, encoded.rows),
        columns=columns,
        positions=encoded.rows,
        numbers=_numbers(test_rows)[encoded.rows],
        sampled=test_rows.total is not None,
        origin=test_rows.origin,
        rows_read=test_rows.read,
        dropped=encoded.dropped,
    )
    if train.codes is not None:
        places = np.array([answer.names.index(name) for name in train.names], dtype=np.int64)
        train = replace(train, codes=places[train.codes], names=answer.names)
    return Splits(train, test, answer.names, refitted=False)


def _numbers(rows: Rows) -> NDArray[np.int64]:
    return rows.numbers if rows.numbers is not None else np.arange(rows.count)


def _nothing(rows: Rows) -> str:
    return f"{rows.origin.source}: no row of split '{rows.origin.split}' has a usable target and usable inputs"


def _joined(first: Column, second: Column) -> Column:
    if first.class_names != second.class_names:
        first, second = _named(first), _named(second)
    values = [first.values, second.values]
    if values[0].type != values[1].type:
        try:
            values[1] = values[1].cast(values[0].type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            # one split holds only whole numbers, or only numbers, by chance
            wide = pa.float64() if {first.kind, second.kind} <= {"number", "boolean"} else pa.large_string()
            values = [one.cast(wide) for one in values]
    kind = first.kind if first.kind == second.kind else ("number" if values[0].type == pa.float64() else "string")
    chunks = [chunk for one in values for chunk in one.chunks]
    return replace(first, kind=kind, values=pa.chunked_array(chunks, type=values[0].type))


def _named(column: Column) -> Column:
    """A column of class ids as the names that they stand for."""
    if column.class_names is None:
        return column
    ids = column.values.cast(pa.int64()).combine_chunks()
    known = column.class_names
    names = [known[i] if i is not None and 0 <= i < len(known) else None for i in ids.to_pylist()]
    return Column(column.name, "string", pa.chunked_array([pa.array(names, type=pa.large_string())]))


def _part(both: Examples, positions: NDArray[np.int64], numbers: NDArray[np.int64], rows: Rows) -> Examples:
    """Those of the examples that are of one split, by the row numbers of that split."""
    part = both.take(positions)
    return replace(
        part,
        numbers=numbers,
        sampled=rows.total is not None,
        origin=rows.origin,
        rows_read=rows.read,
    )
