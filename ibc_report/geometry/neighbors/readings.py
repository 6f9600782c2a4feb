"""Neighbours within a part of the points, read from the neighbours among all of them: exact, and nearly for nothing.

The neighbours of a point within a part are those of its neighbours that lie in the part, in the same order. Where the
list of a point ends before there are enough of them, that point alone is searched again.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.neighbors.points import part
from ibc_report.geometry.neighbors.search import NeighborGraph, search

__all__ = ["closest_within", "nearest_within"]

Ints = NDArray[np.int64]


def nearest_within(graph: NeighborGraph, run: Ints, asked: Ints, *, k: int, memory: int) -> NDArray[np.float64]:
    """Find the distances of the k nearest neighbours within a part of the points.

    Parameters
    ----------
    run : ndarray of int64
        Positions of the points of the part, ascending.
    asked : ndarray of int64, shape (q,)
        Positions of those of them whose neighbours are wanted, ascending.
    memory : int
        Bytes that a search may take.

    Returns
    -------
    ndarray of float64, shape (q, k)
        Ascending, in true units; inf where the part has fewer points.

    Examples
    --------
    >>> from ibc_report.geometry import Points, neighbor_graph
    >>> line = neighbor_graph(Points(np.arange(9.0)[:, None], 1.0, np.arange(9)), k=4)
    >>> nearest_within(line, np.array([0, 2, 4, 8]), np.array([2, 8]), k=1, memory=2**30)
    array([[2.],
           [4.]])
    """
    points, found = graph.points, graph.found
    result = np.empty((len(asked), k))
    queries = np.full(len(points), -1)
    queries[graph.asked] = np.arange(len(graph.asked))
    query = queries[asked]
    # position −1, which stands for no neighbour, is in no part
    inside = np.zeros(len(points) + 1, dtype=bool)
    inside[run] = True
    near = inside[graph.places[query]]
    rank = near.cumsum(axis=1, dtype=np.int32)
    told = (query >= 0) & (rank[:, -1] >= k)
    result[told] = found.distances[query[told]][(near & (rank <= k))[told]].reshape(-1, k)
    again = np.flatnonzero(~told)
    if len(again):
        own = part(points, run, answers=False)
        alone = None if len(again) == len(run) else part(points, asked[again], answers=False)
        result[again] = search(own, alone, k=k, same_set=True, memory=memory).distances
    return result


def closest_within(graph: NeighborGraph, run: Ints, *, memory: int) -> float:
    """Find the smallest distance between points of a part that differ.

    Those of its points whose nearest differing point lies in the part give a bound. Both points of a closer pair have a
    nearer one outside, and these, which are few, are compared with each other.

    Parameters
    ----------
    graph : NeighborGraph
        Of points with labels, or with targets and a tolerance, all of which were asked.
    run : ndarray of int64
        Positions of the points of the part, ascending.
    memory : int
        Bytes that a search may take.

    Returns
    -------
    float
        In true units; inf where no two differ.

    Examples
    --------
    >>> from ibc_report.geometry import Points, neighbor_graph
    >>> line = Points(np.array([[0.0], [1.0], [3.0], [7.0]]), 1.0, np.arange(4), np.array([0, 1, 0, 1]))
    >>> closest_within(neighbor_graph(line, k=3), np.array([0, 3]), memory=2**30)
    7.0
    """
    points, found = graph.points, graph.found
    distances = found.other_distance[run]
    inside = np.isin(found.other_row[run], points.rows[run])
    bound = float(distances[inside].min(initial=inf))
    nearer_outside = run[~inside & (distances < bound)]
    if len(nearer_outside) < 2:
        return bound
    own = part(points, nearer_outside)
    closer = search(own, k=1, tolerance=graph.tolerance, memory=memory).other_distance
    return min(bound, float(closer.min()))
