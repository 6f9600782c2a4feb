"""The tasks of the calibration, by kind: those on which the intervals should hold, and those on which they may not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import exp, lgamma, log, pi
from typing import Any, TypeVar

from synthetic import Recipe, coordinates_of

__all__ = ["tasks_by_kind"]

DIMENSIONS = (2, 3, 5, 10)

ROWS = (500, 1000, 2000)

CLOSE = (0.05, 0.1, 0.2, 0.3)
"""Distances of close sheets, in root mean square norms of one of them."""

FEATURES = 100
"""Features, at least."""

NOISE = (0.02, 0.05)
"""Root mean square norms of the noise in all features, in those of the manifold."""

_T = TypeVar("_T")


def tasks_by_kind() -> dict[str, tuple[Recipe, ...]]:
    """Give the tasks of each kind, twelve or more."""
    smooth = ("gaussian", "ball", "hypercube")
    round_ones = ("sphere", "torus", *smooth)
    disjoint = ("sphere", "ball", "gaussian", "torus", "swiss roll", "mixture", "hypercube", "ellipsoid")
    kinds = {
        "disjoint copies": tuple(
            _apart(family, m, _cycled(ROWS, at + other), classes=_cycled((2, 3, 10), at))
            for (at, family), (other, m) in product(enumerate(disjoint), enumerate((*DIMENSIONS, 20)))
        ),
        "disjoint copies, n = 200": tuple(
            _apart(family, m, 200)
            for at, family in enumerate(disjoint)
            for m in (_cycled((2, 3, 5), at), _cycled((5, 10, 20), at))
        ),
        "close sheets": tuple(
            _task(_cycled(round_ones, at), m, _cycled(ROWS, at), margin=margin)
            for at, (m, margin) in enumerate(product(DIMENSIONS, CLOSE))
        ),
        "close swiss rolls": tuple(
            _task("swiss roll", m, _cycled(ROWS, at), margin=margin)
            for at, (m, margin) in enumerate(product(DIMENSIONS[:3], CLOSE))
        ),
        "concentric shells": tuple(
            _task("sphere", m, _cycled(ROWS, at), margin=margin, labels="shells")
            for at, (m, margin) in enumerate(product(DIMENSIONS, (0.05, 0.1, 0.3)))
        ),
        "two moons": tuple(_task("gaussian", m, n, labels="moons") for m, n in product(DIMENSIONS, ROWS)),
    }
    for labels in ("half space", "ball", "XOR"):
        kinds[f"touching: {labels}"] = tuple(
            _task(_cycled(smooth, at), m, _cycled(ROWS, at + at // 3), labels=labels)
            for at, (m, _) in enumerate(product(DIMENSIONS, ROWS))
        )
    for family in ("heavy tails", "lognormal", "power-law axes"):
        kinds[family] = tuple(
            _apart(family, m, n) if at % 2 else _task(family, m, n, labels="half space")
            for at, (m, n) in enumerate(product(DIMENSIONS, ROWS))
        )
    rough = ("sphere", "gaussian", "hypercube", "swiss roll", "torus")
    for share in NOISE:
        kinds[f"noise of {share:.0%}"] = tuple(
            _apart(_cycled(rough, at), m, n, noise=share) for at, (m, n) in enumerate(product(DIMENSIONS, ROWS))
        )
    kinds["regression"] = tuple(
        _task(_cycled(("gaussian", "sphere", "hypercube", "torus"), at), m, n, labels="wave")
        for at, (m, n) in enumerate(product(DIMENSIONS, ROWS))
    )
    return kinds


def _cycled(values: Sequence[_T], at: int) -> _T:
    return values[at % len(values)]


def _task(family: str, m: int, n: int, **more: Any) -> Recipe:
    classes = int(more.get("classes", 2))
    return Recipe(family, m, n, max(coordinates_of(family, m, classes), FEATURES), **more)


def _apart(family: str, m: int, n: int, **more: Any) -> Recipe:
    """A task whose classes its n points tell apart.

    The margin is nine tenths of the distance of the twentieth neighbour in a class on a sphere, and at most 1.5. With a
    wider one the data alone would fix a hypothesis in few dimensions; with a narrower one the neighbours would be of
    other classes.
    """
    classes = int(more.get("classes", 2))
    log_surface = log(2) + (m + 1) / 2 * log(pi) - lgamma((m + 1) / 2)
    log_ball = m / 2 * log(pi) - lgamma(m / 2 + 1)
    spacing = exp((log_surface + log(classes / n)) / m)
    margin = min(1.5, 0.9 * spacing * exp((log(20) - log_ball) / m))
    return _task(family, m, n, margin=round(margin, 3), **more)
