"""The score test of two independent proportions, exact over the nuisance, and the interval that inverts it.

Sources: the statistic with the proportions' constrained maximum likelihood is that of Miettinen and Nurminen
(Statistics in Medicine 1985, doi 10.1002/sim.4780040211), solved in closed form by Farrington and Manning (Statistics
in Medicine 1990, doi 10.1002/sim.4780091208); at a difference of 0 it is the pooled z. Its exact unconditional p goes
back to Barnard (Biometrika 1947), with this statistic as the order of tables to Suissa and Shuster (JRSS A 1985), and
inverted to an interval to Chan and Zhang (Biometrics 1999).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, inf, isfinite, pi

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrc, gammaln, ndtr

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.proportions import LEVEL, Interval, check_count, two_sided

__all__ = [
    "EXACT_TABLES",
    "RARE",
    "TIE",
    "Region",
    "ScoreTest",
    "exact_p",
    "region_probability",
    "rejection_region",
    "score_statistic",
    "score_test",
]

EXACT_TABLES = 10_000_000
"""Largest n₁·n₂ at which the test is exact over the nuisance; beyond, it is asymptotic."""

RARE = 40
"""Right or wrong answers that are expected in the smaller set, below which no normal law holds: of larger sets the test
of equality is then exact given the number of right answers in both."""

NUISANCE = 240
"""Steps of the nuisance's grid, which is even in arcsin √p and fixed, so that equal tables have equal p."""

TIE = 1e-8
"""Share by which the statistics of two tables may differ and still be a tie: what rounding makes of one."""

EXACT_TO, NORMAL_TO = 1e-5, 1e-7
"""How closely an end of an exact and of an asymptotic interval is found: the one is printed to a thousandth."""

TABULATED = 20_000
"""Largest n of which all cumulated probabilities are kept, for all values of the nuisance."""

Region = tuple[NDArray[np.int64], NDArray[np.int64]]
"""For each first count, the number of second counts from 0 that are in it, and the one from which on all are."""

NEGLIGIBLE = 1e-15
"""Probability of a count below which it is left out, where the larger set is not tabulated."""


@dataclass(frozen=True, slots=True)
class ScoreTest:
    """The score test of two proportions on different examples, and the interval that agrees with it.

    Parameters
    ----------
    difference : float
        First less second.
    z : float
        The pooled z.
    p : float
        Two-sided.
    exact : bool
        Whether p is exact, or asymptotic.
    interval : Interval
        Of the difference: 0 lies outside exactly where p is below 1 − level. Its ends are exact for up to 10⁷ tables.
    """

    difference: float
    z: float
    p: float
    exact: bool
    interval: Interval


