"""Finite-sample bias of the pooled dimension at k = 5: which true dimensions give this estimate at this many points.

The table was computed by ``benchmarks/bias.py``: the mean estimate on a uniform sphere, a uniform ball and a Gaussian.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from math import exp, inf, isfinite, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq
from scipy.special import ndtri

from ibc_report.common.errors import InputError

__all__ = ["FAMILIES", "expected_estimates", "true_dimensions", "true_range"]

FAMILIES = ("sphere", "ball", "gaussian")
"""The spaces of the table."""

FEWEST_POINTS, MOST_POINTS = 25, 10_000_000
"""Numbers of points up to which the table holds or is extrapolated; beyond these the nearest of the two is taken."""

SLOPE_SIZES = 3
"""The largest sizes of the table, from which it is extrapolated, as a line in ln n."""

CONCENTRATION = (0.2, 0.8, 1.2, 1.5, 2.0, 2.5, 3.0, 3.6)

BELOW = (0.2, 0.2, 0.2, 0.2, 0.3, 0.5, 1.0, 1.4)

ABOVE = (1.3, 0.5, 0.5, 0.4, 0.25, 0.15, 0.05, 0.05)
"""How far either end is widened, by the global dimension over the estimate. The more distances concentrate, the more
the points may fold back on themselves, as a torus does, which makes an estimate too large instead of too small;
clusters, edges, corners and heavy tails make it smaller than the three spaces do."""

UNKNOWN_ABOVE = 0.5
"""The upper end where the global dimension is not known."""

LEAST_BIAS = 0.003
"""The widening does not vanish where the three spaces show no bias."""

SMALLEST_SHARE = 0.1
"""The noise takes an estimate to no less than this share of itself."""


@dataclass(frozen=True, slots=True, eq=False)
class _Curve:
    """Expected estimates of one space among n points, rising, and the way back by their logarithms' monotone line."""

    dimensions: NDArray[np.float64]
    estimates: NDArray[np.float64]
    line: PchipInterpolator

    @classmethod
    def through(cls, dimensions: NDArray[np.float64], estimates: NDArray[np.float64]) -> _Curve:
        """Draw a monotone curve through the values of a table."""
        # the noise of the table is smaller than its steps; this only guards an extrapolation
        rising = np.concatenate([[True], np.diff(np.maximum.accumulate(estimates)) > 0])
        dimensions, estimates = dimensions[rising], estimates[rising]
        return cls(dimensions, estimates, PchipInterpolator(np.log(dimensions), np.log(estimates)))

    def dimension(self, estimate: float) -> float | None:
        """Return the dimension with this expected estimate; in proportion below the table, None above it."""
        if estimate > self.estimates[-1]:
            return None
        if estimate <= self.estimates[0]:
            return float(estimate * self.dimensions[0] / self.estimates[0])
        above = int(np.searchsorted(self.estimates, estimate))
        if estimate == self.estimates[above]:
            return float(self.dimensions[above])
        lower, upper = np.log(self.dimensions[above - 1 : above + 1])
        return exp(float(brentq(lambda x: float(self.line(x)) - log(estimate), lower, upper)))

    def estimate(self, dimension: float) -> float | None:
        """Return the expected estimate of a dimension; in proportion below the table, None above it."""
        if dimension > self.dimensions[-1]:
            return None
        if dimension <= self.dimensions[0]:
            return float(dimension * self.estimates[0] / self.dimensions[0])
        return exp(float(self.line(log(dimension))))


def true_dimensions(estimate: float, n: float) -> Mapping[str, float | None]:
    """Give the true dimension whose expected estimate this is, on each space of the table.

    They are by each of `FAMILIES`; None where the estimate is larger than the table's largest dimension gives.

    Parameters
    ----------
    estimate : float
        m̂ at k = 5, above 0.
    n : float
        Distinct points that were searched. The table has 25 to 60,000 and is extrapolated in ln n to ten million,
        where more points never bring an estimate past the dimension.

    Raises
    ------
    InputError
        If the estimate or n is not above 0.

    Examples
    --------
    MNIST at 60,000 points:

    >>> {family: round(m) for family, m in true_dimensions(14.24, 60_000).items()}
    {'sphere': 15, 'ball': 16, 'gaussian': 15}
    """
    _check("estimate", estimate)
    _check("n", n)
    return {family: _curve(family, float(n)).dimension(estimate) for family in FAMILIES}


