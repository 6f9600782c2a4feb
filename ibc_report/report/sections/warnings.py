"""What is doubtful of a number on these data and of a score on a test split, a sentence each, most at stake first.

Of a number the verdicts on its assumptions say what is doubtful, each in the words of its assumption, by the decades
that it is worth; what cannot be put in decades comes after. Of a score the audit of its split says it, by the points of
accuracy that it may be worth. Points and decades do not compare: a card says the score's first, for a leak spoils every
score, whatever the number is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from ibc_report.common import wording
from ibc_report.complexity import Complexity
from ibc_report.data.examples import Examples
from ibc_report.evaluation.audit.audit import SplitAudit
from ibc_report.evaluation.audit.groups import SharedGroups
from ibc_report.evaluation.audit.leakage import Leakage
from ibc_report.evaluation.audit.shortcuts import Shortcut
from ibc_report.geometry import Geometry
from ibc_report.geometry.dimension.estimators import PAPER_K
from ibc_report.geometry.neighbors.random_projection import REDUCED_FEATURES
from ibc_report.report.assumptions.assumption import Judgement
from ibc_report.report.assumptions.ledger import LEDGER
from ibc_report.report.schema.sections import AssumptionRecord
from ibc_report.report.schema.split_audit import EvaluationRecord
from ibc_report.report.sections import calibration
from ibc_report.report.sections.scores import target_leaks_text

__all__ = [
    "CardWarning",
    "flagged",
    "leaked",
    "named",
    "number_warnings",
    "ordered",
    "score_warnings",
]

MANY_CLASSES = 20
"""Whole numbers with more values than this may be counts, not labels."""

INTERVALS = {
    "m, this scale": "interval of the dimension at this scale",
    "δ": "interval of the margin",
    "bits, this scale": "interval of the bits at this scale",
    "m, true": "interval of the true dimension",
    "bits, true": "interval of the bits for the true dimension",
}
"""The intervals whose coverage was counted."""

FEW_ROWS = 200
"""Rows of the smallest tasks on which the intervals were calibrated."""

LOST = 0.01
"""More lost rows than this share may bias what is left."""

MOST_NAMED = 5
"""Shortcuts or classes that a sentence names."""

LEAKS = (
    ("repeats a training row", "repeat a training row", "equal to one"),
    (
        "shares most n-grams with a training text",
        "share most n-grams with a training text",
        "with most of a text's n-grams",
    ),
    (
        "lies closer to a training row than chance allows",
        "lie closer to a training row than chance allows",
        "closer to one than chance allows",
    ),
)
"""What leaked rows do, for one and for several, and as a part of all: exactly, by n-grams, nearly."""

MOST = 0.5
"""Share of repeated test rows from which on a score shows memory more than anything else."""


@dataclass(frozen=True, slots=True)
class CardWarning:
    """What is doubtful, in one or more sentences.

    Parameters
    ----------
    stake : float or None
        Decades of the bits, or points of a score, that it may be worth; inf where it decides the value, None where
        nothing tells.
    """

    text: str
    stake: float | None = None


def ordered(found: Iterable[CardWarning]) -> tuple[str, ...]:
    """Put the most at stake first, and what nothing tells the stake of last, in the order in which it came.

    Examples
    --------
    >>> ordered([CardWarning("a note"), CardWarning("small", 0.1), CardWarning("large", 3.0)])
    ('large', 'small', 'a note')
    """
    return tuple(one.text for one in sorted(found, key=lambda one: inf if one.stake is None else -one.stake))


def number_warnings(
    task: Complexity,
    geometry: Geometry | None,
    examples: Examples | None,
    ledger: Sequence[AssumptionRecord],
    tested: EvaluationRecord | None = None,
) -> tuple[str, ...]:
    """Say what is doubtful of a number, after what is doubtful of scores on its task.

    Parameters
    ----------
    geometry, examples : Geometry, Examples or None
        What the number was measured on; None for a declared task.
    tested : EvaluationRecord, optional
        What the test split can tell; without it an input that gives the target away is sought among the examples.
    """
    of_number = [*_of_formula(task), *_of_verdicts(task, ledger)]
    if geometry is None or examples is None:
        return (*ordered(of_number), "The inputs are declared, not measured: nothing here was checked on data.")
    of_score = tested.warnings if tested is not None else _given_away(examples)
    of_data = [*_of_search(geometry), *_of_classes(geometry, examples), *_of_rows(examples)]
    return (*of_score, *ordered([*of_number, *of_data]))


def _of_formula(task: Complexity) -> Iterator[CardWarning]:
    """The formula's flags that no verdict repeats: where it ends, the number is what it ends at."""
    judged = {entry.flag for entry in LEDGER}
    return (CardWarning(flag.text, inf) for flag in task.flags if flag.code not in judged)