@lru_cache(maxsize=1024)
def score_test(
    first_correct: float, first_n: int, second_correct: float, second_n: int, level: float = LEVEL
) -> ScoreTest:
    """Test whether two independent proportions are equal, and invert the test to an interval of their difference.

    The exact p of a difference is the largest probability, over the nuisance, of tables whose statistic is at least as
    far from 0 as the observed one. SciPy's `barnard_exact` with the pooled statistic is the same test with an optimiser
    in the place of the grid; but it compares statistics without a tolerance, so that a tie may be lost to rounding. For
    9 of 10 against 3 of 10 it loses the equal 7 of 10 against 1 of 10, by 4e-16, and has 0.0069 in the place of 0.0080.

    Parameters
    ----------
    first_correct, second_correct : float
        A published accuracy times n need not be whole; tables are those of whole counts all the same.
    first_n, second_n : int
        Examples of the two sets.
    level : float
        Share of samples that the interval is made to cover.

    Raises
    ------
    InputError
        If a number is outside its domain.

    Examples
    --------
    >>> found = score_test(9, 10, 3, 10)
    >>> round(found.z, 3), round(found.p, 4), found.exact
    (2.739, 0.008, True)
    """
    for correct, n in ((first_correct, first_n), (second_correct, second_n)):
        check_count(n)
        if not 0 <= correct <= n:
            raise InputError(f"{correct} correct answers are not within 0 and n = {n}")
    if first_n > second_n or (first_n == second_n and first_correct * second_n < second_correct * first_n):
        # the sum is over the smaller set's counts; of two equal ones, the order must not change the ends
        found = score_test(second_correct, second_n, first_correct, first_n, level)
        around = Interval(-found.interval.upper, -found.interval.lower)
        return ScoreTest(-found.difference, -found.z, found.p, found.exact, around)
    difference = first_correct / first_n - second_correct / second_n

    def statistic(at: float) -> float:
        return float(score_statistic(first_correct, first_n, second_correct, second_n, at))

    def normal(at: float) -> float:
        return 2 * float(ndtr(-abs(statistic(at))))

    def rare(at: float) -> float:
        return _conditional_p(first_correct, first_n, second_correct, second_n) if at == 0 else normal(at)

    def exact(at: float) -> float:
        return exact_p(first_n, second_n, at, statistic(at))

    if first_n * second_n <= EXACT_TABLES:
        inversion = _Inversion(exact, difference, level, _Inversion(normal, difference, level).interval())
    else:
        inversion = _Inversion(
            rare if _is_rare(first_correct + second_correct, first_n, second_n) else normal, difference, level
        )
    is_exact = inversion.of is not normal
    return ScoreTest(difference, statistic(0), inversion.p(0), is_exact, inversion.interval())


def _is_rare(correct: float, small: int, large: int) -> bool:
    return small * min(correct, small + large - correct) < RARE * (small + large)


def _conditional_p(first_correct: float, first_n: int, second_correct: float, second_n: int) -> float:
    """Probability, given the right answers in both, of a share at least as far from what is expected."""
    # it brings more of scipy, which is wanted where scores are compared only
    from scipy.stats import hypergeom

    total, right = first_n + second_n, round(first_correct + second_correct)
    distance = abs(first_correct - first_n * (first_correct + second_correct) / total) * (1 - TIE)
    law = hypergeom(total, first_n, right)
    expected = first_n * right / total
    return min(1.0, float(law.cdf(floor(expected - distance)) + law.sf(ceil(expected + distance) - 1)))


def score_statistic(
    first_correct: ArrayLike, first_n: int, second_correct: ArrayLike, second_n: int, difference: float
) -> NDArray[np.float64]:
    """Distance of two proportions' difference from a supposed one, by its standard error under that supposition.

    Parameters
    ----------
    first_correct, second_correct : array_like
        Counts, of shapes that broadcast.
    difference : float
        Supposed, first less second; at 0 the statistic is the pooled z.

    Returns
    -------
    ndarray of float64
        0 where the supposition leaves no variance and fits, infinite where it leaves none and does not.

    Examples
    --------
    >>> score_statistic([9, 5], 10, [3, 5], 10, 0.0).round(3).tolist()
    [2.739, 0.0]
    """
    first, second = np.asarray(first_correct, dtype=np.float64), np.asarray(second_correct, dtype=np.float64)
    one, other = first / first_n, second / second_n
    gap = one - other - difference
    if difference == 0:
        pooled = (first + second) / (first_n + second_n)
        variance = pooled * (1 - pooled) * (1 / first_n + 1 / second_n)
    else:
        restricted = _restricted(one, other, second_n / first_n, difference)
        matched = np.clip(restricted - difference, 0, 1)
        variance = restricted * (1 - restricted) / first_n + matched * (1 - matched) / second_n
    with np.errstate(divide="ignore", invalid="ignore"):
        z = gap / np.sqrt(variance)
    fits = np.abs(gap) < 1e-12
    return np.where(variance > 0, np.where(fits, 0.0, z), np.where(fits, 0.0, np.copysign(inf, gap)))


