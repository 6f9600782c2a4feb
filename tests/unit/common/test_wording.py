"""Wording: how numbers are rounded and written, in tables and over all magnitudes."""

from __future__ import annotations

import re
from math import inf, log10, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common import wording
from tests.support.samples import properties


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (60000, "60,000"),
        (123456789, "123,456,789"),
        (2.3987084824, "2.399"),
        (17.179045827, "17.18"),
        (1797.0, "1,797"),
        (12345.67, "12,346"),
        (0.001, "0.001"),
        (0.5, "0.5"),
        (0.00012345, "0.0001234"),
        (9.9996, "10.00"),
        (6.978976e40, "6.979 × 10^40"),
        (1e9, "1.000 × 10^9"),
        (7.27e-10, "7.270 × 10^−10"),
        (-2.5, "−2.5"),
        (-3, "−3"),
        (-1234567, "−1,234,567"),
        (inf, "not finite"),
        (nan, "not finite"),
    ],
    ids=str,
)
def test_numbers_have_four_significant_digits(value: float, text: str) -> None:
    """A whole number is written out, another with four significant digits, a very large or small one as a power."""
    assert wording.number(value) == text


@properties
@given(st.floats(1e-300, 1e300))
def test_a_worded_number_reads_back_within_its_rounding(value: float) -> None:
    """Over all magnitudes the text is the number to half a unit of the fourth digit, and holds no 'e' notation."""
    text = wording.number(value)
    mantissa, _, power = text.replace(",", "").replace("−", "-").partition(" × 10^")
    assert float(mantissa) * 10.0 ** int(power or 0) == pytest.approx(value, rel=5.001e-4)
    assert "e" not in text


@properties
@given(st.floats(1e-300, 1e300))
def test_a_minus_is_a_minus_sign(value: float) -> None:
    """A negative number is the positive one after a minus sign, never after a hyphen."""
    assert wording.number(-value) == "−" + wording.number(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [(16.1716, "16.2"), (0.0, "0.0"), (-9.14, "−9.1"), (-0.04, "0.0"), (0.96, "1.0")],
    ids=str,
)
def test_exponents_have_one_decimal(value: float, text: str) -> None:
    """A card prints one digit of the exponent's fraction, and no negative zero."""
    assert wording.exponent(value) == text


@pytest.mark.parametrize(
    ("log10_value", "text"),
    [(-inf, "0"), (2.0, "100"), (log10(0.25), "0.25"), (5.9999, "999,770"), (6.0, "10^6.0"), (-3.5, "10^−3.5")],
    ids=str,
)
def test_powers_are_numbers_where_those_can_be_read(log10_value: float, text: str) -> None:
    """From a thousandth to a million a power is written as a number, else by its exponent."""
    assert wording.power(log10_value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0265, "2.65 %"),
        (0.5, "50 %"),
        (1.0, "100 %"),
        (0.95, "95 %"),
        (0.0, "0 %"),
        (1e-7, "0.00001 %"),
        (12.5, "1,250 %"),
        (123.456, "12,300 %"),
    ],
    ids=str,
)
def test_shares_are_percent_without_powers(share: float, text: str) -> None:
    """A share has three significant digits in percent and is never written as 1e-05."""
    assert wording.percent(share) == text


@pytest.mark.parametrize(
    ("log10_value", "text"),
    [
        (log10(1.484804e16), "1.485 × 10^16"),
        (145.2527178, "1.789 × 10^145"),
        (4674.8762657, "7.521 × 10^4674"),
        (400 - 1e-6, "1.000 × 10^400"),
        (-inf, "0"),
    ],
    ids=str,
)
def test_published_bits_have_four_digits_beyond_doubles_too(log10_value: float, text: str) -> None:
    """Bits that no double holds are still written with their mantissa."""
    assert wording.scientific(log10_value) == text


@properties
@given(st.integers(0, 10**12))
def test_counts_are_exact(value: int) -> None:
    """A count keeps every digit, in groups of three."""
    text = wording.count(value)
    assert int(text.replace(",", "")) == value
    assert re.fullmatch(r"\d{1,3}(,\d{3})*", text)


@pytest.mark.parametrize(
    ("count", "what", "said"),
    [
        (1, "rows without a label", "1 row without a label"),
        (2, "rows without a label", "2 rows without a label"),
        (1200, "rows with the label −1", "1,200 rows with the label −1"),
        (1, "images that do not decode", "1 image that does not decode"),
        (1, "lines that do not hold a JSON object", "1 line that does not hold a JSON object"),
        (1, "texts shorter than 2 characters", "1 text shorter than 2 characters"),
        (1, "lines with more fields than the header", "1 line with more fields than the header"),
        (1, "rows", "1 row"),
    ],
)
def test_one_thing_is_in_the_singular(count: int, what: str, said: str) -> None:
    """One row is a row, and what is said of it agrees with it."""
    assert wording.counted(count, what) == said


@pytest.mark.parametrize(("count", "said"), [(0, "0 %"), (1, "0.0001 %"), (999_999, "over 99 %"), (10**6, "100 %")])
def test_a_share_is_100_only_for_all(count: int, said: str) -> None:
    """Nearly all is not called all."""
    assert wording.proportion(count, 10**6) == said
