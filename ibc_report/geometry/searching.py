"""The search: bounds by GEMM in tiles, a falling limit for each query, exact distances of what is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.exact import PairDistances
from ibc_report.geometry.nearest import Nearest, Single
from ibc_report.geometry.points import Points
from ibc_report.geometry.projection import BLOCK_ELEMENTS, Projection, as_queries
from ibc_report.geometry.relation import Relation
from ibc_report.geometry.threads import run_blocks, slices

# A tile of bounds (rows x columns, float32) is 4 MB, and its GEMM long enough for two threads not to meet at
# the interpreter's lock.
TILE_ROWS = 512
TILE_COLUMNS = 2048
# The first tile is a random sample of the references: it gives each query its first limit.
FIRST_COLUMNS = 4096
# Limits are brought up to date each time the references seen have grown by this factor: what a late update
# lets through is dropped by its bound later, what an early one measures it measures for good.
SETTLE_GROWTH = 4
# Pending candidates of one block before they are looked at: their arrays stay below 100 MB.
PENDING = 2**21
# Candidates of each query looked at in one round, at most: bounds the memory of a round.
LARGEST_ROUND = 2048


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What a search has found for its queries so far."""

    nearest: Nearest
    other: Single
    same: Single

    @classmethod
    def empty(cls, queries: int, k: int) -> State:
        """Return the state before any reference was seen."""
        return cls(Nearest.empty(queries, k), Single.empty(queries), Single.empty(queries))

    def part(self, at: slice) -> State:
        """Return a view of some queries."""
        return State(self.nearest.part(at), self.other.part(at), self.same.part(at))


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """References of one pass: projected rows, and the position of each among all references.

    Its first ``first`` rows are a random sample; the others are sorted by class.
    """

    rows: NDArray[np.float32]
    positions: NDArray[np.int64]
    first: int


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Everything that the blocks of one search share."""

    queries: Points
    references: Points
    same_set: bool
    relation: Relation | None
    projection: Projection
    distances: PairDistances
    allowance: float
    turn: Lock = field(default_factory=Lock)


def project(
    points: Points, positions: NDArray[np.int64], projection: Projection, allowance: float
) -> NDArray[np.float32]:
    """Return the projected rows of the points at ``positions``, reading them in the order of storage."""
    out = np.empty((len(positions), projection.width), np.float32)
    order = np.argsort(positions, kind="stable")
    block = max(1, BLOCK_ELEMENTS // points.dimension)

    def work(at: slice) -> None:
        chosen = order[at]
        where = positions[chosen]
        contiguous = len(where) == where[-1] - where[0] + 1
        vectors = points.raw[where[0] : where[-1] + 1] if contiguous else points.raw[where]
        part = np.empty((len(where), projection.width), np.float32)
        projection.rows(vectors, part, allowance)
        out[chosen] = part
        points.release()

    run_blocks(work, list(slices(len(positions), block)))
    return out


def shards_of(search: Search, size: int) -> list[tuple[NDArray[np.int64], int]]:
    """Cut the references into shards of at most ``size``: positions in order, and how many are its sample."""
    count = len(search.references)
    rng = np.random.default_rng(0)
    parts = slices(count, size)
    result = []
    for part in parts:
        positions = np.arange(part.start, part.stop)
        sample = np.zeros(len(positions), bool)
        first = min(FIRST_COLUMNS, len(positions))
        sample[rng.choice(len(positions), first, replace=False)] = True
        rest = positions[~sample]
        if search.relation is not None:
            rest = rest[np.argsort(search.relation.references[rest], kind="stable")]
        result.append((np.concatenate([positions[sample], rest]), first))
    return result


def query_order(search: Search) -> NDArray[np.int64]:
    """Return the queries sorted by class, so that a block meets its own class in few tiles."""
    if search.relation is None:
        return np.arange(len(search.queries))
    return np.argsort(search.relation.queries, kind="stable")


def order_by_bound(query: NDArray[np.int64], bound: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the order by query and then by bound: one sort of integers, since bits of floats >= 0 ascend.

    Examples
    --------
    >>> order_by_bound(np.array([1, 0, 1]), np.array([2.0, 5.0, -1.0], np.float32))
    array([1, 2, 0])
    """
    bits = np.maximum(bound, np.float32(0)).view(np.int32)
    return np.argsort((query << 32) | bits)


