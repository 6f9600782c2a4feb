"""How numbers are worded: one place for rounding, so that every rendering says the same."""

from __future__ import annotations

from math import floor, isfinite

__all__ = ["amount", "count", "counted", "exponent", "number", "percent", "power", "proportion", "scientific"]

SIGNIFICANT = 4


def number(value: float) -> str:
    """Word a measured number with four significant digits.

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
        return f"{int(value):,}".replace("-", "−")
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


def amount(size: float) -> str:
    """Word a number of bytes as `--memory` is written.

    Examples
    --------
    >>> amount(800), amount(4 << 20), amount(7.2e9)
    ('under 1 MB', '4.2 MB', '7.2 GB')
    """
    if size < 10**6:
        return "0 bytes" if size == 0 else "under 1 MB"
    unit, name = next((unit, name) for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB")) if size >= unit)
    return f"{size / unit:,.1f} {name}"


def exponent(log10_value: float) -> str:
    """Word the decimal exponent of bits: one decimal, for more would claim too much.

    Examples
    --------
    >>> exponent(16.1716)
    '16.2'
    """
    # adding 0 takes the sign off a rounded −0.0
    return f"{round(log10_value, 1) + 0.0:.1f}".replace("-", "−")


def power(log10_value: float) -> str:
    """Word a number by its decimal logarithm.

    Examples
    --------
    >>> power(14.92), power(float("-inf")), power(2.0)
    ('10^14.9', '0', '100')
    """
    if log10_value == float("-inf"):
        return "0"
    # a power of a logarithm misses whole numbers by its last digits
    return number(round(10**log10_value, 9)) if -3 < log10_value < 6 else f"10^{exponent(log10_value)}"


def scientific(log10_value: float) -> str:
    """Word a number that has been published by its decimal logarithm, with four significant digits.

    Examples
    --------
    >>> scientific(16.171669), scientific(float("-inf")), scientific(400.5)
    ('1.485 × 10^16', '0', '3.162 × 10^400')
    """
    if log10_value < 300:
        return number(10**log10_value)
    whole = floor(log10_value)
    mantissa = f"{10 ** (log10_value - whole):.{SIGNIFICANT - 1}f}"
    # 9.9996 rounds to 10.000
    return f"1.000 × 10^{whole + 1}" if mantissa.startswith("10") else f"{mantissa} × 10^{whole}"


def percent(share: float) -> str:
    """Word a share in percent.

    Examples
    --------
    >>> percent(0.0265), percent(0.5)
    ('2.65 %', '50 %')
    """
    text = f"{100 * share:.3g}"
    return f"{number(float(text)) if 'e' in text else text} %".replace("-", "−")


def proportion(count_: float, total: float) -> str:
    """Word a share in percent with two significant digits, and 100 % for all alone.

    Examples
    --------
    >>> proportion(1, 3), proportion(999, 1000), proportion(50, 50)
    ('33 %', 'over 99 %', '100 %')
    """
    rounded = float(f"{count_ / total:.2g}")
    return "over 99 %" if rounded >= 1 and count_ < total else percent(rounded)


def counted(count_: int, what: str) -> str:
    """Word a count of things: "rows without a label", of which there may be one.

    Parameters
    ----------
    what : str
        A noun phrase in the plural.

    Examples
    --------
    >>> counted(2, "rows without a label"), counted(1, "images that do not decode")
    ('2 rows without a label', '1 image that does not decode')
    """
    if count_ == 1:
        noun, _, rest = what.partition(" ")
        singular = rest.replace("that do not", "that does not", 1)
        what = f"{noun.removesuffix('s')} {singular}".strip()
    return f"{count(count_)} {what}"
