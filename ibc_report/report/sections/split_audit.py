"""The audit of a split as a record: what a card says of its test split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from ibc_report.common import wording
from ibc_report.evaluation.audit.audit import Classes, Memory, SplitAudit
from ibc_report.evaluation.audit.baselines import CorrectAnswers
from ibc_report.evaluation.audit.groups import SharedGroups
from ibc_report.evaluation.audit.joint_split import Splits
from ibc_report.evaluation.audit.leakage import NEAR_NEIGHBORS, Leakage, LeakedPair, texts_of
from ibc_report.evaluation.audit.shortcuts import LEVEL, Shortcut
from ibc_report.report.schema.split_audit import (
    EvaluationRecord,
    GroupRecord,
    LeakageRecord,
    LeakRecord,
    LostRecord,
    MemoryRecord,
    ShortcutRecord,
)
from ibc_report.report.sections import previews
from ibc_report.report.sections.interval_text import points, probability, share, shares
from ibc_report.report.sections.scores import (
    NAMES,
    TYPICAL,
    baseline_record,
    curve_record,
    curves_alternative,
    curves_text,
    percentage_points,
    precision_record,
)
from ibc_report.report.sections.warnings import flagged, groups_text, leaked, named, score_warnings

__all__ = ["split_audit_section", "unusable"]

MOST_EXCERPT = 120


def unusable(split: str, reason: str, n_train: int) -> EvaluationRecord:
    """Record a test split that says nothing.

    Parameters
    ----------
    reason : str
        Why, in one sentence.

    Examples
    --------
    >>> unusable("test", "it has no labels", 100).summary
    'The split cannot be used: it has no labels.'
    """
    said = f"The split cannot be used: {reason.rstrip('.')}."
    return EvaluationRecord(split=split, n=0, n_train=n_train, unusable=reason, summary=said)


def split_audit_section(found: SplitAudit, split: str) -> EvaluationRecord:
    """Word what was found of a test split."""
    splits, classes = found.splits, found.classes
    leaks, warnings = _leakage(found), score_warnings(found)
    common = {
        "split": split,
        "n": len(splits.test.positions),
        "n_train": len(splits.train.positions),
        "unusable": None,
        "warnings": warnings,
        "notes": _notes(found),
        "dropped": tuple(
            LostRecord(said=wording.counted(lost.count, lost.reason), count=lost.count, rows=lost.examples)
            for lost in splits.test.dropped
        ),
        "leakage": leaks,
    }
    if classes is None:
        first = warnings or (leaks.verdict,)
        summary = " ".join((*first, "Precision, baselines and shortcuts are for classes only."))
        return EvaluationRecord(summary=summary, **common)
    curves = tuple(curve_record(curve, found.dimension) for curve in classes.curves)
    shortcuts = sorted(classes.shortcuts, key=lambda one: -one.gain)
    return EvaluationRecord(
        summary=_summary(classes, warnings),
        unseen=classes.unseen,
        halfwidths={f"{row.accuracy:g}": row.wilson.halfwidth for row in classes.precision.rows},
        precision=precision_record(classes.precision, classes.widths),
        baselines=tuple(baseline_record(one) for one in classes.baselines),
        curves=curves,
        curves_text=curves_text(classes.curves, found.dimension),
        curves_alternative=curves_alternative(curves),
        shortcuts=tuple(_shortcut(one) for one in shortcuts),
        shortcuts_text=" ".join((_shortcuts_text(shortcuts), *_groups_texts(classes.groups))),
        groups=tuple(_group(one) for one in classes.groups),
        memory=_memory(classes.memory),
        **common,
    )


def _notes(found: SplitAudit) -> tuple[str, ...]:
    splits = found.splits
    n = len(splits.test.positions)
    notes = []
    if splits.train.encoded.transform is not None:
        notes.append(
            "The test rows are encoded by what was learned from the training rows alone: weights, axes, means and "
            "categories."
        )
    lost = splits.test.rows_read - n - sum(one.count for one in splits.test.dropped)
    if lost and not splits.test.sampled:
        notes.append(f"{wording.counted(lost, 'test rows')} without a usable target left out.")
    if splits.whole is not None:
        notes.append(
            f"Equal inputs and classes were sought among all {len(splits.whole.rows):,} training rows; distances, "
            f"n-grams and predictors are of the sample of {len(splits.train.positions):,}."
        )
    elif splits.train.sampled:
        notes.append(
            f"The training rows are a sample of {len(splits.train.positions):,}; the others may hold further test rows."
        )
    if splits.test.sampled:
        notes.append(f"A sample of {n:,} of {splits.test.rows_read:,} test rows, by a hash of (seed, row).")
    if found.asked < n:
        notes.append(f"Neighbours were sought for a hash sample of {found.asked:,} test rows.")
    return tuple(notes)


def _summary(classes: Classes, warnings: tuple[str, ...]) -> str:
    typical = next(row for row in classes.precision.rows if row.accuracy == TYPICAL)
    best = max(classes.baselines[2:], key=lambda one: one.scored.accuracy)
    precision = (
        f"An accuracy of {wording.percent(TYPICAL)} is known to ±{percentage_points(typical.wilson.halfwidth)} points; "
        f"the best of the simple predictors, {NAMES[best.key]}, is right on "
        f"{share(best.scored.accuracy, best.scored.n)}."
    )
    return " ".join((*warnings, precision))


def _leakage(found: SplitAudit) -> LeakageRecord:
    leaks, splits = found.leakage, found.splits
    n = len(splits.test.positions)
    every, not_exact, clean = (None, None, None) if found.classes is None else found.classes.cleaned
    texts = (texts_of(splits.test) if leaks.pairs else []) if splits.test.encoded.name == "text" else None
    overlap = leaks.overlap
    return LeakageRecord(
        asked=len(leaks.asked),
        equal_inputs=int(leaks.equal_inputs.sum()),
        equal_vectors=int(leaks.equal_vectors.sum()),
        near=int(leaks.near.sum()),
        near_ratio=leaks.ratio,
        overlapping=None if overlap is None else int(leaks.overlapping.sum()),
        ngram=None if overlap is None else overlap.n,
        threshold=None if overlap is None else overlap.threshold,
        leaked=int(leaks.leaked.sum()),
        disagreeing=leaks.disagreeing,
        own_share=leaks.own_near / leaks.own_asked if leaks.own_asked else 0.0,
        excess=leaks.excess,
        flagged=flagged(leaks),
        verdict=leaked(leaks, n, of_sample=splits.train.sampled),
        rows=_leak_rows(leaks, n, (every, not_exact, clean)),
        pairs=tuple(_pair(pair, splits, texts) for pair in leaks.pairs),
        accuracy=None if every is None else every.accuracy,
        accuracy_without_exact=None if not_exact is None else not_exact.accuracy,
        accuracy_without=None if clean is None else clean.accuracy,
    )


def _leak_rows(
    leaks: Leakage,
    n: int,
    cleaned: tuple[CorrectAnswers | None, CorrectAnswers | None, CorrectAnswers | None],
) -> tuple[tuple[str, str], ...]:
    def of(count: int, total: int) -> str:
        return f"{count:,} of {total:,} ({wording.proportion(count, total)})"

    own = ""
    if leaks.own_asked:
        near = wording.proportion(leaks.own_near, leaks.own_asked)
        more = "more" if leaks.excess else "no more than chance explains"
        own = f". Of training rows, {near} are as near to another one; of test rows {more}"
    rows = [
        ("Equal inputs", of(int(leaks.equal_inputs.sum()), n)),
        ("Equal vectors of other inputs", of(int(leaks.equal_vectors.sum()), len(leaks.asked))),
        (
            f"Near: closer than {wording.percent(leaks.ratio)} of the distance to the training row of rank "
            f"{NEAR_NEIGHBORS}, as one row in a thousand is by chance",
            of(int(leaks.near.sum()), len(leaks.asked)) + own,
        ),
    ]
    if leaks.overlap is not None:
        rows.append(
            (
                f"At least {wording.percent(leaks.overlap.threshold)} of the {leaks.overlap.n}-grams of words in the "
                "training split",
                of(int(leaks.overlapping.sum()), n)
                + (f"; {leaks.overlap.short:,} shorter texts are compared whole" if leaks.overlap.short else ""),
            )
        )
    rows.append(("Leaked rows: those above, without what chance explains", of(int(leaks.leaked.sum()), n)))
    rows.append(("Leaked rows whose label is not that of what they repeat", f"{leaks.disagreeing:,}"))
    names = ("1-NN accuracy", "… without rows that are repeated exactly", "… without leaked rows as well")
    if cleaned[0] is not None:
        for name, score in zip(names, cleaned, strict=True):
            said = "no row is left"
            if score is not None:
                ends = shares(score.interval, score.n).text
                said = f"{share(score.accuracy, score.n)} [{ends}] of {wording.counted(score.n, 'rows')}"
            rows.append((name, said))
    return tuple(rows)


def _pair(pair: LeakedPair, splits: Splits, texts: list[str] | None) -> LeakRecord:
    test, known = splits.test, splits.known
    said = "equal" if pair.distance == 0 or pair.kind == "equal inputs" else ""
    if not said and pair.distance is not None:
        said = f"distance {wording.number(pair.distance)}"
    if not said and pair.share is not None:
        said = f"{wording.percent(pair.share)} of n-grams"
    excerpt = None
    if texts is not None:
        text = texts[pair.test]
        excerpt = text if len(text) <= MOST_EXCERPT else text[: MOST_EXCERPT - 1] + "…"
    return LeakRecord(
        kind=pair.kind,
        test_row=int(test.numbers[pair.test]),
        train_row=int(known.rows[pair.train]),
        test_label=previews.worded(test.codes, test.values, splits.names, pair.test),
        train_label=previews.worded(known.codes, known.values, known.names, pair.train),
        agree=pair.agree,
        distance=pair.distance,
        share=pair.share,
        text=said,
        excerpt=excerpt,
    )


def _shortcut(found: Shortcut) -> ShortcutRecord:
    score, ends = found.scored, found.interval
    return ShortcutRecord(
        kind=found.nuisance.kind,
        name=found.nuisance.name,
        n=score.n,
        accuracy=score.accuracy,
        gain=found.gain,
        lower=ends.lower,
        upper=ends.upper,
        p=found.p,
        corrected=found.corrected,
        flagged=found.flagged,
        accuracy_text=f"{share(score.accuracy, score.n)} [{shares(score.interval, score.n).text}]",
        gain_text=f"{points(found.gain)} [{points(ends.lower)}, {points(ends.upper)}]",
        p_text=probability(found.corrected),
    )


def _shortcuts_text(found: list[Shortcut]) -> str:
    if not found:
        return (
            "Nothing was tried: the rows differ in nothing beside their inputs, or all test rows repeat training rows."
        )
    tried = (
        "A small tree on one property at a time, from training rows, scored on "
        f"{found[0].scored.n:,} test rows that repeat no training row, against their most common class; {len(found)} "
        f"tried, corrected for that after Holm at {wording.percent(LEVEL)}."
    )
    telling = [one for one in found if one.flagged]
    if not telling:
        return f"{tried} None tells the class beyond chance."
    tell = "1 tells" if len(telling) == 1 else f"{len(telling)} tell"
    return f"{tried} {tell} the class beyond chance: {named(telling)}."


def _groups_texts(found: Sequence[SharedGroups]) -> Iterator[str]:
    """What the rows of the own group tell, for each column whose groups both splits share."""
    for one in found:
        if one.flagged:
            yield groups_text(one)
        else:
            yield f"The groups of '{one.name}', which both splits have, are of no matter to the nearest training row."


def _group(found: SharedGroups) -> GroupRecord:
    own, other = found.without_own, found.without_other
    return GroupRecord(
        name=found.name,
        groups=found.groups,
        n=own.n,
        own=found.own,
        chance=found.chance,
        accuracy_without_own=own.accuracy,
        accuracy_without_other=other.accuracy,
        loss=found.loss,
        lower=found.interval.lower,
        upper=found.interval.upper,
        p=found.p,
        corrected=found.corrected,
        flagged=found.flagged,
    )


def _memory(found: Memory) -> MemoryRecord:
    (train, train_entropy), (test, test_entropy) = found.train, found.test
    text = (
        f"To memorise the training labels takes {_bits(train)} bits, or {_bits(train_entropy)} with the classes' "
        f"frequencies known; the test labels take {_bits(test)}, or {_bits(test_entropy)}."
    )
    free = None
    if found.free is not None:
        free = found.free.log10_bits if isfinite(found.free.log10_bits) else None
        left = "no bit" if free is None else f"{wording.power(free)} bits"
        text += (
            f" The inputs are finite in number ({wording.power(found.free.log10_domain)}), and the training rows leave "
            f"{left} of a function on them free."
        )
    return MemoryRecord(
        train=train,
        train_entropy=train_entropy,
        test=test,
        test_entropy=test_entropy,
        log10_free=free,
        text=text,
    )


def _bits(value: float) -> str:
    return wording.count(round(value))
