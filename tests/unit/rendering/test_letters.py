"""Widths of texts: against the font that they are those of."""

from __future__ import annotations

import pytest
from matplotlib import font_manager, ft2font
from matplotlib.ft2font import LoadFlags

from ibc_report.rendering import letters


def test_the_table_is_that_of_the_font() -> None:
    """Each printable character of ASCII, and each raised one, is as wide as DejaVu Sans draws it."""
    font = ft2font.FT2Font(font_manager.findfont("DejaVu Sans", fallback_to_default=False))
    font.set_size(1000, 72)
    for letter in [chr(place) for place in range(32, 127)] + list(letters.RAISED):
        advance = font.load_char(ord(letter), flags=LoadFlags.NO_HINTING).linearHoriAdvance / 65536
        assert letters.width(letter, 1000) == pytest.approx(advance, abs=0.51), letter


def test_what_the_table_lacks_is_estimated() -> None:
    """A wide character is square, one that combines has no width, and any other that of most letters."""
    assert letters.width("漢", 10) == 10
    assert letters.width("e\u0301", 10) == letters.width("e", 10)
    assert letters.width("ש", 10) == 6.5
    assert letters.width("", 10) == 0
