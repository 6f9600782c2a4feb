"""Laws of margin and radius: against simulated power laws, gaps, and degenerate sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import gamma

from ibc_report.complexity.extreme_values import known
from ibc_report.geometry import Points, search
from ibc_report.geometry.extreme_value_fits import (
    OBSERVATIONS,
    PRIOR_WEIGHT,
    law_of,
    margin_law,
    pair_distances,
    radius_law,
)
from tests.support.samples import few_properties


def power(kappa: float, count: int, seed: int, gap: float = 0.0) -> NDArray[np.float64]:
    """Sorted draws of a power law above a gap."""
    return np.asarray(np.sort(gap + np.random.default_rng(seed).random(count) ** (1 / kappa)))


@pytest.mark.parametrize("kappa", [2.0, 6.0, 14.0, 40.0])
def test_the_exponent_of_a_power_law_is_found(kappa: float) -> None:
    """Over 40 samples with the right prior the exponent is κ by the median, and four in five lie within a fifth."""
    found = np.array([margin_law(power(kappa, 2000, seed), kappa).exponent for seed in range(40)])
    assert np.median(found) == pytest.approx(kappa, rel=0.05)
    assert (np.abs(found / kappa - 1) < 0.2).mean() > 0.8


def test_a_wrong_prior_gives_way_to_the_data() -> None:
    """Distances that fall by a power 30 in a set of dimension 6 have the noise of a power about 30, not of 6."""
    found = np.median([margin_law(power(30, 2000, seed), 6).sd for seed in range(20)])
    assert known(30).sd / 1.5 < found < 1.5 * known(30).sd


@pytest.mark.parametrize("m", [2.0, 5.0, 20.0])
def test_behind_a_gap_the_noise_is_that_of_the_minimum(m: float) -> None:
    """Two sheets at a distance: the law's deviation is within a factor 2.5 of that of simulated minima."""
    samples = [power(m / 2, 20_000, seed, gap=3.0) for seed in range(60)]
    truth = np.std([np.log(sample[0]) for sample in samples])
    found = np.median([margin_law(sample, m).sd for sample in samples])
    assert truth / 1.5 < found < 2.5 * truth


def test_too_few_pairs_leave_the_prior() -> None:
    """Without enough distances κ is about m, with the prior's weight; a dimension below 1 counts as 1."""
    law = margin_law(np.array([0.1, 0.2]), 7.0)
    assert (law.exponent, law.terms[0].shape, law.observations) == (7.0, PRIOR_WEIGHT, 0)
    assert margin_law(np.empty(0), 0.3).exponent == 1.0
    with pytest.raises(ValueError, match="too few"):
        law_of(np.array([0.1, 0.2]), prior=None, curvatures=(0.0,))


def test_no_more_spacings_than_stated_are_used() -> None:
    """At most 80, and at most half of the pairs."""
    assert margin_law(power(5, 5000, 0), 5).observations == OBSERVATIONS
    assert margin_law(power(5, 61, 0), 5).observations == 30


@few_properties
@given(
    values=st.lists(st.integers(1, 9), min_size=0, max_size=200),
    m=st.floats(0.1, 80),
)
def test_any_distances_give_a_law(values: list[int], m: float) -> None:
    """Ties, all equal, few or many: weights sum to 1 and the deviation is finite and not negative."""
    law = margin_law(np.sort(np.array(values, dtype=np.float64)), m)
    assert sum(term.weight for term in law.terms) == pytest.approx(1, abs=1e-4)
    assert np.isfinite(law.sd)
    assert law.sd >= 0


def test_the_law_knows_no_unit() -> None:
    """Distances in other units have the same law."""
    values = power(9, 500, 1)
    one, other = margin_law(values, 9), margin_law(1e4 * values, 9)
    assert one.sd == pytest.approx(other.sd)


def test_pairs_are_those_of_the_search_each_once(rng: np.random.Generator) -> None:
    """The smallest distances are those of brute force over all pairs of different classes, without repetition."""
    x, y = rng.normal(size=(300, 4)), rng.integers(0, 3, 300)
    points = Points(x, 1.0, np.arange(300), y.astype(np.int64))
    found = search(points, k=1)
    pairs = pair_distances(points.rows, found.other_row, found.other_distance)
    first, second = np.triu_indices(300, 1)
    different = y[first] != y[second]
    every = np.sort(np.linalg.norm(x[first[different]] - x[second[different]], axis=1))
    assert pairs[:10] == pytest.approx(every[:10])
    assert (np.diff(pairs) > 0).all()


