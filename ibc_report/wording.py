"""How numbers are worded: one place for rounding, so that every rendering says the same."""

from __future__ import annotations

from math import isfinite

__all__ = ["count", "exponent", "number", "percent", "power"]

SIGNIFICANT = 4


def number(value: float) -> str:
    """Word a measured number with four significant digits.

    Parameters
    ----------
    value : float

    Returns
    -------
    str

    Examples
    --------
    >>> number(2.3987084824), number(0.01), number(60000.0), number(6.978976e40)
    ('2.399', '0.01', '60,000', '6.979 × 10^40')
    """
    if not isfinite(value):
        return "not finite"
    if value == 0:
        return "0"
    mantissa, _, power_of_ten = f"{value:.{SIGNIFICANT - 1}e}".partition("e")
    size = int(power_of_ten)
    if size >= 9 or size < -5:
        return f"{mantissa} × 10^{size}".replace("-", "−")
    if float(value).is_integer():
        return f"{int(value):,}"
    text = f"{value:,.{max(0, SIGNIFICANT - 1 - size)}f}"
    if float(text.replace(",", "")) == value:  # exact as it stands, so trailing zeros would add nothing
        text = text.rstrip("0")
    return text.replace("-", "−")


def count(value: int) -> str:
    """Word a count, with a separator for thousands.

    Examples
    --------
    >>> count(60000)
    '60,000'
    """
    return f"{value:,}"


def exponent(log10_value: float) -> str:
    """Word the decimal exponent of bits: one decimal, for more would claim too much.

    Examples
    --------
    >>> exponent(16.1716)
    '16.2'
    """
    return f"{log10_value:.1f}".replace("-", "−")


def power(log10_value: float) -> str:
    """Word a number by its decimal logarithm.

    Examples
    --------
    >>> power(14.92), power(float("-inf")), power(2.0)
    ('10^14.9', '0', '100')
    """
    if log10_value == float("-inf"):
        return "0"
    return number(10**log10_value) if -3 < log10_value < 6 else f"10^{exponent(log10_value)}"


def percent(share: float) -> str:
    """Word a share in percent.

    Examples
    --------
    >>> percent(0.0265), percent(0.5)
    ('2.65 %', '50 %')
    """
    return f"{100 * share:.3g} %"
