"""A task and files of predictions to Results: the one place where reading, matching and judging meet."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ibc_report.common.errors import IbcReportError, UsageError
from ibc_report.common.progress import StageProgress
from ibc_report.complexity import evaluate
from ibc_report.data.task import NO_TEST, Task
from ibc_report.evaluation.scoring import predictions
from ibc_report.evaluation.scoring.answers import Answers, Score
from ibc_report.evaluation.scoring.predictions import Predictions
from ibc_report.evaluation.scoring.score import ScoredSet, score
from ibc_report.evaluation.scoring.spelling import plain
from ibc_report.pipeline import measure
from ibc_report.pipeline.answer_key import AnswerKey, Reading
from ibc_report.report.schema.document import ReportDocument, load_report
from ibc_report.report.schema.results import Results
from ibc_report.report.sections.results import bits_basis, results_document

__all__ = ["Reading", "score_predictions", "subject_named"]


def subject_named(name: str, **settings: object) -> Task | ReportDocument:
    """Take what a user names as a task: a saved report, or a source.

    Parameters
    ----------
    name : str
        Path of a report, or a source as for a card.
    **settings
        Fields of a `Task`, for a source.

    Raises
    ------
    UsageError
        If a setting is not known, or settings are given beside a report.

    Examples
    --------
    >>> subject_named("builtin:digits").name
    'digits'
    """
    if _is_report(Path(name)):
        given = [key for key, value in settings.items() if value is not None]
        if given:
            raise UsageError(f"{name} is a report, which has its {', '.join(given)} already; leave the option out")
        return load_report(name)
    return Task.of(name, **settings)


def score_predictions(
    task: Task | ReportDocument,
    files: Sequence[Path],
    *,
    train: Sequence[Path] = (),
    against: tuple[str, Sequence[Path]] | None = None,
    reading: Reading | None = None,
    base: Path = Path(),
    progress: StageProgress = lambda stage, fraction: None,
) -> Results:
    """Read predictions, match them to the examples of a task, and say what the scores tell.

    Parameters
    ----------
    task : Task or ReportDocument
        What the predictions are of. With a report its data are read only where predictions have to be graded.
    against : tuple of str and sequence of Path, optional
        Another test set, as `task` would name it, and predictions on it. Of published accuracies the name is only a
        name.
    base : Path
        Folder that relative paths of sources start from.

    Raises
    ------
    UsageError
        If something that is named does not exist or does not fit.
    DataError
        If data or predictions cannot be read, or too many rows do not match.
    """
    reading = reading or Reading()
    answers, scores = _read(files, reading)
    key = AnswerKey.of(task, reading, base, graded=_has_predictions(answers))
    wanted = key.wanted(answers, reading.split)
    found = _predictions(answers, scores, key, wanted, reading)
    report, why = _measured(task, reading, progress, base)
    notes = [*key.notes(), *_rows_kept(reading), *found.notes]
    if key.rows is None and not scores:
        notes.append("The data were not read: the examples are those that the files name.")
    practice = _train(task, train, answers, wanted, reading, base)
    other = _against(against, reading, base) if against is not None else None
    if practice is not None:
        practice, said = _alike(found, practice, "the training split")
        notes += (*(note for note in practice.notes if note not in notes), *said)
    if other is not None:
        alike, said = _alike(found, other.predictions, other.name)
        other = replace(other, predictions=alike)
        notes += (*(note for note in alike.notes if note not in notes), *said)
    test = ScoredSet(key.name, key.revision, key.shown(wanted), found, key.baseline(report, wanted, reading, base))
    bits_are = why
    complexity = None
    if report is not None:
        complexity = evaluate(report.family, report.inputs, report.convention)
        bits_are = bits_basis(report, has_chance=complexity.chance_error is not None)
    return results_document(
        score(
            test,
            train=practice,
            against=other,
            complexity=complexity,
            level=reading.level,
            seed=task.seed if isinstance(task, Task) else task.repeat.seed,
        ),
        name=task.name,
        title=task.title or (report.title if report else task.name),
        bits_are=bits_are,
        notes=notes,
    )


def _read(files: Sequence[Path], reading: Reading, *, may_lack: bool = False) -> tuple[list[Answers], list[Score]]:
    return predictions.read(
        files, key=reading.key, model_columns=reading.model_columns, where=reading.where, may_lack=may_lack
    )


def _predictions(
    answers: Sequence[Answers],
    scores: Sequence[Score],
    key: AnswerKey,
    split: str | None,
    reading: Reading,
) -> Predictions:
    if scores:
        return predictions.of_scores(scores, key.extent(split), max_unmatched=reading.max_unmatched)
    return key.match(answers, split, reading)


def _train(
    task: Task | ReportDocument,
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
        answers, scores = _read(files, reading, may_lack=True)
    else:
        answers = [one for one in answers if one.split is not None and name != wanted]
        said = {plain(one.columns[str(one.split)][line]) for one in answers for line in one.lines}
        if name not in said:
            return None
    key = AnswerKey.of(task, replace(reading, split=name), base, graded=_has_predictions(answers))
    return _predictions(answers, scores, key, name, reading)


def _against(against: tuple[str, Sequence[Path]], reading: Reading, base: Path) -> ScoredSet:
    name, files = against
    answers, scores = _read(files, reading, may_lack=True)
    if scores:
        return ScoredSet(name, None, None, predictions.of_scores(scores), None)
    own = replace(reading, split=None)
    key = AnswerKey.of(subject_named(name), own, base, graded=_has_predictions(answers))
    wanted = key.wanted(answers, None)
    found = _predictions(answers, scores, key, wanted, own)
    return ScoredSet(key.name, key.revision, key.shown(wanted), found, key.baseline(None, wanted, own, base))


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
    task: Task | ReportDocument, reading: Reading, progress: Callable[[str, float], None], base: Path
) -> tuple[ReportDocument | None, str]:
    """The report whose numbers the bits rest on, or why there is none."""
    if isinstance(task, ReportDocument):
        return task, ""
    if not reading.bits:
        return None, "Bits of errors were not asked for."
    try:
        return measure.measure(task.model_copy(update={"test": NO_TEST}), base=base, progress=progress), ""
    except IbcReportError as error:
        return None, f"There are no bits of errors, for the task cannot be measured: {error}."


def _rows_kept(reading: Reading) -> list[str]:
    chosen = " and ".join(
        f"{' or '.join(repr(value) for name, value in reading.where if name == column)} in column '{column}'"
        for column in dict.fromkeys(name for name, _ in reading.where)
    )
    return [f"Only rows with {chosen} are read."] if chosen else []


def _has_predictions(answers: Sequence[Answers]) -> bool:
    return any(one.kind != "correct" for one in answers)


def _is_report(path: Path) -> bool:
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and "schema_version" in content
