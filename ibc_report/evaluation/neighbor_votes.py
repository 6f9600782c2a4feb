"""Nearest-neighbour predictions of a test split: one search for 1-NN, k-NN and leakage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report import sampling
from ibc_report.encoders import Progress, silent
from ibc_report.geometry import DEFAULT_MEMORY, Neighbors, Points, search

__all__ = ["CANDIDATES", "SELF_ROWS", "SplitNeighbors", "choose_k", "find_neighbors", "vote"]

CANDIDATES = (1, 3, 5, 7, 11, 15, 21)
"""Numbers of neighbours that are tried."""

SELF_ROWS = 2_000
"""Training rows that are asked for their neighbours among the others."""

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SplitNeighbors:
    """Training rows next to test rows, and next to other training rows.

    Parameters
    ----------
    found : Neighbors
        Of each test row that was asked, among the training rows.
    positions : ndarray of int64, shape (test rows, k)
        Where in the training split those stand.
    own : Neighbors
        Of a sample of training rows, among the others.
    own_rows : ndarray of int64, shape (sample,)
        Where in the training split the sample stands.
    own_positions : ndarray of int64, shape (sample, k)
        Where its neighbours stand.
    """

    found: Neighbors
    positions: _Ints
    own: Neighbors
    own_rows: _Ints
    own_positions: _Ints


def find_neighbors(
    train: Points, test: Points, *, seed: int, memory: int = DEFAULT_MEMORY, progress: Progress = silent
) -> SplitNeighbors:
    """Search the training split for the neighbours of test rows, and of some of its own.

    Parameters
    ----------
    train, test : Points
        At least two training rows.
    seed : int
        Of the sample of training rows.
    memory : int
        Bytes that the search may take.
    progress : callable
        Told the fraction done.

    Returns
    -------
    SplitNeighbors
    """
    k = max(candidate for candidate in CANDIDATES if candidate == 1 or candidate < len(train))
    found = search(train, test, k=k, memory=memory, progress=lambda done: progress(0.8 * done))
    sample = np.searchsorted(train.rows, sampling.chosen(train.rows, SELF_ROWS, seed))
    own = search(
        train,
        train.take(sample),
        k=k,
        same_set=True,
        memory=memory,
        progress=lambda done: progress(0.8 + 0.2 * done),
    )
    return SplitNeighbors(
        found, np.searchsorted(train.rows, found.rows), own, sample, np.searchsorted(train.rows, own.rows)
    )


def vote(labels: _Ints, k: int) -> _Ints:
    """Predict by the most common label of the k nearest.

    Parameters
    ----------
    labels : ndarray of int64, shape (n, at least k)
        Labels of neighbours, the nearest first.
    k : int
        How many vote.

    Returns
    -------
    ndarray of int64, shape (n,)
        Of several labels as common, that of the nearest neighbour.

    Examples
    --------
    >>> vote(np.array([[0, 1, 1], [2, 0, 1]]), 3).tolist()
    [1, 2]
    """
    voting = labels[:, :k]
    votes = np.stack([(voting == voting[:, [place]]).sum(axis=1) for place in range(k)], axis=1)
    return np.asarray(voting[np.arange(len(voting)), votes.argmax(axis=1)])


def choose_k(neighbors: SplitNeighbors, codes: _Ints) -> int:
    """Choose how many neighbours vote, on training rows alone: each sampled row is predicted from the others.

    Parameters
    ----------
    neighbors : SplitNeighbors
        From `find_neighbors`.
    codes : ndarray of int64, shape (training rows,)
        Their classes.

    Returns
    -------
    int
        With the most correct answers; the smallest of several.
    """
    labels = codes[neighbors.own_positions]
    truth = codes[neighbors.own_rows]
    right = {
        k: int(np.count_nonzero(vote(labels, k) == truth))
        for k in CANDIDATES
        if k <= labels.shape[1] and (neighbors.own.rows[:, k - 1] >= 0).all()
    }
    return max(right, key=lambda k: (right[k], -k), default=1)
