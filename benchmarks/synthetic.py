"""Tasks whose truth is known: manifolds of a chosen dimension, with classes that lie apart, close together or touch.

Every manifold is scaled to a root mean square norm of 1. The classes are copies of it, moved to the vertices of a
regular simplex in directions of their own, so that no two come closer than its edge; or concentric shells; or they
share the manifold, and touch.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from math import e

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry import Points

__all__ = ["FAMILIES", "LABELS", "Recipe", "coordinates_of", "draw"]

Array = NDArray[np.float64]
Generator = np.random.Generator


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
        "two dimensions": half of the rows lie on a manifold of half the dimension.
    labels : str
        How the classes lie, one of `LABELS`; of all but copies there are two.
    """

    family: str
    dimension: int
    n: int
    features: int
    classes: int = 2
    margin: float = 1.0
    noise: float = 0.0
    violation: str | None = None
    labels: str = "copies"

    @property
    def name(self) -> str:
        """All of it in one line."""
        planted = f" + {self.violation}" if self.violation else ""
        return (
            f"{self.family} m={self.dimension} n={self.n} D={self.features} d={self.classes} "
            f"margin={self.margin:g} noise={self.noise:g} {self.labels}{planted}"
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


def _student(rng: Generator, n: int, m: int) -> Array:
    """Coordinates with heavy tails: Student's t with three degrees of freedom."""
    return np.asarray(rng.standard_t(3, (n, m)) / np.sqrt(3 * m))


def _lognormal(rng: Generator, n: int, m: int) -> Array:
    """Coordinates that are skewed: lognormal, less their mean."""
    deviation = np.sqrt((e - 1) * e)
    return np.asarray((rng.lognormal(size=(n, m)) - np.exp(0.5)) / (deviation * np.sqrt(m)))


def _power_law(rng: Generator, n: int, m: int) -> Array:
    """Normal with deviations that fall as one over the number of the coordinate."""
    scales = 1 / np.arange(1, m + 1)
    return np.asarray(rng.standard_normal((n, m)) * scales / np.linalg.norm(scales))


def _moons(rng: Generator, n: int, m: int) -> Array:
    """Two half circles that reach into each other, times a cube; the first coordinate of all says which it is."""
    which = rng.permutation(np.arange(n) % 2).astype(np.float64)
    angle = rng.uniform(0, np.pi, n)
    sign = 1 - 2 * which
    plane = np.stack([sign * np.cos(angle) + which, sign * np.sin(angle) + 0.5 * which], axis=1)
    x = np.concatenate([plane, rng.uniform(-1, 1, (n, m - 1))], axis=1)
    return np.concatenate([which[:, None], x / np.sqrt((x**2).sum(axis=1).mean())], axis=1)


FAMILIES: dict[str, Callable[[Generator, int, int], Array]] = {
    "sphere": _sphere,
    "ball": _ball,
    "gaussian": _gaussian,
    "torus": _torus,
    "swiss roll": _swiss_roll,
    "mixture": _mixture,
    "hypercube": _hypercube,
    "ellipsoid": _ellipsoid,
    "heavy tails": _student,
    "lognormal": _lognormal,
    "power-law axes": _power_law,
}
"""Manifolds by name: a function of generator, rows and dimension."""


def coordinates_of(family: str, dimension: int, classes: int = 2) -> int:
    """Features that a task needs at least: the manifold's and those of the simplex of classes."""
    own = {"sphere": dimension + 1, "torus": 2 * dimension, "swiss roll": dimension + 1, "moons": dimension + 1}.get(
        family, dimension
    )
    return own + classes


LABELS = ("copies", "shells", "moons", "half space", "ball", "XOR", "wave")
"""How classes lie: copies of the manifold; shells one around the other; two moons; parts of one manifold, that touch,
by a plane through its middle, by the norm, or by the signs of two coordinates; or no classes but a smooth target."""


def _classes(rng: Generator, recipe: Recipe, x: Array) -> tuple[Array, NDArray[np.int64]]:
    """Coordinates and labels of rows on the manifold."""
    if recipe.labels == "moons":
        return x[:, 1:], x[:, 0].astype(np.int64)
    if recipe.labels in ("copies", "shells"):
        labels = rng.permutation(np.arange(recipe.n) % recipe.classes).astype(np.int64)
        if recipe.labels == "shells":
            return x * (1 + recipe.margin * labels[:, None]), labels
        simplex = (np.eye(recipe.classes) - 1 / recipe.classes) * (recipe.margin / np.sqrt(2))
        return np.concatenate([x, simplex[labels]], axis=1), labels
    norms = np.linalg.norm(x, axis=1)
    inside = {
        "half space": x[:, 0] > 0,
        "ball": norms < np.median(norms),
        "XOR": x[:, 0] * x[:, 1] > 0,
        "wave": np.arange(recipe.n) % 2 > 0,
    }
    return x, inside[recipe.labels].astype(np.int64)


def _manifold(rng: Generator, recipe: Recipe) -> Array:
    """Rows on the manifold, some of them on one of fewer dimensions."""
    make = _moons if recipe.labels == "moons" else FAMILIES[recipe.family]
    x = make(rng, recipe.n, recipe.dimension)
    if recipe.violation == "two dimensions":
        lower = make(rng, recipe.n, max(recipe.dimension // 2, 2 if recipe.family == "swiss roll" else 1))
        half = rng.permutation(recipe.n)[: recipe.n // 2]
        x[half] = 0
        x[half, : lower.shape[1]] = lower[half]
    return x


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
        With labels, in random order; or with targets, a wave along a direction that is the task's own.
    """
    rng = np.random.default_rng([seed, zlib.crc32(recipe.name.encode())])
    manifold = _manifold(rng, recipe)
    inner, labels = _classes(rng, recipe, manifold)
    if inner.shape[1] > recipe.features:
        raise ValueError(f"{recipe.name} needs at least {inner.shape[1]} features")
    rotation, _ = np.linalg.qr(rng.standard_normal((recipe.features, inner.shape[1])))
    x = np.ascontiguousarray(inner @ rotation.T)
    if recipe.noise:
        x += recipe.noise / np.sqrt(recipe.features) * rng.standard_normal(x.shape)
    if recipe.labels != "wave":
        return Points(x, 1.0, np.arange(recipe.n), labels)
    # of the task, not of the draw: other samples of a task have the same target
    direction = np.random.default_rng(zlib.crc32(recipe.name.encode())).standard_normal(inner.shape[1])
    targets = np.sin(3 * inner @ (direction / np.linalg.norm(direction)))
    return Points(x, 1.0, np.arange(recipe.n), None, targets)
