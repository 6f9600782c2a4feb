"""Columns in a plain form, whatever their storage."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from ibc_report.data.sources.storage import PANDAS, columns_of, mixed, pandas_index

PLAIN = [
    pytest.param(pa.array(["a", None], pa.string_view()), "string", ["a", None], id="string-view"),
    pytest.param(pa.array(["a", "b"]).dictionary_encode(), "string", ["a", "b"], id="dictionary"),
    pytest.param(pa.array([1, 2], pa.int64()).cast(pa.float16()), "number", [1.0, 2.0], id="half-float"),
    pytest.param(pa.array(["1.50", "2.25"]).cast(pa.decimal128(5, 2)), "number", [1.5, 2.25], id="decimal"),
    pytest.param(pa.array([1500, None], pa.duration("ms")), "number", [1.5, None], id="duration-in-seconds"),
    pytest.param(pa.array([90], pa.time32("s")), "number", [90.0], id="time-of-day-in-seconds"),
    pytest.param(pa.array([["a"], None], pa.list_(pa.string_view())), "other", [["a"], None], id="views-in-lists"),
    pytest.param(pa.array([[1.5]], pa.list_view(pa.float32())), "vector", [[1.5]], id="list-view"),
    pytest.param(pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"]), "string", ["a", "a", "b"], id="run-ends"),
    pytest.param(
        pa.ExtensionArray.from_storage(pa.json_(), pa.array(['"cat"', "7", None, '"dog\\/wolf"'])),
        "string",
        ["cat", "7", None, "dog/wolf"],
        id="json",
    ),
    pytest.param(
        pa.ExtensionArray.from_storage(pa.json_(), pa.array(["1", "2.5"])), "number", [1.0, 2.5], id="json-numbers"
    ),
    pytest.param(pa.array([b"\x89PNG\r\n", None]), "image", [b"\x89PNG\r\n", None], id="bytes-of-pictures"),
    pytest.param(pa.nulls(2), "other", [None, None], id="nulls"),
]


@pytest.mark.parametrize(("values", "kind", "read"), PLAIN)
def test_a_column_has_the_values_that_it_stands_for(values: pa.Array, kind: str, read: list[Any]) -> None:
    """Views, dictionaries, extensions and units of time are read as what they hold."""
    (column,) = columns_of(pa.table({"a": values}))
    assert (column.name, column.kind, column.values.to_pylist()) == ("a", kind, read)


def test_a_record_gives_a_column_for_each_field() -> None:
    """Fields are named after their record, and what is within a missing record is missing."""
    values = pa.array([{"a": 1, "b": {"c": "x"}, "starts": [1, 2]}, None])
    found = {column.name: (column.kind, column.values.to_pylist()) for column in columns_of(pa.table({"r": values}))}
    assert found == {
        "r.a": ("number", [1, None]),
        "r.b.c": ("string", ["x", None]),
        "r.starts": ("other", [[1, 2], None]),
    }


def test_names_stay_apart() -> None:
    """A field whose whole name is that of a column gets another one."""
    table = pa.table({"r.a": [1], "r": pa.array([{"a": 2}])})
    assert [column.name for column in columns_of(table)] == ["r.a", "r.a.1"]


def test_the_index_of_pandas_is_set_aside() -> None:
    """Columns that pandas keeps its index in are marked, whatever they are called."""
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.Index(["x", "y"], name="who"))
    table = pa.Table.from_pandas(frame)
    assert pandas_index(table.schema) == {"who"}
    assert {column.name: column.aside for column in columns_of(table)} == {"a": None, "who": PANDAS}


def test_names_of_classes_that_are_stored_become_codes() -> None:
    """A column declared as class labels may hold the names; one that was not declared counts as −1."""
    declared = {"label": {"names": ["no", "yes"], "_type": "ClassLabel"}}
    (column,) = columns_of(pa.table({"label": ["yes", "no", None, "maybe"]}), declared)
    assert (column.kind, column.class_names, column.values.to_pylist()) == ("class", ("no", "yes"), [1, 0, None, -1])


@pytest.mark.parametrize("metadata", [b"{", b"[]", b'{"info": 3}', b'{"info": {"features": []}}'])
def test_metadata_of_another_form_say_nothing(metadata: bytes) -> None:
    """What a table says of itself may be anything, and its columns are read all the same."""
    table = pa.table({"a": [1]}).replace_schema_metadata({b"huggingface": metadata, b"pandas": metadata})
    assert [column.kind for column in columns_of(table)] == ["number"]


def test_declared_pictures_and_files_are_told_apart() -> None:
    """A record of bytes and path is a picture, unless it is declared as a film."""
    value = pa.array([{"bytes": b"x", "path": None}])
    info = {"info": {"features": {"film": {"_type": "Video"}, "still": {"_type": "Image"}}}}
    table = pa.table({"film": value, "still": value}).replace_schema_metadata({"huggingface": json.dumps(info)})
    assert [column.kind for column in columns_of(table)] == ["other", "image"]


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ([1, 2.5, None], [1.0, 2.5, None]),
        ([1, "?"], ["1", "?"]),
        ([True, 2], ["true", "2"]),
        ([[1], [2, "a"]], ["[1]", '[2, "a"]']),
        ([{"a": 1}, 3], ['{"a": 1}', "3"]),
        ([10**30, 1], [str(10**30), "1"]),
    ],
)
def test_values_of_several_types_are_their_text(values: list[Any], read: list[Any]) -> None:
    """Where arrow has no type for all values, each is written as a table of text would."""
    assert mixed(values).to_pylist() == read
