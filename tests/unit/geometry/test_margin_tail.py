"""The margin from the tail: against its definition, written out row by row."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report.geometry import Points, neighbor_graph, search
from ibc_report.geometry.margin_tail import Tail, tail_margin
from ibc_report.geometry.margin_tail import _searched as searched


def written_out(points: Points, dimension: float, total: int) -> Tail:
    """The law with its constants as they are documented, from all distances."""
    n = len(points)
    assert points.labels is not None
    distances = np.linalg.norm(points.vectors[:, None] - points.vectors[None], axis=2)
    pairs = []
    for row in range(n):
        others = np.sort(distances[row][points.labels != points.labels[row]])
        pairs += [(distance, 0.7 * 0.3**rank) for rank, distance in enumerate(others[:6])]
    pairs.sort()
    wanted = max(10.0, 1.77 * n**0.6)
    shares = np.cumsum([share for _, share in pairs])
    limit = pairs[int(np.searchsorted(shares, wanted))][0]
    below = [(distance, share) for distance, share in pairs if distance < limit]
    rows = sum(share for _, share in below)
    spacing = sum(share * np.log(limit / distance) for distance, share in below)
    slope = (spacing + 2 / dimension) / (rows + 2)
    expected = 2 * 0.7 * (n / total) ** 2
    return Tail(limit * min(1.0, (rows / expected) ** -slope), 1 / slope, limit, rows)


def check(points: Points, total: int) -> None:
    """Compare the found law with the one written out."""
    n = len(points)
    found = tail_margin(neighbor_graph(points, k=min(n - 1, 60)), np.ones(n), dimension=2.0, total=total)
    expected = written_out(points, 2.0, total)
    assert found is not None
    for name in ("margin", "exponent", "threshold", "rows"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9)


@pytest.mark.parametrize(("n", "total"), [(13, 13), (16, 16), (17, 17), (120, 240), (300, 300), (420, 420), (421, 421)])
def test_the_margin_is_that_of_its_law(n: int, total: int) -> None:
    """Ten rows of few points or 1.77·n^0.6 of many, each there with the chance of 0.7."""
    generator = np.random.default_rng(n)
    check(Points(generator.normal(size=(n, 2)), 1.0, np.arange(n), np.arange(n) % 3), total)


def test_six_neighbours_of_another_class_are_looked_at() -> None:
    """A row among eight of another class that are as near finds six of them."""
    generator = np.random.default_rng(1)
    angles = generator.uniform(0, 2 * np.pi, size=(7, 8))
    around = np.stack([np.cos(angles), np.sin(angles)], axis=-1) * generator.uniform(1, 1.1, size=(7, 8, 1))
    stars = np.concatenate([np.zeros((7, 1, 2)), around], axis=1) * np.arange(1, 8)[:, None, None]
    vectors = (stars + 1000.0 * np.arange(7)[:, None, None]).reshape(-1, 2)
    check(Points(vectors, 1.0, np.arange(63), np.tile([0] + [1] * 8, 7)), 63)


@pytest.mark.parametrize("limit", [0.15, 0.4, np.inf])
@pytest.mark.parametrize("k", [2, 12])
def test_rows_whose_neighbours_are_set_aside_find_the_next(k: int, limit: float) -> None:
    """Within the limit the nearest row that is there is the one that a search of all of them finds, with its weight."""
    generator = np.random.default_rng(k)
    points = Points(generator.normal(size=(300, 2)) / 2, 1.0, np.arange(300) ** 2, np.arange(300) % 3)
    weights = generator.choice([0.0, 0.3, 1.0], 300)
    unsure = np.flatnonzero(weights > 0)[::3]
    found = searched(neighbor_graph(points, k=k), weights, unsure, limit, 2**30)
    there = np.flatnonzero(weights > 0)
    alone = search(points.take(there), points.take(unsure), k=1, same_set=True)
    near = alone.other_distance < limit
    shares = weights[unsure] * 0.7 * weights[np.searchsorted(points.rows, alone.other_row)]
    assert near.any()
    assert np.array_equal(found.distances[found.distances < limit], alone.other_distance[near])
    assert np.array_equal(found.shares[found.distances < limit], shares[near])
