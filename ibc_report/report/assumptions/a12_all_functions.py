"""A12: every band-limited function is as likely as any other."""

from __future__ import annotations

from ibc_report.report.assumptions.assumption import Assumption

ASSUMPTION = Assumption(
    id="A12",
    name="all functions",
    statement="Every band-limited function is as likely as any other before the data.",
    consequence="The value is pessimistic against any actual model.",
    finding=lambda _evidence: "Nothing in the data tells: it is a choice of the measure.",
)
