"""Points of one manifold: of a class where classes lie apart, of the set where they do not."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report.geometry import Points, search
from ibc_report.geometry.bias import true_range
from ibc_report.geometry.dimension import PAPER_K, maximum_likelihood
from ibc_report.geometry.sheets import sheet
from ibc_report.geometry.spread import global_dimension


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
    assert sheet(found, found, search(found, k=6), seed=0).points == points


def test_the_distance_of_classes_does_not_count() -> None:
    """Within a far class distances concentrate as in one Gaussian, over all of them they do not."""
    found = clusters(5, 1500, 50.0)
    within = sheet(found, found, search(found, k=6), seed=0).global_dimension
    assert within == pytest.approx(4, rel=0.1)
    whole = global_dimension(found, seed=0)
    assert whole is not None
    assert abs(whole - 4) > 0.5


def test_unequal_classes_count_by_their_points() -> None:
    """A random point of classes of 300 and 100 is among 250 on average; one of ten has no distances of its own."""
    labels = np.repeat([0, 1, 2], [300, 100, 10]).astype(np.int64)
    vectors = np.random.default_rng(0).normal(size=(410, 3)) + 100.0 * labels[:, None]
    points = Points(vectors, 1.0, np.arange(410), labels)
    found = sheet(points, points, search(points, k=6), seed=0)
    assert found.points == pytest.approx((300**2 + 100**2 + 10**2) / 410)
    assert found.global_dimension == pytest.approx(3, rel=0.15)


def test_without_labels_all_points_are_one() -> None:
    """Of a regression, or with too few neighbours, the set is one manifold."""
    points = clusters(2, 60, 50.0)
    bare = Points(points.vectors, 1.0, points.rows)
    assert sheet(bare, bare, search(bare, k=6), seed=0).points == 60
    few = clusters(2, 4, 50.0)
    assert sheet(few, few, search(few, k=5), seed=0).points == 4


def test_tiny_classes_take_the_distances_of_all() -> None:
    """Where no class has thirty points the concentration is that of the set."""
    points = clusters(8, 80, 50.0)
    found = sheet(points, points, search(points, k=6), seed=0)
    assert found.points == 10
    assert found.global_dimension == global_dimension(points, seed=0)


def test_the_true_dimension_of_far_classes_is_in_its_range() -> None:
    """Ten far Gaussians of dimension 14, 100 points each: the range of one has 14, that of 1,000 points is lower."""
    points = clusters(10, 1000, 6.0, dimension=14)
    nearest = search(points, k=6)
    estimate = maximum_likelihood(nearest.distances, PAPER_K)
    one = sheet(points, points, nearest, seed=0)
    low, high = true_range(estimate, 0.0, one.points, global_dimension=one.global_dimension)
    assert low < 14 < high
    assert true_range(estimate, 0.0, 1000, global_dimension=one.global_dimension)[1] < high
