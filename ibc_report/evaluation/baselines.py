"""What trivial and simple predictors reach on a test split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.errors import InputError
from ibc_report.evaluation.intervals import Interval, wilson
from ibc_report.evaluation.skill import skill, skill_interval

__all__ = ["Baseline", "Scored", "majority", "scored", "stratified"]

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scored:
    """Correct answers of a predictor.

    Parameters
    ----------
    correct : float
        How many; an expectation need not be whole.
    n : int
        Test rows that were asked.
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
class Baseline:
    """A predictor that a model should beat.

    Parameters
    ----------
    key : str
        majority, stratified, nearest, neighbors, linear or metadata.
    name : str
        In words.
    scored : Scored
        What it reaches.
    skill : float or None
        Share of what the majority class leaves that it gains; None where the majority class is always right.
    skill_interval : Interval or None
        The same at the ends of the accuracy's interval; the majority's accuracy is taken as known.
    note : str
        How it was made, in a sentence; empty where the name says it.
    """

    key: str
    name: str
    scored: Scored
    skill: float | None
    skill_interval: Interval | None
    note: str

    @classmethod
    def of(cls, key: str, name: str, found: Scored, against: Scored, note: str = "") -> Baseline:
        """Compare a predictor with the majority class on the same rows.

        Parameters
        ----------
        key, name, note : str
            As above.
        found, against : Scored
            The predictor, and the majority class.

        Returns
        -------
        Baseline

        Examples
        --------
        >>> Baseline.of("linear", "linear probe", Scored(90, 100), Scored(50, 100)).skill
        0.8
        """
        if against.accuracy == 1:
            return cls(key, name, found, None, None, note)
        return cls(
            key,
            name,
            found,
            skill(found.accuracy, against.accuracy),
            skill_interval(found.interval, against.accuracy),
            note,
        )


def scored(predicted: _Ints, truth: _Ints) -> Scored:
    """Count correct answers.

    Parameters
    ----------
    predicted, truth : ndarray of int64, shape (n,)
        Class codes.

    Returns
    -------
    Scored

    Raises
    ------
    InputError
        If there are no rows.

    Examples
    --------
    >>> scored(np.array([0, 1, 1]), np.array([0, 1, 0]))
    Scored(correct=2, n=3)
    """
    if not len(truth):
        raise InputError("there are no test rows to score on")
    return Scored(int(np.count_nonzero(predicted == truth)), len(truth))


def majority(train: _Ints) -> int:
    """The most common class of a training split, the lowest code of several.

    Parameters
    ----------
    train : ndarray of int64, shape (n,)
        Class codes, at least one.

    Returns
    -------
    int

    Examples
    --------
    >>> majority(np.array([2, 0, 2]))
    2
    """
    return int(np.bincount(train).argmax())


def stratified(train: _Ints, test: _Ints) -> Scored:
    """Expected score of guessing each class as often as the training split has it: n·Σ p_train(c)·p_test(c).

    Parameters
    ----------
    train, test : ndarray of int64
        Class codes.

    Returns
    -------
    Scored

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
    return Scored(float((shares * np.bincount(test, minlength=classes)).sum()), len(test))
