"""Tables from JSON: a record a line, or one document of any of the shapes in which programs write tables."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.json as pajson
from numpy.typing import NDArray

from ibc_report.common.endings import is_packed
from ibc_report.common.errors import DataError
from ibc_report.data.sources.rows import Dropped
from ibc_report.data.sources.storage import mixed

__all__ = ["JsonTables", "read_document", "read_lines"]

SHOWN = 3
"""Keys of an object that an error names."""

CONVERT = 'write one object a row, as in [{"text": "…", "label": "…"}, …]'

BLOCK = 1 << 24
"""Bytes of JSON Lines that are read at a time: a line has to fit."""


@dataclass(frozen=True, slots=True)
class JsonTables:
    """Tables by their split, the lines that were lost, and the numbers of those that were not.

    Parameters
    ----------
    tables : dict of str to pyarrow.Table
        One, named "train", where the document names none.
    numbers : ndarray of int64, or None
        Of the lines in the table, from 0; None where it has them all.
    """

    tables: dict[str, pa.Table]
    dropped: tuple[Dropped, ...] = ()
    numbers: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()


def read_lines(path: Path) -> JsonTables:
    """Read JSON Lines; a line that holds no object is lost and counted, and values of several types are text.

    Raises
    ------
    DataError
        If no line holds an object.
    """
    _refuse_deep(path)
    try:
        options = pajson.ReadOptions(block_size=BLOCK)
        return JsonTables({"train": pajson.read_json(str(path), read_options=options)})
    except pa.ArrowException:
        # one line of another form stops that reader, which is the fast one
        return _line_by_line(path)


def read_document(path: Path) -> JsonTables:
    """Read a JSON document: records, columns, what pandas writes, splits of either, or JSON Lines.

    Raises
    ------
    DataError
        If it is no JSON, or no table; the message says which shape it has and how to convert it.
    """
    with _opened(path) as stream:
        try:
            document = json.load(stream)
        except ValueError as error:
            if isinstance(error, UnicodeDecodeError):
                raise
            fault = error
        else:
            return _of_document(path, document)
    try:
        return read_lines(path)
    except DataError:
        raise DataError(f"{path} cannot be read as json: {fault}") from fault


def _refuse_deep(path: Path) -> None:
    """Raise a RecursionError for a line that is nested too deep: the fast reader would kill the process."""
    most = sys.getrecursionlimit()
    with gzip.open(path) if is_packed(path) else path.open("rb") as stream:
        for line in stream:
            if line.count(b"[") + line.count(b"{") >= most:
                with suppress(ValueError):
                    json.loads(line)


def _opened(path: Path) -> TextIO:
    return gzip.open(path, "rt", encoding="utf-8-sig") if is_packed(path) else path.open(encoding="utf-8-sig")


def _line_by_line(path: Path) -> JsonTables:
    good: list[dict[str, Any]] = []
    bad: list[int] = []
    kept: list[int] = []
    with _opened(path) as stream:
        for number, line in enumerate(line for line in stream if line.strip()):
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if isinstance(record, dict):
                good.append(record)
                kept.append(number)
            else:
                bad.append(number)
    if not good:
        raise DataError(f"{path} has no line that is a JSON object; give JSON Lines, one object a line")
    lost = (Dropped.of("lines that do not hold a JSON object", bad),) if bad else ()
    return JsonTables({"train": _of_records(good)}, lost, np.array(kept, dtype=np.int64) if bad else None)


def _of_document(path: Path, document: Any) -> JsonTables:
    table = _table(document)
    if table is not None:
        return JsonTables({"train": table}, notes=_unnamed(document))
    if isinstance(document, dict):
        # a file of all splits, or a table among words about it
        tables = {name: found for name, part in document.items() if (found := _table(part)) is not None}
        long = {name: found for name, found in tables.items() if isinstance(document[name], list)} or tables
        if len(long) == 1 and len(document) > 1:
            (name,) = long
            return JsonTables({"train": long[name]}, notes=(f"The rows are those under the key '{name}'.",))
        if long:
            return JsonTables(long, notes=_unnamed(document[next(iter(long))]))
    raise DataError(f"{path} is JSON, but no table: it is {_shape(document)}; {CONVERT}")


def _table(value: Any) -> pa.Table | None:
    """A table, where a value has the shape of one."""
    if isinstance(value, list) and value:
        if all(isinstance(record, dict) for record in value):
            return _of_records(value)
        if all(isinstance(record, list) for record in value) and len({len(record) for record in value}) == 1:
            return _of_rows(value, [f"x{number}" for number in range(1, len(value[0]) + 1)]) if value[0] else None
    if isinstance(value, dict) and value:
        return _of_object(value)
    return None


def _of_object(value: Mapping[str, Any]) -> pa.Table | None:
    names, data = value.get("columns"), value.get("data")
    if isinstance(names, list) and isinstance(data, list) and all(isinstance(record, list) for record in data):
        return _of_rows(data, [str(name) for name in names])
    if isinstance(data, list) and isinstance(value.get("schema"), dict) and data:
        return _table(data)
    parts = list(value.values())
    if (
        all(isinstance(part, dict) for part in parts)
        and parts[0]
        and all(part.keys() == parts[0].keys() for part in parts)
    ):
        if all(name.isdecimal() for name in value) and not all(name.isdecimal() for name in parts[0]):
            return _of_records(parts)
        return _of_columns({name: list(part.values()) for name, part in value.items()})
    lists = all(isinstance(part, list) for part in parts) and len({len(part) for part in parts}) == 1
    if lists and parts[0] and not any(isinstance(item, list | dict) for part in parts for item in part[:1]):
        return _of_columns(value)
    return None


def _of_records(records: Sequence[Mapping[str, Any]]) -> pa.Table:
    keys = dict.fromkeys(key for record in records for key in record)
    return _of_columns({key: [record.get(key) for record in records] for key in keys})


def _of_rows(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> pa.Table:
    width = len(names)
    return _of_columns(
        {name: [row[i] if i < len(row) else None for row in rows] for i, name in zip(range(width), names, strict=True)}
    )


def _of_columns(columns: Mapping[str, Sequence[Any]]) -> pa.Table:
    return pa.table([mixed(list(values)) for values in columns.values()], names=list(columns))


def _unnamed(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and value and isinstance(value[0], list):
        return (f"The rows have no names for their columns, which are called x1 to x{len(value[0])}.",)
    return ()


def _shape(value: Any) -> str:
    if isinstance(value, list):
        kinds = sorted({type(item).__name__ for item in value[:100]})
        inner = " and ".join(
            {"dict": "objects", "list": "lists of several lengths", "str": "strings"}.get(kind, f"values ({kind})")
            for kind in kinds
        )
        return f"a list of {inner}" if value else "an empty list"
    if isinstance(value, dict):
        keys = ", ".join(f"'{key}' ({type(item).__name__})" for key, item in list(value.items())[:SHOWN])
        return (
            f"an object of {len(value)} keys: {keys}{', …' if len(value) > SHOWN else ''}"
            if value
            else "an empty object"
        )
    return f"one value, {json.dumps(value)[:40]}"
