"""How the names of classes are compared, and what is said where several spellings are one name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from unicodedata import normalize

__all__ = ["class_name", "spellings"]

MOST_NAMED = 5
"""Classes that a note names."""


def class_name(text: str) -> str:
    """Write the name of a class as it is compared: one form of each character (Unicode's NFC), no space around.

    Examples
    --------
    >>> class_name("cafe\u0301 ") == "café"
    True
    """
    return normalize("NFC", text).strip()


def spellings(written: Iterable[str]) -> tuple[str, ...]:
    """Say which classes are spelt in several ways that count as one.

    Parameters
    ----------
    written : iterable of str
        The different names as they stand in the data.

    Returns
    -------
    tuple of str
        A sentence, or none where each name is spelt in one way.

    Examples
    --------
    >>> spellings(["tea", "tea ", "coffee "])[0].rpartition("; ")[2]
    "with the number of spellings: 'tea' (2)."
    """
    counts = Counter(map(class_name, written))
    several = [f"'{name}' ({count})" for name, count in sorted(counts.items()) if count > 1]
    if not several:
        return ()
    more = f" and {len(several) - MOST_NAMED} more" if len(several) > MOST_NAMED else ""
    return (
        "Names of classes that differ only in how Unicode stores a letter, or by white space around them, are one "
        f"class; with the number of spellings: {', '.join(several[:MOST_NAMED])}{more}.",
    )
