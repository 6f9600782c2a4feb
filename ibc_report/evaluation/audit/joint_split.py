"""A training and a test split in one space of features, with one list of classes.

Pixels and stored vectors mean the same in every split. What an encoder of texts or tables learns from its rows (weights
of n-grams, axes, means, categories) is learned from the training rows alone, and the test rows are encoded by it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ibc_report.common.errors import DataError
from ibc_report.data import encoders, targets
from ibc_report.data.column_types import as_read, with_names
from ibc_report.data.encoders import Encoded, Options, Progress, silent
from ibc_report.data.examples import Examples, identities, keys_of, ordered
from ibc_report.data.sources import Column, Rows

__all__ = ["KnownRows", "Splits", "take_together", "with_whole"]

KEPT = ("size", "mode", "bands", "frames", "top")
"""Settings of those that follow from the training split and hold for the test split."""


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
    whole : KnownRows, optional
        All rows of the training split, where `train` is a sample of them.
    """

    train: Examples
    test: Examples
    names: tuple[str, ...]
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
    columns = tuple(as_read(rows.column(column.name), column) for column in train.columns)
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


def take_together(
    train_rows: Rows,
    test_rows: Rows,
    train: Examples,
    *,
    kind: Literal["classes", "values"] | None,
    progress: Progress = silent,
) -> Splits:
    """Encode a test split as its training split was, with targets read from both.

    Parameters
    ----------
    kind : {"classes", "values"} or None
        How the user asked to take the target.

    Raises
    ------
    UsageError
        If the test split lacks a column that the training split has.
    DataError
        If no row of the test split has a usable target and usable inputs.
    """
    answer = targets.read(_joined(train_rows.column(train.target), test_rows.column(train.target)), kind=kind)
    usable = np.flatnonzero(answer.usable[train_rows.count :])
    if not len(usable):
        raise DataError(_nothing(test_rows))
    # rows are told apart by what they hold, read alike in both splits
    used = (column for column in train.columns if column.name in train.encoded.inputs)
    columns = tuple(as_read(test_rows.column(column.name), column) for column in used)
    usable, keys = ordered(columns, answer, usable, offset=train_rows.count)
    encoded = _encoded(train, columns, usable, progress)
    if encoded.vectors.shape[1] != train.encoded.vectors.shape[1]:
        raise DataError(
            f"{test_rows.origin.source}: vectors of split '{test_rows.origin.split}' have {encoded.vectors.shape[1]} "
            f"numbers, and those of '{train_rows.origin.split}' {train.encoded.vectors.shape[1]}"
        )
    answers = train_rows.count + encoded.rows
    test = replace(
        train,
        encoded=replace(train.encoded, vectors=encoded.vectors, rows=keys_of(encoded.rows, usable, keys)),
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
    return Splits(train, test, answer.names)


def _encoded(train: Examples, columns: tuple[Column, ...], rows: NDArray[np.int64], progress: Progress) -> Encoded:
    by_name = tuple(sorted(columns, key=lambda column: column.name))
    if train.encoded.transform is not None:
        return train.encoded.transform(by_name, rows)
    kept = {key: train.encoded.settings[key] for key in KEPT if key in train.encoded.settings}
    return encoders.encode(by_name, rows, Options(train.encoded.name, kept), progress=progress)


def _numbers(rows: Rows) -> NDArray[np.int64]:
    return rows.numbers if rows.numbers is not None else np.arange(rows.count)


def _nothing(rows: Rows) -> str:
    return f"{rows.origin.source}: no row of split '{rows.origin.split}' has a usable target and usable inputs"


def _joined(first: Column, second: Column) -> Column:
    if first.class_names != second.class_names:
        first, second = with_names(first), with_names(second)
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
