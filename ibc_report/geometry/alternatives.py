"""The geometry once more, each fact taken in another way that is as defensible as the first.

The published form rests on extremes and on the features as they came: the largest norm, the closest pair, the origin.
Each variant changes one of them, so that a card can say what it is worth in bits.

For the margin the closest pair of different classes is taken out with both of its rows, and then the next, as often as
wanted. Both rows go because nothing tells which of the two is wrong, and because a mislabelled row is the nearest of
many others: taking out the one distance would leave the next, which is nearly as small.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.resources import block_rows, slices
from ibc_report.geometry.feature_maps import FeatureMaps, feature_maps
from ibc_report.geometry.neighbors.margin import Relation
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.search import NeighborGraph, search
from ibc_report.geometry.radius import Norms

__all__ = ["QUANTILE", "Thinned", "Variants", "thinned", "variants"]

QUANTILE = 0.001
"""Share of rows that the quantile of the margin leaves below it, and that the worst rows are."""


@dataclass(frozen=True, slots=True)
class Variants:
    """Facts about a set of examples, taken in other ways. All lengths are in the units of the features.

    Parameters
    ----------
    centred_radius : float
        Largest distance of a row from the mean of all rows.
    next_radius : float
        Largest norm without the rows that are far out; where none are, the second largest.
    quantile_margin : float
        The 0.1 % quantile of the distances from a row to the nearest one of another class.
    thinned : Thinned
        The margin without the pair that sets it, and without the worst 0.1 % of rows.
    all_asked : bool
        Whether the margins are over all rows; from a sample of rows, those without some pairs are upper limits.
    maps : FeatureMaps or None
        A sample of the rows under other feature maps; None where that cannot be measured.
    """

    centred_radius: float
    mean_norm: float
    next_radius: float
    quantile_margin: float
    thinned: Thinned
    distinct: int
    all_asked: bool
    maps: FeatureMaps | None


def variants(
    rows: Points,
    clear: NeighborGraph,
    *,
    norms: Norms,
    pair: tuple[int, int],
    distinct: int,
    within: float | None = None,
    seed: int = 0,
) -> Variants:
    """Take the facts of a set of examples in other ways.

    Parameters
    ----------
    rows : Points
        All rows, as they were encoded: what the radius is measured on.
    clear : NeighborGraph
        Of distinct points without conflicting labels: what the margin is measured on. At least one of the queries has
        a neighbour of another class.
    norms : Norms
        Of `rows`.
    pair : tuple of int
        Row numbers of the pair that sets the margin.
    within : float, optional
        Largest norm of the rows that are not far out, where some are.

    Examples
    --------
    >>> from ibc_report.geometry import neighbor_graph
    >>> from ibc_report.geometry.radius import norms
    >>> line = Points(np.array([[9.0], [10.0], [14.0], [16.0]]), 1.0, np.arange(4), np.array([0, 1, 0, 1]))
    >>> given = dict(norms=norms(line), pair=(0, 1), distinct=4)
    >>> found = variants(line, neighbor_graph(line, k=3), **given)
    >>> found.centred_radius, found.next_radius, found.thinned.without_pair
    (3.75, 14.0, 2.0)
    """
    centred, following = _radii(rows)
    nearest_other = clear.found.other_distance
    return Variants(
        centred_radius=centred,
        mean_norm=norms.mean,
        next_radius=following if within is None else within,
        quantile_margin=float(np.quantile(nearest_other[np.isfinite(nearest_other)], QUANTILE)),
        thinned=thinned(clear, pair, share=QUANTILE),
        distinct=distinct,
        all_asked=clear.is_whole,
        maps=feature_maps(clear, seed=seed),
    )


def _radii(rows: Points) -> tuple[float, float]:
    """Largest distance from the mean, and second largest norm (the largest where there is one row)."""
    parts = slices(len(rows), block_rows(rows.dimension))
    total = np.zeros(rows.dimension, dtype=np.int64 if rows.vectors.dtype == np.uint8 else np.float64)
    for part in parts:
        total += rows.raw[part].sum(axis=0, dtype=total.dtype)
        rows.release()
    mean: NDArray[np.float64] = np.asarray(total / len(rows), dtype=np.float64)
    furthest = 0.0
    squares = np.empty(len(rows))
    for part in parts:
        block = rows.raw[part].astype(np.float64)
        squares[part] = np.einsum("ij,ij->i", block, block)
        block -= mean
        furthest = max(furthest, float(np.einsum("ij,ij->i", block, block).max()))
        rows.release()
    following = np.partition(squares, -2)[-2] if len(rows) > 1 else squares[0]
    return float(np.sqrt(furthest)) * rows.unit, float(np.sqrt(following)) * rows.unit


BEYOND = -1
"""Stands for a partner that lies beyond the neighbours that are known."""


@dataclass(frozen=True, slots=True)
class Thinned:
    """The margin without the rows that set it.

    Parameters
    ----------
    without_pair : float or None
        Smallest distance of different classes among the rows that are left when both rows of the closest pair are
        gone, in the units of the features; None where no two of different classes are left.
    without_worst : float or None
        The same when closest pairs have been taken out until a share of the rows was gone; None where no two are left,
        or where the first pair is that share already.
    rows : int
        Rows that are gone in the second.
    """

    without_pair: float | None
    without_worst: float | None
    rows: int


def thinned(graph: NeighborGraph, pair: tuple[int, int], *, share: float = QUANTILE) -> Thinned:
    """Take the closest pairs of different classes out, one after the other.

    Parameters
    ----------
    graph : NeighborGraph
        Where only some points were asked, only the pairs are seen in which one is among the known neighbours of the
        other, so that the distances found are upper limits.
    pair : tuple of int
        Row numbers of the closest pair.
    share : float
        Of the asked rows, how many to take out for `Thinned.without_worst`.

    Examples
    --------
    The row at 0.1 has the wrong label; without it and its neighbour the classes are 5 apart.

    >>> from ibc_report.geometry import Points, neighbor_graph
    >>> line = Points(np.array([[0.0], [0.1], [1.0], [6.0], [7.0]]), 1.0, np.arange(5), np.array([0, 1, 0, 1, 1]))
    >>> thinned(neighbor_graph(line, k=4), (0, 1)).without_pair
    5.0
    """
    closest = _Closest(graph)
    wanted = ceil(share * len(graph.queries))
    gone = closest.remove(*(int(at) for at in np.searchsorted(graph.points.rows, pair)))
    first = closest.look()
    if gone >= wanted:
        return Thinned(None if first is None else first[0], None, 2)
    best = first
    rows = 2
    while best is not None and gone < wanted:
        gone += closest.remove(best[1], best[2])
        rows += 2
        best = closest.look()
    return Thinned(None if first is None else first[0], None if best is None else best[0], rows)


class _Closest:
    """The closest pair of different classes among the points that are left.

    Each asked point waits in a heap with its nearest different point, or with a distance that is no larger than that.
    A point whose partner is gone gets the next among its known neighbours. One that has none left there is put aside:
    its distance to a point that still has a partner is no smaller than that point's own, which is in the heap, so it
    has to be compared only with the others that were put aside.
    """

    def __init__(self, graph: NeighborGraph) -> None:
        points, asked, found = graph.points, graph.queries, graph.found
        relation = Relation.between(asked, points, graph.tolerance)
        assert relation is not None
        self.points, self.found, self.relation, self.tolerance = points, found, relation, graph.tolerance
        self.left = np.ones(len(points), dtype=np.bool_)
        self.places: NDArray[np.int64] = np.searchsorted(points.rows, asked.rows)
        self.is_asked = np.zeros(len(points), dtype=np.bool_)
        self.is_asked[self.places] = True
        some = np.flatnonzero(np.isfinite(found.other_distance))
        partners = np.searchsorted(points.rows, found.other_row[some])
        self.heap: list[tuple[float, int, int]] = list(
            zip(found.other_distance[some].tolist(), some.tolist(), partners.tolist(), strict=True)
        )
        heapq.heapify(self.heap)
        self.aside: list[int] = []
        self.among_aside: tuple[float, int, int] | None = None

    def remove(self, *places: int) -> int:
        """Take points out; say how many of them were asked."""
        self.left[list(places)] = False
        return int(self.is_asked[list(places)].sum())

    def look(self) -> tuple[float, int, int] | None:
        """Distance and places of the closest pair; None where there is none."""
        known, more = None, False
        while self.heap and known is None:
            distance, query, partner = self.heap[0]
            if not self.left[self.places[query]]:
                heapq.heappop(self.heap)
            elif partner == BEYOND:
                heapq.heappop(self.heap)
                self.aside.append(int(self.places[query]))
                more = True
            elif self.left[partner]:
                known = distance, int(self.places[query]), partner
            else:
                heapq.heapreplace(self.heap, self._following(query, distance))
        aside = self.among_aside
        if more or (aside is not None and not (self.left[aside[1]] and self.left[aside[2]])):
            self.among_aside = aside = self._aside()
        return min((pair for pair in (known, aside) if pair is not None), default=None)

    def _following(self, query: int, distance: float) -> tuple[float, int, int]:
        """The next different point among the known neighbours, or how far away it is at least."""
        rows = self.found.rows[query]
        places = np.searchsorted(self.points.rows, rows[rows >= 0])
        differs = self.relation.differ(np.full(len(places), query), places)
        good = np.flatnonzero(self.left[places] & differs)
        if len(good):
            return float(self.found.distances[query, good[0]]), query, int(places[good[0]])
        return max(distance, float(self.found.distances[query, -1])), query, BEYOND

    def _aside(self) -> tuple[float, int, int] | None:
        """The closest pair among the points put aside."""
        self.aside = [place for place in self.aside if self.left[place]]
        places = np.sort(np.array(self.aside, dtype=np.int64))
        if len(places) < 2:
            return None
        points = self.points.take(places)
        found = search(points, k=1, tolerance=self.tolerance)
        least = int(found.other_distance.argmin())
        if not np.isfinite(found.other_distance[least]):
            return None
        partner = int(np.searchsorted(points.rows, found.other_row[least]))
        return float(found.other_distance[least]), int(places[least]), int(places[partner])
