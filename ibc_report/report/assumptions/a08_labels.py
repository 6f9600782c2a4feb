"""A8: the closest pair of different classes is a true one."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Threshold, Worth, joined


def _finding(evidence: Evidence) -> str | None:
    facts, found = evidence.facts, evidence.diagnostics
    if facts is None:
        return None
    said = f"Rows with the inputs of a row of another target: {wording.count(facts.conflicting_rows)}."
    if found is None or found.outvoted is None:
        return said
    named = _named(found.outvoted, found.outvoted_rows)
    return joined(said, f"Rows whose ten nearest all have one other label: {wording.count(found.outvoted)}{named}.")


def _named(count: int, rows: tuple[int, ...]) -> str:
    """Some of the rows that were counted, in brackets."""
    if not rows:
        return ""
    such = "such as " if count > len(rows) else ""
    return f" ({such}row{'s' if len(rows) > 1 else ''} {', '.join(str(row) for row in rows)})"


ASSUMPTION = Assumption(
    id="A8",
    name="labels",
    statement="The closest pair of different classes is a true one.",
    consequence="A single wrong label can add decades of bits.",
    finding=_finding,
    measured_by="contradicted_labels",
    threshold=Threshold("share of rows that their ten nearest, or equal rows, contradict", holds=0, violated=0.005),
    doubtful="Some labels are contradicted by the rows around them",
    violated="Many labels are contradicted by the rows around them",
    worth=(
        Worth("without_worst", "without the closest 0.1 % of rows of different classes"),
        Worth("without_pair", "without the closest pair"),
    ),
    of_manifolds=True,
)
