"""Spread of density and dimension, and near duplicates: against laws of Poisson neighbourhoods and brute force."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from ibc_report.geometry.dimension.local_density import (
    Near,
    density_gradient,
    density_spread,
    dimension_drift,
    dimension_spread,
    mean_spacing,
    near_duplicates,
    spacings,
)
from tests.support.samples import few_properties


@pytest.mark.parametrize("dimension", [1.0, 5.0, 40.0])
def test_an_even_density_has_the_share_that_is_expected(dimension: float) -> None:
    """One point in a thousand of exact Poisson neighbourhoods is that near: 40 of 40,000, with a deviation of 6."""
    found = near_duplicates(radii(40_000, 10, dimension))
    assert found is not None
    assert found.expected == 40
    assert 15 <= found.count <= 65
    assert found.probability > 1e-3


@pytest.mark.parametrize("dimension", [2.0, 20.0])
def test_planted_near_duplicates_are_counted(dimension: float) -> None:
    """Fifty points whose nearest neighbour is a hundredth as far are found, and no chance."""
    distances = radii(1000, 10, dimension)
    distances[:50, 0] *= 1e-2
    found = near_duplicates(distances)
    assert found is not None
    assert 50 <= found.count <= 55
    assert found.probability < 1e-6


def test_few_neighbours_tell_nothing() -> None:
    """Without ten neighbours, or with all of them equally far, nothing is said."""
    assert near_duplicates(radii(100, 9, 2.0)) is None
    assert near_duplicates(np.ones((100, 12))) is None


def radii(n: int, k: int, dimension: object, density: object = 1.0, seed: int = 0) -> np.ndarray:
    """Distances of the k nearest of independent points of an even density, of which one or many may be given."""
    arrivals = np.cumsum(np.random.default_rng(seed).exponential(size=(n, k)), axis=1)
    return np.asarray((arrivals / np.array(density)) ** (1 / np.array(dimension)))


@few_properties
@given(st.lists(st.lists(st.floats(1e-3, 1e3), min_size=6, max_size=6), min_size=1, max_size=5), st.integers(3, 6))
def test_spacings_are_their_definition(rows: list[list[float]], k: int) -> None:
    """Σ of i·ln(T_{i+1}/T_i) over 2 ≤ i < k, summed term by term; the nearest does not matter."""
    distances = np.sort(np.array(rows), axis=1)
    wanted = [sum(i * log(row[i] / row[i - 1]) for i in range(2, k)) for row in distances]
    assert spacings(distances, k) == pytest.approx(wanted, abs=1e-9)
    distances[:, 0] /= 7
    assert spacings(distances, k) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("dimension", [1.0, 4.0, 30.0])
def test_their_mean_is_one_over_the_dimension(dimension: float) -> None:
    """Exact Poisson neighbourhoods of dimension m have a mean spacing of 1/m (standard error 0.5 %)."""
    assert mean_spacing(radii(4000, 12, dimension), 12) == pytest.approx(1 / dimension, rel=0.025)


@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0, 2.0])
def test_a_known_spread_of_density_is_found(spread: float) -> None:
    """A log-normal density comes out with its own standard deviation, and an even one with nearly nothing."""
    density = np.exp(spread * np.random.default_rng(1).normal(size=(6000, 1)))
    found = density_spread(radii(6000, 10, 7.0, density))
    assert found == pytest.approx(spread, abs=0.15 if spread == 0 else 0.05)


def test_two_dimensions_in_one_set_are_found() -> None:
    """1/m of 1/4 and 1/12 vary by half of their mean, one dimension by less than 0.08."""
    both = np.array([[4.0], [12.0]] * 2000)
    assert dimension_spread(radii(4000, 10, both)) == pytest.approx(0.5, abs=0.02)
    assert dimension_spread(radii(4000, 10, 8.0)) == pytest.approx(0, abs=0.08)


def test_scale_does_not_matter() -> None:
    """Distances in other units give the same spreads."""
    distances = radii(500, 20, 5.0, seed=3)
    for measure in (density_spread, dimension_spread):
        assert measure(distances * 1e-6) == pytest.approx(measure(distances), abs=1e-6)


def test_too_few_neighbours_tell_nothing() -> None:
    """With fewer than ten neighbours, at any point, there is no spread; equal distances give no dimension."""
    few = radii(50, 9, 2.0)
    assert density_spread(few) is None
    assert dimension_spread(few) is None
    missing = radii(50, 20, 2.0)
    missing[3, 10:] = np.inf
    assert dimension_spread(missing) is not None
    missing[3, 9] = np.inf
    assert dimension_spread(missing) is None
    assert density_spread(missing) is None
    assert density_spread(np.ones((50, 20))) is None
    assert density_spread(np.empty((0, 20))) is None


def test_the_drift_is_a_slope() -> None:
    """A dimension that goes like a power of k has that slope; two sizes are too few for one."""
    assert dimension_drift({k: 9 * k**-0.2 for k in (3, 5, 10, 50)}) == pytest.approx(-0.2)
    assert dimension_drift({3: 2.0, 5: 2.0}) is None


def test_the_probability_of_near_duplicates_is_that_of_so_many_or_more() -> None:
    """The p-value is the exact binomial one, of the count itself and above; of none it is 1."""
    distances = radii(500, 10, 3.0)
    distances[:, 0] = distances[:, 1]
    assert near_duplicates(distances) == Near(0, 0.5, 1.0)
    distances[:2, 0] *= 1e-4
    found = near_duplicates(distances)
    assert found is not None
    assert found.count == 2
    assert found.probability == pytest.approx(binomtest(2, 500, 1e-3, alternative="greater").pvalue)


@pytest.mark.parametrize("dimension", [1.0, 3.0, 9.0])
def test_near_is_measured_by_the_fifth_neighbour(dimension: float) -> None:
    """The points that count are those whose nearest is nearer than the share of the fifth that one in 1,000 has."""
    distances = radii(40_000, 10, dimension)
    plain = near_duplicates(distances)
    mean = mean_spacing(distances, 10)
    assert plain is not None
    assert mean is not None
    ratio = float((-np.expm1(np.log1p(-1e-3) / 4)) ** mean)
    assert plain.count == int((distances[:, 0] < ratio * distances[:, 4]).sum())
    assert 20 < plain.count < 60


def apart(n: int, leaning: float, seed: int, dimension: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two far boxes whose density rises by a factor along the first coordinate: neighbours, coordinates and classes."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, dimension))
    if leaning > 1:
        x[:, 0] = np.log1p(x[:, 0] * (leaning - 1)) / log(leaning)
    classes = np.arange(n) % 2
    moved = x + 10 * classes[:, None]
    away = np.sqrt(((moved[:, None] - moved) ** 2).sum(axis=2))
    return np.sort(away, axis=1)[:, 1:11], moved, classes


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_a_gradient_is_found_and_edges_are_none(dimension: int) -> None:
    """A density that rises by e^6 is above the threshold of A4, and an even one of the same box below it."""
    for seed in range(5):
        found, none = (density_gradient(*apart(500, leaning, seed, dimension)) for leaning in (np.exp(6), 1))
        assert found is not None
        assert none is not None
        assert found > 0.25
        assert none < 0.15


def test_a_gradient_is_the_spread_of_the_log_density() -> None:
    """Of many points on a line it is the standard deviation of the log density itself, in any rotation."""
    distances, moved, classes = apart(2000, np.exp(3), 0, 1)
    found = density_gradient(distances, moved, classes)
    assert found == pytest.approx((3 * moved[:, 0][classes == 0]).std(), rel=0.1)
    turned = moved @ np.linalg.qr(np.random.default_rng(0).standard_normal((4, 1)))[0].T
    assert density_gradient(distances, turned, classes) == pytest.approx(found, rel=1e-6)


def test_classes_of_other_densities_are_no_gradient() -> None:
    """Each class is taken about its own mean: one that is ten times as dense leans nowhere."""
    distances, moved, classes = apart(1000, 1, 3)
    distances = distances * np.where(classes == 0, 1.0, 10**-0.5)[:, None]
    assert density_gradient(distances, moved, classes) == pytest.approx(0, abs=0.1)


def test_what_has_no_gradient_says_so() -> None:
    """Without ten neighbours, a dimension or coordinates there is none."""
    distances, moved, classes = apart(50, 1, 0)
    assert density_gradient(distances[:, :9], moved, classes) is None
    assert density_gradient(np.ones((50, 10)), moved, classes) is None
    assert density_gradient(distances, moved[:, :0], classes) is None


def test_noise_of_few_points_is_no_spread_of_dimension() -> None:
    """Of two hundred points of one dimension the spread stays below the threshold of A5, nearly always."""
    found = [dimension_spread(radii(200, 10, 3.0, seed=seed)) for seed in range(200)]
    assert np.mean([value > 0.17 for value in found if value is not None]) <= 0.01
    assert len([value for value in found if value]) < 60
