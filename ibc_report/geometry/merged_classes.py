"""Classes whose names differ only by case or space, which may be one, and the facts if they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize

import numpy as np

from ibc_report.common.errors import DataError
from ibc_report.data.examples import Examples
from ibc_report.geometry.facts import Geometry, facts_of, neighborhoods
from ibc_report.geometry.search_plan import Budget

__all__ = ["MergedClasses", "alike", "merged_classes"]


@dataclass(frozen=True, slots=True)
class MergedClasses:
    """Classes of almost one name, taken as one.

    Parameters
    ----------
    groups : tuple of tuple of str
        The names that are alike.
    classes : int
        How many classes are left.
    facts : Geometry or None
        With each group as one class; None where one class is left, which is nothing to tell apart.
    """

    groups: tuple[tuple[str, ...], ...]
    classes: int
    facts: Geometry | None


def alike(names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Group names that differ only by case, or by the space between their words.

    Returns
    -------
    tuple of tuple of str
        Groups of two and more, in the order of their first names.

    Examples
    --------
    >>> alike(["Cat", "dog", "cat", "fly fish", "flyfish"])
    (('Cat', 'cat'), ('fly fish', 'flyfish'))
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        # folding may take a letter apart that stands composed in another name
        folded = normalize("NFC", "".join(name.split()).casefold())
        groups.setdefault(folded, []).append(name)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def merged_classes(examples: Examples, budget: Budget) -> MergedClasses | None:
    """Measure with classes of almost one name as one.

    Returns
    -------
    MergedClasses or None
        None where all names are plainly others, and for a regression.
    """
    groups = alike(examples.names)
    if examples.codes is None or not groups:
        return None
    first = {name: group[0] for group in groups for name in group}
    names = tuple(dict.fromkeys(first.get(name, name) for name in examples.names))
    places = np.array([names.index(first.get(name, name)) for name in examples.names], dtype=np.int64)
    if len(names) < 2:
        return MergedClasses(groups, 1, None)
    merged = replace(examples, codes=places[examples.codes], names=names)
    try:
        facts = facts_of(neighborhoods(merged, budget=budget))
    except DataError:
        # no two points of different classes are left
        return MergedClasses(groups, 1, None)
    return MergedClasses(groups, len(names), facts)
