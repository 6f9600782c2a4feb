"""Which of two tasks is harder, how sure that is, and whether the two can be compared at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import wording
from ibc_report.common.errors import IbcReportError, UsageError
from ibc_report.complexity import FAMILIES
from ibc_report.complexity.uncertainty import possible_bits
from ibc_report.report import comparison_text as words
from ibc_report.report.comparison_matching import Matched, matched
from ibc_report.report.schema.document import ReportDocument
from ibc_report.report.sections import uncertainty

__all__ = ["ComparedTask", "Comparison", "ComparisonRefused", "as_json", "compare"]

ERRORS = {
    "classification": "share of inputs classified wrongly",
    "union": "share of inputs classified wrongly",
    "few_shot": "share of inputs classified wrongly",
    "regression": "share of half the target's range",
    "control": "error of an action",
    "partially_observed_control": "error of an action",
}
"""What a target error is, by family."""

OF_THE_DATA = frozenset(("length", "mode", "seed", "size", "white"))
"""Settings of an encoder that follow from the data, or draw: a difference in these is none in what a distance means."""


class ComparisonRefused(IbcReportError):
    """Two reports measure different things, so that the order of their bits has no meaning.

    Parameters
    ----------
    reasons : tuple of str
        All of them, a clause each.
    """

    def __init__(self, reasons: tuple[str, ...]) -> None:
        self.reasons = reasons
        super().__init__(
            f"these cannot be compared: {'; '.join(reasons)}. Measure both in the same way, or compare them anyway "
            "(--anyway, or anyway=True)"
        )


@dataclass(frozen=True, slots=True)
class ComparedTask:
    """One of the two tasks, as it is compared.

    Parameters
    ----------
    n : float
        Its points as measured.
    log10_bits : float
        At the common n and target error; −inf for 0 bits.
    measured_log10_bits : float
        As on its card; −inf for 0 bits.
    matched : str
        How it was brought to the common n, in words.
    """

    name: str
    title: str
    n: float
    log10_bits: float
    measured_log10_bits: float
    matched: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which of two tasks is harder.

    Parameters
    ----------
    harder : str or None
        "first" or "second", which has more bits; None where both have the same.
    told_apart : bool
        Whether the order holds with a probability of 80 % at least; it is no more than a guess where not.
    probability : float
        That the order holds under the noise of both, at this scale: of dimension, margin and radius. 0.5 for no order.
    true_probability : float or None
        The same for the true dimensions, at those of their ranges that are worst for the order; None where a range is
        not known.
    n, target_error : float
        What both are taken at: the smaller n and the larger target error.
    reasons : tuple of str
        What makes them differ in more than difficulty; empty but for `anyway`.
    notes : tuple of str
        What was done and what is missing, a sentence each.
    text : str
        The result in a few lines.
    """

    first: ComparedTask
    second: ComparedTask
    harder: str | None
    told_apart: bool
    probability: float
    true_probability: float | None
    n: float
    target_error: float
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    text: str


def compare(a: ReportDocument, b: ReportDocument, *, anyway: bool = False) -> Comparison:
    """Say which of two tasks is harder.

    Both are taken at the n of the smaller: by interpolation among the subsamples that a report has, else by the law of
    extremes, by which ln δ grows by (2/κ)·ln(n/n′) (and little where a gap ends the distances). Both are evaluated at
    the larger of the two target errors.

    Parameters
    ----------
    a, b : Report
        Of any families.
    anyway : bool
        Compare what cannot be compared, and list why not.

    Raises
    ------
    ComparisonRefused
        If encoder, centring, convention or the meaning of the target error differ, with all the reasons.
    UsageError
        If one of the two is no report.

    Examples
    --------
    >>> from ibc_report import measure
    >>> compare(measure("builtin:iris"), measure("builtin:wine")).harder
    'second'
    """
    for given in (a, b):
        if not isinstance(given, ReportDocument):
            raise UsageError(
                f"two reports are compared, not a {type(given).__name__}; read one with load_report('reports/a.json')"
            )
    reasons = _reasons(a, b)
    if reasons and not anyway:
        raise ComparisonRefused(reasons)
    n = min(a.inputs["n"], b.inputs["n"])
    target_error = max(a.inputs["target_error"], b.inputs["target_error"])
    first, second = (matched(report, n, target_error) for report in (a, b))
    bits = first.task.log10_bits, second.task.log10_bits
    harder = None if bits[0] == bits[1] else "first" if bits[0] > bits[1] else "second"
    higher, lower = (second, first) if harder == "second" else (first, second)
    names, sides = _names(a, b), (_side(a, first), _side(b, second))
    probability = 0.5 if harder is None else _above(_possible(higher), _possible(lower))
    true_probability = None if harder is None else _at_worst(higher, lower)
    notes = (*_how((a, b), names, (first, second), n, target_error), *first.notes, *second.notes)
    verdict = words.verdict(names, bits, probability, true_probability)
    return Comparison(
        first=sides[0],
        second=sides[1],
        harder=harder,
        told_apart=harder is not None and probability >= words.CERTAIN,
        probability=probability,
        true_probability=true_probability,
        n=n,
        target_error=target_error,
        reasons=reasons,
        notes=notes,
        text=_text(verdict, sides, names, reasons, notes),
    )


