"""A plot as SVG: for a page, whose colours it takes, or as a file of its own.

Text stays text, set by the reader's font, and all that comes from a report is escaped. Nothing has an id, a style
sheet or a script, so that any number of figures may stand in any page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from markupsafe import Markup, escape

from ibc_report.rendering import letters
from ibc_report.rendering.plot import Axis, Band, Bar, Color, Dots, Item, Key, Line, Plot, Shape, Words
from ibc_report.rendering.themes import DARK, LIGHT

__all__ = ["Frame", "inline", "standalone"]

FONT = 9.0
"""Points of an axis' labels."""

LEGEND = 7.5
"""Points of the legend."""

GAP = 4.0
"""Between an axis and its labels."""

EDGE = 6.0
"""Left free around a figure."""

RISE = 0.35
"""Of a font's size, from its foot to the middle of its letters; a raised exponent stands as much higher."""

RAISED = 0.85
"""Size of a raised exponent."""

LINE = 1.25
"""Of a font's size, from one line to the next."""


NOTHING = Markup("")


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the axes of a plot lie in it, from the left and the top, in points.

    Parameters
    ----------
    left, right, top, bottom : float
        Of the rectangle between the axes.
    """

    left: float
    right: float
    top: float
    bottom: float

    @classmethod
    def of(cls, plot: Plot) -> Frame:
        """Leave room for what stands along the axes.

        Examples
        --------
        >>> bare = Axis("", 0.0, 1.0, ())
        >>> Frame.of(Plot(100, 50, bare, bare, ())).right
        94.0
        """
        labels = max((letters.width(text, FONT) for _, text in plot.y.ticks), default=0.0)
        left = EDGE + (0.0 if plot.has_rows else labels + GAP) + (LINE * FONT if plot.y.label else 0.0)
        over = max((_beyond(plot.x, place, text) for place, text in plot.x.ticks), default=0.0)
        under = GAP + FONT + (LINE * FONT if plot.x.label else 0.0)
        return cls(left, plot.width - max(EDGE, over), EDGE, plot.height - under - 0.5 * EDGE)

    def x(self, share: float) -> float:
        """Place of a share of the horizontal axis."""
        return self.left + share * (self.right - self.left)

    def y(self, share: float) -> float:
        """Place of a share of the vertical axis."""
        return self.bottom - share * (self.bottom - self.top)


def inline(plot: Plot) -> Markup:
    """Write a plot for a page.

    Returns
    -------
    Markup
        An svg element, the same for the same plot: its colours are the page's variables ``--ibc-ink`` and so on, or
        else those of a light page, and its size is the page's to set.
    """
    frame = Frame.of(plot)
    parts = [*_axes(plot, frame)]
    for item in plot.items:
        parts.extend(_item(item, plot, frame))
    parts.extend(_legend(plot.legend, frame))
    opening = Markup('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="sans-serif">\n').format(
        _number(plot.width), _number(plot.height)
    )
    return opening + Markup("\n").join(parts) + Markup("\n</svg>\n")


def standalone(drawn: Markup) -> Markup:
    """Make an SVG of `inline` a file of its own, which follows the reader's colour scheme."""
    dark = Markup(" ").join(Markup("--ibc-{}: {};").format(name, colour) for name, colour in _colours(DARK))
    style = Markup("<style>@media (prefers-color-scheme: dark) {{ svg {{ {} }} }}</style>").format(dark)
    opening = drawn.index(">") + 1
    return Markup('<?xml version="1.0" encoding="utf-8"?>\n') + drawn[:opening] + style + drawn[opening:]


def _colours(theme: object) -> Iterator[tuple[str, str]]:
    return ((field.name, getattr(theme, field.name)) for field in fields(LIGHT))


def _colour(name: Color) -> str:
    return f"var(--ibc-{name}, {getattr(LIGHT, name)})"


