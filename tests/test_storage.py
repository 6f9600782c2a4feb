"""Arrays that may be larger than memory."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report import storage


@pytest.mark.parametrize("limit", [0, 1 << 20], ids=["in a file", "in memory"])
def test_an_array_is_the_same_wherever_it_lies(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is filled in is what is read, from memory and from a file."""
    monkeypatch.setattr(storage, "IN_MEMORY", limit)
    expected = np.arange(60, dtype=np.uint8).reshape(20, 3)

    def fill(array: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> None:
        array[:] = expected

    array = storage.filled((20, 3), np.uint8, fill)
    assert isinstance(array, np.memmap) == (limit == 0)
    assert np.array_equal(array, expected)
    chosen = np.array([19, 0, 7])
    assert np.array_equal(storage.taken(array, chosen), expected[chosen])


def test_a_mapped_array_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """An array in a file is read-only once it is filled."""
    monkeypatch.setattr(storage, "IN_MEMORY", 0)
    array = storage.filled((4,), np.float64, lambda values: values.fill(1.0))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 2.0


def test_a_file_is_filled_through_releases(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """Pages that are handed back while an array is filled lose nothing, of a sum that is read again either."""
    monkeypatch.setattr(storage, "IN_MEMORY", 0)
    monkeypatch.setattr(storage, "MAPPED", 1 << 14)
    terms = rng.standard_normal((3, 200, 50))

    def fill(array: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
        for term in terms:
            for start in range(0, 200, 16):
                rows = slice(start, start + 16)
                array[rows] = array[rows] + term[rows]

    array = storage.filled((200, 50), np.float64, fill)
    assert np.array_equal(array, terms[0] + terms[1] + terms[2])
    rows = rng.integers(0, 200, 300)
    out = np.empty((300, 50))
    storage.gather(array, rows, out)
    assert np.array_equal(out, array[rows])
