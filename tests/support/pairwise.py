"""Few of the many cases of a product of parameters: every two values of two parameters meet in one of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

__all__ = ["pairwise"]


def pairwise(*parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Cases in which every two values of every two parameters meet, found greedily and always the same.

    Examples
    --------
    >>> pairwise("ab", [1, 2], "xy")
    [('a', 1, 'x'), ('a', 2, 'y'), ('b', 1, 'y'), ('b', 2, 'x')]
    """
    # a value is its parameter's number and its own; a dict keeps the order of what has not met
    axes = [[(axis, number) for number in range(len(values))] for axis, values in enumerate(parameters)]
    unmet = dict.fromkeys(frozenset(pair) for one, other in combinations(axes, 2) for pair in product(one, other))
    cases = []
    while unmet:
        chosen = dict(sorted(next(iter(unmet))))
        for axis in range(len(axes)):
            if axis not in chosen:
                met = [sum(frozenset((value, it)) in unmet for it in chosen.items()) for value in axes[axis]]
                chosen[axis] = met.index(max(met))
        for pair in combinations(chosen.items(), 2):
            unmet.pop(frozenset(pair), None)
        cases.append(tuple(values[chosen[axis]] for axis, values in enumerate(parameters)))
    return cases
