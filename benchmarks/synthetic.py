"""Tasks whose truth is known: manifolds of a chosen dimension, classes at a chosen margin, and planted faults.

Every manifold is scaled to a root mean square norm of 1. Each class is a copy of it, moved to a vertex of a regular
simplex in directions of its own, so that no two classes come closer than the edge of the simplex, and equal points of
two copies come as close as that: the margin of the population is the edge, whatever the manifold.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry import Points

__all__ = ["FAMILIES", "HALVED", "VIOLATIONS", "Recipe", "coordinates_of", "draw", "regression"]

Array = NDArray[np.float64]
Generator = np.random.Generator

OUTLIER = 10.0
"""The outlier's norm, in norms of the row that it was."""

OFFSET = 1.0
"""Length by which all rows are moved, in root mean square norms."""

FLIPPED = 0.01
"""Share of labels that are flipped."""

REPEATED = 0.05
"""Share of rows that repeat another row, or nearly do."""

NEARLY = 1e-3
"""Distance of a near duplicate, in typical distances of neighbours, n^(−1/m)."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A task whose truth is known.

    Parameters
    ----------
    family : str
        Manifold, a key of `FAMILIES`.
    dimension : int
        Its dimension m; at least 2 for a swiss roll.
    n : int
        Rows.
    features : int
        Features that it is rotated into; at least as many as `coordinates_of` says.
    classes : int
        Classes, of equal size but for one row.
    margin : float
        Distance of the classes' manifolds, in root mean square norms of one of them.
    noise : float
        Root mean square norm of the noise in all features, in the same units. With noise the margin is not known.
    violation : str or None
        What is planted, a key of `VIOLATIONS`.
    """

    family: str
    dimension: int
    n: int
    features: int
    classes: int = 2
    margin: float = 1.0
    noise: float = 0.0
    violation: str | None = None

    @property
    def name(self) -> str:
        """All of it in one line."""
        planted = f" + {self.violation}" if self.violation else ""
        return (
            f"{self.family} m={self.dimension} n={self.n} D={self.features} d={self.classes} "
            f"margin={self.margin:g} noise={self.noise:g}{planted}"
        )


def _sphere(rng: Generator, n: int, m: int) -> Array:
    """Uniform on the m-sphere in m + 1 coordinates."""
    x = rng.standard_normal((n, m + 1))
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))


def _ball(rng: Generator, n: int, m: int) -> Array:
    """Uniform in the m-ball."""
    radius = np.sqrt((m + 2) / m) * rng.random((n, 1)) ** (1 / m)
    return np.asarray(radius * _sphere(rng, n, m - 1))


def _gaussian(rng: Generator, n: int, m: int) -> Array:
    """Normal with equal variances."""
    return np.asarray(rng.standard_normal((n, m)) / np.sqrt(m))


def _torus(rng: Generator, n: int, m: int) -> Array:
    """Uniform on the flat torus, a product of m equal circles in 2m coordinates: without edges or curvature."""
    angle = rng.uniform(0, 2 * np.pi, (n, m))
    return np.asarray(np.concatenate([np.cos(angle), np.sin(angle)], axis=1) / np.sqrt(m))


def _swiss_roll(rng: Generator, n: int, m: int) -> Array:
    """Uniform by area on a spiral of one and a half turns times an (m − 1)-cube, in m + 1 coordinates."""
    grid = np.linspace(1.5 * np.pi, 4.5 * np.pi, 4097)
    length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(grid), (grid[1:] + grid[:-1]) / 2 * np.diff(grid)))])
    angle = np.interp(rng.uniform(0, length[-1], n), length, grid)
    spiral = np.stack([angle * np.cos(angle), angle * np.sin(angle)], axis=1) / (3 * np.pi)
    x = np.concatenate([spiral, rng.uniform(-1, 1, (n, m - 1))], axis=1)
    return np.asarray(x / np.sqrt((x**2).sum(axis=1).mean()))


def _hypercube(rng: Generator, n: int, m: int) -> Array:
    """Uniform in the m-cube."""
    return np.asarray(rng.uniform(-1, 1, (n, m)) * np.sqrt(3 / m))


def _mixture(rng: Generator, n: int, m: int) -> Array:
    """Four normal clusters of one dimension, with scales between 1 and 2, three standard deviations apart or more."""
    centres = 4 * _sphere(np.random.default_rng(m), 4, max(m - 1, 1))[:, :m] * np.sqrt(m)
    scales = np.geomspace(1, 2, 4)
    which = rng.integers(0, 4, n)
    x = centres[which] + scales[which, None] * rng.standard_normal((n, m))
    return np.asarray(x / np.sqrt((x**2).sum(axis=1).mean()))


def _ellipsoid(rng: Generator, n: int, m: int) -> Array:
    """Normal with variances that fall twofold from the first coordinate to the last."""
    scales = np.geomspace(1, np.sqrt(0.5), m)
    return np.asarray(rng.standard_normal((n, m)) * scales / np.linalg.norm(scales))


FAMILIES: dict[str, Callable[[Generator, int, int], Array]] = {
    "sphere": _sphere,
    "ball": _ball,
    "gaussian": _gaussian,
    "torus": _torus,
    "swiss roll": _swiss_roll,
    "mixture": _mixture,
    "hypercube": _hypercube,
    "ellipsoid": _ellipsoid,
}
"""Manifolds by name: a function of generator, rows and dimension."""


def coordinates_of(family: str, dimension: int, classes: int = 2) -> int:
    """Features that a task needs at least: the manifold's and those of the simplex of classes."""
    own = {"sphere": dimension + 1, "torus": 2 * dimension, "swiss roll": dimension + 1}.get(family, dimension)
    return own + classes


