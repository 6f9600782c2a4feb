"""The range of the targets of a regression, and the rows that set it alone: a range hangs on two extremes.

The tolerance within which targets count as equal is a share of that range, so that one wrong target, such as −9999 for
a missing one, changes what is told apart everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ibc_report.common.errors import DataError
from ibc_report.data.examples import Examples
from ibc_report.geometry.facts import Geometry, facts_of_examples
from ibc_report.geometry.search_plan import Budget

__all__ = ["TargetsLeftOut", "far_targets", "half_range", "without_extreme_targets"]

QUANTILES = (0.5, 0.8)
"""Quantiles of the distances from the median, on one side of it, from which the law of that side is followed."""

LARGEST_TAIL = 3.0
"""Largest power of the normal law's quantiles that a side may grow by: 1 is normal, 2 about exponential."""

BEYOND = 0.02
"""Targets that are expected beyond the end of a side."""

ROOM = 2.0
"""Factor that a side may go beyond that end: a lognormal law grows faster than any power."""

FEWEST = 0.05
"""Share of rows that a side must have for a law of its own; else it has that of the other side."""

LARGEST_COST = 1e11
"""Rows × rows × features up to which a set is measured again without a row that is not far from the others."""


@dataclass(frozen=True, slots=True)
class TargetsLeftOut:
    """A regression measured without the rows whose targets set the range.

    Parameters
    ----------
    rows : tuple of int
        The rows left out, the furthest first.
    target : float
        Of the first of them.
    low, high : float
        Ends of the other targets.
    far : bool
        Whether they lie beyond what the law of the targets allows; otherwise it is the one row that sets most of it.
    stretch : float
        Range of all targets over that of the others.
    facts : Geometry or None
        Of the other rows; None where nothing can be measured of them.
    """

    rows: tuple[int, ...]
    target: float
    low: float
    high: float
    far: bool
    stretch: float
    facts: Geometry | None


def half_range(values: NDArray[np.float64]) -> float:
    """Half of the distance between the lowest and the highest value, which does not overflow.

    Examples
    --------
    >>> half_range(np.array([1.0, 4.0])), half_range(np.array([-1.7e308, 1.7e308]))
    (1.5, 1.7e+308)
    """
    return float(values.max() / 2 - values.min() / 2)


def far_targets(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Find the targets that lie far from all others.

    On each side of the median the distances are followed from two of their quantiles as d(p) ∝ z(p)^θ, with z the
    normal quantiles, to where 0.02 targets are expected beyond; what is twice as far is far.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Finite.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=600)
    >>> values[7] = -9999
    >>> np.flatnonzero(far_targets(values))
    array([7])
    """
    # halves, so that a difference of huge values is finite
    away = values / 2 - np.median(values / 2)
    ends = []
    for sign in (-1.0, 1.0):
        side = sign * away[sign * away > 0]
        enough = len(side) >= FEWEST * len(values)
        ends.append(_end(side, len(values)) if enough else None)
    known = [end for end in ends if end is not None]
    if not known:
        return np.zeros(len(values), dtype=bool)
    lower, upper = (max(known) if end is None else end for end in ends)
    return np.asarray((away < -lower) | (away > upper))


def _end(side: NDArray[np.float64], n: int) -> float:
    """How far from the median a side goes."""
    near, wide = (float(value) for value in np.quantile(side, QUANTILES))
    # half of the rows lie on a side, so that its quantile q is that of (1 + q) / 2 of a symmetric law
    z_near, z_wide = (float(ndtri((1 + quantile) / 2)) for quantile in QUANTILES)
    tail = float(np.clip(np.log(wide / near) / np.log(z_wide / z_near), 1.0, LARGEST_TAIL))
    # plain floats: beyond the largest double is infinity, which no target is beyond
    return ROOM * wide * float((-ndtri(BEYOND / n) / z_wide) ** tail)


def without_extreme_targets(examples: Examples, share: float, budget: Budget) -> TargetsLeftOut | None:
    """Measure a regression without the rows whose targets set the range.

    Those are the ones far from all others, or else the one whose loss narrows the range most. None where no row does,
    and where measuring again without a row that is not far costs too much.

    Parameters
    ----------
    examples : Examples
        With values.
    share : float
        Of the range of the targets, the tolerance.
    """
    values = examples.values
    assert values is not None
    far = far_targets(values)
    found = np.flatnonzero(far)
    if not len(found):
        found = _widest(values)
        cost = float(len(values)) ** 2 * examples.encoded.vectors.shape[1]
        if not len(found) or cost > LARGEST_COST:
            return None
    kept = np.setdiff1d(np.arange(len(values)), found)
    width = half_range(values[kept])
    if width <= 0:
        return None
    furthest = found[np.lexsort((found, -np.abs(values[found] / 2 - np.median(values / 2))))]
    rest = examples.take(kept)
    try:
        facts = facts_of_examples(rest, tolerance=2 * share * width, budget=budget)
    except DataError:
        facts = None
    return TargetsLeftOut(
        rows=tuple(examples.numbers[furthest].tolist()),
        target=float(values[furthest[0]]),
        low=float(values[kept].min()),
        high=float(values[kept].max()),
        far=bool(far.any()),
        stretch=half_range(values) / width,
        facts=facts,
    )


def _widest(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The row whose loss narrows the range most; none where each end is shared."""
    order = np.argsort(values, kind="stable")
    steps = [values[order[1]] - values[order[0]], values[order[-1]] - values[order[-2]]]
    end = int(np.argmax(steps))
    return order[[0, -1]][end : end + 1] if steps[end] > 0 else order[:0]
