"""A10: the rows are independent, and train and test are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Measure, Threshold, Worth, joined

if TYPE_CHECKING:
    from ibc_report.geometry.dimension.local_density import Near
    from ibc_report.geometry.row_order import RowOrder


def _value(evidence: Evidence) -> float | None:
    repeated = evidence.measured("repeated_rows")
    return max(evidence.leaked, repeated or 0.0) if evidence.leaked else repeated


def _finding(evidence: Evidence) -> str | None:
    facts, found = evidence.facts, evidence.diagnostics
    said = near = leaked = order = None
    if facts is not None:
        repeated = facts.equal_rows + facts.coincident_rows
        said = f"Rows that repeat another point: {wording.count(repeated)} of {wording.count(facts.n)}."
        near = None if found is None or found.near is None else _near(found.near)
        order = None if found is None or found.order is None else _order(found.order, evidence)
    if evidence.leaked:
        leaked = f"Of the test rows {wording.proportion(evidence.leaked, 1)} repeat a training row, or nearly do."
    return joined(said, near, leaked, order)


def _near(near: Near) -> str:
    # who prints the ledger needs nothing that measures
    from ibc_report.geometry.assumption_values import is_crowded

    beyond = "" if is_crowded(near) else ", which chance allows"
    return (
        f"Points with a neighbour that is too near: {wording.count(near.count)}, where an even density has about "
        f"{wording.number(round(near.expected, 1))}{beyond}."
    )


def _order(order: RowOrder, evidence: Evidence) -> str:
    """What the order of rows tells, and of which part of them; of sorted rows by what."""
    shares = [wording.percent(count / order.pairs) for count in (order.next.count, order.next.expected)]
    first = (
        f"Of the rows and their nearest neighbours {shares[0]} stand next to one another, where shuffling each class "
        f"gives {shares[1]}"
    )
    if order.sorted_by is not None:
        column = "the target" if order.sorted_by == "target" else evidence.names.feature(order.sorted_by)
        return f"{first}; the rows are sorted by {column}, so that their order tells nothing of how they were drawn."
    if not order.dependence:
        return f"{first}; their order tells no more of the rows than chance."
    return f"{first}. {_strongest(order, evidence)}"


def _strongest(order: RowOrder, evidence: Evidence) -> str:
    """The plainest sign of dependence, and the part of the rows in which it is."""
    close = order.next if order.strongest == "next" else order.within
    shares = [wording.percent(count / order.pairs) for count in (close.count, close.expected)]
    told = {
        "next": "The rows are in an order in which neighbours follow one another",
        "within": f"Within ten rows of one another stand {shares[0]} of them, where shuffling gives {shares[1]}",
        "drift": f"The inputs drift along the file: they correlate with the position at {wording.number(order.drift)}",
        "feature": "The inputs drift along the file",
        "alike": f"Rows that follow one another are alike: a serial correlation of {wording.number(order.alike)}",
    }[order.strongest]
    if order.strongest == "alike" and order.alike < 0:
        told = f"Rows that follow one another are unlike: a serial correlation of {wording.number(order.alike)}"
    # features of a random projection have neither names nor numbers
    projected = evidence.facts is not None and evidence.facts.distortion is not None
    feature = "" if order.feature is None or projected else f"; {evidence.names.feature(order.feature)} drifts most"
    rows = f"rows {order.rows[0]} to {order.rows[1]}"
    split = f" of the split {evidence.names.split}" if evidence.names.split else ""
    part = "" if order.label is None else f" Most of it is in {evidence.names.label(order.label)} ({rows}{split})."
    return f"{told}{feature}.{part}"


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
    further=(
        Measure(
            "serial_dependence",
            Threshold("what the order of rows tells of them beyond chance, from 0 to 1", holds=0.01, violated=0.1),
            doubtful="The order of the rows tells a little of them",
            violated="The order of the rows tells much of them",
        ),
    ),
    worth=(Worth("distinct", "with the distinct rows counted only"),),
)
