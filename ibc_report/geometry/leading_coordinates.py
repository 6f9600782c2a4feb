"""The leading coordinates of points about the centres of their classes, by principal components of a sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import sampling
from ibc_report.common.resources import single_blas
from ibc_report.geometry.neighbors.points import Points

__all__ = ["centred_by_class", "classes_of", "leading_coordinates"]

SAMPLE_ROWS = 1000
"""Rows that the axes are computed from: directions of large variance need no more."""

SAMPLE_ELEMENTS = 2**22
"""Numbers in that sample, where this leaves it `LEAST_ROWS` rows."""

LEAST_ROWS = 200

BLOCK_ELEMENTS = 2**22

ROUNDING = 1e-12
"""Variances up to this share of the largest are rounding."""


def classes_of(points: Points) -> NDArray[np.int64]:
    """Give each point the code of its class; all are of one class where there are no labels."""
    return np.zeros(len(points), dtype=np.int64) if points.labels is None else points.labels


def centred_by_class(values: NDArray[np.float64], classes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Take the mean of each class out of its rows.

    Parameters
    ----------
    values : ndarray of float64, shape (n, q)
    classes : ndarray of int64, shape (n,)
        Codes from 0.

    Examples
    --------
    >>> centred_by_class(np.array([[1.0], [3.0], [7.0]]), np.array([0, 0, 1])).ravel()
    array([-1.,  1.,  0.])
    """
    if not values.size:
        return values
    counts = np.maximum(np.bincount(classes), 1)
    means = np.column_stack([np.bincount(classes, column) / counts for column in values.T])
    return np.asarray(values - means[classes])


def leading_coordinates(points: Points, most: int, *, seed: int = 0) -> NDArray[np.float64]:
    """Project points on the axes along which their classes are widest.

    Parameters
    ----------
    points : Points
        At least two.
    most : int
        Axes, at most.
    seed : int
        Of the sample of 1,000 rows that the axes are computed from, where there are more.

    Returns
    -------
    ndarray of float64, shape (n, at most `most`)
        In the units of the features, the widest axis first, each class about its own mean. Axes without variance are
        left out.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> flat = Points(rng.normal(size=(500, 3)) * [1.0, 5.0, 0.0], 1.0, np.arange(500))
    >>> leading_coordinates(flat, 10).std(axis=0).round()
    array([5., 1.])
    """
    most_rows = max(LEAST_ROWS, min(SAMPLE_ROWS, SAMPLE_ELEMENTS // points.dimension))
    rows = sampling.chosen(points.rows, most_rows, seed)
    sample = points if len(rows) == len(points) else points.take(np.flatnonzero(np.isin(points.rows, rows)))
    scaled = sample.raw * points.unit
    axes = _axes(centred_by_class(scaled, classes_of(sample)), most)
    projected = np.empty((len(points), axes.shape[1]))
    size = max(1, BLOCK_ELEMENTS // points.dimension)
    for start in range(0, len(points), size):
        projected[start : start + size] = (points.raw[start : start + size] * points.unit) @ axes
        points.release()
    return centred_by_class(projected, classes_of(points))


def _axes(centred: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Directions of the largest variances, shape (D, at most `most`)."""
    few = len(centred) < centred.shape[1]
    with single_blas():
        values, vectors = np.linalg.eigh(centred @ centred.T if few else centred.T @ centred)
    kept = np.arange(len(values))[::-1][:most]
    kept = kept[values[kept] > ROUNDING * max(float(values[-1]), 0.0)]
    if not few:
        return np.asarray(vectors[:, kept])
    return np.asarray(centred.T @ (vectors[:, kept] / np.sqrt(values[kept])))
