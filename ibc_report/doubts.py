"""What is doubtful about a number on these data, a sentence each."""

from __future__ import annotations

from collections.abc import Sequence

from ibc_report import calibration, wording
from ibc_report.complexity import Complexity
from ibc_report.examples import Examples
from ibc_report.geometry import Geometry
from ibc_report.geometry.reduction import REDUCED_FEATURES
from ibc_report.records.evaluation import EvaluationRecord
from ibc_report.records.ledger import AssumptionRecord

__all__ = ["of"]

DRIFT = 0.15
"""A dimension that drifts by more than this share over scales is doubtful."""

OUTLIER = 1.2
"""A largest norm beyond this multiple of the 99.9 % quantile is one row's doing."""

OFF_CENTRE = 0.1
"""A mean point further from the origin than this share of the mean norm makes the origin matter."""

MANY_CLASSES = 20
"""Whole numbers with more values than this may be counts, not labels."""

INTERVALS = {
    "m, this scale": "interval of the dimension at this scale",
    "δ": "interval of the margin",
    "bits, this scale": "interval of the bits at this scale",
    "m, true": "interval of the true dimension",
    "bits, true": "interval of the bits for the true dimension",
}
"""The intervals whose coverage was counted."""

FEW_ROWS = 500
"""Rows of the smallest tasks on which the intervals were calibrated."""

LOST = 0.01
"""More lost rows than this share may bias what is left."""


def of(
    task: Complexity,
    geometry: Geometry | None,
    examples: Examples | None,
    ledger: Sequence[AssumptionRecord] = (),
    tested: EvaluationRecord | None = None,
) -> tuple[str, ...]:
    """Say what is doubtful.

    Parameters
    ----------
    task : Complexity
        The bits and their flags.
    geometry, examples : Geometry, Examples or None
        What they were measured on; None for a declared task.
    ledger : sequence of AssumptionRecord
        The assumptions with their verdicts.
    tested : EvaluationRecord, optional
        What the test split can tell.

    Returns
    -------
    tuple of str
    """
    said = [flag.text for flag in task.flags]
    if geometry is None or examples is None:
        return (*said, "The inputs are declared, not measured: nothing here was checked on data.")
    said += tested.warnings if tested is not None else _given_away(examples)
    violated = [f"{entry.id} ({entry.name})" for entry in ledger if entry.verdict == "violated"]
    if violated:
        said.append(f"Assumptions that these data violate: {', '.join(violated)}; what each is worth is in the ledger.")
    if geometry.n < FEW_ROWS:
        said.append(
            f"{wording.count(geometry.n)} rows are few: the intervals were calibrated on {FEW_ROWS} rows and more."
        )
    said += _of_geometry(geometry)
    said += [_shortfall(region) for region in calibration.shortfalls(geometry.dimension, geometry.n)]
    if examples.counted and len(examples.names) > MANY_CLASSES:
        said.append(
            f"The whole numbers of '{examples.target}' were taken as {len(examples.names)} classes; --kind values "
            "regresses on them instead."
        )
    if 1 in geometry.disagreement and geometry.disagreement[1] > task.inputs["target_error"]:
        said.append(
            f"The nearest neighbour has another label for {wording.percent(geometry.disagreement[1])} of the points, "
            f"more than the target error of {wording.percent(task.inputs['target_error'])}: these features may not "
            "allow that target."
        )
    lost = sum(dropped.count for dropped in examples.dropped)
    if lost > LOST * examples.rows_read:
        said.append(f"Rows that could not be used: {wording.count(lost)} of {wording.count(examples.rows_read)}.")
    said += examples.encoded.notes
    return tuple(said)


def _given_away(examples: Examples) -> list[str]:
    """That an input tells the target by itself."""
    # it brings more of scipy, which is wanted on cards only
    from ibc_report.evaluation.giveaways import giveaways, said

    found = giveaways(examples)
    return [said(found, is_class=examples.codes is not None)] if found else []


def _shortfall(region: calibration.Region) -> str:
    """That an interval was found too narrow where the truth is known."""
    return (
        f"On synthetic tasks of about this dimension and size the {INTERVALS[region.interval]} covered the truth in "
        f"{wording.percent(region.covered)} of draws, not in the {wording.percent(region.promised)} that it promises."
    )


def _of_geometry(geometry: Geometry) -> list[str]:
    said = []
    profile = geometry.dimension_profile
    ends = sorted((min(profile, key=profile.__getitem__), max(profile, key=profile.__getitem__)))
    drift = abs(profile[ends[0]] - profile[ends[1]]) / geometry.dimension
    if drift > DRIFT:
        said.append(
            f"The intrinsic dimension depends on the scale: {wording.number(profile[ends[0]])} at k = {ends[0]}, "
            f"{wording.number(profile[ends[1]])} at k = {ends[1]}."
        )
    if geometry.queries is not None:
        seen = " The margin is the smallest distance seen from them; the closest pair of all may be closer."
        said.append(
            f"Only {wording.count(geometry.queries)} of {wording.count(geometry.distinct)} points were asked for their "
            f"neighbours, chosen by a hash of (seed, row).{'' if geometry.margin_is_exact else seen}"
        )
    if geometry.distortion is not None:
        said.append(
            f"The {wording.count(geometry.features)} features were projected at random to "
            f"{wording.count(REDUCED_FEATURES)}: with probability 1 − 1/n no squared distance changes by more than "
            f"{wording.percent(geometry.distortion)}; the margin is a distance of projected points too."
        )
    norms = geometry.norms
    if norms.high == 0:
        said.append(f"One row sets the radius, row {norms.radius_row}: nearly all others are at the origin.")
    elif norms.radius > OUTLIER * norms.high:
        said.append(
            f"One row sets the radius: the norm of row {norms.radius_row} is "
            f"{wording.number(norms.radius / norms.high)} times the 99.9 % quantile."
        )
    if norms.centre > OFF_CENTRE * norms.mean:
        said.append(
            f"The mean point lies {wording.number(norms.centre / norms.mean)} mean norms from the origin, so the value "
            "depends on where the origin is."
        )
    repeated = geometry.equal_rows + geometry.coincident_rows
    if repeated:
        said.append(
            f"Rows that repeat another point: {wording.count(repeated)} ({wording.count(geometry.equal_rows)} equal, "
            f"{wording.count(geometry.coincident_rows)} equal only to the encoder). n counts them, m does not."
        )
    if geometry.conflicting_rows:
        some = ", ".join(str(row) for row in geometry.conflicting_examples)
        said.append(
            "Rows that have the inputs of a row with another target: "
            f"{wording.count(geometry.conflicting_rows)}, such as rows {some}. They are left out of the margin."
        )
    return said
