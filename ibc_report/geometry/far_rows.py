"""Rows whose norm the law of the other norms does not allow, as long as they are less than one row in twenty.

With norms x₁ ≥ x₂ ≥ … the scaled log spacings i·ln(x_i / x_{i+1}) of a tail that falls by a power are independent and
exponential with one mean (Rényi; compare Beirlant, Dierckx, Goegebeur, Matthys, 1999, DOI 10.1023/A:1009975020370), and
those of a tail that falls like a Weibull law have means that shrink by 1 / ln(n/i). The law is taken from the norms
below the outermost twentieth, which no rows far out can reach, and from the spacings about each rank, trimmed, so that
a tail that is heavier further out is no finding.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.radius import MOST_FAR, lengths

__all__ = ["FarRows", "far_rows"]

LEAST_FAR = 4
"""Rows that may be far out of however few."""

LAW_SHARE, LAW_ROWS = 0.2, 20
"""The law is read from the outermost fifth of the norms, and from so many rows at least (of the upper half)."""

FEWEST_SPACINGS = 5
"""Fewer spacings than this give no law."""

POWERS = (0.0, 0.5, 1.0)
"""Powers of ln(n/i) by which mean spacings may shrink outwards: 0 of a power's tail, 1 of a Weibull law's."""

WINDOW, FIRST_WINDOW = 5, 24
"""Spacings about a rank: so many times the rank, and at least so many."""

TRIMMED = 0.8
"""Share of the smallest spacings of a window that its mean is taken from."""

TRIMMED_MEAN = (1 - (1 - TRIMMED) * (1 - log(1 - TRIMMED))) / TRIMMED
"""Mean of that share of exponential variables, over the mean of all."""

TRIMMED_WORTH = 0.7
"""Whole spacings that a trimmed one counts as, for the error of the mean."""

LEVEL = 0.01
"""Probability below which the law does not allow the norms."""

SMALL_CLASS = 3
"""Classes of fewer rows have no median of their own."""

TINY = 1e-12
"""Least mean spacing: on a sphere all norms are equal but for rounding."""


@dataclass(frozen=True, slots=True)
class FarRows:
    """Rows that lie further out than the law of the other norms allows.

    Parameters
    ----------
    count : int
        Such rows.
    rows : tuple of int
        Their row numbers, the furthest first.
    factor : float
        The largest norm over that of the other rows; 1 where there are no such rows.
    probability : float
        That the law has norms so far out.
    """

    count: int
    rows: tuple[int, ...]
    factor: float
    probability: float


def far_rows(points: Points) -> FarRows | None:
    """Find rows whose norms are beyond the law of the other norms.

    Both of all norms and of those over the median norm of the row's class, so that a class further out than others is
    none. None for fewer than 18 points, which give no law.

    Parameters
    ----------
    points : Points
        Of any number; up to one row in twenty, and four rows in any case, may be far out.

    Examples
    --------
    >>> cloud = np.random.default_rng(0).normal(size=(500, 5))
    >>> far_rows(Points(cloud, 1.0, np.arange(500))).count
    0
    >>> cloud[[3, 77]] *= 10
    >>> far_rows(Points(cloud, 1.0, np.arange(500))).rows
    (77, 3)
    """
    norms = lengths(points)
    positive = norms[norms > 0]
    if not len(positive):
        return None
    logs = np.log(np.maximum(norms, positive.min()))
    overall = _beyond(logs)
    if overall is None:
        return None
    count, probability = overall
    order = np.lexsort((points.rows, -logs))
    far = order[:count]
    if points.labels is not None and probability < LEVEL:
        away = logs - _middles(logs, points.labels)
        of_class = _beyond(away)
        assert of_class is not None
        far = far[np.isin(far, np.lexsort((points.rows, -away))[: of_class[0]])]
        probability = max(probability, of_class[1])
    if probability >= LEVEL or not len(far):
        return FarRows(0, (), 1.0, probability)
    others = np.delete(norms, far)
    factor = float(norms.max() / max(others.max(), positive.min()))
    return FarRows(len(far), tuple(points.rows[far].tolist()), factor, probability)


def _middles(logs: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Median of the row's class, of all rows for a class that is too small."""
    middles = np.full(len(logs), float(np.median(logs)))
    order = np.argsort(labels, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        if len(members) >= SMALL_CLASS:
            middles[members] = np.median(logs[members])
    return middles


def _beyond(logs: NDArray[np.float64]) -> tuple[int, float] | None:
    """How many of the largest are apart from the others, and the probability of that; None without a law."""
    n = len(logs)
    ordered = np.sort(logs)[::-1]
    far = max(LEAST_FAR, int(MOST_FAR * n) + 1)
    last = min(max(far + LAW_ROWS, int(LAW_SHARE * n)), n // 2)
    if last - far < FEWEST_SPACINGS:
        return None
    rank = np.arange(1, last + 1)
    spread = _spread_ties(ordered)
    spacings = rank * (spread[:last] - spread[1 : last + 1])
    shrink = np.log(n / rank)
    # many equal norms have spacings that are alike rather than random, and their sums are no evidence
    levels = np.count_nonzero(ordered[far : last + 1][1:] < ordered[far : last + 1][:-1])
    sums = 2 ** np.arange(1, int(np.log2(far)) + 1) if 2 * levels >= last - far else np.zeros(0, dtype=np.int64)
    evidence, chances = [], []
    for power in POWERS:
        weights = shrink**power
        scaled = spacings * weights
        mean = max(float(scaled[far:].mean()), TINY)
        evidence.append(float(np.log(weights[far:]).sum()) - (last - far) * log(mean))
        chances.append(_chance(scaled, far, sums, mean))
    odds = np.exp(np.array(evidence) - max(evidence))
    return int((spacings[:far] * shrink[:far]).argmax()) + 1, float(odds @ np.array(chances) / odds.sum())


def _chance(scaled: NDArray[np.float64], far: int, sums: NDArray[np.int64], mean: float) -> float:
    """Probability of the widest spacing among the outermost, or of the widest sum, by Bonferroni's inequality."""
    last = len(scaled)
    worth = last - far
    rank = np.arange(1, far + 1)
    ends = [FIRST_WINDOW]
    while ends[-1] < WINDOW * far:
        ends.append(2 * ends[-1])
    ends = [*(end for end in ends if end < last), last]
    local = np.array([_trimmed_mean(scaled[:end]) for end in ends])
    place = np.searchsorted(ends, np.minimum(WINDOW * rank, last))
    heavier = local[place] > mean
    means = np.where(heavier, local[place], mean)
    worths = np.where(heavier, TRIMMED_WORTH * TRIMMED * np.array(ends)[place], worth)
    # the outermost ranks are the likeliest to be far out: ranks are weighted by 1/i
    shares = rank * float((1 / rank).sum())
    chance = float((fdtrc(2, 2 * worths, scaled[:far] / means) * shares).min())
    sum_ends = np.array(ends)[np.searchsorted(ends, np.minimum(WINDOW * sums, last))]
    for count, end in zip(sums.tolist(), sum_ends.tolist(), strict=True):
        beyond = _trimmed_mean(scaled[count:end])
        of, freedom = (beyond, TRIMMED_WORTH * TRIMMED * (end - count)) if beyond > mean else (mean, float(worth))
        tail = float(fdtrc(2 * count, 2 * freedom, float(scaled[:count].mean()) / of))
        chance = min(chance, tail * len(sums))
    return min(1.0, 2 * chance)


def _trimmed_mean(values: NDArray[np.float64]) -> float:
    """Mean of exponential values from the smallest of them."""
    return float(np.sort(values)[: max(1, int(TRIMMED * len(values)))].mean()) / TRIMMED_MEAN


def _spread_ties(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values, largest first, with equal ones spread evenly half of the way to the next ones on either side.

    The largest stay; none goes further to one side than twice as far as to the other, so that those below a wide step
    stay below it.
    """
    levels, place, counts = np.unique(-ordered, return_inverse=True, return_counts=True)
    if len(levels) == len(ordered) or len(levels) == 1:
        return ordered
    steps = np.diff(levels)
    # nothing tells how far the largest would reach
    above, below = np.append(0.0, steps), np.append(steps, steps[-1:])
    up, down = np.minimum(above, 2 * below) / 2, np.minimum(below, 2 * above) / 2
    within = np.arange(len(ordered)) - (np.cumsum(counts) - counts)[place]
    share = (2 * within + 1) / (2 * counts[place])
    several = counts[place] > 1
    return np.asarray(np.where(several, ordered + up[place] - share * (up + down)[place], ordered))
