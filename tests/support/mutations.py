"""Small changes to a document, as a hand, a script or a bad disk makes them."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["mutated"]

_Path = tuple[Any, ...]

_WORDS = ("", "x", "\u202e", "10^9.9", "NaN", "<b>", "a\nb", "9" * 400)


def _places(value: Any, path: _Path = ()) -> Iterator[_Path]:
    """Paths of all that a document holds."""
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from _places(value[key], (*path, key))
    elif isinstance(value, list):
        for number in range(len(value)):
            yield from _places(value[number], (*path, number))


def _changed(value: Any, chance: random.Random) -> Any:
    """Another value in the place of one, mostly of the same type."""
    if chance.random() < 0.1:
        return chance.choice([None, True, [], {}, "x", -1, 0])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice([-value, value + 1, 0, value * 1000, -1, 10**30])
    if isinstance(value, float):
        return chance.choice([-value, value * 1.5, 0.0, value * 1e6, 1e308, 1e-308, value / 1e6])
    if isinstance(value, str):
        at = chance.randrange(len(value) + 1)
        return chance.choice([*_WORDS, value[:at], value[:at] + "7" + value[at:], value[:at] + value[at + 1 :]])
    if isinstance(value, list):
        changes: list[Callable[[list[Any]], list[Any]]] = [
            lambda old: old[:-1],
            lambda old: old[1:],
            lambda old: old + old[:1],
            lambda old: old[::-1],
            lambda old: [],
        ]
        return chance.choice(changes)(value)
    if isinstance(value, dict) and value:
        key = chance.choice(sorted(value))
        return chance.choice([{name: one for name, one in value.items() if name != key}, {}, value | {"extra": 1}])
    return chance.choice([0, 1.5, "x", [], {}])


def mutated(document: Any, seed: int) -> tuple[Any, str]:
    """Change one thing of a document.

    Returns
    -------
    document : object
        A copy.
    said : str
        Where and to what.
    """
    chance = random.Random(seed)
    made = copy.deepcopy(document)
    places = list(_places(made))
    # what a reader sees first is as likely to be hit as the long lists of curves
    top = chance.choice(sorted({path[0] for path in places}))
    *way, last = chance.choice([path for path in places if path[0] == top])
    inner = made
    for step in way:
        inner = inner[step]
    inner[last] = _changed(inner[last], chance)
    return made, f"seed {seed}: {'.'.join(map(str, (*way, last)))} = {str(inner[last])[:60]!r}"
