"""The smallest distance between points of different classes, over all pairs, with its pair and its ties."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.exact import PairDistances
from ibc_report.geometry.points import Points
from ibc_report.geometry.projection import Projection, as_queries
from ibc_report.geometry.relation import Relation
from ibc_report.geometry.searching import project
from ibc_report.geometry.threads import run_blocks, slices

# The tile of bounds: 4 MB, as for the neighbours.
TILE_ROWS = 512
TILE_COLUMNS = 2048
# Candidates of a tile that are measured at once, to lower the limit; the others wait for the final limit.
FIRST_CANDIDATES = 8
# Points of an even sample, and pairs among them, that give the limit its first value.
SEED_ROWS = 1024
SEEDS = 64
# Pairs that wait in one block before they are looked at (16 MB), and how many are measured between two looks
# at the limit.
PENDING = 2**19
ROUND = 2**13
# Columns that no limit excludes are worth computing where that joins two stretches into one product.
GAP = 256
# Far above the rounding of float32 comparisons among numbers of at most 1.
ROUNDING = 2.0**-20


@dataclass(frozen=True, slots=True)
class Margin:
    """The smallest distance of two points of different classes.

    Parameters
    ----------
    distance
        In true units, exact; zero where the same vector has two classes.
    rows
        The pair that attains it, smallest in row number order, the smaller row first.
    ties
        How many unordered pairs attain it.
    method
        Which search ran; the numbers do not depend on it.
    """

    distance: float
    rows: tuple[int, int]
    ties: int
    method: str


def merge_margins(first: Margin | None, second: Margin | None) -> Margin | None:
    """Join the margins of two disjoint sets of pairs: associative and commutative.

    Examples
    --------
    >>> merge_margins(Margin(1.0, (4, 7), 1, "plain GEMM"), Margin(1.0, (3, 9), 2, "plain GEMM"))
    Margin(distance=1.0, rows=(3, 9), ties=3, method='plain GEMM')
    """
    if first is None or second is None:
        return first or second
    names = sorted({*first.method.split("; "), *second.method.split("; ")})
    method = "; ".join(names)
    if first.distance != second.distance:
        least = min(first, second, key=lambda margin: margin.distance)
        return Margin(least.distance, least.rows, least.ties, method)
    rows = min(first.rows, second.rows)
    return Margin(first.distance, rows, first.ties + second.ties, method)


def margin_of_pairs(
    distances: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    method: str,
) -> Margin | None:
    """Return the margin of measured pairs, given the rows of both sides; shapes (m,)."""
    if not len(distances):
        return None
    least = distances.min()
    hit = distances == least
    low, high = np.minimum(first[hit], second[hit]), np.maximum(first[hit], second[hit])
    best = np.lexsort((high, low))[0]
    return Margin(float(least), (int(low[best]), int(high[best])), int(hit.sum()), method)


@dataclass(slots=True, eq=False)
class Limit:
    """The smallest distance found so far by any thread, and what that means for products and coordinates.

    Parameters
    ----------
    projection, unit
        Of the points.
    error
        Of the projection, which takes a while to compute.
    """

    projection: Projection
    unit: float
    error: float
    distance: float = np.inf
    product: float = np.inf
    reach: float = np.inf
    lock: Lock = field(default_factory=Lock)

    def lower(self, distance: float) -> None:
        """Take in a distance that some pair attains.

        A product above ``product`` or leading coordinates further apart than ``reach`` rule a pair out.
        """
        with self.lock:
            if distance >= self.distance:
                return
            self.product = float(self.projection.limit(np.array([distance]), self.unit)[0])
            scaled = distance * (self.projection.scale / self.unit)
            # Norms are at most 1, and so is what their rounding is a part of.
            self.reach = scaled * (1 + ROUNDING) + 2 * self.error + ROUNDING
            self.distance = distance


@dataclass(slots=True, eq=False)
class Pending:
    """Pairs that wait to be measured, and the margin of those that were."""

    pairs: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]] = field(default_factory=list)
    waiting: int = 0
    found: Margin | None = None

    def add(self, first: NDArray[np.int64], second: NDArray[np.int64], bound: NDArray[np.float32]) -> None:
        """Note pairs by their places in the order of the search."""
        self.pairs.append((first, second, bound))
        self.waiting += len(first)

    def take(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Return all pairs and forget them, those of smallest bound first."""
        empty = np.empty(0, np.int64)
        parts = [*self.pairs, (empty, empty, np.empty(0, np.float32))]
        first, second, bound = (np.concatenate(part) for part in zip(*parts, strict=True))
        self.pairs, self.waiting = [], 0
        order = np.argsort(bound)
        return first[order], second[order], bound[order]


