"""Where the intervals were measured to fall short of what they promise, so that a card can warn just there.

``benchmarks/calibration.py`` draws synthetic tasks of known truth, counts how often each interval covers it, and writes
the regions in which it does not do so often enough.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ["Region", "regions", "shortfalls"]


@dataclass(frozen=True, slots=True)
class Region:
    """A region of tasks in which an interval covers less than it promises.

    Parameters
    ----------
    interval : str
        Of which number, and in which sense where it has two: "δ", "m, true".
    dimension : tuple of float
        Bounds of m̂: above the first, up to the second.
    rows : tuple of float
        Bounds of n, likewise.
    promised, covered : float
        Shares of the draws that were counted.
    """

    interval: str
    dimension: tuple[float, float]
    rows: tuple[float, float]
    promised: float
    covered: float
    draws: int

    def holds(self, dimension: float, n: float) -> bool:
        """Say whether a task lies in the region."""
        return self.dimension[0] < dimension <= self.dimension[1] and self.rows[0] < n <= self.rows[1]


@cache
def regions() -> tuple[Region, ...]:
    """Read the regions that the package ships."""
    text = resources.files(__package__ or "").joinpath("calibration.json").read_text(encoding="utf-8")
    return tuple(
        Region(
            interval=entry["interval"],
            dimension=_bounds(entry["dimension"]),
            rows=_bounds(entry["rows"]),
            promised=entry["promised"],
            covered=entry["covered"],
            draws=entry["draws"],
        )
        for entry in json.loads(text)["regions"]
    )


def shortfalls(dimension: float, n: float) -> tuple[Region, ...]:
    """Say which intervals fall short for a task.

    Parameters
    ----------
    dimension, n : float
        m̂ and the number of rows.

    Returns
    -------
    tuple of Region
        Empty where all of them covered what they promise.

    Examples
    --------
    >>> all(region.covered < region.promised for region in shortfalls(14.2, 60_000))
    True
    """
    return tuple(region for region in regions() if region.holds(dimension, n))


def _bounds(pair: list[float | None]) -> tuple[float, float]:
    """Bounds of which a missing one is none."""
    low, high = pair
    return (float("-inf") if low is None else low, float("inf") if high is None else high)
