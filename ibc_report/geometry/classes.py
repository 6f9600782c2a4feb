"""The intrinsic dimension of each class among its own points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report import sampling
from ibc_report.errors import DataError
from ibc_report.geometry.dimension import PAPER_K, maximum_likelihood
from ibc_report.geometry.neighbors import Neighbors, search
from ibc_report.geometry.parts import part
from ibc_report.geometry.points import Points
from ibc_report.geometry.precision import (
    BLOCK_QUERIES,
    FEWEST_POINTS,
    MOST_COLUMNS,
    Table,
    half_samples,
    mean_log_ratios,
    pooled_precision,
    precision_of,
)
from ibc_report.geometry.threads import slices

__all__ = ["ClassDimension", "by_class"]

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
    label : int
        The class's code.
    points : int
        Its points.
    estimate : float
        m̂ at k = 5 among them.
    standard_error : float or None
        Of that estimate; None where halves of the class are too small.
    """

    label: int
    points: int
    estimate: float
    standard_error: float | None


def by_class(
    points: Points, found: Neighbors, queries: Points, *, seed: int, memory: int
) -> tuple[ClassDimension, ...]:
    """Estimate the intrinsic dimension of each class among its own points, with its standard error.

    Parameters
    ----------
    points : Points
        Distinct points with labels.
    found : Neighbors
        Of the queries among the points.
    queries : Points
        Those that were asked.
    seed : int
        Of the halves, and of the queries of a class that is searched anew.
    memory : int
        Bytes that such a search may take.

    Returns
    -------
    tuple of ClassDimension
        By class code: the 1000 largest classes of at least six points, without those in which the estimate does not
        exist. Empty where there are no labels.

    Notes
    -----
    The neighbours of a class are read from the table; its few points that lie among other classes are asked again. A
    class that lies among others as a whole is searched on its own, from as many of its points as keep that within a
    tenth of the one search.

    Examples
    --------
    >>> from ibc_report.geometry import search
    >>> rng = np.random.default_rng(0)
    >>> both = Points(rng.uniform(size=(600, 3)) * np.repeat([[1, 0, 0], [1, 1, 1]], 300, axis=0), 1.0,
    ...               np.arange(600), np.repeat([0, 1], 300))
    >>> [round(one.estimate) for one in by_class(both, search(both, k=50), both, seed=0, memory=2**30)]
    [1, 3]
    """
    if points.labels is None or queries.labels is None:
        return ()
    count = int(points.labels.max(initial=-1)) + 1
    sizes = np.bincount(points.labels, minlength=count)
    wanted = np.argsort(-sizes, kind="stable")[:MOST_CLASSES]
    wanted = wanted[sizes[wanted] > PAPER_K]
    table = Table.of(found.distances, found.rows, queries.rows, points.rows)
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
    precision = pooled_precision(Table.of(found.distances, found.rows, queries.rows, own.rows), estimate, seed=seed)
    return estimate, precision.standard_error if precision else None
