"""A test set that predictions are of: its rows, where they are at hand, and what is known of it besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ibc_report.common.errors import DataError, IbcReportError, UsageError
from ibc_report.data.held_out import USUAL_NAMES
from ibc_report.data.reading import of_task
from ibc_report.data.sources import Origin, Rows
from ibc_report.data.task import Task
from ibc_report.evaluation.scoring.answers import Answers
from ibc_report.evaluation.scoring.class_scores import says_places
from ibc_report.evaluation.scoring.grading import Grader
from ibc_report.evaluation.scoring.matching import SplitSize, placed
from ibc_report.evaluation.scoring.predictions import MAX_UNMATCHED, Predictions, match, of_split
from ibc_report.evaluation.scoring.score import MajorityClass
from ibc_report.evaluation.scoring.spelling import plain
from ibc_report.evaluation.statistics.proportions import LEVEL
from ibc_report.report.schema.document import ReportDocument

__all__ = ["AnswerKey", "Reading", "size_in_report"]


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
    where : tuple of tuple of str
        Columns and values: only rows that have them there are read.
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
    where: tuple[tuple[str, str], ...] = ()
    tolerance: float | None = None
    max_unmatched: float = MAX_UNMATCHED
    level: float = LEVEL
    bits: bool = True


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """One test set.

    Parameters
    ----------
    task : Task or None
        How its rows are read; None for a declared task.
    rows : Rows or None
        Its rows; None where they are not needed, or there are none.
    reason : str
        Why there are none.
    report : ReportDocument, optional
        The report that names it.
    changed : bool
        Whether the rows are not those that the report was made of.
    base : Path
        Folder that relative paths of sources start from.
    """

    name: str
    revision: str | None
    task: Task | None
    rows: Rows | None
    reason: str = ""
    report: ReportDocument | None = None
    changed: bool = False
    base: Path = Path()

    @classmethod
    def of(cls, task: Task | ReportDocument, reading: Reading, base: Path, *, graded: bool) -> AnswerKey:
        """Read what predictions are of.

        Parameters
        ----------
        base : Path
            Folder that relative paths of sources start from.
        graded : bool
            Whether there are predictions to grade, for which alone the data of a report are read.

        Raises
        ------
        UsageError
            If there are no data to grade by.
        DataError
            If a source that the user named cannot be read.
        """
        if isinstance(task, Task):
            if task.source is None:
                raise UsageError(f"{task.name} is declared by its numbers: give a report of it, and columns 'correct'")
            rows = _rows(task, reading.split, base)
            return cls(task.source, rows.origin.revision, task, rows, base=base)
        if task.data is None:
            return cls(task.name, None, None, None, "the report is of a declared task, which has no data", task)
        source = _source(task)
        if not graded:
            return cls(task.data.source, task.data.revision, source, None, "", task)
        own = _own_file(task, base) if reading.split is None else None
        try:
            rows = _rows(source, reading.split, base) if own is None else of_task(source, base=base, source=own)
        except IbcReportError as error:
            raise UsageError(
                f"predictions are graded by the data of the report, which cannot be read ({error}); give a column "
                "'correct' instead"
            ) from error
        changed = own is None and rows.origin.local and rows.origin.revision != task.data.revision
        return cls(own or task.data.source, rows.origin.revision, source, rows, "", task, changed)

    def match(self, answers: Sequence[Answers], split: str | None, reading: Reading) -> Predictions:
        """Match answers to the rows, and grade them.

        Raises
        ------
        DataError
            If the data are not those of the report any more, and answers are matched by where a row stands in them; or
            if too many rows are lost.
        """
        kept = of_split(answers, split)
        if self.changed:
            for one, way in zip(kept, placed(kept, self.rows)[2], strict=True):
                if way.kind != "column":
                    raise DataError(
                        f"{self.name} has changed since its report was made, and {one.file} is matched by {way}, which "
                        "may be other rows now: measure again with ibc-report card, or match by a column that names "
                        "each example (--key)"
                    )
        grader = self.grader(reading)
        if grader.order and not grader.declared and not grader.elsewhere and any(map(says_places, kept)):
            # this split may lack a class, and places are those of all
            grader = replace(grader, elsewhere=tuple(self._practice(None, self.base)[0]))
        return match(kept, self.rows, grader, extent=self.extent(split), max_unmatched=reading.max_unmatched)

    def extent(self, split: str | None) -> SplitSize | None:
        """How many examples a split has, as the report says; None where none does."""
        return None if self.report is None else size_in_report(self.report, split)

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
        """What tells right from wrong here."""
        if self.rows is None or self.task is None:
            return Grader.none(self.reason or "the data of the task are not at hand")
        task, data = self.task, None if self.report is None else self.report.data
        return Grader.of(
            self.rows,
            target=task.target,
            inputs=task.inputs,
            kind=task.kind,
            tolerance=reading.tolerance,
            elsewhere=() if data is None else tuple(name for name, _ in data.classes),
        )

    def baseline(self, report: ReportDocument | None, split: str | None, reading: Reading, base: Path) -> MajorityClass:
        """What always answering the most frequent class of the training split reaches here.

        Parameters
        ----------
        base : Path
            Folder that relative paths of sources start from.

        Returns
        -------
        Baseline
            Of the report's own examination where it has one; else of the labels at hand.
        """
        if self.report is not None:
            tested = _examined(self.report, split)
            if tested is not None:
                return tested
        here = self.grader(reading).class_counts if self.rows is not None else {}
        there, trained = self._practice(report, base)
        if there:
            top = max(there, key=lambda name: there[name])
            share = None
            if here:
                share = here.get(top, 0) / sum(here.values())
            elif report is not None and report.data is not None and split in (None, report.data.split):
                share = there[top] / sum(there.values())
            return MajorityClass(share, top, "training", trained, _tied(there))
        if here:
            top = max(here, key=lambda name: here[name])
            return MajorityClass(here[top] / sum(here.values()), top, "test", tied=_tied(here))
        return MajorityClass()

    def _practice(self, report: ReportDocument | None, base: Path) -> tuple[dict[str, int], str | None]:
        """Rows of each class of the training split, in the order of the classes, and which split it is."""
        if report is not None and report.data is not None:
            return dict(report.data.classes), report.data.split
        task = self.task
        if task is None or task.source is None or self.rows is None or len(self.rows.origin.splits) < 2:
            return {}, None
        rows = of_task(task, base=base, config=task.config, split=task.split, revision=task.revision)
        grader = Grader.of(rows, target=task.target, inputs=task.inputs, kind=task.kind)
        return grader.class_counts, rows.origin.split

    def notes(self) -> list[str]:
        """What has to be said of the data."""
        if not self.changed:
            return []
        return ["The data have changed since the report was made: labels are those of now, bits those of the report."]


def _examined(report: ReportDocument, split: str | None) -> MajorityClass | None:
    """The majority class as the report scored it on its test split; None for another split."""
    test = report.test
    if test is None or split not in (None, test.split):
        return None
    found = next((one for one in test.baselines if one.key == "majority"), None)
    if found is None:
        return None
    data = report.data
    if data is None:
        return MajorityClass(found.accuracy, None, "report")
    return MajorityClass(found.accuracy, None, "report", data.split, _tied(dict(data.classes)))


def _tied(counts: Mapping[str, int]) -> int:
    """How many classes are as frequent as the most frequent one."""
    largest = max(counts.values(), default=0)
    return sum(count == largest for count in counts.values())


def _rows(task: Task, split: str | None, base: Path) -> Rows:
    assert task.source is not None

    def load(name: str | None) -> Rows:
        return of_task(task, base=base, config=task.config, split=name, revision=task.revision)

    if split is not None:
        return load(split)
    # most test splits are called so, and asking for it at once spares fetching the training split
    try:
        return load(USUAL_NAMES[0])
    except UsageError:
        first = load(None)
    usual = next((name for name in USUAL_NAMES if name in first.origin.splits), None)
    return first if usual is None or usual == first.origin.split else load(usual)


def _source(report: ReportDocument) -> Task:
    """The task whose data a report is of."""
    assert report.data is not None
    data = report.data
    pinned = data.revision if Origin(data.source, data.revision).is_commit else None
    kind: Literal["classes", "values"] = "classes" if data.classes else "values"
    return Task.of(
        data.source, config=data.config, revision=pinned, target=data.target, kind=kind, inputs=data.encoder.inputs
    )


def _own_file(report: ReportDocument, base: Path) -> str | None:
    """The file that a report was tested on, where that is no split of its source."""
    if report.test is None or not Path(report.test.split).suffix:
        return None
    return report.test.split if (base / report.test.split).is_file() else None


def size_in_report(report: ReportDocument, split: str | None) -> SplitSize | None:
    """Read from a report how many examples a split has.

    Parameters
    ----------
    split : str or None
        The split; None for the one that the report was tested on, or else the one that it is of.

    Returns
    -------
    SplitSize or None
        None where the report does not say it of that split.
    """
    test, data = report.test, report.data
    if test is not None and test.n and split in (None, test.split):
        # of a sample, and of rows that an encoder fitted anew lost, the report keeps no count but in words
        counted = not any(note.startswith("A sample of") or "left out" in note for note in test.notes)
        rows = test.n + sum(lost.count for lost in test.dropped)
        return SplitSize(f"split '{test.split}'", test.n, rows if counted else None)
    if data is None or (split is None and test is not None) or split not in (None, data.split):
        return None
    name = f"split '{data.split}'" if data.split else data.source
    return SplitSize(name, data.rows_used, data.rows_read if data.sample is None else None)
