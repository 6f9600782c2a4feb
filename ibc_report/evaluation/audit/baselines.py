"""What trivial and simple predictors reach on a test split, nearest neighbours among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import sampling
from ibc_report.common.errors import InputError
from ibc_report.data.encoders import Progress, silent
from ibc_report.evaluation.statistics.proportions import Interval, wilson
from ibc_report.evaluation.statistics.skill import skill, skill_interval
from ibc_report.geometry import DEFAULT_MEMORY, NeighborGraph, Neighbors, Points, search
from ibc_report.geometry.neighbors.search import picked

__all__ = [
    "CANDIDATES",
    "SELF_ROWS",
    "Baseline",
    "CorrectAnswers",
    "NeighborVotes",
    "ProbeRows",
    "SplitNeighbors",
    "choose_k",
    "find_neighbors",
    "majority",
    "scored",
    "stratified",
    "vote",
]

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CorrectAnswers:
    """Correct answers of a predictor.

    Parameters
    ----------
    correct : float
        How many; an expectation need not be whole.
    """

    correct: float
    n: int

    @property
    def accuracy(self) -> float:
        """Share of correct answers."""
        return self.correct / self.n

    @property
    def interval(self) -> Interval:
        """Its Wilson interval."""
        return wilson(self.correct, self.n)


@dataclass(frozen=True, slots=True)
class NeighborVotes:
    """How many neighbours vote, and on how many training rows that was chosen."""

    k: int
    chosen_on: int


@dataclass(frozen=True, slots=True)
class ProbeRows:
    """What a linear probe was fitted to.

    Parameters
    ----------
    components : int or None
        Principal components that it sees; None for standardised features.
    """

    rows: int
    every_row: bool
    components: int | None


@dataclass(frozen=True, slots=True)
class Baseline:
    """A predictor that a model should beat.

    Parameters
    ----------
    key : {"majority", "stratified", "nearest", "neighbors", "linear", "metadata"}
        The most common class of the training split; guesses in its proportions; 1-NN; k-NN; a linear probe; a tree that
        sees nothing but metadata.
    skill, skill_interval : float, Interval or None
        Share of what the majority class leaves that it gains, and the same at the ends of the accuracy's interval, the
        majority's accuracy taken as known; None where the majority class is always right.
    made : NeighborVotes, ProbeRows, tuple of str or None
        Of "neighbors", of "linear", and the properties that "metadata" sees; None where the key says all.
    """

    key: Literal["majority", "stratified", "nearest", "neighbors", "linear", "metadata"]
    scored: CorrectAnswers
    skill: float | None
    skill_interval: Interval | None
    made: NeighborVotes | ProbeRows | tuple[str, ...] | None = None

    @classmethod
    def of(
        cls,
        key: Literal["majority", "stratified", "nearest", "neighbors", "linear", "metadata"],
        found: CorrectAnswers,
        against: CorrectAnswers,
        made: NeighborVotes | ProbeRows | tuple[str, ...] | None = None,
    ) -> Baseline:
        """Compare a predictor with the majority class on the same rows.

        Examples
        --------
        >>> Baseline.of("linear", CorrectAnswers(90, 100), CorrectAnswers(50, 100)).skill
        0.8
        """
        if against.accuracy == 1:
            return cls(key, found, None, None, made)
        gained, ends = skill(found.accuracy, against.accuracy), skill_interval(found.interval, against.accuracy)
        return cls(key, found, gained, ends, made)


def scored(predicted: _Ints, truth: _Ints) -> CorrectAnswers:
    """Count correct answers.

    Parameters
    ----------
    predicted, truth : ndarray of int64, shape (n,)
        Class codes.

    Raises
    ------
    InputError
        If there are no rows.

    Examples
    --------
    >>> scored(np.array([0, 1, 1]), np.array([0, 1, 0]))
    CorrectAnswers(correct=2, n=3)
    """
    if not len(truth):
        raise InputError("there are no test rows to score on")
    return CorrectAnswers(int(np.count_nonzero(predicted == truth)), len(truth))


def majority(train: _Ints) -> int:
    """The most common class of a training split, the lowest code of several.

    Parameters
    ----------
    train : ndarray of int64, shape (n,)
        Class codes, at least one.

    Examples
    --------
    >>> majority(np.array([2, 0, 2]))
    2
    """
    return int(np.bincount(train).argmax())


def stratified(train: _Ints, test: _Ints) -> CorrectAnswers:
    """Expected score of guessing each class as often as the training split has it: n·Σ p_train(c)·p_test(c).

    Parameters
    ----------
    train, test : ndarray of int64
        Class codes.

    Raises
    ------
    InputError
        If there are no test rows.

    Examples
    --------
    >>> stratified(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])).accuracy
    0.5
    """
    if not len(test):
        raise InputError("there are no test rows to score on")
    classes = int(max(train.max(), test.max())) + 1
    shares = np.bincount(train, minlength=classes) / len(train)
    return CorrectAnswers(float((shares * np.bincount(test, minlength=classes)).sum()), len(test))


CANDIDATES = (1, 3, 5, 7, 11, 15, 21)
"""Numbers of neighbours that are tried."""

SELF_ROWS = 2_000
"""Training rows that are asked for their neighbours among the others."""

_Rows = NDArray[np.int64]


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
    positions: _Rows
    own: Neighbors
    own_rows: _Rows
    own_positions: _Rows


def find_neighbors(
    train: Points,
    test: Points,
    *,
    seed: int,
    known: NeighborGraph | None = None,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = silent,
) -> SplitNeighbors:
    """Search the training split for the neighbours of test rows, and of some of its own.

    Parameters
    ----------
    train, test : Points
        At least two training rows.
    known : NeighborGraph, optional
        The neighbours of the distinct training points, from which those of the sample are read where no row repeats.
    memory : int
        Bytes that the search may take.
    """
    k = max(candidate for candidate in CANDIDATES if candidate == 1 or candidate < len(train))
    found = search(train, test, k=k, memory=memory, progress=lambda done: progress(0.8 * done))
    sample = np.searchsorted(train.rows, sampling.chosen(train.rows, SELF_ROWS, seed))
    if known is not None and _serves(known, train, k):
        own = picked(known.found, sample, k=k)
    else:
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


def _serves(known: NeighborGraph, train: Points, k: int) -> bool:
    """Whether the neighbours of distinct points are those of all rows, in the same features, and enough of them."""
    points = known.points
    same = points.dimension == train.dimension and np.array_equal(points.rows, train.rows)
    return known.is_whole and known.found.k >= k and same


def vote(labels: _Rows, k: int) -> _Rows:
    """Predict by the most common label of the k nearest.

    Parameters
    ----------
    labels : ndarray of int64, shape (n, at least k)
        Labels of neighbours, the nearest first.

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


def choose_k(neighbors: SplitNeighbors, codes: _Rows) -> int:
    """Choose how many neighbours vote, on training rows alone: each sampled row is predicted from the others.

    Parameters
    ----------
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
