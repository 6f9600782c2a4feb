"""A report's task at another number of points and another target error, so that two can be compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import wording
from ibc_report.complexity import FAMILIES, Complexity, evaluate
from ibc_report.complexity.extreme_values import known
from ibc_report.complexity.uncertainty import Noise
from ibc_report.report.schema.document import ReportDocument
from ibc_report.report.schema.sections import DriftRecord
from ibc_report.report.sections import uncertainty

__all__ = ["Matched", "matched"]


@dataclass(frozen=True, slots=True)
class Matched:
    """A task at a common n and target error.

    Parameters
    ----------
    noise : Noise or None
        Of its numbers there; None for chosen inputs.
    how : str
        How it was brought there, in words.
    notes : tuple of str
        What had to be supposed, a sentence each.
    """

    task: Complexity
    noise: Noise | None
    how: str
    notes: tuple[str, ...]


def matched(report: ReportDocument, n: float, target_error: float) -> Matched:
    """Bring a report's task to another n and target error.

    Parameters
    ----------
    n : float
        At most that of the report.

    Returns
    -------
    Matched
        By interpolation between the subsamples of the report, and below the smallest of them by the law of extremes, by
        which ln δ grows by (2/κ)·ln(n/n′), and the dimension stays.
    """
    found = evaluate(report.family, {**report.inputs, "target_error": target_error}, report.convention)
    noise, notes = _noise(report, found)
    own = report.inputs["n"]
    if n == own:
        return Matched(found, noise, f"as measured, at n = {wording.number(n)}", notes)
    family = FAMILIES[report.family]
    if noise is None or family.sampled_margin is None or family.sampled_dimension is None:
        moved = evaluate(report.family, {**found.inputs, "n": n}, report.convention)
        return Matched(moved, None, f"the bound at n = {wording.number(n)}; its resolution is a choice", notes)
    pairs, points = (own / n) ** 2, own / n
    moved_noise = replace(
        noise,
        dimension_error=noise.dimension_error * sqrt(points),
        margin=noise.margin.at(pairs),
        radius=None if noise.radius is None else noise.radius.at(points),
    )
    drift = () if report.certainty is None else report.certainty.drift
    inputs = found.inputs
    whole = (own, inputs["radius"], inputs[family.sampled_dimension], inputs[family.sampled_margin])
    rows = _rows(drift, whole)
    least = float(rows[0, 0])
    radius, dimension, margin = _interpolated(rows, max(n, least))
    if n >= least:
        how = f"by subsampling, from n = {wording.number(own)} to {wording.number(n)}"
    else:
        further = noise.margin.at((own / least) ** 2).shift((least / n) ** 2)
        if noise.radius is not None:
            radius *= exp(-noise.radius.at(own / least).shift(least / n))
        # no two points of a ball are further apart than its diameter
        margin = exp(min(log(margin) + further, log(2 * radius)))
        how = f"by the law of extremes, from n = {wording.number(least)} to {wording.number(n)}"
        if least < own:
            how = f"by subsampling from n = {wording.number(own)} to {wording.number(least)}, then {how}"
    changed = {"radius": radius, family.sampled_dimension: dimension, family.sampled_margin: margin}
    moved = evaluate(report.family, {**inputs, **changed, "n": n}, report.convention)
    return Matched(moved, moved_noise, how, notes)


def _noise(report: ReportDocument, found: Complexity) -> tuple[Noise | None, tuple[str, ...]]:
    """The noise of a report's numbers, and what had to be supposed of it."""
    if report.certainty is not None:
        noise = report.certainty.noise
        if noise is None:
            return None, (f"The inputs of {report.name} are choices, so it has no noise.",)
        if report.data is None:
            return uncertainty.noise_of(noise), (_supposed(report, found),)
        return uncertainty.noise_of(noise), ()
    supposed = uncertainty.declared(found)
    if supposed is None:
        return None, (f"The inputs of {report.name} are choices, so it has no noise.",)
    if report.data is None:
        return supposed, (_supposed(report, found),)
    dimension = found.space.dimension
    return Noise(0.0, 0.0, known(dimension)), (
        f"{report.name} has no section on certainty: the noise of its margin is that of points which fill "
        f"{wording.number(dimension)} dimensions, and the error of its dimension is left out. Measuring it again gives "
        "both.",
    )


def _supposed(report: ReportDocument, found: Complexity) -> str:
    return (
        f"{report.name} is declared, not measured: the noise of its margin is that of points which fill "
        f"{wording.number(found.space.dimension)} dimensions, and of its dimension that of rounding."
    )


def _rows(drift: tuple[DriftRecord, ...], whole: tuple[float, float, float, float]) -> NDArray[np.float64]:
    """N, radius, dimension and margin of subsamples and of the whole, by growing n."""
    parts = [(row.n, row.radius, row.dimension, row.margin) for row in drift if row.n < whole[0]]
    return np.array(sorted([*parts, whole]))


def _interpolated(rows: NDArray[np.float64], n: float) -> tuple[float, float, float]:
    """Radius, dimension and margin at n, between those of subsamples and of the whole."""
    radius, dimension, margin = (
        np.exp(np.interp(log(n), np.log(rows[:, 0]), np.log(rows[:, column]))) for column in (1, 2, 3)
    )
    return float(radius), float(dimension), float(margin)
