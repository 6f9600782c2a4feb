"""Smallest differences and the labels that show them: published sample sizes, inverses, and simulated power."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.exact_power import paired_power, unpaired_power
from ibc_report.evaluation.statistics.power import (
    EXACT_PAIRED,
    corrected_level,
    fleiss_labels,
    labels_paired,
    labels_unpaired,
    more_labels,
    pairs_of,
    smallest_paired,
    smallest_unpaired,
    typical_disagreement,
)
from ibc_report.evaluation.statistics.proportions import two_sided
from tests.support.profiles import examples
from tests.support.samples import few_properties

accuracies = st.floats(0.05, 1)

sizes = st.integers(501, 100_000)


@pytest.mark.parametrize(("better", "worse", "labels"), [(0.9, 0.8, 199), (0.35, 0.25, 329), (0.6, 0.5, 388)])
def test_published_sample_sizes(better: float, worse: float, labels: int) -> None:
    """The sizes of Fleiss's table without continuity correction come out, rounded up; the exact test takes more."""
    assert int(np.ceil(fleiss_labels(better, better - worse, two_sided(0.95)))) == labels
    assert labels < labels_unpaired(better, better - worse) < 1.12 * labels


@settings(few_properties, max_examples=examples(20))
@given(st.floats(0.3, 1), st.integers(5, 120), st.sampled_from([0.6, 0.8]))
def test_the_smallest_unpaired_difference_has_the_power(accuracy: float, n: int, power: float) -> None:
    """At it the score test finds it with the stated probability, just below with less; None where nothing suffices."""
    found = smallest_unpaired(accuracy, n, power=power)
    if found is None:
        assert unpaired_power(accuracy, n, 0.0, n) < power
    else:
        assert power <= unpaired_power(accuracy, n, accuracy - found, n) < power + 1e-6
        assert unpaired_power(accuracy, n, accuracy - 0.999 * found, n) < power


@few_properties
@given(st.floats(0.001, 1), st.integers(5, 4000), st.floats(0.5, 0.95))
def test_the_smallest_paired_difference_has_the_power(disagreement: float, n: int, power: float) -> None:
    """At it McNemar's exact test finds it with the stated probability, just below with less."""
    found = smallest_paired(disagreement, n, power=power)
    power_at = paired_power(disagreement, n)
    if found is None:
        assert power_at(disagreement) < power
    elif n * disagreement <= EXACT_PAIRED:
        assert power <= power_at(found) < power + 1e-6
        assert power_at(0.999 * found) < power
    else:
        assert power <= power_at(found) < power + 0.001


@pytest.mark.parametrize("n", [501, 777, 1250])
@pytest.mark.parametrize("accuracy", [0.5, 0.83, 0.95])
def test_beyond_enumeration_the_unpaired_power_is_no_less(n: int, accuracy: float) -> None:
    """What is solved from the formula for the labels has the power of the exact test, and up to 0.015 more."""
    found = smallest_unpaired(accuracy, n)
    assert found is not None
    assert 0.8 <= unpaired_power(accuracy, n, accuracy - found, n) <= 0.8155


@pytest.mark.parametrize(("disagreement", "n"), [(0.25, 20_000), (0.09, 100_000), (0.02, 200_000)])
def test_beyond_enumeration_the_paired_power_is_no_less(disagreement: float, n: int) -> None:
    """What is solved from the formula for the labels has the power of the exact test, and up to 0.001 more."""
    found = smallest_paired(disagreement, n)
    assert found is not None
    assert 0.8 <= paired_power(disagreement, n)(found) <= 0.801


@few_properties
@given(st.floats(0.05, 1), st.integers(5000, 100_000))
def test_labels_and_differences_are_inverse(disagreement: float, n: int) -> None:
    """Beyond enumeration, the labels for a smallest difference are those that it is of."""
    paired = smallest_paired(disagreement, 50 * n)
    assert paired is not None
    assert labels_paired(disagreement, paired) == pytest.approx(50 * n, rel=1e-6)
    unpaired = smallest_unpaired(disagreement, n)
    assert unpaired is not None
    assert labels_unpaired(disagreement, unpaired) == pytest.approx(n, rel=1e-6)


@pytest.mark.parametrize("level", [0.9, 0.99])
def test_other_levels_have_their_power(level: float) -> None:
    """The stated probability is reached at other levels as well."""
    paired, unpaired = smallest_paired(0.3, 200, level), smallest_unpaired(0.9, 200, level)
    assert paired is not None
    assert unpaired is not None
    assert paired_power(0.3, 200, level)(paired) == pytest.approx(0.8, abs=1e-6)
    assert unpaired_power(0.9, 200, 0.9 - unpaired, 200, level) == pytest.approx(0.8, abs=1e-6)


def test_the_correction_is_for_the_strictest_comparison() -> None:
    """Of ten models' 45 pairs the first is tested at a 45th of the size; one model's pair is yet to come."""
    assert (pairs_of(10), pairs_of(2), pairs_of(1)) == (45, 1, 1)
    assert corrected_level(45) == pytest.approx(1 - 0.05 / 45)


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
