"""Intrinsic dimension: against each estimator's definition, spaces of known dimension, and its invariances."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import betaln

from ibc_report.common.errors import DataError
from ibc_report.geometry import Points, search
from ibc_report.geometry.dimension.estimators import (
    GRIDE_RANKS,
    PAPER_K,
    PROFILE,
    gride,
    maximum_likelihood,
    profile,
    two_nn,
    winsorised_dimension,
)
from tests.support.samples import few_properties


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


def distances(vectors: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Distances of the k nearest neighbours of each."""
    return search(Points(vectors, 1.0, np.arange(len(vectors))), k=k).distances


def log_likelihood(dimension: float, ratios: NDArray[np.float64], near: int) -> float:
    """The logarithm of Gride's density, as its paper has it, at n₂ = 2n₁, summed over the ratios."""
    logs = np.log(ratios)
    inner = (near - 1) * np.log(np.expm1(dimension * logs)) if near > 1 else 0.0
    terms = np.log(dimension) + inner - ((2 * near - 1) * dimension + 1) * logs - betaln(near, near)
    return float(np.sum(terms))


@few_properties
@given(st.lists(st.floats(1.001, 50), min_size=1, max_size=20), st.sampled_from(GRIDE_RANKS))
def test_gride_is_the_maximum_of_its_likelihood(ratios: list[float], near: int) -> None:
    """A search over the likelihood of the paper finds no better dimension."""
    found = np.full((len(ratios), 2 * near), 1.0)
    found[:, 2 * near - 1] = ratios
    # every rank in between is equally near, so that only the one in question varies
    estimate = gride(found)[near]
    best = minimize_scalar(
        lambda log_d: -log_likelihood(float(np.exp(log_d)), np.array(ratios), near),
        bounds=(np.log(estimate) - 1, np.log(estimate) + 1),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert np.exp(best.x) == pytest.approx(estimate, rel=1e-5)


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_a_space_without_a_boundary_has_its_dimension(dimension: int) -> None:
    """On a flat torus, where no boundary bends the law, both are the dimension within four standard errors."""
    generator = np.random.default_rng(dimension)
    angles = generator.uniform(0, 2 * np.pi, size=(3000, dimension))
    found = distances(np.hstack([np.cos(angles), np.sin(angles)]), 32)
    error = dimension / np.sqrt(3000)
    estimate = two_nn(found)
    assert estimate is not None
    assert estimate == pytest.approx(dimension, abs=4 * error + 0.02 * dimension)
    for near, value in gride(found).items():
        # the chords of a circle shorten at larger scales
        assert value == pytest.approx(dimension, abs=4 * error + 0.02 * near * dimension / 4)


def test_two_nn_is_the_slope_without_the_largest_tenth() -> None:
    """Ten ratios: the slope through the origin of −ln(1 − i/10) on ln μ over the nine smallest."""
    ratios = np.array([1.5, 1.1, 90.0, 1.2, 1.3, 2.0, 1.05, 1.7, 1.15, 2.5])
    logs = np.log(np.sort(ratios)[:9])
    tail = -np.log(1 - np.arange(1, 10) / 10)
    assert two_nn(np.column_stack([np.ones(10), ratios])) == pytest.approx(float(logs @ tail / (logs @ logs)))


def test_gride_at_rank_one_is_the_pooled_estimate_at_two_neighbours() -> None:
    """At n₁ = 1 the maximum is one over the mean of ln(r₂/r₁)."""
    found = distances(np.random.default_rng(1).normal(size=(200, 4)), 2)
    assert gride(found) == pytest.approx({1: 1 / np.log(found[:, 1] / found[:, 0]).mean()})


@few_properties
@given(st.floats(1e-6, 1e6))
def test_neither_has_a_unit(scale: float) -> None:
    """Scaling all distances leaves both."""
    found = distances(np.random.default_rng(2).normal(size=(60, 3)), 16)
    assert two_nn(found * scale) == pytest.approx(two_nn(found), rel=1e-9)
    assert gride(found * scale) == pytest.approx(gride(found), rel=1e-9)


def test_ties_count_and_do_not_break_the_fit() -> None:
    """Some equal distances make an estimate larger, not infinite; only where all are equal there is none."""
    some = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 1.2, 1.5, 2.0]])
    alone = gride(some[1:])
    both = gride(some)
    assert all(both[rank] > alone[rank] for rank in (1, 2))
    assert gride(some[:1]) == {}
    assert two_nn(np.ones((20, 2))) is None


def test_ranks_that_some_point_lacks_are_left_out() -> None:
    """With five neighbours there are n₁ = 1 and 2; with one there is neither estimator."""
    found = distances(np.random.default_rng(3).normal(size=(6, 3)), 32)
    assert list(gride(found)) == [1, 2]
    assert gride(found[:, :1]) == {}
    assert two_nn(found[:, :1]) is None


@pytest.mark.parametrize(("first", "is_held"), [(191, True), (190, False)])
def test_a_twentieth_of_the_points_on_each_side_is_held(first: int, is_held: bool) -> None:
    """Of 201 points the ten with the largest value may be anything; the eleventh is the quantile that they count as."""
    spread = np.linspace(1.1, 3.0, 201)
    near = np.column_stack([np.ones((201, 4)), spread])
    further = near.copy()
    further[first:, 4] *= 2
    assert (winsorised_dimension(further) == winsorised_dimension(near)) == is_held
