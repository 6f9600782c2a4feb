"""Which setting, and which row, makes the released and the robust value differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite

from ibc_report.geometry.robust import RobustGeometry

__all__ = ["DECADE", "Blame", "blame"]

DECADE = 1.0
"""Difference in log10 of bits beyond which somebody is to blame."""


@dataclass(frozen=True, slots=True)
class Blame:
    """What is to blame for a difference.

    Parameters
    ----------
    setting : str
        "origin", "radius", "dimension", "margin" or "n": what moves the value most if it alone is replaced.
    change : float
        log10 of bits with it replaced, less the released one.
    rows : tuple of int
        The row of the largest norm, or the closest pair, where the robust value is lower; none for what no row decides.
    changes : mapping of str to float
        The change of every setting.
    difference : float
        log10 of bits, robust less released.
    """

    setting: str
    change: float
    rows: tuple[int, ...]
    changes: Mapping[str, float]
    difference: float


def blame(
    robust: RobustGeometry,
    log10_bits: Callable[[float, float, float, float], float],
    *,
    n: float,
    radius: float,
    dimension: float,
    margin: float,
    margin_rows: tuple[int, int],
    least: float = DECADE,
) -> Blame | None:
    """Find what makes the released and the robust value differ.

    Parameters
    ----------
    robust : RobustGeometry
        The inputs that no single row decides.
    log10_bits : callable
        Of n, radius, dimension and margin, in this order.
    n, radius, dimension, margin : float
        The released inputs.
    margin_rows : tuple of int
        The closest pair.
    least : float
        Smallest difference, in decades, that is explained.

    Returns
    -------
    Blame or None
        None where the two are no further apart than `least`. Each of five settings is replaced alone: the origin (the
        largest norm about the robust centre instead of the origin), the radius (from the largest norm to its robust
        value, about either centre), the dimension, the margin and n; the largest change that has the sign of the
        difference is to blame, the first named of equal ones.

    Examples
    --------
    >>> from math import log10
    >>> found = RobustGeometry(100, 2.0, 3.0, 0.5, 0.0, 40.0, 7, 1, (7,), 0, (), 100, 3.0, 20.0)
    >>> released = {"n": 100, "radius": 40.0, "dimension": 3.0, "margin": 0.4, "margin_rows": (1, 2)}
    >>> guilty = blame(found, lambda n, r, m, d: m * log10(r / d), **released)
    >>> guilty.setting, round(guilty.change, 2), guilty.rows
    ('radius', -3.9, (7,))
    """
    released = log10_bits(n, radius, dimension, margin)
    difference = _difference(log10_bits(robust.n, robust.radius, robust.dimension, robust.margin), released)
    if abs(difference) <= least:
        return None
    changes = {
        "origin": log10_bits(n, robust.largest, dimension, margin),
        "radius": log10_bits(n, radius * robust.radius / robust.largest, dimension, margin),
        "margin": log10_bits(n, radius, dimension, robust.margin),
        "dimension": log10_bits(n, radius, robust.dimension, margin),
        "n": log10_bits(robust.n, radius, dimension, margin),
    }
    changes = {name: _difference(value, released) for name, value in changes.items()}
    sign = 1.0 if difference > 0 else -1.0
    guilty = max(changes, key=lambda name: sign * changes[name])
    # a single row makes the released value too large: a smaller one is the work of many
    rows = {"radius": (robust.largest_row,), "margin": margin_rows}.get(guilty, ()) if sign < 0 else ()
    return Blame(guilty, changes[guilty], rows, changes, difference)


def _difference(first: float, second: float) -> float:
    """First less second, where both may be the −∞ of 0 bits."""
    return 0.0 if not isfinite(first) and first == second else first - second
