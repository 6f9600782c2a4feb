"""The law of a minimum: against its closed forms and simulated minima."""

from __future__ import annotations

from math import inf, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.complexity.extreme_values import Law, TailTerm, known
from ibc_report.complexity.quadrature import evenly_spread
from tests.support.samples import few_properties

POINTS = evenly_spread(8192, 3)


@pytest.mark.parametrize("kappa", [1.0, 5.0, 14.247, 60.0])
def test_a_known_exponent_gives_the_log_exponential(kappa: float) -> None:
    """δ^κ is exponential: sd π/(κ√6), mean 0, and a long left tail whose quantiles are those of ln of −ln(1 − p)."""
    law = known(kappa)
    noise = law.noise(POINTS)
    assert law.sd == pytest.approx(pi / (kappa * sqrt(6)))
    assert noise.std() == pytest.approx(law.sd, rel=0.01)
    assert noise.mean() == pytest.approx(0, abs=0.01 / kappa)
    for share in (0.025, 0.5, 0.975):
        assert np.quantile(noise, share) == pytest.approx(
            (log(-log(1 - share)) + np.euler_gamma) / kappa, abs=0.02 / kappa
        )


@few_properties
@given(exponent=st.floats(1, 100), xi=st.floats(0.01, 2), shape=st.one_of(st.just(inf), st.floats(5, 200)))
def test_the_sd_of_a_term_is_that_of_its_noise(exponent: float, xi: float, shape: float) -> None:
    """For any curvature and shape the noise is centred, and its standard deviation is the one in closed form."""
    term = TailTerm(1.0, exponent, shape, xi)
    noise = term.noise(POINTS[:, 1], POINTS[:, 2])
    assert abs(noise.mean()) < 0.05 * term.sd
    assert noise.std() == pytest.approx(term.sd, rel=0.1)


def test_a_curvature_of_nearly_0_is_a_power_law() -> None:
    """Nothing jumps between a curvature of 0 and a very small one."""
    assert TailTerm(1.0, 7.0, inf, 1e-5).sd == pytest.approx(TailTerm(1.0, 7.0, inf, 0.0).sd, rel=1e-4)
    small = Law((TailTerm(1.0, 7.0, inf, 1e-6),), 0)
    assert small.noise(POINTS) == pytest.approx(known(7.0).noise(POINTS), abs=1e-4)


def test_few_observations_widen_the_noise() -> None:
    """The less is known of κ, the wider the noise; with two observations or fewer it has no finite deviation."""
    widths = [TailTerm(1.0, 10.0, shape, 0.0).sd for shape in (2.0, 3.0, 10.0, 100.0, inf)]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == inf


@pytest.mark.parametrize("xi", [0.0, 0.25])
def test_fewer_values_move_the_minimum_as_simulated_ones(xi: float) -> None:
    """The mean of ln of the smallest of half the values is `shift` higher, and its noise is that of `at`."""
    generator = np.random.default_rng(3)
    gap = 0.0 if xi == 0 else 50.0
    kappa = 6.0 if xi == 0 else 1 / xi

    def minima(count: int) -> np.ndarray:
        return np.asarray(np.log(gap + (generator.exponential(size=20_000) / count) ** (1 / kappa)))

    many, few = minima(1000), minima(250)
    scale = 1 / 6.0 if xi == 0 else xi * 1000**-xi / gap
    law = Law((TailTerm(1.0, 1 / scale, inf, xi),), 0)
    assert law.sd == pytest.approx(many.std(), rel=0.03)
    assert few.mean() - many.mean() == pytest.approx(law.shift(4.0), rel=0.05)
    assert law.at(4.0).sd == pytest.approx(few.std(), rel=0.03)


def test_terms_are_mixed_by_their_weights() -> None:
    """A law of two terms has the noise of each in its share, and the mean of squares as its variance."""
    law = Law((TailTerm(0.25, 2.0, inf, 0.0), TailTerm(0.75, 50.0, inf, 0.0)), 10)
    assert law.exponent == pytest.approx(38)
    assert law.noise(POINTS).std() == pytest.approx(law.sd, rel=0.02)
    assert law.shift(1.0) == 0


def test_weights_that_sum_to_a_rounding_below_1_leave_no_point_out() -> None:
    """A level beyond their sum belongs to the last term."""
    terms = (TailTerm(0.5, 2.0, inf, 0.0), TailTerm(0.5 - 1e-9, 50.0, inf, 0.0))
    found = Law(terms, 10).noise(np.array([[1 - 1e-12, 0.5, 0.5], [0.9, 0.5, 0.5]]))
    assert found[0] == found[1]
