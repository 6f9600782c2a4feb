"""Writes the commit of each Hub dataset into a catalog, one line each; every other byte of the file stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from ibc_report.errors import DataError

__all__ = ["Entry", "entries", "locked"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a catalog says what a task reads.

    Parameters
    ----------
    source : str
        The task's source.
    line : int
        Line of the source, from 0.
    indent : str
        What stands before its key.
    revision_line : int or None
        Line of the revision, where the task has one.
    revision : str or None
        The revision that stands there.
    """

    source: str
    line: int
    indent: str
    revision_line: int | None
    revision: str | None


def entries(text: str) -> Iterator[Entry]:
    """Find the sources of a catalog.

    Parameters
    ----------
    text : str
        A catalog that is valid YAML.

    Yields
    ------
    Entry
        For each task with a source.

    Raises
    ------
    DataError
        If a task is not written as a key a line.
    """
    root: Any = yaml.compose(text)
    for tasks in (value for key, value in root.value if key.value == "tasks"):
        for task in tasks.value:
            keys = {key.value: (key, value) for key, value in task.value}
            if "source" not in keys:
                continue
            key, value = keys["source"]
            line = key.start_mark.line
            # a flow mapping, or a value over several lines, has no line of its own to stand under
            if task.flow_style or value.end_mark.line != line:
                raise DataError(
                    f"line {line + 1}: the task with source '{value.value}' is not written as a key a line; do so, "
                    "or add its revision by hand"
                )
            revision = keys.get("revision")
            yield Entry(
                source=value.value,
                line=line,
                indent=" " * key.start_mark.column,
                revision_line=revision[0].start_mark.line if revision else None,
                revision=revision[1].value if revision else None,
            )


def locked(text: str, commit_of: Callable[[str], str | None]) -> str:
    r"""Write commits into a catalog.

    Parameters
    ----------
    text : str
        A catalog that is valid YAML.
    commit_of : callable
        Commit of a source; None for a source that has none.

    Returns
    -------
    str
        With a line `revision: COMMIT` below each such source, or that line's value replaced.

    Raises
    ------
    DataError
        If a task is not written as a key a line.

    Examples
    --------
    >>> print(locked("tasks:\n- name: a\n  source: o/a\n", lambda source: "c0ffee"))
    tasks:
    - name: a
      source: o/a
      revision: c0ffee
    <BLANKLINE>
    """
    lines = text.splitlines(keepends=True)
    for entry in reversed(list(entries(text))):
        commit = commit_of(entry.source)
        if commit is None:
            continue
        if entry.revision_line is not None and entry.revision is not None:
            old = lines[entry.revision_line]
            start = old.index(":") + 1
            lines[entry.revision_line] = old[:start] + old[start:].replace(entry.revision, commit, 1)
            continue
        source = lines[entry.line]
        end = source[len(source.rstrip("\r\n")) :] or "\n"
        if not source.endswith(("\n", "\r")):
            lines[entry.line] = source + end
        lines.insert(entry.line + 1, f"{entry.indent}revision: {commit}{end}")
    return "".join(lines)
