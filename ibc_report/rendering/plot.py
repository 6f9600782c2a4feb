"""What a figure shows, in no format: two axes, and the marks and words between them.

A plot is drawn twice: as SVG by `ibc_report.rendering.svg`, for pages, and by matplotlib in
`ibc_report.rendering.matplotlib_figure`, for PNG. Lengths are points, of 1/72 inch; colours are names of a theme's.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import Literal

__all__ = ["Axis", "Band", "Bar", "Color", "Dots", "Item", "Key", "Line", "Plot", "Shape", "Words"]

Color = Literal["ink", "muted", "grid", "accent"]

Shape = Literal["circle", "diamond", "square", "cross", "dash"]

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis with its ends, and what stands along it.

    Parameters
    ----------
    low, high : float
        Ends, in what it shows; above 0 where it is logarithmic.
    ticks : tuple of (float, str)
        Places within the ends, and what is written there.

    Examples
    --------
    >>> Axis("n", 1.0, 100.0, (), logarithmic=True).share(10.0)
    0.5
    """

    label: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value lies, from 0 at its lower end to 1."""
        if self.logarithmic:
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Line:
    """Straight pieces through some points."""

    points: tuple[Point, ...]
    color: Color
    width: float
    dotted: bool = False


@dataclass(frozen=True, slots=True)
class Dots:
    """The same mark at some points.

    Parameters
    ----------
    size : float
        Its width.
    filled : bool
        Otherwise its outline alone.
    """

    points: tuple[Point, ...]
    shape: Shape
    size: float
    color: Color
    filled: bool = True


@dataclass(frozen=True, slots=True)
class Band:
    """What lies between two lines: at each x a lower and an upper end."""

    points: tuple[tuple[float, float, float], ...]
    color: Color


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from left to right about a height."""

    left: float
    right: float
    middle: float
    height: float
    color: Color


@dataclass(frozen=True, slots=True)
class Words:
    """A label.

    Parameters
    ----------
    text : str
        As it is read; of a power, "10^" and the exponent, which is raised.
    x, y : float
        Where it stands, along the axes or, as `x_is_share` and `y_is_share` say, as a share of them.
    shift : tuple of float
        Points to the right and upwards from there.
    anchor : {"start", "end"}
        Which end of the text stands there.
    centred : bool
        Whether the middle of its height stands there; otherwise its foot.
    """

    text: str
    x: float
    y: float
    size: float
    color: Color
    shift: Point = (0.0, 0.0)
    anchor: Literal["start", "end"] = "start"
    centred: bool = True
    bold: bool = False
    is_power: bool = False
    x_is_share: bool = False
    y_is_share: bool = False


Item = Line | Dots | Band | Bar | Words


@dataclass(frozen=True, slots=True)
class Key:
    """A line of the legend: what it names, as it is drawn, and its name, of one or more lines."""

    text: str
    color: Color
    shape: Shape | None


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure.

    Parameters
    ----------
    width, height : float
        Of the whole, its labels included.
    items : tuple
        From the lowest to the uppermost.
    legend : tuple of Key
        In the upper right corner.
    has_rows : bool
        Whether the vertical axis has rows with titles of their own: no labels, and lines across only where ticks are.
    """

    width: float
    height: float
    x: Axis
    y: Axis
    items: tuple[Item, ...]
    legend: tuple[Key, ...] = ()
    has_rows: bool = False
