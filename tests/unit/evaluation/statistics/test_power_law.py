"""Power laws are recovered from learning curves, and doubtful ones are not fitted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import curve_fit
from scipy.stats import f, linregress

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.power_law import fit_power_law
from tests.support.samples import few_properties

SIZES = np.array([312, 625, 1250, 2500, 5000, 10000])


@few_properties
@given(st.floats(0.05, 1.5), st.floats(0.1, 5.0))
def test_an_exact_power_law_is_recovered(exponent: float, factor: float) -> None:
    """Without noise, factor and exponent come out, and no floor."""
    law = fit_power_law(SIZES, factor * SIZES**-exponent)
    assert law is not None
    assert law.exponent == pytest.approx(exponent, abs=1e-9)
    assert law.a == pytest.approx(factor, rel=1e-6)
    assert law.floor == 0
    np.testing.assert_allclose(law.at(SIZES), factor * SIZES**-exponent)


@pytest.mark.parametrize("exponent", [0.5, 0.9])
def test_a_floor_is_found_where_there_is_one(exponent: float) -> None:
    """A curve that levels off gets its floor, and the exponent of what is above it."""
    law = fit_power_law(SIZES, 4 * SIZES**-exponent + 0.1)
    assert law is not None
    assert law.floor == pytest.approx(0.1, rel=0.01)
    assert law.exponent == pytest.approx(exponent, rel=0.02)


@pytest.mark.parametrize("seed", range(5))
def test_the_standard_error_is_that_of_a_regression(seed: int) -> None:
    """A curve without a floor has the slope and the standard error of a straight line through its logarithms."""
    error = 2 * SIZES**-0.3 * np.exp(0.05 * np.random.default_rng(seed).normal(size=6))
    law, line = fit_power_law(SIZES, error), linregress(np.log(SIZES), np.log(error))
    assert law is not None
    assert law.floor == 0
    assert law.exponent == pytest.approx(-line.slope)
    assert law.exponent_error == pytest.approx(line.stderr)


def test_flat_and_rising_curves_have_no_positive_exponent() -> None:
    """What does not fall is not bent into a fall."""
    law = fit_power_law(SIZES, np.array([0.5, 0.5, 0.51, 0.5, 0.52, 0.53]))
    assert law is not None
    assert law.exponent < 0
    assert law.floor == 0


def test_too_few_errors_make_no_law() -> None:
    """Sizes without an error are left out, and three points are no curve."""
    assert fit_power_law(SIZES, np.array([0.1, 0.05, 0.02, 0, 0, 0])) is None
    with pytest.raises(InputError, match="for each size"):
        fit_power_law(SIZES, [0.1])


def test_a_floor_is_kept_where_chance_makes_it_once_in_twenty() -> None:
    """Against an F test of a fit by another route: floors are those with p below 5 %, of which some are above 1 %."""
    n = np.array([50.0, 100, 200, 400, 800, 1600, 3200])

    def logs(x: NDArray[np.float64], height: float, exponent: float, floor: float) -> NDArray[np.float64]:
        return np.asarray(np.log(np.exp(height) * x**-exponent + floor))

    found = []
    for seed in range(16):
        error = (n**-0.5 + 0.01) * np.exp(0.05 * np.random.default_rng(seed).normal(size=7))
        line = np.polyfit(np.log(n), np.log(error), 1)
        squares = ((np.log(error) - np.polyval(line, np.log(n))) ** 2).sum()
        bounds = ([-np.inf, 0, 0], [np.inf, 10, 0.999 * error.min()])
        best = curve_fit(logs, n, np.log(error), p0=(0, 0.5, 0.3 * error.min()), bounds=bounds)[0]
        remaining = ((np.log(error) - logs(n, *best)) ** 2).sum()
        p = float(f.sf((squares - remaining) / (remaining / 4), 1, 4))
        law = fit_power_law(n, error)
        assert law is not None
        if abs(p - 0.05) > 1e-3:
            assert (law.floor > 0) == (p < 0.05)
        found.append(p)
    assert any(0.01 < p < 0.04 for p in found)
    assert any(0.06 < p < 0.1 for p in found)
