"""Keys of rows: the same for the same content, all different, and blind to order, format and names."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.data.row_keys import class_ranks, content_hashes, row_keys
from ibc_report.data.sources import Column
from tests.support.samples import few_properties


def column(name: str, kind: str, values: list[object], type: pa.DataType | None = None) -> Column:
    """A column of some values."""
    return Column(name, kind, pa.chunked_array([pa.array(values, type=type)]))  # type: ignore[arg-type]


ROWS = st.lists(
    st.tuples(st.floats(allow_nan=False, width=32), st.none() | st.text(max_size=4), st.integers(0, 2)),
    min_size=1,
    max_size=30,
)


@few_properties
@given(ROWS, st.randoms(use_true_random=False))
def test_keys_go_with_their_rows(rows: list[tuple[float, str | None, int]], random: object) -> None:
    """In another order of rows and columns the keys are the same set, each with the same content and class."""
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]

    def keyed(places: list[int], *, turned: bool) -> dict[int, tuple[float, str | None, int]]:
        numbers = column("a", "number", [rows[place][0] for place in places], pa.float64())
        words = column("b", "string", [rows[place][1] for place in places], pa.string())
        codes = np.array([rows[place][2] for place in places])
        hashes = content_hashes([words, numbers] if turned else [numbers, words], np.arange(len(places)))
        keys = row_keys(hashes, class_ranks(codes, hashes)[codes])
        assert (keys >= 0).all()
        assert len(set(keys.tolist())) == len(rows)
        return {int(key): rows[place] for key, place in zip(keys, places, strict=True)}

    assert keyed(list(range(len(rows))), turned=False) == keyed(order, turned=True)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (column("a", "number", [1, 2, None]), column("a", "number", [1.0, 2.0, None])),
        (column("a", "number", [0.0, 0.1]), column("a", "number", [-0.0, 0.1 + 1e-17])),
        (column("a", "number", [0.3]), column("a", "number", [0.1 + 0.2])),
        (column("a", "boolean", [True, False]), column("a", "number", [1, 0])),
        (column("a", "string", ["x", None]), column("a", "string", ["x", None], pa.large_string())),
        (column("a", "number", [None, 1.0]), column("a", "number", [float("nan"), 1.0])),
    ],
)
def test_how_a_value_is_stored_does_not_count(first: Column, second: Column) -> None:
    """Whole numbers as fractions, the last digit of a fraction, zeros of either sign and kinds of text are the same."""
    every = np.arange(len(first.values))
    assert content_hashes([first], every).tolist() == content_hashes([second], every).tolist()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (column("a", "number", [1]), column("a", "number", [2])),
        (column("a", "number", [2**53 - 1]), column("a", "number", [2**53 - 2])),
        (column("a", "number", [0.5]), column("a", "number", [0.500001])),
        (column("a", "number", [1]), column("b", "number", [1])),
        (column("a", "string", [""]), column("a", "string", [None], pa.string())),
        (column("a", "vector", [[1.0, 2.0]]), column("a", "vector", [[2.0, 1.0]])),
    ],
)
def test_other_content_has_another_hash(first: Column, second: Column) -> None:
    """Another value, another column and a missing value differ."""
    assert content_hashes([first], np.arange(1)) != content_hashes([second], np.arange(1))


def test_repeats_are_numbered_by_their_class() -> None:
    """Equal rows have different keys, which go to the same classes whatever the order."""
    hashes = np.array([5, 5, 5, 8], dtype=np.uint64)
    keys = row_keys(hashes, np.array([1, 0, 1, 0]))
    turned = row_keys(hashes[::-1].copy(), np.array([0, 1, 0, 1]))
    assert len(set(keys.tolist())) == 4
    assert keys[1] == turned[2]
    assert {keys[0], keys[2]} == {turned[1], turned[3]}
    assert keys[3] == turned[0]


def test_classes_rank_by_their_rows() -> None:
    """The smaller class comes first, and of classes of one size the one whose hashes have the lower sum."""
    hashes = np.array([9, 9, 1, 1, 4], dtype=np.uint64)
    assert class_ranks(np.array([0, 0, 1, 1, 2]), hashes).tolist() == [2, 1, 0]
    assert class_ranks(np.array([1, 1, 0, 0, 2]), hashes).tolist() == [1, 2, 0]


def test_no_rows_have_no_keys() -> None:
    """An empty set is no error."""
    assert len(row_keys(np.array([], dtype=np.uint64), np.array([]))) == 0
