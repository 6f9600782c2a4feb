"""The range of the true dimension: what classes, noise and further neighbours add to it, and where it is withheld."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report.geometry import Points, neighbor_graph
from ibc_report.geometry.dimension.by_class import ClassDimension, by_class
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood, profile
from ibc_report.geometry.dimension.finite_sample_bias import true_dimensions, true_range
from ibc_report.geometry.dimension.manifolds import Sheet, sheet
from ibc_report.geometry.dimension.true_dimension import true_dimension

APART = Sheet(500.0, 6.0, classes_mix=False)

MIXED = Sheet(1000.0, 6.0, classes_mix=True)


def found(points: Points) -> tuple[float, float] | None:
    """The range of a set."""
    graph = neighbor_graph(points, k=50)
    distances = graph.found.distances
    classes = by_class(graph, seed=0, memory=2**30)
    return true_dimension(maximum_likelihood(distances, PAPER_K), profile(distances), sheet(graph, seed=0), classes)


def copies(x: np.ndarray, away: float) -> Points:
    """Points of a manifold in two classes, which are two copies at a distance."""
    labels = np.arange(len(x)) % 2
    return Points(np.column_stack([x, away * labels]), 1.0, np.arange(len(x)), labels)


@pytest.mark.parametrize("away", [0.05, 0.1, 0.2, 0.3])
@pytest.mark.parametrize("shape", ["sphere", "roll"])
def test_close_sheets_have_the_dimension_of_one(away: float, shape: str) -> None:
    """Two sheets of dimension 2 that are closer than their points look like a body, and the range holds 2."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((1000, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    if shape == "roll":
        angle = rng.uniform(1.5 * np.pi, 4.5 * np.pi, 1000)
        x = np.column_stack([angle * np.cos(angle), angle * np.sin(angle), rng.uniform(0, 20, 1000)]) / 12
    ends = found(copies(x, away))
    assert ends is not None
    assert ends[0] <= 2 <= ends[1]


def test_noise_in_all_features_leaves_the_dimension_below_it() -> None:
    """A plane with noise in a hundred features looks like four dimensions, and the range reaches down to 2."""
    rng = np.random.default_rng(0)
    plane = np.pad(rng.uniform(-1, 1, (2000, 2)), ((0, 0), (0, 98)))
    noisy = plane + 0.005 * rng.standard_normal(plane.shape)
    estimate = maximum_likelihood(neighbor_graph(Points(noisy, 1.0, np.arange(2000)), k=5).found.distances, PAPER_K)
    ends = found(Points(noisy, 1.0, np.arange(2000)))
    assert estimate > 3
    assert ends is not None
    assert ends[0] < 2.1


def test_heavy_tails_reach_further_up() -> None:
    """Lognormal coordinates, whose estimate is far too small, have a range that reaches up to their number."""
    x = np.random.default_rng(1).lognormal(size=(1000, 10))
    ends = found(Points(x, 1.0, np.arange(1000)))
    assert ends is not None
    assert ends[0] < 10 < ends[1]


def test_far_classes_have_the_range_of_one() -> None:
    """Where classes lie apart and the dimension does not fall with the scale, the table's range stands."""
    ends = true_dimension(5.0, {}, APART, [ClassDimension(0, 500, 3.0, 0.1)])
    assert ends == true_range(5.0, 0.0, 500, global_dimension=6.0)


def test_classes_that_mix_widen_it_by_their_own() -> None:
    """The range of the classes, by their points, is taken in at both ends."""
    classes = [ClassDimension(0, 600, 4.0, 0.1), ClassDimension(1, 400, 4.5, 0.1)]
    ends = true_dimension(5.0, {}, MIXED, classes)
    within = 1000 / (600 / 4.0 + 400 / 4.5)
    own = true_range(within, 0.0, (600**2 + 400**2) / 1000, global_dimension=6.0)
    whole = true_range(5.0, 0.0, 1000, global_dimension=6.0)
    assert ends == (min(own[0], whole[0]), max(own[1], whole[1]))


@pytest.mark.parametrize(("points", "is_told"), [(25, True), (24, False)])
def test_small_classes_that_mix_tell_nothing(points: int, is_told: bool) -> None:
    """Classes of 24 points are too small to have a dimension of their own."""
    classes = [ClassDimension(label, points, 4.0, None) for label in range(40)]
    own = Sheet(40.0 * points, 6.0, classes_mix=True)
    assert (true_dimension(5.0, {}, own, classes) is not None) == is_told


@pytest.mark.parametrize(("large", "is_told"), [(500, True), (499, False)])
def test_half_of_the_points_have_to_tell(large: int, is_told: bool) -> None:
    """Where fewer than half of the points are in classes that tell, the range is withheld."""
    assert (true_dimension(5.0, {}, MIXED, [ClassDimension(0, large, 4.0, 0.1)]) is not None) == is_told


@pytest.mark.parametrize("k", [10, 20])
@pytest.mark.parametrize(("kept", "fall"), [(0.99, 1.0), (0.9, (0.9 / 0.98) ** 2), (1.2, 1.0)])
def test_a_fall_with_the_scale_is_followed_further(k: int, kept: float, fall: float) -> None:
    """What falls by more than 2 %, once its bias is out, lowers the lower end by the square of that."""
    estimate = 5.0
    size = 500 * PAPER_K / k

    def middle(value: float, n: float) -> float:
        return float(np.exp(np.mean([np.log(each) for each in true_dimensions(value, n).values() if each])))

    target = kept * middle(estimate, 500)
    low, high = 0.1, 20.0
    for _ in range(80):
        at = (low + high) / 2
        low, high = (at, high) if middle(at, size) < target else (low, at)
    plain = true_range(estimate, 0.0, 500, global_dimension=6.0)
    ends = true_dimension(estimate, {k: low}, APART, [])
    assert ends is not None
    assert ends == pytest.approx((plain[0] * fall, plain[1]), rel=1e-6)


def test_no_scale_beyond_the_twentieth_neighbour_is_read() -> None:
    """What falls at fifty neighbours, which reach around the manifold, moves nothing."""
    assert true_dimension(5.0, {50: 2.0}, APART, []) == true_range(5.0, 0.0, 500, global_dimension=6.0)


def test_an_estimate_beyond_the_table_has_no_upper_end() -> None:
    """A dimension that the table does not reach has an open range, and no error."""
    ends = true_dimension(150.0, {10: 140.0}, APART, [])
    assert ends is not None
    assert ends[1] == np.inf
