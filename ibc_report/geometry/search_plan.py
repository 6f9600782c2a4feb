"""How the neighbours of a set are sought: which points are searched, which are asked, and what that may cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import files, sampling
from ibc_report.common.resources import DEFAULT_MEMORY
from ibc_report.data.encoders import Progress, silent
from ibc_report.data.examples import Examples
from ibc_report.geometry.dimension.estimators import PROFILE
from ibc_report.geometry.neighbors.duplicates import groups_of_equal, merge_close
from ibc_report.geometry.neighbors.margin import Margin
from ibc_report.geometry.neighbors.planner import plan_search
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.random_projection import MOST_FEATURES, reduce
from ibc_report.geometry.neighbors.search import Neighbors, margin, margin_from, picked, replaced, search
from ibc_report.geometry.radius import Norms, norms

__all__ = ["WHOLE", "Budget", "SearchPlan", "SearchSize", "exact_margin", "queries", "search_plan_of"]

LARGEST_COST = 5e13
"""Rows × rows × features up to which every row is asked for its neighbours: some ten minutes on two cores."""

MARGIN_COST = 10 * LARGEST_COST
"""The same for the margin, whose bound leaves fewer pairs to compute."""

SAMPLED_QUERIES = 10_000


@dataclass(frozen=True, slots=True)
class Budget:
    """What the user allows.

    Parameters
    ----------
    queries : int or None
        Rows that are asked for their neighbours; by the cost for None.
    exact : bool
        All rows and all features, whatever it costs.
    memory : int
        Bytes that the search may take besides what is in memory already.
    """

    queries: int | None = None
    exact: bool = False
    memory: int = DEFAULT_MEMORY
    seed: int = 0


def queries(budget: Budget, n: int, features: int) -> int | None:
    """Say how many rows to ask for their neighbours.

    None for all.

    Examples
    --------
    >>> queries(Budget(), 60_000, 784) is None, queries(Budget(), 1_281_167, 4_096)
    (True, 10000)
    """
    if budget.exact:
        return None
    wanted = budget.queries
    if wanted is None and float(n) * n * features > LARGEST_COST:
        wanted = SAMPLED_QUERIES
    return wanted if wanted is not None and wanted < n else None


def exact_margin(budget: Budget, n: int, features: int) -> bool:
    """Say whether the margin is sought over all pairs although only some rows are asked for neighbours.

    Examples
    --------
    >>> exact_margin(Budget(queries=10_000), 60_000, 784)
    True
    """
    return budget.exact or float(n) * n * features <= MARGIN_COST


WHOLE = Budget()
"""All rows where that is affordable."""


@dataclass(frozen=True, slots=True)
class SearchSize:
    """How large the neighbour search of a set is."""

    points: int
    queries: int
    features: int


def search_plan_of(
    examples: Examples, *, tolerance: float | None = None, budget: Budget = WHOLE, progress: Progress = silent
) -> SearchPlan:
    """Prepare the neighbour search of a set."""
    encoded = examples.encoded
    everything = Points(encoded.vectors, encoded.unit, encoded.rows, examples.codes, examples.values)
    groups = groups_of_equal(everything.vectors)
    length = norms(everything)
    everything, distortion = _reduced(everything, budget)
    threshold = encoded.rounding * length.radius
    if threshold > 0 or distortion is not None:
        groups = merge_close(everything, groups, threshold)
    points = _taken(everything, _first_rows(groups))
    return SearchPlan(
        everything, length, groups, points, _asked(points, budget), distortion, tolerance, budget, progress
    )


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The neighbour search of one set, over all rows or a sample of them.

    Parameters
    ----------
    norms : Norms
        Of all rows, before any projection.
    groups : ndarray of int64, shape (n,)
        Groups of rows that are equal, or equal up to their encoder's rounding.
    distinct : Points
        One point for each of these groups: its first row.
    asked : Points
        Those of them that are asked for their neighbours.
    distortion : float or None
        Of a random projection to fewer features.
    """

    everything: Points
    norms: Norms
    groups: NDArray[np.int64]
    distinct: Points
    asked: Points
    distortion: float | None
    tolerance: float | None
    budget: Budget
    progress: Progress

    @property
    def extent(self) -> SearchSize:
        """How large the first search is."""
        return SearchSize(len(self.distinct), len(self.asked), self.distinct.dimension)

    def part(self, start: int, stop: int) -> Neighbors:
        """Neighbours of some of the points that are asked, by position.

        Parts in order, put together by `concatenate`, are what `neighborhoods` knows.
        """
        return self.search(self.distinct, self.asked.take(np.arange(start, stop)))

    def take(self, positions: NDArray[np.int64]) -> Points:
        """Keep some of the points; all of them are not copied."""
        return _taken(self.everything, positions)

    def queries(self, points: Points) -> Points:
        """The points that are asked for their neighbours."""
        return self.asked if points is self.distinct else _asked(points, self.budget)

    def search(self, points: Points, queries: Points | None = None) -> Neighbors:
        """Neighbours of the points that are asked, or of given ones."""
        queries = self.queries(points) if queries is None else queries
        return search(
            points,
            None if queries is points else queries,
            k=_most(points),
            same_set=True,
            tolerance=self.tolerance,
            memory=self.budget.memory,
            progress=self.progress,
        )

    def search_without(self, clear: Points, found: Neighbors) -> Neighbors:
        """Neighbours among some of the distinct points of those of them that are asked.

        Where none of the neighbours that were found among all of them is gone, they are the neighbours still.
        """
        queries, before = self.queries(clear), self.queries(self.distinct)
        # a point may stand with two targets where there were none in conflict
        if clear.targets is not None or found.k != _most(clear):
            return self.search(clear, queries)
        gone = np.setdiff1d(self.distinct.rows, clear.rows)
        lost = np.asarray(np.isin(np.column_stack([found.rows, found.other_row, found.same_row]), gone).any(axis=1))
        at = np.minimum(np.searchsorted(before.rows, queries.rows), len(before) - 1)
        again = np.flatnonzero((before.rows[at] != queries.rows) | lost[at])
        if not len(again):
            return picked(found, at)
        return replaced(picked(found, at), again, self.search(clear, queries.take(again)))

    def method(self, points: Points) -> str:
        """What a search over all of the points that are asked runs."""
        nearest = 2 if points.labels is not None or self.tolerance is not None else 0
        return plan_search(points, self.queries(points), _most(points), nearest).method

    def margin(self, points: Points, found: Neighbors) -> tuple[Margin | None, bool]:
        """The closest pair, and whether it is that of all pairs."""
        if len(found) == len(points):
            return margin_from(found, points, tolerance=self.tolerance), True
        if self.tolerance is None and exact_margin(self.budget, len(points), points.dimension):
            return margin(points, memory=self.budget.memory, progress=self.progress), True
        return _margin_seen(self.queries(points), found), False


