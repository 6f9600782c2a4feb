"""Tables to vectors: numbers standardised, categories one-hot, what is missing marked.

Metric: the Euclidean distance of standardised numbers and 0/1 marks. A difference of one standard deviation
weighs 1; a difference of category weighs √2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.encoders.base import Encoded, Options
from ibc_report.data.encoders.column_types import are_many, many_values, missing_marks, no_numbers, typed
from ibc_report.data.sources.rows import Column, Dropped

__all__ = ["encode", "many_values", "typed"]

MISSING_RULE = "a missing number becomes the column's mean and a 0/1 column marks it; a missing category is a category"

LARGEST_SQUARABLE = 1e150

ROUNDING = 1e-12
"""Standardising leaves differences of this order, relative to the radius, between equal rows."""


@dataclass(slots=True)
class _Blocks:
    """Feature columns as they come, and what was said about the columns that gave none."""

    features: list[NDArray[np.float64]] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    reread: dict[str, list[str]] = field(default_factory=dict)
    missing: int = 0

    def leave_out(self, why: str, name: str) -> None:
        self.left_out.setdefault(why, []).append(name)

    def reread_as(self, kind: str, name: str) -> None:
        self.reread.setdefault(kind, []).append(name)

    def add(self, name: str, *features: NDArray[np.float64]) -> None:
        self.features.extend(features)
        self.used.append(name)


def encode(
    columns: Sequence[Column],
    rows: NDArray[np.int64],
    options: Options,
    *,
    numbered: NDArray[np.int64] | None = None,
) -> Encoded:
    """Encode the columns of a table.

    Parameters
    ----------
    columns : sequence of Column
        Numbers, booleans, dates, class labels and strings; others, and strings with many different values, are
        left out and named in the notes, as is a column that only counts the rows. Strings that are all dates of one
        form count as dates, in days; those that are numbers but for marks of missing values, as numbers.
    rows : ndarray of int64
        Rows of the source to encode.
    options : Options
        `standardise`: "yes" (the default) or "no".
    numbered : ndarray of int64, optional
        The source's number of each row of `columns`, where some of its rows are not among them.

    Returns
    -------
    Encoded
        float64 vectors. A missing value never costs a row; an infinite number does.

    Raises
    ------
    UsageError
        If a setting is wrong.
    DataError
        If every column is constant or left out, or no row is finite.
    """
    options.known("standardise")
    wanted = options.given.get("standardise", "yes")
    if wanted not in ("yes", "no"):
        raise UsageError(f"encoder setting tabular:standardise has to be yes or no, not '{wanted}'")
    standardise = wanted == "yes"
    index = pa.array(rows)
    places = rows if numbered is None else numbered[rows]
    numbers: dict[str, NDArray[np.float64]] = {}
    blocks = _Blocks()
    given, columns = columns, tuple(typed(column) for column in columns)
    for before, column in zip(given, columns, strict=True):
        if column.kind != before.kind:
            what = "dates, in days" if column.kind == "date" else "numbers"
            marks = ", ".join(repr(mark) for mark in missing_marks(before))
            blocks.reread_as(f"{what}, with {marks} for a missing one" if marks else what, column.name)
    taken = {column.name: column.values.take(index) for column in columns}
    for column in columns:
        if column.kind in ("number", "boolean", "date"):
            numbers[column.name] = _numbers(taken[column.name])
    infinite = np.zeros(len(rows), dtype=bool)
    for values in numbers.values():
        infinite |= np.isinf(values)
    kept = ~infinite
    if not kept.any():
        raise DataError(
            f"every row has an infinite number in {', '.join(numbers)}; replace these or choose --input columns"
        )
    counting = [
        column.name for column in columns if column.kind == "number" and counts_rows(numbers[column.name], places)
    ]
    for column in columns:
        if column.name in counting:
            continue
        if column.name in numbers:
            _add_numbers(blocks, column.name, numbers[column.name][kept], standardise)
        elif column.kind in ("string", "class"):
            _add_categories(blocks, column.name, taken[column.name].filter(pa.array(kept)))
        else:
            blocks.leave_out(f"of {column.kind} values", column.name)
    # beside others such a column is an exported index; alone it is what was given
    others = bool(blocks.features)
    for name in counting:
        if others:
            blocks.leave_out("that only count the rows", name)
        else:
            _add_numbers(blocks, name, numbers[name][kept], standardise)
    if not blocks.features:
        why = "; ".join(f"{reason}: {', '.join(names)}" for reason, names in blocks.left_out.items())
        raise DataError(
            f"no column can be used as a feature ({why}): every row would be the same point; choose --input columns"
        )
    notes = [f"Columns left out, {why}: {', '.join(names)}." for why, names in blocks.left_out.items()]
    notes += [f"Columns of strings read as {what}: {', '.join(names)}." for what, names in blocks.reread.items()]
    if blocks.missing:
        notes.append(f"{blocks.missing} missing values: {MISSING_RULE}.")
    return Encoded(
        name="tabular",
        metric=(
            "Euclidean distance of "
            + ("standardised numbers" if standardise else "numbers in their own units")
            + " and 0/1 marks of categories"
        ),
        settings={"standardise": "yes" if standardise else "no", "missing": MISSING_RULE},
        inputs=tuple(blocks.used),
        vectors=np.column_stack(blocks.features),
        unit=1.0,
        rows=rows[kept],
        rounding=ROUNDING,
        dropped=((Dropped.of("rows with an infinite number", rows[infinite].tolist()),) if infinite.any() else ()),
        notes=tuple(notes),
    )


def counts_rows(values: NDArray[np.float64], rows: NDArray[np.int64]) -> bool:
    """Tell whether a column only numbers the rows, as an exported index does.

    Parameters
    ----------
    values : ndarray of float64
        The column.
    rows : ndarray of int64
        The number of each of its rows, ascending; those between may have been left out.

    Returns
    -------
    bool

    Examples
    --------
    >>> counts_rows(np.array([5.0, 6.0, 9.0]), np.array([0, 1, 4]))
    True
    """
    # a difference of two finite doubles may be infinite, and one of two infinities is no number: neither is a count
    with np.errstate(over="ignore", invalid="ignore"):
        return len(values) > 2 and bool((np.diff(values) == np.diff(rows)).all())


def _numbers(values: pa.ChunkedArray) -> NDArray[np.float64]:
    """Numbers with NaN for what is missing; dates count in days."""
    kind = values.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        seconds = values.cast(pa.timestamp("s"), safe=False).cast(pa.int64())
        return np.asarray(pc.divide(seconds.cast(pa.float64()), 86400.0).to_numpy(), dtype=np.float64)
    if pa.types.is_boolean(kind):
        values = values.cast(pa.int8())
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def _add_numbers(blocks: _Blocks, name: str, values: NDArray[np.float64], standardise: bool) -> None:
    missing = np.isnan(values)
    present = values[~missing]
    if not len(present) or (present.min() == present.max() and not missing.any()):
        blocks.leave_out("constant or empty", name)
        return
    # squares of numbers near the largest double would overflow: standardising does not mind their unit
    largest = float(np.abs(present).max()) or 1.0
    scale = largest if largest > LARGEST_SQUARABLE else 1.0
    values, present = values / scale, present / scale
    mean, deviation = float(present.mean()), float(present.std())
    centred = np.where(missing, 0.0, values - mean)
    # A column that varies by less than its rounding would be blown up to noise of unit size.
    varies = deviation > 1e-14 * max(abs(mean), np.finfo(np.float64).tiny)
    features = []
    if varies:
        features.append(centred / deviation if standardise else np.where(missing, mean, values) * scale)
    if missing.any():
        features.append(missing.astype(np.float64))
    if not features:
        blocks.leave_out("constant or empty", name)
        return
    blocks.missing += int(missing.sum())
    blocks.add(name, *features)


def _add_categories(blocks: _Blocks, name: str, values: pa.ChunkedArray) -> None:
    encoded = values.combine_chunks().dictionary_encode()
    count = len(encoded.dictionary)
    if are_many(count, len(values)):
        why = no_numbers(values)
        blocks.leave_out("strings with too many different values to be categories", f"{name} ({why})" if why else name)
        return
    indices = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    missing = int((indices == -1).sum())
    if count + (missing > 0) < 2:
        blocks.leave_out("constant or empty", name)
        return
    names = encoded.dictionary.to_pylist()
    order = sorted(range(count), key=lambda position: str(names[position]))
    blocks.missing += missing
    blocks.add(
        name,
        *(np.asarray(indices == code, dtype=np.float64) for code in [*order, *([-1] if missing else [])]),
    )
