"""How many points one manifold has, where each class has its own, and how strongly distances concentrate.

The bias of an estimated dimension is that of the manifold around a point: of c classes that lie apart, each has the
bias of its own points, not of all of them, and how strongly distances concentrate is to be seen within a class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibc_report.geometry.dimension.estimators import PAPER_K
from ibc_report.geometry.dimension.subsamples import shuffled
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.search import NeighborGraph

__all__ = ["Sheet", "global_dimension", "sheet"]

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
        As of `ibc_report.geometry.dimension.manifolds`, within it; None where all distances are equal.
    classes_mix : bool
        Whether there are classes, and more than 5 % of the five nearest neighbours are of another one.
    """

    points: float
    global_dimension: float | None
    classes_mix: bool


def sheet(graph: NeighborGraph, *, seed: int) -> Sheet:
    """Find how many points the manifold around a point has.

    It is that of all points where there are no classes, or more than 5 % of the five nearest neighbours are of another
    one.

    Examples
    --------
    >>> from ibc_report.geometry import neighbor_graph
    >>> labels = np.arange(400) % 4
    >>> vectors = np.random.default_rng(0).normal(size=(400, 3)) + 100 * labels[:, None]
    >>> apart = Points(vectors, 1.0, np.arange(400), labels)
    >>> sheet(neighbor_graph(apart, k=5), seed=0).points
    100.0
    """
    points = graph.points
    if points.labels is None or graph.queries.labels is None or not _apart(graph):
        has_classes = points.labels is not None and graph.queries.labels is not None
        return Sheet(float(len(points)), global_dimension(points, seed=seed), has_classes)
    counts = np.bincount(points.labels)
    # of classes of one size, those that come first by a row of theirs, whatever they are called
    first = np.full(len(counts), np.iinfo(np.int64).max)
    np.minimum.at(first, points.labels, points.rows)
    largest = np.lexsort((first, -counts))[:MOST_CLASSES]
    measured = [
        (int(counts[label]), global_dimension(points.take(np.flatnonzero(points.labels == label)), seed=seed))
        for label in largest
        if counts[label] >= SMALLEST_CLASS
    ]
    weights = np.array([count for count, dimension in measured if dimension is not None], dtype=np.float64)
    dimensions = np.array([dimension for _, dimension in measured if dimension is not None])
    within = float(weights @ dimensions / weights.sum()) if len(weights) else global_dimension(points, seed=seed)
    return Sheet(float((counts.astype(np.float64) ** 2).sum() / len(points)), within, False)


def _apart(graph: NeighborGraph) -> bool:
    points, queries = graph.points, graph.queries
    near = graph.found.rows[:, :PAPER_K]
    if not len(near) or (near < 0).any():
        return False
    assert points.labels is not None
    assert queries.labels is not None
    order = np.argsort(points.rows)
    labels = points.labels[order[np.searchsorted(points.rows, near, sorter=order)]]
    return bool((labels != queries.labels[:, None]).mean() <= APART)


PAIRS = 2**15
"""Pairs that are measured: the variance of their squared distances has a relative error of 1 %."""

BLOCK_ELEMENTS = 2**20


def global_dimension(points: Points, *, seed: int) -> float | None:
    """Measure the dimension of the Gaussian whose squared distances vary as much as those of the points.

    2 (mean d²)² / var d² over random pairs; None where all distances are equal.

    Parameters
    ----------
    points : Points
        At least two.

    Notes
    -----
    For a Gaussian it is the participation ratio of the covariance, (tr Σ)²/tr Σ²: its dimension if that is isotropic.
    A sphere of dimension m has 2(m + 1), a flat torus 4m, a cube 1.43 m; clusters have less.

    Examples
    --------
    >>> vectors = np.random.default_rng(0).normal(size=(4000, 7))
    >>> round(global_dimension(Points(vectors, 1.0, np.arange(4000)), seed=0))
    7
    """
    order = shuffled(points, seed)
    n = len(order)
    # each shift pairs every point with another one of the order
    shifts = range(1, 1 + max(1, min((n - 1) // 2, PAIRS // n)))
    most = min(n, PAIRS)
    block = max(1, BLOCK_ELEMENTS // points.dimension)
    squares = np.empty((len(shifts), most))
    for start in range(0, most, block):
        stop = min(start + block, most)
        run = points.read(order[np.arange(start, stop + len(shifts)) % n]).astype(np.float64)
        for shift in shifts:
            difference = run[shift : shift + stop - start] - run[: stop - start]
            squares[shift - 1, start:stop] = np.einsum("ij,ij->i", difference, difference)
    variance = float(squares.var())
    return 2 * float(squares.mean()) ** 2 / variance if variance > 0 else None
