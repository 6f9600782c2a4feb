"""Where an axis has ticks: at round numbers, few enough to be read."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

__all__ = ["even", "logarithmic", "whole"]

MOST = 6
"""Steps of an axis, at most."""

ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
"""Steps that are round, times a power of ten."""

SLACK = 1e-9
"""Share of a step by which a tick may lie beyond an end: its rounding."""


def even(low: float, high: float, most: int = MOST) -> list[float]:
    """Give evenly spaced round numbers between two ends.

    Examples
    --------
    >>> even(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    size = 10.0 ** floor(log10((high - low) / most))
    step = next(size * digit for digit in ROUND if (high - low) / (size * digit) <= most * (1 + SLACK))
    return _multiples(low, high, step)


def whole(low: float, high: float, most: int = MOST) -> list[float]:
    """Give evenly spaced whole numbers between two ends.

    Examples
    --------
    >>> whole(0.3, 3.2), whole(0.0, 40.0)
    ([1.0, 2.0, 3.0], [0.0, 10.0, 20.0, 30.0, 40.0])
    """
    size, digits = 1, (1, 2, 5)
    while True:
        for digit in digits:
            if (high - low) / (size * digit) <= most:
                return _multiples(low, high, float(size * digit))
        size *= 10


def logarithmic(low: float, high: float, digits: Sequence[int], most: int = MOST) -> list[float]:
    """Give numbers that are a digit times a power of ten between two ends; powers alone, and every so many, for many.

    Parameters
    ----------
    digits : sequence of int
        From 1 to 9.

    Examples
    --------
    >>> logarithmic(0.5, 30.0, (1, 2, 5))
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
    """
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    stride = 1
    if tuple(digits) == (1,):
        within = [power for power in powers if low <= 10.0**power <= high]
        stride = max(1, ceil(len(within) / most))
    found = [digit * 10.0**power for power in powers if power % stride == 0 for digit in digits]
    return [value for value in found if low * (1 - SLACK) <= value <= high * (1 + SLACK)]


def _multiples(low: float, high: float, step: float) -> list[float]:
    first, last = ceil(low / step - SLACK), floor(high / step + SLACK)
    # a product of whole numbers, and no sum of steps, whose rounding would be seen
    return [round(count * step, 12) + 0.0 for count in range(first, last + 1)]
