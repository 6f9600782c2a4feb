"""Tables of separated text: where the names of the columns are, and what the columns hold.

Numbers, booleans and missing values are read as pandas reads them; but a column with a number that starts with a zero
is one of codes, and stays one of strings.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from ibc_report.common.endings import is_packed
from ibc_report.common.errors import DataError
from ibc_report.data.sources import ragged_csv
from ibc_report.data.sources.rows import Dropped

__all__ = ["Delimited", "read"]

MISSING = (
    "",
    "#N/A",
    "#N/A N/A",
    "#NA",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "<NA>",
    "N/A",
    "NA",
    "NULL",
    "NaN",
    "None",
    "n/a",
    "nan",
    "null",
)
"""What pandas takes for a missing value."""

UNKNOWN = frozenset({*MISSING, "?", "-", "--"})
"""What says nothing of what a column holds."""

LOOKED_AT = 200
"""Records that tell whether the first one has names."""

DENSE = 5
"""A column of strings with so many rows for each of its values has categories."""

FEWEST_COUNTED = 3
"""So many numbers that count up by one are names of columns, such as pixels or years."""

NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"

CODE = rb"""(?:^|[,\t"])\s*[+-]?0\d"""
"""Where a number may start with a zero."""

WHOLE = 2.0**53
"""Doubles do not hold every whole number beyond."""


@dataclass(frozen=True, slots=True)
class Delimited:
    """A table, the records that were lost, the numbers of those that were not, and how the file was taken.

    Parameters
    ----------
    numbers : ndarray of int64, or None
        Of the records in the table, from 0; None where it has them all.
    """

    table: pa.Table
    dropped: tuple[Dropped, ...] = ()
    numbers: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()


def read(path: Path, separator: str, *, header: bool | None = None, texts: Collection[str] = frozenset()) -> Delimited:
    """Read a file of separated text, packed by gzip or not.

    Parameters
    ----------
    header : bool, optional
        Whether the first record has the names of the columns. By default it has unless it looks like the others.
    texts : collection of str
        Columns that hold strings, whatever they look like.

    Raises
    ------
    DataError
        If the file is not UTF-8, or has no record besides the header.
    """
    _refuse_utf16(path)
    with opened(path) as stream:
        head = list(islice(ragged_csv.records(stream, separator), LOOKED_AT))
    named = looks_named(head) if header is None else header
    names = _names(head[0] if head else [], named=named)
    notes = () if named or header is not None else (_unnamed(names),)
    try:
        found = Delimited(_Reading(lambda: str(path), names, separator, int(named), texts).table())
    except _UnevenError:
        with opened(path) as stream:
            records = ragged_csv.even(stream, separator, names, named=named, path=path)
        text = records.text.encode()
        table = _Reading(lambda: io.BytesIO(text), names, ",", 0, texts).table()
        found = Delimited(table, records.dropped, records.numbers)
    if found.table.num_rows == 0:
        raise DataError(f"{path} cannot be read: it has no rows; give a file that has some")
    found = Delimited(found.table, found.dropped, found.numbers, notes)
    return _without_second_header(found) if named else found


def opened(path: Path) -> TextIO:
    """Open a file as text, without the mark that some programs begin it with."""
    if is_packed(path):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def looks_named(head: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first of some records has names of columns.

    It has none where a column of numbers has a number there, or every column of categories one of its categories, and
    no column of numbers has a word there. Numbers that count up by one are names, such as those of pixels.

    Examples
    --------
    >>> looks_named([["length", "kind"], ["5.1", "a"], ["4.9", "b"]])
    True
    >>> looks_named([["5.1", "a"], ["4.9", "a"], ["4.7", "a"], ["4.6", "b"]])
    False
    """
    first, rest = (head[0] if head else []), head[1:]
    if not rest or any(len(record) > len(first) for record in rest) or _count_up(first):
        return True
    numbers = categories = 0
    for place, text in enumerate(first):
        values = [record[place] for record in rest if place < len(record) and record[place].strip() not in UNKNOWN]
        if text.strip() in UNKNOWN or not values:
            continue
        is_number = re.match(NUMBER, text) is not None
        if all(re.match(NUMBER, value) for value in values):
            if not is_number:
                return True
            numbers += 1
        elif len(values) >= DENSE * len(set(values)):
            if text not in values:
                return True
            categories += 1
    return numbers + categories == 0


def _count_up(names: Sequence[str]) -> bool:
    counts = [int(name) for name in names if name.strip().isdecimal()]
    steps = {after - before for before, after in pairwise(counts)}
    return len(counts) >= FEWEST_COUNTED and steps == {1}


def _unnamed(names: Sequence[str]) -> str:
    last = f" to {names[-1]}" if len(names) > 1 else ""
    return (
        f"The first line looks like the others, so it was read as a row, and the columns are called {names[0]}{last}; "
        "--header takes it for names."
    )


def _names(first: Sequence[str], *, named: bool) -> list[str]:
    """Names of the columns, each another one, as pandas makes them."""
    if not named:
        return [f"x{number}" for number in range(1, len(first) + 1)]
    names: list[str] = []
    for place, name in enumerate(first):
        wanted = name if name.strip() else f"Unnamed: {place}"
        repeats = sum(1 for earlier in first[:place] if earlier == name and name.strip())
        names.append(f"{wanted}.{repeats}" if repeats else wanted)
    return names


def _refuse_utf16(path: Path) -> None:
    with gzip.open(path) if is_packed(path) else path.open("rb") as stream:
        start = stream.read(64)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in start:
        raise DataError(f"{path} cannot be read: it is UTF-16 or no text at all; save it as UTF-8")


class _UnevenError(Exception):
    """A record has more or fewer fields than there are columns."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a file is read, as often as it has to be."""

    source: Callable[[], Any]
    names: Sequence[str]
    separator: str
    skip: int
    texts: Collection[str]

    def table(self) -> pa.Table:
        """Read it, and read columns anew that the reader took for something else than pandas would."""
        texts = {name: pa.large_string() for name in self.names if name in self.texts}
        table = self._read(self.names, texts)
        if any(pa.types.is_binary(kind) for kind in table.schema.types):
            self._refuse_encoding()
        doubtful = [field.name for field in table.schema if self._is_doubtful(field, table)]
        if doubtful:
            strings = self._read(doubtful, dict.fromkeys(doubtful, pa.large_string()))
            for name in doubtful:
                place = table.schema.get_field_index(name)
                table = table.set_column(place, name, _unless_codes(strings.column(name), table.column(name)))
        plain = {name: table.column(name) for name in table.column_names}
        return pa.table({name: values if name in texts else _as_pandas(values) for name, values in plain.items()})

    def _read(self, names: Sequence[str], types: dict[str, pa.DataType]) -> pa.Table:
        uneven = []

        def skipped(row: Any) -> str:
            uneven.append(row.actual_columns)
            return "skip"

        found = pacsv.read_csv(
            self.source(),
            read_options=pacsv.ReadOptions(column_names=self.names, skip_rows_after_names=self.skip),
            parse_options=pacsv.ParseOptions(
                delimiter=self.separator, newlines_in_values=True, invalid_row_handler=skipped
            ),
            convert_options=pacsv.ConvertOptions(
                null_values=MISSING,
                strings_can_be_null=True,
                true_values=["True", "TRUE", "true"],
                false_values=["False", "FALSE", "false"],
                include_columns=list(names),
                column_types=types,
            ),
        )
        if uneven:
            raise _UnevenError
        return found

    def _is_doubtful(self, field: pa.Field, table: pa.Table) -> bool:
        kind = field.type
        if pa.types.is_temporal(kind):
            return True
        if pa.types.is_floating(kind):
            largest = pc.max(pc.abs(table.column(field.name))).as_py()
            return largest is not None and largest > WHOLE and _is_whole(table.column(field.name))
        return pa.types.is_integer(kind) and self._has_codes()

    def _has_codes(self) -> bool:
        with _bytes(self.source()) as stream:
            last = b"\n"
            while block := stream.read(1 << 22):
                if re.search(CODE, last + block, re.MULTILINE):
                    return True
                last = block[-8:]
        return False

    def _refuse_encoding(self) -> None:
        """Find the byte that is not UTF-8, and let its error say where it is."""
        with _bytes(self.source()) as stream:
            stream.read().decode("utf-8")


def _bytes(source: Any) -> Any:
    if isinstance(source, io.BytesIO):
        return source
    return gzip.open(source) if is_packed(Path(source)) else Path(source).open("rb")


def _is_whole(values: pa.ChunkedArray) -> bool:
    finite = values.filter(pc.is_finite(values))
    return bool(pc.all(pc.equal(pc.floor(finite), finite)).as_py())


def _unless_codes(strings: pa.ChunkedArray, numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Strings where they are dates, or digits that a number does not hold; the numbers otherwise."""
    if pa.types.is_temporal(numbers.type):
        return strings
    pattern = r"^\s*[+-]?0\d" if pa.types.is_integer(numbers.type) else r"^\s*[+-]?\d{17,}\s*$"
    return strings if pc.any(pc.match_substring_regex(strings, pattern)).as_py() else numbers


def _as_pandas(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers with missing ones, and columns of nothing, are doubles; a plus before numbers is read."""
    if pa.types.is_null(values.type) or (pa.types.is_integer(values.type) and values.null_count):
        return values.cast(pa.float64())
    if pa.types.is_string(values.type):
        values = values.cast(pa.large_string())
    if pa.types.is_large_string(values.type) and _is_number(values, first=100) and _is_number(values):
        plain = pc.replace_substring_regex(pc.utf8_trim_whitespace(values), r"^\+", "")
        if not pc.any(pc.match_substring_regex(plain, r"^-?0\d|\d{17,}")).as_py():
            return plain.cast(pa.float64())
    return values


def _is_number(values: pa.ChunkedArray, first: int | None = None) -> bool:
    return bool(pc.all(pc.match_substring_regex(values.slice(0, first), NUMBER)).as_py())


def _without_second_header(found: Delimited) -> Delimited:
    """Leave out a first record of words over columns that are of numbers without it, such as their units."""
    table = found.table
    spoilt = []
    for name in table.column_names:
        first, rest = table.column(name).slice(0, 1), table.column(name).slice(1)
        if pa.types.is_large_string(first.type):
            numeric = len(rest) > rest.null_count and _is_number(rest, first=100) and _is_number(rest)
            spoilt += [name] if numeric and not _is_number(first) else []
        elif pa.types.is_primitive(first.type) and first.null_count == 0:
            return found
    if len(spoilt) < 2:
        return found
    rest = table.slice(1)
    for name in spoilt:
        place = rest.schema.get_field_index(name)
        rest = rest.set_column(place, name, _as_pandas(rest.column(name).cast(pa.large_string())))
    numbers = np.arange(table.num_rows) if found.numbers is None else found.numbers
    lost = Dropped.of("lines that are a second header", [int(numbers[0])])
    return Delimited(rest, (*found.dropped, lost), numbers[1:], found.notes)
