"""All pairs of models on the same examples: counts by who is right, tests, corrections, and the ranks they leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.evaluation.comparisons import McNemar, benjamini_hochberg, mcnemar
from ibc_report.evaluation.ranks import RankInterval, directed_holm, rank_intervals

__all__ = ["Pairs", "all_pairs"]


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs i < j of models.

    Parameters
    ----------
    first, second : ndarray of int64, shape (pairs,)
        The models.
    both, first_only, second_only, neither : ndarray of int64, shape (pairs,)
        Examples that both answer, by who is right.
    tests : tuple of McNemar
        One for each pair.
    holm, false_discovery : ndarray of float64, shape (pairs,)
        Exact p, corrected over all pairs.
    ranks : tuple of RankInterval
        One for each model.
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

    Returns
    -------
    Pairs

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
