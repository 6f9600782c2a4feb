"""Even points and interpolation: against plain evaluation."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from scipy.stats import qmc

from ibc_report.complexity.quadrature import evenly_spread, tabulated


@pytest.mark.parametrize("dimensions", [1, 3, 7])
def test_points_fill_the_cube_more_evenly_than_random_ones(dimensions: int) -> None:
    """Their discrepancy is below that of random points, and no point lies outside of the cube or is repeated."""
    points = evenly_spread(1024, dimensions)
    assert points.shape == (1024, dimensions)
    assert points.min() > 0
    assert points.max() < 1
    assert len(np.unique(points, axis=0)) == 1024
    random = np.random.default_rng(0).random((1024, dimensions))
    assert qmc.discrepancy(points) < qmc.discrepancy(random)


def test_a_smooth_function_is_met_between_the_nodes() -> None:
    """A curved function of both numbers is met to a thousandth of its range; one that is constant, exactly."""
    points = evenly_spread(500, 2) * 4 - 2
    found = tabulated(lambda a, b: float(np.exp(a / 4) * (1 + b / 10)), points[:, 0], [points[:, 1], points[:, 1] / 2])
    assert found[0] == pytest.approx(np.exp(points[:, 0] / 4) * (1 + points[:, 1] / 10), abs=2e-3)
    assert found[1] == pytest.approx(np.exp(points[:, 0] / 4) * (1 + points[:, 1] / 20), abs=2e-3)
    assert tabulated(lambda a, b: 3.0, np.zeros(4), [np.zeros(4)])[0].tolist() == [3.0] * 4


def test_where_there_is_no_value_the_nearest_node_stands() -> None:
    """A function of −inf on one side gives −inf there, its values on the other, and never NaN."""
    at = np.linspace(-1, 1, 400)
    found = tabulated(lambda a, b: a if a > 0 else -inf, at, [np.zeros(400)])[0]
    assert not np.isnan(found).any()
    assert (found[at < -0.1] == -inf).all()
    assert found[at > 0.1] == pytest.approx(at[at > 0.1])


def test_the_nearest_node_is_the_one_within_half_a_cell() -> None:
    """Next to nodes without a value, of either number, a point has that of the node at most half a cell away."""
    at, still = np.array([0.0, 9.4, 9.6, 10.0, 31.4, 31.6, 32.0]), np.full(7, 3.0)
    found = tabulated(lambda a, b: a if 9.5 < a < 31.5 else -inf, at, [still])[0]
    assert found == pytest.approx([-inf, -inf, 10.0, 10.0, 31.0, -inf, -inf])
    across = np.array([0.0, 4.4, 4.6, 5.0, 15.4, 15.6, 16.0])
    found = tabulated(lambda a, b: b if 4.5 < b < 15.5 else -inf, still, [across])[0]
    assert found == pytest.approx([-inf, -inf, 5.0, 5.0, 15.0, -inf, -inf])


def test_a_corner_of_the_grid_is_itself() -> None:
    """A function that is bilinear between nodes comes out exactly, corners included."""
    first, second = (each.ravel() for each in np.meshgrid([0.0, 0.3, 1.0], [0.0, 0.7, 1.0]))
    found = tabulated(lambda a, b: 1 + 2 * a + 3 * b + 4 * a * b, first, [second])[0]
    assert found == pytest.approx(1 + 2 * first + 3 * second + 4 * first * second, rel=1e-12)
