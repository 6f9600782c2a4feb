"""What a test set of n examples can resolve: intervals, smallest differences, and labels that would halve them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.power import (
    POWER,
    corrected_level,
    labels_paired,
    labels_unpaired,
    more_labels,
    pairs_of,
    smallest_paired,
    smallest_unpaired,
    typical_disagreement,
)
from ibc_report.evaluation.statistics.proportions import LEVEL, Interval, clopper_pearson, halfwidth, wald, wilson

__all__ = ["ACCURACIES", "MODELS", "AtAccuracy", "Resolution", "WidthCurve", "precision", "width_curve"]

MODELS = 10
"""Models for which it is told what the correction for all pairs costs."""

ACCURACIES = (0.5, 0.8, 0.9, 0.95, 0.99)
"""Accuracies at which a card states the precision."""

CURVE_POINTS = 25


@dataclass(frozen=True, slots=True)
class AtAccuracy:
    """What n examples resolve about a model of one accuracy.

    Parameters
    ----------
    accuracy : float
        Of the model, or of the better of two.
    wilson, clopper_pearson, wald : Interval
        Of the accuracy; the last for comparison only.
    unpaired : float or None
        Smallest difference of two models that are tested on different examples; None where there is none.
    unpaired_more : int or None
        Labels to add for half of it.
    disagreement : float
        Share of examples on which exactly one of two models on the same examples is assumed to be right.
    paired : float or None
        Smallest difference of such two; None where there is none.
    paired_more : int or None
        Labels to add for half of it.
    paired_corrected : float or None
        Smallest such difference where all pairs of ten models are compared, and the p are corrected.
    """

    accuracy: float
    wilson: Interval
    clopper_pearson: Interval
    wald: Interval
    unpaired: float | None
    unpaired_more: int | None
    disagreement: float
    paired: float | None
    paired_more: int | None
    paired_corrected: float | None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a test set can resolve.

    Parameters
    ----------
    level : float
        Share of samples that the intervals cover; 1 − level is the two-sided size of the tests.
    power : float
        Probability with which the smallest differences are found.
    """

    n: int
    level: float
    power: float
    rows: tuple[AtAccuracy, ...]


@dataclass(frozen=True, slots=True)
class WidthCurve:
    """Half the width of the Wilson interval against the number of examples.

    Parameters
    ----------
    n : tuple of int
        Numbers of examples, ascending, evenly spaced in the logarithm.
    halfwidths : dict of float to tuple of float
        By accuracy.
    """

    n: tuple[int, ...]
    halfwidths: dict[float, tuple[float, ...]]


def precision(
    n: int,
    *,
    accuracies: tuple[float, ...] = ACCURACIES,
    disagreement: float | None = None,
    level: float = LEVEL,
    power: float = POWER,
) -> Resolution:
    """State what n test examples can resolve.

    Parameters
    ----------
    disagreement : float, optional
        Share of examples on which exactly one of two models is right; accuracy·(1 − accuracy), half of that of models
        with independent errors, by default.

    Raises
    ------
    InputError
        If a number is outside its domain.

    Examples
    --------
    >>> at = precision(1319).rows[1]
    >>> round(100 * at.wilson.halfwidth, 2), round(100 * at.unpaired, 2), round(100 * at.paired, 2)
    (2.16, 4.59, 3.15)
    """

    def row(accuracy: float) -> AtAccuracy:
        correct = accuracy * n
        assumed = typical_disagreement(accuracy) if disagreement is None else disagreement
        unpaired = smallest_unpaired(accuracy, n, level, power)
        paired = smallest_paired(assumed, n, level, power)
        return AtAccuracy(
            accuracy=accuracy,
            wilson=wilson(correct, n, level),
            clopper_pearson=clopper_pearson(correct, n, level),
            wald=wald(correct, n, level),
            unpaired=unpaired,
            unpaired_more=None
            if unpaired is None
            else more_labels(labels_unpaired(accuracy, unpaired / 2, level, power), n),
            disagreement=assumed,
            paired=paired,
            paired_more=None if paired is None else more_labels(labels_paired(assumed, paired / 2, level, power), n),
            paired_corrected=smallest_paired(assumed, n, corrected_level(pairs_of(MODELS), level), power),
        )

    return Resolution(n, level, power, tuple(row(accuracy) for accuracy in accuracies))


def width_curve(
    n: int, *, accuracies: tuple[float, ...] = ACCURACIES, level: float = LEVEL, decades: float = 1.5
) -> WidthCurve:
    """Half-widths of the Wilson interval around a number of examples, to plot.

    Parameters
    ----------
    n : int
        Examples of the split; one of the points.
    decades : float
        How far to go from n on both sides.

    Raises
    ------
    InputError
        If a number is outside its domain.

    Examples
    --------
    >>> curve = width_curve(1000, accuracies=(0.8,))
    >>> 1000 in curve.n, round(curve.halfwidths[0.8][curve.n.index(1000)], 4)
    (True, 0.0248)
    """
    if n < 1 or decades <= 0:
        raise InputError(f"n = {n} and {decades} decades make no curve; both have to be above 0")
    around = n * 10 ** np.linspace(-decades, decades, CURVE_POINTS)
    sizes = tuple(sorted({max(1, round(float(size))) for size in around} | {n}))
    return WidthCurve(
        sizes,
        {accuracy: tuple(halfwidth(accuracy, size, level=level) for size in sizes) for accuracy in accuracies},
    )
