"""A5: the intrinsic dimension is the same everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import Assumption, Evidence, Threshold, joined

if TYPE_CHECKING:
    from ibc_report.geometry.dimension.by_class import ClassSpread


def _finding(evidence: Evidence) -> str | None:
    found = evidence.diagnostics
    if evidence.facts is None or found is None:
        return None
    places = None
    if found.dimension_spread is not None:
        places = f"1/m varies by {wording.percent(found.dimension_spread)} of its mean from place to place."
    return joined(places, None if found.class_spread is None else _by_class(found.class_spread))


def _by_class(spread: ClassSpread) -> str:
    # who prints the ledger needs nothing that measures
    from ibc_report.geometry.assumption_values import differ_by_class

    chance = "more than chance" if differ_by_class(spread) else "no more than chance allows"
    return f"Between {wording.count(spread.classes)} classes it varies by {wording.percent(spread.spread)}, {chance}."


ASSUMPTION = Assumption(
    id="A5",
    name="one dimension",
    statement="The intrinsic dimension is the same everywhere.",
    consequence="The value is that of no part of the data.",
    finding=_finding,
    measured_by="dimension_spread",
    threshold=Threshold("standard deviation of 1/m between places or classes over its mean", holds=0.15, violated=0.35),
    doubtful="The intrinsic dimension differs from place to place",
    violated="The intrinsic dimension differs much from place to place",
)
