"""What is to be predicted: which column, as classes or as values, and which rows have no usable target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.class_names import class_name, spellings
from ibc_report.data.roles import is_calendar, is_whole
from ibc_report.data.sources.rows import Column, Dropped, Rows, is_list

__all__ = ["Choice", "Target", "candidates", "choose", "read"]

USUAL_NAMES = ("label", "labels", "target", "class", "category", "y")
"""A column with one of these names is the target where only one has such a name."""

FEW_CLASSES = 100
"""More distinct integers than this are values to regress on, not classes."""

MOST_OTHERS = 5
"""Other columns that a choice names."""

ROWS_PER_CLASS = 5
"""Integers with fewer rows a value than this are values, not classes."""

TEXT_WORDS = 5
"""Strings with more words than this on average are text, not class names."""

TEXT_DISTINCT = 20
"""Fewer distinct strings than this are class names even where most rows have one of their own."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A target column, and why it is one.

    Parameters
    ----------
    why : str
        A sentence with the other columns that could be the target; empty where the user named it.
    """

    column: Column
    why: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """A target, a value for each row of the source.

    Parameters
    ----------
    usable : ndarray of bool, shape (n,)
        Rows that have a usable target.
    codes : ndarray of int64, shape (n,)
        Class codes from 0; −1 where there is none. All −1 for values.
    values : ndarray of float64, shape (n,)
        The values; NaN where there is none. All NaN for classes.
    names : tuple of str
        Names of the classes that occur, in the order of their codes.
    notes : tuple of str
        How the names were taken, a sentence each.
    """

    column: str
    kind: Literal["classes", "values"]
    usable: NDArray[np.bool_]
    codes: NDArray[np.int64]
    values: NDArray[np.float64]
    names: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...] = ()


def choose(rows: Rows, wanted: str | None, inputs: tuple[str, ...] = ()) -> Choice:
    """Pick the target column.

    Parameters
    ----------
    inputs : tuple of str
        Columns that are inputs and so no target.

    Returns
    -------
    Choice
        The wanted one; else the only class-label column; else the only one with a usual name that nothing speaks
        against; else the only candidate that does not say when.

    Raises
    ------
    UsageError
        If the wanted column does not exist, or the choice is not plain; the message lists the candidates.
    """
    if wanted is not None:
        return Choice(rows.column(wanted))
    found = [column for column in candidates(rows) if column.name not in inputs]
    labelled = [column for column in found if column.kind == "class"]
    usual = [column for column in rows.columns if column.name.lower() in USUAL_NAMES and column.name not in inputs]
    against = _against(usual[0], rows, found) if len(usual) == 1 else None
    if against is not None and not labelled:
        listing = _listing(rows, found, first=usual[0])
        raise UsageError(
            f"{rows.origin.source}: '{usual[0].name}' has the name of a target, but {against}; choose one with "
            f"--target{f': {listing}' if listing else ''}"
        )
    plain = [column for column in found if not is_calendar(column)]
    groups = (
        (labelled, "is the only column of class labels"),
        (usual, "has the name of a target"),
        (plain, "is the only column that looks like classes"),
    )
    for group, why in groups:
        if len(group) == 1:
            return Choice(group[0], _why(group[0], why, found))
    raise UsageError(_several(rows, found) if found else _none(rows))


def _why(column: Column, why: str, found: list[Column]) -> str:
    others = [f"'{other.name}'" for other in found if other is not column]
    more = f" (of {len(others)})" if len(others) > MOST_OTHERS else ""
    beside = f"; others that could be: {', '.join(others[:MOST_OTHERS])}{more}" if others else ""
    return f"'{column.name}' {why}{beside}; --target takes another."


def _against(column: Column, rows: Rows, found: list[Column]) -> str | None:
    """What speaks against a column that has the name of a target; None for nothing."""
    names = {other.name.lower() for other in rows.columns}
    if column.name.lower() == "y" and "x" in names and len(names) > 2:
        return "'x' beside it makes it a coordinate"
    if column.aside is not None:
        return f"it looks like {column.aside}"
    if column.kind == "string" and column not in found and _is_free(column):
        return "it is free text"
    twin = next((other for other in found if other is not column and _tells(other, column)), None)
    return None if twin is None else f"'{twin.name}' says the same in other words"


def _is_free(column: Column) -> bool:
    distinct = pc.count_distinct(column.values).as_py()
    hardly = 2 * distinct > len(column.values) and distinct > TEXT_DISTINCT
    return bool(hardly or _words(column.values) > TEXT_WORDS)


def _tells(one: Column, other: Column) -> bool:
    """Whether each value of one column goes with one value of the other, and the other way round."""
    first, second = (column.values.combine_chunks() for column in (one, other))
    if pc.count_distinct(first).as_py() != pc.count_distinct(second).as_py():
        return False
    pairs = pa.table({"first": first, "second": second}).group_by(["first", "second"]).aggregate([])
    return bool(pairs.num_rows == pc.count_distinct(first, mode="all").as_py())


def _none(rows: Rows) -> str:
    """Say that no column could be a class label."""
    known = ", ".join(column.name for column in rows.columns)
    hint = f"; for regression name a numeric one: {numbers}" if (numbers := ", ".join(_numbers(rows, []))) else ""
    return (
        f"{rows.origin.source} has no column that looks like a target (columns: {known}); choose one with "
        f"--target{hint}"
    )


def _several(rows: Rows, found: list[Column]) -> str:
    """Say which columns could be a class label, and which others could be regressed on."""
    many = "several columns that could be the target" if len(found) > 1 else "no column that is plainly the target"
    return f"{rows.origin.source} has {many}; choose one with --target: {_listing(rows, found)}"


def _listing(rows: Rows, found: list[Column], first: Column | None = None) -> str:
    """Columns that could be the target: classes, then numbers, and last what says when."""
    classes = [column for column in found if not is_calendar(column)]
    classes.sort(key=lambda column: column is not first)
    numbers = _numbers(rows, classes)
    names = ", ".join(f"'{column.name}'" for column in classes)
    when = ", ".join(f"'{column.name}'" for column in found if is_calendar(column) and column.name not in numbers)
    others = f"{'or ' if names else ''}a number to regress on: {', '.join(numbers)}" if numbers else ""
    return "; ".join(part for part in (names, others, when) if part)


def _numbers(rows: Rows, found: list[Column]) -> list[str]:
    """Names of the columns that could be regressed on, those that say when last."""
    numbers = [column for column in rows.columns if column.kind == "number" and column.aside is None]
    others = [column for column in numbers if column not in found]
    return [column.name for column in sorted(others, key=is_calendar)]


def candidates(rows: Rows) -> list[Column]:
    """List the columns that could be a class label.

    Returns
    -------
    list of Column
        Class labels, booleans, and strings or integers that repeat; none that numbers rows or names a split.
    """
    return [column for column in rows.columns if column.aside is None and _could_be_classes(column, rows.count)]


def _could_be_classes(column: Column, rows: int) -> bool:
    if column.kind in ("class", "boolean"):
        return True
    if column.kind != "string" and not (column.kind == "number" and is_whole(column.values)):
        return False
    distinct = pc.count_distinct(column.values).as_py()
    if distinct < 2 or distinct * ROWS_PER_CLASS > rows:
        return False
    # there may be hundreds of names, but so many numbers are amounts
    return bool(distinct <= FEW_CLASSES or (column.kind == "string" and _words(column.values) <= TEXT_WORDS))


def _words(values: pa.ChunkedArray) -> float:
    names = pc.unique(values.slice(0, 10_000).drop_null()).to_pylist()
    return float(np.mean([len(name.split()) for name in names])) if names else 0.0


def read(column: Column, *, kind: Literal["classes", "values"] | None = None) -> Target:
    """Read a target column.

    Parameters
    ----------
    column : Column
        Class labels, strings, integers, booleans, or numbers.
    kind : {"classes", "values"}, optional
        How to take it, where the default would be the other one.

    Raises
    ------
    UsageError
        If the column cannot be a target: free text, images, lists.
    DataError
        If no row has a usable target, or all rows have the same one.
    """
    if column.kind in ("class", "boolean"):
        target = _classes_of_numbers(column)
    elif column.kind == "string":
        target = _classes_of_strings(column, said=kind == "classes" or column.is_category)
    elif column.kind == "number":
        as_classes = kind == "classes" or (kind is None and _looks_like_classes(column.values))
        target = _classes_of_numbers(column, minus_one=kind == "classes") if as_classes else _values(column)
    else:
        raise UsageError(
            f"column '{column.name}' holds {_plural(column)}, which cannot be a target; choose a column with one label "
            "a row"
        )
    if kind == "values" and target.kind == "classes":
        raise UsageError(
            f"column '{column.name}' holds {column.kind} values, which cannot be regressed on; choose a numeric column"
        )
    if not target.usable.any():
        raise DataError(f"column '{column.name}' has no usable target in any row; choose another column with --target")
    if target.kind == "classes" and len(target.names) < 2:
        raise DataError(
            f"column '{column.name}' has one class only ('{target.names[0]}'): there is nothing to tell apart, so "
            "0 bits by definition; choose another column with --target"
        )
    if target.kind == "values" and target.values[target.usable].min() == target.values[target.usable].max():
        raise DataError(f"column '{column.name}' has the same value in every row; choose another column with --target")
    return target


def _plural(column: Column) -> str:
    """Name what a column that is no target holds."""
    kind = column.values.type
    if is_list(kind):
        return "lists"
    return f"values of type {kind}" if column.kind == "other" else f"{column.kind}s"


def _looks_like_classes(values: pa.ChunkedArray) -> bool:
    if not is_whole(values):
        return False
    distinct = pc.count_distinct(values).as_py()
    return bool(distinct <= FEW_CLASSES and distinct * ROWS_PER_CLASS <= len(values))


def _classes_of_numbers(column: Column, *, minus_one: bool = False) -> Target:
    """Class labels, booleans and integers: null, −1 and out-of-range ids are no labels, unless −1 is said to be one."""
    values = column.values
    null = values.is_null().to_numpy(zero_copy_only=False)
    # unsigned numbers beyond 2⁶³ are rare enough as labels to be told apart as doubles
    wide = pa.types.is_floating(values.type) or pa.types.is_uint64(values.type)
    ids = values.cast(pa.float64() if wide else pa.int64(), safe=False).fill_null(0).to_numpy()
    reasons = [("without a label", null)]
    if column.class_names is not None:
        no_label = ~null & (ids == -1)
        outside = ~null & ~no_label & ((ids < 0) | (ids >= len(column.class_names)))
        reasons += [
            ("with the label −1", no_label),
            (f"with a label outside 0..{len(column.class_names) - 1}", outside),
        ]
    elif column.kind != "boolean":
        if ids.dtype == np.float64:
            reasons.append(("with a label that is not finite", ~null & ~np.isfinite(ids)))
        present = set(np.unique(ids[~null & np.isfinite(ids)]).tolist())
        # beside ids from 0 it says "none"; beside one other it is the other class, as in {−1, 1}
        if not minus_one and min(present, default=0) == -1 and len(present) > 2:
            reasons.append(("with the label −1", ~null & (ids == -1)))
    usable, dropped = _sift(len(ids), reasons)
    present_ids, codes = np.unique(ids[usable], return_inverse=True)
    if column.kind == "boolean":
        names = tuple(str(bool(value)).lower() for value in present_ids)
    elif column.class_names is not None:
        names = tuple(column.class_names[int(value)] for value in present_ids)
    else:
        names = tuple(f"{value:g}" if isinstance(value, float) else str(value) for value in present_ids.tolist())
    return _classes(column.name, usable, codes, names, dropped)


def _classes_of_strings(column: Column, *, said: bool = False) -> Target:
    """Class names, which have to repeat unless the user said that they are classes."""
    values = column.values.combine_chunks().cast(pa.large_string())
    null = values.is_null().to_numpy(zero_copy_only=False)
    blank = ~null & (pc.utf8_length(pc.utf8_trim_whitespace(values)).fill_null(0).to_numpy(zero_copy_only=False) == 0)
    usable, dropped = _sift(len(values), [("without a label", null), ("with an empty label", blank)])
    written = values.filter(pa.array(usable))
    # one name may be spelt in two ways that look the same
    encoded = pc.utf8_normalize(pc.utf8_trim_whitespace(written), form="NFC").dictionary_encode()
    spelt = pc.unique(written).to_pylist()
    names = encoded.dictionary.to_pylist()
    words = float(np.mean([len(name.split()) for name in names])) if names else 0.0
    # names that hardly repeat are text where they are many, or sentences
    crowded = len(names) * 2 > len(encoded) and (len(names) > TEXT_DISTINCT or words > 2)
    if not said and (crowded or words > TEXT_WORDS):
        raise UsageError(
            f"column '{column.name}' is free text ({len(names)} different values in {len(encoded)} rows, {words:.0f} "
            "words each), which cannot be a target; choose a column of labels with --target, add one that grades "
            "the answers, such as whether each is correct, or say --kind classes"
        )
    # Codes follow the sorted names, so that they do not depend on the order of rows.
    order = np.argsort(np.array(names, dtype=object), kind="stable") if names else np.array([], dtype=np.int64)
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    codes = rank[encoded.indices.to_numpy(zero_copy_only=False)] if names else rank
    target = _classes(column.name, usable, codes, tuple(names[i] for i in order), dropped)
    return replace(target, notes=spellings(spelt))


def _classes(
    name: str,
    usable: NDArray[np.bool_],
    codes: NDArray[np.int64],
    names: tuple[str, ...],
    dropped: tuple[Dropped, ...],
) -> Target:
    known: dict[str, int] = {}
    notes = spellings(names)
    places = np.array([known.setdefault(class_name(each), len(known)) for each in names], dtype=np.int64)
    everywhere = np.full(len(usable), -1, dtype=np.int64)
    everywhere[usable] = places[codes] if len(places) else codes
    return Target(name, "classes", usable, everywhere, np.full(len(usable), np.nan), tuple(known), dropped, notes)


def _values(column: Column) -> Target:
    raw = column.values.cast(pa.float64()).to_numpy()
    null = column.values.is_null().to_numpy(zero_copy_only=False)
    usable, dropped = _sift(
        len(raw),
        [("without a target", null), ("with a target that is not finite", ~null & ~np.isfinite(raw))],
    )
    values = np.where(usable, raw, np.nan)
    return Target(column.name, "values", usable, np.full(len(raw), -1, dtype=np.int64), values, (), dropped)


def _sift(count: int, reasons: list[tuple[str, NDArray[np.bool_]]]) -> tuple[NDArray[np.bool_], tuple[Dropped, ...]]:
    usable = np.ones(count, dtype=bool)
    dropped = []
    for reason, bad in reasons:
        if bad.any():
            dropped.append(Dropped.of(f"rows {reason}", np.flatnonzero(bad).tolist()))
            usable &= ~bad
    return usable, tuple(dropped)
