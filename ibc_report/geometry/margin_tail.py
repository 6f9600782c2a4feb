"""The margin from the lower tail of the distances to other classes, where no pair decides it.

If P(distance < r) ∝ r^κ near 0, the spacings ln(u / e) of the rows below a threshold u are exponential with rate κ:
Hill, "A Simple General Approach to Inference About the Tail of a Distribution", Annals of Statistics 3 (1975), DOI
10.1214/aos/1176343247. The law is then followed down to where one pair is expected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.resources import DEFAULT_MEMORY
from ibc_report.geometry.neighbors.margin import Relation
from ibc_report.geometry.neighbors.search import NeighborGraph, search
from ibc_report.geometry.neighbors.state import NO_ROW, Single

__all__ = ["Tail", "tail_margin"]

PRESENT = 0.7
"""Chance that another row is there: the law is that of samples of the other rows, in expectation over them. Otherwise
the removal of a row that is the closest of another class to many would move all of their distances at once."""

DEPTH = 6
"""Rows of another class that are looked at from each row; a seventh would weigh less than 1/1000."""

TAIL_FACTOR, TAIL_POWER, FEWEST = 1.77, 0.6, 10.0
"""The tail has 1.77·n^0.6 rows: its share falls, so that the extrapolation starts nearer to its end with more data,
and its number grows, so that the exponent becomes exact."""

PRIOR_ROWS = 2.0
"""Weight of the intrinsic dimension as the prior of the exponent, in rows."""

CLOSEST_PAIR = 2.0
"""Rows that the closest pair makes."""


@dataclass(frozen=True, slots=True)
class Tail:
    """The margin, and the law that gave it.

    Parameters
    ----------
    margin : float
        Distance within which one pair of different classes is expected, in the units of the features.
    exponent : float
        κ of P(distance < r) ∝ r^κ.
    threshold : float
        Largest distance that the law was fitted to.
    rows : float
        Expected number of rows below the threshold.
    """

    margin: float
    exponent: float
    threshold: float
    rows: float


def tail_margin(
    graph: NeighborGraph,
    weights: NDArray[np.float64],
    *,
    dimension: float,
    total: int,
    memory: int = DEFAULT_MEMORY,
) -> Tail | None:
    """Extrapolate the margin of weighted rows.

    None where no two rows of positive weight differ.

    Parameters
    ----------
    graph : NeighborGraph
        Of n points with labels or targets, all of which were asked.
    weights : ndarray of float64, shape (n,)
        Chance in [0, 1] that a row is what it says; a row of weight 0 is not there.
    dimension : float
        Intrinsic dimension, the prior of the exponent.
    total : int
        Rows that the points are a sample of. Pairs grow as the square of rows, and so the law is followed to
        (n / total)² pairs.
    memory : int
        Bytes for the search of rows whose known neighbours are all set aside.

    Raises
    ------
    ValueError
        If not every point was asked.

    Examples
    --------
    >>> from ibc_report.geometry import Points, neighbor_graph
    >>> line = Points(np.arange(60.0)[:, None], 1.0, np.arange(60), np.arange(60) // 2 % 2)
    >>> tail_margin(neighbor_graph(line, k=8), np.ones(60), dimension=1.0, total=60).threshold
    1.0
    """
    if not graph.is_whole:
        raise ValueError(f"{len(graph.found)} queries and {len(graph.points)} points: all must have been asked")
    pairs, open_rows = _known(graph, weights)
    wanted = max(FEWEST, TAIL_FACTOR * float(weights.sum()) ** TAIL_POWER)
    limit = _threshold(pairs.sorted(), wanted)
    # beyond the limit no pair counts, and what is not among the known neighbours lies beyond the last of them
    nearest = np.maximum(graph.found.other_distance[open_rows], graph.found.distances[open_rows, -1])
    unsure = open_rows[nearest < limit]
    if len(unsure):
        pairs = pairs.joined(_searched(graph, weights, unsure, limit, memory))
    return _fit(pairs.sorted(), wanted, dimension, len(graph.points) / total)


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Distances of rows to rows of another class, and the chance that each is the nearest."""

    distances: NDArray[np.float64]
    shares: NDArray[np.float64]

    def joined(self, more: _Pairs) -> _Pairs:
        return _Pairs(
            np.concatenate([self.distances, more.distances]),
            np.concatenate([self.shares, more.shares]),
        )

    def sorted(self) -> _Pairs:
        order = np.argsort(self.distances, kind="stable")
        return _Pairs(self.distances[order], self.shares[order])


def _known(graph: NeighborGraph, weights: NDArray[np.float64]) -> tuple[_Pairs, NDArray[np.int64]]:
    """Pairs from what was found already, and the rows whose only known nearest of another class is not there."""
    points, found = graph.points, graph.found
    relation = Relation.between(points, points, graph.tolerance)
    assert relation is not None
    asked = np.flatnonzero(weights > 0)
    near = graph.places[asked].astype(np.int64)
    there = relation.differ(asked[:, None], near) & (near >= 0) & (weights[near] > 0)
    rank = there.cumsum(axis=1)
    left = weights[asked].copy()
    distances, shares = [], []
    for depth in range(1, DEPTH + 1):
        hit = there & (rank == depth)
        has = np.flatnonzero(hit.any(axis=1))
        slot = hit[has].argmax(axis=1)
        share = left[has] * PRESENT * weights[near[has, slot]]
        distances.append(found.distances[asked[has], slot])
        shares.append(share)
        left[has] -= share
    # where no neighbour is of another class, the nearest of another class is known all the same
    beyond = asked[~there.any(axis=1)]
    beyond = beyond[found.other_row[beyond] >= 0]
    other = np.searchsorted(points.rows, found.other_row[beyond])
    is_there = weights[other] > 0
    distances.append(found.other_distance[beyond[is_there]])
    shares.append(weights[beyond[is_there]] * PRESENT * weights[other[is_there]])
    return _Pairs(np.concatenate(distances), np.concatenate(shares)), beyond[~is_there]


def _searched(
    graph: NeighborGraph, weights: NDArray[np.float64], unsure: NDArray[np.int64], limit: float, memory: int
) -> _Pairs:
    """Pairs of rows whose nearest of another class has to be sought among the rows that are there.

    Exact within the limit; beyond it no pair counts. The other row of a pair within it has the pair among its own
    neighbours, unless these end before the limit: such rows alone are searched.
    """
    points, found = graph.points, graph.found
    relation = Relation.between(points, points, graph.tolerance)
    assert relation is not None
    there = weights > 0
    numbers = np.full(len(points) + 1, -1)
    numbers[unsure] = np.arange(len(unsure))
    own, column = np.nonzero((numbers[graph.places] >= 0) & there[:, None])
    other = graph.places[own, column].astype(np.int64)
    differ = relation.differ(own, other)
    own, column, other = own[differ], column[differ], other[differ]
    nearest = Single.empty(len(unsure))
    nearest.update(numbers[other], found.distances[own, column], points.rows[own])
    dense = np.flatnonzero(there & (found.distances[:, -1] < limit))
    if len(dense):
        among = search(
            points.take(dense), points.take(unsure), k=1, same_set=True, tolerance=graph.tolerance, memory=memory
        )
        has = np.flatnonzero(among.other_row >= 0)
        nearest.update(has, among.other_distance[has], among.other_row[has])
    has = np.flatnonzero(nearest.rows != NO_ROW)
    other = np.searchsorted(points.rows, nearest.rows[has])
    return _Pairs(nearest.distances[has], weights[unsure[has]] * PRESENT * weights[other])


def _threshold(pairs: _Pairs, wanted: float) -> float:
    """Distance below which the wanted number of rows is expected; infinite where there are fewer."""
    reached = np.searchsorted(pairs.shares.cumsum(), wanted)
    return float(pairs.distances[reached]) if reached < len(pairs.shares) else np.inf


def _fit(pairs: _Pairs, wanted: float, dimension: float, share_taken: float) -> Tail | None:
    if not len(pairs.distances):
        return None
    limit = min(_threshold(pairs, wanted), float(pairs.distances[-1]))
    below = (pairs.distances < limit) & (pairs.distances > 0)
    rows = float(pairs.shares[below].sum())
    if rows <= 0:
        return Tail(limit, np.inf, limit, 0.0)
    spacing = float((pairs.shares[below] * np.log(limit / pairs.distances[below])).sum())
    slope = (spacing + PRIOR_ROWS / dimension) / (rows + PRIOR_ROWS)
    # the rows of the closest pair, each of which finds the other with the chance that it is there
    expected = CLOSEST_PAIR * PRESENT * share_taken**2
    return Tail(limit * min(1.0, (rows / expected) ** -slope), 1 / slope, limit, rows)
