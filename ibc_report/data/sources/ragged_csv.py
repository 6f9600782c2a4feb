"""CSV files that are not quite tables: lines longer than the header, another separator, other columns than beside."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.endings import SEPARATORS
from ibc_report.common.errors import DataError
from ibc_report.data.sources.rows import Dropped

__all__ = ["LOOKED_AT", "Even", "even", "other_columns", "other_separator", "records"]

OTHER_SEPARATORS = (";", "\t", "|", ",")
"""A table whose one column has one of these in its name was written with that separator."""

LOOKED_AT = 50
"""Values that have to have as many words as the column's name, before spaces are taken for separators."""

SHOWN = 3
"""Columns that an error names."""

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


@dataclass(frozen=True, slots=True)
class Even:
    """Records of one length as text, what was lost, and the numbers of those that are there."""

    text: str
    dropped: tuple[Dropped, ...]
    numbers: NDArray[np.int64] | None


def records(stream: TextIO, separator: str) -> Iterator[list[str]]:
    """Records of a file that are not blank, the header first."""
    yield from (record for record in csv.reader(stream, delimiter=separator) if record)


def even(stream: TextIO, separator: str, names: Sequence[str], *, named: bool, path: Path) -> Even:
    """Read the records that are no longer than the header, and count the longer ones; empty fields do not count.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    named : bool
        Whether the first record has them.
    path : Path
        What an error names.

    Returns
    -------
    Even
        Separated by commas, without a header; short records are filled up.

    Raises
    ------
    DataError
        If every record is longer than the header.
    """
    found = records(stream, separator)
    header = next(found) if named else names
    good = io.StringIO()
    writer = csv.writer(good)
    bad, kept = [], []
    widths = set()
    for number, record in enumerate(found):
        if any(record[len(names) :]):
            bad.append(number)
            widths.add(len(record))
        else:
            kept.append(number)
            writer.writerow([*record[: len(names)], *[""] * (len(names) - len(record))])
    if not kept:
        fields = f"{min(widths)}" if len(widths) == 1 else f"{min(widths)} to {max(widths)}"
        lines = "its one line has" if len(bad) == 1 else f"all of its {len(bad)} lines have"
        raise DataError(
            f"{path} cannot be read: {lines} more fields than the header ({fields} against {len(names)}); "
            + _advice(header, separator, widths)
        )
    lost = (Dropped.of("lines with more fields than the header", bad),) if bad else ()
    return Even(good.getvalue(), lost, np.array(kept, dtype=np.int64) if bad else None)


def _advice(header: Sequence[str], separator: str, widths: set[int]) -> str:
    """What to do with a file whose every line is longer than its header."""
    line = separator.join(header)
    other = next((mark for mark in OTHER_SEPARATORS if mark != separator and line.count(mark) >= len(header)), None)
    if other is not None:
        return f"it seems to be separated by {other!r}: separate it by commas, or by tabs in a .tsv file"
    if any(_NUMBER.fullmatch(name) for name in header):
        return f"the first line, {_shown(header)}, seems to be no header: put the names of all columns there"
    if widths == {len(header) + 1}:
        return "the first column seems to have no name, as row names have none: give it one in the header"
    return "put the names of all columns there, and quote the fields that hold a separator"


def other_separator(name: str, values: Sequence[Any]) -> str | None:
    """Guess what separates the fields of a table that was read as one column.

    Parameters
    ----------
    name : str
        Of the one column.
    values : sequence of str or None
        Its first values.

    Returns
    -------
    str or None
        How an error names the separator; None where the column seems to be one indeed.

    Examples
    --------
    >>> other_separator("a;b", ["1;2"]), other_separator("what they said", ["It was good"])
    ("';'", None)
    >>> other_separator("chins  jumps", ["5  60", "12 101"])
    'spaces'
    """
    found = next((mark for mark in OTHER_SEPARATORS if mark in name), None)
    if found is not None:
        return repr(found)
    words = len(name.split())
    fields = [value.split() for value in values if value is not None]
    as_many = words > 1 and bool(fields) and all(len(row) == words for row in fields)
    # a text of as many words as its column's name has no numbers in the same place of every row
    numeric = as_many and any(all(_NUMBER.fullmatch(row[place]) for row in fields) for place in range(words))
    return "spaces" if numeric else None


def other_columns(folder: Path) -> str | None:
    """Say how the columns of two CSV or TSV files of a folder differ, in their names or in what they hold.

    Parameters
    ----------
    folder : Path
        Where the files lie, at any depth.

    Returns
    -------
    str or None
        A clause; None where all have the same columns, or cannot be read.
    """
    tables = _tables(folder)
    if not tables:
        return None
    first, *others = tables
    named = next(filter(None, (_other_names(first, other) for other in others)), None)
    if named is not None:
        return f"the files of {folder} have not the same columns: {named}"
    pairs = ((column, other) for column in first.header for other in others)
    held = next(filter(None, (_other_values(column, first, other) for column, other in pairs)), None)
    return None if held is None else f"the files of {folder} differ in {held}"


@dataclass(frozen=True, slots=True)
class _Table:
    """A file by its path within a folder, with all its records."""

    name: str
    header: list[str]
    rows: list[list[str]]

    def no_number(self, column: str) -> str | None:
        """The first value of a column that is no number; None where all are."""
        place = self.header.index(column)
        values = (row[place] for row in self.rows if place < len(row) and row[place].strip())
        return next((value for value in values if not _NUMBER.fullmatch(value)), None)


def _tables(folder: Path) -> list[_Table]:
    """The CSV and TSV files of a folder that are not empty; none where one of them cannot be read."""
    found = []
    for file in sorted(file for file in folder.rglob("*") if file.suffix.lower() in SEPARATORS):
        try:
            with file.open(encoding="utf-8-sig", newline="") as stream:
                header, *rows = [*records(stream, SEPARATORS[file.suffix.lower()])] or [[]]
        except (csv.Error, UnicodeDecodeError):
            return []
        found.append(_Table(str(file.relative_to(folder)), header, rows))
    return [table for table in found if table.header]


def _other_names(first: _Table, other: _Table) -> str | None:
    """How the columns of a second table differ from those of the first in their names."""
    more = [column for column in other.header if column not in first.header]
    fewer = [column for column in first.header if column not in other.header]
    if not more and not fewer:
        return None
    said = [*([f"has {_shown(more)}"] if more else []), *([f"lacks {_shown(fewer)}"] if fewer else [])]
    return f"beside {first.name}, {other.name} {' and '.join(said)}"


def _other_values(column: str, first: _Table, other: _Table) -> str | None:
    """How a column of a second table differs from that of the first, where one holds numbers and one words."""
    here, there = first.no_number(column), other.no_number(column)
    if (here is None) == (there is None):
        return None
    words, numbers = (first.name, other.name) if there is None else (other.name, first.name)
    return f"{column!r}: {numbers} has numbers, {words} {here or there!r}"


def _shown(names: Sequence[str]) -> str:
    """The first few names, quoted."""
    return ", ".join(repr(name) for name in names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
