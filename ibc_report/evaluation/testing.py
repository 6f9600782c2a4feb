"""Task to what a card says of its test split: the one place where reading, examining and wording meet."""

from __future__ import annotations

from pathlib import Path

from ibc_report.encoders import Progress, silent
from ibc_report.errors import DataError, UsageError
from ibc_report.evaluation import held_out
from ibc_report.examples import Examples
from ibc_report.geometry import DEFAULT_MEMORY, Geometry
from ibc_report.records.evaluation import EvaluationRecord
from ibc_report.sources import Rows
from ibc_report.task import Task

__all__ = ["evaluate_split"]


def evaluate_split(
    task: Task,
    train_rows: Rows,
    train: Examples,
    facts: Geometry,
    base: Path,
    *,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = silent,
) -> EvaluationRecord | None:
    """Read the test split of a task, and say what a score on it can tell.

    Parameters
    ----------
    task : Task
        With a source.
    train_rows, train : Rows, Examples
        The split that was measured, as it was read and encoded.
    facts : Geometry
        Its margin and dimension.
    base : Path
        Folder that relative paths start from.
    memory : int
        Bytes that a search may take.
    progress : callable
        Told the fraction done.

    Returns
    -------
    EvaluationRecord or None
        None where there is no test split. A split that cannot be used, for want of labels, of columns or of a second
        class, is no reason to refuse the card: the record says why.

    Raises
    ------
    UsageError
        If the task names a test split that does not exist.
    DataError, HubError
        If it cannot be read.
    """
    test_rows = held_out.held_out(task, train_rows, base)
    if test_rows is None:
        return None
    # what examines is slow to import, and many tasks have no test split
    from ibc_report.evaluation import writing
    from ibc_report.evaluation.examination import examine
    from ibc_report.evaluation.splits import take_together

    # one file is a split of its own name in no source, and would be called as the training split is
    name = held_out.own_file(task, base) or test_rows.origin.split or Path(test_rows.origin.source).name
    try:
        splits = take_together(
            train_rows,
            test_rows,
            train,
            kind=task.kind,
            encoder=task.encoder,
            seed=task.seed,
            progress=lambda done: progress(0.2 * done),
        )
        found = examine(
            splits,
            train_rows,
            test_rows,
            margin=facts.margin.distance,
            dimension=facts.dimension,
            tolerance=facts.tolerance,
            seed=task.seed,
            memory=memory,
            progress=lambda done: progress(0.2 + 0.8 * done),
        )
    except (DataError, UsageError) as error:
        return writing.unusable(name, str(error), len(train.positions))
    return writing.write(found, name)