@dataclass(frozen=True, slots=True, eq=False)
class MarginSearch:
    """Everything that the blocks of one search share; all arrays are sorted by class and leading coordinate.

    Parameters
    ----------
    order
        Shape (n,), positions of the points in this order.
    rows
        Shape (n, width), projected.
    ends
        Where each class ends in this order.
    limit
        Shared by all blocks.
    """

    points: Points
    projection: Projection
    distances: PairDistances
    order: NDArray[np.int64]
    rows: NDArray[np.float32]
    ends: NDArray[np.int64]
    limit: Limit
    turn: Lock = field(default_factory=Lock)

    @classmethod
    def over(cls, points: Points, projection: Projection) -> MarginSearch:
        """Project and sort the points."""
        assert points.labels is not None
        rows = project(points, np.arange(len(points)), projection, projection.allowance)
        order = np.lexsort((rows[:, 0], points.labels))
        labels = points.labels[order]
        ends = np.append(np.flatnonzero(np.diff(labels)) + 1, len(labels))
        distances = PairDistances.between(points, points)
        limit = Limit(projection, points.unit, projection.error)
        return cls(points, projection, distances, order, rows[order], ends, limit)

    def blocks(self) -> list[slice]:
        """Return the blocks of rows, each of one class; the last class has no class after it."""
        result: list[slice] = []
        start = 0
        for end in self.ends[:-1]:
            parts = slices(int(end) - start, TILE_ROWS)
            result.extend(slice(start + part.start, start + part.stop) for part in parts)
            start = int(end)
        return result

    def stretches(self, block: slice) -> list[tuple[int, int]]:
        """Return where, among later classes, the leading coordinate alone does not exclude a pair."""
        leading = self.rows[:, 0]
        reach = self.limit.reach
        low, high = leading[block.start] - reach, leading[block.stop - 1] + reach
        result: list[tuple[int, int]] = []
        later = self.ends[np.searchsorted(self.ends, block.start, side="right") :]
        for start, stop in pairwise(later):
            coordinates = leading[start:stop]
            first = int(start + np.searchsorted(coordinates, low, side="left"))
            last = int(start + np.searchsorted(coordinates, high, side="right"))
            if first == last:
                continue
            if result and first - result[-1][1] <= GAP:
                result[-1] = (result[-1][0], last)
            else:
                result.append((first, last))
        return result

    def run(self, block: slice) -> Pending:
        """Return the pairs of a block with all later classes that are within the limit by their bound."""
        pending = Pending()
        queries = as_queries(self.rows[block])
        out = np.empty(TILE_ROWS * TILE_COLUMNS, np.float32)
        for start, stop in self.stretches(block):
            for part in slices(stop - start, TILE_COLUMNS):
                if self.limit.distance == 0:
                    return pending
                columns = slice(start + part.start, start + part.stop)
                shape = len(queries), columns.stop - columns.start
                bounds = out[: shape[0] * shape[1]].reshape(shape)
                np.dot(queries, self.rows[columns].T, out=bounds)
                near = np.flatnonzero(bounds.min(axis=1) <= self.limit.product)
                if len(near):
                    self.collect(bounds[near], block.start + near, columns.start, pending)
        return pending

    def collect(self, bounds: NDArray[np.float32], rows: NDArray[np.int64], column: int, pending: Pending) -> None:
        """Note the candidates among some rows of a tile, having measured the smallest to lower the limit."""
        at, across = np.nonzero(bounds <= self.limit.product)
        first, second, bound = rows[at], column + across, bounds[at, across]
        few = np.arange(len(bound))
        if len(bound) > FIRST_CANDIDATES:
            few = np.sort(np.argpartition(bound, FIRST_CANDIDATES)[:FIRST_CANDIDATES])
        with self.turn:
            least = self.distances(self.order[first[few]], self.order[second[few]]).min()
        self.limit.lower(float(least))
        keep = bound <= self.limit.product
        pending.add(first[keep], second[keep], bound[keep])
        if pending.waiting > PENDING:
            self.settle(pending)

    def settle(self, pending: Pending) -> None:
        """Measure what is still within the limit, and keep of it the margin alone."""
        first, second, bound = pending.take()
        rows, method = self.points.rows, self.projection.method
        for part in slices(len(first), ROUND):
            chosen = np.flatnonzero(bound[part] <= self.limit.product) + part.start
            chosen = chosen[np.argsort(first[chosen])]
            left, right = self.order[first[chosen]], self.order[second[chosen]]
            distances = self.distances(left, right)
            found = margin_of_pairs(distances, rows[left], rows[right], method)
            if found is not None:
                self.limit.lower(found.distance)
                pending.found = merge_margins(pending.found, found)