def expected_estimates(dimension: float, n: float) -> Mapping[str, float | None]:
    """Give the mean estimate at k = 5 that a true dimension leads to, on each space of the table.

    They are by each of `FAMILIES`; None where the dimension is larger than the table's largest.

    Parameters
    ----------
    dimension : float
        True dimension, above 0.
    n : float
        Distinct points, as for `true_dimensions`.

    Raises
    ------
    InputError
        If the dimension or n is not above 0.

    Examples
    --------
    >>> round(expected_estimates(20, 1000)["sphere"])
    16
    """
    _check("dimension", dimension)
    _check("n", n)
    return {family: _curve(family, float(n)).estimate(dimension) for family in FAMILIES}


def true_range(
    estimate: float,
    standard_error: float,
    n: float,
    level: float = 0.95,
    *,
    global_dimension: float | None = None,
) -> tuple[float, float]:
    """Give the range in which the true dimension lies.

    The upper end is infinite beyond the table.

    Parameters
    ----------
    estimate : float
        m̂ at k = 5, above 0.
    standard_error : float
        Of m̂ at this scale and n, at least 0.
    n : float
        Distinct points, as for `true_dimensions`.
    level : float
        Of the statistical part, in (0, 1).
    global_dimension : float, optional
        From `ibc_report.geometry.dimension.manifolds`; without it the lower end allows for points that fold back on
        themselves.

    Raises
    ------
    InputError
        If a number lies outside its domain.

    Notes
    -----
    The range takes the least and the largest true dimension of the three spaces at both ends of m̂ ± z·SE, and widens
    their logarithm by a multiple of √ln(m/m̂), for spaces that the table does not have.
    `ibc_report.geometry.dimension.true_dimension` takes in what more is known.

    Examples
    --------
    >>> lower, upper = true_range(14.24, 0.04, 60_000, global_dimension=25)
    >>> 13 < lower < 15, 16 < upper < 19
    (True, True)
    """
    _check("estimate", estimate)
    _check("n", n)
    if not (standard_error >= 0 and isfinite(standard_error)):
        raise InputError(f"standard_error is {standard_error}; it must be finite and at least 0")
    if not 0 < level < 1:
        raise InputError(f"level is {level}; it must lie between 0 and 1")
    if global_dimension is None:
        below, above = max(BELOW), UNKNOWN_ABOVE
    else:
        below, above = (float(np.interp(global_dimension / estimate, CONCENTRATION, row)) for row in (BELOW, ABOVE))
    noise = float(ndtri((1 + level) / 2)) * standard_error
    bias = [log(end / estimate) for end in _extremes(estimate, n)]
    lower = _extremes(max(estimate - noise, SMALLEST_SHARE * estimate), n)[0]
    upper = _extremes(estimate + noise, n)[1]
    return (
        lower * exp(-below * sqrt(max(bias[0], LEAST_BIAS))),
        upper * exp(above * sqrt(max(bias[1], LEAST_BIAS))) if isfinite(upper) else inf,
    )


def _extremes(estimate: float, n: float) -> tuple[float, float]:
    """Return the least and the largest true dimension; beyond the table its largest, and infinity."""
    values = true_dimensions(estimate, n).values()
    known = [value for value in values if value is not None]
    return min(known, default=float(_table()[0][-1])), max(known) if len(known) == len(values) else inf


def _check(name: str, value: float) -> None:
    if not (value > 0 and isfinite(value)):
        raise InputError(f"{name} is {value}; it must be finite and above 0")


@lru_cache(maxsize=256)
def _curve(family: str, n: float) -> _Curve:
    """Return the curve of a space at n points: linear in ln n between the sizes of the table and beyond them."""
    dimensions, points, means = _table()
    x, y = np.log(points), means[family]
    where = log(min(max(n, FEWEST_POINTS), MOST_POINTS))
    if where <= x[-1]:
        place = max(int(np.searchsorted(x, where)), 1)
        share = (where - x[place - 1]) / (x[place] - x[place - 1])
        return _Curve.through(dimensions, (1 - share) * y[:, place - 1] + share * y[:, place])
    slopes = np.polyfit(x[-SLOPE_SIZES:], y[:, -SLOPE_SIZES:].T, 1)[0]
    values = y[:, -1] + np.maximum(slopes, 0) * (where - x[-1])
    # more points bring an estimate to the dimension, never past it
    return _Curve.through(dimensions, np.minimum(values, np.maximum(y[:, -1], dimensions)))


@cache
def _table() -> tuple[NDArray[np.float64], NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Return the table's dimensions, its numbers of points, and by space the mean estimates of each of both."""
    stored = json.loads(
        resources.files(__package__ or "").joinpath("finite_sample_bias.json").read_text(encoding="utf-8")
    )
    dimensions, points = (np.array(stored[name], dtype=np.float64) for name in ("dimensions", "points"))
    means = {name: np.array(stored["families"][name]["mean"], dtype=np.float64) for name in FAMILIES}
    return dimensions, points, means