def _restricted(
    one: NDArray[np.float64], other: NDArray[np.float64], ratio: float, difference: float
) -> NDArray[np.float64]:
    """Likeliest first proportion among those that exceed the second by `difference`: a root of a cubic."""
    a = 1 + ratio
    b = -(1 + ratio + one + ratio * other + difference * (ratio + 2)) / (3 * a)
    c = (difference**2 + difference * (2 * one + ratio + 1) + one + ratio * other) / a
    d = -one * difference * (1 + difference) / a
    v = b**3 - b * c / 2 + d / 2
    u = np.copysign(np.sqrt(np.maximum(b**2 - c / 3, 0.0)), v)
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine = np.where(u == 0, 1.0, np.clip(v / u**3, -1, 1))
    root = 2 * u * np.cos((pi + np.arccos(cosine)) / 3) - b
    return np.clip(root, max(0.0, difference), min(1.0, 1 + difference))


class _Inversion:
    """The differences that a test does not reject, around the observed one."""

    def __init__(
        self, p: Callable[[float], float], difference: float, level: float, guess: Interval | None = None
    ) -> None:
        two_sided(level)
        self._size, self._difference, self._guess = 1 - level, difference, guess
        self.of = p
        self._known: dict[float, float] = {}

    def p(self, difference: float) -> float:
        if difference not in self._known:
            self._known[difference] = self.of(difference)
        return self._known[difference]

    def interval(self) -> Interval:
        guess = self._guess
        return Interval(
            self._end(-1.0, None if guess is None else guess.lower),
            self._end(1.0, None if guess is None else guess.upper),
        )

    def _end(self, outside: float, guess: float | None) -> float:
        inside = self._difference
        if self._holds(outside):
            return outside
        # 0 is always tried, so that the interval has it exactly where the test does not reject it
        tried = [0.0]
        if guess is not None:
            step = abs(guess - inside) / 50
            tried += [guess - step, guess + step]
        for at in tried:
            if min(inside, outside) < at < max(inside, outside):
                inside, outside = (at, outside) if self._holds(at) else (inside, at)
        while abs(outside - inside) > (NORMAL_TO if guess is None else EXACT_TO):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self._holds(middle) else (inside, middle)
        return inside

    def _holds(self, difference: float) -> bool:
        return self.p(difference) >= self._size