@pytest.mark.parametrize(
    ("of_one", "ahead", "left"),
    [(8, 0, 98), (9, 0, 91), (9, 72, 91), (9, 73, 99)],
    ids=["as many as may be", "one more", "one more, all in sight", "one more, the last out of sight"],
)
def test_a_row_that_is_nearest_to_many_counts_once(of_one: int, ahead: int, left: int) -> None:
    """Of nine pairs with one row among the closest 81 the closest stays; of eight, or further out, all do."""
    rows = np.arange(1000, 1090 + of_one)
    other_rows = rows + 1000
    other_rows[ahead : ahead + of_one] = 0
    distances = np.linspace(0.1, 1.0, len(rows))
    found = pair_distances(rows, other_rows, distances)
    assert len(found) == left
    assert found[0] == distances[0]


def test_pairs_of_one_row_say_no_more_than_one() -> None:
    """Where all distances are those of one row, the margin's law is the prior alone."""
    found = pair_distances(np.arange(1, 200), np.zeros(199, dtype=np.int64), np.linspace(0.5, 0.6, 199))
    assert found.tolist() == [0.5]
    assert margin_law(found, 4.0).observations == 0


def test_missing_and_equal_neighbours_are_left_out() -> None:
    """Rows without another class and pairs at distance 0 give no distance."""
    found = pair_distances(np.array([0, 1, 2]), np.array([-1, 2, 1]), np.array([np.inf, 0.0, 0.0]))
    assert len(found) == 0


def test_the_radius_of_a_sphere_has_no_noise(rng: np.random.Generator) -> None:
    """Equal norms, up to rounding, have no law, nor have norms that are too few or all 0."""
    x = rng.normal(size=(500, 6))
    assert radius_law(np.linalg.norm(x / np.linalg.norm(x, axis=1, keepdims=True), axis=1)) is None
    assert radius_law(np.array([1.0, 2.0])) is None
    assert radius_law(np.zeros(50)) is None


@pytest.mark.parametrize("m", [2, 10, 30])
@pytest.mark.parametrize("shape", ["gaussian", "ball"])
def test_the_noise_of_a_radius_is_that_of_the_largest_norm(m: int, shape: str) -> None:
    """Of Gaussians and balls the law's deviation is within a factor 3 of that of simulated radii."""
    generator = np.random.default_rng(m)

    def lengths() -> NDArray[np.float64]:
        if shape == "gaussian":
            return np.sqrt(generator.chisquare(m, 2000))
        return np.asarray(generator.random(2000) ** (1 / m))

    samples = [lengths() for _ in range(60)]
    truth = np.std([np.log(sample.max()) for sample in samples])
    laws = [radius_law(sample) for sample in samples]
    found = np.median([law.sd for law in laws if law is not None])
    assert truth / 2 < found < 3 * truth


@pytest.mark.parametrize("seed", range(3))
def test_the_ways_are_weighted_by_their_probability(seed: int) -> None:
    """The weights are those of the likelihoods, integrated over κ by quadrature under each way's prior.

    The prior is a gamma law of 20 spacings about m with odds of 3, or even in ln κ over six decades.
    """
    m, count = 4.0, 12
    values = power(5.0, 2 * count, seed)
    order = np.arange(1, count + 1)
    scaled = order * np.diff(np.log(values[: count + 1]))
    steps = np.linspace(np.log(1e-4), np.log(1e5), 400_001)
    kappas = np.exp(steps)

    def evidence(xi: float, log_prior: NDArray[np.float64]) -> float:
        rate = float((scaled * order**-xi).sum())
        logs = count * steps - kappas * rate - xi * np.log(order).sum() + log_prior
        return float(np.exp(logs).sum() * (steps[1] - steps[0]))

    expected = [3 * evidence(0.0, gamma.logpdf(kappas, 20, scale=m / 20) + steps)]
    expected += [evidence(xi, np.full_like(steps, -np.log(np.log(1e6)))) for xi in (0.0, 0.5 / m, 1 / m, 2 / m)]
    weights = [term.weight for term in margin_law(values, m).terms]
    assert weights == pytest.approx(np.array(expected) / sum(expected), rel=1e-4)


def test_three_spacings_are_a_law() -> None:
    """Six values have three spacings that are used, and five have two, which leave the prior."""
    values = power(5, 6, 0)
    assert margin_law(values, 5).observations == 3
    assert margin_law(values[:5], 5).observations == 0
    assert radius_law(1 / values) is not None
    assert radius_law(1 / values[:5]) is None
