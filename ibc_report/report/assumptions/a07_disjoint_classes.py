"""A7: classes lie apart."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Threshold, Worth


def _finding(evidence: Evidence) -> str | None:
    facts = evidence.facts
    if facts is None or not facts.disagreement:
        return None
    shares = ", ".join(f"{wording.percent(share)} at k = {k}" for k, share in facts.disagreement.items())
    return f"Neighbours with another label: {shares}."


ASSUMPTION = Assumption(
    id="A7",
    name="disjoint classes",
    statement="Classes lie on disjoint manifolds.",
    consequence="The margin tends to 0 with more data.",
    finding=_finding,
    measured_by="nearest_disagreement",
    threshold=Threshold("share of points whose nearest neighbour has another label", holds=0.01, violated=0.1),
    doubtful="Classes touch in places",
    violated="Classes touch",
    worth=(Worth("quantile", "with the 0.1 % quantile of the distances to another class as the margin"),),
    of_manifolds=True,
)
