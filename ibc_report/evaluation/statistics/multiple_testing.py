"""Many models on the same examples: all pairs of them, corrections for many tests, and the ranks they leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.comparisons import McNemar, mcnemar
from ibc_report.evaluation.statistics.proportions import LEVEL

__all__ = ["Pairs", "RankInterval", "all_pairs", "benjamini_hochberg", "directed_holm", "holm", "rank_intervals"]


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Correct p-values so that the chance of any false finding stays below the level (Holm, 1979).

    Parameters
    ----------
    p : array_like, shape (m,)
        p-values, in any dependence.

    Returns
    -------
    ndarray of float64, shape (m,)
        Corrected, in the order given: a finding at level α has a value of at most α.

    Raises
    ------
    InputError
        If a value is not within 0 and 1.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    values, order = _ordered(p)
    corrected = np.maximum.accumulate((len(values) - np.arange(len(values))) * values[order])
    return _in_place(np.minimum(corrected, 1.0), order)


def benjamini_hochberg(p: ArrayLike) -> NDArray[np.float64]:
    """Correct p-values so that the expected share of false findings stays below the level (JRSS B 1995).

    Parameters
    ----------
    p : array_like, shape (m,)
        p-values, independent or positively dependent.

    Returns
    -------
    ndarray of float64, shape (m,)
        Corrected, in the order given.

    Raises
    ------
    InputError
        If a value is not within 0 and 1.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.04, 0.04]
    """
    values, order = _ordered(p)
    scaled = len(values) / np.arange(1, len(values) + 1) * values[order]
    corrected = np.minimum.accumulate(scaled[::-1])[::-1]
    return _in_place(np.minimum(corrected, 1.0), order)


def _ordered(p: ArrayLike | Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    values = np.asarray(p, dtype=np.float64).reshape(-1)
    if not np.all((values >= 0) & (values <= 1)):
        raise InputError("a p-value is not within 0 and 1")
    return values, np.argsort(values, kind="stable")


def _in_place(corrected: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.float64]:
    out = np.empty_like(corrected)
    out[order] = corrected
    return out


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


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs i < j of models.

    Parameters
    ----------
    first, second : ndarray of int64, shape (pairs,)
        The models.
    both, first_only, second_only, neither : ndarray of int64, shape (pairs,)
        Examples that both answer, by who is right.
    holm, false_discovery : ndarray of float64, shape (pairs,)
        Exact p, corrected over all pairs.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    both: NDArray[np.int64]
    first_only: NDArray[np.int64]
    second_only: NDArray[np.int64]
    neither: NDArray[np.int64]
    tests: tuple[McNemar, ...]
    holm: NDArray[np.float64]
    false_discovery: NDArray[np.float64]
    ranks: tuple[RankInterval, ...]

    @property
    def n(self) -> NDArray[np.int64]:
        """Examples that both models of each pair answer."""
        return self.both + self.first_only + self.second_only + self.neither

    def disagreement(self, order: Sequence[int]) -> float | None:
        """Mean share of examples on which exactly one of two models is right that are next to each other.

        Parameters
        ----------
        order : sequence of int
            Models, the best first.

        Returns
        -------
        float or None
            None where no neighbours have an example in common.
        """
        place = np.empty(len(order), dtype=np.int64)
        place[np.asarray(order)] = np.arange(len(order))
        near = (np.abs(place[self.first] - place[self.second]) == 1) & (self.n > 0)
        if not near.any():
            return None
        return float(((self.first_only + self.second_only)[near] / self.n[near]).mean())


def all_pairs(right: NDArray[np.bool_], answered: NDArray[np.bool_], level: float) -> Pairs:
    """Test all pairs of models, each on the examples that both answer.

    Parameters
    ----------
    right, answered : ndarray of bool, shape (models, examples)
        Which examples each model has right, of those that it answers.
    level : float
        1 − level is the size of all tests together.

    Examples
    --------
    >>> right = np.array([[True] * 30, [True] * 10 + [False] * 20])
    >>> pairs = all_pairs(right, np.ones_like(right), 0.95)
    >>> pairs.first_only.tolist(), [(rank.best, rank.worst) for rank in pairs.ranks]
    ([20], [(1, 1), (2, 2)])
    """
    # sums of 0 and 1 are exact in doubles, and BLAS is fast on them
    hit = (right & answered).astype(np.float64)
    miss = (~right & answered).astype(np.float64)
    first, second = np.triu_indices(len(right), 1)

    def counts(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.rint((one @ other.T)[first, second]).astype(np.int64)

    both, first_only, second_only, neither = counts(hit, hit), counts(hit, miss), counts(miss, hit), counts(miss, miss)
    tests = tuple(mcnemar(b, c) for b, c in zip(first_only.tolist(), second_only.tolist(), strict=True))
    exact = np.array([test.exact_p for test in tests])
    holm = directed_holm(exact)
    differences, p = np.zeros((len(right), len(right))), np.ones((len(right), len(right)))
    differences[first, second] = first_only - second_only
    differences[second, first] = second_only - first_only
    p[first, second] = p[second, first] = holm
    return Pairs(
        first=first,
        second=second,
        both=both,
        first_only=first_only,
        second_only=second_only,
        neither=neither,
        tests=tests,
        holm=holm,
        false_discovery=benjamini_hochberg(exact),
        ranks=rank_intervals(differences, p, level),
    )
