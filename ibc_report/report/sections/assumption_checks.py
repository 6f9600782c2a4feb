"""The number that each verdict hangs on, from the facts and the diagnostics of a set, and what it says in words.

Source of what is measured: the derivation of Boopathy et al., ICML 2023, which names what it assumes.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, sqrt
from typing import TYPE_CHECKING

from ibc_report.common import wording
from ibc_report.complexity import Complexity

if TYPE_CHECKING:
    # who prints the ledger of assumptions needs nothing that measures
    from ibc_report.geometry import Geometry, Norms
    from ibc_report.geometry.diagnostics import Diagnostics
    from ibc_report.geometry.dimension.by_class import ClassSpread
    from ibc_report.geometry.dimension.local_density import Near

__all__ = ["NOT_ON_A_TORUS", "diagnose", "differ_by_class", "is_crowded", "values"]

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
        By assumption, as `ibc_report.report.sections.verdicts.THRESHOLDS` words them, and A11 the degree K, A14 the
        target error. What
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


def diagnose(
    task: Complexity, geometry: Geometry | None = None, diagnostics: Diagnostics | None = None
) -> dict[str, str]:
    """Say what the data tell of each assumption.

    Parameters
    ----------
    task : Complexity
        The bits and their terms.
    geometry : Geometry, optional
        Facts about the data; None for a declared task.
    diagnostics : Diagnostics, optional
        What the neighbour search says beyond them.

    Returns
    -------
    dict of str to str
        One or more sentences by id, for those that something was measured of.
    """
    said = _of_task(task)
    if task.space.kind == "torus":
        said |= dict.fromkeys(
            NOT_ON_A_TORUS, "Does not apply: the inputs lie on a torus, and its resolution is chosen."
        )
    if geometry is not None:
        said |= {id: _joined([said.get(id), more]) for id, more in _of_geometry(geometry).items()}
    if geometry is not None and diagnostics is not None:
        further = _of_diagnostics(geometry, diagnostics)
        said |= {id: _joined([said.get(id), more]) for id, more in further.items() if more}
    return said


def _of_task(task: Complexity) -> dict[str, str]:
    said = {
        "A12": "Nothing in the data tells: it is a choice of the measure.",
        "A13": "Declared: the loss has Lipschitz constant 1 and the outputs are bounded by B = "
        f"{wording.number(task.inputs.get('output_bound', 1))}.",
        "A15": f"Convention '{task.convention}'.",
    }
    if task.space.degree is not None:
        said["A11"] = f"Band limit {wording.number(task.space.band_limit)}, degree {wording.number(task.space.degree)}."
    if task.chance_error is None and "output_bound" in task.inputs:
        said["A14"] = (
            f"Target error {wording.number(task.inputs['target_error'])}, bound of the outputs "
            f"{wording.number(task.inputs['output_bound'])}."
        )
    if task.chance_error is not None:
        said["A14"] = (
            f"Target error {wording.number(task.inputs['target_error'])}, chance {wording.number(task.chance_error)}."
        )
    return said


def _of_geometry(geometry: Geometry) -> dict[str, str]:
    norms = geometry.norms
    said = {}
    if norms.mean > 0:
        said["A1"] = f"The norms vary by {wording.percent(norms.deviation / norms.mean)} of their mean."
        # vectors that an encoder centred have a mean of rounding errors
        off = wording.number(round(norms.centre / norms.mean, 4))
        said["A2"] = f"The mean point lies at {off} of the mean norm from the origin."
    said["A3"] = (
        f"The largest norm is {wording.number(norms.radius / norms.high)} times the 99.9 % quantile of norms."
        if norms.high > 0
        else "The 99.9 % quantile of norms is 0: nearly all rows are at the origin."
    )
    profile = geometry.dimension_profile
    first, last = sorted((min(profile, key=profile.__getitem__), max(profile, key=profile.__getitem__)))
    said["A6"] = (
        f"m is {wording.number(profile[first])} at k = {first} and {wording.number(profile[last])} at k = {last}."
    )
    if geometry.disagreement:
        shares = ", ".join(f"{wording.percent(share)} at k = {k}" for k, share in geometry.disagreement.items())
        said["A7"] = f"Neighbours with another label: {shares}."
        if 1 in geometry.disagreement:
            said["A14"] = f"The nearest neighbour has another label for {wording.percent(geometry.disagreement[1])}."
    said["A8"] = f"Rows with the inputs of a row of another target: {wording.count(geometry.conflicting_rows)}."
    repeated = geometry.equal_rows + geometry.coincident_rows
    said["A10"] = f"Rows that repeat another point: {wording.count(repeated)} of {wording.count(geometry.n)}."
    return said


def _of_diagnostics(geometry: Geometry, diagnostics: Diagnostics) -> dict[str, str]:
    said = {}
    if diagnostics.outlier is not None:
        said["A3"] = f"Without that row among them it is {wording.number(diagnostics.outlier)} times."
    if diagnostics.density_spread is not None:
        said["A4"] = (
            "By the distances of tenth neighbours the density varies by a factor of "
            f"{wording.number(exp(diagnostics.density_spread))} (one standard deviation; edges count as thin places)."
        )
    if diagnostics.dimension_spread is not None:
        said["A5"] = f"1/m varies by {wording.percent(diagnostics.dimension_spread)} of its mean from place to place."
    if diagnostics.class_spread is not None:
        said["A5"] = _joined([said.get("A5"), _by_class(diagnostics.class_spread)])
    if diagnostics.dimension_drift is not None:
        said["A6"] = f"The slope of ln m on ln k is {wording.number(diagnostics.dimension_drift)}."
    if diagnostics.outvoted is not None:
        named = _named(diagnostics.outvoted, diagnostics.outvoted_rows)
        said["A8"] = f"Rows whose ten nearest all have one other label: {wording.count(diagnostics.outvoted)}{named}."
    if diagnostics.margin_slope is not None:
        power = wording.number(round(-diagnostics.margin_slope * geometry.dimension, 2))
        said["A9"] = (
            f"In samples of these rows the margin falls like n to the power "
            f"{wording.number(round(diagnostics.margin_slope, 3))}, so that the bits grow about like n to the power "
            f"{power}; without a margin it would be 2."
        )
    near = diagnostics.near
    if near is not None:
        beyond = "" if is_crowded(near) else ", which chance allows"
        said["A10"] = (
            f"Points with a neighbour that is too near: {wording.count(near.count)}, where an even density has about "
            f"{wording.number(round(near.expected, 1))}{beyond}."
        )
    return said


def _by_class(spread: ClassSpread) -> str:
    chance = "more than chance" if differ_by_class(spread) else "no more than chance allows"
    return f"Between {wording.count(spread.classes)} classes it varies by {wording.percent(spread.spread)}, {chance}."


def _named(count: int, rows: tuple[int, ...]) -> str:
    """Some of the rows that were counted, in brackets."""
    if not rows:
        return ""
    such = "such as " if count > len(rows) else ""
    return f" ({such}row{'s' if len(rows) > 1 else ''} {', '.join(str(row) for row in rows)})"


def _joined(parts: Iterable[str | None]) -> str:
    return " ".join(part for part in parts if part)
