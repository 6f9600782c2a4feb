"""Exact distances: the right number, and the same bytes in every batch."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.geometry.neighbors import distances as exact
from ibc_report.geometry.neighbors.distances import PairDistances
from ibc_report.geometry.neighbors.points import Points
from tests.support.adversaries import ADVERSARIES, points_of


def true_distance(left: Points, i: int, j: int) -> float:
    """Return the distance of two rows in rational arithmetic, rounded once."""
    rows = left.vectors[i].tolist(), left.vectors[j].tolist()
    square = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(*rows, strict=True))
    if not square:
        return 0.0
    # A scaled integer square root keeps 100 bits at any magnitude.
    shift = 2 * (100 + max(0, square.denominator.bit_length() - square.numerator.bit_length()))
    root = math.isqrt(square.numerator * 2**shift // square.denominator)
    return float(Fraction(root, 2 ** (shift // 2)) * Fraction(left.unit))


@pytest.mark.parametrize("name", ADVERSARIES)
def test_distances_are_those_of_rational_arithmetic(name: str, rng: np.random.Generator) -> None:
    """No cancellation, overflow or underflow: relative errors stay near the rounding of float64."""
    points = ADVERSARIES[name](rng)
    query, reference = rng.integers(0, len(points), (2, 60))
    expected = [true_distance(points, i, j) for i, j in zip(query, reference, strict=True)]
    found = PairDistances.between(points, points)(query, reference)
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=5e-324)
    assert np.array_equal(found == 0, np.array(expected) == 0)


@pytest.mark.parametrize("name", ADVERSARIES)
def test_a_distance_is_the_same_bytes_in_any_batch(
    name: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Order, size of batches, the way of multiplying and the side of a point change no bit."""
    points = ADVERSARIES[name](rng)
    distances = PairDistances.between(points, points)
    query, reference = rng.integers(0, len(points), (2, 200))
    whole = distances(query, reference)
    order = np.argsort(query)
    assert np.array_equal(distances(query[order], reference[order]), whole[order])
    assert np.array_equal(distances(reference, query), whole)
    for elements, gemm, held in ((1, 0, 1), (2**10, 100, 700), (2**30, 1, 2**22)):
        monkeypatch.setattr(exact, "BATCH_ELEMENTS", elements)
        monkeypatch.setattr(exact, "GEMM_QUERIES", gemm)
        monkeypatch.setattr(exact, "QUERY_ELEMENTS", held)
        assert distances(query, reference).tobytes() == whole.tobytes()


@given(st.integers(1, 3000), st.sampled_from([0, 255]))
def test_extreme_pixels_do_not_overflow_float32(dimension: int, value: int) -> None:
    """Rows of 0 and of 255 have the exact distance in every dimension: partial sums stay integers."""
    vectors = np.full((2, dimension), value, np.uint8)
    vectors[1] = 255 - value
    points = Points(vectors, 1.0, np.arange(2))
    found = PairDistances.between(points, points)(np.array([0]), np.array([1]))
    assert found[0] == math.sqrt(dimension * 255**2)


def test_sum_by_halving_takes_any_size(rng: np.random.Generator) -> None:
    """Each size is summed completely."""
    for size in range(1, 40):
        values = rng.integers(0, 99, (size, 3)).astype(np.float64)
        assert np.array_equal(exact.sum_by_halving(values.copy()), values.sum(axis=0))


def test_no_pairs_have_no_distances(rng: np.random.Generator) -> None:
    """An empty batch is allowed."""
    nobody = np.empty(0, np.int64)
    for vectors in (rng.standard_normal((3, 2)), np.zeros((3, 2), np.uint8)):
        points = points_of(vectors, rng)
        assert len(PairDistances.between(points, points)(nobody, nobody)) == 0
