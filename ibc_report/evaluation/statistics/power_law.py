"""Power laws of measured learning curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtri

from ibc_report.common.errors import InputError

__all__ = ["LEAST_POINTS", "PowerLaw", "fit_power_law"]

LEAST_POINTS = 4
"""Sizes with an error above 0 that a fit needs."""

F_LEVEL = 0.05
"""A floor is fitted where an F test at this level asks for it."""

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """Error a·n^(−b) + c.

    Parameters
    ----------
    exponent : float
        b; above 0 where the error falls.
    exponent_error : float
        Its standard error, from the residuals about the curve.
    floor : float
        c; 0 where the law has none.
    """

    a: float
    exponent: float
    exponent_error: float
    floor: float

    def at(self, n: ArrayLike) -> _Floats:
        """Error at given sizes.

        Examples
        --------
        >>> PowerLaw(1.0, 0.5, 0.0, 0.0).at([4, 100]).tolist()
        [0.5, 0.1]
        """
        return np.asarray(self.a * np.asarray(n, dtype=np.float64) ** -self.exponent + self.floor)


def fit_power_law(sizes: ArrayLike, errors: ArrayLike) -> PowerLaw | None:
    """Fit a power law to errors by least squares of their logarithms.

    A floor c takes part where it lowers the squares by more than an F test at 5 % lets chance do, and where at least
    five sizes tell it from the power.

    Parameters
    ----------
    sizes : array_like, shape (k,)
        Numbers of training rows, above 0.
    errors : array_like, shape (k,)
        Share of wrong answers at each; sizes without an error are left out.

    Returns
    -------
    PowerLaw or None
        None where fewer than four sizes have an error.

    Raises
    ------
    InputError
        If the two differ in length, or a size is not above 0.

    Examples
    --------
    >>> n = np.array([100, 200, 400, 800, 1600])
    >>> law = fit_power_law(n, 2 * n**-0.3)
    >>> round(law.a, 3), round(law.exponent, 3), law.floor
    (2.0, 0.3, 0.0)
    """
    n, error = np.asarray(sizes, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    if n.shape != error.shape or np.any(n <= 0):
        raise InputError("a learning curve needs an error for each size, and sizes above 0")
    n, error = n[error > 0], error[error > 0]
    if len(np.unique(n)) < LEAST_POINTS:
        return None
    middle = float(np.log(n).mean())
    x, y = np.log(n) - middle, np.log(error)
    slope = float((x * y).sum() / (x * x).sum())
    level = float(y.mean())
    left = y - level - slope * x
    squares = float((left**2).sum())
    freedom = len(n) - 2
    plain = PowerLaw(
        a=float(np.exp(level - slope * middle)),
        exponent=-slope,
        exponent_error=float(np.sqrt(squares / freedom / (x * x).sum())),
        floor=0.0,
    )
    # squares that are rounding leave nothing for a floor to explain
    if freedom < 3 or slope >= 0 or squares < 1e-20:
        return plain
    return _with_floor(x, error, middle, plain, squares) or plain


def _with_floor(x: _Floats, error: _Floats, middle: float, plain: PowerLaw, squares: float) -> PowerLaw | None:
    """The law with a floor, where it is worth its parameter."""
    y, freedom = np.log(error), len(x) - 3
    start = np.log(plain.a) - plain.exponent * middle

    def residuals(parameters: _Floats) -> _Floats:
        height, exponent, share = parameters
        return np.asarray(np.log(np.exp(height - exponent * x) + share * error.min()) - y)

    bounds = ([-np.inf, 0.0, 0.0], [np.inf, 10.0, 0.999])
    from scipy.optimize import least_squares

    found = min(
        (
            least_squares(residuals, [start + np.log1p(-share), plain.exponent, share], bounds=bounds)
            for share in (0.1, 0.5, 0.9)
        ),
        key=lambda one: one.cost,
    )
    remaining = max(2 * float(found.cost), 1e-300)
    if (squares - remaining) / (remaining / freedom) <= fdtri(1, freedom, 1 - F_LEVEL):
        return None
    height, exponent, share = (float(value) for value in found.x)
    slopes: _Floats = np.asarray(found.jac, dtype=np.float64)
    covariance = np.linalg.pinv(slopes.T @ slopes) * remaining / freedom
    return PowerLaw(
        a=float(np.exp(height + exponent * middle)),
        exponent=exponent,
        exponent_error=float(np.sqrt(max(0.0, covariance[1, 1]))),
        floor=share * float(error.min()),
    )
