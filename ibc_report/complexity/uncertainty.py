"""How far the bits would move on another sample: the closed-form noise of the margin, the drift of m over scales.

The margin is a minimum over pairs. If P(distance < r) grows like r^κ near 0, then δ^κ is exponential, so
ln δ has standard deviation π / (κ√6); for κ = m this is about 0.56 decades of bits, whatever m is. A bootstrap
of a minimum is inconsistent (Bickel, Freedman 1981, DOI 10.1214/aos/1176345637), so the law itself is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ibc_report.complexity.bound import Complexity
from ibc_report.complexity.families import FAMILIES, evaluate

__all__ = ["Interval", "interval"]

LEVEL = 0.95
POINTS = 1024
"""Points of the lattice on which the two noises are evaluated together; the ends move by 0.01 beyond it."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval for log10 bits and what it is made of.

    Parameters
    ----------
    lower, upper : float
        Ends for log10 bits; −inf for 0 bits.
    level : float
        Share of samples that it is made to cover.
    margin_sd : float
        Standard deviation, in decades, from the noise of the margin.
    scale_sd : float
        Standard deviation, in decades, from the drift of the dimension over scales (or its rounding).
    """

    lower: float
    upper: float
    level: float
    margin_sd: float
    scale_sd: float


def interval(task: Complexity, dimension_sd: float) -> Interval | None:
    """Interval for log10 bits from the margin's law and the dimension's drift.

    Parameters
    ----------
    task : Complexity
        The point estimate.
    dimension_sd : float
        Standard deviation of the intrinsic dimension over scales, ≥ 0.

    Returns
    -------
    Interval or None
        None for a family whose inputs are chosen, not sampled.

    Notes
    -----
    The two noises are independent: ln δ gets a centred Gumbel term with scale 1/m, m a normal one. They are
    evaluated on a rank-1 lattice, so the result is the same everywhere.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> mnist = classification(n=60000, radius=17.179045827, dimension=14.247, classes=10,
    ...                        margin=2.39870848, target_error=0.001)
    >>> found = interval(mnist, dimension_sd=0.53)
    >>> round(found.lower, 1), round(found.upper, 1)
    (15.3, 17.7)
    """
    family = FAMILIES[task.family]
    if family.sampled_margin is None or family.sampled_dimension is None:
        return None
    margin_key, dimension_key = family.sampled_margin, family.sampled_dimension
    dimension = max(task.inputs[dimension_key], 1.0)
    margin = task.inputs[margin_key]

    def log10_bits(log_margin_shift: float, dimension_shift: float) -> float:
        moved = {
            **task.inputs,
            margin_key: margin * exp(log_margin_shift),
            dimension_key: max(dimension + dimension_shift, 1.0),
        }
        return evaluate(task.family, moved, task.convention).log10_bits

    first, second = _lattice(POINTS)
    log_margin = (np.log(-np.log(first)) + np.euler_gamma) / dimension
    shift = dimension_sd * ndtri(second)
    values = np.array([log10_bits(a, b) for a, b in zip(log_margin, shift, strict=True)])
    tail = (1 - LEVEL) / 2
    lower, upper = np.quantile(values, [tail, 1 - tail], method="closest_observation")
    step = pi / (dimension * sqrt(6))
    return Interval(
        lower=float(lower),
        upper=float(upper),
        level=LEVEL,
        margin_sd=_step(log10_bits(-step, 0), task.log10_bits, log10_bits(step, 0)),
        scale_sd=_step(log10_bits(0, -dimension_sd), task.log10_bits, log10_bits(0, dimension_sd)),
    )


def _step(before: float, present: float, after: float) -> float:
    """Decades that one standard deviation moves the bits: on one side only where the other ends at 0 bits."""
    moves = [value - present for value in (before, after) if isfinite(value) and isfinite(present)]
    # bits are not monotone in a small dimension, so the two sides must not cancel
    return sqrt(sum(move**2 for move in moves) / len(moves)) if moves else 0.0


def _lattice(points: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points of (0, 1)², evenly spread: a Fibonacci lattice by the golden ratio."""
    index = np.arange(points)
    golden = (sqrt(5) - 1) / 2
    return (index + 0.5) / points, np.mod(index * golden + 0.5, 1.0)
