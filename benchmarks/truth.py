"""The tasks of the calibration, and of which of them each assumption is true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import exp, lgamma, log, pi
from typing import Any

import numpy as np
from synthetic import FAMILIES, HALVED, VIOLATIONS, Recipe, coordinates_of
from trial import Trial

from ibc_report.geometry.dimension.local_density import dimension_drift

__all__ = ["TRUE", "clean_tasks", "planted_tasks", "replicates"]

FLAT = 0.05
"""Slope of ln m on ln k, of the mean over draws, up to which m does not depend on the scale."""

REACHED = 0.3
"""Decades of bits up to which the observed margin is the population's."""

CLOSED = ("sphere", "torus")
"""Families of constant norm, and of constant density without an edge."""

CENTRED = tuple(family for family in FAMILIES if family not in ("mixture", "swiss roll"))
"""Families with their mean at the origin."""


def _flat(recipe: Recipe, trials: Sequence[Trial]) -> bool:
    common = set.intersection(*(set(trial.dimension_profile) for trial in trials))
    means = {k: float(np.mean([trial.dimension_profile[k] for trial in trials])) for k in sorted(common)}
    drift = dimension_drift(means)
    return drift is not None and abs(drift) <= FLAT


def _reached(recipe: Recipe, trials: Sequence[Trial]) -> bool:
    """Whether the bits at the observed margin are those at the margin of the population."""
    if recipe.noise:
        return False
    excess = np.mean([np.log10(trial.margin / recipe.margin) for trial in trials])
    return bool(excess * np.mean([trial.dimension for trial in trials]) <= REACHED)


TRUE: dict[str, Callable[[Recipe, Sequence[Trial]], bool]] = {
    "A1": lambda recipe, trials: recipe.family in CLOSED and recipe.noise == 0,
    "A2": lambda recipe, trials: recipe.family in CENTRED,
    "A3": lambda recipe, trials: True,
    "A4": lambda recipe, trials: recipe.family in (*CLOSED, "ball") and recipe.noise == 0,
    "A5": lambda recipe, trials: True,
    "A6": _flat,
    "A7": lambda recipe, trials: True,
    "A8": lambda recipe, trials: True,
    "A9": _reached,
    "A10": lambda recipe, trials: True,
    "A14": lambda recipe, trials: True,
}
"""By assumption, whether it is true of a task without a planted violation, given all of its draws."""


def _task(family: str, m: int, n: int, wide: bool, noisy: bool = False, **more: Any) -> Recipe:
    """A task in 784 features, or in as many as it needs and at least 100, whose classes its n points tell apart.

    The margin is nine tenths of the distance of the twentieth neighbour in a class on a sphere, and at most 1.5. With a
    wider one the data alone would fix a hypothesis in few dimensions; with a narrower one the neighbours would be of
    other classes. Noise is a tenth of the spacing of a class's points.
    """
    classes = int(more.get("classes", 2))
    log_surface = log(2) + (m + 1) / 2 * log(pi) - lgamma((m + 1) / 2)
    log_ball = m / 2 * log(pi) - lgamma(m / 2 + 1)
    spacing = exp((log_surface + log(classes / n)) / m)
    margin = min(1.5, 0.9 * spacing * exp((log(20) - log_ball) / m))
    features = 784 if wide else max(coordinates_of(family, m, classes), 100)
    return Recipe(family, m, n, features, margin=round(margin, 3), noise=round(noisy * spacing / 10, 4), **more)


def clean_tasks(quick: bool) -> tuple[Recipe, ...]:
    """Tasks without a planted violation."""
    dimensions, counts = ((2, 10), (500,)) if quick else ((2, 3, 5, 10, 14, 20, 40), (500, 1000, 2000))
    plain = product(FAMILIES, dimensions, counts)
    tasks = [_task(family, m, n, wide=at % 5 == 0) for at, (family, m, n) in enumerate(plain)]
    if quick:
        return tuple(tasks)
    tasks += [_task(family, m, 5000, wide=m == 5) for family, m in product(FAMILIES, (2, 5, 10, 20, 40))]
    large = (("sphere", 2), ("gaussian", 5), ("ball", 10), ("torus", 10), ("swiss roll", 5))
    tasks += [_task(family, m, 20_000, wide=family == "torus") for family, m in large]
    rough = product(("sphere", "gaussian", "hypercube", "swiss roll"), (2, 5, 10), (500, 1000, 2000))
    tasks += [_task(family, m, n, wide=False, noisy=True) for family, m, n in rough]
    other = product(("sphere", "ball", "gaussian", "torus"), (2, 5, 10, 20), (500, 1000, 2000))
    tasks += [_task(family, m, n, wide=False, classes=3 if m == 5 else 10) for family, m, n in other]
    tasks += [_task("mixture", m, 1000, wide=False, classes=5) for m in (2, 5, 10)]
    return tuple(tasks)


def planted_tasks(quick: bool) -> tuple[Recipe, ...]:
    """Tasks with one violation each."""
    dimensions, counts = ((5,), (500,)) if quick else ((2, 5, 10, 20, 40), (500, 2000))
    tasks = []
    for violation in VIOLATIONS:
        uneven = violation == "non-uniform density"
        families = tuple(HALVED) if uneven else ("sphere", "ball", "gaussian", "torus", "hypercube")
        for family, m, n in product(families, dimensions, counts):
            if violation == "two dimensions" and m < 5:
                continue
            tasks.append(_task(family, m, n, wide=m == 10, violation=violation))
        if not quick:
            tasks.append(_task("sphere", 10, 5000, wide=False, violation=violation))
    return tuple(tasks)


def replicates(recipe: Recipe, quick: bool) -> int:
    """How often a task is drawn: a coverage needs its expectation, a planted violation does not."""
    if quick:
        return 2
    if recipe.violation is not None:
        return 2
    return {500: 10, 1000: 10, 2000: 6, 5000: 4}.get(recipe.n, 3)
