"""Rows and a target become examples: vectors with labels, and a count of what was lost on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ibc_report.common import sampling
from ibc_report.common.errors import DataError
from ibc_report.common.files import taken
from ibc_report.data import encoders, targets
from ibc_report.data.encoders import Encoded, Progress, silent
from ibc_report.data.row_keys import class_ranks, content_hashes, digest, row_keys
from ibc_report.data.sources import Column, Dropped, Origin, Rows

__all__ = ["Examples", "gather", "identities", "keys_of", "ordered", "sampled"]


@dataclass(frozen=True, slots=True)
class Examples:
    """Vectors with targets.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,), or None
        Class codes from 0, all of which occur; None for a regression.
    values : ndarray of float64, shape (n,), or None
        Targets of a regression.
    identities : ndarray of uint64, shape (n,)
        A hash of each row's inputs as they came, before encoding.
    columns : tuple of Column
        The inputs as they came, to show single rows of them.
    positions : ndarray of int64, shape (n,)
        Where in those columns each row stands.
    numbers : ndarray of int64, shape (n,)
        Number of each row in the source. The rows are in the order of `encoded.rows`, their keys
        (`ibc_report.data.row_keys`), which nobody is shown.
    counted : bool
        Whether the classes are whole numbers without names.
    rows_read : int
        Rows of the source, the unreadable ones among them.
    chosen : str
        Why this column is the target, a sentence; empty where the user named it.
    """

    encoded: Encoded
    target: str
    codes: NDArray[np.int64] | None
    names: tuple[str, ...]
    values: NDArray[np.float64] | None
    identities: NDArray[np.uint64]
    columns: tuple[Column, ...]
    positions: NDArray[np.int64]
    numbers: NDArray[np.int64]
    sampled: bool
    counted: bool
    origin: Origin
    rows_read: int
    dropped: tuple[Dropped, ...]
    chosen: str = ""

    def take(self, kept: NDArray[np.int64]) -> Examples:
        """Keep some of them, by position; the names of the classes stay."""
        return replace(
            self,
            encoded=replace(self.encoded, vectors=taken(self.encoded.vectors, kept), rows=self.encoded.rows[kept]),
            codes=None if self.codes is None else self.codes[kept],
            values=None if self.values is None else self.values[kept],
            identities=self.identities[kept],
            positions=self.positions[kept],
            numbers=self.numbers[kept],
        )

    def numbered(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number in the source of the rows with these keys."""
        return self.numbers[np.searchsorted(self.encoded.rows, keys)]


