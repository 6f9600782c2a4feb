"""Point sets that break a search which cuts corners, and brute force to compare with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.neighbors.distances import PairDistances
from ibc_report.geometry.neighbors.margin import Relation
from ibc_report.geometry.neighbors.points import Points

Maker = Callable[[np.random.Generator], Points]


def points_of(
    vectors: NDArray[Any],
    rng: np.random.Generator,
    classes: int = 3,
    unit: float | None = None,
) -> Points:
    """Return points with scattered row numbers, random classes and random targets."""
    count = len(vectors)
    if unit is None:
        unit = 1 / 255 if vectors.dtype == np.uint8 else 1.0
    return Points(
        np.ascontiguousarray(vectors),
        unit,
        rng.permutation(3 * count)[:count].astype(np.int64),
        rng.integers(0, classes, count),
        rng.standard_normal(count),
    )


def _near_duplicates(rng: np.random.Generator) -> Points:
    base = rng.standard_normal((60, 40))
    return points_of(np.concatenate([base, base + 1e-9 * rng.standard_normal(base.shape)]), rng)


def _offset(size: float) -> Maker:
    def make(rng: np.random.Generator) -> Points:
        return points_of(rng.standard_normal((150, 30)) + size, rng)

    return make


def _scaled(size: float) -> Maker:
    def make(rng: np.random.Generator) -> Points:
        return points_of(rng.standard_normal((150, 30)) * size, rng)

    return make


def _outlier(rng: np.random.Generator) -> Points:
    vectors = rng.standard_normal((150, 30))
    vectors[17] *= 1e6 / np.linalg.norm(vectors[17])
    return points_of(vectors, rng)


def _constant_column(rng: np.random.Generator) -> Points:
    vectors = rng.standard_normal((150, 5))
    vectors[:, 2] = 7.25
    return points_of(vectors, rng)


def _subnormal(rng: np.random.Generator) -> Points:
    return points_of(rng.integers(0, 3, (120, 4)) * 5e-324, rng)


def _low_rank(rng: np.random.Generator) -> Points:
    return points_of(rng.standard_normal((150, 3)) @ rng.standard_normal((3, 60)), rng)


def _pixels(high: int, dimension: int, count: int = 150) -> Maker:
    def make(rng: np.random.Generator) -> Points:
        return points_of(rng.integers(0, high, (count, dimension), dtype=np.uint8), rng)

    return make


def _correlated_pixels(rng: np.random.Generator) -> Points:
    smooth = rng.standard_normal((400, 6)) @ rng.standard_normal((6, 200)) * 25 + 128
    return points_of(np.clip(smooth, 0, 255).astype(np.uint8), rng)


ADVERSARIES: dict[str, Maker] = {
    "near duplicates": _near_duplicates,
    "offset 1000": _offset(1e3),
    "offset 1e6": _offset(1e6),
    "scale 1e-30": _scaled(1e-30),
    "scale 1e30": _scaled(1e30),
    "scale 1e-200": _scaled(1e-200),
    "scale 1e200": _scaled(1e200),
    "outlier of norm 1e6": _outlier,
    "constant column": _constant_column,
    "subnormal differences": _subnormal,
    "low rank": _low_rank,
    "all equal": lambda rng: points_of(np.full((90, 7), 1.5), rng),
    "one class": lambda rng: points_of(rng.standard_normal((80, 6)), rng, classes=1),
    "every point its own class": lambda rng: Points(
        rng.standard_normal((70, 6)), 1.0, np.arange(70), rng.permutation(70), rng.standard_normal(70)
    ),
    "one dimension": lambda rng: points_of(rng.integers(0, 40, (90, 1)).astype(np.float64), rng),
    "two points": lambda rng: points_of(rng.standard_normal((2, 6)), rng),
    "one point": lambda rng: points_of(rng.standard_normal((1, 6)), rng),
    "random pixels": _pixels(256, 300),
    "wide pixels": _pixels(256, 2500, 60),
    "extreme pixels": lambda rng: points_of((rng.integers(0, 2, (80, 1100)) * 255).astype(np.uint8), rng, classes=2),
    "correlated pixels": _correlated_pixels,
    "many ties": _pixels(2, 8, 200),
    "pixels of one dimension": _pixels(256, 1),
}


@dataclass(frozen=True)
class Truth:
    """All distances of queries and references, by brute force, in the engine's own exact arithmetic."""

    distances: NDArray[np.float64]
    differ: NDArray[np.bool_]
    rows: NDArray[np.int64]

    @classmethod
    def of(cls, references: Points, queries: Points, *, same_set: bool, tolerance: float | None = None) -> Truth:
        """Measure every pair."""
        shape = len(queries), len(references)
        query, reference = (index.ravel() for index in np.indices(shape))
        distances = PairDistances.between(queries, references)(query, reference).reshape(shape)
        if same_set:
            distances[queries.rows[:, None] == references.rows] = np.inf
        relation = Relation.between(queries, references, tolerance)
        differ = np.zeros(shape, bool) if relation is None else relation.differ(query, reference).reshape(shape)
        return cls(distances, differ, references.rows)

    def nearest(self, k: int, among: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the k nearest of each query among the allowed references."""
        distances = np.where(among, self.distances, np.inf)
        rows = np.broadcast_to(self.rows, distances.shape)
        order = np.lexsort((rows, distances), axis=1)[:, :k]
        found = np.full((len(distances), k), np.inf)
        found[:, : order.shape[1]] = np.take_along_axis(distances, order, 1)
        found_rows = np.full(found.shape, -1)
        found_rows[:, : order.shape[1]] = np.take_along_axis(rows, order, 1)
        found_rows[np.isinf(found)] = -1
        return found, found_rows
