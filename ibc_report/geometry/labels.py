"""What labels say of the margin: rows that their neighbours outvote, and how the margin falls as rows are added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.neighbors import Neighbors
from ibc_report.geometry.points import Points

__all__ = ["log_margin_slope", "outvoted"]

VOTERS = 10
"""Nearest neighbours that have to agree on another label."""

KEPT_PAIRS = (1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)
"""Chances that a pair is in a sample: those of a half down to an eighth of the rows."""

PAIRS = 5
"""Pairs that a sample should have, at least."""


def outvoted(points: Points, queries: Points, found: Neighbors) -> NDArray[np.int64] | None:
    """Find rows whose ten nearest all have one label, and another one.

    Parameters
    ----------
    points, queries : Points
        What was searched, rows ascending, and those that were asked.
    found : Neighbors
        Neighbours of the queries among the points.

    Returns
    -------
    ndarray of int64 or None
        Their row numbers; None without labels or with fewer than ten neighbours.

    Examples
    --------
    >>> from ibc_report.geometry.neighbors import search
    >>> labels = np.zeros(12, np.int64)
    >>> labels[6] = 1
    >>> line = Points(np.arange(12.0)[:, None], 1.0, np.arange(12), labels)
    >>> outvoted(line, line, search(line, k=10))
    array([6])
    """
    if points.labels is None or queries.labels is None or found.rows.shape[1] < VOTERS:
        return None
    near = found.rows[:, :VOTERS]
    if (near < 0).any():
        return None
    labels = points.labels[np.searchsorted(points.rows, near)]
    unanimous = (labels == labels[:, :1]).all(axis=1) & (labels[:, 0] != queries.labels)
    return np.asarray(queries.rows[unanimous])


def log_margin_slope(points: Points, found: Neighbors) -> float | None:
    """Estimate how the margin falls with the number of rows.

    Parameters
    ----------
    points : Points
        The set, rows ascending; all of it is asked, since a sample does not have all close pairs.
    found : Neighbors
        Neighbours of each.

    Returns
    -------
    float or None
        Slope of the expected ln δ on ln n between an eighth and a half of the rows; None for fewer than 40 pairs of
        different classes.

    Notes
    -----
    In a sample of a share f of the rows each pair is there with chance q = f², so that the pair of rank r is the
    closest with chance q(1 − q)^(r−1): the expectation over samples is a sum over the pairs, and no sample is drawn.
    The pairs are those of each row and the nearest that differs.

    Examples
    --------
    >>> from ibc_report.geometry.neighbors import search
    >>> rng = np.random.default_rng(0)
    >>> square = Points(rng.random((2000, 2)), 1.0, np.arange(2000), rng.integers(0, 2, 2000))
    >>> -1.4 < log_margin_slope(square, search(square, k=1)) < -0.6
    True
    """
    usable = np.isfinite(found.other_distance) & (found.other_distance > 0)
    own, other = np.flatnonzero(usable), np.searchsorted(points.rows, found.other_row[usable])
    _, first = np.unique(np.minimum(own, other) * len(points) + np.maximum(own, other), return_index=True)
    logs = np.sort(np.log(found.other_distance[usable][first]))
    chances = [chance for chance in KEPT_PAIRS if chance * len(logs) >= PAIRS]
    if len(chances) < 2:
        return None
    rank = np.arange(len(logs))
    expected = []
    for chance in chances:
        weight = (1 - chance) ** rank
        expected.append(float(weight @ logs / weight.sum()))
    rows = np.log(chances) / 2
    centred = rows - rows.mean()
    return float(centred @ np.array(expected) / (centred @ centred))
