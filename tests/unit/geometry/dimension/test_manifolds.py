"""Points of one manifold, and the global dimension: against closed forms of known spaces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from ibc_report.geometry import Points, neighbor_graph
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood
from ibc_report.geometry.dimension.finite_sample_bias import true_range
from ibc_report.geometry.dimension.manifolds import global_dimension, sheet


def clusters(classes: int, n: int, apart: float, dimension: int = 4, seed: int = 0) -> Points:
    """Gaussian classes of equal size, each moved along a coordinate of its own."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % classes
    vectors = np.concatenate([rng.normal(size=(n, dimension)), apart * np.eye(classes)[labels]], axis=1)
    return Points(vectors, 1.0, np.arange(n), labels.astype(np.int64))


@pytest.mark.parametrize(("apart", "points"), [(50.0, 100.0), (0.0, 500.0)])
def test_classes_that_lie_apart_have_their_own_points(apart: float, points: float) -> None:
    """Five far clusters of 500 points have 100 each, five on one another are one of 500."""
    found = clusters(5, 500, apart)
    assert sheet(neighbor_graph(found, k=6), seed=0).points == points


def test_the_distance_of_classes_does_not_count() -> None:
    """Within a far class distances concentrate as in one Gaussian, over all of them they do not."""
    found = clusters(5, 1500, 50.0)
    within = sheet(neighbor_graph(found, k=6), seed=0).global_dimension
    assert within == pytest.approx(4, rel=0.1)
    whole = global_dimension(found, seed=0)
    assert whole is not None
    assert abs(whole - 4) > 0.5


def test_unequal_classes_count_by_their_points() -> None:
    """A random point of classes of 300 and 100 is among 250 on average; one of ten has no distances of its own."""
    labels = np.repeat([0, 1, 2], [300, 100, 10]).astype(np.int64)
    vectors = np.random.default_rng(0).normal(size=(410, 3)) + 100.0 * labels[:, None]
    points = Points(vectors, 1.0, np.arange(410), labels)
    found = sheet(neighbor_graph(points, k=6), seed=0)
    assert found.points == pytest.approx((300**2 + 100**2 + 10**2) / 410)
    assert found.global_dimension == pytest.approx(3, rel=0.15)


def test_without_labels_all_points_are_one() -> None:
    """Of a regression, or with too few neighbours, the set is one manifold."""
    points = clusters(2, 60, 50.0)
    bare = Points(points.vectors, 1.0, points.rows)
    assert sheet(neighbor_graph(bare, k=6), seed=0).points == 60
    few = clusters(2, 4, 50.0)
    assert sheet(neighbor_graph(few, k=5), seed=0).points == 4


def test_tiny_classes_take_the_distances_of_all() -> None:
    """Where no class has thirty points the concentration is that of the set."""
    points = clusters(8, 80, 50.0)
    found = sheet(neighbor_graph(points, k=6), seed=0)
    assert found.points == 10
    assert found.global_dimension == global_dimension(points, seed=0)


def test_the_true_dimension_of_far_classes_is_in_its_range() -> None:
    """Ten far Gaussians of dimension 14, 100 points each: the range of one has 14, that of 1,000 points is lower."""
    points = clusters(10, 1000, 6.0, dimension=14)
    graph = neighbor_graph(points, k=6)
    estimate = maximum_likelihood(graph.found.distances, PAPER_K)
    one = sheet(graph, seed=0)
    low, high = true_range(estimate, 0.0, one.points, global_dimension=one.global_dimension)
    assert low < 14 < high
    assert true_range(estimate, 0.0, 1000, global_dimension=one.global_dimension)[1] < high


def whole(vectors: NDArray[np.float64], seed: int = 0) -> float | None:
    """The global dimension of some vectors."""
    return global_dimension(Points(np.ascontiguousarray(vectors), 1.0, np.arange(len(vectors))), seed=seed)