def run_margin(points: Points, projection: Projection, progress: Callable[[float], None] | None) -> Margin | None:
    """Return the exact margin; None where there is one class only."""
    search = MarginSearch.over(points, projection)
    _seed(search)
    if search.limit.distance > 0:
        parts = run_blocks(search.run, search.blocks(), progress)
        joined = Pending()
        for part in parts:
            joined.pairs.extend(part.pairs)
            joined.found = merge_margins(joined.found, part.found)
        search.settle(joined)
        found = joined.found
        if found is None or found.distance > 0:
            return found
    return zero_margin(points, projection.method)


def _seed(search: MarginSearch) -> None:
    """Give the limit a first value: the smallest bounds among an even sample of the points, measured."""
    assert search.points.labels is not None
    chosen = np.unique(np.linspace(0, len(search.order) - 1, SEED_ROWS).astype(np.int64))
    rows, order = search.rows[chosen], search.order[chosen]
    labels = search.points.labels[order]
    bounds = as_queries(rows) @ rows.T
    bounds[labels[:, None] >= labels] = np.inf
    flat = bounds.ravel()
    few = np.argpartition(flat, min(SEEDS, len(flat) - 1))[:SEEDS]
    first, second = np.divmod(np.sort(few[np.isfinite(flat[few])]), len(rows))
    if len(first):
        search.limit.lower(float(search.distances(order[first], order[second]).min()))


def zero_margin(points: Points, method: str) -> Margin | None:
    """Return the margin of a set in which equal vectors have different classes: counted, not measured."""
    assert points.labels is not None
    groups: dict[bytes, list[int]] = {}
    for start in range(0, len(points), 1024):
        block = points.raw[start : start + 1024] + points.vectors.dtype.type(0)
        for at, vector in enumerate(block, start):
            digest = hashlib.blake2b(vector.tobytes(), digest_size=16).digest()
            groups.setdefault(digest, []).append(at)
    found: Margin | None = None
    for members in groups.values():
        labels = points.labels[members]
        counts = np.unique(labels, return_counts=True)[1]
        if len(counts) == 1:
            continue
        rows = points.rows[members]
        least = rows.argmin()
        partner = rows[labels != labels[least]].min()
        ties = (len(members) ** 2 - int((counts**2).sum())) // 2
        found = merge_margins(found, Margin(0.0, (int(rows[least]), int(partner)), ties, method))
    return found


def brute_margin(points: Points, tolerance: float, method: str) -> Margin | None:
    """Return the margin of a few points with targets, from every pair of them."""
    relation = Relation.between(points, points, tolerance)
    assert relation is not None
    measure = PairDistances.between(points, points)
    found: Margin | None = None
    for at in range(len(points) - 1):
        later = np.arange(at + 1, len(points))
        later = later[relation.differ(np.full(len(later), at), later)]
        own = np.full(len(later), at)
        distances = measure(own, later)
        found = merge_margins(found, margin_of_pairs(distances, points.rows[own], points.rows[later], method))
    return found
