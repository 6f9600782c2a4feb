"""Rows that are the same point: equal vectors, and vectors equal up to their encoder's rounding."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ibc_report.common import files
from ibc_report.common.resources import block_rows, slices
from ibc_report.geometry.neighbors.distances import PairDistances
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.projection import BLOCK_ELEMENTS, UNIT_ROUNDOFF_64, largest_coordinate, scale_for

__all__ = ["groups_of_equal", "merge_close"]

DIRECTIONS = 4
"""Two points that are close have close coordinates along each of so many random directions."""


def groups_of_equal(vectors: NDArray[Any]) -> NDArray[np.int64]:
    """Number the groups of equal rows.

    Parameters
    ----------
    vectors : ndarray, shape (n, features)
        Any type; −0.0 equals 0.0.

    Returns
    -------
    ndarray of int64, shape (n,)
        Group of each row; groups are numbered by their first row.

    Examples
    --------
    >>> groups_of_equal(np.array([[1.0], [2.0], [1.0], [-0.0], [0.0]])).tolist()
    [0, 1, 0, 2, 2]
    """
    seen: dict[bytes, int] = {}
    groups = np.empty(len(vectors), dtype=np.int64)
    floating = np.issubdtype(vectors.dtype, np.floating)
    for part in slices(len(vectors), block_rows(vectors.shape[1], vectors.itemsize)):
        block = np.asarray(vectors[part])
        for position, vector in enumerate(block + 0.0 if floating else block, part.start):
            key = hashlib.blake2b(vector.tobytes(), digest_size=16).digest()
            groups[position] = seen.setdefault(key, len(seen))
        files.release(vectors)
    return groups


def merge_close(points: Points, groups: NDArray[np.int64], threshold: float) -> NDArray[np.int64]:
    """Join groups of points until no two that stand for their groups are within a threshold.

    Parameters
    ----------
    groups : ndarray of int64, shape (n,)
        Groups of points that are the same; the first of a group stands for it.
    threshold : float
        Distances up to this count as zero, in true units.

    Returns
    -------
    ndarray of int64, shape (n,)
        Group of each point, numbered by first point. Every pair is considered: a pair within the threshold is close
        along any direction, and is measured if it is close along several.

    Raises
    ------
    ValueError
        If coordinates are not finite.

    Examples
    --------
    >>> line = Points(np.array([[0.0], [0.1], [5.0], [0.2]]), 1.0, np.arange(4))
    >>> merge_close(line, np.arange(4), 0.1).tolist()
    [0, 0, 1, 0]
    """
    _, first, groups = np.unique(groups, return_index=True, return_inverse=True)
    scale = scale_for(largest_coordinate(points), points.dimension)
    shadows = _shadows(points, scale)[first]
    # Scaled norms are at most 1, and those of the directions too.
    error = 1.01 * (points.dimension + 4) * UNIT_ROUNDOFF_64
    reach = threshold / points.unit * scale * (1 + 4 * UNIT_ROUNDOFF_64) + 2 * error
    distances = PairDistances.between(points, points)
    # Each of the groups so far belongs to the one whose number is here.
    owner = np.arange(len(first))
    active = owner
    while True:
        left, right = _close(shadows[active], reach, first[active], distances, threshold)
        if not len(left):
            break
        links = coo_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(len(active), len(active)))
        _, component = connected_components(links, directed=False)
        _, earliest, inverse = np.unique(component, return_index=True, return_inverse=True)
        into = np.arange(len(first))
        into[active] = active[earliest[inverse]]
        owner = into[owner]
        active = np.unique(owner)
    return np.asarray(np.unique(first[owner][groups], return_inverse=True)[1], dtype=np.int64)


def _shadows(points: Points, scale: float) -> NDArray[np.float64]:
    """Coordinates of scaled points along a few random directions: shape (n, DIRECTIONS)."""
    directions = np.random.default_rng(0).standard_normal((points.dimension, DIRECTIONS))
    directions /= np.linalg.norm(directions, axis=0) * (1 + 2.0**-20)
    result = np.empty((len(points), DIRECTIONS))
    for part in slices(len(points), max(1, BLOCK_ELEMENTS // points.dimension)):
        result[part] = (points.raw[part] * scale) @ directions
        points.release()
    return result


def _close(
    shadows: NDArray[np.float64],
    reach: float,
    positions: NDArray[np.int64],
    distances: PairDistances,
    threshold: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Some pairs within the threshold, at least one of those that there are: neighbours along the first direction."""
    order = np.argsort(shadows[:, 0], kind="stable")
    along = shadows[order, 0]
    beyond = np.searchsorted(along, along + (reach + UNIT_ROUNDOFF_64), side="right") - np.arange(len(order))
    found: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    last = int(beyond.max(initial=0)) - 1
    offset = 1
    while offset <= last:
        at = np.flatnonzero(beyond > offset)
        left, right = order[at], order[at + offset]
        near = (np.abs(shadows[left] - shadows[right]) <= reach).all(axis=1)
        left, right = left[near], right[near]
        hit = distances(positions[left], positions[right]) <= threshold
        if hit.any():
            found.append((left[hit], right[hit]))
            # those further along are cheaper to look at when these are joined
            last = min(last, 2 * offset) if len(found) == 1 else last
        offset += 1
    if not found:
        return order[:0], order[:0]
    left, right = (np.concatenate(part) for part in zip(*found, strict=True))
    return left, right
