"""How the Hub names a dataset."""

from __future__ import annotations

import re

__all__ = ["name_of"]

_PREFIXES = ("hf://datasets/", "https://huggingface.co/datasets/", "huggingface.co/datasets/")

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


def name_of(source: str) -> str | None:
    """Read the name of a dataset of the Hub.

    Parameters
    ----------
    source : str
        OWNER/NAME, possibly as an address of the Hub.

    Returns
    -------
    str or None
        OWNER/NAME, or None where it is no such name.

    Examples
    --------
    >>> name_of("https://huggingface.co/datasets/ylecun/mnist"), name_of("./data")
    ('ylecun/mnist', None)
    """
    for prefix in _PREFIXES:
        source = source.removeprefix(prefix)
    source = source.rstrip("/")
    return source if _REPOSITORY.fullmatch(source) else None
