"""The k nearest of each query so far: a state that any order of updates brings to the same bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Stands for "no row" while rows are compared: after every real one.
NO_ROW = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Single:
    """The nearest point of one kind of each query: shapes (q,), inf and NO_ROW before the first."""

    distances: NDArray[np.float64]
    rows: NDArray[np.int64]

    @classmethod
    def empty(cls, queries: int) -> Single:
        """Return the state before any reference was seen."""
        return cls(np.full(queries, np.inf), np.full(queries, NO_ROW))

    def pick(self, at: NDArray[np.int64]) -> Single:
        """Return a copy of the state of some queries."""
        return Single(self.distances[at], self.rows[at])

    def put(self, at: NDArray[np.int64], part: Single) -> None:
        """Write the state of some queries back."""
        self.distances[at], self.rows[at] = part.distances, part.rows

    def update(self, query: NDArray[np.int64], distance: NDArray[np.float64], row: NDArray[np.int64]) -> None:
        """Take in pairs: positions of queries, distances in true units, rows of references; shapes (m,)."""
        near = distance <= self.distances[query]
        query, distance, row = query[near], distance[near], row[near]
        order = np.lexsort((row, distance, query))
        query, distance, row = query[order], distance[order], row[order]
        first = np.flatnonzero(np.diff(query, prepend=-1))
        query, distance, row = query[first], distance[first], row[first]
        better = (distance < self.distances[query]) | (row < self.rows[query])
        self.distances[query[better]] = distance[better]
        self.rows[query[better]] = row[better]


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The k nearest of each query, by distance and then by row: shapes (q, k)."""

    distances: NDArray[np.float64]
    rows: NDArray[np.int64]

    @classmethod
    def empty(cls, queries: int, k: int) -> Nearest:
        """Return the state before any reference was seen."""
        return cls(np.full((queries, k), np.inf), np.full((queries, k), NO_ROW))

    def pick(self, at: NDArray[np.int64]) -> Nearest:
        """Return a copy of the state of some queries."""
        return Nearest(self.distances[at], self.rows[at])

    def put(self, at: NDArray[np.int64], part: Nearest) -> None:
        """Write the state of some queries back."""
        self.distances[at], self.rows[at] = part.distances, part.rows

    def update(self, query: NDArray[np.int64], distance: NDArray[np.float64], row: NDArray[np.int64]) -> None:
        """Take in pairs: ascending positions of queries, distances in true units, rows of references."""
        last_distance = self.distances[query, -1]
        near = (distance < last_distance) | ((distance == last_distance) & (row < self.rows[query, -1]))
        query, distance, row = query[near], distance[near], row[near]
        if not len(query):
            return
        start = np.flatnonzero(np.diff(query, prepend=-1))
        counts = np.diff(start, append=len(query))
        place = np.repeat(np.arange(len(start)), counts)
        column = np.arange(len(query)) - start[place]
        touched, k = query[start], self.distances.shape[1]
        distances = np.full((len(touched), k + int(counts.max())), np.inf)
        rows = np.full(distances.shape, NO_ROW)
        distances[:, :k], rows[:, :k] = self.distances[touched], self.rows[touched]
        distances[place, k + column], rows[place, k + column] = distance, row
        order = np.lexsort((rows, distances), axis=1)[:, :k]
        self.distances[touched] = np.take_along_axis(distances, order, axis=1)
        self.rows[touched] = np.take_along_axis(rows, order, axis=1)


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

    def pick(self, at: NDArray[np.int64]) -> State:
        """Return a copy of the state of some queries."""
        return State(self.nearest.pick(at), self.other.pick(at), self.same.pick(at))

    def put(self, at: NDArray[np.int64], part: State) -> None:
        """Write the state of some queries back."""
        self.nearest.put(at, part.nearest)
        self.other.put(at, part.other)
        self.same.put(at, part.same)
