"""Random disjoint parts: what they hold, and that nothing but row numbers decides."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ibc_report import storage
from ibc_report.geometry import Points
from ibc_report.geometry.parts import part, shuffled
from tests.samples import few_properties


@few_properties
@given(st.sets(st.integers(0, 2**40), min_size=1, max_size=50), st.integers(0, 2**63))
def test_the_order_hangs_on_row_numbers_alone(rows: set[int], seed: int) -> None:
    """Points stored the other way round come in the same order of rows, each once."""
    forwards = np.array(sorted(rows), dtype=np.int64)
    first = Points(np.zeros((len(rows), 1)), 1.0, forwards)
    second = Points(np.zeros((len(rows), 1)), 1.0, forwards[::-1].copy())
    order = shuffled(first, seed)
    assert sorted(order.tolist()) == list(range(len(rows)))
    assert first.rows[order].tolist() == second.rows[shuffled(second, seed)].tolist()


def test_another_seed_gives_another_order() -> None:
    """Two seeds place a hundred points differently, and a first half is not the first rows."""
    points = Points(np.zeros((100, 1)), 1.0, np.arange(100))
    first, second = shuffled(points, 0), shuffled(points, 1)
    assert (first != second).sum() > 80
    assert 10 < (first[:50] < 50).sum() < 40


def test_a_part_keeps_what_its_points_have() -> None:
    """Vectors, unit, rows, labels and targets come along; the answers only where they are wanted."""
    points = Points(
        np.arange(6, dtype=np.uint8).reshape(3, 2), 0.5, np.array([4, 7, 9]), np.array([0, 1, 1]), np.ones(3)
    )
    kept = part(points, np.array([0, 2]))
    assert kept.vectors.tolist() == [[0, 1], [4, 5]]
    assert kept.unit == 0.5
    assert kept.rows.tolist() == [4, 9]
    assert kept.labels is not None
    assert kept.labels.tolist() == [0, 1]
    assert kept.targets is not None
    bare = part(points, np.array([0, 2]), answers=False)
    assert (bare.labels, bare.targets) == (None, None)


def test_a_large_part_lies_in_a_file() -> None:
    """Beyond what storage keeps in memory, a part is a read-only map with the same contents."""
    vectors = np.zeros((20, storage.IN_MEMORY // 19 + 1), dtype=np.uint8)
    vectors[:, 0] = np.arange(20)
    kept = part(Points(vectors, 1.0, np.arange(20)), np.arange(1, 20))
    assert isinstance(kept.vectors, np.memmap)
    assert kept.raw[:, 0].tolist() == list(range(1, 20))
