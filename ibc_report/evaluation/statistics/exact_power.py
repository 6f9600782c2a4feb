"""Probability with which the exact tests of two accuracies find a difference, by enumeration."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import inf, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, gammaln, ndtri

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.proportions import LEVEL, two_sided
from ibc_report.evaluation.statistics.score_test import (
    EXACT_TABLES,
    TIE,
    Region,
    exact_p,
    region_probability,
    rejection_region,
)

__all__ = ["critical_value", "paired_power", "unpaired_power"]

DEVIATIONS = 9
"""Standard deviations of a count beyond which it is left out: less than 1e-18 of a normal law."""


def paired_power(disagreement: float, n: int, level: float = LEVEL) -> Callable[[float], float]:
    """Power of McNemar's exact test of two models on the same examples, as a function of their difference.

    The examples on which exactly one of them is right are counted by a binomial, and those that the better one has
    right by another; the power grows with the difference.

    Parameters
    ----------
    disagreement : float
        Share ψ of examples on which exactly one of the two models is right, above 0.
    n : int
        Examples.

    Returns
    -------
    callable
        Of a difference within 0 and ψ; at 0 it is the size of the test.

    Raises
    ------
    InputError
        If the disagreement is not above 0 and at most 1.

    Examples
    --------
    >>> power = paired_power(0.2, 1000)
    >>> round(power(0.0406), 2), round(power(0.0), 3)
    (0.8, 0.042)
    """
    if not 0 < disagreement <= 1:
        raise InputError(f"disagreement {disagreement} is not above 0 and at most 1")
    spread = DEVIATIONS * sqrt(n * disagreement * (1 - disagreement)) + DEVIATIONS
    counts = np.arange(max(0, int(n * disagreement - spread)), min(n, int(n * disagreement + spread)) + 1)
    ways = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    # a share of 1 leaves only the one count, whose factor of the rest is 1
    rest = np.log1p(-disagreement) * (n - counts) if disagreement < 1 else np.where(counts == n, 0.0, -inf)
    weights = np.exp(ways + counts * np.log(disagreement) + rest)
    most = _most_rejected(counts, 1 - level)

    def power(difference: float) -> float:
        better = min(1.0, (1 + difference / disagreement) / 2)
        tails = (np.where(most >= 0, bdtr(np.maximum(most, 0), counts, p), 0.0) for p in (better, 1 - better))
        return float(weights @ sum(tails))

    return power


def _most_rejected(counts: NDArray[np.int64], size: float) -> NDArray[np.int64]:
    """Largest number of the rarer kind among so many at which the exact test rejects; −1 for none."""
    guess = np.floor(counts / 2 + ndtri(size / 2) * np.sqrt(counts) / 2).astype(np.int64) + 2
    most = np.minimum(guess, counts)
    while True:
        is_kept = 2 * bdtr(np.maximum(most, 0), counts, 0.5) > size
        is_over = (most >= 0) & is_kept
        if not is_over.any():
            return most
        most = most - is_over


@lru_cache(maxsize=32)
def critical_value(first_n: int, second_n: int, level: float = LEVEL) -> float:
    """Smallest |z| at which the score test of two sets rejects: the normal quantile where it is asymptotic.

    Parameters
    ----------
    first_n, second_n : int
        Examples of the two.

    Returns
    -------
    float
        Found to 1e-3, from above; infinite where no table is rejected.

    Examples
    --------
    >>> round(critical_value(100, 100), 2), round(critical_value(10_000, 10_000), 2)
    (1.99, 1.96)
    """
    small, large = sorted((first_n, second_n))
    normal = two_sided(level)
    if small * large > EXACT_TABLES:
        return normal

    def is_rejected(z: float) -> bool:
        return exact_p(small, large, 0.0, z) <= 1 - level

    low, high = 0.9 * normal, 1.1 * normal
    while not is_rejected(high):
        low, high = high, 1.2 * high
        if low > sqrt(small + large):
            return inf
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if is_rejected(middle) else (middle, high)
    return high


def unpaired_power(first: float, first_n: int, second: float, second_n: int, level: float = LEVEL) -> float:
    """Power of the score test of two models on examples of their own.

    Parameters
    ----------
    first, second : float
        The true accuracies; of two equal ones it is the size of the test.
    first_n, second_n : int
        Examples of the two.

    Examples
    --------
    >>> round(unpaired_power(0.9, 200, 0.8, 200), 2)
    0.8
    """
    if first_n > second_n:
        first, first_n, second, second_n = second, second_n, first, first_n
    return region_probability(first_n, second_n, _rejected(first_n, second_n, level), first, second)


@lru_cache(maxsize=32)
def _rejected(first_n: int, second_n: int, level: float) -> Region:
    z = critical_value(first_n, second_n, level)
    if not isfinite(z):
        return np.zeros(first_n + 1, dtype=np.int64), np.full(first_n + 1, second_n + 1, dtype=np.int64)
    return rejection_region(first_n, second_n, 0.0, z * (1 - TIE))
