"""A9: the smallest distance seen is the population's."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Threshold, Worth


def _finding(evidence: Evidence) -> str | None:
    facts, found = evidence.facts, evidence.diagnostics
    if facts is None or found is None or found.margin_slope is None:
        return None
    slope = wording.number(round(found.margin_slope, 3))
    power = wording.number(round(-found.margin_slope * facts.dimension, 2))
    return (
        f"In samples of these rows the margin falls like n to the power {slope}, so that the bits grow about like n to "
        f"the power {power}; without a margin it would be 2."
    )


ASSUMPTION = Assumption(
    id="A9",
    name="sampled margin",
    statement="The smallest distance seen is the population's.",
    consequence="The margin falls, and the bits grow about like n².",
    finding=_finding,
    measured_by="margin_power",
    threshold=Threshold("power of n by which the bits grow as the margin falls", holds=0.5, violated=1),
    doubtful="The margin falls as rows are added",
    violated="The margin falls fast as rows are added",
    worth=(Worth("twice_expected", "with twice the rows"),),
    of_manifolds=True,
)
