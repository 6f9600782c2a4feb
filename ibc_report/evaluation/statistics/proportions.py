"""Intervals of an accuracy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, sqrt

from scipy.special import betaincinv, ndtri

from ibc_report.common.errors import InputError, choices

__all__ = [
    "LEVEL",
    "METHODS",
    "Interval",
    "check_accuracy",
    "check_count",
    "clopper_pearson",
    "halfwidth",
    "two_sided",
    "wald",
    "wilson",
]

LEVEL = 0.95
"""Share of samples that an interval is made to cover."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a proportion or of a difference of two."""

    lower: float
    upper: float

    @property
    def halfwidth(self) -> float:
        """Half of its width; the interval need not be symmetric."""
        return (self.upper - self.lower) / 2


def two_sided(level: float) -> float:
    """Quantile z of the standard normal that leaves (1 − level)/2 on each side.

    Raises
    ------
    InputError
        If the level is not between 0 and 1.

    Examples
    --------
    >>> round(two_sided(0.95), 4)
    1.96
    """
    if not 0 < level < 1:
        raise InputError(f"level {level} is not between 0 and 1; take 0.95, say")
    return float(-ndtri((1 - level) / 2))


def wald(correct: float, n: float, level: float = LEVEL) -> Interval:
    """Normal approximation p ± z√(p(1−p)/n), for comparison only: it has no width at 0 and 1, and covers too little.

    Parameters
    ----------
    correct : float
        Examples answered correctly; a published accuracy times n need not be whole.
    level : float
        Share of samples to cover.

    Returns
    -------
    Interval
        It may pass 0 and 1.

    Raises
    ------
    InputError
        If `correct` is not within 0 and n, or n or the level is outside its domain.

    Examples
    --------
    >>> round(100 * wald(80, 100).halfwidth, 2)
    7.84
    """
    share = _share(correct, n)
    half = two_sided(level) * sqrt(share * (1 - share) / n)
    return Interval(share - half, share + half)


def wilson(correct: float, n: float, level: float = LEVEL) -> Interval:
    """Score interval (Wilson, JASA 1927): (p + z²/2n ± z√(p(1−p)/n + z²/4n²)) / (1 + z²/n).

    Parameters
    ----------
    correct, n, level
        As for `wald`.

    Returns
    -------
    Interval
        Within 0 and 1.

    Raises
    ------
    InputError
        As for `wald`.

    Examples
    --------
    >>> found = wilson(80, 100)
    >>> round(found.lower, 4), round(found.upper, 4)
    (0.7112, 0.8666)
    """
    share = _share(correct, n)
    z = two_sided(level)
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    centre = share + z * z / (2 * n)
    scale = 1 + z * z / n
    # at the ends the exact value is the proportion itself, which rounding may miss
    lower = 0.0 if correct == 0 else max(0.0, (centre - spread) / scale)
    upper = 1.0 if correct == n else min(1.0, (centre + spread) / scale)
    return Interval(lower, upper)


def clopper_pearson(correct: float, n: float, level: float = LEVEL) -> Interval:
    """Exact interval (Clopper and Pearson, Biometrika 1934): it covers at least `level` whatever the accuracy is.

    Its ends are quantiles of Beta(x, n−x+1) and Beta(x+1, n−x).

    Parameters
    ----------
    correct, n, level
        As for `wald`; between whole numbers the ends are those of the same Beta distributions.

    Returns
    -------
    Interval
        Within 0 and 1.

    Raises
    ------
    InputError
        As for `wald`.

    Examples
    --------
    >>> found = clopper_pearson(80, 100)
    >>> round(found.lower, 4), round(found.upper, 4)
    (0.7082, 0.8733)
    """
    _share(correct, n)
    two_sided(level)
    tail = (1 - level) / 2
    lower = float(betaincinv(correct, n - correct + 1, tail)) if correct > 0 else 0.0
    upper = float(betaincinv(correct + 1, n - correct, 1 - tail)) if correct < n else 1.0
    return Interval(lower, upper)


METHODS: dict[str, Callable[[float, float, float], Interval]] = {
    "wilson": wilson,
    "clopper_pearson": clopper_pearson,
    "wald": wald,
}
"""Intervals by name."""


def halfwidth(accuracy: float, n: float, method: str = "wilson", level: float = LEVEL) -> float:
    """Half the width of the interval that a model of a given accuracy gets.

    Parameters
    ----------
    method : {"wilson", "clopper_pearson", "wald"}
        Which interval.
    level : float
        Share of samples to cover.

    Raises
    ------
    InputError
        If the method is not known, or a number is outside its domain.

    Examples
    --------
    >>> round(100 * halfwidth(0.8, 1000, "wald"), 2)
    2.48
    """
    if method not in METHODS:
        raise InputError(f"there is no interval '{method}'; {choices(method, METHODS)}")
    check_accuracy(accuracy)
    return METHODS[method](accuracy * n, n, level).halfwidth


def _share(correct: float, n: float) -> float:
    check_count(n)
    if not 0 <= correct <= n:
        raise InputError(f"{correct} correct answers are not within 0 and n = {n}")
    return correct / n


def check_accuracy(accuracy: float) -> None:
    """Refuse what is no accuracy.

    Raises
    ------
    InputError
        If it is not within 0 and 1.
    """
    if not 0 <= accuracy <= 1:
        raise InputError(f"accuracy {accuracy} is not within 0 and 1")


def check_count(n: float) -> None:
    """Refuse a number of examples that is none.

    Raises
    ------
    InputError
        If it is not above 0 and finite.
    """
    if not (isfinite(n) and n > 0):
        raise InputError(f"n = {n} test examples are none; give a number above 0")
