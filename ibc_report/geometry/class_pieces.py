"""Whether a class lies in one piece: connected components of the graph of its own nearest neighbours.

Source: Maier, Hein, von Luxburg, "Optimal construction of k-nearest-neighbor graphs for identifying noisy clusters",
Theoretical Computer Science 410 (2009), DOI 10.1016/j.tcs.2009.01.009: of n points of one connected piece the graph of
k neighbours is connected with high probability where k grows like ln n, and points of different pieces are joined in it
only where their gap is no wider than the distance of neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ibc_report.common import sampling
from ibc_report.common.resources import DEFAULT_MEMORY
from ibc_report.geometry.leading_coordinates import classes_of
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.search import NeighborGraph, search

__all__ = ["ClassPieces", "class_pieces"]

Ints = NDArray[np.int64]

JOINED = 10
"""Nearest neighbours of its own class that a point is joined to."""

SMALLEST_PIECE = 0.1
"""Share of a class from which a component counts as a piece; one of no more points than `JOINED` is none."""

SMALLEST_CLASS = 30
"""Points from which a class is looked at."""

MOST_CLASSES = 100
"""Classes that are looked at: the largest."""

MOST_MISSING = 0.05
"""Share of a class's points that may lack neighbours of their own class in the table; it is searched otherwise."""

SEARCHED = 500
"""Points of such a class that are searched, at most: gaps between pieces show among few points as well."""


@dataclass(frozen=True, slots=True)
class ClassPieces:
    """Classes that lie in several pieces.

    Parameters
    ----------
    classes : int
        Classes that were looked at.
    share : float
        Of the points of these, those whose class lies in several pieces.
    most : int
        Pieces of the class that has most; 1 where every class is in one.
    label : int
        That class; the largest of them.
    """

    classes: int
    share: float
    most: int
    label: int


def class_pieces(graph: NeighborGraph, *, seed: int = 0, memory: int = DEFAULT_MEMORY) -> ClassPieces | None:
    """Find the classes that lie in several pieces.

    Where there are no labels all points are one class. None where no class has 30 points.

    Parameters
    ----------
    graph : NeighborGraph
        Distinct points and their neighbours. A class whose neighbours in it are not of its own, or of which only some
        points were asked, is searched on its own, from at most 500 of its points.
    seed : int
        Of those.

    Examples
    --------
    >>> from ibc_report.geometry import neighbor_graph
    >>> rng = np.random.default_rng(0)
    >>> blobs = rng.normal(size=(300, 2)) + 20 * (np.arange(300) % 3)[:, None]
    >>> class_pieces(neighbor_graph(Points(blobs, 1.0, np.arange(300)), k=20)).most
    3
    """
    points = graph.points
    classes = classes_of(points)
    sizes = np.bincount(classes)
    wanted = np.argsort(-sizes, kind="stable")[:MOST_CLASSES]
    wanted = wanted[sizes[wanted] >= SMALLEST_CLASS]
    if not len(wanted):
        return None
    pieces = np.zeros(len(sizes), np.int64)
    complete = np.zeros(len(points), bool)
    if graph.is_whole:
        complete, components = _from_table(graph, classes)
    for label in wanted.tolist():
        members = np.flatnonzero(classes == label)
        if complete[members].mean() >= 1 - MOST_MISSING:
            pieces[label] = _large(components[members])
        else:
            pieces[label] = _searched(points, members, seed, memory)
    several = pieces[wanted] > 1
    label = int(wanted[np.argmax(pieces[wanted])])
    return ClassPieces(
        classes=len(wanted),
        share=float(sizes[wanted[several]].sum() / sizes[wanted].sum()),
        most=int(pieces[label]),
        label=label,
    )


def _from_table(graph: NeighborGraph, classes: Ints) -> tuple[NDArray[np.bool_], Ints]:
    """Which points have enough neighbours of their own class in the table, and the components of these."""
    positions = graph.places.astype(np.int64)
    # place −1, which stands for no neighbour, has a class of its own
    own = np.append(classes, -1)[positions] == classes[:, None]
    rank = own.cumsum(axis=1)
    taken = own & (rank <= JOINED)
    enough = np.minimum(JOINED, np.bincount(classes)[classes] - 1)
    row, column = np.nonzero(taken)
    return rank[:, -1] >= enough, _components(len(classes), row, positions[row, column])


def _searched(points: Points, members: Ints, seed: int, memory: int) -> int:
    """Search some points of a class on their own."""
    rows = sampling.chosen(points.rows[members], SEARCHED, seed)
    own = Points(points.read(members[np.isin(points.rows[members], rows)]), points.unit, np.arange(len(rows)))
    found = search(own, k=min(JOINED, len(own) - 1), memory=memory)
    start = np.repeat(np.arange(len(own)), found.rows.shape[1])
    return _large(_components(len(own), start, found.rows.ravel()))


def _components(count: int, first: Ints, second: Ints) -> Ints:
    """The number of each point's component."""
    joined = coo_array((np.ones(len(first), bool), (first, second)), shape=(count, count))
    return np.asarray(connected_components(joined, directed=False)[1], dtype=np.int64)


def _large(components: Ints) -> int:
    """Components that count as pieces."""
    counts = np.unique(components, return_counts=True)[1]
    return max(1, int((counts > max(JOINED, SMALLEST_PIECE * len(components))).sum()))
