"""A10: the rows are independent, and train and test are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Threshold, Worth, joined

if TYPE_CHECKING:
    from ibc_report.geometry.dimension.local_density import Near


def _value(evidence: Evidence) -> float | None:
    repeated = evidence.measured("repeated_rows")
    return max(evidence.leaked, repeated or 0.0) if evidence.leaked else repeated


def _finding(evidence: Evidence) -> str | None:
    facts, found = evidence.facts, evidence.diagnostics
    said = near = leaked = None
    if facts is not None:
        repeated = facts.equal_rows + facts.coincident_rows
        said = f"Rows that repeat another point: {wording.count(repeated)} of {wording.count(facts.n)}."
        near = None if found is None or found.near is None else _near(found.near)
    if evidence.leaked:
        leaked = f"Of the test rows {wording.proportion(evidence.leaked, 1)} repeat a training row, or nearly do."
    return joined(said, near, leaked)


def _near(near: Near) -> str:
    # who prints the ledger needs nothing that measures
    from ibc_report.geometry.assumption_values import is_crowded

    beyond = "" if is_crowded(near) else ", which chance allows"
    return (
        f"Points with a neighbour that is too near: {wording.count(near.count)}, where an even density has about "
        f"{wording.number(round(near.expected, 1))}{beyond}."
    )


ASSUMPTION = Assumption(
    id="A10",
    name="independence",
    statement="The n rows are independent, and train and test are alike.",
    consequence="The data fix less than n says.",
    finding=_finding,
    measured_by="repeated_rows",
    value=_value,
    threshold=Threshold("share of rows that repeat another one, or nearly do", holds=0.01, violated=0.1),
    doubtful="Some rows repeat others",
    violated="Many rows repeat others",
    worth=(Worth("distinct", "with the distinct rows counted only"),),
)
