"""How wide a text is, in the font that figures and badges are laid out for: DejaVu Sans, whose widths Verdana has.

A reader may have another sans-serif font; those in use are narrower.
"""

from __future__ import annotations

import unicodedata

__all__ = ["width"]

FIRST = " "

# fmt: off
WIDTHS = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
)
# fmt: on
"""Of the characters of ASCII from the space on, in thousandths of the size."""

RAISED = dict.fromkeys("⁰¹²³⁴⁵⁶⁷⁸⁹", 401) | {"⁻": 528, "⋅": 318, "·": 318, "−": 838, "…": 1000}

UNKNOWN = 650
"""Of any other: that of most letters."""

WIDE = 1000
"""East Asian characters and emoji are square."""


def width(text: str, size: float) -> float:
    """Say how wide a text is.

    Parameters
    ----------
    size : float
        Of the font, in any unit.

    Returns
    -------
    float
        In the unit of the size.

    Examples
    --------
    >>> width("bits", 11)
    20.086
    """
    return sum(_thousandths(letter) for letter in text) * size / 1000


def _thousandths(letter: str) -> int:
    place = ord(letter) - ord(FIRST)
    if 0 <= place < len(WIDTHS):
        return WIDTHS[place]
    if letter in RAISED:
        return RAISED[letter]
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return WIDE if unicodedata.east_asian_width(letter) in ("W", "F") else UNKNOWN
