"""The errors a user can meet: each is one line that names what is wrong, where, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["DataError", "IbcReportError", "InputError", "TaskFailure", "UsageError", "choices"]


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


class TaskFailure(IbcReportError):
    """Some tasks of a catalog failed; the others are done."""


def choices(wrong: str, valid: Iterable[str]) -> str:
    """Say what would have been right: the nearest known name first, then all of them.

    Parameters
    ----------
    wrong : str
        What was given.
    valid : iterable of str
        What would have been accepted.

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
