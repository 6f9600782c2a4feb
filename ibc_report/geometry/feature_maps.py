"""The same rows under another feature map: what standardised features and fewer principal components change.

Nothing says that Euclidean distance between the features as they came is the right one. Two maps that practitioners
use anyway show how much hangs on it. Both are measured on one sample of rows, before and after, so that a change is
the map's and not the sample's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import sampling
from ibc_report.common.errors import DataError
from ibc_report.common.resources import DEFAULT_MEMORY, single_blas
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood
from ibc_report.geometry.neighbors.duplicates import groups_of_equal
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.readings import closest_within, nearest_within
from ibc_report.geometry.neighbors.search import NeighborGraph, search

__all__ = ["FeatureMaps", "Measured", "WidestFeature", "feature_maps", "widest_feature"]

MOST_ROWS = 3000

LEAST_ROWS = 1000

ELEMENTS = 2**22
"""Numbers in a sample, where that leaves it `LEAST_ROWS` rows."""

READ = 1 / 8
"""Share of the points from which a sample is read from their neighbours; those tell too little of a smaller one."""

ROUNDING = 1e-9
"""Distances up to this times the radius are the map's rounding, and count as zero."""

EVEN = 1.25
"""Where the standard deviations of all features lie within this factor, standardising changes next to nothing."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the bits take from a set of rows.

    Parameters
    ----------
    dimension : float
        Intrinsic dimension at the paper's k = 5.
    margin : float
        Smallest distance of different classes, or of targets beyond the tolerance.
    """

    radius: float
    dimension: float
    margin: float


@dataclass(frozen=True, slots=True)
class FeatureMaps:
    """A sample of rows as it came and under two other feature maps.

    Parameters
    ----------
    centred_radius : float
        Largest distance from their mean. Both maps centre, which moves the bits by itself.
    halved : Measured or None
        Centred, and projected to the leading principal components; None where there is nothing left to measure.
    halved_features : int
        How many components: half as many as the features, or as the rows less one where those are fewer.
    standardised : Measured or None
        Each feature centred and divided by its standard deviation; a constant feature is kept, and is 0.
    other : {"standardised", "halved"}
        Which of the two is another way of looking at the task, and not nearly the same: the standardised one, unless
        the features have about the same standard deviation as they came. Principal components keep the distances as
        far as they can, so they are the weaker test.
    """

    rows: int
    features: int
    before: Measured
    centred_radius: float
    halved: Measured | None
    halved_features: int
    standardised: Measured | None
    other: Literal["standardised", "halved"]


def feature_maps(graph: NeighborGraph, *, seed: int = 0, memory: int = DEFAULT_MEMORY) -> FeatureMaps | None:
    """Measure a sample of rows under other feature maps.

    None where the sample has no margin or no dimension.

    Parameters
    ----------
    graph : NeighborGraph
        Of distinct points without conflicting labels, or with targets and a tolerance.
    memory : int
        Bytes that a search may take.

    Examples
    --------
    >>> from ibc_report.geometry import neighbor_graph
    >>> rng = np.random.default_rng(0)
    >>> vectors = rng.standard_normal((200, 6)) * [100, 1, 1, 1, 1, 1]
    >>> points = Points(vectors, 1.0, np.arange(200), rng.integers(0, 2, 200))
    >>> found = feature_maps(neighbor_graph(points, k=5))
    >>> found.other, found.halved_features, found.standardised.radius < 10 < found.before.radius
    ('standardised', 3, True)
    """
    sample, tolerance = _sample(graph.points, seed), graph.tolerance
    before = _as_they_came(graph, sample, memory)
    if before is None:
        return None
    centred = np.ascontiguousarray(sample.vectors, dtype=np.float64) * sample.unit
    largest = np.abs(centred).max(axis=0)
    centred -= centred.mean(axis=0)
    deviations = centred.std(axis=0)
    # the mean of equal numbers is off by its rounding
    constant = deviations <= len(centred) * np.finfo(np.float64).eps * largest
    scales = np.where(constant, 1.0, deviations)
    centred[:, constant] = 0.0
    count = min(sample.dimension, len(sample) - 1) // 2
    varied = deviations[~constant]
    return FeatureMaps(
        rows=len(sample),
        features=sample.dimension,
        before=before,
        centred_radius=float(np.sqrt(np.square(centred).sum(axis=1).max())),
        halved=_measured(_mapped(sample, _leading(centred, count)), tolerance) if count else None,
        halved_features=count,
        standardised=_measured(_mapped(sample, centred / scales), tolerance),
        other="halved" if count and len(varied) and varied.max() <= EVEN * varied.min() else "standardised",
    )


