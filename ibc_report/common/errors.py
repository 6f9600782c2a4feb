"""The errors a user can meet, one line each, and the names that were probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "MOST_LISTED",
    "DataError",
    "IbcReportError",
    "InputError",
    "LimitError",
    "TaskFailure",
    "UsageError",
    "choices",
    "natural",
    "suggested",
]


class IbcReportError(Exception):
    """Base of every error that this package raises on purpose."""

    exit_status = 1


class UsageError(IbcReportError):
    """The caller asked for something that does not exist or does not fit."""

    exit_status = 2


class InputError(UsageError, ValueError):
    """A number given to a formula lies outside its domain."""


class DataError(IbcReportError):
    """The data cannot be read, or nothing can be measured on them."""


class LimitError(IbcReportError):
    """The machine, or what it allows this process, is too small for what was asked; no file is at fault."""


class TaskFailure(IbcReportError):
    """Some tasks of a catalog failed; the others are done."""


def choices(wrong: str, valid: Iterable[str]) -> str:
    """Say what would have been right: the nearest known name first, then all of them.

    Returns
    -------
    str
        The end of an error's sentence.

    Examples
    --------
    >>> choices("lable", ["label", "image"])
    "did you mean 'label'? Known: image, label"
    """
    known = sorted(valid)
    near = get_close_matches(wrong, known, n=1)
    listing = f"Known: {', '.join(known)}" if known else "Nothing is known here"
    return f"did you mean '{near[0]}'? {listing}" if near else listing


MOST_LISTED = 12
"""Names that a line lists."""


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Key to sort by as a reader would: numbers in a name by their size, letters whatever their case.

    Examples
    --------
    >>> sorted(["A10", "b", "A2", "a1"], key=natural)
    ['a1', 'A2', 'A10', 'b']
    """
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+|[0-9]+", text)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part.casefold()) for part in parts)


def suggested(wrong: str, valid: Iterable[str], listed: Iterable[str] | None = None, most: int = MOST_LISTED) -> str:
    """Say what would have been right, where there may be too many names to list.

    Parameters
    ----------
    listed : iterable of str, optional
        What is listed instead of all of them, as where one name stands for many.

    Returns
    -------
    str
        The end of an error's sentence.

    Examples
    --------
    >>> suggested("A20", [f"A{i}" for i in range(1, 17)], most=4)
    "did you mean 'A2'? Known: A2, A12, A10, A1 and 12 more"
    >>> suggested("x", ["a10", "a9"])
    'Known: a9, a10'
    """
    known = sorted(set(valid), key=natural)
    # a name in other letters is nearer than any other name
    near = [name for name in known if name.casefold() == wrong.casefold()]
    near += [name for name in get_close_matches(wrong, known, n=3) if name not in near]
    shown = known if listed is None else sorted(set(listed), key=natural)
    if not shown:
        return "Nothing is known here"
    ordered = [*near, *(name for name in shown if name not in near)]
    more = f" and {len(ordered) - most:,} more" if len(ordered) > most else ""
    listing = f"Known: {', '.join(ordered[:most])}{more}"
    return f"did you mean '{near[0]}'? {listing}" if near else listing
