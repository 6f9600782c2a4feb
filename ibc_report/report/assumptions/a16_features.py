"""A16: Euclidean distance between these features means something for the task."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Measure, Threshold, Worth, joined


def _value(evidence: Evidence) -> float | None:
    moved = ASSUMPTION.change(evidence)
    return None if moved is None else abs(moved[0])


def _finding(evidence: Evidence) -> str | None:
    moved = ASSUMPTION.change(evidence)
    return joined(None if moved is None else f"Another feature map moves the bits by {moved[1]}.", _widest(evidence))


def _widest(evidence: Evidence) -> str | None:
    """The feature that makes most of the distances; nothing where it is of the scale of the others."""
    if not evidence.measured("widest_share") or evidence.diagnostics is None or evidence.diagnostics.widest is None:
        return None
    widest = evidence.diagnostics.widest
    name = evidence.names.feature(widest.position)
    return (
        f"Of the mean squared distance {name} makes {wording.percent(widest.share)}; it varies "
        f"{wording.number(widest.times)} times as much as the median one of the others."
    )


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
    further=(
        Measure(
            "widest_share",
            Threshold(
                "share of the mean squared distance made by one feature ten times as wide as the others",
                holds=0.5,
                violated=0.9,
            ),
            doubtful="One feature makes most of the distances",
            violated="One feature makes nearly all of the distances",
        ),
    ),
    worth=(Worth("standardised", "with standardised features"), Worth("halved", "with half of the features, by PCA")),
)
