"""Strings that are numbers or dates, with the marks that tables use for what is missing, and those that are neither."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ibc_report.data.sources.rows import Column

__all__ = ["NUMBER", "are_many", "many_values", "missing_marks", "no_numbers", "present", "typed"]

MOST_CATEGORIES = 50
"""A string column with more different values than this names things rather than sorting them."""

FEW_CATEGORIES = 20
"""With no more different values than this a string column sorts things, however few the rows."""

MARKS = ("?", "-", "--", "n/a", "na", "nan", "none", "null")
"""What tables write, in small or capital letters, where a value is missing."""

MOST_MARKS = 3
"""Different marks that one column may have."""

MOST_MARKED = 0.1
"""Share of a column's strings that may be marks."""

NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"

CODE = r"^[+-]?0[0-9]"
"""A string of digits that starts with a zero is a code, such as a postcode, and no number."""

DATE_LIKE = (
    r"^(\d{4}[/.-]\d{1,2}[/.-]\d{1,2}|\d{1,2}[/.-]\d{1,2}[/.-]\d{4}"
    r"|[A-Za-z]{3,9}\.? \d{1,2},? \d{4}|\d{1,2} [A-Za-z]{3,9}\.? \d{4})\b"
)
"""Strings with a whole year that a reader would take for a date, besides those of ISO 8601."""

NAMED_MONTH = r"^(\d{1,2})[ /-]([A-Za-z]{3,9})[ /-](\d{4}|\d{2})$"

NAMED_MONTH_FORMS = ("%d-%b-%Y", "%d-%B-%Y", "%d-%b-%y", "%d-%B-%y")
"""A day, a month by its name and a year, of two digits or all four; one of two digits lies in 1969 to 2068."""

LONGEST_EXAMPLE = 20


def typed(column: Column) -> Column:
    """Read strings as the dates or numbers that all of them are, but for marks of missing values.

    Returns
    -------
    Column
        Of dates where every string is a date in one form; of numbers where every string is a number and they are too
        many to be categories, or some are marks of missing values (a zero in front makes a string a code); else the
        column itself. A mark, of which there are few, becomes a missing value.

    Examples
    --------
    >>> typed(Column("day", "string", pa.chunked_array([["2007-11-11", None, "2007-12-03"]]))).kind
    'date'
    """
    if column.kind != "string" or column.is_category:
        return column
    strings = present(column)
    if strings.null_count == len(strings):
        return column
    for form in (pa.timestamp("us"), pa.timestamp("us", tz="UTC")):
        try:
            return replace(column, kind="date", values=strings.cast(form))
        except pa.ArrowInvalid:
            continue
    if pc.all(pc.match_substring_regex(strings, NAMED_MONTH)).as_py():
        return _named_months(column, strings)
    if pc.all(pc.match_substring_regex(strings, DATE_LIKE)).as_py():
        return _other_dates(column, strings)
    # a table's numbers come as strings because of the marks alone; without any, few values are categories
    if not missing_marks(column) and not many_values(column):
        return column
    if pc.any(pc.match_substring_regex(strings, CODE)).as_py():
        return column
    try:
        return replace(column, kind="number", values=strings.cast(pa.float64()))
    except pa.ArrowInvalid:
        return column


def present(column: Column) -> pa.ChunkedArray:
    """Strings without space around them; empty ones, and marks of missing values, are missing.

    Examples
    --------
    >>> present(Column("hp", "string", pa.chunked_array([[" 130", "?"] + ["95"] * 20])))[:2].to_pylist()
    ['130', None]
    """
    strings = _trimmed(column.values)
    marked = _marked(strings)
    return strings if marked is None else pc.if_else(marked, None, strings)


def missing_marks(column: Column) -> tuple[str, ...]:
    """List the marks of missing values that a column of strings has.

    Returns
    -------
    tuple of str
        As they are written, sorted; none where they are too many to be marks.

    Examples
    --------
    >>> missing_marks(Column("hp", "string", pa.chunked_array([["130", "?"] + ["95"] * 20])))
    ('?',)
    """
    strings = _trimmed(column.values)
    marked = _marked(strings)
    return () if marked is None else tuple(sorted(pc.unique(strings.filter(marked)).to_pylist()))


def no_numbers(values: pa.ChunkedArray) -> str | None:
    """Say what keeps strings from being numbers, where most of them are.

    Returns
    -------
    str or None
        None where no more than half are numbers.

    Examples
    --------
    >>> no_numbers(pa.chunked_array([["1", "2.5", "3", "x"]]))
    "1 of 4 values is no number, such as 'x'"
    """
    strings = _trimmed(values).drop_null()
    others = strings.filter(pc.invert(pc.match_substring_regex(strings, NUMBER)))
    if not len(others) or 2 * len(others) >= len(strings):
        return None
    text = others[0].as_py()
    shown = text if len(text) <= LONGEST_EXAMPLE else f"{text[:LONGEST_EXAMPLE]}…"
    verb = "is no number" if len(others) == 1 else "are no numbers"
    return f"{len(others)} of {len(strings)} values {verb}, such as {shown!r}"


def many_values(column: Column) -> bool:
    """Tell whether a string column names things rather than sorting them.

    Returns
    -------
    bool
        Whether it has more different values than categories can be.

    Examples
    --------
    >>> many_values(Column("id", "string", pa.chunked_array([[f"row {i}" for i in range(30)]])))
    True
    """
    return not column.is_category and are_many(pc.count_distinct(column.values).as_py(), len(column.values))


def are_many(distinct: int, rows: int) -> bool:
    """Tell whether so many different values in so many rows are too many to be categories."""
    return distinct > MOST_CATEGORIES or (distinct > FEW_CATEGORIES and 2 * distinct > rows)


def _trimmed(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Strings without space around them; empty ones are missing."""
    # a dictionary's strings are plain strings again after a cast
    trimmed = pc.utf8_trim_whitespace(values.cast(pa.large_string()))
    return pc.if_else(pc.equal(trimmed, ""), None, trimmed)


def _marked(strings: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Which strings are marks of missing values; None where none are, or too many to be that."""
    marked = pc.is_in(pc.utf8_lower(strings), value_set=pa.array(MARKS, pa.large_string()))
    count = pc.sum(marked).as_py() or 0
    if not 0 < count <= MOST_MARKED * (len(strings) - strings.null_count):
        return None
    return marked if len(pc.unique(strings.filter(marked))) <= MOST_MARKS else None


def _other_dates(column: Column, strings: pa.ChunkedArray) -> Column:
    """Read strings as dates where all of them are, in one form that pandas knows; the month first where both do."""
    # few tables have such dates
    import pandas as pd

    with warnings.catch_warnings():
        # a form that cannot be told from the first string, or does not fit the order, is no form
        warnings.simplefilter("error")
        for day_first in (False, True):
            try:
                dates = pd.to_datetime(strings.to_pandas(), dayfirst=day_first)
            except (ValueError, UserWarning):
                continue
            return _dated(column, dates)
    return column


def _named_months(column: Column, strings: pa.ChunkedArray) -> Column:
    """Read days with a month's name as dates, where all are in one form."""
    import pandas as pd

    joined = pc.replace_substring_regex(strings, NAMED_MONTH, r"\1-\2-\3").to_pandas()
    for form in NAMED_MONTH_FORMS:
        try:
            return _dated(column, pd.to_datetime(joined, format=form))
        except ValueError:
            continue
    return column


def _dated(column: Column, dates: Any) -> Column:
    values = pa.array(dates, type=pa.timestamp("us"), from_pandas=True)
    return replace(column, kind="date", values=pa.chunked_array([values]))
