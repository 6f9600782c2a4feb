"""Power of the exact tests: by enumeration of every outcome."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.comparisons import mcnemar
from ibc_report.evaluation.statistics.exact_power import paired_power, unpaired_power
from ibc_report.evaluation.statistics.score_test import exact_p, score_statistic


@pytest.mark.parametrize(("disagreement", "n"), [(0.3, 40), (1.0, 12), (0.05, 60)])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_paired_power_is_that_of_all_outcomes(disagreement: float, n: int, share: float) -> None:
    """Summed over every pair of counts, the probability that McNemar's exact p is small is the power."""
    difference = share * disagreement
    first, second = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    inside = first + second <= n
    first, second = first[inside], second[inside]
    cells = [(disagreement + difference) / 2, (disagreement - difference) / 2, 1 - disagreement]
    law = np.asarray(stats.multinomial.pmf(np.c_[first, second, n - first - second], n, cells))
    found = [mcnemar(b, c).exact_p <= 0.05 for b, c in zip(map(int, first), map(int, second), strict=True)]
    assert paired_power(disagreement, n)(difference) == pytest.approx(law[found].sum(), abs=1e-9)


@pytest.mark.parametrize(("n", "m"), [(8, 20), (15, 15)])
def test_unpaired_power_is_that_of_all_tables(n: int, m: int) -> None:
    """Summed over every table, the probability that the score test's p is small is the power, in either order."""
    z = score_statistic(np.arange(n + 1)[:, None], n, np.arange(m + 1), m, 0.0)
    found = np.vectorize(lambda at: exact_p(n, m, 0.0, at) <= 0.05)(z)
    for first, second in ((0.9, 0.4), (0.7, 0.7), (1.0, 0.0)):
        law = np.outer(stats.binom.pmf(np.arange(n + 1), n, first), stats.binom.pmf(np.arange(m + 1), m, second))
        assert unpaired_power(first, n, second, m) == pytest.approx(law[found].sum(), abs=1e-9)
        assert unpaired_power(second, m, first, n) == pytest.approx(law[found].sum(), abs=1e-9)


def test_no_test_is_larger_than_it_says() -> None:
    """Equal models are told apart in at most 5.5 %, whatever their accuracy and the sizes of their sets."""
    shares = np.linspace(0.003, 0.5, 60).tolist()
    for n, m in ((30, 1000), (50, 500), (10, 1000), (7, 9), (100, 100)):
        assert max(unpaired_power(p, n, p, m) for p in shares) <= 0.0505
    assert max(paired_power(share, n)(0.0) for n in (10, 100, 1000) for share in (0.02, 0.1, 0.5, 1.0)) <= 0.05


def test_too_few_examples_show_nothing() -> None:
    """Two of two against none of two is no finding, so that nothing is ever found."""
    assert unpaired_power(1.0, 2, 0.0, 2) == 0


def test_models_that_never_disagree_have_no_power() -> None:
    """A disagreement of 0 is refused."""
    with pytest.raises(InputError, match="disagreement 0"):
        paired_power(0, 10)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 2), (2, 2)])
def test_sets_that_no_table_tells_apart_have_no_power(n: int, m: int) -> None:
    """Where even all right against all wrong is not rejected, the power is 0 whatever the truth is."""
    assert unpaired_power(0.0, n, 1.0, m) == 0
    assert unpaired_power(1.0, n, 0.0, m) == 0
