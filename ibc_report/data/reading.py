"""The rows of a task: its source with what the task says of its columns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from ibc_report.common.errors import UsageError
from ibc_report.data import sources
from ibc_report.data.roles import set_aside
from ibc_report.data.sources import Column, Rows, Sample
from ibc_report.data.sources.rows import EVERY_ROW
from ibc_report.data.sources.storage import as_text
from ibc_report.data.task import Task
from ibc_report.data.written import understood

__all__ = ["of_task", "prepared"]


def of_task(
    task: Task,
    *,
    base: Path,
    source: str | None = None,
    split: str | None = None,
    config: str | None = None,
    revision: str | None = None,
    sample: Sample = EVERY_ROW,
) -> Rows:
    """Read rows of a task.

    Parameters
    ----------
    source : str, optional
        Another source than the task's, such as its own test file.
    split, config, revision, sample
        As for `ibc_report.data.sources.load`.

    Raises
    ------
    UsageError
        If the source, a part of it or a column that the task names does not exist.
    DataError, HubError
        If it cannot be read.
    """
    wanted = source if source is not None else task.source
    assert wanted is not None
    rows = sources.load(
        wanted, base=base, config=config, split=split, revision=revision, header=task.header, sample=sample
    )
    return prepared(rows, drop=task.drop, categorical=task.categorical)


def prepared(rows: Rows, *, drop: tuple[str, ...] = (), categorical: tuple[str, ...] = ()) -> Rows:
    """Take columns for what they are, or for what the user says.

    Parameters
    ----------
    drop : tuple of str
        Columns that count as not there.
    categorical : tuple of str
        Columns whose values are categories, whatever they look like.

    Raises
    ------
    UsageError
        If a column does not exist, or cannot be one of categories.
    """
    for name in drop:
        rows.column(name)
    for name in categorical:
        if rows.column(name).kind not in ("string", "number", "boolean", "class"):
            raise UsageError(f"column '{name}' of {rows.origin.source} holds no values that could be categories")
    columns, notes = [], dict[str, list[str]]()
    for column in rows.columns:
        if column.name in drop:
            continue
        if column.name in categorical:
            columns.append(_as_categories(column))
            continue
        found, how = understood(column)
        if how is not None:
            notes.setdefault(how, []).append(column.name)
        columns.append(replace(found, aside=set_aside(found, rows.numbers)))
    said = tuple(f"Columns of strings read as {how}: {', '.join(names)}." for how, names in notes.items())
    return replace(rows, columns=tuple(columns), notes=(*rows.notes, *said))


def _as_categories(column: Column) -> Column:
    """The values as strings, as a table of text has them."""
    if column.kind == "class" or pa.types.is_large_string(column.values.type):
        return replace(column, is_category=True)
    whole = [None if value is None else _shortest(value) for value in column.values.to_pylist()]
    return replace(
        column, kind="string", values=pa.chunked_array([pa.array(whole, pa.large_string())]), is_category=True
    )


def _shortest(value: object) -> str | None:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else as_text(value)
