"""Which differences of two accuracies n test examples can show, and how many examples show a difference."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, sqrt

from scipy.optimize import brentq
from scipy.special import ndtri

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.exact_power import paired_power, unpaired_power
from ibc_report.evaluation.statistics.proportions import LEVEL, check_accuracy, check_count, two_sided

__all__ = [
    "POWER",
    "corrected_level",
    "fleiss_labels",
    "labels_paired",
    "labels_unpaired",
    "more_labels",
    "pairs_of",
    "smallest_paired",
    "smallest_unpaired",
    "typical_disagreement",
]

POWER = 0.8
"""Probability with which a test is to find a difference that is there."""

EXACT_UNPAIRED = 500
"""Largest number of examples of each of two sets for which the power is enumerated: half a tenth of a second."""

EXACT_PAIRED = 2000
"""Largest expected number of examples on which two models disagree for which the power is enumerated."""

STEPS = 1.2
"""What discreteness adds to the critical value, times √n: the steps of a count are about 1/√n of its deviation."""

FOUND_TO = 1e-10
"""How closely a smallest difference is found."""


def typical_disagreement(accuracy: float) -> float:
    """Share of examples on which exactly one of two models is right, where none is measured: accuracy·(1 − accuracy).

    It is half of what models with independent errors would show; models of one task err on the same examples more
    often than that (Mania et al., NeurIPS 2019, arXiv 1905.12580).

    Raises
    ------
    InputError
        If the accuracy is not within 0 and 1.

    Examples
    --------
    >>> round(typical_disagreement(0.9), 2)
    0.09
    """
    check_accuracy(accuracy)
    return accuracy * (1 - accuracy)


def fleiss_labels(accuracy: float, difference: float, z: float, power: float = POWER) -> float:
    """Test examples of each model at which an asymptotic score test with this critical value finds a difference.

    n = [z√(2p̄(1−p̄)) + z_power·√(p₁(1−p₁) + p₂(1−p₂))]² / Δ², with p₂ = p₁ − Δ (Fleiss, Levin and Paik,
    *Statistical Methods for Rates and Proportions*, 3rd edition, equation 4.14).

    Parameters
    ----------
    accuracy : float
        Of the better model.
    difference : float
        How much worse the other is, above 0 and at most the accuracy.
    z : float
        Smallest statistic that is a finding.
    power : float
        Probability to find the difference.

    Returns
    -------
    float
        Examples, not rounded.

    Raises
    ------
    InputError
        If a number is outside its domain.

    Examples
    --------
    >>> round(fleiss_labels(0.6, 0.1, 1.96))
    387
    """
    check_accuracy(accuracy)
    if not 0 < difference <= accuracy:
        raise InputError(f"difference {difference} is not above 0 and at most the accuracy {accuracy}")
    worse = accuracy - difference
    pooled = accuracy - difference / 2
    null = z * sqrt(2 * pooled * (1 - pooled))
    other = _one_sided(power) * sqrt(accuracy * (1 - accuracy) + worse * (1 - worse))
    return ((null + other) / difference) ** 2


def labels_unpaired(accuracy: float, difference: float, level: float = LEVEL, power: float = POWER) -> float:
    """Test examples of each model at which the exact score test finds a difference.

    `fleiss_labels` at z + 1.2/√n: what the steps of counts and the exact test cost at most.

    Parameters
    ----------
    accuracy, difference, power
        As for `fleiss_labels`.
    level : float
        1 − level is the two-sided size of the test.

    Returns
    -------
    float
        Examples, not rounded: enough of them, and by at most about 6 % more than enough from 500 on.

    Examples
    --------
    >>> round(labels_unpaired(0.6, 0.1))
    404
    """
    z = two_sided(level)
    n = fleiss_labels(accuracy, difference, z, power)
    for _ in range(50):
        before, n = n, fleiss_labels(accuracy, difference, z + STEPS / sqrt(n), power)
        if abs(n - before) <= 1e-12 * n:
            break
    return n


def smallest_unpaired(accuracy: float, n: float, level: float = LEVEL, power: float = POWER) -> float | None:
    """Smallest difference that two models, each on its own n examples, show with the given probability.

    Up to 500 examples it is by enumeration of the test that is used, and just this probability is reached, since the
    power grows with the difference. Beyond, it is `labels_unpaired` solved for Δ, at which the power is between the one
    asked for and 0.015 more, 0.04 where fewer than ten answers are wrong.

    Parameters
    ----------
    accuracy, level, power
        As for `labels_unpaired`.

    Returns
    -------
    float or None
        None where even a model that is never right cannot be told from it.

    Raises
    ------
    InputError
        If a number is outside its domain.

    Examples
    --------
    >>> round(smallest_unpaired(0.6, 400), 3)
    0.098
    """
    check_count(n)
    check_accuracy(accuracy)
    _one_sided(power)
    if accuracy == 0:
        return None
    if n <= EXACT_UNPAIRED:
        size = round(n)
        return _smallest(
            lambda gap: unpaired_power(accuracy, size, max(0.0, accuracy - gap), size, level), accuracy, power
        )
    z = two_sided(level) + STEPS / sqrt(n)

    def excess(difference: float) -> float:
        return sqrt(n) - sqrt(fleiss_labels(accuracy, difference, z, power))

    if excess(accuracy) < 0:
        return None
    # the needed n falls as the difference grows, and passes all bounds as it goes to 0
    low = accuracy
    while excess(low) >= 0:
        low /= 2
    return float(brentq(excess, low, min(2 * low, accuracy), xtol=1e-15, rtol=1e-12))


def labels_paired(disagreement: float, difference: float, level: float = LEVEL, power: float = POWER) -> float:
    """Test examples at which McNemar's exact test on the same examples finds a difference.

    nΔ = 1 + z√(nψ) + z_power·√(n(ψ − Δ²)), solved for n: Connor's formula (Biometrics 1987) with a continuity
    correction, the 1, which is what the exact test costs.

    Parameters
    ----------
    disagreement : float
        Share ψ of examples on which exactly one of the two models is right.
    difference : float
        Of their accuracies Δ, above 0 and at most ψ.
    level, power
        As for `labels_unpaired`.

    Returns
    -------
    float
        Examples, not rounded: enough of them; with 20 on which the models disagree the power is 0.05 above the one
        asked for, with 200 0.004.

    Raises
    ------
    InputError
        If a number is outside its domain.

    Examples
    --------
    >>> round(labels_paired(0.2, 0.05))
    665
    """
    if not 0 < disagreement <= 1:
        raise InputError(f"disagreement {disagreement} is not above 0 and at most 1")
    if not 0 < difference <= disagreement:
        raise InputError(f"difference {difference} is not above 0 and at most the disagreement {disagreement}")
    null = two_sided(level) * sqrt(disagreement)
    other = _one_sided(power) * sqrt(disagreement - difference**2)
    return ((null + other + sqrt((null + other) ** 2 + 4 * difference)) / (2 * difference)) ** 2


def smallest_paired(disagreement: float, n: float, level: float = LEVEL, power: float = POWER) -> float | None:
    """Smallest difference that two models on the same n examples show with the given probability.

    While at most 2,000 examples are expected on which they disagree it is by enumeration of McNemar's exact test, and
    just this probability is reached, since the power grows with the difference. Beyond, it is `labels_paired` solved
    for Δ, at which the power is between the one asked for and 0.001 more.

    Parameters
    ----------
    disagreement, level, power
        As for `labels_paired`.

    Returns
    -------
    float or None
        None where models that disagree so rarely cannot be told apart on n examples.

    Raises
    ------
    InputError
        If a number is outside its domain.

    Examples
    --------
    >>> round(smallest_paired(0.2, 666), 3)
    0.05
    """
    check_count(n)
    if not 0 <= disagreement <= 1:
        raise InputError(f"disagreement {disagreement} is not within 0 and 1")
    z, beta = two_sided(level), _one_sided(power)
    if disagreement == 0:
        return None
    if n * disagreement <= EXACT_PAIRED:
        return _smallest(paired_power(disagreement, round(n), level), disagreement, power)

    def excess(difference: float) -> float:
        return n * difference - 1 - z * sqrt(n * disagreement) - beta * sqrt(n * max(0.0, disagreement - difference**2))

    if excess(disagreement) < 0:
        return None
    return float(brentq(excess, 0.0, disagreement, xtol=1e-15, rtol=1e-12))


def _smallest(power_at: Callable[[float], float], largest: float, power: float) -> float | None:
    if power_at(largest) < power:
        return None
    found = float(brentq(lambda difference: power_at(difference) - power, 0.0, largest, xtol=FOUND_TO))
    # a root is on either side of what is asked for
    return min(largest, found + 2 * FOUND_TO)


def pairs_of(models: int) -> int:
    """Pairs of so many models; 1 where there are fewer than two, whose pair is yet to come.

    Examples
    --------
    >>> pairs_of(10), pairs_of(1)
    (45, 1)
    """
    return max(1, models * (models - 1) // 2)


def corrected_level(comparisons: int, level: float = LEVEL) -> float:
    """Level at which one of several comparisons has to be a finding, for the strictest of Holm's procedure.

    A difference that is found at it is found whatever the others are; where others are found first, less suffices.

    Examples
    --------
    >>> round(1 - corrected_level(45), 6)
    0.001111
    """
    return 1 - (1 - level) / comparisons


def more_labels(needed: float, n: float) -> int:
    """How many labels to add to n, to have those that are needed.

    Parameters
    ----------
    needed : float
        From `labels_unpaired` or `labels_paired`.

    Examples
    --------
    >>> more_labels(1548.2, 387)
    1162
    """
    # a root found to twelve digits must not cost one label more
    return max(0, ceil(needed - n - 1e-6))


def _one_sided(power: float) -> float:
    if not 0.5 <= power < 1:
        raise InputError(f"power {power} is not at least 0.5 and below 1; take 0.8, say")
    return float(ndtri(power))
