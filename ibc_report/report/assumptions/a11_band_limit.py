"""A11: the true function has no frequency above the band limit."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import NOT_TESTABLE, Assumption, Evidence, Judgement, Worth

TEXT = "degree K: violated below 1, where only constants are left; frequencies above it cannot be tested"


def _judge(_evidence: Evidence, degree: float | None) -> Judgement:
    """It says nothing of frequencies above the band limit, which no data show."""
    return NOT_TESTABLE if degree is None else Judgement("holds" if degree >= 1 else "violated", TEXT)


def _finding(evidence: Evidence) -> str | None:
    space = evidence.task.space
    if space.degree is None:
        return None
    return f"Band limit {wording.number(space.band_limit)}, degree {wording.number(space.degree)}."


ASSUMPTION = Assumption(
    id="A11",
    name="band limit",
    statement="The true function is resolved at the margin: no frequency above 2πR/δ.",
    consequence="The hypothesis space is too large or too small, by decades.",
    finding=_finding,
    value=lambda evidence: evidence.task.space.degree,
    judge=_judge,
    violated="Only constant functions are left at the band limit",
    flag="constants_only",
    worth=(Worth("half_band", "with half the band limit"), Worth("whole_band", "with twice the band limit")),
)
