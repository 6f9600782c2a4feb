"""Dimension, margin and radius of disjoint parts of n, n/2, n/4, ... points, drawn by a hash, and how they drift."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import sampling
from ibc_report.common.errors import DataError
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood
from ibc_report.geometry.neighbors.points import Points, part
from ibc_report.geometry.neighbors.readings import closest_within, nearest_within
from ibc_report.geometry.neighbors.search import NeighborGraph, margin
from ibc_report.geometry.radius import lengths

__all__ = ["SampleSize", "by_sample_size", "shuffled"]

FEWEST_POINTS = 100
"""Points of the smallest part."""

FEWEST_QUERIES = 2000
"""Points of a part that are asked for their neighbours, at least: all where there are no more."""

MOST_PARTS = 16
"""Disjoint parts of one size whose margin is taken: their mean ln δ has a standard error of 0.3/m."""

MARGIN_SHARE = 0.1
"""Of the pairs of the one search, at most this share is looked at for the margins of one size."""


@dataclass(frozen=True, slots=True)
class SampleSize:
    """What a random part of so many points shows.

    Parameters
    ----------
    dimension : float or None
        m̂ at k = 5 of one part (of the halves: the mean over random halves); None where it does not exist.
    log_margin : float or None
        Mean of ln δ over disjoint parts, δ being the exact smallest distance between points that differ; None where
        no part was affordable, or a part has none or one of 0.
    radius : float
        Mean over all disjoint parts of the largest norm.
    parts : int
        Disjoint parts whose margin was taken.
    """

    n: int
    dimension: float | None
    log_margin: float | None
    radius: float
    parts: int


def by_sample_size(
    graph: NeighborGraph,
    *,
    half_estimate: float | None,
    seed: int,
    memory: int,
) -> tuple[SampleSize, ...]:
    """Measure random parts of n, n/2, n/4, ... points, down to a hundred.

    They come by falling size; the whole is the first.

    Parameters
    ----------
    half_estimate : float or None
        Mean estimate of halves, from `ibc_report.geometry.dimension.standard_error`.
    memory : int
        Bytes that a search may take.

    Notes
    -----
    Dimensions and, where all points were asked, margins of parts are read from the neighbours of the whole; only what
    those do not tell is searched again.

    Examples
    --------
    >>> from ibc_report.geometry import neighbor_graph
    >>> rng = np.random.default_rng(0)
    >>> cube = Points(rng.uniform(size=(400, 3)), 1.0, np.arange(400), np.arange(400) % 2)
    >>> sizes = by_sample_size(neighbor_graph(cube, k=20), half_estimate=2.8, seed=0, memory=2**30)
    >>> [size.n for size in sizes], [size.parts for size in sizes]
    ([400, 200, 100], [1, 2, 4])
    """
    points = graph.points
    order = shuffled(points, seed)
    norms = lengths(points)
    margins = _Margins(graph, memory)
    sizes = []
    for n in _sizes(len(points)):
        runs = [np.sort(order[start : start + n]) for start in range(0, len(order) - n + 1, n)]
        if n == len(points):
            dimension = _estimate(graph.found.distances)
        elif n == len(points) // 2:
            dimension = half_estimate
        else:
            wanted = max(FEWEST_QUERIES, len(graph.queries) * n // len(points))
            asked = np.sort(order[: min(wanted, n)])
            dimension = _estimate(nearest_within(graph, runs[0], asked, k=PAPER_K, memory=memory))
        logs = margins.logs(runs)
        sizes.append(
            SampleSize(
                n=n,
                dimension=dimension,
                log_margin=float(np.mean(logs)) if logs and all(isfinite(value) for value in logs) else None,
                radius=float(np.mean([norms[run].max() for run in runs])),
                parts=len(logs),
            )
        )
    return tuple(sizes)


def _sizes(n: int) -> Iterator[int]:
    yield n
    while n // 2 >= FEWEST_POINTS:
        n //= 2
        yield n


def _estimate(distances: NDArray[np.float64]) -> float | None:
    try:
        return maximum_likelihood(distances, PAPER_K)
    except DataError:
        return None


@dataclass(frozen=True, slots=True, eq=False)
class _Margins:
    """Margins of parts of the points, exact, from what is known of the whole."""

    graph: NeighborGraph
    memory: int

    def logs(self, runs: Sequence[NDArray[np.int64]]) -> list[float]:
        """Return ln δ of as many of the parts as is affordable; −inf for a margin of 0, inf where there is none."""
        if self.graph.is_whole:
            least = [closest_within(self.graph, run, memory=self.memory) for run in runs[:MOST_PARTS]]
        elif self.graph.tolerance is None and self.graph.points.labels is not None:
            pairs = MARGIN_SHARE * len(self.graph.found) * len(self.graph.points)
            affordable = min(MOST_PARTS, int(pairs / len(runs[0]) ** 2))
            closest = [margin(part(self.graph.points, run), memory=self.memory) for run in runs[:affordable]]
            least = [inf if one is None else one.distance for one in closest]
        else:
            least = []
        with np.errstate(divide="ignore"):
            return [float(value) for value in np.log(least)]


def shuffled(points: Points, seed: int) -> NDArray[np.int64]:
    """Order the points by the hash of (seed, row); runs of it are random disjoint parts.

    Parameters
    ----------
    seed : int
        Another one gives another order, which does not depend on how the points are stored.

    Returns
    -------
    ndarray of int64, shape (n,)
        Positions.

    Examples
    --------
    >>> points = Points(np.zeros((3, 1)), 1.0, np.array([5, 6, 9]))
    >>> sorted(shuffled(points, seed=0).tolist())
    [0, 1, 2]
    """
    return np.argsort(sampling.ranks(points.rows, seed), kind="stable")