def _of_verdicts(task: Complexity, ledger: Sequence[AssumptionRecord]) -> Iterator[CardWarning]:
    """A sentence for each assumption that does not hold, in its own words, with what it is worth."""
    flags = {flag.code: flag.text.rstrip(".") for flag in task.flags}
    by_id = {entry.id: entry for entry in LEDGER}
    for verdict in ("violated", "doubtful"):
        for record in ledger:
            if record.verdict != verdict:
                continue
            entry = by_id[record.id]
            by_formula = flags.get(entry.flag or "")
            first = by_formula or entry.words(Judgement(record.verdict, record.threshold))
            # of other features the finding is what they are worth
            told = record.change_text is None or record.change_text in (record.diagnostic or "")
            worth = "" if told else f"; {record.change_text}"
            stake = inf if by_formula else None if record.change is None else abs(record.change)
            more = "" if by_formula or record.diagnostic is None else f" {record.diagnostic}"
            yield CardWarning(f"{first} ({record.id} {verdict}{worth}).{more}", stake)


def _of_search(geometry: Geometry) -> Iterator[CardWarning]:
    """What was not searched exactly, and intervals that are known to fall short at this size."""
    if geometry.queries is not None:
        seen = " The margin is the smallest distance seen from them; the closest pair of all may be closer."
        yield CardWarning(
            f"Only {wording.count(geometry.queries)} of {wording.count(geometry.distinct)} points were asked for their "
            f"neighbours, chosen by a hash of (seed, row).{'' if geometry.margin_is_exact else seen}"
        )
    if geometry.distortion is not None:
        yield CardWarning(
            f"The {wording.count(geometry.features)} features were projected at random to "
            f"{wording.count(REDUCED_FEATURES)}: with probability 1 − 1/n no squared distance changes by more than "
            f"{wording.percent(geometry.distortion)}; the margin is a distance of projected points too."
        )
    if geometry.n < FEW_ROWS:
        yield CardWarning(
            f"{wording.count(geometry.n)} rows are few: the intervals were calibrated on {FEW_ROWS} rows and more."
        )
    yield from (CardWarning(_shortfall(region)) for region in calibration.shortfalls(geometry.dimension, geometry.n))


def _of_classes(geometry: Geometry, examples: Examples) -> Iterator[CardWarning]:
    """Classes too small for the neighbours of a row to be of its class."""
    few = [
        f"'{name}' ({wording.counted(count, 'rows')})"
        for name, count in zip(examples.names, geometry.class_counts, strict=False)
        if count <= PAPER_K
    ]
    if few:
        which = "One class has" if len(few) == 1 else f"{len(few)} classes have"
        yield CardWarning(
            f"{which} too few rows for the k = {PAPER_K} nearest of a row to be of its class: {_listed(few)}."
        )


def _of_rows(examples: Examples) -> Iterator[CardWarning]:
    """How the rows were read: their target, those that were lost, and the encoder's choices."""
    if examples.counted and len(examples.names) > MANY_CLASSES:
        yield CardWarning(
            f"The whole numbers of '{examples.target}' were taken as {len(examples.names)} classes; --kind values "
            "regresses on them instead."
        )
    lost = sum(dropped.count for dropped in examples.dropped)
    if lost > LOST * examples.rows_read:
        yield CardWarning(f"Rows that could not be used: {wording.count(lost)} of {wording.count(examples.rows_read)}.")
    yield from map(CardWarning, examples.encoded.notes)


def _given_away(examples: Examples) -> tuple[str, ...]:
    """That an input tells the target by itself."""
    # it brings more of scipy, which is wanted on cards only
    from ibc_report.evaluation.audit.target_leakage import target_leaks

    found = target_leaks(examples)
    return (target_leaks_text(found, is_class=examples.codes is not None),) if found else ()


def _shortfall(region: calibration.Region) -> str:
    """That an interval was found too narrow where the truth is known."""
    return (
        f"On synthetic tasks of about this dimension and size the {INTERVALS[region.interval]} covered the truth in "
        f"{wording.percent(region.covered)} of draws, not in the {wording.percent(region.promised)} that it promises."
    )


