"""A3: the largest norm is the radius."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Judgement, Threshold, Worth, joined

if TYPE_CHECKING:
    from ibc_report.geometry.far_rows import FarRows

THRESHOLD = Threshold("largest norm over that of the rows that the law of the norms allows", holds=1.2, violated=2)

MOST_NAMED = 6
"""Rows that are named."""


def _judge(evidence: Evidence, ratio: float | None) -> Judgement:
    """Where the quantile is 0 the rows that are not at the origin set the radius, whatever their law."""
    facts = evidence.facts
    if facts is not None and facts.norms.high == 0 < facts.norms.radius:
        return Judgement("violated", THRESHOLD.text)
    return THRESHOLD.judge(ratio)


def _finding(evidence: Evidence) -> str | None:
    if evidence.facts is None:
        return None
    norms, found = evidence.facts.norms, evidence.diagnostics
    if norms.high == 0:
        first = "The 99.9 % quantile of norms is 0: nearly all rows are at the origin."
    else:
        first = f"The largest norm is {wording.number(norms.radius / norms.high)} times the 99.9 % quantile of norms."
    far = None if found is None else found.far
    return joined(first, None if far is None or norms.high == 0 else _far(far))


def _far(far: FarRows) -> str:
    if not far.count:
        return "No row is further out than the law of the others allows."
    named = ", ".join(map(str, far.rows[:MOST_NAMED]))
    rows = f"{'row' if far.count == 1 else 'rows'} {named}{', …' if far.count > MOST_NAMED else ''}"
    return (
        f"Rows further out than the law of the others allows: {wording.count(far.count)} ({rows}); the largest norm is "
        f"{wording.number(far.factor)} times that of the others."
    )


ASSUMPTION = Assumption(
    id="A3",
    name="radius",
    statement="The largest norm is the radius.",
    consequence="One outlier sets the value.",
    finding=_finding,
    measured_by="outlier",
    threshold=THRESHOLD,
    judge=_judge,
    doubtful="Few rows may set the radius",
    violated="Few rows set the radius",
    worth=(Worth("next_radius", "without the rows furthest out"),),
    of_manifolds=True,
)
