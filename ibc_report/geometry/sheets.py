"""How many points one manifold has, where classes lie on manifolds of their own.

The bias of an estimated dimension is that of the manifold around a point: of c classes that lie apart, each has the
bias of its own points, not of all of them, and how strongly distances concentrate is to be seen within a class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibc_report.geometry.dimension import PAPER_K
from ibc_report.geometry.neighbors import Neighbors
from ibc_report.geometry.points import Points
from ibc_report.geometry.spread import global_dimension

__all__ = ["Sheet", "sheet"]

APART = 0.05
"""Share of the five nearest neighbours that may be of another class where classes lie apart."""

MOST_CLASSES = 20
"""Classes in which distances are measured: the largest."""

SMALLEST_CLASS = 30
"""Points from which they are."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One manifold of a set.

    Parameters
    ----------
    points : float
        Points of it: of the class of a random point on average, or all where classes do not lie apart.
    global_dimension : float or None
        As of `ibc_report.geometry.spread`, within it; None where all distances are equal.
    """

    points: float
    global_dimension: float | None


def sheet(points: Points, queries: Points, found: Neighbors, *, seed: int) -> Sheet:
    """Find how many points the manifold around a point has.

    Parameters
    ----------
    points : Points
        n distinct points.
    queries : Points
        Those that were asked.
    found : Neighbors
        Neighbours of the queries among the points.
    seed : int
        Of the pairs whose distances are measured.

    Returns
    -------
    Sheet
        Of all points where there are no classes, or more than 5 % of the five nearest neighbours are of another one.

    Examples
    --------
    >>> from ibc_report.geometry import search
    >>> labels = np.arange(400) % 4
    >>> vectors = np.random.default_rng(0).normal(size=(400, 3)) + 100 * labels[:, None]
    >>> apart = Points(vectors, 1.0, np.arange(400), labels)
    >>> sheet(apart, apart, search(apart, k=5), seed=0).points
    100.0
    """
    if points.labels is None or queries.labels is None or not _apart(points, queries, found):
        return Sheet(float(len(points)), global_dimension(points, seed=seed))
    counts = np.bincount(points.labels)
    largest = np.argsort(-counts, kind="stable")[:MOST_CLASSES]
    measured = [
        (int(counts[label]), global_dimension(points.take(np.flatnonzero(points.labels == label)), seed=seed))
        for label in largest
        if counts[label] >= SMALLEST_CLASS
    ]
    weights = np.array([count for count, dimension in measured if dimension is not None], dtype=np.float64)
    dimensions = np.array([dimension for _, dimension in measured if dimension is not None])
    within = float(weights @ dimensions / weights.sum()) if len(weights) else global_dimension(points, seed=seed)
    return Sheet(float((counts.astype(np.float64) ** 2).sum() / len(points)), within)


def _apart(points: Points, queries: Points, found: Neighbors) -> bool:
    near = found.rows[:, :PAPER_K]
    if not len(near) or (near < 0).any():
        return False
    assert points.labels is not None
    assert queries.labels is not None
    order = np.argsort(points.rows)
    labels = points.labels[order[np.searchsorted(points.rows, near, sorter=order)]]
    return bool((labels != queries.labels[:, None]).mean() <= APART)
