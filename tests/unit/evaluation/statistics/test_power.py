"""Smallest differences and the labels that show them: published sample sizes, inverses, and simulated power."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.comparisons import mcnemar, two_proportions
from ibc_report.evaluation.statistics.power import (
    labels_paired,
    labels_unpaired,
    more_labels,
    smallest_paired,
    smallest_unpaired,
    typical_disagreement,
)
from tests.support.samples import few_properties

accuracies = st.floats(0.05, 1)

sizes = st.integers(20, 100_000)


@pytest.mark.parametrize(("better", "worse", "labels"), [(0.9, 0.8, 199), (0.35, 0.25, 329), (0.6, 0.5, 388)])
def test_published_sample_sizes(better: float, worse: float, labels: int) -> None:
    """The sizes of Fleiss's table without continuity correction come out, rounded up."""
    assert int(np.ceil(labels_unpaired(better, better - worse))) == labels


@few_properties
@given(accuracies, sizes)
def test_the_smallest_unpaired_difference_needs_just_these_labels(accuracy: float, n: int) -> None:
    """Solving for the difference inverts the formula for the labels, and None means that none is large enough."""
    found = smallest_unpaired(accuracy, n)
    if found is None:
        assert labels_unpaired(accuracy, accuracy) > n
    else:
        assert 0 < found <= accuracy
        assert labels_unpaired(accuracy, found) == pytest.approx(n, rel=1e-6)


@few_properties
@given(st.floats(0.001, 1), sizes, st.floats(0.5, 0.99))
def test_the_smallest_paired_difference_needs_just_these_labels(disagreement: float, n: int, power: float) -> None:
    """The closed form solves Connor's equation, and None means that even one-sided disagreement is not enough."""
    found = smallest_paired(disagreement, n, power=power)
    if found is None:
        assert labels_paired(disagreement, disagreement, power=power) > n
    else:
        assert 0 < found <= disagreement
        assert labels_paired(disagreement, found, power=power) == pytest.approx(n, rel=1e-6)


@few_properties
@given(accuracies, sizes)
def test_half_the_difference_takes_about_four_times_the_labels(accuracy: float, n: int) -> None:
    """More labels show smaller differences, and half of one takes between twice and seven times as many."""
    found = smallest_unpaired(accuracy, n)
    if found is not None and found < accuracy / 2:
        assert 2 * n < labels_unpaired(accuracy, found / 2) < 7 * n
        larger = smallest_unpaired(accuracy, 2 * n)
        assert larger is not None
        assert larger < found


def test_paired_power_is_as_stated() -> None:
    """Of simulated pairs of models with the smallest difference, about 80 % are found by McNemar's test."""
    rng = np.random.default_rng(0)
    n, disagreement = 1000, 0.2
    difference = smallest_paired(disagreement, n)
    assert difference is not None
    cells = [(disagreement + difference) / 2, (disagreement - difference) / 2, 1 - disagreement]
    draws = rng.multinomial(n, cells, size=2000)
    found = np.mean([mcnemar(int(b), int(c)).p <= 0.05 for b, c, _ in draws])
    assert found == pytest.approx(0.8, abs=0.03)


def test_unpaired_power_is_as_stated() -> None:
    """Of simulated pairs of test sets with the smallest difference, about 80 % are found by the pooled test."""
    rng = np.random.default_rng(0)
    n, accuracy = 1000, 0.8
    difference = smallest_unpaired(accuracy, n)
    assert difference is not None
    first, second = rng.binomial(n, accuracy, 2000), rng.binomial(n, accuracy - difference, 2000)
    found = np.mean([two_proportions(a, n, b, n).pooled_p <= 0.05 for a, b in zip(first, second, strict=True)])
    assert found == pytest.approx(0.8, abs=0.03)


def test_limits() -> None:
    """Models that never disagree or are never right show nothing; a label is not added for a rounding."""
    assert smallest_paired(0, 1000) is None
    assert smallest_unpaired(0, 1000) is None
    assert typical_disagreement(0) == typical_disagreement(1) == 0
    assert more_labels(1000 + 1e-9, 1000) == 0
    assert more_labels(10, 1000) == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: labels_unpaired(0.5, 0.6), "difference 0.6 is not above 0 and at most the accuracy"),
        (lambda: labels_unpaired(0.5, 0.1, power=0.2), "power 0.2 is not at least 0.5"),
        (lambda: labels_paired(0, 0.1), "disagreement 0 is not above 0"),
        (lambda: labels_paired(0.1, 0.2), "difference 0.2 is not above 0 and at most the disagreement"),
        (lambda: smallest_paired(1.5, 10), "disagreement 1.5 is not within 0 and 1"),
        (lambda: smallest_unpaired(0.5, 0), "none; give a number above 0"),
    ],
)
def test_numbers_outside_their_domain_are_refused(call: object, said: str) -> None:
    """What is no accuracy, difference or power is named."""
    assert callable(call)
    with pytest.raises(InputError, match=said):
        call()