def score_warnings(found: SplitAudit) -> tuple[str, ...]:
    """Say what makes a score on a split doubtful, by the points of accuracy that may hang on it.

    An input that gives the answer away is worth all of them, leaked rows and rows of unseen classes their share, and
    shortcuts the gain of the best.
    """
    leaks, classes, n = found.leakage, found.classes, len(found.splits.test.positions)
    said = []
    if flagged(leaks):
        text = leaked(leaks, n, of_sample=found.splits.train.sampled)
        said.append(CardWarning(text, 100 * float(leaks.leaked.sum()) / n))
    if found.target_leaks:
        said.append(CardWarning(target_leaks_text(found.target_leaks, is_class=classes is not None), 100.0))
    if classes is not None:
        telling = [one for one in classes.shortcuts if one.flagged]
        if telling:
            text = f"The class can be told in part from what should not matter: {named(telling)}."
            said.append(CardWarning(text, 100 * max(one.gain for one in telling)))
        said += [CardWarning(groups_text(one), 100 * one.loss) for one in classes.groups if one.flagged]
        said += _unseen(found)
    return ordered(said)


def groups_text(found: SharedGroups) -> str:
    """Say how a test row is known by the training rows of its own group."""
    n = found.without_own.n
    own, other = (wording.percent(one.accuracy) for one in (found.without_own, found.without_other))
    return (
        f"A score here is one on known groups of '{found.name}': the nearest training row is of the same one for "
        f"{wording.percent(found.own)} of the test rows ({wording.percent(found.chance)} by chance). With the training "
        f"rows of its own group left out, the nearest one has the right class for {own} of them; with those of another "
        f"group left out, for {other} ({n:,} test rows, {found.groups} groups)."
    )


def flagged(leaks: Leakage) -> bool:
    """Whether rows are repeated exactly, beyond what chance explains, by n-grams, or nearly in excess."""
    return bool(leaks.leaked.any())


def leaked(leaks: Leakage, n: int, *, of_sample: bool = False) -> str:
    """Say how many test rows the training split holds.

    Parameters
    ----------
    n : int
        Test rows.
    of_sample : bool
        Whether distances are those to a sample of the training rows.

    Returns
    -------
    str
        A sentence, also where there is no leak.
    """
    total, exact = int(leaks.leaked.sum()), int(leaks.exact.sum())
    if not total and exact:
        return (
            f"No leak was found: {exact:,} of {n:,} test rows ({wording.proportion(exact, n)}) "
            f"{'repeats' if exact == 1 else 'repeat'} a training row, as chance explains: inputs take few values, and "
            "training rows repeat each other as often."
        )
    if not total:
        near = "one of the sample" if of_sample else "one"
        return (
            f"No leak was found: no test row repeats a training row, and no more are near {near} than chance explains."
        )
    left, counts = leaks.leaked, []
    for flags in (leaks.exact, leaks.overlapping, leaks.near):
        counts.append(int((left & flags).sum()))
        left = left & ~flags
    kinds = [(count, *LEAKS[place]) for place, count in enumerate(counts) if count]
    (_, one, many, _), *others = kinds
    said = one if total == 1 else many
    if others:
        parts = ", ".join(f"{count:,} {part}" for count, _, _, part in kinds)
        said = f"repeat a training row, or nearly do: {parts}"
    tail = ""
    if counts[0] + counts[1] >= MOST * n:
        tail = ", so a score on them shows what was memorised, not what was learned"
    return f"Leakage: {total:,} of {n:,} test rows ({wording.proportion(total, n)}) {said}{tail}."


def named(found: Sequence[Shortcut]) -> str:
    """Name shortcuts, the largest gain first.

    After five names the rest is only counted.
    """
    ranked = sorted(found, key=lambda one: -one.gain)
    return _listed([one.nuisance.name for one in ranked])


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _unseen(found: SplitAudit) -> Iterator[CardWarning]:
    """Rows of classes that the training split lacks: no model that learned from it is right on them."""
    known, test = found.splits.known, found.splits.test.codes
    assert known.codes is not None
    assert test is not None
    unseen = test[~np.isin(test, known.codes)]
    if not len(unseen):
        return
    lacking = "training split" if known.is_whole else "sample of the training split"
    names = [f"'{found.splits.names[code]}'" for code in np.unique(unseen).tolist()]
    yield CardWarning(
        f"{len(unseen):,} of {len(test):,} test rows ({wording.proportion(len(unseen), len(test))}) "
        f"{'is' if len(unseen) == 1 else 'are'} of {'a class' if len(names) == 1 else 'classes'} that the {lacking} "
        f"lacks ({_listed(names)}), so no model that learned from it can be right on "
        f"{'it' if len(unseen) == 1 else 'them'}.",
        100 * len(unseen) / len(test),
    )
