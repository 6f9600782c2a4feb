"""A catalog on disk: catalog.yml, and reports/ beside it with one JSON a task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ibc_report.common.errors import DataError, IbcReportError, UsageError, choices
from ibc_report.common.files import write
from ibc_report.common.limits import exceeded
from ibc_report.common.progress import StageProgress
from ibc_report.data.task import Task, load_catalog
from ibc_report.pipeline.worker import Worker, WorkerDied
from ibc_report.report.catalog import report_path
from ibc_report.report.schema.document import load_report

__all__ = ["TaskOutcome", "build", "chosen_tasks", "failure", "is_current"]


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """What became of a task.

    Parameters
    ----------
    message : str
        Why it failed; empty otherwise.
    """

    name: str
    status: Literal["unchanged", "measured", "failed"]
    message: str = ""


def build(
    path: Path,
    *,
    only: Collection[str] = (),
    force: bool = False,
    isolated: bool = False,
    started: Callable[[str], Callable[[str, float], None]] = lambda name: lambda stage, fraction: None,
) -> Iterator[TaskOutcome]:
    """Measure the tasks of a catalog that have changed.

    Parameters
    ----------
    path : Path
        The catalog.yml.
    only : collection of str
        Names of the tasks to build; all where there are none.
    force : bool
        Measure unchanged ones too.
    isolated : bool
        Measure in another process, so that a task which kills it costs only itself.
    started : callable
        Told the name of a task before it is measured; returns what is told its progress.

    Yields
    ------
    TaskOutcome
        For each task, in the catalog's order, when its report is on disk. A task that fails does not stop the
        others, and leaves its former report where it is.

    Raises
    ------
    UsageError
        If the catalog is not right, or a name is not in it.
    """
    tasks = chosen_tasks(path, only)
    with Worker() if isolated else nullcontext() as worker:
        for task in tasks:
            if worker is None:
                yield _build_one(task, path, force=force, progress=started(task.name))
                continue
            try:
                yield worker.call(_build_one, (task, path), {"force": force}, started(task.name))
            except WorkerDied as death:
                yield TaskOutcome(task.name, "failed", str(death))


def chosen_tasks(path: Path, only: Collection[str]) -> list[Task]:
    """Read the tasks of a catalog that are asked for.

    Parameters
    ----------
    only : collection of str
        Names; all where there are none.

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

    Raises
    ------
    UsageError
        If its data do not exist, or its report has a newer schema.
    """
    # the pipeline brings numpy and scipy, which a catalog without changes needs only for its fingerprints
    from ibc_report.pipeline import measure

    target = report_path(path, task.name)
    return target.exists() and _saved_fingerprint(target) == measure.fingerprint(task, base=path.parent)


def _build_one(task: Task, path: Path, *, force: bool, progress: StageProgress) -> TaskOutcome:
    from ibc_report.pipeline import measure

    try:
        if not force and is_current(task, path):
            return TaskOutcome(task.name, "unchanged")
        report = measure.measure(task, base=path.parent, progress=progress)
        write(report_path(path, task.name), report.to_json())
    # one task's defect must not cost the others their reports
    except Exception as error:
        return failure(task.name, error)
    return TaskOutcome(task.name, "measured")


def failure(name: str, error: Exception) -> TaskOutcome:
    """Word a task's failure."""
    said = error if isinstance(error, IbcReportError) else exceeded(error)
    if said is not None:
        return TaskOutcome(name, "failed", str(said))
    return TaskOutcome(name, "failed", f"unexpected {type(error).__name__}: {' '.join(str(error).split())}")


def _saved_fingerprint(path: Path) -> str | None:
    """The fingerprint of a report, None for a file that is none; one of a newer schema is not for us to replace."""
    try:
        return load_report(path).repeat.fingerprint
    except DataError:
        return None
