"""Columns of an arrow table in a plain form, whatever their storage: views, dictionaries, extensions, records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import PurePath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ibc_report.common.endings import SOUNDS as ENDINGS
from ibc_report.data.sources.rows import Column, Kind, kind_of

__all__ = ["as_text", "columns_of", "mixed", "pandas_index"]

PICTURES = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF")
"""How image files begin: PNG, JPEG, GIF, BMP, TIFF, WebP."""

SOUNDS = (b"fLaC", b"OggS", b"ID3", b"\xff\xfb", b"FORM", b".snd")
"""How files of sounds begin, besides WAV: FLAC, OGG, MP3, AIFF, AU."""

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

PANDAS = "the index of a pandas table"
"""Why its columns are no inputs."""

UNSHOWN = ("Video", "Pdf", "Nifti")
"""Declared features that are stored as pictures are, and are none."""


def columns_of(table: pa.Table, declared: Mapping[str, Any] | None = None) -> tuple[Column, ...]:
    """View a table as columns, without decoding anything.

    Parameters
    ----------
    table : pyarrow.Table
        Of any types. A record gives a column for each of its fields, named "record.field", unless it holds a file.
    declared : mapping, optional
        What `datasets` says of the columns, as `Features.to_dict` writes it; what the table's own metadata say by
        default.

    Returns
    -------
    tuple of Column
        In the order of the table, each of another name; pandas' own index is marked as such.
    """
    known = _declared(table.schema) if declared is None else declared
    index = pandas_index(table.schema)
    found: dict[str, Column] = {}
    for place, name in enumerate(table.column_names):
        for column in _columns(name, known.get(name), table.column(place)):
            free = _free(column.name, found)
            found[free] = replace(column, name=free, aside=PANDAS if name in index else None)
    return tuple(found.values())


def pandas_index(schema: pa.Schema) -> frozenset[str]:
    """Names of the columns that pandas keeps its index in.

    Examples
    --------
    >>> sorted(pandas_index(pa.schema([("a", pa.int64()), ("__index_level_0__", pa.int64())])))
    ['__index_level_0__']
    """
    said = _metadata(schema, b"pandas").get("index_columns", [])
    named = {name for name in said if isinstance(name, str)} if isinstance(said, list) else set()
    return frozenset({name for name in schema.names if name.startswith("__index_level_")} | named)


def as_text(value: Any) -> str | None:
    """Write one value of a column of several types as a table of text would.

    Examples
    --------
    >>> [as_text(value) for value in ("dog/wolf", 7, 7.5, True, None, [1, "a"])]
    ['dog/wolf', '7', '7.5', 'true', None, '[1, "a"]']
    """
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def mixed(values: list[Any]) -> pa.Array:
    """Make an array of whatever values there are: of one type where arrow finds one, else of their text.

    Examples
    --------
    >>> mixed([1, None, 2.5]).type, mixed([1, "?"]).to_pylist()
    (DataType(double), ['1', '?'])
    """
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([as_text(value) for value in values], pa.large_string())


def _declared(schema: pa.Schema) -> Mapping[str, Any]:
    info = _metadata(schema, b"huggingface").get("info")
    features = info.get("features") if isinstance(info, dict) else None
    return features if isinstance(features, dict) else {}


def _metadata(schema: pa.Schema, key: bytes) -> dict[str, Any]:
    try:
        found = json.loads((schema.metadata or {}).get(key, b"{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """A name that no column has yet, in pandas' way."""
    if name not in taken:
        return name
    number = 1
    while f"{name}.{number}" in taken:
        number += 1
    return f"{name}.{number}"


def _columns(name: str, feature: Any, values: pa.ChunkedArray) -> Iterator[Column]:
    declared = feature if isinstance(feature, dict) else {}
    kind = declared.get("_type")
    values = _plain(values, is_json=kind == "Json")
    if kind == "ClassLabel" and not pa.types.is_integer(values.type):
        values, kind = _coded(values, declared), "ClassLabel" if declared.get("names") else None
    if kind == "ClassLabel" and declared.get("names"):
        # YAML reads an unquoted no/yes as a boolean, and such names reach us as they are
        yield Column(name, "class", values, class_names=tuple(str(label) for label in declared["names"]))
    elif kind in ("Image", "Audio"):
        yield Column(name, "image" if kind == "Image" else "audio", values)
    elif kind in UNSHOWN:
        yield Column(name, "other", values)
    elif pa.types.is_struct(values.type) and values.type.num_fields and kind_of(values.type) == "other":
        for place, field in enumerate(values.type):
            inner = feature.get(field.name) if isinstance(feature, dict) else None
            for column in _columns(f"{name}.{field.name}", inner, pc.struct_field(values, [place])):
                # lists within records, such as where an answer starts, are no vectors of features
                yield replace(column, kind="other") if column.kind == "vector" else column
    else:
        found: Kind = _file_kind(values) or kind_of(values.type)
        shape = tuple(declared.get("shape") or ()) or None
        yield Column(name, found, values, shape=shape if found == "vector" else None)


