"""Writes the commit of each Hub dataset into a catalog, one line each; every other byte of the file stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from ibc_report.common.errors import DataError

__all__ = ["Entry", "entries", "locked"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a catalog says what a task reads.

    Parameters
    ----------
    start, stop : int
        What a commit replaces: the revision's characters, or nothing at the end of a line.
    before : str
        What goes before the commit there.
    """

    source: str
    revision: str | None
    start: int
    stop: int
    before: str


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
        If a task is not written as a key a line, or its revision is not a plain word.
    """
    root: Any = yaml.compose(text)
    for tasks in (value for key, value in root.value if key.value == "tasks"):
        for task in tasks.value:
            keys = {key.value: (key, value) for key, value in task.value}
            if "source" in keys:
                yield _entry(text, task, keys)


def _entry(text: str, task: Any, keys: dict[str, Any]) -> Entry:
    key, value = keys["source"]
    line = key.start_mark.line + 1
    # a flow mapping, or a value over several lines, has no line of its own to stand under
    if task.flow_style or value.end_mark.line != key.start_mark.line:
        raise DataError(
            f"line {line}: the task with source '{value.value}' is not written as a key a line; do so, or add its "
            "revision by hand"
        )
    if "revision" in keys:
        name, revision = keys["revision"]
        start, stop = revision.start_mark.index, revision.end_mark.index
        plain = revision.style is None and text[start:stop] == revision.value
        if not plain or revision.start_mark.line != name.start_mark.line:
            raise DataError(
                f"line {name.start_mark.line + 1}: the revision is not a plain word; write it so, or by hand"
            )
        if not revision.value:
            colon = text.index(":", name.end_mark.index) + 1
            return Entry(value.value, None, colon, colon, " ")
        return Entry(value.value, revision.value, start, stop, "")
    end = value.end_mark.index
    while end < len(text) and text[end] not in "\r\n":
        end += 1
    indent = " " * key.start_mark.column
    return Entry(value.value, None, end, end, f"{_line_end(text, end)}{indent}revision: ")


def _line_end(text: str, at: int) -> str:
    if text[at : at + 2] == "\r\n":
        return "\r\n"
    return text[at] if at < len(text) else "\n"


def locked(text: str, commit_of: Callable[[str, str | None], str | None]) -> str:
    r"""Write commits into a catalog.

    Parameters
    ----------
    text : str
        A catalog that is valid YAML.
    commit_of : callable
        Commit of a source at the revision that its task names; None for a source that has none.

    Returns
    -------
    str
        With a line `revision: COMMIT` below each such source, or that line's value replaced.

    Raises
    ------
    DataError
        If a task is not written as a key a line, or the catalog would read as another one.

    Examples
    --------
    >>> print(locked("tasks:\n- name: a\n  source: o/a\n", lambda source, revision: "c0ffee"))
    tasks:
    - name: a
      source: o/a
      revision: c0ffee
    <BLANKLINE>
    """
    expected = yaml.safe_load(text)
    commits: dict[int, str] = {}
    found = list(entries(text))
    for number, entry in enumerate(found):
        commit = commit_of(entry.source, entry.revision)
        if commit is not None:
            commits[number] = commit
    with_source = [task for task in expected["tasks"] if "source" in task]
    for number in sorted(commits, reverse=True):
        entry = found[number]
        text = f"{text[: entry.start]}{entry.before}{commits[number]}{text[entry.stop :]}"
        with_source[number]["revision"] = commits[number]
    if yaml.safe_load(text) != expected:
        raise DataError("the catalog would read otherwise with the commits in it; write its revisions by hand")
    return text
