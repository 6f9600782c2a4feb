"""Models' answers matched to the examples of a test set: who has which right, and which rows do not match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import DataError, UsageError
from ibc_report.common.wording import counted, percent
from ibc_report.data.sources import Rows
from ibc_report.evaluation.scoring import repeats
from ibc_report.evaluation.scoring.answers import Answers, Score
from ibc_report.evaluation.scoring.class_scores import decided
from ibc_report.evaluation.scoring.columns import laid_out
from ibc_report.evaluation.scoring.files import read_tables
from ibc_report.evaluation.scoring.grading import Grader
from ibc_report.evaluation.scoring.matching import MatchedBy, SplitSize, placed
from ibc_report.evaluation.scoring.spelling import plain

__all__ = ["MAX_UNMATCHED", "Predictions", "RowCounts", "Score", "match", "of_scores", "of_split", "read"]

MAX_UNMATCHED = 0.01
"""Share of rows that may be unmatched, repeated or unreadable, and of examples that may be without an answer."""

EXAMPLES = 3
"""Rows that an error shows."""


@dataclass(frozen=True, slots=True)
class RowCounts:
    """What became of a model's rows.

    Parameters
    ----------
    unmatched : int
        Rows that are of no example.
    repeated : int
        Further rows of an example that has one already; the first counts.
    unreadable : int
        Rows that cannot be read or say nothing.
    missing : int
        Examples without an answer.
    unknown : int
        Predictions that name no class of the task, or are no numbers; they count as wrong.
    """

    given: int = 0
    unmatched: int = 0
    repeated: int = 0
    unreadable: int = 0
    missing: int = 0
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class Predictions:
    """What models have right on one test set.

    Parameters
    ----------
    models : tuple of str
        Their names, sorted.
    correct, n : ndarray of float64, shape (models,)
        Correct answers, and examples with an answer.
    right, answered : ndarray of bool, shape (models, examples), or None
        Which; None where only scores are known.
    examples : tuple of str
        Names of the examples: row numbers, or what they were matched by.
    matched_by : tuple of MatchedBy
        What rows found their examples by, each way once; empty for published accuracies.
    notes : tuple of str
        What was chosen in reading them, a sentence each.
    """

    models: tuple[str, ...]
    correct: NDArray[np.float64]
    n: NDArray[np.float64]
    right: NDArray[np.bool_] | None
    answered: NDArray[np.bool_] | None
    examples: tuple[str, ...]
    counts: tuple[RowCounts, ...]
    matched_by: tuple[MatchedBy, ...]
    notes: tuple[str, ...] = ()


def read(
    paths: Sequence[Path],
    *,
    key: str | None = None,
    model_columns: Sequence[str] = (),
    where: Sequence[tuple[str, str]] = (),
    may_lack: bool = False,
) -> tuple[list[Answers], list[Score]]:
    """Read files of predictions in any of the known layouts (see `ibc_report.evaluation.scoring.columns`).

    Parameters
    ----------
    where : sequence of tuple of str
        Columns and the values that rows have there which count.
    may_lack : bool
        Whether all of the files may lack such a column.

    Returns
    -------
    tuple
        Answers and published scores; one of the two lists is empty.

    Raises
    ------
    UsageError
        If a path or a column does not exist, or answers and scores are mixed.
    DataError
        If a file is empty or cannot be read.
    """
    answers: list[Answers] = []
    scores: list[Score] = []
    for table in repeats.where(read_tables(paths), where, may_lack=may_lack):
        found, published = laid_out(table, key=key, model_columns=model_columns)
        answers += [part for one in found for part in repeats.apart_by_column(one)]
        scores += published
    if answers and scores:
        raise UsageError(
            f"{answers[0].file} holds answers, and another file accuracies: the two cannot be compared row by row; "
            "give them to two commands"
        )
    names = [score.model for score in scores]
    twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if twice is not None:
        raise DataError(f"the accuracy of model '{twice}' is given twice; keep one")
    return answers, scores


def of_split(answers: Sequence[Answers], split: str | None) -> list[Answers]:
    """Keep the rows of one split; files without a column that says the split are kept whole.

    Parameters
    ----------
    split : str or None
        The one to keep; None keeps all.

    Raises
    ------
    DataError
        If no row is of that split.
    """
    if split is None:
        return list(answers)
    kept, others = [], set()
    for one in answers:
        if one.split is None:
            kept.append(one)
            continue
        said = [plain(one.columns[one.split][line]) for line in one.lines]
        others.update(said)
        places = [place for place, name in enumerate(said) if name == split]
        if places:
            values, lines = tuple(one.values[i] for i in places), tuple(one.lines[i] for i in places)
            kept.append(replace(one, values=values, lines=lines))
    if answers and not kept:
        raise DataError(
            f"{answers[0].file} has no row of split '{split}'; its column '{answers[0].split}' holds: "
            f"{', '.join(sorted(others))}"
        )
    return kept


def of_scores(
    scores: Sequence[Score], extent: SplitSize | None = None, *, max_unmatched: float = MAX_UNMATCHED
) -> Predictions:
    """Take published accuracies, of which no single answer is known.

    Parameters
    ----------
    extent : SplitSize, optional
        How many examples there are, where a report says so.
    max_unmatched : float
        Share of the examples that a score may leave out.

    Raises
    ------
    DataError
        If a score is of more examples than there are, or leaves out more than the share.

    Examples
    --------
    >>> of_scores([Score("a", 0.782, 1319)]).correct.round(3).tolist()
    [1031.458]
    """
    if extent is not None:
        extent.refuse_others(scores, max_unmatched)
    ordered = sorted(scores, key=lambda score: score.model)
    n = np.array([score.n for score in ordered], dtype=np.float64)
    return Predictions(
        models=tuple(score.model for score in ordered),
        correct=np.array([score.accuracy for score in ordered]) * n,
        n=n,
        right=None,
        answered=None,
        examples=(),
        counts=tuple(RowCounts(given=score.n) for score in ordered),
        matched_by=(),
    )


def match(
    answers: Sequence[Answers],
    rows: Rows | None,
    grader: Grader,
    *,
    extent: SplitSize | None = None,
    max_unmatched: float = MAX_UNMATCHED,
) -> Predictions:
    """Match answers to examples, and grade them.

    Parameters
    ----------
    answers : sequence of Answers
        From `read`, of one split.
    rows : Rows or None
        The examples; None where they are not at hand, and the examples are those that any model answers.
    extent : SplitSize, optional
        How many examples there are, where they are not at hand and a report says so.
    max_unmatched : float
        Share of a model's rows that may be lost or name no class, and of the examples that it may leave without an
        answer.

    Raises
    ------
    UsageError
        If rows cannot be told to be of examples, or predictions cannot be graded.
    DataError
        If more than the share is lost.
    """
    if not answers:
        raise DataError("the files hold no answer; give predictions of at least one model")
    if not 0 <= max_unmatched < 1:
        raise UsageError(f"--max-unmatched {max_unmatched:g} is not a share from 0 to below 1; take 0.01, say")
    answers = [decided(one, grader) for one in answers]
    places, examples, ways = placed(answers, rows, extent)
    answers = repeats.named_by_files(answers, places)
    models = tuple(sorted({one.model for one in answers}))
    right = np.zeros((len(models), len(examples)), dtype=bool)
    answered = np.zeros_like(right)
    counts = [RowCounts() for _ in models]
    strange: dict[str, str] = {}
    again = {one.model: f"rows given again ({one.again})" for one in answers if one.again}
    gradable = grader.gradable(len(examples)) if any(one.kind == "prediction" for one in answers) else None
    for one, place in zip(answers, places, strict=True):
        index = models.index(one.model)
        counts[index], unknown = _take(one, place, grader, gradable, right[index], answered[index], counts[index])
        if unknown:
            strange.setdefault(one.model, f"predictions {grader.unnamed(unknown[0])}")
    if gradable is not None:
        answered &= gradable
    expected = int(gradable.sum()) if gradable is not None else len(examples)
    if rows is None and extent is not None:
        expected = extent.usable
    n = answered.sum(axis=1)
    counts = [replace(count, missing=max(0, expected - int(some))) for count, some in zip(counts, n, strict=True)]
    wanted = np.ones(len(examples), dtype=bool) if gradable is None else gradable
    for index, (model, count) in enumerate(zip(models, counts, strict=True)):
        missing = np.flatnonzero(wanted & ~answered[index])
        said = (strange.get(model, ""), again.get(model, "rows given again"))
        _refuse_losses(model, count, expected, max_unmatched, examples, missing, said)
    right &= answered
    return Predictions(
        models=models,
        correct=right.sum(axis=1).astype(np.float64),
        n=n.astype(np.float64),
        right=right,
        answered=answered,
        examples=examples,
        counts=tuple(counts),
        matched_by=tuple(dict.fromkeys(ways)),
        notes=tuple(dict.fromkeys(note for one in answers for note in one.notes)),
    )


def _take(
    one: Answers,
    place: NDArray[np.int64],
    grader: Grader,
    gradable: NDArray[np.bool_] | None,
    right: NDArray[np.bool_],
    answered: NDArray[np.bool_],
    counts: RowCounts,
) -> tuple[RowCounts, tuple[str, ...]]:
    """Write one file's answers of a model into its rows of the two arrays; count what is lost and not known."""
    unreadable = np.array([value is None for value in one.values], dtype=bool)
    if one.kind == "prediction":
        unreadable |= grader.silent([value or "" for value in one.values])
    # what is said of an example without a label is neither right nor wrong, nor lost
    idle = np.zeros_like(unreadable)
    if one.kind == "prediction" and gradable is not None:
        idle = (place >= 0) & ~gradable[place]
    unreadable &= ~idle
    unmatched = ~unreadable & (place < 0)
    usable = np.flatnonzero(~unreadable & ~unmatched & ~idle)
    _, first = np.unique(place[usable], return_index=True)
    fresh = usable[np.sort(first)]
    fresh = fresh[~answered[place[fresh]]]
    unknown: tuple[str, ...] = ()
    if one.kind == "prediction":
        verdicts, unknown = grader.grade([one.values[i] for i in fresh], place[fresh], one.file)
    else:
        verdicts = np.array([one.values[i] for i in fresh], dtype=bool)
    right[place[fresh]] = verdicts
    answered[place[fresh]] = True
    total = RowCounts(
        given=counts.given + len(one.values),
        unmatched=counts.unmatched + int(unmatched.sum()),
        repeated=counts.repeated + len(usable) - len(fresh),
        unreadable=counts.unreadable + int(unreadable.sum()),
        unknown=counts.unknown + len(unknown),
    )
    return total, unknown


