"""A15: terms are counted as the named convention does."""

from __future__ import annotations

from ibc_report.report.assumptions.assumption import Assumption, Worth

ASSUMPTION = Assumption(
    id="A15",
    name="counting",
    statement="Outputs, degree and parameters are counted as the named convention does.",
    consequence="The value changes by a factor of 0.5 to 1.12.",
    finding=lambda evidence: f"Convention '{evidence.task.convention}'.",
    worth=(
        Worth("integer_degree", "with the degree rounded down"),
        Worth("real_degree", "with the degree not rounded"),
    ),
)