def _halved_sphere(x: Array) -> Array:
    """Halve the angle to the first axis: the bisector, normalised."""
    moved = x + np.eye(x.shape[1])[0]
    return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True))


def _halved_torus(x: Array) -> Array:
    """Halve every angle."""
    m = x.shape[1] // 2
    angle = np.arctan2(x[:, m:], x[:, :m]) / 2
    return np.asarray(np.concatenate([np.cos(angle), np.sin(angle)], axis=1) / np.sqrt(m))


def _halved(x: Array) -> Array:
    """Halve the distance to the centre."""
    return x / 2


HALVED: dict[str, Callable[[Array], Array]] = {"sphere": _halved_sphere, "torus": _halved_torus, "ball": _halved}
"""Points moved along the manifold, half of their way to one point of it."""


def _manifold(rng: Generator, recipe: Recipe) -> Array:
    """Rows on the manifold, with its planted change of density or dimension."""
    make = FAMILIES[recipe.family]
    x = make(rng, recipe.n, recipe.dimension)
    if recipe.violation == "non-uniform density":
        half = rng.permutation(recipe.n)[: recipe.n // 2]
        x[half] = HALVED[recipe.family](x[half])
    if recipe.violation == "two dimensions":
        lower = make(rng, recipe.n, max(recipe.dimension // 2, 2 if recipe.family == "swiss roll" else 1))
        half = rng.permutation(recipe.n)[: recipe.n // 2]
        x[half] = 0
        x[half, : lower.shape[1]] = lower[half]
    return x


def _repeat(rng: Generator, x: Array, labels: NDArray[np.int64], distance: float) -> None:
    """Overwrite some rows with others, at a distance from them, labels included."""
    order = rng.permutation(len(x))
    count = round(REPEATED * len(x))
    copies, originals = order[:count], order[count : 2 * count]
    step = rng.standard_normal((count, x.shape[1]))
    x[copies] = x[originals] + distance * step / np.linalg.norm(step, axis=1, keepdims=True)
    labels[copies] = labels[originals]


def _outlier(rng: Generator, recipe: Recipe, x: Array, labels: NDArray[np.int64]) -> None:
    x[rng.integers(len(x))] *= OUTLIER


def _offset(rng: Generator, recipe: Recipe, x: Array, labels: NDArray[np.int64]) -> None:
    direction = rng.standard_normal(x.shape[1])
    x += OFFSET * direction / np.linalg.norm(direction)


def _flipped(rng: Generator, recipe: Recipe, x: Array, labels: NDArray[np.int64]) -> None:
    rows = rng.permutation(len(x))[: max(1, round(FLIPPED * len(x)))]
    labels[rows] = (labels[rows] + rng.integers(1, recipe.classes, len(rows))) % recipe.classes


def _duplicates(rng: Generator, recipe: Recipe, x: Array, labels: NDArray[np.int64]) -> None:
    _repeat(rng, x, labels, 0.0)


def _near_duplicates(rng: Generator, recipe: Recipe, x: Array, labels: NDArray[np.int64]) -> None:
    _repeat(rng, x, labels, NEARLY * recipe.n ** (-1 / recipe.dimension))


def _nothing(rng: Generator, recipe: Recipe, x: Array, labels: NDArray[np.int64]) -> None:
    """What is planted was planted in the manifold."""


VIOLATIONS: dict[str, tuple[str, Callable[[Generator, Recipe, Array, NDArray[np.int64]], None]]] = {
    "outlier": ("A3", _outlier),
    "offset origin": ("A2", _offset),
    "flipped labels": ("A8", _flipped),
    "duplicates": ("A10", _duplicates),
    "near duplicates": ("A10", _near_duplicates),
    "two dimensions": ("A5", _nothing),
    "non-uniform density": ("A4", _nothing),
}
"""Planted faults: the assumption that each violates, and how it is planted in finished rows."""


def draw(recipe: Recipe, seed: int) -> Points:
    """Draw a task's rows.

    Parameters
    ----------
    recipe : Recipe
        The task.
    seed : int
        Of this replicate; another recipe draws other numbers under the same seed.

    Returns
    -------
    Points
        With labels; the rows are in random order of class.
    """
    rng = np.random.default_rng([seed, zlib.crc32(recipe.name.encode())])
    manifold = _manifold(rng, recipe)
    labels = rng.permutation(np.arange(recipe.n) % recipe.classes).astype(np.int64)
    simplex = (np.eye(recipe.classes) - 1 / recipe.classes) * (recipe.margin / np.sqrt(2))
    inner = np.concatenate([manifold, simplex[labels]], axis=1)
    if inner.shape[1] > recipe.features:
        raise ValueError(f"{recipe.name} needs at least {inner.shape[1]} features")
    rotation, _ = np.linalg.qr(rng.standard_normal((recipe.features, inner.shape[1])))
    x = np.ascontiguousarray(inner @ rotation.T)
    if recipe.noise:
        x += recipe.noise / np.sqrt(recipe.features) * rng.standard_normal(x.shape)
    if recipe.violation is not None:
        VIOLATIONS[recipe.violation][1](rng, recipe, x, labels)
    return Points(x, 1.0, np.arange(recipe.n), labels)


def regression(recipe: Recipe, seed: int) -> Points:
    """Draw a task's rows with real targets, a wave along a random direction, instead of classes."""
    points = draw(recipe, seed)
    rng = np.random.default_rng([seed, 1, zlib.crc32(recipe.name.encode())])
    direction = rng.standard_normal(points.dimension)
    targets = np.sin(3 * points.raw @ (direction / np.linalg.norm(direction)))
    return Points(points.vectors, 1.0, points.rows, None, targets)
