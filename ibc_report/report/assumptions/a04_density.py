"""A4: inputs are spread evenly."""

from __future__ import annotations

from math import exp

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Threshold


def _finding(evidence: Evidence) -> str | None:
    found = evidence.diagnostics
    if evidence.facts is None or found is None or found.density_spread is None:
        return None
    return (
        "By the distances of tenth neighbours the density varies by a factor of "
        f"{wording.number(exp(found.density_spread))} (one standard deviation; edges count as thin places)."
    )


ASSUMPTION = Assumption(
    id="A4",
    name="uniform density",
    statement="Inputs are spread evenly over the spheres.",
    consequence="The transport distance is off, by at most about 1 bit per parameter.",
    finding=_finding,
    measured_by="density_spread",
    threshold=Threshold("standard deviation of the log density", holds=0.4, violated=1),
    doubtful="The inputs are spread unevenly",
    violated="The inputs are spread very unevenly",
)
