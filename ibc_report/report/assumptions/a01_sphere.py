"""A1: each class lies on a sphere."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Threshold, Worth


def _finding(evidence: Evidence) -> str | None:
    facts = evidence.facts
    if facts is None or facts.norms.mean == 0:
        return None
    return f"The norms vary by {wording.percent(facts.norms.deviation / facts.norms.mean)} of their mean."


ASSUMPTION = Assumption(
    id="A1",
    name="sphere",
    statement="Each class lies on an m-dimensional sphere, all of one radius R.",
    consequence="R, and with it the band limit, is arbitrary.",
    finding=_finding,
    measured_by="norm_spread",
    threshold=Threshold("standard deviation of the norms over their mean", holds=0.05, violated=0.3),
    doubtful="A sphere is a rough picture of these inputs",
    violated="These inputs lie on no sphere",
    worth=(Worth("mean_norm", "with the mean norm as the radius"),),
    of_manifolds=True,
)