def _number(value: float) -> str:
    """A length to a hundredth of a point."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _beyond(axis: Axis, place: float, text: str) -> float:
    """How far the label of a tick at the end of an axis reaches beyond it."""
    return letters.width(text, FONT) / 2 if axis.share(place) > 0.9 else 0.0


def _axes(plot: Plot, frame: Frame) -> Iterator[Markup]:
    """Lines at the ticks, the two axes, and their labels."""
    steps = [f"M{_number(frame.x(plot.x.share(place)))} {_number(frame.top)}V{_number(frame.bottom)}"
             for place, _ in plot.x.ticks]  # fmt: skip
    steps += [
        f"M{_number(frame.left)} {_number(frame.y(plot.y.share(place)))}H{_number(frame.right)}"
        for place, _ in plot.y.ticks
    ]
    yield _path("".join(steps), "grid", 0.6)
    corner = f"M{_number(frame.left)} {_number(frame.top)}V{_number(frame.bottom)}H{_number(frame.right)}"
    yield _path(corner, "grid", 0.8)
    for place, text in plot.x.ticks:
        at = (frame.x(plot.x.share(place)), frame.bottom + GAP + 0.8 * FONT)
        yield _text(at, text, FONT, "ink", "middle")
    if not plot.has_rows:
        for place, text in plot.y.ticks:
            yield _text((frame.left - GAP, frame.y(plot.y.share(place)) + RISE * FONT), text, FONT, "ink", "end")
    if plot.x.label:
        yield _text((frame.x(0.5), plot.height - 0.5 * EDGE), plot.x.label, FONT, "ink", "middle")
    if plot.y.label:
        turned = Markup(' transform="rotate(-90)"')
        yield _text((-frame.y(0.5), EDGE + 0.5 * FONT), plot.y.label, FONT, "ink", "middle", turned)


def _item(item: Item, plot: Plot, frame: Frame) -> Iterator[Markup]:
    def at(x: float, y: float) -> tuple[float, float]:
        return frame.x(plot.x.share(x)), frame.y(plot.y.share(y))

    if isinstance(item, Line):
        if item.points:
            yield _path(_through(at(*point) for point in item.points), item.color, item.width, dotted=item.dotted)
    elif isinstance(item, Band):
        edge = [at(x, high) for x, _, high in item.points] + [at(x, low) for x, low, _ in item.points[::-1]]
        yield Markup('<path d="{}Z" fill="{}"/>').format(_through(edge), _colour(item.color))
    elif isinstance(item, Bar):
        left, top = at(item.left, item.middle + item.height / 2)
        right, bottom = at(item.right, item.middle - item.height / 2)
        yield Markup('<path d="M{} {}H{}V{}H{}Z" fill="{}"/>').format(
            *(_number(value) for value in (left, top, right, bottom, left)), _colour(item.color)
        )
    elif isinstance(item, Dots):
        if item.points:
            outlines = "".join(_mark(item.shape, at(*point), item.size) for point in item.points)
            yield _marks(outlines, item)
    else:
        yield _words(item, plot, frame)


def _through(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in points)


def _path(steps: str, color: Color, width: float, *, dotted: bool = False) -> Markup:
    more = Markup(' stroke-dasharray="{} {}"').format(_number(width), _number(2 * width)) if dotted else NOTHING
    return Markup('<path d="{}" fill="none" stroke="{}" stroke-width="{}"{}/>').format(
        steps, _colour(color), _number(width), more
    )


def _marks(outlines: str, item: Dots) -> Markup:
    is_open = not item.filled or item.shape in ("cross", "dash")
    return Markup('<path d="{}" fill="{}" stroke="{}"/>').format(
        outlines, "none" if is_open else _colour(item.color), _colour(item.color)
    )


def _mark(shape: Shape, centre: tuple[float, float], size: float) -> str:
    """The outline of a mark, as steps of a path."""
    half = _number(size / 2)
    x, y = (_number(value) for value in centre)
    left, top = _number(centre[0] - size / 2), _number(centre[1] - size / 2)
    whole = _number(size)
    return {
        "circle": f"M{left} {y}a{half} {half} 0 1 0 {whole} 0a{half} {half} 0 1 0 -{whole} 0Z",
        "square": f"M{left} {top}h{whole}v{whole}h-{whole}Z",
        "diamond": f"M{x} {top}l{half} {half}l-{half} {half}l-{half} -{half}Z",
        "cross": f"M{left} {top}l{whole} {whole}m0 -{whole}l-{whole} {whole}",
        "dash": f"M{left} {y}h{whole}",
    }[shape]


def _words(words: Words, plot: Plot, frame: Frame) -> Markup:
    x = frame.x(words.x if words.x_is_share else plot.x.share(words.x)) + words.shift[0]
    y = frame.y(words.y if words.y_is_share else plot.y.share(words.y)) - words.shift[1]
    text = escape(words.text)
    if words.is_power:
        base, _, exponent = words.text.partition("^")
        text = Markup('{}<tspan dy="-{}em" font-size="{}%">{}</tspan>').format(
            base, RISE, round(100 * RAISED), exponent
        )
    place = (x, y + (RISE * words.size if words.centred else 0.0))
    more = Markup(' font-weight="bold"') if words.bold else NOTHING
    return _text(place, text, words.size, words.color, words.anchor, more)


def _text(at: tuple[float, float], text: str, size: float, color: Color, anchor: str, more: Markup = NOTHING) -> Markup:
    """A text; what is no markup yet is escaped."""
    turned = Markup(' text-anchor="{}"').format(anchor) if anchor != "start" else NOTHING
    return Markup('<text x="{}" y="{}" font-size="{}" fill="{}"{}{}>{}</text>').format(
        _number(at[0]), _number(at[1]), _number(size), _colour(color), turned, more, text
    )


def _legend(keys: tuple[Key, ...], frame: Frame) -> Iterator[Markup]:
    """Name what is drawn, in the upper right corner."""
    lines = [(key, text, place == 0) for key in keys for place, text in enumerate(key.text.split("\n"))]
    if not lines:
        return
    left = frame.right - max(letters.width(text, LEGEND) for _, text, _ in lines)
    for place, (key, text, is_first) in enumerate(lines):
        foot = frame.top + (place + 1) * LINE * LEGEND
        if is_first:
            yield from _sample(key, left - 2.4 * LEGEND, left - 0.6 * LEGEND, foot - RISE * LEGEND)
        yield _text((left, foot), text, LEGEND, "ink", "start")


def _sample(key: Key, left: float, right: float, middle: float) -> Iterator[Markup]:
    if key.shape is None:
        yield Markup('<path d="M{} {}h{}v{}h-{}Z" fill="{}"/>').format(
            _number(left),
            _number(middle - 0.3 * LEGEND),
            _number(right - left),
            _number(0.6 * LEGEND),
            _number(right - left),
            _colour(key.color),
        )
        return
    yield _path(f"M{_number(left)} {_number(middle)}H{_number(right)}", key.color, 1.2)
    yield _marks(_mark(key.shape, ((left + right) / 2, middle), 4.0), Dots((), key.shape, 4.0, key.color))
