"""Tables of separated text: names, types, and lines that are none of the table."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibc_report.common.errors import DataError
from ibc_report.data.sources.delimited import Delimited, looks_named, read
from ibc_report.data.sources.tables import without_bars


def written(folder: Path, text: str | bytes, name: str = "set.csv") -> Path:
    """A file of some text."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def taken(folder: Path, text: str | bytes, **options: Any) -> Delimited:
    """What is read of a file."""
    return read(written(folder, text), ",", **options)


NAMED = [
    pytest.param("length,kind\n5.1,a\n4.9,b\n", True, id="names-over-numbers"),
    pytest.param("5.1,a\n4.9,a\n4.7,b\n", False, id="a-number-over-numbers"),
    pytest.param("0,1,2,label\n" + "9,8,7,a\n" * 9, True, id="names-that-count"),
    pytest.param("country,1960,1961,1962\nx,1,2,3\ny,4,5,6\n", True, id="years"),
    pytest.param("p,x,s\n" + "p,x,s\ne,y,t\n" * 9, False, id="categories-over-categories"),
    pytest.param("kind,x,s\n" + "p,x,s\ne,y,t\n" * 9, True, id="a-name-over-categories"),
    pytest.param("text,label\n" + "".join(f"words {n},{'ab'[n % 2]}\n" for n in range(20)), True, id="texts"),
    pytest.param("so good,a\n" + "".join(f"words {n},{'ab'[n % 2]}\n" for n in range(20)), False, id="a-text"),
    pytest.param(",a\n0,1\n1,2\n", True, id="saved-index"),
    pytest.param("?,2,a\n1,2,a\n3,4,b\n", False, id="missing-in-the-first-row"),
    pytest.param("1,2\n", True, id="one-line"),
    pytest.param("3,2,yes\n1,2,3,no\n", True, id="longer-lines"),
]


@pytest.mark.parametrize(("text", "named"), NAMED)
def test_the_first_line_is_names_unless_it_looks_like_the_others(text: str, named: bool) -> None:
    """A first line that could be a row is one, and names are never taken for a row."""
    assert looks_named([line.split(",") for line in text.splitlines()]) is named


def test_without_a_header_no_row_is_lost(tmp_path: Path) -> None:
    """The first row is a row, columns are called x1, x2, …, and it is said; --header and --no-header decide it."""
    text = "5.1,a\n4.9,a\n4.7,b\n"
    found = taken(tmp_path, text)
    assert found.table.to_pydict() == {"x1": [5.1, 4.9, 4.7], "x2": ["a", "a", "b"]}
    (note,) = found.notes
    assert "read as a row" in note
    assert "--header takes it for names" in note
    said = taken(tmp_path, text, header=True)
    assert (said.table.column_names, said.table.num_rows, said.notes) == (["5.1", "a"], 2, ())
    assert taken(tmp_path, "a,b\n1,2\n", header=False).table.to_pydict() == {"x1": ["a", "1"], "x2": ["b", "2"]}


TYPES = [
    pytest.param("1,01\n2,1\n", "ab", [[1, 2], ["01", "1"]], id="zero-in-front"),
    pytest.param("+1.5,-007\n2,8\n", "ab", [[1.5, 2.0], ["-007", "8"]], id="signs"),
    pytest.param("2020-01-01,12:30\n2021-02-03,\n", "ab", [["2020-01-01", "2021-02-03"], ["12:30", None]], id="times"),
    pytest.param("1,x\nNA,\n", "ab", [[1.0, None], ["x", None]], id="missing"),
    pytest.param("True,1\nFALSE,0\n", "ab", [[True, False], [1, 0]], id="booleans"),
    pytest.param("123456789012345678901,0.5\n7,-1e3\n", "ab", [["123456789012345678901", "7"], [0.5, -1e3]], id="long"),
    pytest.param('"x\ny",1\n"a ""b""",2\n', "ab", [["x\ny", 'a "b"'], [1, 2]], id="quotes"),
    pytest.param(" 1, x\n 2, y\n", "ab", [[1, 2], [" x", " y"]], id="space"),
    pytest.param("inf,1\n-inf,2\n", "ab", [[float("inf"), float("-inf")], [1, 2]], id="infinite"),
]


