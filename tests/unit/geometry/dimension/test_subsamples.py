"""Random disjoint parts: what they hold, and their dimension, margin and radius against brute force."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.geometry import Points, neighbor_graph, search
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood
from ibc_report.geometry.dimension.subsamples import MOST_PARTS, SampleSize, by_sample_size, shuffled
from ibc_report.geometry.neighbors.points import part
from tests.support.samples import few_properties


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


MEMORY = 2**30


def cloud(n: int, dimension: int, classes: int = 2, seed: int = 0) -> Points:
    """Gaussian points with random labels."""
    generator = np.random.default_rng([n, seed])
    vectors = generator.normal(size=(n, dimension))
    return Points(vectors, 1.0, np.arange(n), generator.integers(0, classes, n))


def sizes_of(points: Points, queries: Points | None = None, tolerance: float | None = None) -> tuple[SampleSize, ...]:
    """All sizes of a set of which some points, or all, were asked."""
    graph = neighbor_graph(points, queries, k=20, tolerance=tolerance)
    return by_sample_size(graph, half_estimate=3.5, seed=0, memory=MEMORY)


def brute_margin(points: Points, positions: np.ndarray, tolerance: float | None = None) -> float:
    """The smallest distance between some points that differ, over all their pairs."""
    vectors = points.raw[positions]
    distances = np.linalg.norm(vectors[:, None] - vectors, axis=2)
    if tolerance is None:
        assert points.labels is not None
        differ = points.labels[positions][:, None] != points.labels[positions]
    else:
        assert points.targets is not None
        differ = np.abs(points.targets[positions][:, None] - points.targets[positions]) > tolerance
    return float(distances[differ].min())


def check_margins(points: Points, sizes: tuple[SampleSize, ...], tolerance: float | None = None) -> None:
    """Compare every size's mean ln δ with brute force over the same disjoint parts."""
    order = shuffled(points, 0)
    for size in sizes:
        starts = range(0, size.parts * size.n, size.n)
        expected = [log(brute_margin(points, order[start : start + size.n], tolerance)) for start in starts]
        assert size.log_margin == pytest.approx(float(np.mean(expected)), rel=1e-9)


@pytest.mark.parametrize("classes", [2, 5])
def test_margins_are_those_of_all_pairs_of_each_part(classes: int) -> None:
    """Where all points were asked, the shortcut finds the exact margin of every part of every size."""
    points = cloud(900, 4, classes)
    sizes = sizes_of(points)
    assert [(size.n, size.parts) for size in sizes] == [(900, 1), (450, 2), (225, 4), (112, 8)]
    check_margins(points, sizes)


def test_margins_of_a_regression_are_those_of_targets_beyond_the_tolerance() -> None:
    """With targets and a tolerance the pairs are those further apart than it."""
    generator = np.random.default_rng(1)
    vectors = generator.normal(size=(430, 3))
    points = Points(vectors, 1.0, np.arange(430), None, vectors[:, 0] + generator.normal(size=430))
    sizes = sizes_of(points, tolerance=0.8)
    assert [size.n for size in sizes] == [430, 215, 107]
    check_margins(points, sizes, 0.8)


def test_few_queries_leave_the_margins_of_small_parts() -> None:
    """Where few points were asked, only the sizes that cost a tenth of that have a margin, and it is exact."""
    points = cloud(1700, 4)
    sizes = sizes_of(points, points.take(np.arange(400)))
    assert [size.parts for size in sizes] == [0, 0, 0, 1, 6]
    assert [size.log_margin is None for size in sizes] == [True, True, True, False, False]
    check_margins(points, sizes[3:])


def test_dimensions_are_those_of_the_nested_parts() -> None:
    """The whole has the pooled estimate, the half what it is given, and a quarter that of a search of its own."""
    points = cloud(1000, 6)
    sizes = sizes_of(points)
    quarter = points.raw[np.sort(shuffled(points, 0)[:250])]
    whole = maximum_likelihood(search(points, k=5).distances, PAPER_K)
    own = maximum_likelihood(search(Points(quarter, 1.0, np.arange(250)), k=5).distances, PAPER_K)
    assert [size.dimension for size in sizes[:3]] == pytest.approx([whole, 3.5, own], rel=1e-12)


def test_the_radius_is_the_mean_over_parts_of_the_largest_norm() -> None:
    """Each size has the mean of its parts' radii, in true units."""
    points = cloud(400, 3)
    scaled = Points(points.raw, 0.5, points.rows, points.labels)
    order = shuffled(scaled, 0)
    lengths = 0.5 * np.linalg.norm(points.raw, axis=1)
    for size, count in zip(sizes_of(scaled), (1, 2, 4), strict=True):
        expected = [lengths[order[start * size.n : (start + 1) * size.n]].max() for start in range(count)]
        assert size.radius == pytest.approx(float(np.mean(expected)), rel=1e-12)


def test_the_margin_of_many_parts_is_taken_of_some() -> None:
    """Small sizes have many parts, and sixteen of them are enough."""
    sizes = sizes_of(cloud(3300, 2))
    assert [size.parts for size in sizes] == [1, 2, 4, 8, 16, MOST_PARTS]


def test_a_small_set_has_one_size() -> None:
    """Under 200 points there is the whole alone."""
    assert [size.n for size in sizes_of(cloud(199, 3))] == [199]


def test_parts_of_one_class_have_no_margin() -> None:
    """A class of one point is missing from all parts but one, so that only the whole has a margin."""
    points = cloud(250, 3, 1)
    assert points.labels is not None
    points.labels[17] = 1
    assert [size.log_margin is None for size in sizes_of(points)] == [False, True]


def test_without_answers_there_are_no_margins() -> None:
    """Points without labels have dimensions and radii by size all the same."""
    points = Points(cloud(400, 3).raw, 1.0, np.arange(400))
    sizes = sizes_of(points)
    assert [size.log_margin for size in sizes] == [None, None, None]
    assert all(size.dimension for size in sizes)


def test_a_lattice_has_margins_and_no_dimensions() -> None:
    """One-hot points are all √2 apart: no dimension at any size that was searched, and a margin at each."""
    points = Points(np.eye(420), 1.0, np.arange(420), np.arange(420) % 2)
    sizes = sizes_of(points)
    assert [size.dimension for size in sizes] == [None, 3.5, None]
    assert [size.log_margin for size in sizes] == pytest.approx([log(2) / 2] * 3)


def test_at_least_two_thousand_points_of_a_part_are_asked() -> None:
    """Where a hundred of 8,400 points were asked, the quarter's dimension is that of its first 2,000 in the order."""
    points = cloud(8_400, 2)
    graph = neighbor_graph(points, points.take(np.arange(100)), k=6)
    quarter = by_sample_size(graph, half_estimate=2.0, seed=0, memory=MEMORY)[2]
    order = shuffled(points, 0)
    found = search(part(points, np.sort(order[:2_100])), part(points, np.sort(order[:2_000])), k=5, same_set=True)
    assert quarter.n == 2_100
    assert quarter.dimension == maximum_likelihood(found.distances, PAPER_K)
