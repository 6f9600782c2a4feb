"""Models on two test sets: original and rebuilt, in and out of distribution."""

from __future__ import annotations

from math import isfinite

import numpy as np

from ibc_report.common.errors import InputError
from ibc_report.common.wording import counted
from ibc_report.evaluation.scoring import interval_text
from ibc_report.evaluation.scoring.predictions import Predictions
from ibc_report.evaluation.scoring.results import BetweenRecord, CorrelationRecord, LineRecord, SubsetRecord
from ibc_report.evaluation.statistics.accuracy_line import FEWEST_MODELS, Correlation, Selection, accuracy_line, select
from ibc_report.evaluation.statistics.comparisons import two_proportions
from ibc_report.evaluation.statistics.multiple_testing import holm

__all__ = ["across", "between"]


def between(first: Predictions, second: Predictions, level: float) -> tuple[BetweenRecord, ...]:
    """Test each model's accuracy on one set against that on another.

    Parameters
    ----------
    first, second : Predictions
        On the two sets.
    level : float
        Of the intervals.

    Returns
    -------
    tuple of BetweenRecord
        Models on both, by their accuracy on the first. The corrected p is that of the unpooled z, and of the pooled one
        where no accuracy has a variance of its own.
    """
    shared = [name for name in first.models if name in second.models]
    compared = []
    for name in shared:
        i, j = first.models.index(name), second.models.index(name)
        compared.append(two_proportions(first.correct[i], first.n[i], second.correct[j], second.n[j], level))
    # without a variance, as of 1 of 1 against 0 of 1, the unpooled z is infinite however few the examples
    corrected = holm([test.p if isfinite(test.z) else test.pooled_p for test in compared])
    records = []
    for name, test, p in zip(shared, compared, corrected.tolist(), strict=True):
        i, j = first.models.index(name), second.models.index(name)
        records.append(
            BetweenRecord(
                model=name,
                n=int(first.n[i]),
                accuracy=float(first.correct[i] / first.n[i]),
                other_n=int(second.n[j]),
                other_accuracy=float(second.correct[j] / second.n[j]),
                difference=test.difference,
                interval=interval_text.difference(test.interval),
                standard_error=test.standard_error,
                z=test.z if isfinite(test.z) else None,
                p=test.p,
                pooled_z=test.pooled_z if isfinite(test.pooled_z) else None,
                pooled_p=test.pooled_p,
                holm_p=p,
                text=f"{interval_text.points(test.difference)} points",
            )
        )
    return tuple(sorted(records, key=lambda record: (-record.accuracy, record.model)))


def across(first: Predictions, second: Predictions, level: float, seed: int) -> tuple[LineRecord | None, str]:
    """Fit the line of all models on two sets, and select the examples of the second on which it breaks.

    Parameters
    ----------
    first, second : Predictions
        On the set that accuracy is read from, and on the one where it may not hold.
    level : float
        Of the intervals.
    seed : int
        Of the halves of the models.

    Returns
    -------
    tuple
        The line, or None with fewer than 30 models on both; and a sentence on what could not be done, or nothing.
    """
    shared = [name for name in first.models if name in second.models]
    if len(shared) < FEWEST_MODELS:
        return None, f"No line of accuracies: it takes {FEWEST_MODELS} models on both sets, not {len(shared)}."
    i = np.array([first.models.index(name) for name in shared])
    j = np.array([second.models.index(name) for name in shared])
    accuracies, others = first.correct[i] / first.n[i], second.correct[j] / second.n[j]
    n, other_n = float(np.median(first.n[i])), float(np.median(second.n[j]))
    try:
        line = accuracy_line(accuracies, n, others, other_n, level)
    except InputError as error:
        return None, f"No line: {error}."
    selection: Selection | None = None
    examples: tuple[str, ...] = ()
    if second.right is not None and second.answered is not None:
        common = np.flatnonzero(second.answered[j].all(axis=0))
        if len(common):
            selection = select(accuracies, n, second.right[np.ix_(j, common)], seed=seed, level=level)
            largest = selection.subsets[-1].size
            examples = tuple(second.examples[place] for place in common[selection.order[:largest]].tolist())
    correlation = line.correlation
    return (
        LineRecord(
            slope=line.slope,
            intercept=line.intercept,
            correlation=_correlation(correlation),
            everything=_correlation(selection.everything) if selection and selection.everything else None,
            subsets=tuple(_subset(part.size, part.selected, part.held_out) for part in selection.subsets)
            if selection
            else (),
            examples=examples,
            seed=seed,
            text=f"r = {interval_text.signed(correlation.r)} over {correlation.models} models in probit scale, slope "
            f"{line.slope:.2f}",
        ),
        "" if selection else "Single answers on the other set are not known, so no subset is selected.",
    )


def _subset(size: int, selected: Correlation | None, held_out: Correlation | None) -> SubsetRecord:
    if held_out is None:
        said = "the held-out models do not differ on them"
    else:
        ends = f"r = {interval_text.signed(held_out.r)} on {held_out.models} held-out models"
        if held_out.interval.upper < 0:
            said = f"{ends}: better models do worse"
        elif held_out.interval.lower > 0:
            said = f"{ends}: the line holds"
        else:
            said = f"{ends}: no line is seen"
    return SubsetRecord(
        size=size,
        selected=_correlation(selected) if selected else None,
        held_out=_correlation(held_out) if held_out else None,
        text=f"{counted(size, 'examples')}: {said}",
    )


def _correlation(found: Correlation) -> CorrelationRecord:
    return CorrelationRecord(
        models=found.models, r=found.r, interval=interval_text.interval(found.interval, interval_text.signed)
    )
