"""A task and files of predictions to Results: the one place where reading, matching and judging meet."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ibc_report import pipeline, sources
from ibc_report.complexity import evaluate
from ibc_report.errors import IbcReportError, UsageError
from ibc_report.evaluation import judging, predictions
from ibc_report.evaluation.grading import Grader
from ibc_report.evaluation.held_out import USUAL_NAMES
from ibc_report.evaluation.intervals import LEVEL
from ibc_report.evaluation.judging import Baseline, Scored
from ibc_report.evaluation.layouts import Answers, Score, plain
from ibc_report.evaluation.predictions import MAX_UNMATCHED, Predictions
from ibc_report.evaluation.results import Results
from ibc_report.report import Report, load_report
from ibc_report.sources import Origin, Rows
from ibc_report.task import NO_TEST, Task
from ibc_report.wording import percent

__all__ = ["Reading", "examine", "subject"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How predictions are read and graded.

    Parameters
    ----------
    split : str, optional
        The split that they are of; the test split by default, or the only one.
    key : str, optional
        Column that says which example a row is of.
    model_columns : tuple of str
        Columns that are named by models.
    tolerance : float, optional
        Of a target of values: a prediction is right where it differs by no more.
    max_unmatched : float
        Share of rows that may be lost, and of examples that may be without an answer.
    level : float
        Of all intervals; 1 − level is the size of all tests.
    bits : bool
        Whether to measure the task for the bits of errors, where no report is given.
    """

    split: str | None = None
    key: str | None = None
    model_columns: tuple[str, ...] = ()
    tolerance: float | None = None
    max_unmatched: float = MAX_UNMATCHED
    level: float = LEVEL
    bits: bool = True


def subject(name: str, **settings: object) -> Task | Report:
    """Take what a user names as a task: a saved report, or a source.

    Parameters
    ----------
    name : str
        Path of a report, or a source as for a card.
    **settings
        Fields of a `Task`, for a source.

    Returns
    -------
    Task or Report

    Raises
    ------
    UsageError
        If a setting is not known, or settings are given beside a report.

    Examples
    --------
    >>> subject("builtin:digits").name
    'digits'
    """
    if _is_report(Path(name)):
        given = [key for key, value in settings.items() if value is not None]
        if given:
            raise UsageError(f"{name} is a report, which has its {', '.join(given)} already; leave the option out")
        return load_report(name)
    return Task.of(name, **settings)


