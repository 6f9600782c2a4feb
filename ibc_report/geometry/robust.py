"""Radius, margin, dimension and number of points that no single row decides.

The released form hangs on two extremes, the largest norm and the closest pair of different classes. Here each input of
the bound is estimated from quantiles and from laws fitted to them, over distinct rows that their neighbours bear out:
on clean data it comes out near the released one, and outliers, flipped labels and repeated rows hardly move it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report import sampling
from ibc_report.geometry.centred_radius import CentredRadius, centred_radius
from ibc_report.geometry.editing import label_weights, target_weights
from ibc_report.geometry.neighbors import DEFAULT_MEMORY, Neighbors, search
from ibc_report.geometry.points import Points
from ibc_report.geometry.tail_margin import Tail, tail_margin
from ibc_report.geometry.winsorised import winsorised_dimension

__all__ = ["RobustGeometry", "robust"]

MOST_ROWS = 20_000
"""Rows that the margin is extrapolated from where only some rows were asked for their neighbours."""

NEIGHBORS = 50
"""Neighbours that are sought of each of those."""

MOST_SHOWN = 5
"""Row numbers that a count shows."""

BORNE_OUT = 0.5
"""Rows with a smaller weight count as outvoted."""


@dataclass(frozen=True, slots=True)
class RobustGeometry:
    """Inputs of the bound that no single row decides, and what was set aside for them.

    Parameters
    ----------
    n : int
        Distinct rows that are neither outvoted nor far out.
    radius : float
        Expected largest norm about the centre, in the units of the features.
    dimension : float
        Intrinsic dimension at k = 5, winsorised over points.
    margin : float
        Distance within which one pair of different classes is expected, in the units of the features.
    offset : float
        Distance of the centre from the origin.
    largest : float
        Largest norm about the centre.
    largest_row : int
        Row that has it.
    far : int
        Distinct rows whose norm about the centre is beyond what its law allows.
    far_rows : tuple of int
        The furthest of them.
    outvoted : int
        Rows, of those looked at, whose label (or target) their neighbours do not bear out, or that occur with
        different ones.
    outvoted_rows : tuple of int
        Those that are borne out least.
    looked_at : int
        Rows whose neighbours voted.
    exponent : float
        κ of the law P(distance to another class < r) ∝ r^κ.
    tail_rows : float
        Rows that the law was fitted to, in expectation over the samples of the other rows that are taken to be there.
    """

    n: int
    radius: float
    dimension: float
    margin: float
    offset: float
    largest: float
    largest_row: int
    far: int
    far_rows: tuple[int, ...]
    outvoted: int
    outvoted_rows: tuple[int, ...]
    looked_at: int
    exponent: float
    tail_rows: float


def robust(
    points: Points,
    found: Neighbors,
    queries: Points,
    *,
    conflicting: NDArray[np.bool_] | None = None,
    tolerance: float | None = None,
    seed: int = 0,
    memory: int = DEFAULT_MEMORY,
) -> RobustGeometry | None:
    """Measure the inputs of the bound so that no single row decides them.

    Parameters
    ----------
    points : Points
        Distinct rows with labels or targets, row numbers ascending; at least six.
    found : Neighbors
        Neighbours of the queries among the points.
    queries : Points
        The points that were asked: all, or a sample.
    conflicting : ndarray of bool, shape (n,), optional
        Points that occur with different labels, or with targets further apart than the tolerance; they are set aside.
    tolerance : float, optional
        For a regression: targets that differ by more are different.
    seed : int
        Of the samples that are drawn where there are many rows.
    memory : int
        Bytes that a search may take for projected rows.

    Returns
    -------
    RobustGeometry or None
        None where no two rows that are borne out differ.

    Raises
    ------
    DataError
        If every row's five nearest neighbours are equally far, where the dimension does not exist.

    Notes
    -----
    Radius: `centred_radius`. Dimension: `winsorised_dimension`, over the points that are not far out. Margin:
    `tail_margin`, over rows weighted by `label_weights` or `target_weights`. Where only some rows were asked, the
    margin of at most 20,000 of them is extrapolated to all.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sphere = rng.normal(size=(600, 4))
    >>> sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    >>> labels = np.arange(600) % 2
    >>> points = Points(np.column_stack([sphere, labels]), 1.0, np.arange(600), labels)
    >>> found = robust(points, search(points, k=50), points)
    >>> found.n, round(found.radius, 1), round(found.dimension, 1), round(found.margin, 1)
    (600, 1.2, 3.0, 1.0)
    """
    extent = centred_radius(points, seed=seed)
    asked = np.searchsorted(points.rows, queries.rows)
    near = extent.near[asked]
    dimension = winsorised_dimension(found.distances[near])
    weights = _weights(points, found, queries, tolerance)
    if conflicting is not None:
        weights[conflicting[asked]] = 0.0
    tail = _tail(points, found, queries, weights, dimension, tolerance, seed, memory)
    if tail is None:
        return None
    kept = float((near & (weights >= BORNE_OUT)).mean())
    return _packed(points, queries, extent, weights, dimension, tail, max(1, round(kept * len(points))))


def _weights(points: Points, found: Neighbors, queries: Points, tolerance: float | None) -> NDArray[np.float64]:
    neighbors = np.searchsorted(points.rows, found.rows)
    if tolerance is None:
        assert queries.labels is not None
        return label_weights(neighbors, points, queries.labels)
    assert queries.targets is not None
    return target_weights(neighbors, points, queries.targets, tolerance)


def _tail(
    points: Points,
    found: Neighbors,
    queries: Points,
    weights: NDArray[np.float64],
    dimension: float,
    tolerance: float | None,
    seed: int,
    memory: int,
) -> Tail | None:
    total = len(points)
    if len(queries) < len(points):
        chosen = np.isin(queries.rows, sampling.chosen(queries.rows, MOST_ROWS, seed))
        queries, weights = queries.take(np.flatnonzero(chosen)), weights[chosen]
        most = min(NEIGHBORS, len(queries) - 1)
        found = search(queries, k=most, tolerance=tolerance, memory=memory)
    return tail_margin(queries, found, weights, dimension=dimension, total=total, tolerance=tolerance, memory=memory)


def _packed(
    points: Points,
    queries: Points,
    extent: CentredRadius,
    weights: NDArray[np.float64],
    dimension: float,
    tail: Tail,
    n: int,
) -> RobustGeometry:
    far = np.flatnonzero(~extent.near)
    outvoted = np.flatnonzero(weights < BORNE_OUT)
    largest = int(extent.norms.argmax())
    return RobustGeometry(
        n=n,
        radius=extent.radius,
        dimension=dimension,
        margin=tail.margin,
        offset=extent.offset,
        largest=float(extent.norms[largest]),
        largest_row=int(points.rows[largest]),
        far=len(far),
        far_rows=_first(points.rows[far], -extent.norms[far]),
        outvoted=len(outvoted),
        outvoted_rows=_first(queries.rows[outvoted], weights[outvoted]),
        looked_at=len(queries),
        exponent=tail.exponent,
        tail_rows=tail.rows,
    )


def _first(rows: NDArray[np.int64], by: NDArray[np.float64]) -> tuple[int, ...]:
    return tuple(rows[np.lexsort((rows, by))][:MOST_SHOWN].tolist())
