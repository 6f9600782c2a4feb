"""A block of queries against one shard: bounds in tiles, a falling limit for each query, exact distances."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.neighbors.distances import PairDistances
from ibc_report.geometry.neighbors.margin import Relation
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.projection import Projection, Real, as_queries
from ibc_report.geometry.neighbors.state import State

# A tile of bounds (512 rows by this, float32) is 4 MB, and its GEMM long enough for two threads not to meet
# at the interpreter's lock.
TILE_COLUMNS = 2048

# A first limit needs small bounds, not the smallest: minima of this many groups of columns will do, where
# each wanted one has this many groups to come from.
GROUPS = 256

GROUPS_FOR_EACH = 16

# Columns of a block's own classes that are looked at before all others: a limit from there is nearly the last one.
OWN_COLUMNS = 4096

# Limits are brought up to date each time the references seen have grown by this factor: what a late update
# lets through is dropped by its bound later, what an early one measures it measures for good.
SETTLE_GROWTH = 4

# Pending candidates of one block before limits are brought up to date: their arrays stay near 10 MB.
PENDING = 2**18

# Candidates of each query looked at in one round, at most: bounds the memory of a round.
LARGEST_ROUND = 2048


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """References of one pass: projected rows, and the position of each among all references.

    Its first ``first`` rows are a random sample; the others are sorted by class.
    """

    rows: Real
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


def order_by_bound(query: NDArray[np.int64], bound: Real) -> NDArray[np.int64]:
    """Return the order by query and then by bound: one sort of integers, since bits of floats >= 0 ascend.

    Bounds that differ in float64 alone are in any order.

    Examples
    --------
    >>> order_by_bound(np.array([1, 0, 1]), np.array([2.0, 5.0, -1.0], np.float32))
    array([1, 2, 0])
    """
    bits = np.maximum(bound.astype(np.float32, copy=False), np.float32(0)).view(np.int32)
    return np.argsort((query << 32) | bits)


def smallest(bounds: Real, count: int) -> NDArray[np.int64]:
    """Return columns of ``count`` small entries of each row: the smallest, or the minima of as many groups.

    Examples
    --------
    >>> smallest(np.array([[3.0, 1.0, 2.0]], np.float32), 1)
    array([[1]])
    """
    height, width = bounds.shape
    if count * GROUPS_FOR_EACH > GROUPS or width % GROUPS:
        return np.argpartition(bounds, count - 1, axis=1)[:, :count]
    grouped = bounds.reshape(height, width // GROUPS, GROUPS)
    group = np.argpartition(grouped.min(axis=1), count - 1, axis=1)[:, :count]
    member = grouped[np.arange(height)[:, None], :, group].argmin(axis=2)
    return np.asarray(member * GROUPS + group)


@dataclass(slots=True, eq=False)
class Block:
    """Some queries against one shard: the pending candidates and the limits of each query."""

    search: Search
    shard: Shard
    positions: NDArray[np.int64]
    rows: Real
    state: State
    limits: list[Real] = field(default_factory=list)
    pending: list[tuple[NDArray[np.int64], NDArray[np.int64], Real]] = field(default_factory=list)
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

    def wanted(self, query: NDArray[np.int64], column: NDArray[np.int64], bound: Real) -> NDArray[np.bool_]:
        """Return whether each candidate is still within its limit."""
        if self.search.projection.whole:
            return self._closer(query, column, bound)
        if self.search.relation is None:
            keep = bound <= self.limits[0][query]
        else:
            differ = self.differ(query, column)
            keep = bound <= np.where(differ, self.limits[1][query], self.limits[2][query])
        if (self.state.nearest.distances[:, -1] == 0).any():
            keep &= ~self.beaten(query, column)
        return np.asarray(keep)

    def _closer(self, query: NDArray[np.int64], column: NDArray[np.int64], square: Real) -> NDArray[np.bool_]:
        """Return whether a candidate is closer, or ties and has a smaller row: its squared distance is known."""
        row = self.search.references.rows[self.shard.positions[column]]

        def improves(distances: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
            limit = self.search.projection.limit(distances, self.search.references.unit)[query]
            return np.asarray((square < limit) | ((square == limit) & (row < rows[query])))

        nearest, other, same = self.state.nearest, self.state.other, self.state.same
        result = improves(nearest.distances[:, -1], nearest.rows[:, -1])
        if self.search.relation is not None:
            differ = self.differ(query, column)
            result |= np.where(differ, improves(other.distances, other.rows), improves(same.distances, same.rows))
        return result

    def beaten(self, query: NDArray[np.int64], column: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether a candidate could at best tie at zero with points of smaller row numbers.

        Without this, n equal vectors would need all their n**2 zeros measured.
        """
        row = self.search.references.rows[self.shard.positions[column]]
        nearest, other, same = self.state.nearest, self.state.other, self.state.same
        result = (nearest.distances[query, -1] == 0) & (row > nearest.rows[query, -1])
        if self.search.relation is not None:
            differ = self.differ(query, column)
            result &= np.where(differ, other.distances[query], same.distances[query]) == 0
            result &= row > np.where(differ, other.rows[query], same.rows[query])
        return np.asarray(result)

    def measure(self, query: NDArray[np.int64], column: NDArray[np.int64]) -> None:
        """Compute candidates exactly (``query`` ascends) and take them in."""
        reference = self.shard.positions[column]
        # Exact distances are many short calls: two threads at it would mostly wait for the interpreter's
        # lock, so one does, while the others multiply.
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
            order = self._order(query, column, bound)
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

    def _order(self, query: NDArray[np.int64], column: NDArray[np.int64], bound: Real) -> NDArray[np.int64]:
        """Return the order in which candidates are looked at; of ties that are known, the smallest rows first."""
        if not self.search.projection.whole:
            return order_by_bound(query, bound)
        return np.lexsort((self.search.references.rows[self.shard.positions[column]], bound, query))

    def add(self, query: NDArray[np.int64], column: NDArray[np.int64], bound: Real) -> None:
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
            self.settle(1)
        if self.waiting > PENDING // 2:
            self.settle(None)

    def hide_own(self, bounds: Real, start: int) -> None:
        """Make the bound of each query with itself infinite, in the columns from ``start`` on."""
        if not self.search.same_set:
            return
        own = self.search.queries.rows[self.positions]
        rows = self.search.references.rows[self.shard.positions[start : start + bounds.shape[1]]]
        order = np.argsort(rows)
        at = np.minimum(np.searchsorted(rows, own, sorter=order), len(rows) - 1)
        hit = np.flatnonzero(rows[order[at]] == own)
        bounds[hit, order[at[hit]]] = np.inf

    def seed(self, bounds: Real, start: int) -> None:
        """Give each query a limit: measure its smallest bounds in the columns from ``start`` on, and make them NaN.

        NaN is below no limit. What an earlier shard has found is a limit already.
        """
        without = np.flatnonzero(np.isinf(self.state.nearest.distances[:, -1]))
        k = self.state.nearest.distances.shape[1]
        count = min(k + max(6, k // 4), bounds.shape[1])
        column = smallest(bounds if len(without) == len(bounds) else bounds[without], count).ravel()
        query = np.repeat(without, count)
        keep = np.isfinite(bounds[query, column])
        self.measure(query[keep], column[keep] + start)
        bounds[query, column] = np.nan

    def seed_singles(self, bounds: Real) -> None:
        """Give each query limits of another and of the same class, from the sample, where it has met none."""
        if self.search.relation is not None:
            for single, other in ((self.state.other, True), (self.state.same, False)):
                self._seed_single(bounds, np.flatnonzero(np.isinf(single.distances)), other)

    def _seed_single(self, bounds: Real, query: NDArray[np.int64], other: bool) -> None:
        """Measure the smallest bound of another (or of the same) class for queries that have met none."""
        differ = self.differ(query[:, None], np.arange(bounds.shape[1]))
        masked = np.where(differ == other, bounds[query], bounds.dtype.type(np.inf))
        masked[np.isnan(masked)] = np.inf
        column = masked.argmin(axis=1)
        keep = np.isfinite(masked[np.arange(len(query)), column])
        self.measure(query[keep], column[keep])
        bounds[query[keep], column[keep]] = np.nan

    def tile_limit(self, start: int, stop: int) -> Real:
        """Return the limit of each query for some columns; minus infinity where none can improve it."""
        relation, limit = self.search.relation, self.limits[0]
        nearest, other, same = self.state.nearest, self.state.other, self.state.same
        differ: NDArray[np.bool_] | None = None
        if relation is not None:
            limit = np.maximum(self.limits[1], self.limits[2])
            first, last = relation.references[self.shard.positions[[start, stop - 1]]]
            if relation.tolerance is None and start >= self.shard.first and first == last:
                differ = self.differ(np.arange(len(limit)), np.full(len(limit), start))
                limit = np.where(differ, self.limits[1], self.limits[2])
        if self.search.projection.whole:
            return self._whole_limit(start, stop, differ)
        done = nearest.distances[:, -1] == 0
        if not done.any():
            return limit
        lowest = self.search.references.rows[self.shard.positions[start:stop]].min()
        done &= nearest.rows[:, -1] < lowest
        if relation is not None:
            others, sames = ((one.distances == 0) & (one.rows < lowest) for one in (other, same))
            done &= others & sames if differ is None else np.where(differ, others, sames)
        return np.where(done, limit.dtype.type(-np.inf), limit)

    def _whole_limit(self, start: int, stop: int, differ: NDArray[np.bool_] | None) -> Real:
        """Return the limit for some columns, less than a tie where the rows of all of them are too large for one."""
        projection, unit = self.search.projection, self.search.references.unit
        lowest = self.search.references.rows[self.shard.positions[start:stop]].min()

        def limit(distances: NDArray[np.float64], rows: NDArray[np.int64]) -> Real:
            return np.asarray(projection.limit(distances, unit) - (rows < lowest).astype(projection.dtype))

        nearest, other, same = self.state.nearest, self.state.other, self.state.same
        result = limit(nearest.distances[:, -1], nearest.rows[:, -1])
        if self.search.relation is None:
            return result
        others, sames = limit(other.distances, other.rows), limit(same.distances, same.rows)
        return np.maximum(result, np.maximum(others, sames) if differ is None else np.where(differ, others, sames))

    def tile(self, bounds: Real, start: int, mask: NDArray[np.bool_]) -> None:
        """Collect the candidates of one tile of bounds, whose first column is ``start`` in the shard."""
        limit = self.tile_limit(start, start + bounds.shape[1])
        np.less_equal(bounds, limit[:, None], out=mask)
        found = np.flatnonzero(mask)
        if len(found):
            query, column = np.divmod(found, bounds.shape[1])
            self.add(query, column + start, bounds.ravel()[found])

    def run(self) -> None:
        """Search the shard."""
        count = len(self.shard.rows)
        queries = as_queries(self.rows)
        first, own = self.shard.first, self._own_columns()
        self._start(queries, own)
        tiles = [
            (start, min(start + TILE_COLUMNS, end))
            for begin, end in ((first, own.start), (own.stop, count))
            for start in range(begin, end, TILE_COLUMNS)
        ]
        tiles = self._own_first(tiles)
        out = np.empty((len(queries), TILE_COLUMNS), queries.dtype)
        mask = np.empty(out.shape, bool)
        seen = at_settle = first
        for start, stop in tiles:
            if stop - start == TILE_COLUMNS:
                bounds, where = np.matmul(queries, self.shard.rows[start:stop].T, out=out), mask
            else:
                bounds = queries @ self.shard.rows[start:stop].T
                where = np.empty(bounds.shape, bool)
            self.tile(bounds, start, where)
            seen += stop - start
            if seen >= SETTLE_GROWTH * at_settle:
                self.settle(1)
                at_settle = seen
        self.settle(None)

    def _start(self, queries: Real, own: slice) -> None:
        """Look at the sample and at some columns of the block's own classes, which give the first limits."""
        tiles = []
        for at in (own, slice(0, self.shard.first)):
            if at.start < at.stop:
                bounds = queries @ self.shard.rows[at].T
                self.hide_own(bounds, at.start)
                tiles.append((bounds, at.start))
        self.seed(*tiles[0])
        self.seed_singles(tiles[-1][0])
        self.refresh()
        for bounds, start in tiles:
            self.tile(bounds, start, np.empty(bounds.shape, bool))

    def _own_columns(self) -> slice:
        """Some columns of the block's own classes, or about its targets; none where there are few or no answers."""
        first, count = self.shard.first, len(self.shard.rows)
        relation = self.search.relation
        if relation is None or count - first < OWN_COLUMNS:
            return slice(first, first)
        answers, own = relation.references[self.shard.positions[first:]], relation.queries[self.positions]
        low, high = np.searchsorted(answers, own.min(), "left"), np.searchsorted(answers, own.max(), "right")
        start = first + int(low) - max(0, OWN_COLUMNS - int(high - low)) // 2
        start = min(max(start, first), count - OWN_COLUMNS)
        return slice(start, start + OWN_COLUMNS)

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