def examine(
    task: Task | Report,
    files: Sequence[Path],
    *,
    train: Sequence[Path] = (),
    against: tuple[str, Sequence[Path]] | None = None,
    reading: Reading | None = None,
    base: Path = Path(),
    progress: pipeline.Progress = lambda stage, fraction: None,
) -> Results:
    """Read predictions, match them to the examples of a task, and say what the scores tell.

    Parameters
    ----------
    task : Task or Report
        What the predictions are of. With a report its data are read only where predictions have to be graded.
    files : sequence of Path
        Predictions.
    train : sequence of Path
        Predictions on the training split.
    against : tuple of str and sequence of Path, optional
        Another test set, as `task` would name it, and predictions on it. Of published accuracies the name is only a
        name.
    reading : Reading, optional
        How to read and grade.
    base : Path
        Folder that relative paths of sources start from.
    progress : callable
        Told the name of a stage and the fraction of it that is done.

    Returns
    -------
    Results

    Raises
    ------
    UsageError
        If something that is named does not exist or does not fit.
    DataError
        If data or predictions cannot be read, or too many rows do not match.
    """
    reading = reading or Reading()
    answers, scores = predictions.read(files, key=reading.key, model_columns=reading.model_columns)
    side = _Side.of(task, reading, base, graded=_has_predictions(answers))
    wanted = side.wanted(answers, reading.split)
    found = _predictions(answers, scores, side.rows, wanted, side.grader(reading), reading)
    report, why = _measured(task, reading, progress, base)
    notes = side.notes(report)
    if side.rows is None and not scores:
        notes.append("The data were not read: the examples are those that the files name.")
    practice = _train(task, train, answers, wanted, reading, base)
    other = _against(against, reading, base) if against is not None else None
    if practice is not None:
        practice, said = _alike(found, practice, "the training split")
        notes += said
    if other is not None:
        alike, said = _alike(found, other.predictions, other.name)
        other = replace(other, predictions=alike)
        notes += said
    test = Scored(side.name, side.revision, side.shown(wanted), found, side.baseline(report, reading))
    bits_are = why
    complexity = None
    if report is not None:
        complexity = evaluate(report.family, report.inputs, report.convention)
        bits_are = _rests_on(report, has_chance=complexity.chance_error is not None)
    return judging.judge(
        test,
        name=task.name,
        title=task.title or (report.title if report else task.name),
        train=practice,
        against=other,
        complexity=complexity,
        bits_are=bits_are,
        level=reading.level,
        seed=task.seed if isinstance(task, Task) else task.repeat.seed,
        notes=tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """One test set: its rows, where they are at hand, and what is known of it besides."""

    name: str
    revision: str | None
    task: Task | None
    rows: Rows | None
    reason: str

    @classmethod
    def of(cls, task: Task | Report, reading: Reading, base: Path, *, graded: bool) -> _Side:
        if isinstance(task, Task):
            if task.source is None:
                raise UsageError(f"{task.name} is declared by its numbers: give a report of it, and columns 'correct'")
            rows = _rows(task, reading.split, base)
            return cls(task.source, rows.origin.revision, task, rows, "")
        if task.data is None:
            return cls(task.name, None, None, None, "the report is of a declared task, which has no data")
        source = _source(task)
        if not graded:
            return cls(task.data.source, task.data.revision, source, None, "")
        try:
            rows = _rows(source, reading.split, base)
        except IbcReportError as error:
            raise UsageError(
                f"predictions are graded by the data of the report, which cannot be read ({error}); give a column "
                "'correct' instead"
            ) from error
        return cls(task.data.source, rows.origin.revision, source, rows, "")

    def wanted(self, answers: Sequence[Answers], split: str | None) -> str | None:
        """The split whose rows are kept: of files that say it, and of the data."""
        if split is not None:
            return split
        said = {
            plain(value)
            for one in answers
            if one.split is not None
            for value in (one.columns[one.split][line] for line in one.lines)
        }
        usual = next((name for name in USUAL_NAMES if name in said), None)
        if self.rows is not None and (usual is None or self.rows.origin.split in said):
            return self.rows.origin.split
        return usual

    def shown(self, split: str | None) -> str | None:
        """The split as it is printed: a source without splits is called by none."""
        return None if self.rows is not None and len(self.rows.origin.splits) < 2 else split

    def grader(self, reading: Reading) -> Grader:
        if self.rows is None or self.task is None:
            return Grader.none(self.reason or "the data of the task are not at hand")
        task = self.task
        return Grader.of(self.rows, target=task.target, inputs=task.inputs, kind=task.kind, tolerance=reading.tolerance)

    def baseline(self, report: Report | None, reading: Reading) -> Baseline:
        here = self.grader(reading).class_counts if self.rows is not None else {}
        there = dict(report.data.classes) if report is not None and report.data is not None else {}
        split = f" of split '{report.data.split}'" if report and report.data and report.data.split else ""
        if there:
            top = max(sorted(there), key=lambda name: there[name])
            if here:
                share = here.get(top, 0) / sum(here.values())
                return Baseline(share, f"Skill is over always answering '{top}', the most frequent class{split}.")
            share = there[top] / sum(there.values())
            return Baseline(
                share,
                f"Skill is over always answering '{top}', taken to be as frequent as among the rows{split} "
                f"({percent(share)}).",
            )
        if here:
            top = max(sorted(here), key=lambda name: here[name])
            return Baseline(
                here[top] / sum(here.values()),
                f"Skill is over always answering '{top}', the most frequent class of the test examples themselves.",
            )
        return Baseline(None, "There are no classes, so there is no majority to compare with.")

    def notes(self, report: Report | None) -> list[str]:
        if self.rows is None or report is None or report.data is None:
            return []
        if self.rows.origin.local and self.rows.origin.revision != report.data.revision:
            return ["The data have changed since the report was made."]
        return []


def _rows(task: Task, split: str | None, base: Path) -> Rows:
    assert task.source is not None

    def load(name: str | None) -> Rows:
        return sources.load(
            str(task.source), base=base, config=task.config, split=name, revision=task.revision, seed=task.seed
        )

    if split is not None:
        return load(split)
    # most test splits are called so, and asking for it at once spares fetching the training split
    try:
        return load(USUAL_NAMES[0])
    except UsageError:
        first = load(None)
    usual = next((name for name in USUAL_NAMES if name in first.origin.splits), None)
    return first if usual is None or usual == first.origin.split else load(usual)


def _source(report: Report) -> Task:
    """The task whose data a report is of."""
    assert report.data is not None
    data = report.data
    pinned = data.revision if Origin(data.source, data.revision).is_commit else None
    kind: Literal["classes", "values"] = "classes" if data.classes else "values"
    return Task.of(
        data.source, config=data.config, revision=pinned, target=data.target, kind=kind, inputs=data.encoder.inputs
    )


def _predictions(
    answers: Sequence[Answers],
    scores: Sequence[Score],
    rows: Rows | None,
    split: str | None,
    grader: Grader,
    reading: Reading,
) -> Predictions:
    if scores:
        return predictions.of_scores(scores)
    kept = predictions.of_split(answers, split)
    return predictions.match(kept, rows, grader, max_unmatched=reading.max_unmatched)


def _train(
    task: Task | Report,
    files: Sequence[Path],
    answers: Sequence[Answers],
    wanted: str | None,
    reading: Reading,
    base: Path,
) -> Predictions | None:
    """Answers on the training split: of files of their own, or of rows that say so."""
    name = "train" if isinstance(task, Task) or task.data is None else (task.data.split or "train")
    scores: list[Score] = []
    if files:
        answers, scores = predictions.read(files, key=reading.key, model_columns=reading.model_columns)
    else:
        answers = [one for one in answers if one.split is not None and name != wanted]
        said = {plain(one.columns[str(one.split)][line]) for one in answers for line in one.lines}
        if name not in said:
            return None
    side = _Side.of(task, replace(reading, split=name), base, graded=_has_predictions(answers))
    return _predictions(answers, scores, side.rows, name, side.grader(reading), reading)


def _against(against: tuple[str, Sequence[Path]], reading: Reading, base: Path) -> Scored:
    name, files = against
    answers, scores = predictions.read(files, key=reading.key, model_columns=reading.model_columns)
    if scores:
        return Scored(name, None, None, predictions.of_scores(scores), Baseline(None, ""))
    own = replace(reading, split=None)
    side = _Side.of(subject(name), own, base, graded=_has_predictions(answers))
    wanted = side.wanted(answers, None)
    found = _predictions(answers, scores, side.rows, wanted, side.grader(own), own)
    return Scored(side.name, side.revision, side.shown(wanted), found, side.baseline(None, own))


def _alike(found: Predictions, other: Predictions, where: str) -> tuple[Predictions, list[str]]:
    """Match the models of another set by their names; one here and one there are one, however files are called."""
    if set(found.models) & set(other.models):
        return other, []
    here, there = ", ".join(found.models), ", ".join(other.models)
    if len(found.models) == len(other.models) == 1:
        return replace(other, models=found.models), [f"{there} on {where} is taken to be {here}."]
    raise UsageError(
        f"no model is on both the test set ({here}) and {where} ({there}); name them alike, as in a column 'model'"
    )


def _measured(
    task: Task | Report, reading: Reading, progress: Callable[[str, float], None], base: Path
) -> tuple[Report | None, str]:
    """The report whose numbers the bits rest on, or why there is none."""
    if isinstance(task, Report):
        return task, ""
    if not reading.bits:
        return None, "Bits of errors were not asked for."
    try:
        return pipeline.measure(task.model_copy(update={"test": NO_TEST}), base=base, progress=progress), ""
    except IbcReportError as error:
        return None, f"There are no bits of errors, for the task cannot be measured: {error}."


def _rests_on(report: Report, *, has_chance: bool) -> str:
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


def _has_predictions(answers: Sequence[Answers]) -> bool:
    return any(one.kind == "prediction" for one in answers)


def _is_report(path: Path) -> bool:
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and "schema_version" in content
