"""A16: Euclidean distance between these features means something for the task."""

from __future__ import annotations

from ibc_report.report.assumptions.assumption import Assumption, Evidence, Threshold, Worth


def _value(evidence: Evidence) -> float | None:
    moved = ASSUMPTION.change(evidence)
    return None if moved is None else abs(moved[0])


def _finding(evidence: Evidence) -> str | None:
    moved = ASSUMPTION.change(evidence)
    return None if moved is None else f"Another feature map moves the bits by {moved[1]}."


ASSUMPTION = Assumption(
    id="A16",
    name="features",
    statement="Euclidean distance between these features means something for the task.",
    consequence="The value is one of the feature map, not of the task.",
    finding=_finding,
    value=_value,
    threshold=Threshold("decades that another feature map moves the bits", holds=1, violated=3),
    doubtful="Other features give another number",
    violated="Other features give a very different number",
    worth=(Worth("standardised", "with standardised features"), Worth("halved", "with half of the features, by PCA")),
)
