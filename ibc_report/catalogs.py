"""A catalog on disk: catalog.yml, and reports/ beside it with one JSON a task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ibc_report.errors import DataError, IbcReportError, UsageError, choices
from ibc_report.report import Report, load_report
from ibc_report.task import Task, load_catalog
from ibc_report.writing import write

__all__ = [
    "Outcome",
    "build",
    "chosen_tasks",
    "failure",
    "is_current",
    "published_reports",
    "report_path",
    "reports_folder",
    "saved_reports",
]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task.

    Parameters
    ----------
    name : str
        The task.
    status : {"unchanged", "measured", "failed"}
        Whether its report was up to date, was made, or could not be.
    message : str
        Why it failed; empty otherwise.
    """

    name: str
    status: Literal["unchanged", "measured", "failed"]
    message: str = ""


def reports_folder(catalog: Path) -> Path:
    """Say where a catalog's reports lie."""
    return catalog.parent / "reports"


def report_path(catalog: Path, name: str) -> Path:
    """Say where a task's report lies."""
    return reports_folder(catalog) / f"{name}.json"


def build(
    path: Path,
    *,
    only: Collection[str] = (),
    force: bool = False,
    started: Callable[[str], Callable[[str, float], None]] = lambda name: lambda stage, fraction: None,
) -> Iterator[Outcome]:
    """Measure the tasks of a catalog that have changed.

    Parameters
    ----------
    path : Path
        The catalog.yml.
    only : collection of str
        Names of the tasks to build; all where there are none.
    force : bool
        Measure unchanged ones too.
    started : callable
        Told the name of a task before it is measured; returns what is told its progress.

    Yields
    ------
    Outcome
        For each task, in the catalog's order, when its report is on disk. A task that fails does not stop the
        others, and leaves its former report where it is.

    Raises
    ------
    UsageError
        If the catalog is not right, or a name is not in it.
    """
    for task in chosen_tasks(path, only):
        yield _build_one(task, path, force=force, started=started)


def chosen_tasks(path: Path, only: Collection[str]) -> list[Task]:
    """Read the tasks of a catalog that are asked for.

    Parameters
    ----------
    path : Path
        The catalog.yml.
    only : collection of str
        Names; all where there are none.

    Returns
    -------
    list of Task

    Raises
    ------
    UsageError
        If the catalog is not right, or a name is not in it.
    """
    catalog = load_catalog(path)
    names = [task.name for task in catalog.tasks]
    for name in only:
        if name not in names:
            raise UsageError(f"{path} has no task '{name}'; {choices(name, names)}")
    return [task for task in catalog.tasks if not only or task.name in only]


def is_current(task: Task, path: Path) -> bool:
    """Tell whether a task's report is up to date.

    Parameters
    ----------
    task : Task
        Of the catalog.
    path : Path
        The catalog.yml.

    Returns
    -------
    bool

    Raises
    ------
    UsageError
        If its data do not exist, or its report has a newer schema.
    """
    # the pipeline brings numpy and scipy, which a catalog without changes needs only for its fingerprints
    from ibc_report import pipeline

    target = report_path(path, task.name)
    return target.exists() and _saved_fingerprint(target) == pipeline.fingerprint(task, base=path.parent)


def saved_reports(folder: Path) -> list[Report]:
    """Read all reports of a folder.

    Parameters
    ----------
    folder : Path
        With one JSON a task.

    Returns
    -------
    list of Report
        In the order of their file names; empty where there is no folder.
    """
    return [load_report(path) for path in sorted(folder.glob("*.json"))]


def published_reports(path: Path, folder: Path | None = None) -> tuple[list[Report], list[str]]:
    """Read all reports that a catalog publishes: those of its tasks, and those that were measured elsewhere.

    Parameters
    ----------
    path : Path
        The catalog.yml.
    folder : Path, optional
        Where the reports of its tasks lie; beside it by default.

    Returns
    -------
    reports : list of Report
    missing : list of str
        Tasks without a report.

    Raises
    ------
    UsageError
        If the catalog is not right, a saved report does not exist, or two reports have one name.
    """
    catalog = load_catalog(path)
    names = [task.name for task in catalog.tasks]
    folder = folder or reports_folder(path)
    # other reports of the folder, which an earlier version may have written, are not looked at
    files = [folder / f"{name}.json" for name in sorted(names)]
    measured = [load_report(file) for file in files if file.exists()]
    reports = [*measured, *(load_report(path.parent / saved) for saved in catalog.saved)]
    taken = set(names)
    for report in reports[len(measured) :]:
        if report.name in taken:
            raise UsageError(
                f"{path}: saved report '{report.name}' has the name of another task; give it one of its own"
            )
        taken.add(report.name)
    there = {report.name for report in measured}
    return reports, [name for name in names if name not in there]


def _build_one(
    task: Task, path: Path, *, force: bool, started: Callable[[str], Callable[[str, float], None]]
) -> Outcome:
    from ibc_report import pipeline

    try:
        if not force and is_current(task, path):
            return Outcome(task.name, "unchanged")
        report = pipeline.measure(task, base=path.parent, progress=started(task.name))
        write(report_path(path, task.name), report.to_json())
    # one task's defect must not cost the others their reports
    except Exception as error:
        return failure(task.name, error)
    return Outcome(task.name, "measured")


def failure(name: str, error: Exception) -> Outcome:
    """Word a task's failure.

    Parameters
    ----------
    name : str
        The task.
    error : Exception
        What ended it.

    Returns
    -------
    Outcome
    """
    if isinstance(error, IbcReportError):
        return Outcome(name, "failed", str(error))
    return Outcome(name, "failed", f"unexpected {type(error).__name__}: {' '.join(str(error).split())}")


def _saved_fingerprint(path: Path) -> str | None:
    """The fingerprint of a report, None for a file that is none; one of a newer schema is not for us to replace."""
    try:
        return load_report(path).repeat.fingerprint
    except DataError:
        return None