def as_json(found: Comparison) -> str:
    """Write a comparison as strict JSON.

    Returns
    -------
    str
        Of its fields; null for the logarithm of 0 bits.
    """

    def strict(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: strict(each) for key, each in value.items()}
        return None if isinstance(value, float) and not isfinite(value) else value

    return json.dumps(strict(asdict(found)), indent=1, ensure_ascii=False, allow_nan=False)


def _reasons(a: ReportDocument, b: ReportDocument) -> tuple[str, ...]:
    """What makes two reports measure different things."""
    pairs = (
        ("encoders", *_encoders(a, b)),
        ("centrings", _centring(a), _centring(b)),
        ("conventions", a.convention, b.convention),
        ("target errors", ERRORS[a.family], ERRORS[b.family]),
    )
    names = _names(a, b)
    return tuple(words.reason(what, names, (one, other)) for what, one, other in pairs if one != other)


def _names(a: ReportDocument, b: ReportDocument) -> tuple[str, str]:
    return (a.name, b.name) if a.name != b.name else (f"the first {a.name}", f"the second {b.name}")


def _encoders(a: ReportDocument, b: ReportDocument) -> tuple[str, str]:
    """Both encoders in words, with the settings in which they differ; alike where they measure the same distance."""
    if a.data is None or b.data is None:
        first, second = ("declared" if report.data is None else report.data.encoder.name for report in (a, b))
        return first, second
    one, other = a.data.encoder, b.data.encoder
    if one.name != other.name:
        return one.name, other.name
    keys = sorted({*one.settings, *other.settings} - OF_THE_DATA)
    changed = [key for key in keys if one.settings.get(key) != other.settings.get(key)]
    first, second = (
        ", ".join([each.name, *(f"{key} {each.settings.get(key, 'not set')}" for key in changed)])
        for each in (one, other)
    )
    return first, second


def _centring(report: ReportDocument) -> str:
    # reports without this section were made before anything was centred
    return uncertainty.NO_CENTRING if report.certainty is None else report.certainty.centring


def _possible(side: Matched, dimension: float | None = None) -> NDArray[np.float64]:
    """Log10 bits that a side may have, evenly spread over their distribution."""
    key = FAMILIES[side.task.family].sampled_dimension
    if side.noise is None or key is None:
        return np.array([side.task.log10_bits])
    return possible_bits(side.task, side.noise, [dimension or side.task.inputs[key]])[0]


def _above(higher: NDArray[np.float64], lower: NDArray[np.float64]) -> float:
    """Probability that one number is above another, independent one: over all pairs, ties by halves."""
    ordered = np.sort(lower)
    below = np.searchsorted(ordered, higher, side="left") + np.searchsorted(ordered, higher, side="right")
    return float(below.mean() / (2 * len(ordered)))


def _at_worst(higher: Matched, lower: Matched) -> float | None:
    """The least probability of the order over the true dimensions that either side may have."""
    ranges = [None if side.noise is None else side.noise.true_dimension for side in (higher, lower)]
    if any(known_range is None or not isfinite(known_range[1]) for known_range in ranges):
        return None
    corners = [
        [_possible(side, max(end, 1.0)) for end in ends or ()]
        for side, ends in zip((higher, lower), ranges, strict=True)
    ]
    return min(_above(one, other) for one in corners[0] for other in corners[1])


def _side(report: ReportDocument, side: Matched) -> ComparedTask:
    measured = report.headline.log10_bits
    return ComparedTask(
        name=report.name,
        title=report.title,
        n=report.inputs["n"],
        log10_bits=side.task.log10_bits,
        measured_log10_bits=float("-inf") if measured is None else measured,
        matched=side.how,
    )


def _how(
    reports: tuple[ReportDocument, ReportDocument],
    names: tuple[str, str],
    sides: tuple[Matched, Matched],
    n: float,
    target_error: float,
) -> tuple[str, ...]:
    notes = [words.features(reports, names)]
    notes.append(words.moved(reports, names, (sides[0].task.log10_bits, sides[1].task.log10_bits), n))
    if reports[0].inputs["target_error"] != reports[1].inputs["target_error"]:
        notes.append(f"Both were evaluated at a target error of {wording.number(target_error)}, the larger of the two.")
    return tuple(note for note in notes if note)


def _text(
    verdict: str, sides: Sequence[ComparedTask], names: Sequence[str], reasons: Sequence[str], notes: Sequence[str]
) -> str:
    lines = [verdict]
    if reasons:
        lines.append(f"These do not measure the same: {'; '.join(reasons)}.")
    lines += [
        f"  {name}: {words.bits(side.log10_bits)} bits, {side.matched}" for name, side in zip(names, sides, strict=True)
    ]
    return "\n".join((*lines, *notes))
