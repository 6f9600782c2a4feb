"""Predictions to Results: every test, and its words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite

import numpy as np

from ibc_report.common.wording import counted, percent, power
from ibc_report.complexity import Complexity
from ibc_report.evaluation.scoring import interval_text
from ibc_report.evaluation.scoring.predictions import Predictions
from ibc_report.evaluation.scoring.results import (
    BetweenRecord,
    BitsRecord,
    GapRecord,
    ModelRecord,
    PairRecord,
    ResolutionRecord,
    Results,
    RowsRecord,
    SetRecord,
)
from ibc_report.evaluation.scoring.two_test_sets import across, between
from ibc_report.evaluation.statistics.comparisons import newcombe_paired, two_proportions
from ibc_report.evaluation.statistics.multiple_testing import Pairs, RankInterval, all_pairs
from ibc_report.evaluation.statistics.power import POWER, smallest_paired, smallest_unpaired, typical_disagreement
from ibc_report.evaluation.statistics.proportions import LEVEL, clopper_pearson, wilson
from ibc_report.evaluation.statistics.skill import error_bits, skill, skill_interval

__all__ = ["LISTED", "MajorityClass", "ScoredSet", "score"]

LISTED = 30
"""Models whose pairs are listed; the tests of all pairs are made whatever is listed."""


@dataclass(frozen=True, slots=True)
class MajorityClass:
    """What always answering the most frequent class reaches.

    Parameters
    ----------
    accuracy : float or None
        On the test set; None where it is not known.
    statement : str
        Where it comes from, or why it is not known.
    """

    accuracy: float | None
    statement: str


@dataclass(frozen=True, slots=True)
class ScoredSet:
    """A test set with answers on it.

    Parameters
    ----------
    name : str
        As the user named it.
    revision, split : str or None
        What pins it.
    predictions : Predictions
        The answers.
    baseline : Baseline
        Its majority class.
    """

    name: str
    revision: str | None
    split: str | None
    predictions: Predictions
    baseline: MajorityClass


def score(
    test: ScoredSet,
    *,
    name: str,
    title: str,
    train: Predictions | None = None,
    against: ScoredSet | None = None,
    complexity: Complexity | None = None,
    bits_are: str = "The task's numbers were not given.",
    level: float = LEVEL,
    seed: int = 0,
    notes: tuple[str, ...] = (),
) -> Results:
    """Say what the scores tell.

    Parameters
    ----------
    test : Scored
        The test set and the answers on it.
    name, title : str
        Of the task.
    train : Predictions, optional
        The same models on training examples.
    against : Scored, optional
        The same models on another test set.
    complexity : Complexity, optional
        The task's numbers, for the bits of errors.
    bits_are : str
        What the bits rest on, or why there are none.
    level : float
        Of all intervals; 1 − level is the size of all tests.
    seed : int
        Of the halves of the line.
    notes : tuple of str
        What has to be said already.

    Returns
    -------
    Results

    Raises
    ------
    InputError
        If the level is not between 0 and 1.
    """
    from ibc_report.common.version import __version__

    found = test.predictions
    several = found.right is not None and len(found.models) > 1
    pairs = all_pairs(found.right, found.answered, level) if several else None  # type: ignore[arg-type]
    ranks = pairs.ranks if pairs is not None else tuple(None for _ in found.models)
    models = [
        _model(test, index, rank, _gap(found, index, train, level), complexity, level)
        for index, rank in enumerate(ranks)
    ]
    order = sorted(range(len(models)), key=lambda index: (-models[index].accuracy, models[index].name))
    pairwise = between(found, against.predictions, level) if against is not None else ()
    line, said = across(found, against.predictions, level, seed) if against is not None else (None, "")
    return Results(
        schema_version=1,
        kind="results",
        name=name,
        title=title,
        level=level,
        test=_set(test),
        against=_set(against) if against is not None else None,
        models=tuple(models[index] for index in order),
        pairs=_pairs(found, pairs, order[:LISTED], level) if pairs is not None else (),
        between=pairwise,
        line=line,
        resolution=_resolution(found, pairs, order, level),
        bits_are=bits_are,
        notes=tuple(
            note for note in (*notes, *_notes(found, against, train, pairwise), *([said] if said else [])) if note
        ),
        version=__version__,
    )


def _model(
    test: ScoredSet,
    index: int,
    rank: RankInterval | None,
    gap: GapRecord | None,
    complexity: Complexity | None,
    level: float,
) -> ModelRecord:
    found = test.predictions
    correct, n = float(found.correct[index]), float(found.n[index])
    accuracy, score = correct / n, wilson(correct, n, level)
    base = test.baseline.accuracy
    has_skill = base is not None and base < 1
    gained = skill(accuracy, base) if base is not None and has_skill else None
    around = skill_interval(score, base) if base is not None and has_skill else None
    rank_text = "–"
    if rank is not None:
        rank_text = str(rank.best) if rank.best == rank.worst else f"{rank.best}–{rank.worst}"
    return ModelRecord(
        name=found.models[index],
        n=int(n),
        correct=correct,
        accuracy=accuracy,
        text=interval_text.share(accuracy, n),
        wilson=interval_text.shares(score, n),
        clopper_pearson=interval_text.shares(clopper_pearson(correct, n, level), n),
        best_rank=rank.best if rank is not None else None,
        worst_rank=rank.worst if rank is not None else None,
        rank_text=rank_text,
        skill=gained,
        skill_interval=interval_text.interval(around, interval_text.signed) if around is not None else None,
        skill_text=interval_text.signed(gained) if gained is not None else "–",
        gap=gap,
        bits=_bits(complexity, correct, n, level) if complexity is not None else None,
        rows=RowsRecord(**asdict(found.counts[index])),
    )


def _gap(found: Predictions, index: int, train: Predictions | None, level: float) -> GapRecord | None:
    if train is None or found.models[index] not in train.models:
        return None
    other = train.models.index(found.models[index])
    compared = two_proportions(train.correct[other], train.n[other], found.correct[index], found.n[index], level)
    return GapRecord(
        train_n=int(train.n[other]),
        train_accuracy=float(train.correct[other] / train.n[other]),
        gap=compared.difference,
        interval=interval_text.difference(compared.interval),
        p=compared.pooled_p,
        text=f"{interval_text.points(compared.difference)} points",
    )


def _bits(complexity: Complexity, correct: float, n: float, level: float) -> BitsRecord | None:
    if complexity.chance_error is None:
        return None
    found = error_bits(complexity, correct, n, level)

    def finite(value: float | None) -> float | None:
        return value if value is not None and isfinite(value) else None

    def text(value: float | None, least: float | None, most: float | None) -> str:
        if value is None:
            return f"at least {power(least)}" if least is not None else "–"
        if least is None or most is None or power(least) == power(most):
            return power(value)
        return f"{power(value)} ({power(least)} to {power(most)})"

    return BitsRecord(
        error=found.error,
        log10_bits=finite(found.log10_bits),
        text=text(found.log10_bits, found.least, found.most),
        lower=finite(found.least),
        upper=finite(found.most),
        log10_bits_over_chance=finite(found.log10_bits_over_chance),
        over_chance_text=text(found.log10_bits_over_chance, found.least_over_chance, found.most_over_chance),
        over_chance_lower=finite(found.least_over_chance),
        over_chance_upper=finite(found.most_over_chance),
    )


def _pairs(found: Predictions, pairs: Pairs, listed: list[int], level: float) -> tuple[PairRecord, ...]:
    place = {model: position for position, model in enumerate(listed)}
    records = []
    for number, (i, j) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        if i not in place or j not in place or pairs.n[number] == 0:
            continue
        both, one, other, neither = (
            int(counts[number]) for counts in (pairs.both, pairs.first_only, pairs.second_only, pairs.neither)
        )
        if (one, place[j]) < (other, place[i]):
            i, j, one, other = j, i, other, one
        n, test = both + one + other + neither, pairs.tests[number]
        difference = (one - other) / n
        record = PairRecord(
            first=found.models[i],
            second=found.models[j],
            n=n,
            both=both,
            first_only=one,
            second_only=other,
            neither=neither,
            difference=difference,
            interval=interval_text.difference(newcombe_paired(both, one, other, neither, level)),
            mcnemar=test.statistic,
            mcnemar_p=test.p,
            corrected=test.corrected_statistic,
            corrected_p=test.corrected_p,
            exact_p=test.exact_p,
            mid_p=test.mid_p,
            holm_p=float(pairs.holm[number]),
            false_discovery=float(pairs.false_discovery[number]),
            distinguishable=bool(pairs.holm[number] <= 1 - level),
            text=f"{interval_text.points(difference)} points" if one != other else "equal",
        )
        records.append((sorted((place[i], place[j])), record))
    return tuple(record for _, record in sorted(records, key=lambda entry: entry[0]))


def _resolution(found: Predictions, pairs: Pairs | None, order: list[int], level: float) -> ResolutionRecord:
    n = int(np.median(found.n))
    accuracy = float(np.median(found.correct / found.n))
    measured = pairs.disagreement(order) if pairs is not None else None
    disagreement = measured if measured is not None else typical_disagreement(accuracy)
    unpaired, paired = smallest_unpaired(accuracy, n, level, POWER), smallest_paired(disagreement, n, level, POWER)
    how = "as neighbours in rank do here" if measured is not None else "an assumption"

    same = f"the same examples that disagree on {percent(disagreement)} of them ({how})"
    said = [
        f"{100 * paired:.1f} points between two models on {same}"
        if paired is not None
        else f"none between two models on {same}, which are too few to be more than chance",
        f"{100 * unpaired:.1f} points on different examples"
        if unpaired is not None
        else "none on different examples, which are too few",
    ]
    return ResolutionRecord(
        n=n,
        level=level,
        power=POWER,
        accuracy=accuracy,
        unpaired=unpaired,
        disagreement=disagreement,
        measured=measured is not None,
        paired=paired,
        text=f"Smallest difference that {counted(n, 'examples')} show with probability {POWER:g} at level "
        f"{1 - level:.2g}: {'; '.join(said)}.",
    )


def _set(scored: ScoredSet) -> SetRecord:
    found = scored.predictions
    return SetRecord(
        name=scored.name,
        revision=scored.revision,
        split=scored.split,
        examples=len(found.examples) or int(found.n.max()),
        matched_by=found.matched_by,
        majority=scored.baseline.accuracy,
        majority_is=scored.baseline.statement,
    )


def _notes(
    found: Predictions, against: ScoredSet | None, train: Predictions | None, between: tuple[BetweenRecord, ...]
) -> list[str]:
    notes = []
    if found.right is None:
        notes.append("Only accuracies are known, so models are not compared on the same examples.")
    if len(found.models) > LISTED and found.right is not None:
        notes.append(
            f"Pairs of the {LISTED} best of {len(found.models)} models are listed; the correction is for all pairs."
        )
    for name, counts in zip(found.models, found.counts, strict=True):
        said = [
            counted(count, what)
            for count, what in (
                (counts.unmatched, "rows of no example"),
                (counts.repeated, "rows given again"),
                (counts.unreadable, "rows without an answer"),
                (counts.missing, "examples left out for want of an answer"),
                (counts.unknown, "predictions of no known class, counted as wrong"),
            )
            if count
        ]
        if said:
            notes.append(f"{name}: {'; '.join(said)}.")
    for other, where in ((train, "the training examples"), (against.predictions if against else None, "the other set")):
        if other is not None:
            alone = sorted(set(found.models) ^ set(other.models))
            if alone:
                notes.append(f"Not on both the test set and {where}: {', '.join(alone)}.")
    if against is not None and len(between) > 1:
        notes.append("Differences between the two test sets take models one by one: they share the examples.")
    return notes