def gather(
    rows: Rows,
    *,
    target: str | None = None,
    kind: Literal["classes", "values"] | None = None,
    inputs: tuple[str, ...] = (),
    encoder: str | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Examples:
    """Choose the target and the encoder, and encode what has both.

    Parameters
    ----------
    target : str, optional
        Target column; found where only one makes sense.
    inputs : tuple of str
        Input columns; all but the target by default.
    encoder : str, optional
        Encoder with settings; the natural one of the inputs by default.

    Raises
    ------
    UsageError
        If a column or encoder does not exist or the choice is not plain.
    DataError
        If nothing usable is left.
    """
    choice = targets.choose(rows, target, inputs)
    column = choice.column
    options, columns = encoders.choose(rows, column.name, inputs, encoder)
    answer = targets.read(column, kind=kind)
    usable, keys = ordered(columns, answer, np.flatnonzero(answer.usable))
    # features are in the order of their names, so that sums of them are the same, and shown in that of the source
    by_name = tuple(sorted(columns, key=lambda each: each.name))
    encoded = encoders.encode(by_name, usable, options, seed=seed, numbered=rows.numbers, progress=progress)
    shown = tuple(each.name for each in columns if each.name in encoded.inputs)
    codes, names, values = None, answer.names, None
    if answer.kind == "classes":
        present, codes = np.unique(answer.codes[encoded.rows], return_inverse=True)
        names = tuple(answer.names[code] for code in present)
        if len(names) < 2:
            raise DataError(f"only rows of class '{names[0]}' are left after encoding; nothing is left to tell apart")
    else:
        values = answer.values[encoded.rows]
    numbers = rows.numbers if rows.numbers is not None else np.arange(rows.count)
    return Examples(
        encoded=replace(
            encoded,
            rows=keys_of(encoded.rows, usable, keys),
            inputs=shown,
            notes=(*rows.notes, *_set_aside(rows, (column, *columns)), *encoded.notes, *answer.notes),
        ),
        target=column.name,
        chosen=choice.why,
        codes=codes,
        names=names,
        values=values,
        # what is left out of the features, such as names, makes no two equal rows different
        identities=identities(tuple(each for each in columns if each.name in shown), encoded.rows),
        columns=columns,
        positions=encoded.rows,
        numbers=numbers[encoded.rows],
        sampled=rows.total is not None,
        counted=answer.kind == "classes" and column.kind == "number",
        origin=rows.origin,
        rows_read=rows.read,
        dropped=(*rows.dropped, *(_numbered(lost, numbers) for lost in (*answer.dropped, *encoded.dropped))),
    )


def _set_aside(rows: Rows, used: tuple[Column, ...]) -> list[str]:
    """Notes on the columns that are no inputs by themselves."""
    found: dict[str, list[str]] = {}
    for column in rows.columns:
        if column.aside is not None and not any(column.name == other.name for other in used):
            found.setdefault(column.aside, []).append(column.name)
    return [f"Columns left out, {why}: {', '.join(names)}; --input takes them." for why, names in found.items()]


def sampled(
    rows: Rows,
    most: int | None,
    *,
    target: str | None = None,
    kind: Literal["classes", "values"] | None = None,
    inputs: tuple[str, ...] = (),
    encoder: str | None = None,
    seed: int = 0,
) -> Rows:
    """Keep a sample of the rows, by a hash of the seed and of what each holds.

    Parameters
    ----------
    most : int or None
        How many to keep; all where there are no more, or for None.
    target, kind, inputs, encoder
        As for `gather`.
    """
    if most is None or rows.count <= most:
        return rows
    column = targets.choose(rows, target, inputs).column
    _, columns = encoders.choose(rows, column.name, inputs, encoder)
    every = np.arange(rows.count)
    keys = _keys(columns, targets.read(column, kind=kind), every)
    kept = np.sort(np.argpartition(sampling.ranks(keys, seed), most)[:most])
    return rows.taken(kept)


def _keys(
    columns: tuple[Column, ...], answer: targets.Target, rows: NDArray[np.int64], offset: int = 0
) -> NDArray[np.int64]:
    """Keys of rows by their inputs and targets: of a class, by its rows and not by its name."""
    hashes = content_hashes(columns, rows)
    usable = answer.usable[offset + rows]
    if answer.kind == "values":
        return row_keys(hashes, np.where(usable, answer.values[offset + rows], np.inf))
    codes = answer.codes[offset + rows][usable]
    ranks = np.full(len(rows), -1, dtype=np.int64)
    ranks[usable] = class_ranks(codes, hashes[usable])[codes]
    return row_keys(hashes, ranks)


def ordered(
    columns: tuple[Column, ...], answer: targets.Target, rows: NDArray[np.int64], *, offset: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Put rows in the order of their keys.

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        Their positions in the columns.
    offset : int
        Where in the answers those of the first row of the columns stand.

    Returns
    -------
    positions, keys : ndarray of int64, shape (n,)
        By ascending key.
    """
    keys = _keys(columns, answer, rows, offset)
    order = np.argsort(keys)
    return rows[order], keys[order]


def keys_of(rows: NDArray[np.int64], known: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keys of some of the rows, by position, of those that `ordered` gave."""
    order = np.argsort(known)
    return keys[order[np.searchsorted(known, rows, sorter=order)]]


def _numbered(lost: Dropped, numbers: NDArray[np.int64]) -> Dropped:
    """Name rows by their numbers in the source instead of their positions in the sample."""
    return replace(lost, examples=tuple(sorted(int(numbers[position]) for position in lost.examples)))


def identities(columns: tuple[Column, ...], rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash each row's inputs; equal hashes mean equal rows (64 bits, so a chance collision is negligible).

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        Positions of the rows.

    Examples
    --------
    >>> first, second, third = identities((Column("a", "string", pa.chunked_array([["x", "y", "x"]])),), np.arange(3))
    >>> bool(first == third), bool(first == second)
    (True, False)
    """
    total: NDArray[np.uint64] = np.zeros(len(rows), dtype=np.uint64)
    index = pa.array(rows)
    for column in columns:
        values = column.values.take(index)
        if column.kind in ("image", "audio", "vector"):
            hashes: NDArray[Any] = np.array([digest(scalar) for scalar in values], dtype=np.uint64)
        else:
            hashes = pd.util.hash_pandas_object(values.to_pandas(), index=False).to_numpy()
        # an odd multiplier mixes the columns' order in; overflow is meant
        total = (total * np.uint64(0x9E3779B97F4A7C15) + hashes).astype(np.uint64)
    return total
