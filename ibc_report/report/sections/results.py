"""Scores as a document of results: the one place where what was computed of them is worded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import ceil, isfinite

from ibc_report.common.version import __version__
from ibc_report.common.wording import counted, percent, power
from ibc_report.evaluation.scoring.predictions import Predictions, RowCounts
from ibc_report.evaluation.scoring.score import (
    LISTED,
    MajorityClass,
    ModelScore,
    PairScore,
    ScoredSet,
    ScoreResolution,
    Scores,
    TrainGap,
)
from ibc_report.evaluation.scoring.two_test_sets import AcrossSets, OnTwoSets
from ibc_report.evaluation.statistics.accuracy_line import FEWEST_MODELS, Correlation, Subset
from ibc_report.evaluation.statistics.multiple_testing import RankInterval
from ibc_report.evaluation.statistics.power import pairs_of
from ibc_report.evaluation.statistics.skill import ErrorBits
from ibc_report.report.schema.document import ReportDocument
from ibc_report.report.schema.results import (
    BetweenRecord,
    BitsRecord,
    CorrelationRecord,
    GapRecord,
    LineRecord,
    ModelRecord,
    PairRecord,
    ResolutionRecord,
    Results,
    RowsRecord,
    SetRecord,
    SubsetRecord,
)
from ibc_report.report.sections import interval_text

__all__ = ["across_text", "bits_basis", "majority_text", "matched_text", "results_document"]


def results_document(
    found: Scores,
    *,
    name: str,
    title: str,
    bits_are: str = "The task's numbers were not given.",
    notes: Sequence[str] = (),
) -> Results:
    """Word what scores tell.

    Parameters
    ----------
    notes : sequence of str
        What has to be said already, a sentence each.
    """
    # one column has one number of decimals
    fewest = min((one.n for one in found.models), default=0)
    said = (*notes, *_notes(found), "" if found.across is None else across_text(found.across))
    return Results(
        schema_version=1,
        kind="results",
        name=name,
        title=title,
        level=found.level,
        test=_set(found.test),
        against=None if found.against is None else _set(found.against),
        models=tuple(_model(one, fewest) for one in found.models),
        pairs=tuple(_pair(one) for one in found.pairs),
        between=tuple(_between(one) for one in found.between),
        line=None if found.across is None else _line(found.across, found.seed),
        resolution=_resolution(found.resolution),
        bits_are=bits_are,
        notes=tuple(note for note in said if note),
        version=__version__,
    )


def matched_text(found: Predictions) -> str:
    """Say how rows found their examples; a clause."""
    if not found.matched_by:
        return "accuracies as published"
    return f"rows matched by {' and '.join(str(way) for way in found.matched_by)}"


def majority_text(found: MajorityClass | None) -> str:
    """Say what skill is over, or why there is none.

    Examples
    --------
    >>> majority_text(MajorityClass(0.4, "cat", "training", "train"))
    "Skill is over always answering 'cat', the most frequent class of split 'train'."
    >>> majority_text(MajorityClass(0.4, "cat", "test", tied=2))
    "Skill is over always answering 'cat', one of 2 most frequent classes of the test examples themselves."
    """
    if found is None:
        return ""
    where = f" of split '{found.split}'" if found.split else ""
    if found.counted is None:
        return "There are no classes, so there is no majority to compare with."
    rank = f"one of {found.tied} most frequent classes" if found.tied > 1 else "the most frequent class"
    if found.counted == "report":
        return f"Skill is over always answering {rank}{where}, as its report has it."
    if found.accuracy is None:
        return f"Labels of the test examples were not read, so how often '{found.name}' is right is unknown."
    of = " of the test examples themselves" if found.counted == "test" else where
    return f"Skill is over always answering '{found.name}', {rank}{of}."


def bits_basis(report: ReportDocument, *, has_chance: bool) -> str:
    """Say what the bits of errors rest on, or that a task without a chance error has none."""
    if not has_chance:
        return f"A {report.family} task has no chance error, so there are no bits of errors."
    data = report.data
    where = f", {data.rows_used:,} rows" if data is not None else ""
    if data is not None and data.split:
        where += f" of split '{data.split}'"
    value = f"10^{report.headline.exponent}" if report.headline.exponent else "0"
    return (
        f"Bits are those of the task ({value} at its target error; convention {report.convention}{where}) at the "
        "model's error; their interval is of the error alone, and the task's own doubt comes on top."
    )


def across_text(found: AcrossSets) -> str:
    """Say what could not be done of the line of accuracies, and why; empty where all was."""
    if found.refusal:
        return f"No line: {found.refusal}."
    if found.line is None:
        return f"No line of accuracies: it takes {FEWEST_MODELS} models on both sets, not {found.shared}."
    if found.selection is None:
        return "Single answers on the other set are not known, so no subset is selected."
    return ""


def _set(scored: ScoredSet) -> SetRecord:
    found = scored.predictions
    return SetRecord(
        name=scored.name,
        revision=scored.revision,
        split=scored.split,
        examples=len(found.examples) or int(found.n.max()),
        matched_by=matched_text(found),
        majority=None if scored.majority is None else scored.majority.accuracy,
        majority_is=majority_text(scored.majority),
    )


def _model(found: ModelScore, fewest: int) -> ModelRecord:
    n, rank, around = found.n, found.rank, found.skill_interval
    return ModelRecord(
        name=found.name,
        n=n,
        correct=found.correct,
        accuracy=found.accuracy,
        text=interval_text.share(found.accuracy, fewest),
        wilson=interval_text.shares(found.wilson, fewest),
        clopper_pearson=interval_text.shares(found.clopper_pearson, fewest),
        best_rank=None if rank is None else rank.best,
        worst_rank=None if rank is None else rank.worst,
        rank_text=_ranks(rank),
        skill=found.skill,
        skill_interval=None if around is None else interval_text.interval(around, interval_text.signed),
        skill_text="–" if found.skill is None else interval_text.signed(found.skill),
        gap=None if found.gap is None else _gap(found.gap),
        bits=None if found.bits is None else _bits(found.bits),
        rows=RowsRecord(**asdict(found.rows)),
    )


def _ranks(rank: RankInterval | None) -> str:
    if rank is None:
        return "–"
    return str(rank.best) if rank.best == rank.worst else f"{rank.best}–{rank.worst}"


def _gap(found: TrainGap) -> GapRecord:
    return GapRecord(
        train_n=found.train_n,
        train_accuracy=found.train_accuracy,
        gap=found.test.difference,
        interval=interval_text.difference(found.test.interval),
        p=found.test.p,
        exact=found.test.exact,
        text=f"{interval_text.points(found.test.difference)} points",
    )


def _bits(found: ErrorBits) -> BitsRecord:
    return BitsRecord(
        error=found.error,
        log10_bits=_finite(found.log10_bits),
        text=_bits_text(found.log10_bits, found.least, found.most),
        lower=_finite(found.least),
        upper=_finite(found.most),
        log10_bits_over_chance=_finite(found.log10_bits_over_chance),
        over_chance_text=_bits_text(found.log10_bits_over_chance, found.least_over_chance, found.most_over_chance),
        over_chance_lower=_finite(found.least_over_chance),
        over_chance_upper=_finite(found.most_over_chance),
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _bits_text(value: float | None, least: float | None, most: float | None) -> str:
    if value is None:
        return "–" if least is None else f"at least {power(least)}"
    if least is None and most is not None and power(value) != power(most):
        return f"{power(value)} (at most {power(most)})"
    if least is None or most is None or power(least) == power(most):
        return power(value)
    return f"{power(value)} ({power(least)} to {power(most)})"


def _pair(found: PairScore) -> PairRecord:
    test = found.test
    is_equal = test.first_only == test.second_only
    return PairRecord(
        first=found.first,
        second=found.second,
        n=found.n,
        both=found.both,
        first_only=test.first_only,
        second_only=test.second_only,
        neither=found.neither,
        difference=found.difference,
        interval=interval_text.difference(found.interval),
        mcnemar=test.statistic,
        mcnemar_p=test.p,
        corrected=test.corrected_statistic,
        corrected_p=test.corrected_p,
        exact_p=test.exact_p,
        mid_p=test.mid_p,
        holm_p=found.holm_p,
        false_discovery=found.false_discovery,
        distinguishable=found.distinguishable,
        text="equal" if is_equal else f"{interval_text.points(found.difference)} points",
    )


def _between(found: OnTwoSets) -> BetweenRecord:
    test = found.test
    return BetweenRecord(
        model=found.model,
        n=found.n,
        accuracy=found.accuracy,
        other_n=found.other_n,
        other_accuracy=found.other_accuracy,
        difference=test.difference,
        interval=interval_text.difference(test.interval),
        standard_error=test.standard_error,
        z=_finite(test.z),
        p=test.p,
        pooled_z=_finite(test.pooled_z),
        pooled_p=test.pooled_p,
        holm_p=found.holm_p,
        exact=test.exact,
        text=f"{interval_text.points(test.difference)} points",
    )


def _line(found: AcrossSets, seed: int) -> LineRecord | None:
    if found.line is None:
        return None
    line, selection = found.line, found.selection
    return LineRecord(
        slope=line.slope,
        intercept=line.intercept,
        correlation=_correlation(line.correlation),
        everything=_correlation(selection.everything) if selection and selection.everything else None,
        subsets=() if selection is None else tuple(_subset(part) for part in selection.subsets),
        examples=found.examples,
        seed=seed,
        text=f"r = {interval_text.signed(line.correlation.r)} over {line.correlation.models} models in probit scale, "
        f"slope {line.slope:.2f}",
    )


def _subset(found: Subset) -> SubsetRecord:
    return SubsetRecord(
        size=found.size,
        selected=None if found.selected is None else _correlation(found.selected),
        held_out=None if found.held_out is None else _correlation(found.held_out),
        text=f"{counted(found.size, 'examples')}: {_held_out(found.held_out)}",
    )


def _held_out(found: Correlation | None) -> str:
    if found is None:
        return "the held-out models do not differ on them"
    said = f"r = {interval_text.signed(found.r)} on {found.models} held-out models"
    if found.interval.upper < 0:
        return f"{said}: better models do worse"
    return f"{said}: the line holds" if found.interval.lower > 0 else f"{said}: no line is seen"


def _correlation(found: Correlation) -> CorrelationRecord:
    ends = interval_text.interval(found.interval, interval_text.signed)
    return CorrelationRecord(models=found.models, r=found.r, interval=ends)


def _resolution(found: ScoreResolution) -> ResolutionRecord:
    mean = "the mean of the disagreements of models next to each other in accuracy here"
    how = mean if found.measured else "an assumption"
    same = f"the same examples that disagree on {percent(found.disagreement)} of them ({how})"
    said = [
        f"none between two models on {same}, which are too few for that"
        if found.paired is None
        else f"{_at_least(found.paired)} points between two models on {same}",
        "none on different examples, which are too few"
        if found.unpaired is None
        else f"{_at_least(found.unpaired)} points on different examples",
    ]
    return ResolutionRecord(
        **asdict(found),
        text=f"Smallest difference that {counted(found.n, 'examples')} show with probability {found.power:g} at level "
        f"{1 - found.level:.2g}: {'; '.join(said)}. {_corrected(found)}",
    )


def _at_least(share: float) -> str:
    """Word a smallest difference in points of percent, rounded up: one that is any smaller is not found so often."""
    # a share that is a whole number of tenths of a point is one of them, whatever its last digit as a double
    return f"{ceil(round(1000 * share, 6)) / 10:.1f}"


def _corrected(found: ScoreResolution) -> str:
    """Say what the correction for all pairs does to the smallest differences."""
    pairs = f"{counted(pairs_of(found.models), 'pairs')} of {found.models} models"
    said = [
        f"{'none' if value is None else f'{_at_least(value)} points'} on {where} examples"
        for value, where in ((found.paired_corrected, "the same"), (found.unpaired_corrected, "different"))
    ]
    return f"That is of one comparison; corrected for all {pairs} it is {', '.join(said)}."


def _notes(found: Scores) -> Iterable[str]:
    answers = found.test.predictions
    n_models = len(answers.models)
    if answers.right is None:
        yield "Only accuracies are known, so models are not compared on the same examples."
    elif n_models > LISTED:
        yield f"Pairs of the {LISTED} best of {n_models} models are listed; the correction is for all pairs."
    for name, counts in zip(answers.models, answers.counts, strict=True):
        lost = _lost(counts)
        if lost:
            yield f"{name}: {'; '.join(lost)}."
    other = None if found.against is None else found.against.predictions
    for others, where in ((found.train, "the training examples"), (other, "the other set")):
        alone = set() if others is None else set(answers.models) ^ set(others.models)
        if alone:
            yield f"Not on both the test set and {where}: {', '.join(sorted(alone))}."
    if len(found.between) > 1:
        yield "Differences between the two test sets take models one by one: they share the examples."


def _lost(counts: RowCounts) -> list[str]:
    named = (
        (counts.unmatched, "rows of no example"),
        (counts.repeated, "rows given again"),
        (counts.unreadable, "rows without an answer"),
        (counts.missing, "examples left out for want of an answer"),
        (counts.unknown, "predictions of no known class, counted as wrong"),
    )
    return [counted(count, what) for count, what in named if count]
