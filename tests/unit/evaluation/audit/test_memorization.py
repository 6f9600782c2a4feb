"""Bits of memorised labels, of finite domains and of labels that may be wrong."""

from __future__ import annotations

from math import inf, isfinite, log2, log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import InputError
from ibc_report.evaluation.audit.memorization import (
    bits_per_parameter,
    entropy_bits,
    free_function_bits,
    label_rate,
    memorised_bits,
)
from tests.support.samples import few_properties

class_counts = st.integers(1, 1000)


def test_cifar_labels_in_a_network() -> None:
    """50,000 labels of 10 are 166,096.4 bits, 0.1007 for each of 1,649,402 parameters."""
    bits = memorised_bits(50_000, 10)
    assert round(bits, 1) == 166096.4
    assert round(bits_per_parameter(bits, 1_649_402), 4) == 0.1007


@few_properties
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=20).filter(any))
def test_entropy_is_at_most_the_count(counts: list[int]) -> None:
    """n·H(Y) is 0 for one class, n·log2 k for equal counts, and never more."""
    total, classes = sum(counts), len(counts)
    assert -1e-9 <= entropy_bits(counts) <= memorised_bits(total, classes) * (1 + 1e-12) + 1e-9
    assert entropy_bits([total] * classes) == pytest.approx(memorised_bits(total * classes, classes))
    assert entropy_bits([total]) == 0


def test_twenty_bits_of_input() -> None:
    """20 binary inputs and 10,000 labels leave 1,038,576 bits free, 0.954 % of the inputs being pinned."""
    found = free_function_bits([2] * 20, 10_000, 2)
    assert found.bits == 1038576
    assert round(100 * found.pinned, 3) == 0.954
    assert found.log10_domain == pytest.approx(20 * log10(2))


@few_properties
@given(st.lists(st.integers(1, 300), min_size=1, max_size=200), st.integers(0, 10**6), class_counts)
def test_free_bits_against_whole_numbers(cardinalities: list[int], distinct: int, classes: int) -> None:
    """Bits are those of exact arithmetic, in logarithms where a double overflows; too many inputs are refused."""
    domain = 1
    for size in cardinalities:
        domain *= size
    if distinct > domain:
        with pytest.raises(InputError, match="more than the"):
            free_function_bits(cardinalities, distinct, classes)
        return
    found = free_function_bits(cardinalities, distinct, classes)
    expected = (domain - distinct) * (10**6 * round(1e6 * log2(classes)))
    if expected == 0:
        assert (found.bits, found.log10_bits) == (0, -inf)
    else:
        assert found.log10_bits == pytest.approx(len(str(expected)) - 1 - 12, abs=1.001)
        assert (found.bits == inf) == (found.log10_bits >= 308)
    assert 0 <= found.pinned <= 1
    assert isfinite(found.log10_domain)


def test_pixels_do_not_overflow() -> None:
    """An image's domain is far beyond doubles, and its logarithm is not."""
    found = free_function_bits([256] * 784, 60_000, 10)
    assert found.bits == inf
    assert found.log10_bits == pytest.approx(784 * log10(256) + log10(log2(10)))
    assert found.pinned == 0


def test_label_rate_of_ten_classes() -> None:
    """With k = 10 and a tenth of the labels wrong 2.5359 bits a label are left."""
    assert round(label_rate(1, 10, 0.1), 4) == 2.5359


@few_properties
@given(st.integers(1, 200), st.floats(0, 1), st.floats(0, 1))
def test_label_rate_falls_from_all_bits_to_none(classes: int, error: float, other: float) -> None:
    """The rate is n·log2 k without errors, 0 from chance on, convex, and falls as errors are let in."""
    assert label_rate(7, classes, 0) == pytest.approx(memorised_bits(7, classes))
    assert label_rate(7, classes, 1) == 0
    low, high = min(error, other), max(error, other)
    assert label_rate(7, classes, high) <= label_rate(7, classes, low) + 1e-9
    middle = label_rate(7, classes, (low + high) / 2)
    assert middle <= (label_rate(7, classes, low) + label_rate(7, classes, high)) / 2 + 1e-9


def test_label_rate_is_the_least_mutual_information() -> None:
    """For two classes it is the minimum over channels of the mutual information, found on a grid."""
    error = 0.2
    flips = np.linspace(0, 1, 4001)
    # a channel from labels to guesses with error rates a and b of the two classes, (a + b)/2 = error
    a = flips[flips <= 2 * error]
    b = 2 * error - a
    joint = np.stack([(1 - a) / 2, a / 2, b / 2, (1 - b) / 2])
    out = np.stack([joint[0] + joint[2], joint[1] + joint[3]])
    safe = np.where(joint > 0, joint, 1)
    information = (joint * np.log2(safe / (out[[0, 1, 0, 1]] / 2))).sum(axis=0)
    assert information.min() == pytest.approx(label_rate(1, 2, error), abs=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda: memorised_bits(-1, 2),
        lambda: memorised_bits(1, 0),
        lambda: entropy_bits([]),
        lambda: entropy_bits([0, 0]),
        lambda: entropy_bits([-1, 2]),
        lambda: bits_per_parameter(1, 0),
        lambda: free_function_bits([], 1, 2),
        lambda: free_function_bits([0, 2], 1, 2),
        lambda: label_rate(1, 2, 1.5),
    ],
)
def test_numbers_outside_their_domain_are_refused(call: object) -> None:
    """What is no count or share is refused."""
    assert callable(call)
    with pytest.raises(InputError):
        call()
