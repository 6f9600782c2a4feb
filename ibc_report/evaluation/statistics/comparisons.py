"""Whether two accuracies differ: on different examples, on the same examples, and among many comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, gammaln, ndtr

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.proportions import LEVEL, Interval, wilson

__all__ = ["McNemar", "TwoProportions", "discordant", "mcnemar", "newcombe", "newcombe_paired", "two_proportions"]


@dataclass(frozen=True, slots=True)
class TwoProportions:
    """The two-proportion test of two accuracies on different examples.

    Parameters
    ----------
    difference : float
        First less second.
    standard_error, z, p : float
        Unpooled: each accuracy with its own variance. p is two-sided.
    pooled_standard_error, pooled_z, pooled_p : float
        Pooled: the variance under the hypothesis that the two are equal.
    interval : Interval
        Newcombe's hybrid score interval of the difference.
    """

    difference: float
    standard_error: float
    z: float
    p: float
    pooled_standard_error: float
    pooled_z: float
    pooled_p: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test of two models on the same examples. All p are two-sided.

    Parameters
    ----------
    first_only, second_only : int
        Examples that only the first, and only the second, has right.
    statistic, p : float
        (b−c)²/(b+c), against chi-squared with one degree of freedom.
    corrected_statistic, corrected_p : float
        The same with Edwards's continuity correction.
    exact_p : float
        Binomial; never too small, and conservative.
    mid_p : float
        The binomial that counts half of the observed table (Fagerland, Lydersen and Laake, BMC Medical Research
        Methodology 2013, doi 10.1186/1471-2288-13-91): nearly as safe, and less conservative.
    """

    first_only: int
    second_only: int
    statistic: float
    p: float
    corrected_statistic: float
    corrected_p: float
    exact_p: float
    mid_p: float


def two_proportions(
    first_correct: float, first_n: float, second_correct: float, second_n: float, level: float = LEVEL
) -> TwoProportions:
    """Compare two accuracies on different examples.

    Parameters
    ----------
    first_correct, first_n, second_correct, second_n : float
        Correct answers and examples of each; a published accuracy times n need not be whole.

    Returns
    -------
    TwoProportions
        z is infinite where a standard error is 0 and the accuracies differ.

    Raises
    ------
    InputError
        If a number is outside its domain.

    Examples
    --------
    >>> found = two_proportions(0.782 * 1319, 1319, 0.684 * 1250, 1250)
    >>> round(found.standard_error, 5), round(found.z, 3), round(found.pooled_z, 3)
    (0.01738, 5.638, 5.621)
    """
    interval = newcombe(first_correct, first_n, second_correct, second_n, level)
    first, second = first_correct / first_n, second_correct / second_n
    together = (first_correct + second_correct) / (first_n + second_n)
    difference = first - second
    error = sqrt(first * (1 - first) / first_n + second * (1 - second) / second_n)
    pooled_error = sqrt(max(0.0, together * (1 - together)) * (1 / first_n + 1 / second_n))
    z, pooled_z = _ratio(difference, error), _ratio(difference, pooled_error)
    return TwoProportions(
        difference, error, z, _two_sided_p(z), pooled_error, pooled_z, _two_sided_p(pooled_z), interval
    )


def newcombe(
    first_correct: float, first_n: float, second_correct: float, second_n: float, level: float = LEVEL
) -> Interval:
    """Hybrid score interval of a difference on different examples (Newcombe, Statistics in Medicine 1998; method 10).

    Parameters
    ----------
    first_correct, first_n, second_correct, second_n, level
        As for `two_proportions`.

    Returns
    -------
    Interval
        Of first less second.

    Raises
    ------
    InputError
        If a number is outside its domain.

    Examples
    --------
    >>> found = newcombe(56, 70, 48, 80)
    >>> round(found.lower, 4), round(found.upper, 4)
    (0.0524, 0.3339)
    """
    return _squared_and_added(
        first_correct / first_n if first_n > 0 else 0.0,
        wilson(first_correct, first_n, level),
        second_correct / second_n if second_n > 0 else 0.0,
        wilson(second_correct, second_n, level),
        0.0,
    )


