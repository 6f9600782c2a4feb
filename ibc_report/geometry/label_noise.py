"""How far labels are borne out by the neighbours: edited nearest neighbours, by degrees, and how the margin falls.

Source: Wilson, "Asymptotic Properties of Nearest Neighbor Rules Using Edited Data", IEEE Transactions on Systems, Man,
and Cybernetics SMC-2 (1972), DOI 10.1109/TSMC.1972.4309137, sets aside the rows that their nearest neighbours outvote.
Here the vote gives a weight instead of a verdict, so that one flipped label among the neighbours moves it by a little.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.search import Neighbors

__all__ = ["EDITORS", "label_weights", "log_margin_slope", "target_weights"]

KEPT_PAIRS = (1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)
"""Chances that a pair is in a sample: those of a half down to an eighth of the rows."""

PAIRS = 5
"""Pairs that a sample should have, at least."""


def log_margin_slope(points: Points, found: Neighbors) -> float | None:
    """Estimate how the margin falls with the number of rows.

    Slope of the expected ln δ on ln n between an eighth and a half of the rows; None for fewer than 40 pairs of
    different classes.

    Parameters
    ----------
    points : Points
        The set, rows ascending; all of it is asked, since a sample does not have all close pairs.

    Notes
    -----
    In a sample of a share f of the rows each pair is there with chance q = f², so that the pair of rank r is the
    closest with chance q(1 − q)^(r−1): the expectation over samples is a sum over the pairs, and no sample is drawn.
    The pairs are those of each row and the nearest that differs.

    Examples
    --------
    >>> from ibc_report.geometry.neighbors.search import search
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


EDITORS = 10
"""Nearest neighbours that vote on a row."""

FULL_LEAD, NO_LEAD = 0.6, 0.0
"""Share of the votes by which another class has to lead for a weight of 0, and up to which the weight is 1."""

NORMAL_DEVIATIONS, MOST_DEVIATIONS = 3.0, 6.0
"""Robust standard deviations from the neighbours' median up to which a target has weight 1, and from which 0."""

HUGE = 2.0**1000
"""Targets beyond this are scaled down before they are added or subtracted, which would overflow."""

TO_DEVIATION = 1.482602218505602
"""Median absolute deviation to standard deviation, of a normal law."""


def label_weights(neighbors: NDArray[np.int64], points: Points, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Weigh rows by the votes of their nearest neighbours on their label.

    Parameters
    ----------
    neighbors : ndarray of int64, shape (q, k)
        Positions among `points` of the nearest neighbours of each row, nearest first.
    labels : ndarray of int64, shape (q,)
        Labels of the rows that are voted on.

    Returns
    -------
    ndarray of float64, shape (q,)
        1 where no class has more votes than the row's own, falling to 0 where one leads by six in ten votes. A class
        with fewer rows than there are votes is voted on by as many as it has others.

    Examples
    --------
    >>> points = Points(np.arange(5.0)[:, None], 1.0, np.arange(5), np.array([0, 0, 0, 1, 1]))
    >>> label_weights(np.array([[1, 2], [3, 4]]), points, np.array([0, 0])).tolist()
    [1.0, 0.0]
    """
    assert points.labels is not None
    votes = points.labels[neighbors[:, :EDITORS]]
    sizes = np.bincount(points.labels, minlength=int(labels.max(initial=0)) + 1)
    voters = np.clip(sizes[labels] - 1, 0, votes.shape[1])
    heard = np.arange(votes.shape[1]) < voters[:, None]
    own = np.asarray(((votes == labels[:, None]) & heard).sum(axis=1))
    rivals = np.sort(np.where(heard & (votes != labels[:, None]), votes, -1), axis=1)
    run = np.zeros(len(labels), dtype=np.int64)
    most = np.zeros(len(labels), dtype=np.int64)
    for column in range(rivals.shape[1]):
        same = rivals[:, column] == rivals[:, column - 1] if column else False
        run = np.where(rivals[:, column] < 0, 0, np.where(same, run + 1, 1))
        most = np.maximum(most, run)
    lead = (most - own) / np.maximum(voters, 1)
    return np.asarray(np.clip((FULL_LEAD - lead) / (FULL_LEAD - NO_LEAD), 0.0, 1.0))


def target_weights(
    neighbors: NDArray[np.int64], points: Points, targets: NDArray[np.float64], tolerance: float
) -> NDArray[np.float64]:
    """Weigh rows by how far their target lies from the median target of their nearest neighbours.

    Parameters
    ----------
    neighbors : ndarray of int64, shape (q, k)
        As for `label_weights`.
    targets : ndarray of float64, shape (q,)
        Targets of the rows, in their unit.
    tolerance : float
        Targets no further apart than this are the same, in the unit of the targets.

    Returns
    -------
    ndarray of float64, shape (q,)
        1 up to three robust standard deviations of these distances (or the tolerance), falling to 0 at six. The
        analogue of a vote for a regression: neighbours need not agree, and a target is doubtful only where it is
        further from theirs than targets are from their neighbours' on these data.

    Examples
    --------
    >>> points = Points(np.arange(4.0)[:, None], 1.0, np.arange(4), targets=np.array([0.0, 0.1, 0.2, 9.0]))
    >>> neighbors = np.array([[1, 2], [0, 2], [1, 0], [2, 1]])
    >>> target_weights(neighbors, points, points.targets, 0.05).tolist()
    [1.0, 1.0, 1.0, 0.0]
    """
    assert points.targets is not None
    around = points.targets[neighbors[:, :EDITORS]]
    largest = max(np.abs(targets).max(initial=0.0), np.abs(around).max(initial=0.0))
    # a power of two, so that the weights of all other targets keep their last digit
    unit = 2.0**-8 if largest > HUGE else 1.0
    away = np.abs(targets * unit - np.median(around * unit, axis=1))
    spread = max(TO_DEVIATION * float(np.median(away)), tolerance * unit / NORMAL_DEVIATIONS)
    if spread <= 0:
        return np.asarray((away <= 0).astype(np.float64))
    return np.asarray(np.clip((MOST_DEVIATIONS - away / spread) / (MOST_DEVIATIONS - NORMAL_DEVIATIONS), 0.0, 1.0))
