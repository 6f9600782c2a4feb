"""All statistics of a set together: what is there of a whole set, a sample, a regression and odd data."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report.geometry import NeighborGraph, Points, neighbor_graph
from ibc_report.geometry.diagnostics import diagnose
from tests.unit.geometry.test_label_noise import cloud


def searched(
    points: Points, queries: Points | None = None, k: int = 50, tolerance: float | None = None
) -> NeighborGraph:
    """A search of some or all of the points."""
    return neighbor_graph(points, queries, k=min(k, len(points) - 1), tolerance=tolerance)


def test_a_clean_square_has_everything() -> None:
    """Two far classes on squares: even but for edges, of one dimension, no row outvoted, a margin that stays."""
    found = diagnose(searched(cloud(1500, 2, 3.0)))
    assert found.asked == 1500
    assert found.far is not None
    assert found.far.count == 0
    assert found.density_spread == pytest.approx(0.2, abs=0.1)
    assert found.dimension_spread == pytest.approx(0, abs=0.12)
    assert found.dimension_drift == pytest.approx(0, abs=0.06)
    assert found.class_spread is not None
    assert found.class_spread.classes == 2
    assert found.labels is not None
    assert found.labels.alone == 0
    assert found.margin_slope == pytest.approx(0, abs=1e-3)
    assert found.near is not None
    assert found.near.probability > 1e-3
    assert found.density_gradient == pytest.approx(0, abs=0.1)
    assert found.pieces is not None
    assert (found.pieces.classes, found.pieces.most) == (2, 1)
    assert found.widest is not None
    assert found.widest.position == 2
    assert found.order is None


def test_a_sample_of_queries_tells_all_but_the_margins_slope() -> None:
    """Where some rows were asked the statistics are those of the rows, and close pairs may be missing."""
    points = cloud(2000, 2, 3.0)
    whole = diagnose(searched(points))
    found = diagnose(searched(points, points.take(np.arange(0, 2000, 4))))
    assert found.asked == 500
    assert found.margin_slope is None
    assert found.labels is not None
    assert found.labels.alone == 0
    assert found.far == whole.far
    assert found.density_spread == pytest.approx(whole.density_spread, abs=0.1)


def test_a_regression_has_no_classes() -> None:
    """Real targets tell of density, dimension and the margin's slope, and not of labels."""
    points = cloud(800, 2, 0.0)
    smooth = Points(points.vectors, 1.0, points.rows, None, points.vectors[:, 0].copy())
    found = diagnose(searched(smooth, tolerance=0.1))
    assert found.class_spread is None
    assert found.labels is None
    assert found.margin_slope is not None
    assert found.density_spread is not None


def test_labels_are_judged_on_points_without_contradictions() -> None:
    """The second search gives what is said of labels, and may hold a point twice; the first gives the rest."""
    points = cloud(500, 2, 3.0)
    clear = points.take(np.arange(100))
    found = diagnose(searched(points), searched(clear))
    assert found.asked == 500
    assert found.margin_slope == diagnose(searched(clear)).margin_slope
    assert found.density_spread == diagnose(searched(points)).density_spread


def test_one_outlier_does_not_hide_itself() -> None:
    """A row at ten times the norm of the others is ten times their quantile, with few rows as with many."""
    for n in (20, 3000):
        vectors = np.zeros((n, 2))
        angle = np.random.default_rng(0).uniform(0, 6, n)
        vectors[:, 0], vectors[:, 1] = np.cos(angle), np.sin(angle)
        vectors[n // 2] *= 10
        points = Points(vectors, 1.0, np.arange(n))
        far = diagnose(searched(points, k=5)).far
        assert far is not None
        assert far.factor == pytest.approx(10)


def test_bytes_are_measured_as_numbers() -> None:
    """Norms of uint8 vectors do not overflow."""
    vectors = np.full((28, 4), 200, np.uint8)
    vectors[:, 0] = np.arange(28)
    vectors[5] = 250
    far = diagnose(searched(Points(vectors, 1 / 255, np.arange(28)), k=3)).far
    assert far is not None
    assert far.rows == (5,)
    assert far.factor == pytest.approx(500 / (3 * 200**2 + 27**2) ** 0.5)


@pytest.mark.parametrize("n", [2, 6, 12])
def test_tiny_sets_say_little_and_raise_nothing(n: int) -> None:
    """A handful of points tells little of anything."""
    found = diagnose(searched(cloud(n, 1, 1.0)))
    assert (found.dimension_spread is None) == (n <= 10)
    assert found.class_spread is None
    assert found.margin_slope is None


def test_a_lattice_raises_nothing() -> None:
    """Points whose neighbours are all equally far have no spread of anything."""
    corners = np.eye(30)
    labels = np.arange(30, dtype=np.int64) % 2
    found = diagnose(searched(Points(corners, 1.0, np.arange(30), labels)))
    assert found.density_spread is None
    assert found.near is None
    assert found.dimension_drift is None


def test_the_order_is_that_of_the_numbers_that_are_given() -> None:
    """Rows in order of time are dependent by their numbers, wherever they stand; without numbers unknown."""
    rng = np.random.default_rng(3)
    walk = np.cumsum(rng.standard_normal((300, 2)), axis=0)
    numbers = rng.permutation(300)
    graph = searched(Points(walk[numbers], 1.0, np.arange(300), rng.integers(0, 2, 300)))
    by_number, by_place = (diagnose(graph, numbers=order).order for order in (numbers, np.arange(300)))
    assert by_number is not None
    assert by_place is not None
    assert by_number.dependence > 0.5
    assert by_place.dependence == 0
    assert diagnose(graph).order is None
