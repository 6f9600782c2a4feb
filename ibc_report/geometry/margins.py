"""The smallest distance between points of different classes, over all pairs, with its pair and its ties."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.exact import PairDistances
from ibc_report.geometry.points import Points
from ibc_report.geometry.relation import Relation


@dataclass(frozen=True, slots=True)
class Margin:
    """The smallest distance of two points of different classes.

    Parameters
    ----------
    distance
        In true units, exact; zero where the same vector has two classes.
    rows
        The pair that attains it, smallest in row number order, the smaller row first.
    ties
        How many unordered pairs attain it.
    method
        Which search ran; the numbers do not depend on it.
    """

    distance: float
    rows: tuple[int, int]
    ties: int
    method: str


def merge_margins(first: Margin | None, second: Margin | None) -> Margin | None:
    """Join the margins of two disjoint sets of pairs: associative and commutative.

    Examples
    --------
    >>> merge_margins(Margin(1.0, (4, 7), 1, "plain GEMM"), Margin(1.0, (3, 9), 2, "plain GEMM"))
    Margin(distance=1.0, rows=(3, 9), ties=3, method='plain GEMM')
    """
    if first is None or second is None:
        return first or second
    names = sorted({*first.method.split("; "), *second.method.split("; ")})
    method = "; ".join(names)
    if first.distance != second.distance:
        least = min(first, second, key=lambda margin: margin.distance)
        return Margin(least.distance, least.rows, least.ties, method)
    rows = min(first.rows, second.rows)
    return Margin(first.distance, rows, first.ties + second.ties, method)


def margin_of_pairs(
    distances: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    method: str,
) -> Margin | None:
    """Return the margin of measured pairs, given the rows of both sides; shapes (m,)."""
    if not len(distances):
        return None
    least = distances.min()
    hit = distances == least
    low, high = np.minimum(first[hit], second[hit]), np.maximum(first[hit], second[hit])
    best = np.lexsort((high, low))[0]
    return Margin(float(least), (int(low[best]), int(high[best])), int(hit.sum()), method)


def zero_margin(points: Points, method: str) -> Margin | None:
    """Return the margin of a set in which equal vectors have different classes: counted, not measured."""
    assert points.labels is not None
    groups: dict[bytes, list[int]] = {}
    for start in range(0, len(points), 1024):
        block = points.raw[start : start + 1024] + points.vectors.dtype.type(0)
        for at, vector in enumerate(block, start):
            digest = hashlib.blake2b(vector.tobytes(), digest_size=16).digest()
            groups.setdefault(digest, []).append(at)
        points.release()
    found: Margin | None = None
    for members in groups.values():
        labels = points.labels[members]
        counts = np.unique(labels, return_counts=True)[1]
        if len(counts) == 1:
            continue
        rows = points.rows[members]
        least = rows.argmin()
        partner = rows[labels != labels[least]].min()
        ties = (len(members) ** 2 - int((counts**2).sum())) // 2
        found = merge_margins(found, Margin(0.0, (int(rows[least]), int(partner)), ties, method))
    return found


def brute_margin(points: Points, tolerance: float, method: str) -> Margin | None:
    """Return the margin of a few points with targets, from every pair of them."""
    relation = Relation.between(points, points, tolerance)
    assert relation is not None
    measure = PairDistances.between(points, points)
    found: Margin | None = None
    for at in range(len(points) - 1):
        later = np.arange(at + 1, len(points))
        later = later[relation.differ(np.full(len(later), at), later)]
        own = np.full(len(later), at)
        distances = measure(own, later)
        found = merge_margins(found, margin_of_pairs(distances, points.rows[own], points.rows[later], method))
    return found
