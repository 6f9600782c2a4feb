"""What would move the bits, and how far: slopes, each input moved by its own uncertainty, and other ways to measure.

Noise and choices are kept apart. A bar is what another sample of the same task could give; a change is what another
decision would give, such as another origin, another feature map or fewer rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import exp, isfinite, pi

import numpy as np
from scipy.special import ndtri

from ibc_report.complexity import FAMILIES, Complexity, Convention, convention_named, evaluate
from ibc_report.complexity.elasticities import Elasticities, elasticities
from ibc_report.complexity.extreme_values import Law, known
from ibc_report.complexity.quadrature import evenly_spread
from ibc_report.complexity.uncertainty import Ends, Noise, Ranges
from ibc_report.geometry.alternatives import Variants
from ibc_report.geometry.feature_maps import FeatureMaps, Measured

__all__ = ["LEVEL", "Bar", "Change", "Sensitivity", "sensitivity"]

LEVEL = 0.95
"""Share of samples that the ends of a noise's bar enclose."""

DRAWS = 4096
"""Points over which the law of an extreme is spread."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The bits when one input moves to either side, the others fixed.

    Parameters
    ----------
    key : str
        "dimension", "scale" and "bias" move the dimension; the others are the input that they move.
    at_low, at_high : float
        Decades by which the bits move there; −inf where they are 0.
    """

    key: str
    low: float
    high: float
    at_low: float
    at_high: float

    @property
    def span(self) -> float:
        """Decades between the lowest and the highest of both ends and the present."""
        return max(self.at_low, self.at_high, 0.0) - min(self.at_low, self.at_high, 0.0)


@dataclass(frozen=True, slots=True)
class Change:
    """The bits under one other decision.

    Parameters
    ----------
    log10_bits : float
        Decimal logarithm of the bits; −inf for 0 bits.
    change : float or None
        Decades from the present; None where either is 0 bits.
    centring : float or None
        Decades of it that centring alone makes, for a feature map that centres.
    """

    key: str
    log10_bits: float
    change: float | None
    centring: float | None = None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What would move the bits of a task.

    Parameters
    ----------
    variants : Variants or None
        The facts taken in other ways; None for a declared task.
    elasticities : Elasticities or None
        Slopes; None at 0 bits.
    bars : tuple of Bar
        Widest first; none at 0 bits.
    """

    task: Complexity
    variants: Variants | None
    elasticities: Elasticities | None
    bars: tuple[Bar, ...]
    changes: tuple[Change, ...]


def sensitivity(
    task: Complexity, variants: Variants | None = None, noise: Noise | None = None, ranges: Ranges | None = None
) -> Sensitivity:
    """Say what would move the bits.

    Parameters
    ----------
    variants : Variants, optional
        The facts taken in other ways; none for a declared task.
    noise : Noise, optional
        How uncertain the inputs are. Without it only the margin has a bar of that kind: it is taken to follow the law
        of a minimum over points that fill the task's dimension.
    ranges : Ranges, optional
        The intervals at this scale as they are stated elsewhere: where bars of the dimension and the margin end.

    Raises
    ------
    InputError
        If the task's convention is not a registered one.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> mnist = classification(n=60000, radius=17.179, dimension=14.247, classes=10, margin=2.3987, target_error=0.001)
    >>> found = sensitivity(mnist, noise=Noise(dimension_error=0.08, scale_sd=0.53, margin=known(14.247)))
    >>> [(bar.key, round(bar.span, 1)) for bar in found.bars]
    [('margin', 2.1), ('scale', 1.0), ('dimension', 0.2), ('target_error', 0.0), ('n', 0.0)]
    >>> {change.key: round(change.change, 2) for change in found.changes}["half_band"]
    -4.12
    """
    noise = noise or Noise(dimension_error=0.0, scale_sd=0.0, margin=known(task.space.dimension))
    bars: list[Bar] = []
    if isfinite(task.log10_bits):
        bars = [_bar(task, key, name, low, high) for key, name, low, high in _moved(task, noise, ranges)]
    return Sensitivity(
        task=task,
        variants=variants,
        elasticities=elasticities(task),
        bars=tuple(sorted(bars, key=lambda bar: -bar.span)),
        changes=tuple(_changes(task, variants, noise.margin)),
    )


def _moved(task: Complexity, noise: Noise, ranges: Ranges | None) -> Iterator[tuple[str, str, float, float]]:
    """Each bar's key, the input that it moves, and where to."""
    family, inputs = FAMILIES[task.family], task.inputs
    upper = (1 + LEVEL) / 2
    wide = float(ndtri(upper))
    if family.sampled_dimension is not None:
        name = family.sampled_dimension
        present = max(inputs[name], 1.0)
        for key, sd in (("dimension", noise.dimension_error), ("scale", noise.scale_sd)):
            if sd:
                ends = Ends(present - wide * sd, present + wide * sd)
                if key == "dimension" and ranges is not None:
                    ends = ranges.dimension
                yield key, name, max(1.0, ends.lower), max(1.0, ends.upper)
        # a bar without an end cannot be drawn; the interval for the true dimension says that it has none
        if noise.true_dimension is not None and isfinite(noise.true_dimension[1]):
            yield "bias", name, max(1.0, noise.true_dimension[0]), max(1.0, noise.true_dimension[1])
    if family.sampled_margin is not None:
        name = family.sampled_margin
        levels = evenly_spread(DRAWS, 3)
        # the expectation lies below what was seen by the law's noise; a maximum is the minimum of the reciprocals
        shifts = [(name, -noise.margin.noise(levels))]
        if noise.radius is not None:
            shifts.append(("radius", noise.radius.noise(levels)))
        for name, shift in shifts:
            low, high = (inputs[name] * np.exp(np.quantile(shift, [1 - upper, upper]))).tolist()
            if name == family.sampled_margin and ranges is not None:
                low, high = ranges.margin.lower, ranges.margin.upper
            yield name, name, low, high
    yield "n", "n", max(1.0, inputs["n"] / 2), 2 * inputs["n"]
    yield "target_error", "target_error", inputs["target_error"] / 2, 2 * inputs["target_error"]


