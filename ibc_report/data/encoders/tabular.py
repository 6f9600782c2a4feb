"""Tables to vectors: numbers standardised, categories one-hot, what is missing marked.

Metric: the Euclidean distance of standardised numbers and 0/1 marks. A difference of one standard deviation
weighs 1; a difference of category weighs √2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.column_types import are_many, missing_marks, no_numbers, typed
from ibc_report.data.encoders.base import Encoded, Options
from ibc_report.data.sources.rows import Column, Dropped

__all__ = ["encode"]

MISSING_RULE = "a missing number becomes the column's mean and a 0/1 column marks it; a missing category is a category"

LARGEST_SQUARABLE = 1e150

ROUNDING = 1e-12
"""Standardising leaves differences of this order, relative to the radius, between equal rows."""


MEASURED = ("number", "boolean", "date")
"""Kinds of column whose values have a size."""

SORTED = ("string", "class")
"""Kinds of column whose values are categories."""

NO_FEATURE = "constant or empty"


@dataclass(frozen=True, slots=True)
class _EncodedColumns:
    """The wanted rows of the columns, of those that are measured as numbers too."""

    columns: tuple[Column, ...]
    values: Mapping[str, pa.ChunkedArray]
    numbers: Mapping[str, NDArray[np.float64]]

    def infinite(self, count: int) -> NDArray[np.bool_]:
        """Which of so many rows have an infinite number."""
        found = np.zeros(count, dtype=bool)
        for values in self.numbers.values():
            found |= np.isinf(values)
        return found


@dataclass(frozen=True, slots=True)
class _Block:
    """What one column gives: its features and how many of its values are missing, or why it gives none."""

    name: str
    features: tuple[NDArray[np.float64], ...] = ()
    missing: int = 0
    left_out: str | None = None


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
    options : Options
        `standardise`: "yes" (the default) or "no".

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
    standardise = _standardises(options)
    table = _table(tuple(typed(column) for column in columns), rows)
    infinite = table.infinite(len(rows))
    if infinite.all():
        raise DataError(
            f"every row has an infinite number in {', '.join(table.numbers)}; replace these or choose --input columns"
        )
    blocks = _blocks(table, ~infinite, rows if numbered is None else numbered[rows], standardise=standardise)
    features = [feature for block in blocks for feature in block.features]
    left_out = _listed((block.left_out, block.name) for block in blocks if block.left_out is not None)
    if not features:
        why = "; ".join(f"{reason}: {', '.join(names)}" for reason, names in left_out.items())
        raise DataError(
            f"no column can be used as a feature ({why}): every row would be the same point; choose --input columns"
        )
    missing = sum(block.missing for block in blocks)
    return Encoded(
        name="tabular",
        metric=(
            "Euclidean distance of "
            + ("standardised numbers" if standardise else "numbers in their own units")
            + " and 0/1 marks of categories"
        ),
        settings={"standardise": "yes" if standardise else "no", "missing": MISSING_RULE},
        inputs=tuple(block.name for block in blocks if block.features),
        vectors=np.column_stack(features),
        unit=1.0,
        rows=rows[~infinite],
        rounding=ROUNDING,
        dropped=((Dropped.of("rows with an infinite number", rows[infinite].tolist()),) if infinite.any() else ()),
        notes=(
            *(f"Columns left out, {why}: {', '.join(names)}." for why, names in left_out.items()),
            *_rereadings(columns, table.columns),
            *([f"{missing} missing values: {MISSING_RULE}."] if missing else []),
        ),
    )


def _standardises(options: Options) -> bool:
    options.known("standardise")
    wanted = options.given.get("standardise", "yes")
    if wanted not in ("yes", "no"):
        raise UsageError(f"encoder setting tabular:standardise has to be yes or no, not '{wanted}'")
    return wanted == "yes"


def _table(columns: tuple[Column, ...], rows: NDArray[np.int64]) -> _EncodedColumns:
    index = pa.array(rows)
    values = {column.name: column.values.take(index) for column in columns}
    return _EncodedColumns(
        columns, values, {column.name: _numbers(values[column.name]) for column in columns if column.kind in MEASURED}
    )


def _blocks(
    table: _EncodedColumns, kept: NDArray[np.bool_], places: NDArray[np.int64], *, standardise: bool
) -> tuple[_Block, ...]:
    """What each column gives in the kept rows; `places` numbers all rows."""
    counting = {
        column.name: column.kind == "number" and counts_rows(table.numbers[column.name], places)
        for column in table.columns
    }
    counters = [column for column in table.columns if counting[column.name]]
    found = [_block(column, table, kept, standardise) for column in table.columns if not counting[column.name]]
    # beside others such a column is an exported index; alone it is what was given
    if any(block.features for block in found):
        found += [_Block(column.name, left_out="that only count the rows") for column in counters]
    else:
        found += [_block(column, table, kept, standardise) for column in counters]
    return tuple(found)


def _block(column: Column, table: _EncodedColumns, kept: NDArray[np.bool_], standardise: bool) -> _Block:
    if column.kind in MEASURED:
        return _of_numbers(column.name, table.numbers[column.name][kept], standardise)
    if column.kind in SORTED:
        return _of_categories(column, table.values[column.name].filter(pa.array(kept)))
    return _Block(column.name, left_out=f"of {column.kind} values")


def _rereadings(given: Sequence[Column], read: Sequence[Column]) -> list[str]:
    """Notes on the columns of strings that were read as something else."""
    forms = []
    for before, column in zip(given, read, strict=True):
        if column.kind != before.kind:
            form = "dates, in days" if column.kind == "date" else "numbers"
            marks = ", ".join(repr(mark) for mark in missing_marks(before))
            forms.append((f"{form}, with {marks} for a missing one" if marks else form, column.name))
    return [f"Columns of strings read as {form}: {', '.join(names)}." for form, names in _listed(forms).items()]


def _listed(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Names by what is said of them, both in the order in which they come."""
    found: dict[str, list[str]] = {}
    for said, name in pairs:
        found.setdefault(said, []).append(name)
    return found


def counts_rows(values: NDArray[np.float64], rows: NDArray[np.int64]) -> bool:
    """Tell whether a column only numbers the rows, as an exported index does.

    Parameters
    ----------
    rows : ndarray of int64
        The number of each of its rows, ascending; those between may have been left out.

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


def _of_numbers(name: str, values: NDArray[np.float64], standardise: bool) -> _Block:
    missing = np.isnan(values)
    present = values[~missing]
    if not len(present) or (present.min() == present.max() and not missing.any()):
        return _Block(name, left_out=NO_FEATURE)
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
        return _Block(name, left_out=NO_FEATURE)
    return _Block(name, tuple(features), int(missing.sum()))


def _of_categories(column: Column, values: pa.ChunkedArray) -> _Block:
    name = column.name
    encoded = values.combine_chunks().dictionary_encode()
    count = len(encoded.dictionary)
    if not column.is_category and are_many(count, len(values)):
        why = no_numbers(values)
        said = f"{name} ({why})" if why else name
        return _Block(said, left_out="strings with too many different values to be categories")
    indices = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    missing = int((indices == -1).sum())
    if count + (missing > 0) < 2:
        return _Block(name, left_out=NO_FEATURE)
    names = encoded.dictionary.to_pylist()
    order = sorted(range(count), key=lambda position: str(names[position]))
    codes = [*order, *([-1] if missing else [])]
    return _Block(name, tuple(np.asarray(indices == code, dtype=np.float64) for code in codes), missing)
