"""A8: the closest pair of different classes is a true one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Threshold, Worth, joined

if TYPE_CHECKING:
    from ibc_report.geometry.label_checks import LabelChecks


def _finding(evidence: Evidence) -> str | None:
    facts, found = evidence.facts, evidence.diagnostics
    if facts is None:
        return None
    said = f"Rows with the inputs of a row of another target: {wording.count(facts.conflicting_rows)}."
    if found is None or found.labels is None:
        return said
    return joined(said, *_of_neighbours(found.labels))


def _of_neighbours(labels: LabelChecks) -> Iterator[str]:
    # who prints the ledger needs nothing that measures
    from ibc_report.geometry.assumption_values import are_alone, follow_nothing

    beyond = ", more than touching classes have" if are_alone(labels) else ""
    named = _named(labels.alone, labels.alone_rows)
    yield f"Rows that stand alone among rows of other labels: {wording.count(labels.alone)}{named}{beyond}."
    if labels.near_pairs:
        yield (
            f"Pairs of rows that are nearly the same: {wording.count(labels.near_pairs)}, of which "
            f"{wording.count(labels.near_differing)} differ in their label."
        )
    if follow_nothing(labels):
        yield "Neighbours agree no more often than they would with labels at random."


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
    threshold=Threshold("share of labels that neighbours, or equal rows, contradict", holds=0, violated=0.005),
    doubtful="Some labels are contradicted by the rows around them",
    violated="Many labels are contradicted by the rows around them",
    worth=(
        Worth("without_worst", "without the closest 0.1 % of rows of different classes"),
        Worth("without_pair", "without the closest pair"),
    ),
    of_manifolds=True,
)
