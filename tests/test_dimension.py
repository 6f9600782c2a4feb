"""Intrinsic dimension: against the estimator's definition, spaces of known dimension, and its invariances."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.errors import DataError
from ibc_report.geometry.dimension import PAPER_K, PROFILE, maximum_likelihood, profile
from tests.samples import few_properties


def nearest(points: np.ndarray, k: int) -> np.ndarray:
    """Distances of the k nearest neighbours by brute force."""
    distances = np.linalg.norm(points[:, None, :] - points[None, :, :], axis=2)
    np.fill_diagonal(distances, np.inf)
    return np.asarray(np.sort(distances, axis=1)[:, :k])


@few_properties
@given(st.lists(st.lists(st.floats(1e-3, 1e3), min_size=6, max_size=6), min_size=1, max_size=8), st.integers(2, 6))
def test_the_estimate_is_its_definition(rows: list[list[float]], k: int) -> None:
    """1/m̂ is the mean over points and j < k of ln(T_k/T_j), summed term by term."""
    distances = np.sort(np.array(rows), axis=1)
    terms = [log(row[k - 1] / row[j]) for row in distances for j in range(k - 1)]
    if sum(terms) > 0:
        assert maximum_likelihood(distances, k) == pytest.approx(len(terms) / sum(terms), rel=1e-9)


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_a_cube_in_more_coordinates_has_its_own_dimension(dimension: int) -> None:
    """Uniform points of an m-cube, turned into 12 coordinates, measure m within 12 % at the paper's k."""
    generator = np.random.default_rng(dimension)
    turned, _ = np.linalg.qr(generator.normal(size=(12, 12)))
    points = generator.uniform(size=(1500, dimension)) @ turned[:dimension]
    # the estimator's standard error is m/√(n(k − 1)) at least, 1.3 %; its known bias, (k − 1)/(k − 2), is undone
    # by inverting the pooled mean; the boundary of the cube takes the rest
    assert maximum_likelihood(nearest(points, PAPER_K), PAPER_K) == pytest.approx(dimension, rel=0.12)


@few_properties
@given(st.floats(1e-6, 1e6))
def test_the_estimate_has_no_unit(scale: float) -> None:
    """Scaling all distances leaves the estimate and its profile."""
    distances = nearest(np.random.default_rng(1).normal(size=(40, 3)), 10)
    assert maximum_likelihood(distances * scale, 5) == pytest.approx(maximum_likelihood(distances, 5), rel=1e-9)
    assert profile(distances * scale) == pytest.approx(profile(distances), rel=1e-9)


def test_the_profile_holds_each_size_that_every_point_has_neighbours_for() -> None:
    """With 11 points the profile stops at k = 10, and its k = 5 is the paper's estimate."""
    distances = nearest(np.random.default_rng(2).normal(size=(11, 3)), 10)
    padded = np.hstack([distances, np.full((11, 40), np.inf)])
    assert list(profile(padded)) == [3, 5, 7, 10]
    assert profile(padded)[5] == maximum_likelihood(distances, 5)
    assert list(PROFILE) == [3, 5, 7, 10, 15, 20, 30, 40, 50]


def test_equally_far_neighbours_have_no_dimension() -> None:
    """Where the k nearest of every row are equally far, the estimate does not exist and the message says why."""
    with pytest.raises(DataError, match="the 5 nearest neighbours of every row are equally far away"):
        maximum_likelihood(np.ones((8, 5)), 5)


def test_a_size_without_an_estimate_is_left_out_of_the_profile() -> None:
    """The corners of a 4-cube have 4 nearest at distance 1 and the rest further: no m at k = 3, 2/ln 2 at k = 5."""
    corners = np.array([[(index >> bit) & 1 for bit in range(4)] for index in range(16)], dtype=float)
    found = profile(nearest(corners, 10))
    assert 3 not in found
    assert found[5] == pytest.approx(2 / log(2))
