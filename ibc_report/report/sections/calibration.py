"""Where the intervals were measured to fall short of what they promise, so that a card can warn just there.

``benchmarks/calibration.py`` draws synthetic tasks of known truth, counts how often each interval covers it, and writes
the regions in which it does not do so often enough.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ibc_report.common import wording

__all__ = ["Kind", "Region", "counted", "kinds", "regions", "shortfalls"]

NAMES = {
    "m, this scale": "the dimension",
    "δ": "the margin",
    "bits, this scale": "the bits",
    "m, true": "the dimension",
    "bits, true": "the bits",
}

ENOUGH = 0.98
"""What covers more than that is too wide, which no reader has to be warned of."""


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


@dataclass(frozen=True, slots=True)
class Kind:
    """What an interval covered on one kind of tasks.

    Parameters
    ----------
    kind : str
        As of the page on calibration.
    interval : str
        As of a region.
    covered : float
        Share of the draws.
    passes : bool
        Whether that may be what is promised, by the noise of counting.
    """

    kind: str
    interval: str
    draws: int
    covered: float
    passes: bool


@cache
def kinds() -> tuple[Kind, ...]:
    """Read what the package ships of each kind of tasks, without the intervals that were withheld."""
    return tuple(
        Kind(entry["kind"], entry["interval"], entry["draws"], entry["covered"], entry["passes"])
        for entry in _read()["kinds"]
        if entry["covered"] is not None
    )


def counted(intervals: tuple[str, ...]) -> str:
    """Say what some intervals of one meaning covered on synthetic tasks, and where that falls short.

    Parameters
    ----------
    intervals : tuple of str
        The last is that of the bits.

    Examples
    --------
    >>> counted(("m, true", "bits, true")).startswith("On synthetic tasks whose truth is known, of ")
    True
    """
    bits = [kind for kind in kinds() if kind.interval == intervals[-1]]
    if not bits:
        return ""
    least, most = min(bits, key=lambda kind: kind.covered), max(bits, key=lambda kind: kind.covered)
    said = (
        f"On synthetic tasks whose truth is known, of {len(bits)} kinds, the interval of the bits covered it in "
        f"{wording.percent(least.covered)} ({least.kind}) to {wording.percent(most.covered)} of draws."
    )
    short = [
        f"{NAMES[kind.interval]} of {kind.kind} {wording.percent(kind.covered)}"
        for kind in kinds()
        if kind.interval in intervals and not kind.passes and kind.covered < ENOUGH
    ]
    return f"{said} Short of it: {'; '.join(short)}." if short else said


@cache
def regions() -> tuple[Region, ...]:
    """Read the regions that the package ships."""
    return tuple(
        Region(
            interval=entry["interval"],
            dimension=_bounds(entry["dimension"]),
            rows=_bounds(entry["rows"]),
            promised=entry["promised"],
            covered=entry["covered"],
            draws=entry["draws"],
        )
        for entry in _read()["regions"]
    )


def _read() -> Any:
    return json.loads(resources.files(__package__ or "").joinpath("calibration.json").read_text(encoding="utf-8"))


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
