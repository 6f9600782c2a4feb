"""Tables to vectors: numbers standardised, categories one-hot, what is missing marked.

Metric: the Euclidean distance of standardised numbers and 0/1 marks. A difference of one standard deviation
weighs 1; a difference of category weighs √2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.column_types import are_many, as_read, missing_marks, no_numbers, typed
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
    fit: _NumberFit | _CategoryFit | None = None


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
    named = {column.name: column for column in table.columns}
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
        transform=_Table(tuple((named[block.name], block.fit) for block in blocks if block.fit), standardise),
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """Encodes other rows by the means, deviations and categories of those that it was fitted to."""

    fits: tuple[tuple[Column, _NumberFit | _CategoryFit], ...]
    standardise: bool

    def __call__(self, columns: Sequence[Column], rows: NDArray[np.int64]) -> Encoded:
        """Encode rows; see `Transform`."""
        given = {column.name: column for column in columns}
        table = _table(tuple(as_read(given[fitted.name], fitted) for fitted, _ in self.fits), rows)
        infinite = table.infinite(len(rows))
        if infinite.all():
            raise DataError(f"every row has an infinite number in {', '.join(table.numbers)}")
        features: list[NDArray[np.float64]] = []
        for fitted, fit in self.fits:
            if isinstance(fit, _NumberFit):
                features += fit.features(table.numbers[fitted.name][~infinite], standardise=self.standardise)
            else:
                features += fit.features(table.values[fitted.name].filter(pa.array(~infinite)))
        return Encoded(
            name="tabular",
            metric="that of the rows it was fitted to",
            settings={},
            inputs=tuple(fitted.name for fitted, _ in self.fits),
            vectors=np.column_stack(features),
            unit=1.0,
            rows=rows[~infinite],
            rounding=ROUNDING,
            dropped=((Dropped.of("rows with an infinite number", rows[infinite].tolist()),) if infinite.any() else ()),
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
    name = column.name
    if column.kind in MEASURED:
        numbers = table.numbers[name][kept]
        number_fit = _fit_numbers(numbers)
        if number_fit is None:
            return _Block(name, left_out=NO_FEATURE)
        features = number_fit.features(numbers, standardise=standardise)
        return _Block(name, tuple(features), int(np.isnan(numbers).sum()), fit=number_fit)
    if column.kind in SORTED:
        values = table.values[name].filter(pa.array(kept))
        fit = _fit_categories(column, values)
        if isinstance(fit, str):
            why = no_numbers(values) if fit != NO_FEATURE else None
            return _Block(f"{name} ({why})" if why else name, left_out=fit)
        return _Block(name, tuple(fit.features(values)), values.null_count, fit=fit)
    return _Block(name, left_out=f"of {column.kind} values")


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


@dataclass(frozen=True, slots=True)
class _NumberFit:
    """How a column of numbers becomes features, by what was learned from some rows.

    Parameters
    ----------
    scale : float
        What numbers near the largest double are divided by first.
    deviation : float or None
        None for a column that does not vary.
    marked : bool
        Whether a 0/1 column marks what is missing.
    """

    scale: float
    mean: float
    deviation: float | None
    marked: bool

    def features(self, values: NDArray[np.float64], *, standardise: bool) -> list[NDArray[np.float64]]:
        """Features of some rows."""
        missing = np.isnan(values)
        found = []
        if self.deviation is not None:
            scaled = values / self.scale
            centred = np.where(missing, 0.0, scaled - self.mean)
            own = np.where(missing, self.mean, scaled) * self.scale
            found.append(centred / self.deviation if standardise else own)
        if self.marked:
            found.append(missing.astype(np.float64))
        return found


@dataclass(frozen=True, slots=True)
class _CategoryFit:
    """The categories of a column in their order; None stands for a missing one, where there is such a category."""

    categories: tuple[Any, ...]

    def features(self, values: pa.ChunkedArray) -> list[NDArray[np.float64]]:
        """Features of some rows: none is 1 for a category that was not known."""
        encoded = values.combine_chunks().dictionary_encode()
        indices = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        place = {name: code for code, name in enumerate(encoded.dictionary.to_pylist())}
        # no row has the code −2
        codes = [-1 if name is None else place.get(name, -2) for name in self.categories]
        return [np.asarray(indices == code, dtype=np.float64) for code in codes]


def _fit_numbers(values: NDArray[np.float64]) -> _NumberFit | None:
    """Learn what standardises a column; None where it gives no feature."""
    missing = np.isnan(values)
    present = values[~missing]
    if not len(present) or (present.min() == present.max() and not missing.any()):
        return None
    # squares of numbers near the largest double would overflow: standardising does not mind their unit
    largest = float(np.abs(present).max()) or 1.0
    scale = largest if largest > LARGEST_SQUARABLE else 1.0
    present = present / scale
    mean, deviation = float(present.mean()), float(present.std())
    # A column that varies by less than its rounding would be blown up to noise of unit size.
    varies = deviation > 1e-14 * max(abs(mean), np.finfo(np.float64).tiny)
    if not varies and not missing.any():
        return None
    return _NumberFit(scale, mean, deviation if varies else None, bool(missing.any()))


def _fit_categories(column: Column, values: pa.ChunkedArray) -> _CategoryFit | str:
    """Learn the categories of a column, or say why it gives no feature."""
    names = pc.unique(values).to_pylist()
    known = sorted((name for name in names if name is not None), key=str)
    if not column.is_category and are_many(len(known), len(values)):
        return "strings with too many different values to be categories"
    if len(names) < 2:
        return NO_FEATURE
    return _CategoryFit((*known, *([None] if None in names else [])))
