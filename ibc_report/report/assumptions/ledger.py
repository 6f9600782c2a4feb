"""The ledger: all assumptions of this room, each checked against what is known of a task."""

from __future__ import annotations

from ibc_report.report import assumptions
from ibc_report.report.assumptions import *  # noqa: F403  each name is a file of this room, found by listing
from ibc_report.report.assumptions.assumption import Assumption, Evidence
from ibc_report.report.schema.sections import AssumptionRecord

__all__ = ["LEDGER", "assess"]

LEDGER: tuple[Assumption, ...] = tuple(getattr(assumptions, name).ASSUMPTION for name in assumptions.__all__)
"""All assumptions, in the order of their files."""


def assess(evidence: Evidence) -> tuple[AssumptionRecord, ...]:
    """Check each assumption.

    Returns
    -------
    tuple of AssumptionRecord
        All of them, in order. What cannot be tested on these data says so.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> task = classification(n=1000, radius=5, dimension=4, classes=3, margin=1, target_error=0.9)
    >>> [(entry.id, entry.verdict) for entry in assess(Evidence(task)) if entry.verdict != "not testable"]
    [('A11', 'holds'), ('A14', 'violated')]
    """
    return tuple(_record(entry, evidence) for entry in LEDGER)


def _record(entry: Assumption, evidence: Evidence) -> AssumptionRecord:
    (value, judgement), change = entry.checked(evidence), entry.change(evidence)
    return AssumptionRecord(
        id=entry.id,
        name=entry.name,
        statement=entry.statement,
        consequence=entry.consequence,
        diagnostic=entry.said(evidence),
        value=value,
        verdict=judgement.verdict,
        threshold=judgement.threshold,
        change=None if change is None else change[0],
        change_text=None if change is None else change[1],
    )
