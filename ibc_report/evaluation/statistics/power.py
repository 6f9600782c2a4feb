"""Which differences of two accuracies n test examples can show, and how many examples show a difference."""

from __future__ import annotations

from math import ceil, sqrt

from scipy.optimize import brentq
from scipy.special import ndtri

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.proportions import LEVEL, check_accuracy, check_count, two_sided

__all__ = [
    "POWER",
    "labels_paired",
    "labels_unpaired",
    "more_labels",
    "smallest_paired",
    "smallest_unpaired",
    "typical_disagreement",
]

POWER = 0.8
"""Probability with which a test is to find a difference that is there."""


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


def labels_unpaired(accuracy: float, difference: float, level: float = LEVEL, power: float = POWER) -> float:
    """Test examples of each model at which a two-proportion test finds a difference.

    n = [z√(2p̄(1−p̄)) + z_power·√(p₁(1−p₁) + p₂(1−p₂))]² / Δ², with p₂ = p₁ − Δ (Fleiss, Levin and Paik,
    *Statistical Methods for Rates and Proportions*, 3rd edition, equation 4.14).

    Parameters
    ----------
    accuracy : float
        Of the better model.
    difference : float
        How much worse the other is, above 0 and at most the accuracy.
    level, power : float
        1 − level is the two-sided size of the test; the power is the probability to find the difference.

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
    >>> round(labels_unpaired(0.6, 0.1))
    387
    """
    check_accuracy(accuracy)
    if not 0 < difference <= accuracy:
        raise InputError(f"difference {difference} is not above 0 and at most the accuracy {accuracy}")
    worse = accuracy - difference
    pooled = accuracy - difference / 2
    null = two_sided(level) * sqrt(2 * pooled * (1 - pooled))
    other = _one_sided(power) * sqrt(accuracy * (1 - accuracy) + worse * (1 - worse))
    return ((null + other) / difference) ** 2


def smallest_unpaired(accuracy: float, n: float, level: float = LEVEL, power: float = POWER) -> float | None:
    """Smallest difference that two models, each on its own n examples, can show: `labels_unpaired` solved for Δ.

    Parameters
    ----------
    accuracy : float
        Of the better model.

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
    >>> round(smallest_unpaired(0.6, 387), 3)
    0.1
    """
    check_count(n)
    check_accuracy(accuracy)
    if accuracy == 0 or labels_unpaired(accuracy, accuracy, level, power) > n:
        return None

    def excess(difference: float) -> float:
        return sqrt(labels_unpaired(accuracy, difference, level, power)) - sqrt(n)

    # the needed n falls as the difference grows, and passes all bounds as it goes to 0
    low = accuracy
    while excess(low) <= 0:
        low /= 2
    if low == accuracy:
        return accuracy
    return float(brentq(excess, low, min(2 * low, accuracy), xtol=1e-15, rtol=1e-12))


def labels_paired(disagreement: float, difference: float, level: float = LEVEL, power: float = POWER) -> float:
    """Test examples at which McNemar's test on the same examples finds a difference.

    n = [z√ψ + z_power·√(ψ − Δ²)]² / Δ² (Connor, Biometrics 1987).

    Parameters
    ----------
    disagreement : float
        Share ψ of examples on which exactly one of the two models is right.
    difference : float
        Of their accuracies Δ, above 0 and at most ψ.

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
    >>> round(labels_paired(0.2, 0.05))
    626
    """
    if not 0 < disagreement <= 1:
        raise InputError(f"disagreement {disagreement} is not above 0 and at most 1")
    if not 0 < difference <= disagreement:
        raise InputError(f"difference {difference} is not above 0 and at most the disagreement {disagreement}")
    null = two_sided(level) * sqrt(disagreement)
    other = _one_sided(power) * sqrt(disagreement - difference**2)
    return ((null + other) / difference) ** 2


def smallest_paired(disagreement: float, n: float, level: float = LEVEL, power: float = POWER) -> float | None:
    """Smallest difference that two models on the same n examples can show: `labels_paired` solved for Δ.

    Parameters
    ----------
    disagreement : float
        Share ψ of examples on which exactly one of the two models is right.

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
    >>> round(smallest_paired(0.2, 626), 3)
    0.05
    """
    check_count(n)
    if not 0 <= disagreement <= 1:
        raise InputError(f"disagreement {disagreement} is not within 0 and 1")
    if disagreement == 0 or labels_paired(disagreement, disagreement, level, power) > n:
        return None
    z, beta = two_sided(level), _one_sided(power)
    # the larger root of (n + β²)Δ² − 2z√(ψn)Δ + (z² − β²)ψ = 0
    root = beta * sqrt(disagreement * max(0.0, n + beta**2 - z**2))
    return min(disagreement, (z * sqrt(disagreement * n) + root) / (n + beta**2))


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
