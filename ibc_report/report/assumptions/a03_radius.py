"""A3: the largest norm is the radius."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Judgement, Threshold, Worth, joined

THRESHOLD = Threshold("largest norm over the 99.9 % quantile of the others", holds=1.5, violated=3)


def _judge(evidence: Evidence, ratio: float | None) -> Judgement:
    """Where the quantile is 0 there is no ratio, and the rows that are not at the origin set the radius."""
    facts = evidence.facts
    if ratio is None and facts is not None and facts.norms.high == 0 < facts.norms.radius:
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
    if found is None or found.outlier is None:
        return first
    return joined(first, f"Without that row among them it is {wording.number(found.outlier)} times.")


ASSUMPTION = Assumption(
    id="A3",
    name="radius",
    statement="The largest norm is the radius.",
    consequence="One outlier sets the value.",
    finding=_finding,
    measured_by="outlier",
    threshold=THRESHOLD,
    judge=_judge,
    doubtful="One row may set the radius",
    violated="One row sets the radius",
    worth=(Worth("next_radius", "without the row of the largest norm"),),
    of_manifolds=True,
)
