"""How sure the bits are: the standard deviation with its parts, and two intervals that mean different things.

The margin is a minimum over pairs and the radius a maximum over points, so each carries the noise of an extreme
(`ibc_report.complexity.extreme_values`); a bootstrap of a minimum is inconsistent (Bickel, Freedman 1981, DOI
10.1214/aos/1176345637). The dimension carries a standard error at its own scale, a drift over scales, and a bias that
only the range of true dimensions tells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, log, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from ibc_report.complexity.bound import Complexity
from ibc_report.complexity.conventions import CONVENTIONS
from ibc_report.complexity.extreme_values import Law
from ibc_report.complexity.families import FAMILIES, evaluate
from ibc_report.complexity.quadrature import evenly_spread, tabulated

__all__ = ["Ends", "Noise", "Ranges", "Spread", "bits_at", "conventions_range", "possible_bits", "spread"]

LEVEL = 0.95

DRAWS = 4096
"""Points of the lattice of all noises."""

SPLITS = 20
"""Splits into halves that a standard error of the dimension is made of: Student's t stands in for the normal."""

TRUTHS = 5
"""Dimensions, over the range of true ones, at which an interval is taken; the widest ends stand."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What is known of the noise of the numbers that bits are made of.

    Parameters
    ----------
    dimension_error : float
        Standard error of the intrinsic dimension at this scale and n.
    scale_sd : float
        Its drift over neighbourhood sizes: (max − min) / √12 of the profile.
    margin : Law
        Law of the margin, as of `ibc_report.geometry.extreme_value_fits.margin_law`, or `known(m)` for a declared task.
    radius : Law or None
        Law of the radius (of its reciprocal), as of `ibc_report.geometry.extreme_value_fits.radius_law`; None where it
        has no noise.
    true_dimension : tuple of float or None
        Lowest and highest true dimension that give such estimates at this n, their standard error left out, as of
        `ibc_report.geometry.dimension.true_dimension`; the highest may be inf. None where that is not known.
    """

    dimension_error: float
    scale_sd: float
    margin: Law
    radius: Law | None = None
    true_dimension: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Ends:
    """Ends of an interval: −inf of log10 bits stands for 0 bits, an upper end of inf for none that is known."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Ranges:
    """Intervals of one meaning; the margin's is in the units of the features."""

    log10_bits: Ends
    dimension: Ends
    margin: Ends


@dataclass(frozen=True, slots=True)
class Spread:
    """How sure log10 bits are.

    Parameters
    ----------
    level : float
        Share of tasks that each interval is made to cover.
    sd : float
        Standard deviation in decades, by the delta method: of all four parts.
    dimension_sd, scale_sd, margin_sd, radius_sd : float
        The parts: the dimension at its scale, its drift over scales, the margin, the radius.
    sample : Ranges
        "As published values are made": where the same measurement on another sample of n points is expected, at this
        scale. Covers E m̂, exp(E ln δ̂) and the bits of these.
    truth : Ranges or None
        "For the true dimension": the bits at the true m, R and δ as in the first. None where the range of true
        dimensions is not known.
    """

    level: float
    sd: float
    dimension_sd: float
    scale_sd: float
    margin_sd: float
    radius_sd: float
    sample: Ranges
    truth: Ranges | None


def spread(task: Complexity, noise: Noise) -> Spread | None:
    """Say how sure the bits are.

    Returns
    -------
    Spread or None
        None for a family whose inputs are chosen, not sampled.

    Notes
    -----
    An observed ln δ is its expectation plus a noise with a long left tail. So the expectation is ln δ *minus* that
    noise: the interval reaches further towards a wider margin, and log10 bits further down, where the
    values of other samples reach further up. R likewise, the other way round. Only R/δ enters, so
    the noise of both moves the margin. The true dimension lies somewhere in a range that no data narrow, so the second
    interval holds those of all its dimensions (Imbens, Manski 2004, DOI 10.1111/j.1468-0262.2004.00555.x). All is
    evaluated on a lattice: nothing is drawn at random.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> from ibc_report.complexity.extreme_values import known
    >>> mnist = classification(n=60000, radius=17.179045827, dimension=14.247, classes=10,
    ...                        margin=2.39870848, target_error=0.001)
    >>> found = spread(mnist, Noise(0.077, 0.523, known(14.247), true_dimension=(15.0, 16.2)))
    >>> round(found.sd, 2), round(found.margin_sd, 2)
    (0.61, 0.55)
    >>> found.sample.log10_bits.lower < 16.3 < found.sample.log10_bits.upper
    True
    """
    family = FAMILIES[task.family]
    if family.sampled_margin is None or family.sampled_dimension is None:
        return None
    dimension, margin = task.inputs[family.sampled_dimension], task.inputs[family.sampled_margin]
    log10_bits = bits_at(task)
    parts = [
        _step(log10_bits(-a, -b), task.log10_bits, log10_bits(a, b))
        for a, b in (
            (0.0, noise.dimension_error),
            (0.0, noise.scale_sd),
            (noise.margin.sd, 0.0),
            (0.0 if noise.radius is None else noise.radius.sd, 0.0),
        )
    ]
    low, high = noise.true_dimension or (dimension, dimension)
    error = noise.dimension_error / dimension
    centres = [dimension]
    if noise.true_dimension:
        centres += np.linspace(low, high if isfinite(high) else max(low, dimension), TRUTHS).tolist()
    ends = [_tails(each, method="closest_observation") for each in possible_bits(task, noise, centres)]
    log_margin = np.minimum(_draw(noise)[0], _widest(task, margin))
    margins = Ends(*(margin * np.exp(_tails(log_margin))).tolist())
    # the standard error is itself estimated, from so many splits
    z = float(stdtrit(SPLITS, (1 + LEVEL) / 2))
    truth = None
    if noise.true_dimension:
        lower = min(end[0] for end in ends[1:])
        upper = max(end[1] for end in ends[1:]) if isfinite(high) else inf
        between = Ends(max(low * (1 - z * error), 0.0), high * (1 + z * error))
        truth = Ranges(Ends(float(lower), float(upper)), between, margins)
    return Spread(
        level=LEVEL,
        sd=sqrt(sum(part**2 for part in parts)),
        dimension_sd=parts[0],
        scale_sd=parts[1],
        margin_sd=parts[2],
        radius_sd=parts[3],
        sample=Ranges(
            Ends(*ends[0].tolist()),
            Ends(max(dimension * (1 - z * error), 0.0), dimension * (1 + z * error)),
            margins,
        ),
        truth=truth,
    )


