"""Tables from JSON of all the shapes in which programs write them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ibc_report.common.errors import DataError
from ibc_report.data.sources.json_tables import read_document, read_lines

FRAME = pd.DataFrame({"a": [1.5, 2.5], "label": ["x", "y"]})

COLUMNS = {"a": [1.5, 2.5], "label": ["x", "y"]}

SHAPES = [
    *(
        pytest.param(FRAME.to_json(orient=orient), COLUMNS, id=f"pandas-{orient}")
        for orient in ("records", "columns", "index", "split")
    ),
    pytest.param(FRAME.to_json(orient="values"), {"x1": [1.5, 2.5], "x2": ["x", "y"]}, id="pandas-values"),
    pytest.param(FRAME.to_json(orient="table"), {"index": [0, 1], **COLUMNS}, id="pandas-table"),
    pytest.param(FRAME.to_json(orient="records", lines=True), COLUMNS, id="lines"),
    pytest.param(json.dumps(COLUMNS), COLUMNS, id="lists-by-column"),
    pytest.param(json.dumps({"version": "2", "data": FRAME.to_dict("records")}), COLUMNS, id="among-words"),
    pytest.param('[{"a": 1}, {"b": "x"}]', {"a": [1, None], "b": [None, "x"]}, id="records-of-several-keys"),
    pytest.param('[{"a": Infinity}, {"a": NaN}]', {"a": [float("inf"), None]}, id="infinity"),
]


@pytest.mark.parametrize(("text", "columns"), SHAPES)
def test_a_document_of_any_usual_shape_is_a_table(text: str, columns: dict[str, Any], tmp_path: Path) -> None:
    """What pandas writes, records, lists by column, and a table among other keys are read as the table they are."""
    path = tmp_path / "set.json"
    path.write_text(text, encoding="utf-8")
    (table,) = read_document(path).tables.values()
    found = {
        name: [None if value != value else value for value in values] for name, values in table.to_pydict().items()
    }
    assert found == columns


@pytest.mark.parametrize("inner", [[["a text", "x"]] * 3, [{"text": "a text", "label": "x"}] * 3])
def test_an_object_of_splits_has_a_table_for_each(inner: list[Any], tmp_path: Path) -> None:
    """Keys over lists of rows are splits, and rows without names get them."""
    path = tmp_path / "set.json"
    path.write_text(json.dumps({"train": inner, "test": inner[:1]}), encoding="utf-8")
    found = read_document(path)
    assert {split: table.num_rows for split, table in found.tables.items()} == {"train": 3, "test": 1}
    names = ["text", "label"] if isinstance(inner[0], dict) else ["x1", "x2"]
    assert found.tables["train"].column_names == names
    assert ("have no names" in " ".join(found.notes)) is (names[0] == "x1")


NO_TABLES = [
    pytest.param("3", "one value, 3", id="number"),
    pytest.param("[]", "an empty list", id="empty-list"),
    pytest.param("{}", "an empty object", id="empty-object"),
    pytest.param('["a", "b"]', "a list of strings", id="strings"),
    pytest.param("[[1], [1, 2]]", "a list of lists of several lengths", id="uneven"),
    pytest.param('{"a": 1, "b": "x", "c": 2, "d": 3}', "an object of 4 keys: 'a' (int), 'b' (str), 'c'", id="words"),
]


@pytest.mark.parametrize(("text", "shape"), NO_TABLES)
def test_other_documents_are_refused_by_their_shape(text: str, shape: str, tmp_path: Path) -> None:
    """JSON that is no table is named by what it is, with the form to convert it to."""
    path = tmp_path / "set.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_document(path)
    said = str(caught.value)
    assert f"is JSON, but no table: it is {shape}" in said
    assert "write one object a row" in said
    assert "\n" not in said


def test_infinity_is_the_same_in_both_forms(tmp_path: Path) -> None:
    """JSON and JSON Lines give the same numbers, infinite ones among them."""
    records = [{"a": float("inf")}, {"a": 1.0}, {"a": float("-inf")}]
    document, lines = tmp_path / "set.json", tmp_path / "set.jsonl"
    document.write_text(json.dumps(records), encoding="utf-8")
    lines.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    assert read_document(document).tables["train"].equals(read_lines(lines).tables["train"])


def test_values_of_several_types_are_those_of_a_table_of_text(tmp_path: Path) -> None:
    """A column with words among its numbers keeps both, without quotes."""
    path = tmp_path / "set.jsonl"
    path.write_text('{"n": 1.5, "k": "dog/wolf"}\n{"n": "?", "k": 7}\n', encoding="utf-8")
    found = read_lines(path)
    assert found.tables["train"].to_pydict() == {"n": ["1.5", "?"], "k": ["dog/wolf", "7"]}
    assert found.dropped == ()


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_packed_json_is_read(form: str, tmp_path: Path) -> None:
    """Gzip changes nothing."""
    path = tmp_path / f"set.{form}.gz"
    path.write_bytes(gzip.compress(FRAME.to_json(orient="records", lines=form == "jsonl").encode()))
    (table,) = (read_lines(path) if form == "jsonl" else read_document(path)).tables.values()
    assert table.to_pydict() == COLUMNS
