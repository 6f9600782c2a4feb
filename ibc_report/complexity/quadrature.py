"""A function over the noise of its arguments: points that fill a cube evenly, and values between those of a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["evenly_spread", "tabulated"]

ROWS, COLUMNS = 33, 17
"""Grid on which the function is evaluated. Log10 bits are so nearly straight that it misses them by under 0.01."""


def evenly_spread(count: int, dimensions: int) -> NDArray[np.float64]:
    """Fill the unit cube evenly: a Kronecker sequence by the powers of the root of x^(d+1) = x + 1.

    Returns
    -------
    ndarray of float64, shape (count, dimensions)
        In [0, 1).

    Examples
    --------
    >>> evenly_spread(3, 1).ravel().round(3)
    array([0.118, 0.736, 0.354])
    """
    root = 2.0
    for _ in range(60):
        root = (1 + root) ** (1 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1)
    return np.mod(0.5 + np.outer(np.arange(1, count + 1), steps), 1.0)


def tabulated(
    function: Callable[[float, float], float], first: NDArray[np.float64], seconds: Sequence[NDArray[np.float64]]
) -> list[NDArray[np.float64]]:
    """Evaluate a smooth function of two numbers at many points, by interpolation in a grid that holds them all.

    Parameters
    ----------
    function : callable
        Of two numbers; −inf where it has no value.
    first : ndarray of float64, shape (n,)
        The first number.
    seconds : sequence of ndarray of float64, each of shape (n,)
        The second one, several times.

    Returns
    -------
    list of ndarray of float64, each of shape (n,)
        A value of −inf next to a point stands where it is the nearest of the grid.

    Examples
    --------
    >>> tabulated(lambda a, b: a + 2 * b, np.array([0.0, 0.3, 1.0]), [np.array([0.0, 1.0, 0.5])])[0].round(9)
    array([0. , 2.3, 2. ])
    """
    x = _nodes(first.min(), first.max(), ROWS)
    y = _nodes(min(each.min() for each in seconds), max(each.max() for each in seconds), COLUMNS)
    table = np.array([[function(float(a), float(b)) for b in y] for a in x])
    return [_between(x, y, table, first, second) for second in seconds]


def _nodes(low: float, high: float, count: int) -> NDArray[np.float64]:
    return np.linspace(low, high, count) if high > low else np.array([low])


def _between(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    table: NDArray[np.float64],
    at_x: NDArray[np.float64],
    at_y: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Bilinear interpolation; the nearest node where a corner is −inf."""
    i, s = _cell(x, at_x)
    j, t = _cell(y, at_y)
    corners = [(1 - s, 1 - t, 0, 0), (1 - s, t, 0, 1), (s, 1 - t, 1, 0), (s, t, 1, 1)]
    found = np.zeros(len(at_x))
    with np.errstate(invalid="ignore"):
        for a, b, up, right in corners:
            found += a * b * table[np.minimum(i + up, len(x) - 1), np.minimum(j + right, len(y) - 1)]
    nearest = table[i + (s > 0.5), j + (t > 0.5)]
    return np.where(np.isfinite(found), found, nearest)


def _cell(nodes: NDArray[np.float64], at: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cell of each value, and where in it the value lies, from 0 to 1."""
    if len(nodes) == 1:
        return np.zeros(len(at), dtype=np.int64), np.zeros(len(at))
    place = (at - nodes[0]) / (nodes[1] - nodes[0])
    cell = np.clip(place.astype(np.int64), 0, len(nodes) - 2)
    return cell, np.clip(place - cell, 0.0, 1.0)
