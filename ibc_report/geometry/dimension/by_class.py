"""The intrinsic dimension of each class, and whether classes differ by more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from ibc_report.common import sampling
from ibc_report.common.errors import DataError
from ibc_report.common.resources import slices
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood
from ibc_report.geometry.dimension.local_density import FIRST, LOCAL_K, mean_spacing, spacings
from ibc_report.geometry.dimension.standard_error import (
    BLOCK_QUERIES,
    FEWEST_POINTS,
    MOST_COLUMNS,
    NeighborTable,
    half_samples,
    mean_log_ratios,
    pooled_precision,
    precision_of,
)
from ibc_report.geometry.neighbors.points import Points, part
from ibc_report.geometry.neighbors.search import NeighborGraph, search

__all__ = ["ClassDimension", "ClassSpread", "by_class", "class_spread", "own_neighbors", "surest_class_spread"]

MOST_CLASSES = 1000
"""Classes that are measured: the largest."""

MOST_MISSING = 0.1
"""Share of a class's queries whose five own neighbours the table may lack; they are asked again."""

SHARE = 0.1
"""Of the pairs of the one search, at most this share is compared again for classes that the table does not serve."""

FREE_PAIRS = 2**22
"""Pairs that are compared whatever that share is: some tens of milliseconds."""


@dataclass(frozen=True, slots=True)
class ClassDimension:
    """The intrinsic dimension of one class.

    Parameters
    ----------
    estimate : float
        m̂ at k = 5 among them.
    standard_error : float or None
        Of that estimate; None where halves of the class are too small.
    """

    label: int
    points: int
    estimate: float
    standard_error: float | None


def by_class(graph: NeighborGraph, *, seed: int, memory: int) -> tuple[ClassDimension, ...]:
    """Estimate the intrinsic dimension of each class among its own points, with its standard error.

    The classes come by code: the 1000 largest classes of at least six points, without those in which the estimate does
    not exist. Empty where there are no labels.

    Parameters
    ----------
    memory : int
        Bytes that such a search may take.

    Notes
    -----
    The neighbours of a class are read from the table; its few points that lie among other classes are asked again. A
    class that lies among others as a whole is searched on its own, from as many of its points as keep that within a
    tenth of the one search.

    Examples
    --------
    >>> from ibc_report.geometry import neighbor_graph
    >>> rng = np.random.default_rng(0)
    >>> both = Points(rng.uniform(size=(600, 3)) * np.repeat([[1, 0, 0], [1, 1, 1]], 300, axis=0), 1.0,
    ...               np.arange(600), np.repeat([0, 1], 300))
    >>> [round(one.estimate) for one in by_class(neighbor_graph(both, k=50), seed=0, memory=2**30)]
    [1, 3]
    """
    points, queries = graph.points, graph.queries
    if points.labels is None or queries.labels is None:
        return ()
    count = int(points.labels.max(initial=-1)) + 1
    sizes = np.bincount(points.labels, minlength=count)
    wanted = np.argsort(-sizes, kind="stable")[:MOST_CLASSES]
    wanted = wanted[sizes[wanted] > PAPER_K]
    table = NeighborTable.of_graph(graph)
    # position −1, which stands for no neighbour, has a label of its own
    own = np.append(points.labels, -1)[table.neighbors] == queries.labels[:, None]
    blocks = [mean_log_ratios(table.logs[block], own[block]) for block in slices(len(own), BLOCK_QUERIES)]
    complete, ratios = (np.concatenate(part) for part in zip(*blocks, strict=True))
    asked = np.bincount(queries.labels, minlength=count)
    terms = np.bincount(queries.labels[complete], minlength=count)
    sums = np.bincount(queries.labels[complete], ratios, count)
    served = (asked > 0) & (asked - terms <= MOST_MISSING * asked)
    halves = half_samples(table, queries.labels, count, seed=seed, allowed=own)
    anew = int(sizes[wanted[~served[wanted]]].sum())
    most = max(int(SHARE * len(points) * len(queries)), FREE_PAIRS) // max(1, anew)
    result = []
    for label in np.sort(wanted).tolist():
        members = part(points, np.flatnonzero(points.labels == label), answers=False)
        if not served[label]:
            measured = _searched(members, most, seed, memory)
        else:
            total = float(sums[label])
            missing = np.flatnonzero((queries.labels == label) & ~complete)
            if len(missing):
                near = search(members, part(queries, missing, answers=False), k=PAPER_K, same_set=True, memory=memory)
                total += float(np.log(near.distances[:, -1:] / near.distances[:, :-1]).mean(axis=1).sum())
            measured = _from_halves(halves[:, :, label], float(asked[label]) / total) if total > 0 else None
        if measured is not None:
            error = measured[1] if len(members) >= FEWEST_POINTS else None
            result.append(ClassDimension(label, len(members), measured[0], error))
    return tuple(result)


def _from_halves(halves: NDArray[np.float64], estimate: float) -> tuple[float, float | None]:
    precision = precision_of(halves, estimate)
    return estimate, precision.standard_error if precision else None