@pytest.mark.parametrize("dimension", [2, 10, 40])
def test_known_spaces_have_their_closed_forms(dimension: int) -> None:
    """A Gaussian has m, a sphere 2(m + 1), a flat torus 4m and a cube 10m/7, within 5 %."""
    generator = np.random.default_rng(dimension)
    normal = generator.normal(size=(6000, dimension + 1))
    angles = generator.uniform(0, 2 * np.pi, size=(6000, dimension))
    assert whole(normal[:, :-1]) == pytest.approx(dimension, rel=0.05)
    assert whole(normal / np.linalg.norm(normal, axis=1, keepdims=True)) == pytest.approx(2 * (dimension + 1), rel=0.05)
    assert whole(np.hstack([np.cos(angles), np.sin(angles)])) == pytest.approx(4 * dimension, rel=0.05)
    assert whole(generator.uniform(size=(6000, dimension))) == pytest.approx(10 * dimension / 7, rel=0.05)


def test_a_gaussian_of_unequal_axes_has_its_participation_ratio() -> None:
    """It is (tr Σ)²/tr Σ² of the covariance, in few points too, which pair up more often."""
    scales = np.array([3.0, 2.0, 2.0, 1.0, 0.5, 0.1])
    variances = scales**2
    ratio = variances.sum() ** 2 / (variances**2).sum()
    assert whole(np.random.default_rng(1).normal(size=(900, 6)) * scales) == pytest.approx(ratio, rel=0.08)


def test_two_clusters_have_few_dimensions() -> None:
    """Far clusters make distances vary most of all: two of them have a global dimension of 2."""
    generator = np.random.default_rng(2)
    vectors = generator.normal(size=(2000, 20)) + 1000 * generator.integers(0, 2, size=(2000, 1))
    # half of the squared distances are 0 and half 1: 2 (1/2)²/(1/4)
    assert whole(vectors) == pytest.approx(2, rel=0.05)


def test_pixels_count_in_their_unit() -> None:
    """Integers are not squared in eight bits, and a unit cancels."""
    pixels = np.random.default_rng(3).integers(0, 256, size=(500, 30), dtype=np.uint8)
    stored = global_dimension(Points(pixels, 1 / 255, np.arange(500)), seed=0)
    assert stored == pytest.approx(whole(pixels.astype(np.float64)), rel=1e-12)


def test_equal_distances_have_none() -> None:
    """One-hot vectors are all equally far, and two points have one distance."""
    assert whole(np.eye(12)) is None
    assert whole(np.array([[0.0], [3.0]])) is None


@pytest.mark.parametrize(("others", "points"), [(9, 100.0), (11, 200.0)])
def test_a_twentieth_of_the_neighbours_may_be_of_another_class(others: int, points: float) -> None:
    """Classes lie apart up to 5 % of neighbours of another one: 45 of 1,000 are few enough, 55 are not."""
    generator = np.random.default_rng(2)
    labels = np.repeat([0, 1], 100)
    vectors = generator.normal(size=(200, 2)) + 1000 * labels[:, None]
    whole = Points(vectors, 1.0, np.arange(200), labels)
    graph = neighbor_graph(whole, k=5)
    rows = graph.found.rows.copy()
    rows[:others] = np.arange(100, 105)
    mixed = replace(graph, found=replace(graph.found, rows=rows))
    assert sheet(mixed, seed=0).points == points


def far_classes(counts: list[int], changed: int) -> Points:
    """Far Gaussian classes of these sizes, one of which is stretched along one axis."""
    labels = np.repeat(np.arange(len(counts)), counts)
    vectors = np.random.default_rng(4).normal(size=(len(labels), 3))
    vectors[labels == changed, 0] *= 8
    vectors[:, 1] += 1000.0 * labels
    return Points(vectors, 1.0, np.arange(len(labels)), labels.astype(np.int64))


@pytest.mark.parametrize(
    ("counts", "changed", "counts_in"),
    [([60] * 19 + [50, 40], 19, True), ([60] * 20 + [50], 20, False), ([60, 30], 1, True), ([60, 29], 1, False)],
)
def test_distances_are_those_of_the_largest_twenty_classes_of_thirty(
    counts: list[int], changed: int, counts_in: bool
) -> None:
    """The shape of the twentieth class counts, that of the 21st does not; nor does one of 29 points."""
    plain = sheet(neighbor_graph(far_classes(counts, -1), k=6), seed=0).global_dimension
    other = sheet(neighbor_graph(far_classes(counts, changed), k=6), seed=0).global_dimension
    assert (plain != other) == counts_in