def _bar(task: Complexity, key: str, name: str, low: float, high: float) -> Bar:
    at_low, at_high = (_bits(task, {name: end}) - task.log10_bits for end in (low, high))
    return Bar(key, low, high, at_low, at_high)


def _bits(task: Complexity, moved: Mapping[str, float], convention: Convention | str | None = None) -> float:
    """log10 bits of the task with some inputs moved."""
    return evaluate(task.family, {**task.inputs, **moved}, convention or task.convention).log10_bits


def _changes(task: Complexity, variants: Variants | None, law: Law) -> Iterator[Change]:
    margin = "margin" if "margin" in task.inputs else "resolution"
    if variants is not None:
        thin = variants.thinned
        for key, name, value in (
            ("without_pair", margin, thin.without_pair),
            ("without_worst", margin, thin.without_worst),
            ("quantile", margin, variants.quantile_margin),
            ("next_radius", "radius", variants.next_radius),
            ("mean_norm", "radius", variants.mean_norm),
            ("centred", "radius", variants.centred_radius),
            ("distinct", "n", float(variants.distinct) if variants.distinct < task.inputs["n"] else None),
        ):
            if value:
                yield _change(task, key, _bits(task, {name: value}))
    twice = {"n": 2 * task.inputs["n"]}
    yield _change(task, "twice_fixed", _bits(task, twice))
    if FAMILIES[task.family].sampled_margin is not None:
        # twice the rows are four times the pairs
        expected = task.inputs[margin] * exp(law.shift(1 / 4))
        yield _change(task, "twice_expected", _bits(task, {**twice, margin: expected}))
    yield _change(task, "half_error", _bits(task, {"target_error": task.inputs["target_error"] / 2}))
    yield from _counted_otherwise(task)
    if variants is not None and variants.maps is not None:
        yield from _mapped(task, variants.maps, margin)


def _counted_otherwise(task: Complexity) -> Iterator[Change]:
    """The other way of taking the degree, and the band limit."""
    convention = convention_named(task.convention)
    if task.space.kind == "sphere":
        rounded = not convention.integer_degree
        key = "integer_degree" if rounded else "real_degree"
        yield _change(task, key, _bits(task, {}, replace(convention, integer_degree=rounded)))
    halved = convention.band_factor > pi
    other = replace(convention, band_factor=pi if halved else 2 * pi)
    yield _change(task, "half_band" if halved else "whole_band", _bits(task, {}, other))


def _mapped(task: Complexity, maps: FeatureMaps, margin: str) -> Iterator[Change]:
    """The change that a feature map makes on a sample, carried over to the whole."""

    def bits(seen: Measured, **moved: float) -> float:
        of_sample = {"n": maps.rows, "radius": seen.radius, "dimension": seen.dimension, margin: seen.margin}
        return _bits(task, {**of_sample, **moved})

    before = bits(maps.before)
    centring = bits(maps.before, radius=maps.centred_radius) - before if maps.centred_radius > 0 else None
    if not isfinite(before) or not isfinite(task.log10_bits):
        return
    for key, seen in (("standardised", maps.standardised), ("halved", maps.halved)):
        if seen is not None:
            found = _change(task, key, task.log10_bits + bits(seen) - before)
            yield replace(found, centring=centring if centring is not None and isfinite(centring) else None)


def _change(task: Complexity, key: str, log10_bits: float) -> Change:
    change = log10_bits - task.log10_bits if isfinite(log10_bits) and isfinite(task.log10_bits) else None
    return Change(key, log10_bits, change)
