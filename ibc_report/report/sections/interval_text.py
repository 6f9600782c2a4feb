"""How results word shares, differences and intervals."""

from __future__ import annotations

from collections.abc import Callable

from ibc_report.evaluation.statistics.proportions import Interval
from ibc_report.report.schema.results import IntervalRecord

__all__ = ["difference", "interval", "points", "probability", "share", "shares", "signed"]


def share(value: float, n: float) -> str:
    """Word an accuracy in percent, with two decimals from 10,000 examples on.

    Examples
    --------
    >>> share(0.8, 100), share(0.98765, 10_000)
    ('80.0 %', '98.77 %')
    """
    return f"{100 * value:.{2 if n >= 10_000 else 1}f} %"


def shares(of: Interval, n: float) -> IntervalRecord:
    """Record an interval of an accuracy.

    Examples
    --------
    >>> shares(Interval(0.7112, 0.8666), 100).text
    '71.1–86.7 %'
    """
    return interval(of, lambda value: share(value, n).removesuffix(" %"), "–", " %")


def points(value: float) -> str:
    """Word a difference of accuracies in points of percent.

    Examples
    --------
    >>> points(0.098), points(-0.0004)
    ('+9.8', '0.0')
    """
    rounded = round(100 * value, 1)
    return f"{rounded:+.1f}".replace("-", "−") if rounded else "0.0"


def difference(of: Interval) -> IntervalRecord:
    """Record an interval of a difference of accuracies, in points of percent.

    Examples
    --------
    >>> difference(Interval(0.0638, 0.1319)).text
    '+6.4 to +13.2'
    """
    return interval(of, points)


def signed(value: float) -> str:
    """Word a skill or a correlation.

    Examples
    --------
    >>> signed(-0.3), signed(0.5)
    ('−0.300', '0.500')
    """
    return f"{round(value, 3) + 0.0:.3f}".replace("-", "−")


def interval(of: Interval, word: Callable[[float], str], between: str = " to ", unit: str = "") -> IntervalRecord:
    """Record an interval with its words.

    Examples
    --------
    >>> interval(Interval(-0.3, 0.5), signed).text
    '−0.300 to 0.500'
    """
    return IntervalRecord(lower=of.lower, upper=of.upper, text=f"{word(of.lower)}{between}{word(of.upper)}{unit}")


def probability(value: float) -> str:
    """Word a p-value with two significant digits.

    Examples
    --------
    >>> probability(0.0330), probability(0.3), probability(4.43e-6), probability(0.0)
    ('0.033', '0.30', '4.4e-06', '< 1e-12')
    """
    return f"{value:#.2g}" if value >= 1e-12 else "< 1e-12"
