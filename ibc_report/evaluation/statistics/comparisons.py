"""Whether two accuracies differ: on different examples, on the same examples, and among many comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, gammaln, ndtr

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.proportions import LEVEL, Interval, clopper_pearson
from ibc_report.evaluation.statistics.score_test import score_test

__all__ = ["McNemar", "TwoProportions", "discordant", "mcnemar", "paired_interval", "two_proportions"]

ANGLES = 361
"""Points of an arc over which the ends of a product are sought; the arc is flat there, so that 1e-5 of a width is lost.
"""


@dataclass(frozen=True, slots=True)
class TwoProportions:
    """The comparison of two accuracies on different examples.

    Parameters
    ----------
    difference : float
        First less second.
    standard_error, z : float
        Unpooled: each accuracy with its own variance. For information only, since its normal law fails where an
        accuracy is near 0 or 1.
    pooled_z, pooled_p : float
        The score statistic, with the variance under the hypothesis that the two are equal, and its asymptotic p.
    p : float
        Two-sided, of the score test.
    exact : bool
        Whether p is exact, or asymptotic.
    interval : Interval
        The score test's inversion: 0 lies outside exactly where p is below 1 − level.
    """

    difference: float
    standard_error: float
    z: float
    pooled_z: float
    pooled_p: float
    p: float
    exact: bool
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
        Binomial; never too small, and conservative: the test that decides.
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
    first_correct: float, first_n: int, second_correct: float, second_n: int, level: float = LEVEL
) -> TwoProportions:
    """Compare two accuracies on different examples.

    Parameters
    ----------
    first_correct, first_n, second_correct, second_n : float
        Correct answers and examples of each; a published accuracy times n need not be whole.
    level : float
        Share of samples that the interval is made to cover.

    Returns
    -------
    TwoProportions
        The unpooled z is infinite where its standard error is 0 and the accuracies differ.

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
    test = score_test(first_correct, first_n, second_correct, second_n, level)
    first, second = first_correct / first_n, second_correct / second_n
    error = sqrt(first * (1 - first) / first_n + second * (1 - second) / second_n)
    return TwoProportions(
        difference=test.difference,
        standard_error=error,
        z=_ratio(test.difference, error),
        pooled_z=test.z,
        pooled_p=_two_sided_p(test.z),
        p=test.p,
        exact=test.exact,
        interval=test.interval,
    )


def paired_interval(both: int, first_only: int, second_only: int, neither: int, level: float = LEVEL) -> Interval:
    """Interval of a difference on the same examples, that agrees with the exact test of McNemar.

    The difference is ψτ, where exactly one of the two models is right on a share ψ of the examples, and τ is by how
    much more often it is the first. Both shares have their exact intervals, that of τ given how many such examples
    there are, and the ends of the product are those over the ellipse of the two, as in MOVER (Zou and Donner,
    Statistics in Medicine 2008, doi 10.1002/sim.3095). Since ψ is positive, 0 lies outside exactly where it lies
    outside of τ's interval: where the exact p is below 1 − level.

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
    >>> found = paired_interval(36, 12, 2, 0)
    >>> round(found.lower, 3), round(found.upper, 3)
    (0.039, 0.342)
    """
    if min(both, first_only, second_only, neither) < 0:
        raise InputError("a count of examples is negative")
    n, discordant_n = both + first_only + second_only + neither, first_only + second_only
    share = discordant_n / n if n else 0.0
    around = clopper_pearson(discordant_n, n, level)
    if discordant_n == 0:
        return Interval(-around.upper, around.upper)
    first = clopper_pearson(first_only, discordant_n, level)
    lean = (first_only - second_only) / discordant_n
    angle = np.linspace(0, np.pi / 2, ANGLES)
    # both ends of the share, for where a lean turns its sign a larger share takes the product further from 0
    shares = share + np.outer([around.lower - share, around.upper - share], np.cos(angle))
    lower = shares * (lean - (lean - (2 * first.lower - 1)) * np.sin(angle))
    upper = shares * (lean + (2 * first.upper - 1 - lean) * np.sin(angle))
    return Interval(float(lower.min()), float(upper.max()))


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


def _ratio(difference: float, error: float) -> float:
    if error > 0:
        return difference / error
    return 0.0 if difference == 0 else (inf if difference > 0 else -inf)


def _two_sided_p(z: float) -> float:
    return 2 * float(ndtr(-abs(z)))
