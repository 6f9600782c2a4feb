"""Lists of numbers become vectors as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common import files
from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.encoders import Options, vector
from ibc_report.data.sources import Column
from tests.support.tables import column, every

OPTIONS = Options("vector", {})

NAN = float("nan")

STORAGES = [
    pytest.param(pa.list_(pa.float64()), id="list"),
    pytest.param(pa.large_list(pa.float64()), id="large-list"),
    pytest.param(pa.list_(pa.float64(), 2), id="fixed-size-list"),
    pytest.param(pa.list_(pa.float32()), id="float32"),
    pytest.param(pa.list_(pa.int16()), id="integers"),
]


@pytest.mark.parametrize("storage", STORAGES)
def test_numbers_are_kept_as_they_are(storage: pa.DataType) -> None:
    """Every storage of a list gives the stored numbers, unscaled, and a missing list costs its row."""
    given_column = column("v", [[1, 2], None, [3, -4]], storage=storage)
    found = vector.encode(given_column, every(given_column), OPTIONS)
    assert found.vectors.dtype == np.float64
    assert found.vectors.tolist() == [[1, 2], [3, -4]]
    assert (found.rows.tolist(), found.unit, found.rounding) == ([0, 2], 1.0, 0.0)
    assert [(lost.reason, lost.examples) for lost in found.dropped] == [("rows without a vector", (1,))]


def test_bytes_stay_bytes() -> None:
    """Numbers that are stored in one byte are kept so, and a missing one inside costs its row."""
    nested = pa.list_(pa.list_(pa.uint8(), 2), 1)
    given_column = column("v", [[[1, 255]], [[None, 3]], [[0, 7]]], storage=nested)
    found = vector.encode(given_column, every(given_column), OPTIONS)
    assert found.vectors.dtype == np.uint8
    assert found.vectors.tolist() == [[1, 255], [0, 7]]
    assert found.rows.tolist() == [0, 2]


def test_blocks_and_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """Rows from a column in many chunks, unpacked a few at a time into a file, are those of one go."""
    numbers = [None if i % 7 == 3 else rng.standard_normal(2 + (i % 5 == 4)).tolist() for i in range(40)]
    whole = column("v", numbers, storage=pa.list_(pa.float32()))
    chunks = [whole.values.slice(start, 6).combine_chunks() for start in range(0, 40, 6)]
    parted = replace(whole, values=pa.chunked_array([getattr(chunk, "chunks", [chunk])[0] for chunk in chunks]))
    rows = np.flatnonzero(rng.random(40) < 0.8)
    expected = vector.encode(whole, rows, OPTIONS)
    monkeypatch.setattr(vector, "BLOCK_ROWS", 4)
    monkeypatch.setattr(files, "IN_MEMORY", 0)
    found = vector.encode(parted, rows, OPTIONS)
    assert isinstance(found.vectors, np.memmap)
    assert np.array_equal(found.vectors, expected.vectors)
    assert np.array_equal(found.rows, expected.rows)
    assert found.dropped == expected.dropped


def test_nested_lists_are_flattened_row_by_row() -> None:
    """A matrix becomes one vector, its rows one after the other."""
    given_column = column("v", [[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    assert vector.encode(given_column, every(given_column), OPTIONS).vectors.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]


def test_only_the_asked_rows_are_encoded() -> None:
    """Rows are those of the source, whichever of them are asked for."""
    given_column = column("v", [[1.0], [2.0], [3.0], [4.0]])
    found = vector.encode(given_column, np.array([1, 3]), OPTIONS)
    assert (found.vectors.tolist(), found.rows.tolist()) == ([[2], [4]], [1, 3])


def test_each_reason_to_drop_a_row_is_counted_apart() -> None:
    """Null, another length, NaN, a null inside and infinity cost their rows, under three reasons."""
    rows = [[1.0, 2.0], None, [1.0], [NAN, 1.0], [float("inf"), 1.0], [1.0, None], [], [3.0, 4.0]]
    given_column = column("v", rows)
    found = vector.encode(given_column, every(given_column), OPTIONS)
    assert found.rows.tolist() == [0, 7]
    assert {lost.reason: lost.examples for lost in found.dropped} == {
        "rows without a vector": (1,),
        "vectors of another length than 2": (2, 6),
        "vectors with a missing or infinite number": (3, 4, 5),
    }


UNUSABLE = [
    pytest.param(column("v", [None, None], storage=pa.list_(pa.float64())), "no row with numbers in it", id="null"),
    pytest.param(column("v", [[], []], storage=pa.list_(pa.float64())), "no row with numbers in it", id="empty"),
    pytest.param(column("v", [[NAN], [NAN]]), "no row whose numbers are all finite", id="nan"),
]


@pytest.mark.parametrize(("given_column", "message"), UNUSABLE)
def test_a_column_without_a_usable_row_is_refused(given_column: Column, message: str) -> None:
    """A column that gives no vector at all is refused by its name."""
    with pytest.raises(DataError, match=f"column 'v' has {message}"):
        vector.encode(given_column, every(given_column), OPTIONS)


def test_a_two_dimensional_shape_is_a_picture() -> None:
    """A declared height and width lets the card show the row; another shape does not."""
    flat = [[0.0] * 6, [1.0] * 6]
    shapes = {(2, 3): (2, 3), (6,): None, (1, 2, 3): None, (3, 3): None, None: None}
    for shape, picture in shapes.items():
        given_column = column("v", flat, shape=shape)
        assert vector.encode(given_column, every(given_column), OPTIONS).picture_shape == picture


def test_no_setting_is_known() -> None:
    """A setting is refused rather than ignored."""
    with pytest.raises(UsageError, match="encoder 'vector' has no setting 'size'"):
        vector.encode(column("v", [[1.0]]), np.array([0]), Options("vector", {"size": "3"}))


@given(st.lists(st.one_of(st.none(), st.lists(st.floats(width=32), max_size=3)), min_size=1, max_size=20))
def test_used_and_dropped_rows_add_up(rows: list[list[float] | None]) -> None:
    """Whatever the lists hold, each row is a finite vector as it was stored, or counted once."""
    given_column = column("v", rows, storage=pa.list_(pa.float64()))
    try:
        found = vector.encode(given_column, every(given_column), OPTIONS)
    except DataError:
        return
    assert np.isfinite(found.vectors).all()
    assert [rows[row] for row in found.rows] == found.vectors.tolist()
    assert len(found.rows) + sum(lost.count for lost in found.dropped) == len(rows)