def _first_rows(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Position of the first row of each group."""
    return np.asarray(np.unique(groups, return_index=True)[1], dtype=np.int64)


def _taken(points: Points, positions: NDArray[np.int64]) -> Points:
    """Some of the points, which may lie in a file of their own; all of them are not copied."""
    if len(positions) == len(points):
        return points
    return Points(
        files.taken(points.vectors, positions),
        points.unit,
        points.rows[positions],
        None if points.labels is None else points.labels[positions],
        None if points.targets is None else points.targets[positions],
    )


def _asked(points: Points, budget: Budget) -> Points:
    """The points that are asked for their neighbours."""
    count = queries(budget, len(points), points.dimension)
    if count is None:
        return points
    chosen = sampling.chosen(points.rows, count, budget.seed)
    return points.take(np.flatnonzero(np.isin(points.rows, chosen)))


def _margin_seen(queries: Points, found: Neighbors) -> Margin | None:
    """The closest pair of which one was asked for its neighbours."""
    least = float(found.other_distance.min(initial=np.inf))
    if not np.isfinite(least):
        return None
    ends = np.flatnonzero(found.other_distance == least)
    pairs = {
        (min(row, other), max(row, other))
        for row, other in zip(queries.rows[ends].tolist(), found.other_row[ends].tolist(), strict=True)
    }
    return Margin(least, min(pairs), len(pairs), found.method)


def _reduced(points: Points, budget: Budget) -> tuple[Points, float | None]:
    """The points with fewer features where they have very many."""
    if budget.exact or points.dimension <= MOST_FEATURES:
        return points, None
    reduction = reduce(points.vectors, points.unit, budget.seed)
    return replace(points, vectors=reduction.vectors, unit=1.0), reduction.distortion


def _most(points: Points) -> int:
    """Neighbours that are sought of each point."""
    return min(max(PROFILE), len(points) - 1)
