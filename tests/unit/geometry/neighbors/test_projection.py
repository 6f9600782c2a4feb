"""The bound is a bound: no product may exceed the true squared distance by more than the stated slack."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ibc_report.geometry.neighbors import planner
from ibc_report.geometry.neighbors.distances import PairDistances
from ibc_report.geometry.neighbors.planner import PlanningSample, plain_projection, plan_search
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.projection import Projection, as_queries, largest_coordinate
from tests.support.adversaries import ADVERSARIES
from tests.support.pairwise import pairwise

SIZES = (1, 2, 5, 20, None)

SEEDS = range(8)


def lets_all_through(name: str, seed: int, size: int | None) -> bool:
    """Whether a limit at the exact distance of a pair lets it through, for every pair of a set."""
    points = ADVERSARIES[name](np.random.default_rng(seed))
    projection = plain_projection(points)
    if size is not None:
        size = min(size, points.dimension)
        axes = np.random.default_rng(seed).standard_normal((points.dimension, size))
        projection = Projection(projection.centre, projection.scale, np.linalg.qr(axes)[0])
    rows = np.empty((len(points), projection.width), np.float32)
    projection.rows(points.raw, rows, projection.allowance)
    products = as_queries(rows) @ rows.T
    query, reference = (index.ravel() for index in np.indices(products.shape))
    distances = PairDistances.between(points, points)(query, reference)
    limits = projection.limit(distances, points.unit)
    return bool(np.all(products.ravel() <= limits))


@pytest.mark.parametrize("name", ADVERSARIES)
def test_no_pair_is_beyond_the_limit_of_its_own_distance(name: str) -> None:
    """A limit at its exact distance lets every pair of an adversarial set through; every two parameters meet."""
    cases = [case for case in pairwise([*ADVERSARIES], SEEDS, SIZES) if case[0] == name]
    assert len(cases) >= len(SEEDS)
    assert [case for case in cases if not lets_all_through(*case)] == []


@pytest.mark.long
@pytest.mark.parametrize("name", ADVERSARIES)
def test_no_pair_of_any_draw_is_beyond_its_limit(name: str) -> None:
    """For every pair of every adversarial set, a limit at its exact distance lets it through, at every size."""
    assert [case for case in product(SEEDS, SIZES) if not lets_all_through(name, *case)] == []


def test_axes_are_orthonormal_in_float64(rng: np.random.Generator) -> None:
    """Both ways to the axes end orthonormal to float64, of reduced rank too."""
    for dimension, most in ((30, 30), (900, 40)):
        vectors = rng.standard_normal((500, 12)) @ rng.standard_normal((12, dimension))
        sample = PlanningSample.of(Points(vectors, 1.0, np.arange(500)), most)
        np.testing.assert_allclose(sample.axes.T @ sample.axes, np.eye(sample.axes.shape[1]), atol=1e-13)


def test_axes_that_cannot_pay_are_not_learned(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a product of all coordinates ends before they are known, as among 900 wide vectors, none are sought."""
    learned = []
    axes = planner._axes

    def noted(vectors: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
        learned.append(vectors.shape)
        return axes(vectors, most, rng)

    monkeypatch.setattr(planner, "_axes", noted)
    wide = Points(rng.standard_normal((900, 700)), 1.0, np.arange(900))
    assert plan_search(wide, wide, 5, 0).method == "plain GEMM"
    assert not learned
    narrow = Points(rng.standard_normal((4000, 40)), 1.0, np.arange(4000))
    plan_search(narrow, narrow, 5, 0)
    assert learned


def test_axes_catch_the_variance(rng: np.random.Generator) -> None:
    """The leading axes of a sample hold nearly all variance where there is little else."""
    vectors = rng.standard_normal((2000, 10)) @ rng.standard_normal((10, 1200)) * 5
    vectors += rng.standard_normal(vectors.shape) * 0.1
    sample = PlanningSample.of(Points(vectors, 1.0, np.arange(2000)), 32)
    inside = np.square(sample.vectors @ sample.axes[:, :10]).sum()
    assert inside > 0.999 * np.square(sample.vectors).sum()


def test_the_largest_coordinate_is_a_magnitude() -> None:
    """Negative values count by their magnitude; pixels have a fixed range."""
    assert largest_coordinate(Points(np.array([[1.0, -3.0]]), 1.0, np.arange(1))) == 3
    assert largest_coordinate(Points(np.array([[1]], np.uint8), 1.0, np.arange(1))) == 255
