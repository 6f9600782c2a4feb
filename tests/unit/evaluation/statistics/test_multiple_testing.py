"""Rank intervals: what they say of clear and of equal models, and that all of them hold at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.comparisons import discordant, mcnemar
from ibc_report.evaluation.statistics.multiple_testing import all_pairs, directed_holm, holm, rank_intervals
from tests.support.samples import few_properties


def drawn(rng: np.random.Generator, accuracies: list[float], n: int) -> np.ndarray:
    """Correctness of models that err together: each example has its own difficulty."""
    return np.asarray(rng.random(n)[None, :] * 0.7 + rng.random((len(accuracies), n)) * 0.3 < np.c_[accuracies])


@few_properties
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_direction_costs_nothing_for_the_smallest_p(p: list[float]) -> None:
    """The correction for both directions is Holm's for the smallest p, and never below it."""
    both, one = directed_holm(p), holm(p)
    assert np.all(both >= one - 1e-15)
    smallest = int(np.argmin(p))
    assert both[smallest] == pytest.approx(one[smallest])


@few_properties
@given(st.integers(1, 8), st.integers(0, 60), st.integers(0, 2**32 - 1))
def test_pairs_are_those_of_a_loop(models: int, examples: int, seed: int) -> None:
    """Counts and tests of all pairs are those of each pair by itself, on the examples that both answer."""
    rng = np.random.default_rng(seed)
    right, answered = rng.random((models, examples)) < 0.6, rng.random((models, examples)) < 0.9
    pairs = all_pairs(right, answered, 0.95)
    for number, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        common = answered[i] & answered[j]
        counts = discordant(right[i, common], right[j, common])
        found = (pairs.both[number], pairs.first_only[number], pairs.second_only[number], pairs.neither[number])
        assert found == counts
        assert pairs.tests[number] == mcnemar(counts[1], counts[2])
        assert pairs.n[number] == common.sum()
    assert len(pairs.ranks) == models
    assert all(1 <= rank.best <= rank.worst <= models for rank in pairs.ranks)


def test_clear_models_have_their_ranks_and_equal_ones_share_theirs() -> None:
    """Three levels of accuracy far apart, two models on the middle one: 1, 2–3, 2–3, 4."""
    right = drawn(np.random.default_rng(0), [0.95, 0.7, 0.7, 0.4], 5000)
    ranks = all_pairs(right, np.ones_like(right), 0.95).ranks
    assert [(rank.best, rank.worst) for rank in ranks] == [(1, 1), (2, 3), (2, 3), (4, 4)]


def test_all_ranks_hold_at_once() -> None:
    """With some models equal and some close, all intervals hold their models' true ranks in at least 95 % of draws."""
    rng = np.random.default_rng(1)
    accuracies = [0.8, 0.8, 0.8, 0.76, 0.7]
    # equal models may have any of the ranks that they share
    true = [(1, 3), (1, 3), (1, 3), (4, 4), (5, 5)]
    held = 0
    for _ in range(300):
        right = drawn(rng, accuracies, 400)
        ranks = all_pairs(right, np.ones_like(right), 0.95).ranks
        held += all(rank.best <= best and worst <= rank.worst for rank, (best, worst) in zip(ranks, true, strict=True))
    assert held / 300 >= 0.95


def test_neighbours_disagree_by_their_own_pairs_alone() -> None:
    """The mean disagreement is over models next to each other in the order that is given."""
    right = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [0, 0, 0, 0]], dtype=bool)
    pairs = all_pairs(right, np.ones_like(right), 0.95)
    assert pairs.disagreement([0, 1, 2]) == pytest.approx((1 / 4 + 3 / 4) / 2)
    assert pairs.disagreement([1, 0, 2]) == pytest.approx((1 / 4 + 4 / 4) / 2)
    assert all_pairs(right[:1], np.ones((1, 4), dtype=bool), 0.95).disagreement([0]) is None


def test_arrays_that_do_not_fit_are_refused() -> None:
    """Arrays that are not square and alike are refused."""
    with pytest.raises(InputError, match="not square and alike"):
        rank_intervals(np.zeros((2, 3)), np.ones((2, 3)))
