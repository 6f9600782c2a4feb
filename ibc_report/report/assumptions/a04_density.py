"""A4: inputs are spread evenly."""

from __future__ import annotations

from math import exp

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Measure, Threshold, joined


def _finding(evidence: Evidence) -> str | None:
    found = evidence.diagnostics
    if evidence.facts is None or found is None or found.density_spread is None:
        return None
    spread = (
        "By the distances of tenth neighbours the density varies by a factor of "
        f"{wording.number(exp(found.density_spread))} (one standard deviation; edges count as thin places)."
    )
    if not found.density_gradient:
        return spread
    return joined(
        spread, f"Along straight lines it varies by a factor of {wording.number(exp(found.density_gradient))}."
    )


ASSUMPTION = Assumption(
    id="A4",
    name="uniform density",
    statement="Inputs are spread evenly over the spheres.",
    consequence="The transport distance is off, by at most about 1 bit per parameter.",
    finding=_finding,
    measured_by="density_spread",
    threshold=Threshold("standard deviation of the log density", holds=0.55, violated=1),
    doubtful="The inputs are spread unevenly",
    violated="The inputs are spread very unevenly",
    further=(
        Measure(
            "density_gradient",
            Threshold("standard deviation of the log density along straight lines", holds=0.2, violated=1),
            doubtful="The inputs are denser on one side",
            violated="The inputs are much denser on one side",
        ),
    ),
)
