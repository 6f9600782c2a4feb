"""The search for the closest points of different classes: bounds in tiles under one falling limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.resources import run_blocks, slices
from ibc_report.geometry.neighbors.distances import PairDistances
from ibc_report.geometry.neighbors.margin import Margin, margin_of_pairs, merge_margins, zero_margin
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.projection import BLOCK_ELEMENTS, Projection, Real, as_queries
from ibc_report.geometry.neighbors.shards import project, tile_rows

# The tile of bounds: 4 MB, as for the neighbours.
TILE_ROWS = 512

TILE_COLUMNS = 2048

# Candidates of a tile that are measured at once, to lower the limit; the others wait for the final limit.
FIRST_CANDIDATES = 8

# Points of an even sample, and pairs among them, that give the limit its first value.
SEED_ROWS = 1024

SEEDS = 64

# Pairs that wait before they are looked at (10 MB), and how many are measured between two looks
# at the limit.
PENDING = 2**19

ROUND = 2**13

# Columns that no limit excludes are worth computing where that joins two stretches into one product.
GAP = 256

# Far above the rounding of float32 comparisons among numbers of at most 1.
ROUNDING = 2.0**-20


@dataclass(slots=True, eq=False)
class Limit:
    """The smallest distance found so far by any thread, and what that means for products and coordinates.

    Parameters
    ----------
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
            scaled = float(self.projection.scaled(np.array([distance]), self.unit)[0])
            # Norms are at most 1, or else whole, without error, and coordinates of a known extent.
            self.reach = scaled * (1 + ROUNDING) + 2 * self.error + ROUNDING * self.projection.extent
            self.distance = distance


