"""What a column is for by its name and its values: what numbers rows, names a split, or says when."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ibc_report.data.column_types import typed
from ibc_report.data.sources.rows import Column

__all__ = ["IDENTIFIER", "SPLIT", "is_calendar", "is_whole", "set_aside"]

IDENTIFIER = "an identifier"
SPLIT = "the split that a row is in"
ROW_NUMBERS = "only the number of each row"

SPLIT_NAMES = re.compile(
    r"(data_?set_?|data_?)?(split|fold|partition|subset)s?(_?(id|index|no|number))?|k_?fold|cv_?folds?|set|usage"
    r"|is_(train|test|val|valid|validation|dev)|train_?(or_?)?test(_split)?"
)
"""Names of columns that say which split a row is in."""

SPLIT_WORDS = frozenset(
    {"train", "training", "trn", "val", "valid", "validation", "dev", "development", "test", "testing", "tst"}
    | {"eval", "evaluation", "holdout", "heldout"}
)

MOST_SPLITS = 20

ID_NAMES = re.compile(
    r"(.*_)?(id|ids|idx|uuid|guid|uid|rownum)|(row|record|sample|serial|case|observation|obs|patient|passenger)_?"
    r"(id|no|nr|num|number|index)?|index|key|level_\d+|unnamed(:?_\d+)*|id_.*"
)
"""Names of identifiers and of saved indexes."""

HASH = r"^(0x)?[0-9a-fA-F]{8}-?[0-9a-fA-F-]{4,}$"
"""Strings that are hashes or UUIDs."""

FEWEST = 20
"""In fewer rows numbers that follow on each other may be a measurement."""

MOSTLY = 0.5
"""A column with the name of an identifier is one where more than this share of its values are different."""

CALENDAR_NAMES = re.compile(
    r"(.*_)?(year|yr|quarter|qtr|month|mnth|mon|week|weekday|day|days|dow|doy|hour|hr|hours|minute|second|weekofyear"
    r"|day_?of_?(the_?)?(week|month|year)|date|time|timestamp|datetime)"
)


def set_aside(column: Column, numbers: NDArray[np.int64] | None = None) -> str | None:
    """Say why a column is no input unless it is asked for.

    Parameters
    ----------
    numbers : ndarray of int64, optional
        Numbers of its rows in the source, where not all are there.

    Returns
    -------
    str or None
        A noun phrase; None for an input.

    Examples
    --------
    >>> set_aside(Column("record_id", "number", pa.chunked_array([[70, 12, 35]])))
    'an identifier'
    >>> set_aside(Column("fold", "string", pa.chunked_array([["train", "val", "train"]])))
    'the split that a row is in'
    """
    if column.aside is not None:
        return column.aside
    if column.kind not in ("string", "number", "boolean"):
        return None
    if _names_splits(column):
        return SPLIT
    if column.kind == "string":
        return IDENTIFIER if _identifies(column) else None
    if column.kind == "number" and is_whole(column.values):
        if _numbers_rows(column.values, numbers):
            return ROW_NUMBERS
        return IDENTIFIER if _named_so(column) and _mostly_different(column) else None
    return None


def is_calendar(column: Column) -> bool:
    """Tell whether a column says when, by its name or its values.

    Examples
    --------
    >>> is_calendar(Column("Month", "number", pa.chunked_array([[5, 6]])))
    True
    """
    return typed(column).kind == "date" or CALENDAR_NAMES.fullmatch(_usual(column.name)) is not None


def is_whole(values: pa.ChunkedArray) -> bool:
    """Tell whether all numbers are whole: a missing label makes a CSV's whole column floating.

    Examples
    --------
    >>> is_whole(pa.chunked_array([[1.0, None, 3.0]])), is_whole(pa.chunked_array([[1.5]]))
    (True, False)
    """
    if pa.types.is_integer(values.type):
        return True
    if not pa.types.is_floating(values.type):
        return False
    finite = values.filter(pc.is_finite(values))
    return len(finite) > 0 and bool(pc.all(pc.equal(pc.round(finite), finite)).as_py())


def _usual(name: str) -> str:
    """A name in small letters, its words joined by underscores."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\W_]+", "_", parted).strip("_").lower()


def _names_splits(column: Column) -> bool:
    named = SPLIT_NAMES.fullmatch(_usual(column.name)) is not None
    if column.kind == "string":
        distinct = pc.unique(column.values.slice(0, 10_000).drop_null())
        if not 0 < len(distinct) <= MOST_SPLITS:
            return False
        words = [set(re.split(r"[\W_]+", str(text).lower())) for text in distinct.to_pylist()]
        if len(words) > 1 and all(found & SPLIT_WORDS for found in words):
            return True
    return named and bool(pc.count_distinct(column.values).as_py() <= MOST_SPLITS)


def _numbers_rows(values: pa.ChunkedArray, numbers: NDArray[np.int64] | None) -> bool:
    """Whether whole numbers follow on each other, in any order; or count the rows where some are not there."""
    count = len(values)
    if values.null_count or count < FEWEST:
        return False
    extremes = pc.min_max(values).as_py()
    if numbers is not None:
        found = np.asarray(values.cast(pa.float64()).to_numpy())
        return bool((np.diff(found) == np.diff(numbers)).all())
    if extremes["max"] - extremes["min"] != count - 1:
        return False
    return bool(pc.count_distinct(values).as_py() == count)


def _named_so(column: Column) -> bool:
    return ID_NAMES.fullmatch(_usual(column.name) or "unnamed") is not None


def _mostly_different(column: Column) -> bool:
    present = len(column.values) - column.values.null_count
    return bool(present > 1 and pc.count_distinct(column.values).as_py() > MOSTLY * present)


def _identifies(column: Column) -> bool:
    """Whether strings are names of rows: by the column's name, and of one word; or all hashes."""
    present = column.values.drop_null()
    if not len(present) or not _mostly_different(column):
        return False
    if _named_so(column):
        return not pc.any(pc.match_substring_regex(pc.utf8_trim_whitespace(present), r"\s\S+\s")).as_py()
    return bool(
        pc.all(pc.match_substring_regex(present.slice(0, 100), HASH)).as_py()
        and pc.all(pc.match_substring_regex(present, HASH)).as_py()
    )
