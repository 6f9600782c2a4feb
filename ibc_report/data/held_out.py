"""Which rows models are tested on."""

from __future__ import annotations

from pathlib import Path

from ibc_report.common.errors import UsageError, choices
from ibc_report.data import reading, sources
from ibc_report.data.sources import Rows, Sample
from ibc_report.data.task import NO_TEST, Task

__all__ = ["MOST_WHOLE", "USUAL_NAMES", "held_out", "own_file", "pinned", "whole"]

MOST_WHOLE = 500_000
"""Training rows, at most, that are read again to compare their inputs where only a sample was measured."""

USUAL_NAMES = ("test", "validation", "valid", "val", "dev", "eval")
"""Splits that are taken for the test split, the first that there is."""


def held_out(task: Task, train: Rows, base: Path) -> Rows | None:
    """Read the test split of a task.

    Parameters
    ----------
    task : Task
        Its `test` names a split of the source, or a file; the split "test", or else the one that is validated on, is
        taken by default.
    train : Rows
        The split that was measured, with the names of the others.
    base : Path
        Folder that relative paths start from.

    Returns
    -------
    Rows or None
        None where there is no test split, or none is wanted.

    Raises
    ------
    UsageError
        If the wanted split does not exist, or is the one that was measured.
    DataError, HubError
        If it cannot be read.
    """
    assert task.source is not None
    origin = train.origin
    if task.test == NO_TEST:
        return None
    if task.test is not None and _is_file(task.test, base):
        return reading.of_task(task, base=base, source=task.test)
    if task.test is None:
        others = [name for name in USUAL_NAMES if name in origin.splits]
        if not others or origin.split in USUAL_NAMES:
            return None
        wanted = others[0]
    else:
        wanted = task.test
        if wanted not in origin.splits:
            raise UsageError(
                f"{task.source} has no split or file '{wanted}' to test on; {choices(wanted, origin.splits)}"
            )
        if wanted == origin.split:
            raise UsageError(f"{task.source}: split '{wanted}' is what is measured; choose another one to test on")
    return reading.of_task(
        task,
        base=base,
        config=origin.config if origin.config is not None else task.config,
        split=wanted,
        revision=origin.revision if origin.is_commit else None,
        sample=Sample(task.max_rows if task.streaming else None, task.seed, task.streaming),
    )


def whole(task: Task, train: Rows, base: Path) -> Rows | None:
    """Read all rows of a training split of which a sample was measured.

    Returns
    -------
    Rows or None
        None where all were measured, where the source is streamed, and where there are too many.
    """
    if train.total is None or task.streaming or train.total > MOST_WHOLE:
        return None
    assert task.source is not None
    return reading.of_task(
        task,
        base=base,
        config=train.origin.config if train.origin.config is not None else task.config,
        split=train.origin.split if train.origin.split in train.origin.splits else task.split,
        revision=train.origin.revision if train.origin.is_commit else None,
    )


def pinned(task: Task, base: Path) -> str | None:
    """What pins a test file, which the revision of the source does not.

    Returns
    -------
    str or None
        None where the test examples are a split of the source, or there are none.
    """
    own = own_file(task, base)
    return None if own is None else sources.revision(own, base=base)


def own_file(task: Task, base: Path) -> str | None:
    """The file that a task is tested on, where that is no split of its source."""
    return task.test if task.test not in (None, NO_TEST) and _is_file(task.test, base) else None


def _is_file(name: str, base: Path) -> bool:
    return (base / name).is_file()
