"""How files spell a value: as it stands first, and else as it is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from math import isnan
from typing import Any

from ibc_report.data.class_names import class_name

__all__ = ["BLANKS", "ClassNames", "exact", "folded", "folded_name", "plain"]

BLANKS = frozenset({"nan", "null", "none", "<na>"})
"""Words that programs write for nothing."""

_WHOLE = re.compile(r"-?[0-9]+\.0")

_WITH_EXPONENT = re.compile(r"[+-]?[0-9]\.[0-9]{3,}e[+-][0-9]{2}")
"""As programs write a number in full, which is no name that anybody chose."""

_NUMBER = re.compile(r"([+-]?)([0-9]+)(?:\.([0-9]*))?")

_AMBIGUOUS = -2


def plain(value: Any) -> str:
    """Write a value as it is compared: files say 3, 3.0 and "3" of one row.

    Parameters
    ----------
    value : object
        None is the empty string.

    Examples
    --------
    >>> plain(3.0), plain(" cat "), plain(True), plain("3.0")
    ('3', 'cat', 'true', '3')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value).strip()
    return text[:-2] if _WHOLE.fullmatch(text) else text


def exact(value: Any) -> str | None:
    """Write a value as it stands.

    Returns
    -------
    str or None
        None where it says nothing: no value, not a number, or white space.

    Examples
    --------
    >>> exact(" cat"), exact("1.0"), exact(" "), exact(float("nan"))
    (' cat', '1.0', None, None)
    """
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    text = str(value)
    return text if text.strip() else None


def folded(text: str) -> str:
    """Write texts of one meaning alike: numbers by their value, truth in small letters, names as targets have them.

    Letters with marks are one, however they are composed (NFC).

    Examples
    --------
    >>> folded("007"), folded("1.50"), folded(" True"), folded("v2.0"), folded("2.000e+00")
    ('7', '1.5', 'true', 'v2.0', '2')
    >>> folded("the\N{COMBINING ACUTE ACCENT}") == "thé"
    True
    """
    text = class_name(text)
    if text.lower() in ("true", "false"):
        return text.lower()
    if _WITH_EXPONENT.fullmatch(text):
        text = f"{Decimal(text):f}"
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    sign, whole, rest = number[1], number[2].lstrip("0") or "0", (number[3] or "").rstrip("0")
    value = f"{whole}.{rest}" if rest else whole
    return f"-{value}" if sign == "-" and value != "0" else value


def folded_name(name: str) -> str:
    """Write a column's name as it is compared.

    Examples
    --------
    >>> folded_name(" Model-Name ")
    'model_name'
    """
    return re.sub(r"[ -]", "_", name.strip().lower())


@dataclass(frozen=True, slots=True)
class ClassNames:
    """Known names, and what else they may be written as.

    Parameters
    ----------
    meant : dict of str to int
        Place of the only name that is folded to this; −2 where there are several.
    """

    known: dict[str, int]
    meant: dict[str, int]

    @classmethod
    def of(cls, names: Iterable[str]) -> ClassNames:
        """Take names in their order.

        Parameters
        ----------
        names : iterable of str
            The first of equal ones counts.
        """
        known: dict[str, int] = {}
        for place, name in enumerate(names):
            known.setdefault(name, place)
        meant: dict[str, int] = {}
        for name, place in known.items():
            form = folded(name)
            meant[form] = _AMBIGUOUS if form in meant else place
        return cls(known, meant)

    def find(self, text: str) -> int:
        """Place of the name that a text is: as it stands or as targets have it, else the only one of its meaning.

        Returns
        -------
        int
            −1 for none.

        Examples
        --------
        >>> names = ClassNames.of(["1", "01", "2.0", " cat"])
        >>> [names.find(text) for text in ("1", "01", "001", "2", "cat", "dog")]
        [0, 1, -1, 2, 3, -1]
        """
        place = self.known.get(text, self.known.get(class_name(text)))
        return max(self.meant.get(folded(text), -1), -1) if place is None else place