def newcombe_paired(both: int, first_only: int, second_only: int, neither: int, level: float = LEVEL) -> Interval:
    """Score interval of a difference on the same examples (Newcombe, Statistics in Medicine 1998; paired method 10).

    It is the interval for different examples, narrowed by the correlation φ of the two models' correctness, which
    carries a continuity correction where it is positive.

    Parameters
    ----------
    both, first_only, second_only, neither : int
        Examples by which of the two models has them right.
    level : float
        Share of samples to cover.

    Returns
    -------
    Interval
        Of first less second.

    Raises
    ------
    InputError
        If a count is negative or all are 0.

    Examples
    --------
    >>> found = newcombe_paired(36, 12, 2, 0)
    >>> round(found.lower, 4), round(found.upper, 4)
    (0.0569, 0.3404)
    """
    if min(both, first_only, second_only, neither) < 0:
        raise InputError("a count of examples is negative")
    n = both + first_only + second_only + neither
    first, second = both + first_only, both + second_only
    # counts as floats, for the product of four of them may pass the integers of an array's type
    product = float(first) * (n - first) * second * (n - second)
    correlation = 0.0
    if product > 0:
        excess = float(both) * neither - float(first_only) * second_only
        corrected = max(0.0, excess - n / 2) if excess > 0 else excess
        correlation = corrected / sqrt(product)
    ends = wilson(first, n, level), wilson(second, n, level)
    return _squared_and_added(first / n, ends[0], second / n, ends[1], correlation)


def mcnemar(first_only: int, second_only: int) -> McNemar:
    """Test two models on the same examples by those that exactly one of them has right.

    Parameters
    ----------
    first_only, second_only : int
        Examples that only the first, and only the second, has right.

    Returns
    -------
    McNemar
        All p are 1 where the models agree everywhere.

    Raises
    ------
    InputError
        If a count is negative.

    Examples
    --------
    >>> found = mcnemar(6, 16)
    >>> round(found.statistic, 3), round(found.p, 4), round(found.exact_p, 4), round(found.mid_p, 4)
    (4.545, 0.033, 0.0525, 0.0347)
    """
    if first_only < 0 or second_only < 0:
        raise InputError("a count of examples is negative")
    total, fewer = first_only + second_only, min(first_only, second_only)
    if total == 0:
        return McNemar(0, 0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0)
    gap = abs(first_only - second_only)
    statistic = gap**2 / total
    corrected = max(0, gap - 1) ** 2 / total
    tail = 2 * float(bdtr(fewer, total, 0.5))
    at = float(np.exp(gammaln(total + 1) - gammaln(fewer + 1) - gammaln(total - fewer + 1) - total * np.log(2.0)))
    return McNemar(
        first_only=first_only,
        second_only=second_only,
        statistic=statistic,
        p=_two_sided_p(sqrt(statistic)),
        corrected_statistic=corrected,
        corrected_p=_two_sided_p(sqrt(corrected)),
        exact_p=min(1.0, tail),
        mid_p=min(1.0, max(0.0, tail - at)),
    )


def discordant(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """Count the examples by which of two models has them right.

    Parameters
    ----------
    first, second : ndarray of bool, shape (n,)
        Correctness on the same examples.

    Returns
    -------
    tuple of int
        Both, only the first, only the second, neither.

    Examples
    --------
    >>> discordant(np.array([True, True, False]), np.array([True, False, False]))
    (1, 1, 0, 1)
    """
    both = int(np.count_nonzero(first & second))
    first_only = int(np.count_nonzero(first & ~second))
    second_only = int(np.count_nonzero(~first & second))
    return both, first_only, second_only, len(first) - both - first_only - second_only


def _squared_and_added(first: float, one: Interval, second: float, other: Interval, correlation: float) -> Interval:
    down, up = first - one.lower, one.upper - first
    other_down, other_up = second - other.lower, other.upper - second

    def distance(a: float, b: float) -> float:
        return sqrt(max(0.0, a * a - 2 * correlation * a * b + b * b))

    difference = first - second
    return Interval(max(-1.0, difference - distance(down, other_up)), min(1.0, difference + distance(up, other_down)))


def _ratio(difference: float, error: float) -> float:
    if error > 0:
        return difference / error
    return 0.0 if difference == 0 else (inf if difference > 0 else -inf)


def _two_sided_p(z: float) -> float:
    return 2 * float(ndtr(-abs(z)))