@dataclass(slots=True, eq=False)
class Block:
    """Some queries against one shard: the pending candidates and the limits of each query."""

    search: Search
    shard: Shard
    positions: NDArray[np.int64]
    rows: NDArray[np.float32]
    state: State
    limits: list[NDArray[np.float32]] = field(default_factory=list)
    pending: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]] = field(default_factory=list)
    waiting: int = 0

    def refresh(self) -> None:
        """Recompute the limits: of the k nearest, of those of another class, of those of the same."""
        projection, unit = self.search.projection, self.search.references.unit
        nearest = projection.limit(self.state.nearest.distances[:, -1], unit)
        self.limits = [nearest, nearest, nearest]
        if self.search.relation is not None:
            self.limits[1] = np.maximum(nearest, projection.limit(self.state.other.distances, unit))
            self.limits[2] = np.maximum(nearest, projection.limit(self.state.same.distances, unit))

    def differ(self, query: NDArray[Any], column: NDArray[Any]) -> NDArray[np.bool_]:
        """Return whether pairs differ, by positions in the block and in the shard."""
        assert self.search.relation is not None
        return self.search.relation.differ(self.positions[query], self.shard.positions[column])

    def wanted(
        self, query: NDArray[np.int64], column: NDArray[np.int64], bound: NDArray[np.float32]
    ) -> NDArray[np.bool_]:
        """Return whether each candidate is still within its limit."""
        if self.search.relation is None:
            return np.asarray(bound <= self.limits[0][query])
        differ = self.differ(query, column)
        return np.asarray(bound <= np.where(differ, self.limits[1][query], self.limits[2][query]))

    def measure(self, query: NDArray[np.int64], column: NDArray[np.int64]) -> None:
        """Compute candidates exactly (``query`` ascends) and take them in."""
        reference = self.shard.positions[column]
        # Exact distances are many short calls: two threads at it would mostly wait for the interpreter's lock,
        # so one does, while the others multiply.
        with self.search.turn:
            distance = self.search.distances(self.positions[query], reference)
        row = self.search.references.rows[reference]
        self.state.nearest.update(query, distance, row)
        if self.search.relation is not None:
            differ = self.differ(query, column)
            self.state.other.update(query[differ], distance[differ], row[differ])
            self.state.same.update(query[~differ], distance[~differ], row[~differ])

    def settle(self, rounds: int | None) -> None:
        """Look at pending candidates, those of smallest bound first, in growing rounds."""
        if not self.pending:
            return
        query, column, bound = (np.concatenate(part) for part in zip(*self.pending, strict=True))
        self.pending, self.waiting = [], 0
        size = self.state.nearest.distances.shape[1] + 6
        done = 0
        while len(query):
            keep = self.wanted(query, column, bound)
            query, column, bound = query[keep], column[keep], bound[keep]
            if rounds is not None and done >= rounds:
                break
            order = order_by_bound(query, bound)
            query, column, bound = query[order], column[order], bound[order]
            start = np.flatnonzero(np.diff(query, prepend=-1))
            counts = np.diff(start, append=len(query))
            now = np.arange(len(query)) - np.repeat(start, counts) < size
            if now.any():
                self.measure(query[now], column[now])
                self.refresh()
            query, column, bound = query[~now], column[~now], bound[~now]
            size = min(2 * size, LARGEST_ROUND)
            done += 1
        if len(query):
            self.pending, self.waiting = [(query, column, bound)], len(query)

    def add(self, query: NDArray[np.int64], column: NDArray[np.int64], bound: NDArray[np.float32]) -> None:
        """Note candidates, and look at some when too many wait."""
        if self.search.same_set:
            reference = self.search.references.rows[self.shard.positions[column]]
            keep = reference != self.search.queries.rows[self.positions[query]]
            query, column, bound = query[keep], column[keep], bound[keep]
        keep = self.wanted(query, column, bound)
        if not keep.all():
            query, column, bound = query[keep], column[keep], bound[keep]
        if len(query):
            self.pending.append((query, column, bound))
            self.waiting += len(query)
        if self.waiting > PENDING:
            self.settle(None)

    def seed(self, bounds: NDArray[np.float32]) -> None:
        """Measure the smallest bounds of each query in the first tile, and drop them (NaN is below no limit)."""
        if self.search.same_set:
            own = self.search.queries.rows[self.positions]
            rows = self.search.references.rows[self.shard.positions[: bounds.shape[1]]]
            order = np.argsort(rows)
            at = np.minimum(np.searchsorted(rows, own, sorter=order), len(rows) - 1)
            hit = np.flatnonzero(rows[order[at]] == own)
            bounds[hit, order[at[hit]]] = np.nan
        k = self.state.nearest.distances.shape[1]
        self._seed_some(bounds, bounds, k + max(6, k // 4))
        if self.search.relation is not None:
            columns = np.arange(bounds.shape[1])
            differ = self.differ(np.arange(len(bounds))[:, None], columns)
            self._seed_some(bounds, np.where(differ, bounds, np.float32(np.inf)), 3)
            self._seed_some(bounds, np.where(differ, np.float32(np.inf), bounds), 3)
        self.refresh()

    def _seed_some(self, bounds: NDArray[np.float32], masked: NDArray[np.float32], count: int) -> None:
        count = min(count, bounds.shape[1])
        column = np.argpartition(masked, count - 1, axis=1)[:, :count].ravel()
        query = np.repeat(np.arange(len(bounds)), count)
        keep = np.isfinite(masked[query, column])
        query, column = query[keep], column[keep]
        self.measure(query, column)
        bounds[query, column] = np.nan

    def tile(self, bounds: NDArray[np.float32], start: int, mask: NDArray[np.bool_]) -> None:
        """Collect the candidates of one tile of bounds, whose first column is ``start`` in the shard."""
        limit = self.limits[0]
        relation = self.search.relation
        if relation is not None:
            ends = self.shard.positions[[start, start + bounds.shape[1] - 1]]
            if (
                relation.tolerance is None
                and start >= self.shard.first
                and len(np.unique(relation.references[ends])) == 1
            ):
                differ = self.differ(np.arange(len(bounds)), np.full(len(bounds), start))
                limit = np.where(differ, self.limits[1], self.limits[2])
            else:
                limit = np.maximum(self.limits[1], self.limits[2])
        np.less_equal(bounds, limit[:, None], out=mask)
        found = np.flatnonzero(mask)
        if len(found):
            query, column = np.divmod(found, bounds.shape[1])
            self.add(query, column + start, bounds.ravel()[found])

    def run(self) -> None:
        """Search the shard."""
        count = len(self.shard.rows)
        queries = as_queries(self.rows)
        first = self.shard.first
        bounds = queries @ self.shard.rows[:first].T
        self.refresh()
        self.seed(bounds)
        self.tile(bounds, 0, np.empty(bounds.shape, bool))
        tiles = [(start, min(start + TILE_COLUMNS, count)) for start in range(first, count, TILE_COLUMNS)]
        tiles = self._own_first(tiles)
        out = np.empty((len(queries), TILE_COLUMNS), np.float32)
        mask = np.empty(out.shape, bool)
        seen = at_settle = first
        for start, stop in tiles:
            if stop - start == TILE_COLUMNS:
                bounds, where = np.dot(queries, self.shard.rows[start:stop].T, out=out), mask
            else:
                bounds = queries @ self.shard.rows[start:stop].T
                where = np.empty(bounds.shape, bool)
            self.tile(bounds, start, where)
            seen += stop - start
            if seen >= SETTLE_GROWTH * at_settle:
                self.settle(1)
                at_settle = seen
        self.settle(None)

    def _own_first(self, tiles: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the tiles with those of the block's own classes in front: their limits fall fastest."""
        relation = self.search.relation
        if relation is None:
            return tiles
        own = relation.queries[self.positions]
        low, high = own.min(), own.max()

        def foreign(tile: tuple[int, int]) -> bool:
            ends = relation.references[self.shard.positions[[tile[0], tile[1] - 1]]]
            return bool(ends[1] < low or ends[0] > high)

        return sorted(tiles, key=foreign)


def run_search(
    search: Search, k: int, shard_size: int, progress: Callable[[float], None] | None
) -> tuple[NDArray[np.int64], State]:
    """Search all references; return the order of the queries and their state in that order."""
    order = query_order(search)
    state = State.empty(len(order), k)
    parts = shards_of(search, shard_size) if len(search.references) else []
    for number, (positions, first) in enumerate(parts):
        rows = project(search.references, positions, search.projection, search.allowance)
        shard = Shard(rows, positions, first)
        place = None
        if search.queries is search.references and len(parts) == 1:
            place = np.empty(len(positions), np.int64)
            place[positions] = np.arange(len(positions))

        def work(at: slice, shard: Shard = shard, place: NDArray[np.int64] | None = place) -> None:
            chosen = order[at]
            if place is not None:
                rows = shard.rows[place[chosen]]
            else:
                rows = np.empty((len(chosen), search.projection.width), np.float32)
                search.projection.rows(search.queries.raw[chosen], rows, search.allowance)
            Block(search, shard, chosen, rows, state.part(at)).run()

        def report(done: float, number: int = number) -> None:
            if progress is not None:
                progress((number + done) / len(parts))

        run_blocks(work, list(slices(len(order), TILE_ROWS)), report)
    return order, state