def _coded(values: pa.ChunkedArray, declared: Mapping[str, Any]) -> pa.ChunkedArray:
    """Codes of declared names that are stored as the names themselves; −1 for a name that was not declared."""
    names = [str(name) for name in declared.get("names") or ()]
    if not names or kind_of(values.type) not in ("string", "number"):
        return values
    codes = pc.index_in(values.cast(pa.string()), pa.array(names))
    return pc.if_else(values.is_null(), None, pc.fill_null(codes, -1))


def _plain(values: pa.ChunkedArray, *, is_json: bool = False) -> pa.ChunkedArray:
    """The same values in a type that the rest of the code knows."""
    kind = values.type
    if isinstance(kind, pa.BaseExtensionType):
        is_json = is_json or kind.extension_name == "arrow.json"
        return _plain(_rebuilt(values, kind.storage_type, lambda chunk: chunk.storage), is_json=is_json)
    if pa.types.is_run_end_encoded(kind):
        return _plain(_rebuilt(values, kind.value_type, pc.run_end_decode), is_json=is_json)
    if pa.types.is_dictionary(kind):
        return _plain(_rebuilt(values, kind.value_type, lambda chunk: chunk.dictionary_decode()), is_json=is_json)
    if pa.types.is_duration(kind) or pa.types.is_time(kind):
        width = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        return pc.divide(values.cast(width).cast(pa.float64()), float(PER_SECOND[kind.unit]))
    wanted = _plain_type(kind)
    if wanted != kind:
        values = _cast(values, wanted)
    return _parsed(values) if is_json and kind_of(values.type) == "string" else values


def _rebuilt(values: pa.ChunkedArray, kind: pa.DataType, of: Any) -> pa.ChunkedArray:
    return pa.chunked_array([of(chunk) for chunk in values.chunks], type=kind)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """A type without views, decimals and half floats, at any depth of lists."""
    types = pa.types
    if types.is_string_view(kind):
        return pa.large_string()
    if types.is_binary_view(kind):
        return pa.large_binary()
    if types.is_decimal(kind) or types.is_float16(kind):
        return pa.float64()
    plain = types.is_list(kind) or types.is_large_list(kind)
    if plain or types.is_list_view(kind) or types.is_large_list_view(kind):
        inner = _plain_type(kind.value_type)
        return kind if plain and inner == kind.value_type else pa.large_list(inner)
    if types.is_fixed_size_list(kind):
        inner = _plain_type(kind.value_type)
        return kind if inner == kind.value_type else pa.list_(inner, kind.list_size)
    if types.is_map(kind):
        inner = _plain_type(kind.item_type)
        return kind if inner == kind.item_type else pa.map_(kind.key_type, inner)
    if types.is_struct(kind):
        fields = [field.with_type(_plain_type(field.type)) for field in kind]
        return kind if fields == list(kind) else pa.struct(fields)
    return kind


def _cast(values: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    # arrow loses the values of views of lists in a cast, and has none for some others
    if not pa.types.is_nested(values.type) or "_view" not in str(values.type):
        with suppress(pa.ArrowException):
            return values.cast(wanted)
    return pa.chunked_array([pa.array([_native(value) for value in values.to_pylist()], type=wanted)], type=wanted)


def _native(value: Any) -> Any:
    """A value without decimals, at any depth."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [_native(item) for item in value]
    return {key: _native(item) for key, item in value.items()} if isinstance(value, dict) else value


def _parsed(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """What strings of JSON stand for."""

    def value_of(text: str | None) -> Any:
        try:
            return None if text is None else json.loads(text)
        except ValueError:
            return text

    return pa.chunked_array([mixed([value_of(text) for text in values.to_pylist()])])


def _file_kind(values: pa.ChunkedArray) -> Kind | None:
    """What files a column of bytes, or of records of bytes and path, holds; None for others, or none."""
    if kind_of(values.type) == "image":
        parts = {field.name: pc.struct_field(values, [place]) for place, field in enumerate(values.type)}
    elif pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        parts = {"bytes": values}
    else:
        return None
    content, path = (_first(parts[name]) if name in parts else None for name in ("bytes", "path"))
    if isinstance(content, bytes):
        # RIFF is that of WebP and of WAV
        if content.startswith(SOUNDS) or content[8:12] == b"WAVE":
            return "audio"
        return "image" if content.startswith(PICTURES) or "path" in parts else None
    return "audio" if isinstance(path, str) and PurePath(path).suffix.lower() in ENDINGS else None


def _first(values: pa.ChunkedArray) -> Any:
    """The first value that is not missing; None where all are."""
    present = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False)) if len(values) else np.array([], int)
    return values[int(present[0])].as_py() if len(present) else None
