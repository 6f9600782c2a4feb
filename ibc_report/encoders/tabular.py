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

from ibc_report.encoders.encoded import Encoded, Options
from ibc_report.errors import DataError
from ibc_report.sources.rows import Column, Dropped

__all__ = ["encode"]

MOST_CATEGORIES = 50
"""A string column with more different values than this names things rather than sorting them."""

MISSING_RULE = "a missing number becomes the column's mean and a 0/1 column marks it; a missing category is a category"

ROUNDING = 1e-12
"""Standardising leaves differences of this order, relative to the radius, between equal rows."""


@dataclass(slots=True)
class _Blocks:
    """Feature columns as they come, and what was said about the columns that gave none."""

    features: list[NDArray[np.float64]] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    missing: int = 0

    def leave_out(self, why: str, name: str) -> None:
        self.left_out.setdefault(why, []).append(name)

    def add(self, name: str, *features: NDArray[np.float64]) -> None:
        self.features.extend(features)
        self.used.append(name)


def encode(columns: Sequence[Column], rows: NDArray[np.int64], options: Options) -> Encoded:
    """Encode the columns of a table.

    Parameters
    ----------
    columns : sequence of Column
        Numbers, booleans, dates, class labels and strings; others, and strings with many different values, are
        left out and named in the notes.
    rows : ndarray of int64
        Rows of the source to encode.
    options : Options
        `standardise`: "yes" (the default) or "no".

    Returns
    -------
    Encoded
        float64 vectors. A missing value never costs a row; an infinite number does.

    Raises
    ------
    DataError
        If every column is constant or left out, or no row is finite.
    """
    options.known("standardise")
    standardise = options.given.get("standardise", "yes") != "no"
    index = pa.array(rows)
    numbers: dict[str, NDArray[np.float64]] = {}
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
    blocks = _Blocks()
    for column in columns:
        if column.name in numbers:
            _add_numbers(blocks, column.name, numbers[column.name][kept], standardise)
        elif column.kind in ("string", "class"):
            _add_categories(blocks, column.name, taken[column.name].filter(pa.array(kept)))
        else:
            blocks.leave_out(f"of {column.kind} values", column.name)
    if not blocks.features:
        why = "; ".join(f"{reason}: {', '.join(names)}" for reason, names in blocks.left_out.items())
        raise DataError(
            f"no column can be used as a feature ({why}): every row would be the same point; choose --input columns"
        )
    notes = [f"Columns left out, {why}: {', '.join(names)}." for why, names in blocks.left_out.items()]
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
    if not len(present) or (np.ptp(present) == 0 and not missing.any()):
        blocks.leave_out("constant or empty", name)
        return
    mean, deviation = float(present.mean()), float(present.std())
    centred = np.where(missing, 0.0, values - mean)
    # A column that varies by less than its rounding would be blown up to noise of unit size.
    varies = deviation > 1e-14 * max(abs(mean), np.finfo(np.float64).tiny)
    features = []
    if varies:
        features.append(centred / deviation if standardise else np.where(missing, mean, values))
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
    if count > MOST_CATEGORIES:
        blocks.leave_out(f"strings with more than {MOST_CATEGORIES} different values", name)
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
