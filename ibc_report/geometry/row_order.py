"""Whether the order of rows tells of the rows: serial dependence within classes, and columns that rows are sorted by.

Were the rows independent, every order of the rows of a class would be as likely as that of the source. Against that
stand four tests, whose expectations over all such orders have a closed form, so that no shuffle is drawn:

1. how often the nearest neighbour of a row stands next to it;
2. how often it stands within ten rows;
3. whether a coordinate drifts: the rank correlation of the position within the class with the leading coordinates
   together (as a share of variance, of all classes and of each), and with each feature;
4. whether rows that follow one another are alike: the serial correlation of the ranks of each leading coordinate.

Sources: Mantel, "The Detection of Disease Clustering and a Generalized Regression Approach", Cancer Research 27 (1967),
for counts of pairs under permutations; Wald, Wolfowitz, "An Exact Test for Randomness in the Non-Parametric Case Based
on Serial Correlation", Annals of Mathematical Statistics 14 (1943), DOI 10.1214/aoms/1177731358.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.special import erfc, fdtrc, gammaln, pdtrc, stdtr

from ibc_report.geometry.leading_coordinates import classes_of
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.search import NeighborGraph

__all__ = ["Pairs", "RowOrder", "row_order"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

WITHIN = 10
"""Rows within which a neighbour is close in the order."""

FEWEST_ROWS = 20
"""Rows of a class from which its order is looked at."""

BLOCK_ELEMENTS = 2**22

FIRST_ROWS = 1000
"""Rows that leave few features that may be sorted."""

CHANCE_SORTED = 1e-9
"""Share of orders in which a column may be sorted by chance: few different values often are."""

Test = Literal["next", "within", "drift", "feature", "alike"]

COUNTED: tuple[Test, Test] = ("next", "within")
"""Tests that count pairs."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Rows and their nearest neighbours that stand close in the order.

    Parameters
    ----------
    count : int
        Such pairs.
    expected : float
        Of them, on average over all orders of the rows of each class.
    probability : float
        That so many stand close by chance.
    """

    count: int
    expected: float
    probability: float


@dataclass(frozen=True, slots=True)
class RowOrder:
    """What the order of rows tells.

    Parameters
    ----------
    pairs : int
        Pairs of a row and its nearest neighbour; each counts once.
    next, within : Pairs
        Those that stand next to one another, and within ten rows.
    drift : float
        Correlation, from 0 to 1, of the position in the class with the leading coordinates together, of
        all rows or of that class in which it is less likely by chance.
    alike : float
        Serial correlation, from −1 to 1, of the leading coordinate that has most of it.
    dependence : float
        What the order tells beyond chance, from 0 to 1: the largest of the two correlations, of that of a feature with
        the position, and of the shares of pairs that stand close beyond those of chance; 0 for chance.
    feature : int or None
        Position of the feature that drifts most; None where all may drift by chance.
    probability : float
        Of the strongest of the tests by chance, times the number of tests.
    strongest : {"next", "within", "drift", "feature", "alike"}
        Which that is.
    label : int or None
        Class in which it is strongest; None without classes, or where it is not of one class.
    rows : tuple of int
        First and last row, by their numbers in the source, of that class, or of all.
    sorted_by : int or "target" or None
        Feature (by position) or target that the rows are sorted by, all or those of each class; looked for only where
        the order is no chance.
    """

    pairs: int
    next: Pairs
    within: Pairs
    drift: float
    alike: float
    dependence: float
    feature: int | None
    probability: float
    strongest: Test
    label: int | None
    rows: tuple[int, int]
    sorted_by: int | Literal["target"] | None


@dataclass(frozen=True, slots=True)
class _Finding:
    """The outcome of one test."""

    test: Test
    probability: float
    label: int | None = None
    feature: int | None = None
    size: float = 0.0


def row_order(graph: NeighborGraph, numbers: Ints, coordinates: Floats, *, sought: float = 1e-3) -> RowOrder | None:
    """Test whether the order of rows tells of the rows.

    Parameters
    ----------
    graph : NeighborGraph
        Distinct points and their neighbours.
    numbers : ndarray of int64, shape (n,)
        The number of each point's row in its source: the order that is tested, whatever the order of the points is.
    coordinates : ndarray of float64, shape (a, q)
        Leading coordinates of the points that were asked, the widest first; q may be 0.
    sought : float
        Probability below which the order is no chance.

    Returns
    -------
    RowOrder or None
        None for fewer than 20 points that were asked.

    Examples
    --------
    >>> from ibc_report.geometry import neighbor_graph
    >>> rng = np.random.default_rng(0)
    >>> walk = Points(np.cumsum(rng.normal(size=(300, 2)), axis=0), 1.0, np.arange(300))
    >>> graph = neighbor_graph(walk, k=5)
    >>> row_order(graph, np.arange(300), walk.vectors).probability < 1e-6
    True
    >>> row_order(graph, rng.permutation(300), walk.vectors).probability > 1e-3
    True
    """
    points, asked = graph.points, graph.queries
    if len(asked) < FEWEST_ROWS:
        return None
    order = np.argsort(numbers, kind="stable")
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    classes = classes_of(points)
    own, other = _nearest_pairs(graph)
    close = [_close(own, other, position, classes, within) for within in (1, WITHIN)]
    # of a large set some rows are asked, and only these are read
    place = position[np.searchsorted(points.rows, asked.rows)]
    in_order, asked_classes = np.argsort(place), classes_of(asked)
    scores = _ranks(place.astype(np.float64), asked_classes)
    leading = coordinates[:, : max(1, len(asked) // 10)]
    ranked = np.column_stack([_ranks(column, asked_classes) for column in leading.T]) if leading.size else leading
    drifts = tuple(_drift(scores, ranked, asked_classes))
    feature, alike = _feature_drift(asked, scores, asked_classes), _alike(ranked[in_order], asked_classes[in_order])
    found = (
        *(_of_pairs(test, pairs, len(own)) for test, pairs in zip(COUNTED, close, strict=True)),
        *drifts,
        feature,
        alike,
    )
    sure = [one for one in found if len(found) * one.probability < sought]
    strongest = min(found, key=lambda one: one.probability)
    label = strongest.label
    if label is None and points.labels is not None and strongest.test in COUNTED:
        near = np.abs(position[own] - position[other]) <= (1 if strongest.test == "next" else WITHIN)
        label = _most_in(classes, own[near], other[near])
    members = numbers if label is None else numbers[classes == label]
    return RowOrder(
        pairs=len(own),
        next=close[0],
        within=close[1],
        drift=min(drifts, key=lambda one: one.probability).size,
        alike=alike.size,
        dependence=max((abs(one.size) for one in sure), default=0.0),
        feature=feature.feature if feature in sure else None,
        probability=min(1.0, len(found) * strongest.probability),
        strongest=strongest.test,
        label=label,
        rows=(int(members.min()), int(members.max())),
        sorted_by=_sorted_by(asked, in_order) if sure else None,
    )


def _nearest_pairs(graph: NeighborGraph) -> tuple[Ints, Ints]:
    """Positions of the rows of each pair of a row and its nearest neighbour, each pair once."""
    points = graph.points
    own = np.searchsorted(points.rows, graph.queries.rows)
    other = np.searchsorted(points.rows, graph.found.rows[:, 0])
    keys = np.unique(np.minimum(own, other) * len(points) + np.maximum(own, other))
    return keys // len(points), keys % len(points)


def _close(own: Ints, other: Ints, position: Ints, classes: Ints, within: int) -> Pairs:
    """Count pairs that stand close, against all orders of the rows of each class.

    The places that a class holds are kept: of rows of classes a and b the share of places at which they are close is
    the number of such places over that of all. The count is nearly a sum of independent ones, and the tail of a Poisson
    variable of the same mean is above its own (Hoeffding 1956, DOI 10.1214/aoms/1177728178).
    """
    n, count = len(classes), int(classes.max()) + 1
    placed = np.empty(n, dtype=np.int64)
    placed[position] = classes
    sizes = np.bincount(classes, minlength=count).astype(np.float64)
    lags = range(1, min(within, n - 1) + 1)
    keys, places = np.unique(
        np.concatenate([_keys(placed[:-lag], placed[lag:], count) for lag in lags]), return_counts=True
    )
    wanted, pairs = np.unique(_keys(classes[own], classes[other], count), return_counts=True)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    near = np.where(keys[at] == wanted, places[at], 0)
    first, second = wanted // count, wanted % count
    all_places = np.where(first == second, sizes[first] * (sizes[first] - 1) / 2, sizes[first] * sizes[second])
    expected = float((pairs * near / all_places).sum())
    found = int((np.abs(position[own] - position[other]) <= within).sum())
    return Pairs(found, expected, float(pdtrc(found - 1, expected)) if found and expected > 0 else 1.0)


def _keys(first: Ints, second: Ints, count: int) -> Ints:
    return np.asarray(np.minimum(first, second) * count + np.maximum(first, second))


def _of_pairs(test: Test, pairs: Pairs, total: int) -> _Finding:
    return _Finding(test, pairs.probability, size=(pairs.count - pairs.expected) / total)


def _most_in(classes: Ints, first: Ints, second: Ints) -> int | None:
    """The class with most pairs of its own; None where there is no such pair."""
    of_one = classes[first][classes[first] == classes[second]]
    return int(np.bincount(of_one).argmax()) if len(of_one) else None


def _ranks(values: Floats, classes: Ints) -> Floats:
    """Ranks within each class, ties alike, with mean 0 and variance 1 in each class; 0 where all are tied."""
    order = np.lexsort((values, classes))
    ordered, own = values[order], classes[order]
    starts = np.flatnonzero(np.concatenate([[True], (ordered[1:] != ordered[:-1]) | (own[1:] != own[:-1])]))
    sizes = np.diff(np.append(starts, len(values)))
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(starts + (sizes - 1) / 2, sizes)
    counts = np.maximum(np.bincount(classes), 1)
    ranks -= (np.bincount(classes, ranks) / counts)[classes]
    deviations = np.sqrt(np.bincount(classes, ranks**2) / counts)
    return np.asarray(ranks / np.where(deviations > 0, deviations, 1.0)[classes])


def _drift(scores: Floats, ranked: Floats, classes: Ints) -> Iterator[_Finding]:
    """The share of the variance of positions that the leading coordinates tell, of all classes and of each."""
    groups = len(np.unique(classes))
    yield _told("drift", scores, ranked, groups)
    if groups == 1:
        return
    sizes = np.bincount(classes)
    found = [
        (label, _told("drift", scores[classes == label], ranked[classes == label], 1))
        for label in np.flatnonzero(sizes >= FEWEST_ROWS).tolist()
    ]
    if found:
        label, best = min(found, key=lambda pair: pair[1].probability)
        yield _Finding("drift", min(1.0, len(found) * best.probability), label, None, best.size)


def _told(test: Test, scores: Floats, ranked: Floats, groups: int) -> _Finding:
    """Regress positions on coordinates: under all orders R² has nearly the law that it has of normal errors."""
    most = max(1, min(ranked.shape[1], len(scores) // 10))
    basis, sizes, _ = np.linalg.svd(ranked[:, :most], full_matrices=False)
    basis = basis[:, sizes > 1e-9 * max(float(sizes.max(initial=0.0)), 1e-300)]
    free, used = len(scores) - groups - basis.shape[1], basis.shape[1]
    total = float(scores @ scores)
    if used == 0 or free < 1 or total <= 0:
        return _Finding(test, 1.0)
    told = min(float(((scores @ basis) ** 2).sum()) / total, 1.0)
    ratio = inf if told >= 1 else told / (1 - told) * free / used
    return _Finding(test, float(fdtrc(used, free, ratio)), size=sqrt(told))


def _feature_drift(points: Points, scores: Floats, classes: Ints) -> _Finding:
    """The feature that the positions tell most of."""
    groups = int(classes.max()) + 1
    dot, squares = np.zeros(points.dimension), np.zeros(points.dimension)
    sums = np.zeros((groups, points.dimension))
    counts = np.maximum(np.bincount(classes, minlength=groups), 1)
    # a first row taken out keeps the digits of features far from 0
    origin = points.raw[0].astype(np.float64)
    for start in range(0, len(points), max(1, BLOCK_ELEMENTS // points.dimension)):
        block = slice(start, start + max(1, BLOCK_ELEMENTS // points.dimension))
        values = points.raw[block] - origin
        dot += scores[block] @ values
        squares += np.einsum("ij,ij->j", values, values)
        sums += (
            coo_array((np.ones(len(values)), (classes[block], np.arange(len(values)))), (groups, len(values))) @ values
        )
        points.release()
    variances = squares - (sums**2 / counts[:, None]).sum(axis=0)
    usable = variances > 1e-12 * np.maximum(squares, 1e-300)
    free = len(points) - len(np.unique(classes)) - 1
    if not usable.any() or free < 1:
        return _Finding("feature", 1.0)
    total = float(scores @ scores)
    told = np.where(usable, dot**2 / np.where(usable, variances, 1.0) / max(total, 1e-300), 0.0)
    best = int(told.argmax())
    share = min(float(told[best]), 1.0)
    statistic = inf if share >= 1 else sqrt(share / (1 - share) * free)
    probability = 2 * float(stdtr(free, -statistic)) * int(usable.sum())
    return _Finding("feature", min(1.0, probability), None, best, sqrt(share))


def _alike(ranked: Floats, classes: Ints) -> _Finding:
    """The serial correlation of each coordinate, rows in order, against all orders of the rows of each class."""
    n = len(ranked)
    if not ranked.size:
        return _Finding("alike", 1.0)
    same = classes[1:] == classes[:-1]
    sizes = np.bincount(classes)
    # two different rows of a class of mean 0 and variance 1 have a product of −1 / (n − 1) on average
    expected = -float((1 / np.maximum(sizes[classes[1:][same]] - 1, 1)).sum())
    products = np.einsum("ij,ij->j", ranked[1:], ranked[:-1]) - expected
    most = float(products[np.abs(products).argmax()]) / (n - 1)
    probability = float(erfc(abs(most) * sqrt((n - 1) / 2))) * ranked.shape[1]
    return _Finding("alike", min(1.0, probability), size=most)


def _sorted_by(points: Points, order: Ints) -> int | Literal["target"] | None:
    """Find what the rows are sorted by: all rows, or those of each class."""
    classes = classes_of(points)
    everything = np.zeros_like(classes)
    if points.targets is not None and len(_sorted(points.targets[order][:, None], everything)):
        return "target"
    within = np.argsort(classes[order], kind="stable")
    found: list[int] = []
    for rows, groups in ((order, everything), (order[within], classes[order][within])):
        # of many features the first rows leave few, and only these are read
        columns = _monotone(points.read(rows[:FIRST_ROWS]), groups[:FIRST_ROWS])
        size = max(1, BLOCK_ELEMENTS // len(points))
        for start in range(0, len(columns), size):
            some = columns[start : start + size]
            found += some[_sorted(points.raw[:, some][rows], groups)][:1].tolist()
    return min(found, default=None)


def _monotone(values: NDArray[Any], groups: Ints) -> Ints:
    """Columns that rise or fall throughout each group of rows."""
    later, earlier, border = values[1:], values[:-1], (np.diff(groups) != 0)[:, None]
    rising, falling = ((step | border).all(axis=0) for step in (later >= earlier, later <= earlier))
    return np.flatnonzero(rising | falling)


def _sorted(values: NDArray[Any], groups: Ints) -> Ints:
    """Columns that rise or fall throughout each group of rows, as few orders of their values do."""
    columns = _monotone(values, groups)
    varying = columns[(values[:, columns] != values[0, columns]).any(axis=0)]
    sizes = float(gammaln(np.bincount(groups) + 1.0).sum())
    found = []
    for column in varying.tolist():
        codes = np.unique(values[:, column], return_inverse=True)[1]
        tied = np.unique(groups * (int(codes.max()) + 1) + codes, return_counts=True)[1]
        if float(gammaln(tied + 1.0).sum()) - sizes < float(np.log(CHANCE_SORTED)):
            found.append(column)
    return np.array(found, dtype=np.int64)