def conventions_range(task: Complexity) -> dict[str, float]:
    """Bits of the same numbers under every convention: a modelling choice, no noise.

    Returns
    -------
    dict of str to float
        log10 bits by the convention's name; −inf for 0 bits.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> mnist = classification(n=60000, radius=17.179045827, dimension=14, classes=10, margin=2.39870848,
    ...                        target_error=0.001)
    >>> found = conventions_range(mnist)
    >>> round(found["half-band"] - found["released"], 2)
    -4.05
    """
    return {name: evaluate(task.family, dict(task.inputs), name).log10_bits for name in CONVENTIONS}


def bits_at(task: Complexity) -> Callable[[float, float], float]:
    """Log10 bits of a task whose margin and dimension are moved.

    Returns
    -------
    callable
        Takes the shift of ln δ and that of m; a dimension below 1 is taken as 1.

    Raises
    ------
    ValueError
        If the family has no sampled margin.
    """
    family = FAMILIES[task.family]
    margin_key, dimension_key = family.sampled_margin, family.sampled_dimension
    if margin_key is None or dimension_key is None:
        raise ValueError(f"the margin of the family '{task.family}' is not sampled")

    def log10_bits(log_margin_shift: float, dimension_shift: float) -> float:
        moved = {
            **task.inputs,
            margin_key: task.inputs[margin_key] * exp(log_margin_shift),
            dimension_key: max(task.inputs[dimension_key] + dimension_shift, 1.0),
        }
        return evaluate(task.family, moved, task.convention).log10_bits

    return log10_bits


def possible_bits(task: Complexity, noise: Noise, dimensions: Sequence[float]) -> list[NDArray[np.float64]]:
    """Log10 bits at possible expectations of margin, radius and dimension, evenly spread over their distribution.

    Parameters
    ----------
    dimensions : sequence of float
        Dimensions that take the place of the estimate; their standard error grows as they do.

    Returns
    -------
    list of ndarray of float64, each of shape (4096,)
        For each dimension; −inf for 0 bits.

    Raises
    ------
    ValueError
        If the family has no sampled margin.
    """
    log10_bits = bits_at(task)
    dimension = task.inputs[FAMILIES[task.family].sampled_dimension or ""]
    log_ratio, standard = _draw(noise)[1:]
    log_ratio = np.minimum(log_ratio, _widest(task, task.inputs[FAMILIES[task.family].sampled_margin or ""]))
    moves = [each * (1 + noise.dimension_error / dimension * standard) - dimension for each in dimensions]
    return tabulated(log10_bits, log_ratio, moves)


def _widest(task: Complexity, margin: float) -> float:
    """How far ln δ can grow: no two points of a ball are further apart than its diameter."""
    radius = task.inputs.get("radius")
    return inf if radius is None else max(0.0, log(2 * radius / margin))


def _draw(noise: Noise) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """What E ln δ and E ln(δ/R) may differ by from the observed ones, and a standard error of the dimension."""
    points = evenly_spread(DRAWS, 7)
    log_margin = -noise.margin.noise(points[:, :3])
    log_ratio = log_margin if noise.radius is None else log_margin - noise.radius.noise(points[:, 3:6])
    return log_margin, log_ratio, stdtrit(SPLITS, points[:, 6])


def _step(before: float, present: float, after: float) -> float:
    """Decades that one standard deviation moves the bits: on one side only where the other ends at 0 bits."""
    moves = [value - present for value in (before, after) if isfinite(value) and isfinite(present)]
    # bits are not monotone in a small dimension, so the two sides must not cancel
    return sqrt(sum(move**2 for move in moves) / len(moves)) if moves else 0.0


def _tails(
    values: NDArray[np.float64], method: Literal["linear", "closest_observation"] = "linear"
) -> NDArray[np.float64]:
    tail = (1 - LEVEL) / 2
    return np.asarray(np.quantile(values, [tail, 1 - tail], method=method))
