"""What `ibc_report` offers in Python where stages meet their rendering: a report that shows itself, and its makers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ibc_report.common.errors import UsageError
from ibc_report.common.progress import StageProgress
from ibc_report.common.resources import DEFAULT_MEMORY
from ibc_report.data.task import Task
from ibc_report.rendering import cards
from ibc_report.report.schema import document
from ibc_report.report.schema.document import ReportDocument

__all__ = ["Report", "load_report", "measure"]


class Report(ReportDocument):
    """A difficulty report that renders itself: all of the document, and its card."""

    @classmethod
    def of(cls, found: ReportDocument) -> Report:
        """Take a document as it is."""
        return cls.model_construct(**dict(found))

    def to_markdown(self) -> str:
        """Render the card as Markdown, figures in words."""
        return cards.markdown(self)

    def to_html(self) -> str:
        """Render the card as one HTML file that asks for nothing else."""
        return cards.html(self)

    def _repr_html_(self) -> str:
        """Show the card in a notebook, in a frame of its own so that its styles stay inside."""
        return cards.notebook(self)


def measure(
    task: Task | str,
    *,
    base: str | Path = ".",
    memory: int = DEFAULT_MEMORY,
    progress: StageProgress = lambda stage, fraction: None,
    **settings: Any,
) -> Report:
    """Measure a task.

    Parameters
    ----------
    task : Task or str
        A task, or a source: builtin:NAME, or the path of a file or folder.
    base : str or Path
        Folder that relative paths start from.
    memory : int
        Bytes that the neighbour search may take besides what is in memory already; no number hangs on it.
    progress : callable
        Told the name of a stage and the fraction of it that is done.
    **settings
        Where `task` is a source: fields of a `Task` (target, target_error, encoder, …).

    Raises
    ------
    UsageError
        If the task names something that does not exist or does not fit.
    DataError
        If the data cannot be read, or nothing can be measured on them.

    Examples
    --------
    >>> report = measure("builtin:iris", target_error=0.02)
    >>> report.data.rows_used
    150
    """
    if isinstance(task, str):
        task = Task.of(task, **settings)
    elif not isinstance(task, Task):
        raise UsageError(
            f"a task is a Task or the name of a source, not a {type(task).__name__}; write a table to a file, as in "
            "frame.to_parquet('data.parquet'), and name that"
        )
    elif settings:
        raise UsageError(f"{', '.join(settings)}: settings go with a source; change the task itself instead")
    # a saved report is read without what measures one
    from ibc_report.pipeline import measure as pipeline

    return Report.of(pipeline.measure(task, base=base, memory=memory, progress=progress))


def load_report(path: str | Path) -> Report:
    """Read a saved report, of this version or an earlier one.

    Parameters
    ----------
    path : str or Path
        A JSON file that `Report.to_json` wrote.

    Raises
    ------
    UsageError
        If there is no such file, or it was written by a newer version.
    DataError
        If it is not a report.
    """
    return Report.of(document.load_report(path))
