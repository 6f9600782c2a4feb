"""A6: the intrinsic dimension does not depend on the scale."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Threshold, joined


def _finding(evidence: Evidence) -> str | None:
    facts, found = evidence.facts, evidence.diagnostics
    if facts is None:
        return None
    profile = facts.dimension_profile
    first, last = sorted((min(profile, key=profile.__getitem__), max(profile, key=profile.__getitem__)))
    said = f"m is {wording.number(profile[first])} at k = {first} and {wording.number(profile[last])} at k = {last}."
    if found is None or found.dimension_drift is None:
        return said
    return joined(said, f"The slope of ln m on ln k is {wording.number(found.dimension_drift)}.")


ASSUMPTION = Assumption(
    id="A6",
    name="scale",
    statement="The estimate of m does not depend on the neighbourhood size.",
    consequence="The value depends on the scale that k picks.",
    finding=_finding,
    measured_by="dimension_drift",
    threshold=Threshold("size of the slope of ln m on ln k", holds=0.1, violated=0.2),
    doubtful="The intrinsic dimension depends on the scale",
    violated="The intrinsic dimension depends strongly on the scale",
)
