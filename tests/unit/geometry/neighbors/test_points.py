"""What Points accepts and refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ibc_report.common import files
from ibc_report.geometry.neighbors.points import Points, part
from ibc_report.geometry.neighbors.search import search


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vectors": np.zeros(3)}, "shape"),
        ({"vectors": np.zeros((3, 0))}, "at least 1"),
        ({"vectors": np.zeros((3, 2), np.float32)}, "float32"),
        ({"vectors": np.zeros((2, 3)).T}, "C order"),
        ({"unit": 0.0}, "unit"),
        ({"unit": float("nan")}, "unit"),
        ({"rows": np.arange(2)}, "rows have shape"),
        ({"rows": np.array([0, 1, 1])}, "repeat"),
        ({"rows": np.array([-1, 1, 2])}, "at least 0"),
        ({"rows": np.arange(3, dtype=np.int32)}, "int64"),
        ({"labels": np.array([0, -1, 2])}, "at least 0"),
        ({"labels": np.zeros(4, np.int64)}, "labels have shape"),
        ({"targets": np.array([0, np.nan, 1])}, "finite"),
    ],
    ids=lambda value: value if isinstance(value, str) else "+".join(value),
)
def test_what_cannot_be_points_is_refused(change: dict[str, Any], message: str) -> None:
    """Shapes, types and ranges are checked, and the message says which."""
    fields: dict[str, Any] = {"vectors": np.zeros((3, 2)), "unit": 1.0, "rows": np.arange(3)}
    with pytest.raises(ValueError, match=message):
        Points(**(fields | change))


def test_a_memory_map_is_searched_and_released(tmp_path: Path, rng: np.random.Generator) -> None:
    """A read-only map gives what the array gives, after its pages were handed back too."""
    vectors = rng.integers(0, 256, (3000, 40), dtype=np.uint8)
    np.save(tmp_path / "vectors.npy", vectors)
    mapped = Points(np.load(tmp_path / "vectors.npy", mmap_mode="r"), 1 / 255, np.arange(3000))
    mapped.release()
    found, expected = search(mapped, k=3), search(Points(vectors, 1 / 255, np.arange(3000)), k=3)
    assert np.array_equal(found.rows, expected.rows)
    assert np.array_equal(found.distances, expected.distances)


def test_taking_points_keeps_what_belongs_to_them() -> None:
    """Rows, labels and targets go with their vectors."""
    points = Points(np.arange(6.0).reshape(3, 2), 2.0, np.array([4, 8, 6]), np.arange(3), np.arange(3) / 2)
    kept = points.take(np.array([2, 1]))
    assert kept.vectors.tolist() == [[4, 5], [2, 3]]
    assert kept.rows.tolist() == [6, 8]
    assert kept.labels is not None
    assert kept.targets is not None
    assert (kept.labels.tolist(), kept.targets.tolist()) == ([2, 1], [1.0, 0.5])


def test_what_was_written_to_a_private_map_is_kept(tmp_path: Path) -> None:
    """A copy-on-write map is not released: its pages are in no file."""
    np.save(tmp_path / "vectors.npy", np.zeros((4, 2)))
    private = np.load(tmp_path / "vectors.npy", mmap_mode="c")
    private[1] = 5
    points = Points(private, 1.0, np.arange(4))
    points.release()
    assert points.read(np.array([1])).tolist() == [[5, 5]]


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
    vectors = np.zeros((20, files.IN_MEMORY // 19 + 1), dtype=np.uint8)
    vectors[:, 0] = np.arange(20)
    kept = part(Points(vectors, 1.0, np.arange(20)), np.arange(1, 20))
    assert isinstance(kept.vectors, np.memmap)
    assert kept.raw[:, 0].tolist() == list(range(1, 20))
