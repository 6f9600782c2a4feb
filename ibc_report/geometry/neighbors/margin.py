"""The smallest distance between points that count as different, over all pairs, with its pair and its ties."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.neighbors.distances import PairDistances
from ibc_report.geometry.neighbors.points import Points


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


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """Which pairs of a query and a reference differ.

    Parameters
    ----------
    queries, references
        Class codes or targets, shapes (q,) and (n,).
    tolerance
        Targets differ if they are further apart than this; None for classes.
    """

    queries: NDArray[np.int64] | NDArray[np.float64]
    references: NDArray[np.int64] | NDArray[np.float64]
    tolerance: float | None

    @classmethod
    def between(cls, queries: Points, references: Points, tolerance: float | None) -> Relation | None:
        """Return the relation of two sets, or None where one of them carries neither labels nor targets.

        Raises
        ------
        ValueError
            If there is a tolerance and no targets, or it is negative.
        """
        if tolerance is None:
            if queries.labels is None or references.labels is None:
                return None
            return cls(queries.labels, references.labels, None)
        if queries.targets is None or references.targets is None:
            raise ValueError("a tolerance needs targets on both sides")
        if not tolerance >= 0:
            raise ValueError(f"tolerance is {tolerance}; it must be at least 0")
        return cls(queries.targets, references.targets, tolerance)

    def differ(self, query: NDArray[np.int64], reference: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether each pair of positions differs (the two broadcast)."""
        left, right = self.queries[query], self.references[reference]
        if self.tolerance is None:
            return np.asarray(left != right)
        # a difference beyond the largest number is beyond the tolerance too
        with np.errstate(over="ignore"):
            return np.asarray(np.abs(left - right) > self.tolerance)
