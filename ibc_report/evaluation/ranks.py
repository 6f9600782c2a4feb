"""Which ranks are distinguishable: a rank interval for each model, from all pairwise tests at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ibc_report.errors import InputError
from ibc_report.evaluation.comparisons import holm
from ibc_report.evaluation.intervals import LEVEL

__all__ = ["RankInterval", "directed_holm", "rank_intervals"]


@dataclass(frozen=True, slots=True)
class RankInterval:
    """Ranks that a model may have; 1 is the best.

    Parameters
    ----------
    best : int
        1 and the number of models that are shown to be better.
    worst : int
        The number of models without those that are shown to be worse.
    """

    best: int
    worst: int


def directed_holm(p: ArrayLike) -> NDArray[np.float64]:
    """Correct two-sided p-values of pairwise tests, when it is also said which of the two is better.

    Each test is two one-sided ones, of which only the one in the observed direction can be a finding. Holm's procedure
    runs over all 2m of them, so that a finding in the wrong direction is as rare as any other false one; its
    two-sided form is not known to promise that (Shaffer, Annals of Statistics 1980).

    Parameters
    ----------
    p : array_like, shape (m,)
        Two-sided p-values.

    Returns
    -------
    ndarray of float64, shape (m,)
        Corrected; never below Holm's of the same m.

    Raises
    ------
    InputError
        If a value is not within 0 and 1.

    Examples
    --------
    >>> directed_holm([0.01, 0.04]).round(4).tolist()
    [0.02, 0.06]
    """
    two_sided = np.asarray(p, dtype=np.float64).reshape(-1)
    observed = two_sided / 2
    return holm(np.concatenate([observed, np.ones_like(observed)]))[: len(observed)]


def rank_intervals(
    differences: NDArray[np.float64], p: NDArray[np.float64], level: float = LEVEL
) -> tuple[RankInterval, ...]:
    """Read the ranks off corrected pairwise tests.

    With p from `directed_holm`, all intervals hold their models' true ranks at once in at least `level` of samples:
    wherever no test errs, each model shown to be better really is (Al Mohamad, Goeman and van Zwet, Biometrics 2022,
    doi 10.1111/biom.13419).

    Parameters
    ----------
    differences : ndarray of float64, shape (models, models)
        Accuracy of the row's model less that of the column's, on their common examples.
    p : ndarray of float64, shape (models, models)
        Corrected p-values, symmetric; the diagonal is not read.
    level : float
        1 − level is the largest p of a finding.

    Returns
    -------
    tuple of RankInterval

    Raises
    ------
    InputError
        If the arrays are not square and of one shape.

    Examples
    --------
    >>> accuracy = np.array([0.9, 0.8, 0.79])
    >>> p = np.array([[1, 0.001, 0.001], [0.001, 1, 0.6], [0.001, 0.6, 1]])
    >>> [(rank.best, rank.worst) for rank in rank_intervals(accuracy[:, None] - accuracy, p)]
    [(1, 1), (2, 3), (2, 3)]
    """
    if differences.shape != p.shape or differences.ndim != 2 or differences.shape[0] != differences.shape[1]:
        raise InputError(f"differences of shape {differences.shape} and p of shape {p.shape} are not square and alike")
    found = p <= 1 - level
    np.fill_diagonal(found, False)
    worse = np.count_nonzero(found & (differences > 0), axis=1)
    better = np.count_nonzero(found & (differences < 0), axis=1)
    return tuple(
        RankInterval(1 + int(above), len(found) - int(below)) for above, below in zip(better, worse, strict=True)
    )
