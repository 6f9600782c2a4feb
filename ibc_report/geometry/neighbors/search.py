"""Exact nearest neighbours and the exact margin of a set of points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.resources import DEFAULT_MEMORY, slices
from ibc_report.geometry.neighbors.blocks import Search
from ibc_report.geometry.neighbors.closest_pair import run_margin
from ibc_report.geometry.neighbors.distances import PairDistances
from ibc_report.geometry.neighbors.margin import Margin, Relation, brute_margin, merge_margins
from ibc_report.geometry.neighbors.planner import plan_margin, plan_search
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.projection import Projection
from ibc_report.geometry.neighbors.shards import run_search
from ibc_report.geometry.neighbors.state import NO_ROW, Nearest, Single

__all__ = [
    "Margin",
    "NeighborGraph",
    "Neighbors",
    "concatenate",
    "margin",
    "margin_from",
    "merge",
    "merge_margins",
    "neighbor_graph",
    "picked",
    "replaced",
    "search",
]

# What a search takes besides projections and result: the sample that it is planned from, tiles and candidates of
# each thread, mapped rows.
WORKING_MEMORY = 200 * 10**6

# Projected references of a shard take these bytes, at least, and are not fewer than these rows: smaller ones
# would spend their time on moving from shard to shard.
SMALLEST_SHARD = 2**24

SMALLEST_ROWS = 16

# Queries whose neighbours are placed at once: some 10 MB.
PLACED = 2**14


@dataclass(frozen=True, slots=True, eq=False)
class Neighbors:
    """The nearest references of each query.

    Parameters
    ----------
    distances
        Shape (q, k), ascending, in true units, exact; inf where there are fewer than k.
    rows
        Shape (q, k), the source row of each, ties in order of row; -1 where there are fewer than k.
    other_distance, other_row
        Shape (q,), the nearest reference that differs in class (or by more than the tolerance in target);
        inf and -1 where there is none, or nothing to compare.
    same_distance, same_row
        Shape (q,), the nearest reference that does not differ; inf and -1 likewise.
    method
        Which search ran. It depends on the data and on how they were split; the numbers do not.
    """

    k: int
    distances: NDArray[np.float64]
    rows: NDArray[np.int64]
    other_distance: NDArray[np.float64]
    other_row: NDArray[np.int64]
    same_distance: NDArray[np.float64]
    same_row: NDArray[np.int64]
    method: str

    def __len__(self) -> int:
        return len(self.distances)


def search(
    references: Points,
    queries: Points | None = None,
    *,
    k: int,
    same_set: bool = False,
    tolerance: float | None = None,
    memory: int = DEFAULT_MEMORY,
    progress: Callable[[float], None] | None = None,
) -> Neighbors:
    """Find the k nearest references of each query, and the nearest of another and of the same class.

    They come in the order of the queries; the same bytes for any memory, split and number of threads.

    Parameters
    ----------
    references
        n points. Without queries each of them is one, and is not its own neighbour.
    queries
        q points of the same dimension, type and unit.
    same_set
        Whether the queries are some of the references: equal row numbers are then one point, which is not
        its own neighbour.
    tolerance
        For regression: targets further apart than this differ.
    memory
        Bytes that the search may take besides what is in memory already: where the projected references do not
        fit beside the result, they are searched in shards. 200 MB and the result are taken in any case.

    Raises
    ------
    ValueError
        If k is below 1, the sets do not match, or coordinates of either are not finite.

    Examples
    --------
    >>> line = Points(np.array([[0.0], [1.0], [3.0]]), 1.0, np.arange(3), np.array([0, 0, 1]))
    >>> found = search(line, k=1)
    >>> found.distances.ravel(), found.rows.ravel(), found.other_distance
    (array([1., 1., 2.]), array([1, 0, 1]), array([3., 2., 2.]))
    """
    if k < 1:
        raise ValueError(f"k is {k}; it must be at least 1")
    same_set = same_set or queries is None
    queries = references if queries is None else queries
    relation = Relation.between(queries, references, tolerance)
    distances = PairDistances.between(queries, references)
    projection = plan_search(references, queries, k, 0 if relation is None else 2)
    task = Search(queries, references, same_set, relation, projection, distances, projection.allowance)
    result = 16 * len(queries) * (k + 2)
    state = run_search(task, k, _room(memory - WORKING_MEMORY - result, projection), progress)
    return _packed(k, state.nearest, state.other, state.same, projection.method)


@dataclass(frozen=True, eq=False)
class NeighborGraph:
    """Points and the nearest neighbours of some or all of them: what is read of neighbourhoods is read from this.

    Parameters
    ----------
    points
        Row numbers ascending.
    queries
        Those that were asked for their neighbours: the same object where all were.
    found
        The neighbours of the queries among the points.
    tolerance
        For a regression: targets further apart than this differ, here and in `found`.
    """

    points: Points
    queries: Points
    found: Neighbors
    tolerance: float | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every point was asked."""
        return len(self.found) == len(self.points)

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """Positions of the neighbours among the points: shape (q, k), −1 where there is none."""
        result = np.full(self.found.rows.shape, -1, np.int32)
        for part in slices(len(result), PLACED):
            rows = self.found.rows[part]
            known = rows >= 0
            result[part][known] = self._positions(rows[known])
        return result

    @cached_property
    def asked(self) -> NDArray[np.int64]:
        """Positions of the queries among the points: shape (q,)."""
        return self._positions(self.queries.rows)

    @cached_property
    def _order(self) -> NDArray[np.int64] | None:
        """The points by row; None where they are."""
        rows = self.points.rows
        return None if bool(np.all(rows[1:] > rows[:-1])) else np.argsort(rows)

    def _positions(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        at = np.searchsorted(self.points.rows, rows, sorter=self._order)
        return at if self._order is None else self._order[at]


def neighbor_graph(
    points: Points,
    queries: Points | None = None,
    *,
    k: int,
    tolerance: float | None = None,
    memory: int = DEFAULT_MEMORY,
) -> NeighborGraph:
    """Find the k nearest neighbours of points among each other.

    Parameters
    ----------
    queries
        Those of the points that are asked; all for None.
    k, tolerance, memory
        As for `search`.

    Raises
    ------
    ValueError
        As `search` does.

    Examples
    --------
    >>> line = neighbor_graph(Points(np.array([[0.0], [1.0], [3.0]]), 1.0, np.arange(3)), k=1)
    >>> line.found.rows.ravel(), line.is_whole
    (array([1, 0, 1]), True)
    """
    found = search(points, queries, k=k, same_set=True, tolerance=tolerance, memory=memory)
    return NeighborGraph(points, points if queries is None else queries, found, tolerance)


def _room(memory: int, projection: Projection) -> int:
    """Return how many projected rows may be held."""
    return max(SMALLEST_ROWS, max(SMALLEST_SHARD, memory) // projection.row_bytes)


def _packed(k: int, nearest: Nearest, other: Single, same: Single, method: str) -> Neighbors:
    """Return a state as a result; its rows are overwritten."""
    for part in (nearest, other, same):
        part.rows[part.rows == NO_ROW] = -1
    return Neighbors(
        k=k,
        distances=nearest.distances,
        rows=nearest.rows,
        other_distance=other.distances,
        other_row=other.rows,
        same_distance=same.distances,
        same_row=same.rows,
        method=method,
    )


def _unpacked(values: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(values < 0, NO_ROW, values)


def merge(first: Neighbors, second: Neighbors) -> Neighbors:
    """Join the neighbours of the same queries among two disjoint sets of references.

    Associative and commutative to the byte: blocks of references may be searched anywhere, in any order.

    Raises
    ------
    ValueError
        If k or the number of queries differ.

    Examples
    --------
    >>> def near(x, row):
    ...     points = Points(np.array([[x]]), 1.0, np.array([row]))
    ...     return search(points, Points(np.zeros((1, 1)), 1.0, np.array([0])), k=2)
    >>> merge(near(5.0, 7), near(4.0, 8)).rows
    array([[8, 7]])
    """
    if first.k != second.k or len(first) != len(second):
        raise ValueError("only neighbours of the same queries and the same k can be merged")
    distances = np.concatenate([first.distances, second.distances], axis=1)
    rows = np.concatenate([_unpacked(first.rows), _unpacked(second.rows)], axis=1)
    order = np.lexsort((rows, distances), axis=1)[:, : first.k]
    nearest = Nearest(np.take_along_axis(distances, order, 1), np.take_along_axis(rows, order, 1))
    everyone = np.arange(len(first))
    singles = []
    for name in ("other", "same"):
        single = Single.empty(len(first))
        for part in (first, second):
            row = _unpacked(getattr(part, f"{name}_row"))
            single.update(everyone, getattr(part, f"{name}_distance"), row)
        singles.append(single)
    return _packed(first.k, nearest, singles[0], singles[1], _methods([first, second]))


def concatenate(parts: Sequence[Neighbors]) -> Neighbors:
    """Put the neighbours of blocks of queries among the same references after one another.

    Raises
    ------
    ValueError
        If there are no parts, or they differ in k.
    """
    if not parts or any(part.k != parts[0].k for part in parts):
        raise ValueError("only parts of the same k can be concatenated, and at least one")
    return Neighbors(
        k=parts[0].k,
        distances=np.concatenate([part.distances for part in parts]),
        rows=np.concatenate([part.rows for part in parts]),
        other_distance=np.concatenate([part.other_distance for part in parts]),
        other_row=np.concatenate([part.other_row for part in parts]),
        same_distance=np.concatenate([part.same_distance for part in parts]),
        same_row=np.concatenate([part.same_row for part in parts]),
        method=_methods(parts),
    )


def picked(found: Neighbors, at: NDArray[np.int64], *, k: int | None = None) -> Neighbors:
    """Return the neighbours of some of the queries, by their positions, or the k nearest of them; copied."""
    k = found.k if k is None else k
    return Neighbors(
        k=k,
        distances=found.distances[at, :k],
        rows=found.rows[at, :k],
        other_distance=found.other_distance[at],
        other_row=found.other_row[at],
        same_distance=found.same_distance[at],
        same_row=found.same_row[at],
        method=found.method,
    )


def replaced(found: Neighbors, at: NDArray[np.int64], part: Neighbors) -> Neighbors:
    """Return neighbours with those of the queries at some positions replaced; the method is that of the others."""
    result = picked(found, np.arange(len(found)))
    for name in ("distances", "rows", "other_distance", "other_row", "same_distance", "same_row"):
        getattr(result, name)[at] = getattr(part, name)
    return result


def _methods(parts: Sequence[Neighbors]) -> str:
    """Join the names of the searches, each once and sorted, so that any order of merging gives the same."""
    return "; ".join(sorted({name for part in parts for name in part.method.split("; ")}))


def margin(
    points: Points,
    *,
    memory: int = DEFAULT_MEMORY,
    progress: Callable[[float], None] | None = None,
) -> Margin | None:
    """Find the smallest distance over all pairs of different classes, zero included.

    None where there is one class only.

    Parameters
    ----------
    memory
        Bytes that the search may take besides what is in memory already: where the projected points do not fit,
        they are searched in pieces, two at a time. 200 MB are taken in any case.

    Raises
    ------
    ValueError
        If there are no labels, or coordinates are not finite.

    Examples
    --------
    >>> line = Points(np.array([[0.0], [1.0], [3.0], [5.0]]), 1.0, np.arange(4), np.array([0, 0, 1, 0]))
    >>> margin(line)
    Margin(distance=2.0, rows=(1, 2), ties=2, method='plain GEMM')
    """
    if points.labels is None:
        raise ValueError("a margin needs labels")
    counts = np.unique(points.labels, return_counts=True)[1].astype(np.float64)
    if len(counts) < 2:
        return None
    pairs = float(len(points) ** 2 - (counts**2).sum()) / 2
    projection = plan_margin(points, pairs)
    return run_margin(points, projection, _room(memory - WORKING_MEMORY, projection), progress)


def margin_from(neighbors: Neighbors, points: Points, *, tolerance: float | None = None) -> Margin | None:
    """Return the margin that a search over all points has found, with its ties counted.

    Both points of a pair at the margin have it as their distance to the nearest point that differs, so that
    only those need a second look.

    Parameters
    ----------
    neighbors
        What ``search(points, k=...)`` of the same points and tolerance returned.

    Raises
    ------
    ValueError
        If not every point was a query.

    Examples
    --------
    >>> line = Points(np.array([[0.0], [1.0], [3.0]]), 1.0, np.arange(3), np.array([0, 0, 1]))
    >>> margin_from(search(line, k=1), line).rows
    (1, 2)
    """
    if len(neighbors) != len(points):
        raise ValueError(f"{len(neighbors)} queries and {len(points)} points: all must have been queries")
    least = neighbors.other_distance.min(initial=np.inf)
    if np.isinf(least):
        return None
    ends = points.take(np.flatnonzero(neighbors.other_distance == least))
    found = margin(ends) if tolerance is None else brute_margin(ends, tolerance, neighbors.method)
    return None if found is None else replace(found, method=neighbors.method)