def _refuse_losses(
    model: str,
    counts: RowCounts,
    expected: int,
    most: float,
    examples: tuple[str, ...],
    missing: NDArray[np.int64],
    words: tuple[str, str],
) -> None:
    if counts.given == 0 or counts.missing == expected:
        raise DataError(f"model '{model}' answers none of the {expected:,} examples; check that its rows are theirs")
    lost = counts.unmatched + counts.repeated + counts.unreadable + counts.unknown
    shares = (lost / counts.given, counts.missing / expected)
    if max(shares) <= most:
        return
    said = []
    for count, what in (
        (counts.unmatched, "rows of no example"),
        (counts.repeated, words[1]),
        (counts.unreadable, "rows without an answer"),
    ):
        if count:
            said.append(counted(count, what))
    if counts.unknown:
        said.append(f"{counts.unknown:,} of {counts.given:,} {words[0]}")
    if counts.missing:
        shown = ", ".join(f"'{examples[i][:40]}'" for i in missing[:EXAMPLES])
        first = f" (first: {shown})" if shown else ""
        said.append(f"{counts.missing:,} of {expected:,} examples missing{first}")
    raise DataError(
        f"model '{model}': {', '.join(said)}; that is {percent(max(shares))}, and {percent(most)} is allowed: mend "
        "the file, or allow more with --max-unmatched"
    )
