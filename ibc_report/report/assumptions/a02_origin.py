"""A2: the spheres are centred at the origin."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Threshold, Worth


def _finding(evidence: Evidence) -> str | None:
    value = evidence.measured("off_centre")
    if value is None:
        return None
    # vectors that an encoder centred have a mean of rounding errors
    off = wording.number(round(value, 4))
    return f"The mean point lies at {off} of the mean norm from the origin."


ASSUMPTION = Assumption(
    id="A2",
    name="origin",
    statement="The spheres are centred at the origin of the features.",
    consequence="The value changes when all inputs are shifted.",
    finding=_finding,
    measured_by="off_centre",
    threshold=Threshold("distance of the mean point from the origin over the mean norm", holds=0.1, violated=0.5),
    doubtful="The value depends in part on where the origin is",
    violated="The value depends on where the origin is",
    worth=(Worth("centred", "with the radius around the mean point"),),
    of_manifolds=True,
)
