"""The ledger: what the number rests on, what follows where that fails, what these data say of it, and what it is worth.

The statements follow the derivation of Boopathy et al., ICML 2023, and how its script counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from ibc_report.common import wording
from ibc_report.complexity import Complexity
from ibc_report.report.schema.sections import AssumptionRecord
from ibc_report.report.sections import assumption_checks
from ibc_report.report.sections.assumption_checks import diagnose
from ibc_report.report.sections.verdicts import NOT_TESTABLE, THRESHOLDS, Judgement, judge, judge_degree, judge_target

if TYPE_CHECKING:
    # who prints the ledger needs nothing that measures
    from ibc_report.geometry import Geometry
    from ibc_report.geometry.diagnostics import Diagnostics
    from ibc_report.geometry.sensitivity import Sensitivity

__all__ = ["LEDGER", "Assumption", "Change", "assess", "of"]


@dataclass(frozen=True, slots=True)
class Assumption:
    """One assumption of the measure.

    Parameters
    ----------
    id : str
        A1 to A16.
    name : str
        One or two words.
    statement : str
        What is assumed.
    consequence : str
        What follows where it fails.
    """

    id: str
    name: str
    statement: str
    consequence: str


@dataclass(frozen=True, slots=True)
class Change:
    """How far the bits move without an assumption.

    Parameters
    ----------
    decades : float
        log10 bits without it, less those with it.
    words : str
        What was changed, to follow a number of decades: "with the radius around the mean point".
    """

    decades: float
    words: str


LEDGER = (
    Assumption(
        "A1",
        "sphere",
        "Each class lies on an m-dimensional sphere, all of one radius R.",
        "R, and with it the band limit, is arbitrary.",
    ),
    Assumption(
        "A2",
        "origin",
        "The spheres are centred at the origin of the features.",
        "The value changes when all inputs are shifted.",
    ),
    Assumption("A3", "radius", "The largest norm is the radius.", "One outlier sets the value."),
    Assumption(
        "A4",
        "uniform density",
        "Inputs are spread evenly over the spheres.",
        "The transport distance is off, by at most about 1 bit per parameter.",
    ),
    Assumption(
        "A5",
        "one dimension",
        "The intrinsic dimension is the same everywhere.",
        "The value is that of no part of the data.",
    ),
    Assumption(
        "A6",
        "scale",
        "The estimate of m does not depend on the neighbourhood size.",
        "The value depends on the scale that k picks.",
    ),
    Assumption(
        "A7",
        "disjoint classes",
        "Classes lie on disjoint manifolds.",
        "The margin tends to 0 with more data.",
    ),
    Assumption(
        "A8",
        "labels",
        "The closest pair of different classes is a true one.",
        "A single wrong label can add decades of bits.",
    ),
    Assumption(
        "A9",
        "sampled margin",
        "The smallest distance seen is the population's.",
        "The margin falls, and the bits grow about like n².",
    ),
    Assumption(
        "A10",
        "independence",
        "The n rows are independent, and train and test are alike.",
        "The data fix less than n says.",
    ),
    Assumption(
        "A11",
        "band limit",
        "The true function is resolved at the margin: no frequency above 2πR/δ.",
        "The hypothesis space is too large or too small, by decades.",
    ),
    Assumption(
        "A12",
        "all functions",
        "Every band-limited function is as likely as any other before the data.",
        "The value is pessimistic against any actual model.",
    ),
    Assumption(
        "A13",
        "Lipschitz loss",
        "The loss has Lipschitz constant 1 and outputs are bounded by B.",
        "The bits per parameter shift.",
    ),
    Assumption(
        "A14",
        "target error",
        "The target error was chosen, below chance and above the noise of the labels.",
        "Cards with other targets do not compare.",
    ),
    Assumption(
        "A15",
        "counting",
        "Outputs, degree and parameters are counted as the named convention does.",
        "The value changes by a factor of 0.5 to 1.12.",
    ),
    Assumption(
        "A16",
        "features",
        "Euclidean distance between these features means something for the task.",
        "The value is one of the feature map, not of the task.",
    ),
)


def assess(
    task: Complexity,
    geometry: Geometry | None = None,
    diagnostics: Diagnostics | None = None,
    changes: Mapping[str, Change] | None = None,
    leaked: float | None = None,
) -> tuple[AssumptionRecord, ...]:
    """Write the ledger of a task.

    Parameters
    ----------
    task : Complexity
        The bits and their terms.
    geometry : Geometry, optional
        Facts about the data; None for a declared task.
    diagnostics : Diagnostics, optional
        What the neighbour search says beyond them.
    changes : mapping of str to Change, optional
        By assumption, how far the bits move without it. That of A16 makes its verdict.
    leaked : float, optional
        Share of the test rows that repeat a training row, or nearly do: train and test are then not independent (A10).

    Returns
    -------
    tuple of AssumptionRecord
        All sixteen, in order. What cannot be tested on these data says so.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> task = classification(n=1000, radius=5, dimension=4, classes=3, margin=1, target_error=0.9)
    >>> [(entry.id, entry.verdict) for entry in assess(task) if entry.verdict != "not testable"]
    [('A11', 'holds'), ('A14', 'violated')]
    """
    changes = changes or {}
    values = assumption_checks.values(task, geometry, diagnostics)
    if "A16" in changes:
        values["A16"] = abs(changes["A16"].decades)
    said = diagnose(task, geometry, diagnostics)
    if "A16" in changes:
        said["A16"] = f"Another feature map moves the bits by {_worded(changes['A16'])}."
    if leaked:
        values["A10"] = max(leaked, values.get("A10", 0.0))
        repeated = f"Of the test rows {wording.percent(leaked)} repeat a training row, or nearly do."
        said["A10"] = " ".join(part for part in (said.get("A10"), repeated) if part)
    records = []
    for entry in LEDGER:
        judgement = _judgement(entry.id, values.get(entry.id), task, geometry)
        change = changes.get(entry.id)
        records.append(
            AssumptionRecord(
                id=entry.id,
                name=entry.name,
                statement=entry.statement,
                consequence=entry.consequence,
                diagnostic=said.get(entry.id),
                value=values.get(entry.id),
                verdict=judgement.verdict,
                threshold=judgement.threshold,
                change=None if change is None else change.decades,
                change_text=None if change is None else _worded(change),
            )
        )
    return tuple(records)


def _judgement(id: str, value: float | None, task: Complexity, geometry: Geometry | None) -> Judgement:
    if id in THRESHOLDS:
        return judge(id, value)
    if id == "A11" and value is not None:
        return judge_degree(value)
    if id == "A14" and value is not None:
        nearest = None if geometry is None else geometry.disagreement.get(1)
        return judge_target(value, task, nearest)
    return NOT_TESTABLE


def _worded(change: Change) -> str:
    moved = f"{abs(change.decades):.1f}"
    if float(moved) == 0:
        return f"less than 0.1 decades {change.words}"
    return f"{'+' if change.decades > 0 else '−'}{moved} decades {change.words}"


WORDS = {
    "mean_norm": "with the mean norm as the radius",
    "centred": "with the radius around the mean point",
    "next_radius": "without the row of the largest norm",
    "quantile": "with the 0.1 % quantile of the distances to another class as the margin",
    "without_worst": "without the closest 0.1 % of rows of different classes",
    "without_pair": "without the closest pair",
    "twice_expected": "with twice the rows",
    "distinct": "with the distinct rows counted only",
    "half_band": "with half the band limit",
    "whole_band": "with twice the band limit",
    "half_error": "with half the target error",
    "integer_degree": "with the degree rounded down",
    "real_degree": "with the degree not rounded",
    "standardised": "with standardised features",
    "halved": "with half of the features, by PCA",
}


def of(found: Sensitivity) -> dict[str, Change]:
    """Say what the bits change by without each assumption.

    Parameters
    ----------
    found : Sensitivity
        What would move the bits.

    Returns
    -------
    dict of str to Change
        By the assumption's id, for those of which a change was computed.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> from ibc_report.geometry.sensitivity import sensitivity
    >>> task = classification(n=60000, radius=17.179, dimension=14, classes=10, margin=2.3987, target_error=0.001)
    >>> of(sensitivity(task))["A11"].words
    'with half the band limit'
    """
    # who prints the ledger has nothing to say this of
    from ibc_report.geometry.sensitivity import by_assumption

    return {
        id: Change(change.change, WORDS[change.key])
        for id, change in by_assumption(found).items()
        if change.change is not None and isfinite(change.change)
    }
