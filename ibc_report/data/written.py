"""Strings that stand for numbers or vectors: with marks between thousands, with a unit, or printed as lists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ibc_report.data.column_types import NUMBER, many_values, present
from ibc_report.data.sources.rows import Column

__all__ = ["understood"]

GROUPED = r"^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$"
"""A number with commas between thousands."""

WITH_COMMA = r"^[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+$"
"""A number with a decimal comma."""

NOT_THREE = r",(\d{1,2}|\d{4,})$"
"""A comma that is none between thousands."""

GROUPED_BY_DOTS = r"^[+-]?\d{1,3}(\.\d{3})+$"

UNITS = "$€£¥₹%"
"""What stands before or after sums of money, and after shares."""

LIST = r"^[\[(][\s\d.eE+\-,\[\]()naif]*[\])]$"
"""What looks like a printed list of numbers."""

SHORTENED = r"^[\[(].*\.\.\..*[\])]$"


def understood(column: Column) -> tuple[Column, str | None]:
    """Read strings as the numbers or vectors that they stand for, where all of them do.

    Returns
    -------
    column : Column
        The column itself where they do not.
    how : str or None
        As what it was read, as in "numbers with commas between thousands".

    Examples
    --------
    >>> column, how = understood(Column("cost", "string", pa.chunked_array([["1,250.50", "75"]])))
    >>> column.values.to_pylist(), how
    ([1250.5, 75.0], 'numbers with commas between thousands')
    """
    if column.kind != "string" or column.is_category:
        return column, None
    strings = present(column)
    first = strings.drop_null().slice(0, 1).to_pylist()
    if not first:
        return column, None
    if first[0][0] in "[(":
        return _vectors(column, strings)
    return _numbers(column, strings)


def _numbers(column: Column, strings: pa.ChunkedArray) -> tuple[Column, str | None]:
    unit = _unit(strings)
    if unit and not many_values(column):
        # a few shares or sums are categories
        return column, None
    bare = pc.utf8_trim_whitespace(pc.replace_substring(strings, unit, "")) if unit else strings
    with_unit = f" in {unit}" if unit else ""
    if _all(bare, f"({NUMBER})|({GROUPED})"):
        if not unit and not _any(bare, GROUPED):
            return column, None
        commas = " with commas between thousands" if _any(bare, GROUPED) else ""
        return _read(column, pc.replace_substring(bare, ",", "")), f"numbers{with_unit}{commas}"
    whole = rf"({WITH_COMMA})|({GROUPED_BY_DOTS})|^[+-]?\d+$"
    if _all(bare, whole) and _any(bare, NOT_THREE):
        points = pc.replace_substring(pc.replace_substring(bare, ".", ""), ",", ".")
        return _read(column, points), f"numbers{with_unit} with decimal commas"
    return column, None


def _unit(strings: pa.ChunkedArray) -> str:
    """The mark that all of them begin with, or end with."""
    first = str(strings.drop_null()[0].as_py())
    for unit, test in ((first[:1], pc.starts_with), (first[-1:], pc.ends_with)):
        if unit and unit in UNITS and pc.all(test(strings, pattern=unit)).as_py():
            return unit
    return ""


def _read(column: Column, strings: pa.ChunkedArray) -> Column:
    bare = pc.replace_substring_regex(strings, r"^\+", "")
    return replace(column, kind="number", values=bare.cast(pa.float64()))


def _vectors(column: Column, strings: pa.ChunkedArray) -> tuple[Column, str | None]:
    if _any(strings, SHORTENED):
        return replace(column, kind="other"), "lists that were shortened when they were printed: write them whole"
    if not _all(strings, LIST):
        return column, None
    spaced = pc.utf8_trim_whitespace(pc.replace_substring_regex(strings, r"[\[\](),\s]+", " "))
    parts = pc.split_pattern(spaced, " ").combine_chunks()
    try:
        numbers = parts.flatten().cast(pa.float64())
    except pa.ArrowInvalid:
        return column, None
    if len(numbers) < 2 * (len(parts) - parts.null_count):
        # a number in brackets is no vector
        return column, None
    lengths = parts.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    ends = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))
    lists = pa.LargeListArray.from_arrays(ends, numbers, mask=parts.is_null())
    return replace(column, kind="vector", values=pa.chunked_array([lists])), "vectors"


def _all(strings: pa.ChunkedArray, pattern: str) -> bool:
    # most columns fail at once, and long ones are not read through for that
    found = (pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in (strings.slice(0, 100), strings))
    return all(found)


def _any(strings: pa.ChunkedArray, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(strings, pattern)).as_py())
