"""A13: the loss has Lipschitz constant 1 and outputs are bounded."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence


def _finding(evidence: Evidence) -> str:
    bound = wording.number(evidence.task.inputs.get("output_bound", 1))
    return f"Declared: the loss has Lipschitz constant 1 and the outputs are bounded by B = {bound}."


ASSUMPTION = Assumption(
    id="A13",
    name="Lipschitz loss",
    statement="The loss has Lipschitz constant 1 and outputs are bounded by B.",
    consequence="The bits per parameter shift.",
    finding=_finding,
)