def _sample(points: Points, seed: int) -> Points:
    """Distinct rows by a hash of (seed, row), as many as take little time."""
    most = min(MOST_ROWS, max(LEAST_ROWS, ELEMENTS // points.dimension))
    rows = sampling.chosen(points.rows, most, seed)
    sample = points.take(np.flatnonzero(np.isin(points.rows, rows)))
    # a regression has a point twice where its rows have different targets
    first = np.unique(groups_of_equal(sample.raw), return_index=True)[1]
    return sample if len(first) == len(sample) else sample.take(np.sort(first))


def _mapped(sample: Points, vectors: NDArray[np.float64]) -> Points:
    return Points(np.ascontiguousarray(vectors), 1.0, sample.rows, sample.labels, sample.targets)


def _leading(centred: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """The rows in their leading principal components."""
    # one thread, so that the sums are the same on any machine of this kind
    with single_blas():
        if centred.shape[1] <= len(centred):
            axes = np.linalg.eigh(centred.T @ centred)[1][:, -count:]
            return np.asarray(centred @ axes)
        squares, directions = np.linalg.eigh(centred @ centred.T)
    return np.asarray(directions[:, -count:] * np.sqrt(np.maximum(squares[-count:], 0)))


def _as_they_came(graph: NeighborGraph, sample: Points, memory: int) -> Measured | None:
    """The sample as it is, read from the neighbours among all points where those tell enough of it."""
    if len(sample) <= PAPER_K or not graph.is_whole or len(sample) < READ * len(graph.points):
        return _measured(sample, graph.tolerance)
    run = np.searchsorted(graph.points.rows, sample.rows)
    radius, closest = _radius(sample), closest_within(graph, run, memory=memory)
    if closest <= ROUNDING * radius:
        return _measured(sample, graph.tolerance)
    return _packed(radius, nearest_within(graph, run, run, k=PAPER_K, memory=memory), closest)


def _measured(points: Points, tolerance: float | None) -> Measured | None:
    """Radius, dimension and margin; points that the map puts onto one another count for neither of the last two."""
    if len(points) <= PAPER_K:
        return None
    radius = _radius(points)
    found = search(points, k=PAPER_K, tolerance=tolerance)
    different = found.other_distance[found.other_distance > ROUNDING * radius]
    return _packed(radius, found.distances, float(different.min(initial=np.inf)))


def _radius(points: Points) -> float:
    vectors: NDArray[Any] = points.vectors.astype(np.float64)
    return float(np.sqrt(np.square(vectors).sum(axis=1).max())) * points.unit


def _packed(radius: float, distances: NDArray[np.float64], margin: float) -> Measured | None:
    apart = distances[distances[:, 0] > ROUNDING * radius]
    if not len(apart) or not np.isfinite(margin):
        return None
    try:
        dimension = maximum_likelihood(apart, PAPER_K)
    except DataError:
        return None
    return Measured(radius, dimension, margin)


@dataclass(frozen=True, slots=True)
class WidestFeature:
    """The feature that makes most of the distances.

    Parameters
    ----------
    position : int
        Among the features, from 0.
    share : float
        Of the mean squared distance of two rows, what it makes.
    times : float
        Its standard deviation over the median one of the others that vary.
    """

    position: int
    share: float
    times: float


def widest_feature(points: Points) -> WidestFeature | None:
    """Find the feature that makes most of the distances.

    None where fewer than two features vary.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = widest_feature(Points(rng.normal(size=(500, 4)) * [1, 1, 100, 1], 1.0, np.arange(500)))
    >>> found.position, found.share > 0.99, round(found.times, -1)
    (2, True, 100.0)
    """
    origin = points.raw[0].astype(np.float64)
    total, squares = np.zeros(points.dimension), np.zeros(points.dimension)
    size = max(1, ELEMENTS // points.dimension)
    for start in range(0, len(points), size):
        values = points.raw[start : start + size] - origin
        total += values.sum(axis=0)
        squares += np.einsum("ij,ij->j", values, values)
        points.release()
    variances = squares / len(points) - (total / len(points)) ** 2
    # what a sum of squares leaves of a constant is rounding
    variances[variances <= 1e-12 * squares / len(points)] = 0.0
    varying = np.flatnonzero(variances > 0)
    if len(varying) < 2:
        return None
    widest = int(variances.argmax())
    others = float(np.sqrt(np.median(variances[varying[varying != widest]])))
    return WidestFeature(widest, float(variances[widest] / variances.sum()), float(np.sqrt(variances[widest])) / others)
