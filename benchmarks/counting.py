"""The trials of a calibration, counted: coverage and widths in Markdown, and what falls short."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from math import e, inf, isfinite, isinf, log, log10
from typing import Any

import numpy as np
from synthetic import Recipe
from trial import Trial, bits

from ibc_report.evaluation.statistics.proportions import Interval, clopper_pearson

__all__ = ["INTERVALS", "Judged", "by_kind", "judged", "regions", "table"]

INTERVALS: dict[str, tuple[float, float]] = {
    "m, this scale": (0.92, 0.98),
    "δ": (0.92, 0.98),
    "bits, this scale": (0.92, 0.98),
    "m, true": (0.9, 1.0),
    "bits, true": (0.9, 1.0),
}
"""What each interval is to cover, and the shares of draws between which it is to do so."""

BOUNDS_OF_DIMENSION = (0.0, 3.0, 6.0, 10.0, 16.0, inf)
BOUNDS_OF_ROWS = (0.0, 350.0, 700.0, 1500.0, 3500.0)

FEWEST = 40
"""Draws from which a region is judged."""

Hit = tuple[bool, float]
"""Whether an interval covered its target, and its width: decades of bits, or natural logarithms."""

Judged = Sequence[tuple[Trial, Mapping[str, Hit]]]


def judged(trials: Iterable[Trial]) -> Judged:
    """Say which intervals of each draw cover their target, without those that are withheld.

    The expectation is a mean of the draws themselves, of which each is a part: of r draws one lies √(1 − 1/r) times as
    far from their mean as from the expectation, so that the mean is moved away from it by as much.
    """
    tasks: dict[Recipe, list[Trial]] = defaultdict(list)
    for trial in trials:
        tasks[trial.recipe].append(trial)
    found = []
    for recipe, draws in tasks.items():
        targets = _expected(recipe, draws)
        stretch = (1 - 1 / len(draws)) ** -0.5 if len(draws) > 1 else 1.0
        for trial in draws:
            own = {"m, this scale": trial.dimension, "δ": trial.margin, "bits, this scale": trial.log10_bits}
            hits = {}
            for name, (low, high) in trial.intervals.items():
                target = targets[name]
                if name in own and isfinite(target) and isfinite(own[name]):
                    target = own[name] + (target - own[name]) * stretch
                width = high - low if name.startswith("bits") else log(high / low) if low > 0 else inf
                hits[name] = (low <= target <= high, 0.0 if np.isnan(width) else width)
            found.append((trial, hits))
    return found


def _expected(recipe: Recipe, draws: Sequence[Trial]) -> dict[str, float]:
    """What the intervals are to cover: expectations at this scale and n, and the truth."""
    radius = float(np.exp(np.mean([np.log(trial.radius) for trial in draws])))
    m = float(np.mean([trial.dimension for trial in draws]))
    margin = float(np.exp(np.mean([np.log(trial.margin) for trial in draws])))
    return {
        "m, this scale": m,
        "δ": margin,
        "bits, this scale": bits(recipe, radius, m, margin).log10_bits,
        "m, true": float(recipe.dimension),
        "bits, true": bits(recipe, radius, recipe.dimension, margin).log10_bits,
    }


def by_kind(found: Mapping[str, Judged]) -> list[dict[str, Any]]:
    """Count each kind of task and each interval: what it covered, with an interval of its own, and how wide it was."""
    counts: list[dict[str, Any]] = []
    for kind, draws in found.items():
        for interval, (least, most) in INTERVALS.items():
            hits = [hit[interval] for _, hit in draws if interval in hit]
            covered = sum(hit for hit, _ in hits)
            sure = clopper_pearson(covered, len(hits)) if hits else Interval(0.0, 1.0)
            counts.append(
                {
                    "kind": kind,
                    "interval": interval,
                    "draws": len(hits),
                    "withheld": len(draws) - len(hits),
                    "covered": round(covered / len(hits), 4) if hits else None,
                    "covered_between": [round(sure.lower, 4), round(sure.upper, 4)],
                    "passes": sure.upper >= least and sure.lower <= most,
                    "width": round(float(np.median([width for _, width in hits])), 3) if hits else None,
                }
            )
    return counts


def table(counts: Sequence[Mapping[str, Any]]) -> str:
    """Write the counts as a Markdown table, a row for each kind of task; what misses its goal is bold."""
    lines = ["| Kind of task | Draws | " + " | ".join(INTERVALS) + " |", "|---|---:|" + "---:|" * len(INTERVALS)]
    for kind in dict.fromkeys(entry["kind"] for entry in counts):
        own = [entry for entry in counts if entry["kind"] == kind]
        lines.append(f"| {kind} | {own[0]['draws']} | " + " | ".join(_cells(own)) + " |")
    return "\n".join(lines)


def _cells(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        covered, width = entry["covered"], entry["width"]
        if not isinstance(covered, float) or not isinstance(width, float):
            yield "withheld"
            continue
        share = f"{100 * covered:.1f}"
        decades = width if str(entry["interval"]).startswith("bits") else width * log10(e)
        said = share if entry["passes"] else f"**{share}**"
        lower, upper = entry["covered_between"]
        yield f"{said} [{100 * lower:.1f}, {100 * upper:.1f}] {decades:.2f}"


def regions(trials: Judged) -> list[dict[str, object]]:
    """Find the ranges of m̂ and n in which an interval covers less than it promises, beyond the noise of counting."""
    found: list[dict[str, object]] = []
    cells = product(INTERVALS, pairwise(BOUNDS_OF_DIMENSION), pairwise(BOUNDS_OF_ROWS))
    for interval, dimension, rows in cells:
        hits = [
            covers[interval][0]
            for trial, covers in trials
            if interval in covers
            and dimension[0] < trial.dimension <= dimension[1]
            and rows[0] < trial.recipe.n <= rows[1]
        ]
        promised = INTERVALS[interval][0]
        if len(hits) < FEWEST or clopper_pearson(sum(hits), len(hits)).upper >= promised:
            continue
        found.append(
            {
                "interval": interval,
                "dimension": _finite(dimension),
                "rows": _finite(rows),
                "promised": promised,
                "covered": round(float(np.mean(hits)), 3),
                "draws": len(hits),
            }
        )
    return found


def _finite(bounds: tuple[float, float]) -> list[float | None]:
    return [None if isinf(bound) else bound for bound in bounds]