@pytest.mark.parametrize(("lines", "names", "columns"), TYPES)
def test_columns_have_the_types_that_their_values_have(
    lines: str, names: str, columns: list[list[Any]], tmp_path: Path
) -> None:
    """Numbers are numbers, and codes, dates and digits that no number holds are strings."""
    found = taken(tmp_path, f"{','.join(names)}\n{lines}")
    assert list(found.table.to_pydict().values()) == columns
    assert found.dropped == ()


def test_packed_text_is_read_as_it_is_unpacked(tmp_path: Path) -> None:
    """Gzip changes nothing, with codes, long lines and a mark at the beginning."""
    text = "\ufeffa,b\n01,x\n2,y,z\n1,y\n".encode()
    plain, packed = written(tmp_path, text), written(tmp_path, gzip.compress(text), "set.csv.gz")
    one, other = read(plain, ","), read(packed, ",")
    assert one.table.equals(other.table)
    assert one.table.to_pydict() == {"a": ["01", "1"], "b": ["x", "y"]}
    assert [lost.examples for lost in (*one.dropped, *other.dropped)] == [(1,), (1,)]


def test_a_second_header_is_no_row(tmp_path: Path) -> None:
    """A line of units below the names is left out and counted, and the columns are of numbers."""
    found = taken(tmp_path, "length,width,kind\nmm,mm,\n1,2.5,a\n3,4.5,b\n")
    assert found.table.to_pydict() == {"length": [1.0, 3.0], "width": [2.5, 4.5], "kind": ["a", "b"]}
    assert [(lost.reason, lost.examples) for lost in found.dropped] == [("lines that are a second header", (0,))]
    assert found.numbers is not None
    assert found.numbers.tolist() == [1, 2]


def test_one_odd_value_is_no_second_header(tmp_path: Path) -> None:
    """A single word over one column of several is a value."""
    found = taken(tmp_path, "a,b,c\nfew,2,3\n1,2,3\n")
    assert (found.table.num_rows, found.dropped) == (2, ())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_other_encodings_are_named(encoding: str, tmp_path: Path) -> None:
    """UTF-16 is called by its name, with and without a mark."""
    with pytest.raises(DataError, match="it is UTF-16 or no text at all; save it as UTF-8"):
        taken(tmp_path, "a,b\n1,2\n".encode(encoding))


def test_names_are_each_another_one(tmp_path: Path) -> None:
    """Columns without a name or with the same one are told apart as pandas tells them."""
    assert taken(tmp_path, ",a,a,\n1,2,3,4\n").table.column_names == ["Unnamed: 0", "a", "a.1", "Unnamed: 3"]


def test_declared_texts_stay_texts(tmp_path: Path) -> None:
    """Columns that are said to hold strings do, whatever they look like."""
    found = taken(tmp_path, "a,b\n90210,1\n10115,2\n", texts={"a"})
    assert found.table.to_pydict() == {"a": ["90210", "10115"], "b": [1, 2]}


CELLS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(-1e6, 1e6).map(repr),
    st.sampled_from(["", "NA", "x", "a b", "True", "false", "2020-01-01", 'say "so"', "é", "1e5", "-"]),
)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
@settings(deadline=None)
def test_datasets_reads_the_same_table(rows: list[tuple[str, str]]) -> None:
    """Whatever a file holds, but for codes and long digits, `datasets` gives the same values of the same kinds."""
    import csv
    import io
    import tempfile

    text = io.StringIO()
    csv.writer(text).writerows([("first", "second"), *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), text.getvalue())
        ours = read(path, ",", header=True)
        with without_bars():
            theirs = datasets.load_dataset("csv", data_files=str(path), cache_dir=folder)["train"].data.table
        assert not ours.dropped or ours.dropped[0].reason == "lines that are a second header"
        if ours.dropped:
            return
        for name in ("first", "second"):
            one, other = ours.table.column(name), theirs.column(name)
            if pa.types.is_floating(one.type):
                assert pa.types.is_floating(other.type) or pa.types.is_null(other.type)
                first, second = (values.cast(pa.float64()).to_numpy() for values in (one, other))
                np.testing.assert_allclose(first, second, rtol=1e-14)
            else:
                assert one.to_pylist() == other.to_pylist()
                assert pc.count_distinct(one).as_py() == pc.count_distinct(other).as_py()