def exact_p(first_n: int, second_n: int, difference: float, z: float) -> float:
    """Largest probability, over the nuisance, of tables whose statistic is at least |z| either way.

    Parameters
    ----------
    first_n, second_n : int
        The smaller set first, for speed.

    Examples
    --------
    >>> round(exact_p(10, 10, 0.0, 2.7386), 4)
    0.008
    """
    if z == 0:
        return 1.0
    if not isfinite(z):
        return 0.0
    region = rejection_region(first_n, second_n, difference, abs(z) * (1 - TIE))
    grid = _grid()
    first = grid + difference
    # two equal proportions and their complements are alike, so that half of the grid does
    kept = np.arange(NUISANCE // 2 + 1) if difference == 0 else np.flatnonzero((first >= 0) & (first <= 1))
    if second_n > TABULATED:
        pairs = zip(first[kept].tolist(), grid[kept].tolist(), strict=True)
        return max(region_probability(first_n, second_n, region, p, q) for p, q in pairs)
    cumulated = _cumulated(second_n)[kept]
    columns = cumulated[:, region[0]] + (1 - cumulated[:, region[1]])
    weights = _masses(first_n)[kept] if difference == 0 else _binomial(first_n, first[kept])
    return min(1.0, float(np.einsum("gx,gx->g", weights, columns).max()))


def region_probability(first_n: int, second_n: int, region: Region, first: float, second: float) -> float:
    """Probability of a region's tables where the two proportions are `first` and `second`.

    Examples
    --------
    >>> region = rejection_region(10, 10, 0.0, 2.7)
    >>> round(region_probability(10, 10, region, 0.9, 0.3), 2)
    0.59
    """
    weights = _binomial(first_n, np.array([first]))[0]
    counts = np.flatnonzero(weights > NEGLIGIBLE)
    above, below = region[0][counts], region[1][counts]
    # fewer than no count has no probability, which bdtr does not say
    low = np.where(above > 0, bdtr(np.maximum(above - 1, 0), second_n, second), 0.0)
    high = np.where(below > 0, bdtrc(np.maximum(below - 1, 0), second_n, second), 1.0)
    return float(weights[counts] @ (low + high))


def rejection_region(first_n: int, second_n: int, difference: float, z: float) -> Region:
    """Tables whose statistic is at least z either way.

    The statistic falls as the second count grows, so that for each first count the two ends are found by bisection; at
    a difference of 0, around the roots of a quadratic.

    Returns
    -------
    tuple of ndarray of int64, shape (first_n + 1,)
        For each first count the second counts that are in it: those below the one, and from the other on.

    Examples
    --------
    >>> above, below = rejection_region(2, 3, 0.0, 2.0)
    >>> above.tolist(), below.tolist()
    ([0, 0, 1], [3, 4, 4])
    """
    first = np.arange(first_n + 1)
    least, most = np.zeros(first_n + 1, dtype=np.int64), np.full(first_n + 1, second_n + 1, dtype=np.int64)
    near = _pooled_roots(first_n, second_n, z) if difference == 0 else (None, None)

    def fewest(threshold: float, root: NDArray[np.int64] | None, *, strict: bool) -> NDArray[np.int64]:
        def is_past(count: NDArray[np.int64]) -> NDArray[np.bool_]:
            found = score_statistic(first, first_n, np.clip(count, 0, second_n), second_n, difference)
            past = found < threshold if strict else found <= threshold
            return (past & (count >= 0)) | (count > second_n)

        low, high = least, most
        if root is not None:
            low, high = np.clip(root - 1, least, most), np.clip(root + 2, least, most)
            is_around = is_past(high) & ~is_past(low - 1)
            low, high = np.where(is_around, low, least), np.where(is_around, high, most)
        while np.any(low < high):
            middle = (low + high) // 2
            past = is_past(middle)
            low, high = np.where(past, low, np.minimum(middle + 1, high)), np.where(past, middle, high)
        return high

    return fewest(z, near[0], strict=True), fewest(-z, near[1], strict=False)


def _pooled_roots(first_n: int, second_n: int, z: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each first count, about the two second counts at which the pooled statistic is z and −z."""
    first, n = np.arange(first_n + 1, dtype=np.float64), first_n + second_n
    share, scale = first / first_n, z * z * (1 / first_n + 1 / second_n) / n**2
    a, c = 1 / second_n**2 + scale, share**2 - scale * first * (n - first)
    half = share / second_n + scale * (n - 2 * first) / 2
    spread = np.sqrt(np.maximum(half**2 - a * c, 0.0))
    low, high = ((half + sign * spread) / a for sign in (-1, 1))
    return np.floor(low).astype(np.int64), np.floor(high).astype(np.int64)


@lru_cache(maxsize=1)
def _grid() -> NDArray[np.float64]:
    return np.asarray(np.sin(np.linspace(0, pi / 2, NUISANCE + 1)) ** 2, dtype=np.float64)


@lru_cache(maxsize=4)
def _masses(n: int) -> NDArray[np.float64]:
    return _binomial(n, _grid())


@lru_cache(maxsize=4)
def _cumulated(n: int) -> NDArray[np.float64]:
    """Probability of fewer than k right of n, for k from 0 to n + 1 and each value of the nuisance."""
    masses = _masses(n)
    out = np.zeros((len(masses), n + 2))
    np.cumsum(masses, axis=1, out=out[:, 1:])
    return np.minimum(out, 1.0)


def _binomial(n: int, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of 0 to n, a row for each share."""
    counts = np.arange(n + 1)
    ways = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    inner = np.clip(shares, 1e-300, 1 - 1e-16)[:, None]
    out = np.exp(ways + counts * np.log(inner) + (n - counts) * np.log1p(-inner))
    out[shares <= 0] = counts == 0
    out[shares >= 1] = counts == n
    return np.asarray(out, dtype=np.float64)
