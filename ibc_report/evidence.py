"""The number that each verdict hangs on, from the facts and the diagnostics of a set.

Source of what is measured: the derivation of Boopathy et al., ICML 2023, which names what it assumes.
"""

from __future__ import annotations

from math import sqrt

from ibc_report.complexity import Complexity
from ibc_report.geometry import Geometry, Norms
from ibc_report.geometry.crowding import Near
from ibc_report.geometry.diagnostics import Diagnostics
from ibc_report.geometry.heterogeneity import ClassSpread

__all__ = ["NOT_ON_A_TORUS", "differ_by_class", "is_crowded", "values"]

NOT_ON_A_TORUS = ("A1", "A2", "A3", "A7", "A8", "A9")
"""Assumptions about spheres, classes and margins."""

SIGNIFICANT = 1e-3
"""Probability below which a difference is not chance: of sixteen checks, one in sixty would be wrong."""


def values(task: Complexity, geometry: Geometry | None, diagnostics: Diagnostics | None) -> dict[str, float]:
    """Collect the values that verdicts hang on.

    Parameters
    ----------
    task : Complexity
        The bits and their terms.
    geometry : Geometry or None
        Facts about the data; None for a declared task.
    diagnostics : Diagnostics or None
        What the neighbour search says beyond them; None where it was not examined.

    Returns
    -------
    dict of str to float
        By assumption, as `ibc_report.verdicts.THRESHOLDS` words them, and A11 the degree K, A14 the target error. What
        these data do not tell is missing.
    """
    found: dict[str, float | None] = {"A14": task.inputs.get("target_error")}
    if task.space.degree is not None:
        found["A11"] = task.space.degree
    if geometry is not None:
        found["A1"] = _ratio(geometry.norms.deviation, geometry.norms.mean)
        found["A2"] = _off_centre(geometry.norms, geometry.n)
        found["A7"] = geometry.disagreement.get(1)
        found["A10"] = (geometry.n - geometry.distinct) / geometry.n
    if diagnostics is not None:
        found["A3"] = diagnostics.outlier
        found["A4"] = diagnostics.density_spread
        found["A5"] = _dimension(diagnostics)
        found["A6"] = None if diagnostics.dimension_drift is None else abs(diagnostics.dimension_drift)
    if geometry is not None and diagnostics is not None:
        # without votes there is no telling that no label is wrong, but contradictions tell that some are
        if diagnostics.outvoted is not None or geometry.conflicting_rows:
            votes = (diagnostics.outvoted or 0) / diagnostics.asked
            found["A8"] = votes + geometry.conflicting_rows / geometry.n
        if diagnostics.margin_slope is not None:
            found["A9"] = max(0.0, -diagnostics.margin_slope * geometry.dimension)
        if diagnostics.near is not None and is_crowded(diagnostics.near):
            # both points of a near pair are counted, and one of them repeats the other
            share = (diagnostics.near.count - diagnostics.near.expected) / 2 / diagnostics.asked
            found["A10"] = (geometry.n - geometry.distinct * (1 - share)) / geometry.n
    if task.space.kind == "torus":
        found |= dict.fromkeys(NOT_ON_A_TORUS)
    return {id: value for id, value in found.items() if value is not None}


def is_crowded(near: Near | None) -> bool:
    """Say whether more points than chance allows have a neighbour that is too near.

    Parameters
    ----------
    near : Near or None
        How many there are.

    Returns
    -------
    bool
    """
    return near is not None and near.probability < SIGNIFICANT


def differ_by_class(spread: ClassSpread | None) -> bool:
    """Say whether the dimension differs by class beyond its noise.

    Parameters
    ----------
    spread : ClassSpread or None
        The dimension by class.

    Returns
    -------
    bool
    """
    return spread is not None and spread.probability < SIGNIFICANT


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _off_centre(norms: Norms, n: int) -> float | None:
    """Distance of the mean from the origin over the mean norm, without what the mean of n points has by chance."""
    if norms.mean == 0:
        return None
    chance = (norms.mean**2 + norms.deviation**2 - norms.centre**2) / max(1, n - 1)
    return sqrt(max(0.0, norms.centre**2 - chance)) / norms.mean


def _dimension(diagnostics: Diagnostics) -> float | None:
    """The spread over places, or that over classes where it is larger and no chance."""
    spread = diagnostics.dimension_spread
    classes = diagnostics.class_spread
    if spread is None or classes is None or not differ_by_class(classes):
        return spread
    return max(spread, classes.spread)
