"""A1: each class lies on a sphere."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Measure, Threshold, Worth, joined


def _finding(evidence: Evidence) -> str | None:
    facts = evidence.facts
    if facts is None or facts.norms.mean == 0:
        return None
    norms = f"The norms vary by {wording.percent(facts.norms.deviation / facts.norms.mean)} of their mean."
    return joined(norms, _pieces(evidence))


def _pieces(evidence: Evidence) -> str | None:
    """Which class lies in how many pieces; nothing where each lies in one."""
    found = None if evidence.diagnostics is None else evidence.diagnostics.pieces
    if found is None or found.most < 2:
        return None
    one = evidence.names.label(found.label) if evidence.facts and evidence.facts.class_counts else "the set"
    of_all = f", and {wording.percent(found.share)} of the rows are of classes in several" if found.classes > 1 else ""
    return f"In the graph of its nearest neighbours {one} lies in {wording.count(found.most)} pieces{of_all}."


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
    further=(
        Measure(
            "rows_in_pieces",
            Threshold("share of rows of classes in several pieces", holds=0.05, violated=0.5),
            doubtful="Some classes lie in several pieces, and no sphere is",
            violated="The classes lie in several pieces, and no sphere is",
        ),
    ),
    worth=(Worth("mean_norm", "with the mean norm as the radius"),),
    of_manifolds=True,
)