@dataclass(slots=True, eq=False)
class Pending:
    """Pairs that wait to be measured, and the margin of those that were."""

    pairs: list[tuple[NDArray[np.int64], NDArray[np.int64], Real]] = field(default_factory=list)
    waiting: int = 0
    found: Margin | None = None

    def add(self, first: NDArray[np.int64], second: NDArray[np.int64], bound: Real) -> None:
        """Note pairs by their places in the order of the search."""
        self.pairs.append((first, second, bound))
        self.waiting += len(first)

    def take(self, most: float) -> tuple[NDArray[np.int64], NDArray[np.int64], Real]:
        """Return the pairs whose bound is at most this, those of smallest bound first, and forget all."""
        empty = np.empty(0, np.int64)
        parts = [*self.pairs, (empty, empty, np.empty(0, np.float32))]
        first, second, bound = (np.concatenate(part) for part in zip(*parts, strict=True))
        self.pairs, self.waiting = [], 0
        order = np.argsort(bound)
        order = order[: np.searchsorted(bound[order], most, side="right")]
        return first[order], second[order], bound[order]


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Some of the points, in the order of the search: where they start, and their projected rows."""

    start: int
    rows: Real

    @property
    def stop(self) -> int:
        """Where they end."""
        return self.start + len(self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class MarginSearch:
    """Everything that the blocks of one search share; places are those by class and leading coordinate.

    Parameters
    ----------
    allowance
        Of the projection, which takes a while to compute.
    order
        Shape (n,), positions of the points in this order.
    leading
        Shape (n,), leading coordinates in this order.
    ends
        Where each class ends in this order.
    limit, pending
        Shared by all blocks.
    """

    points: Points
    projection: Projection
    allowance: float
    distances: PairDistances
    order: NDArray[np.int64]
    leading: NDArray[np.float32]
    ends: NDArray[np.int64]
    limit: Limit
    pending: Pending = field(default_factory=Pending)
    turn: Lock = field(default_factory=Lock)

    @classmethod
    def over(cls, points: Points, projection: Projection) -> MarginSearch:
        """Sort the points."""
        assert points.labels is not None
        leading = leading_coordinates(points, projection)
        order = np.lexsort((leading, points.labels))
        labels = points.labels[order]
        ends = np.append(np.flatnonzero(np.diff(labels)) + 1, len(labels))
        distances = PairDistances.between(points, points)
        limit = Limit(projection, points.unit, projection.error)
        return cls(points, projection, projection.allowance, distances, order, leading[order], ends, limit)

    def piece(self, at: slice) -> Piece:
        """Project the points at some places."""
        return Piece(at.start, project(self.points, self.order[at], self.projection, self.allowance))

    def blocks(self, within: slice) -> list[slice]:
        """Return the blocks of rows of a piece, each of one class; the last class has no class after it."""
        result: list[slice] = []
        for start, end in pairwise([0, *self.ends[:-1].tolist()]):
            first, last = max(start, within.start), min(end, within.stop)
            parts = slices(last - first, tile_rows(self.projection.width, TILE_ROWS))
            result.extend(slice(first + part.start, first + part.stop) for part in parts)
        return result

    def stretches(self, block: slice, within: slice) -> list[tuple[int, int]]:
        """Return where, among later classes in a piece, the leading coordinate alone does not exclude a pair."""
        reach = self.limit.reach
        low, high = self.leading[block.start] - reach, self.leading[block.stop - 1] + reach
        result: list[tuple[int, int]] = []
        later = self.ends[np.searchsorted(self.ends, block.start, side="right") :]
        for start, stop in pairwise(np.clip(later, within.start, within.stop).tolist()):
            coordinates = self.leading[start:stop]
            first = int(start + np.searchsorted(coordinates, low, side="left"))
            last = int(start + np.searchsorted(coordinates, high, side="right"))
            if first == last:
                continue
            if result and first - result[-1][1] <= GAP:
                result[-1] = (result[-1][0], last)
            else:
                result.append((first, last))
        return result

    def run(self, block: slice, own: Piece, others: Piece) -> None:
        """Note the pairs of a block with later classes in a piece that are within the limit by their bound."""
        queries = as_queries(own.rows[block.start - own.start : block.stop - own.start])
        out = np.empty(TILE_ROWS * TILE_COLUMNS, queries.dtype)
        for start, stop in self.stretches(block, slice(others.start, others.stop)):
            for part in slices(stop - start, TILE_COLUMNS):
                if self.limit.distance == 0:
                    return
                column = start + part.start
                rows = others.rows[column - others.start : start + part.stop - others.start]
                bounds = out[: len(queries) * len(rows)].reshape(len(queries), len(rows))
                np.dot(queries, rows.T, out=bounds)
                near = np.flatnonzero(bounds.min(axis=1) <= self.limit.product)
                if len(near):
                    self.collect(bounds[near], block.start + near, column)

    def collect(self, bounds: Real, rows: NDArray[np.int64], column: int) -> None:
        """Note the candidates among some rows of a tile, having measured the smallest to lower the limit."""
        if self.projection.whole:
            self._count(bounds, rows, column)
            return
        at, across = np.nonzero(bounds <= self.limit.product)
        first, second, bound = rows[at], column + across, bounds[at, across]
        few = np.arange(len(bound))
        if len(bound) > FIRST_CANDIDATES:
            few = np.sort(np.argpartition(bound, FIRST_CANDIDATES)[:FIRST_CANDIDATES])
        with self.turn:
            least = self.distances(self.order[first[few]], self.order[second[few]]).min()
            self.limit.lower(float(least))
            keep = bound <= self.limit.product
            self.pending.add(first[keep], second[keep], bound[keep])
            if self.pending.waiting > PENDING:
                self.settle(PENDING // 2)

    def _count(self, squares: Real, rows: NDArray[np.int64], column: int) -> None:
        """Take in the closest pairs of a tile of known squared distances: one is measured, its ties are counted."""
        at, across = np.nonzero(squares == squares.min())
        left, right = self.order[rows[at]], self.order[column + across]
        with self.turn:
            distance = self.distances(left[:1], right[:1])
            alike = np.broadcast_to(distance, len(left))
            names = self.points.rows
            found = margin_of_pairs(alike, names[left], names[right], self.projection.method)
            self.limit.lower(float(distance[0]))
            self.pending.found = merge_margins(self.pending.found, found)

    def settle(self, most: int) -> None:
        """Measure what is still within the limit, where it is more than this, and keep of it the margin alone."""
        first, second, bound = self.pending.take(self.limit.product)
        if len(first) <= most:
            self.pending.add(first, second, bound)
            return
        rows, method = self.points.rows, self.projection.method
        for part in slices(len(first), ROUND):
            chosen = np.flatnonzero(bound[part] <= self.limit.product) + part.start
            chosen = chosen[np.argsort(first[chosen])]
            left, right = self.order[first[chosen]], self.order[second[chosen]]
            distances = self.distances(left, right)
            found = margin_of_pairs(distances, rows[left], rows[right], method)
            if found is not None:
                self.limit.lower(found.distance)
                self.pending.found = merge_margins(self.pending.found, found)


def leading_coordinates(points: Points, projection: Projection) -> NDArray[np.float32]:
    """Return the leading coordinate of every point."""
    result = np.empty(len(points), np.float32)

    def work(at: slice) -> None:
        result[at] = projection.leading(points.raw[at])
        points.release()

    run_blocks(work, slices(len(points), max(1, BLOCK_ELEMENTS // points.dimension)))
    return result


def run_margin(
    points: Points, projection: Projection, room: int, progress: Callable[[float], None] | None
) -> Margin | None:
    """Return the exact margin, projecting at most ``room`` points at a time; None where there is one class only."""
    search = MarginSearch.over(points, projection)
    _seed(search)
    if search.limit.distance > 0:
        _search_pieces(search, room, progress)
        search.settle(0)
        found = search.pending.found
        if found is None or found.distance > 0:
            return found
    return zero_margin(points, projection.method)


def _search_pieces(search: MarginSearch, room: int, progress: Callable[[float], None] | None) -> None:
    """Search every piece of the points against itself and those after it: one piece where there is room for all."""
    count = len(search.order)
    cuts = slices(count, count if count <= room else max(1, room // 2))
    total = len(cuts) * (len(cuts) + 1) // 2
    steps = iter(range(total))

    def search_pair(blocks: list[slice], own: Piece, others: Piece, step: int) -> None:
        def report(done: float) -> None:
            if progress is not None:
                progress((step + done) / total)

        run_blocks(lambda block: search.run(block, own, others), blocks, report)

    for at, cut in enumerate(cuts):
        own: Piece | None = None
        for other in cuts[at:]:
            step = next(steps)
            blocks = [block for block in search.blocks(cut) if search.stretches(block, other)]
            if blocks:
                own = own or search.piece(cut)
                search_pair(blocks, own, own if other is cut else search.piece(other), step)


def _seed(search: MarginSearch) -> None:
    """Give the limit a first value: the smallest bounds among an even sample of the points, measured."""
    assert search.points.labels is not None
    chosen = np.unique(np.linspace(0, len(search.order) - 1, SEED_ROWS).astype(np.int64))
    order = search.order[chosen]
    rows = project(search.points, order, search.projection, search.allowance)
    labels = search.points.labels[order]
    bounds = as_queries(rows) @ rows.T
    bounds[labels[:, None] >= labels] = np.inf
    flat = bounds.ravel()
    few = np.argpartition(flat, min(SEEDS, len(flat) - 1))[:SEEDS]
    first, second = np.divmod(np.sort(few[np.isfinite(flat[few])]), len(rows))
    if len(first):
        search.limit.lower(float(search.distances(order[first], order[second]).min()))