def _searched(own: Points, most: int, seed: int, memory: int) -> tuple[float, float | None] | None:
    """Measure a class on its own, from at most some of its points."""
    queries = own
    if most < len(own):
        chosen = np.isin(own.rows, sampling.chosen(own.rows, max(1, most), seed))
        queries = part(own, np.flatnonzero(chosen))
    found = search(own, queries, k=min(MOST_COLUMNS, len(own) - 1), same_set=True, memory=memory)
    try:
        estimate = maximum_likelihood(found.distances, PAPER_K)
    except DataError:
        return None
    precision = pooled_precision(
        NeighborTable.of(found.distances, found.rows, queries.rows, own.rows), estimate, seed=seed
    )
    return estimate, precision.standard_error if precision else None


DEPENDENCE = 1.6
"""Standard error of a mean over points that share neighbours, over that of independent ones: neighbourhoods overlap."""

SMALLEST_CLASS = 30
"""Points from which a class is compared."""


@dataclass(frozen=True, slots=True)
class ClassSpread:
    """How the dimension differs by class.

    Parameters
    ----------
    classes : int
        Classes that were compared: those with at least 30 points that were asked.
    spread : float
        Standard deviation of 1/m between classes over its mean, noise taken out (DerSimonian, Laird 1986,
        DOI 10.1016/0197-2456(86)90046-2).
    probability : float
        Of Cochran's Q, were all classes of one dimension.
    """

    classes: int
    spread: float
    probability: float


def class_spread(distances: NDArray[np.float64], labels: NDArray[np.int64]) -> ClassSpread | None:
    """Compare the dimension around the points of each class.

    All classes are measured in the one table of neighbours at the same k, of any class, so that a small class has no
    other bias than a large one.

    None for fewer than two classes of at least 30 points, or fewer than 10 neighbours.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        To the neighbours of each point, ascending, above 0.
    labels : ndarray of int64, shape (n,)
        Class of each point.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> powers = np.cumsum(rng.exponential(size=(2000, 10)), axis=1)
    >>> found = class_spread(powers ** (1 / np.array([[3.0], [4.0]] * 1000)), np.arange(2000) % 2)
    >>> round(found.spread, 1), found.probability < 0.001
    (0.2, True)
    """
    if mean_spacing(distances, LOCAL_K) is None:
        return None
    inverse = spacings(distances, LOCAL_K) / (LOCAL_K - FIRST)
    parts = [inverse[labels == label] for label in np.unique(labels)]
    parts = [part for part in parts if len(part) >= SMALLEST_CLASS]
    means = np.array([part.mean() for part in parts])
    errors = np.array([DEPENDENCE * part.std() / sqrt(len(part)) for part in parts])
    if len(parts) < 2 or not errors.all():
        return None
    weights = errors**-2
    middle = float(weights @ means / weights.sum())
    q = float(weights @ (means - middle) ** 2)
    between = (q - len(parts) + 1) / float(weights.sum() - (weights**2).sum() / weights.sum())
    return ClassSpread(len(parts), sqrt(max(between, 0.0)) / middle, float(chdtrc(len(parts) - 1, q)))


def surest_class_spread(graph: NeighborGraph) -> ClassSpread | None:
    """Compare the dimension by class among neighbours of any class and among those of the class, and keep the less.

    A close class changes the first, and the size of a class the second: what differs by the dimension of the classes
    differs in both. None without labels, and as for `class_spread`; the first alone where over a tenth of the points
    have fewer than ten neighbours of their own class in the table.

    Examples
    --------
    >>> from ibc_report.geometry import neighbor_graph
    >>> rng = np.random.default_rng(0)
    >>> shells = rng.normal(size=(1000, 3))
    >>> shells *= (np.arange(1000) % 2 + 4)[:, None] / np.linalg.norm(shells, axis=1, keepdims=True)
    >>> graph = neighbor_graph(Points(shells, 1.0, np.arange(1000), np.arange(1000) % 2), k=50)
    >>> of_any = class_spread(graph.found.distances, graph.queries.labels)
    >>> surest_class_spread(graph).spread <= of_any.spread
    True
    """
    labels, own = graph.queries.labels, own_neighbors(graph)
    of_any = None if labels is None else class_spread(graph.found.distances, labels)
    if of_any is None or own is None:
        return of_any
    of_own = class_spread(*own)
    return of_any if of_own is None or of_any.spread <= of_own.spread else of_own


def own_neighbors(graph: NeighborGraph) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """Give the distances of each point's ten nearest neighbours of its own class, and the point's class.

    None without labels, or where over a tenth of the points have fewer of them in the table; those points are left out.

    Examples
    --------
    >>> from ibc_report.geometry import neighbor_graph
    >>> line = Points(np.arange(40.0)[:, None], 1.0, np.arange(40), np.arange(40) % 2)
    >>> distances, labels = own_neighbors(neighbor_graph(line, k=30))
    >>> distances[20, :4]
    array([2., 2., 4., 4.])
    """
    points, queries, found = graph.points, graph.queries, graph.found
    if points.labels is None or queries.labels is None:
        return None
    # place −1, which stands for no neighbour, has a label of its own
    own = np.append(points.labels, -1)[graph.places] == queries.labels[:, None]
    rank = own.cumsum(axis=1)
    complete = rank[:, -1] >= LOCAL_K
    if complete.mean() < 1 - MOST_MISSING:
        return None
    taken = own[complete] & (rank[complete] <= LOCAL_K)
    return found.distances[complete][taken].reshape(-1, LOCAL_K), queries.labels[complete]
