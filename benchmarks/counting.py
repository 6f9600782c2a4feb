"""The trials of a calibration, counted: coverage and verdicts in Markdown, and the regions that fall short."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise, product
from math import inf, isfinite, isinf, sqrt

import numpy as np
from synthetic import VIOLATIONS, Recipe
from trial import Trial, bits
from truth import TRUE

from ibc_report.report.assumptions.ledger import LEDGER

__all__ = ["coverage", "ledger", "planted_violations", "regions"]

PROMISED = {
    "m, this scale": 0.92,
    "δ": 0.92,
    "bits, this scale": 0.92,
    "m, true": 0.9,
    "bits, true": 0.9,
}
"""What each interval is to cover, and the share of draws in which it is to do so at least."""

BOUNDS_OF_DIMENSION = (0.0, 3.0, 6.0, 10.0, 16.0, 25.0, inf)
BOUNDS_OF_ROWS = (0.0, 700.0, 1500.0, 3500.0, 10_000.0, inf)

FEWEST = 20
"""Draws from which a region is judged."""

SURE = 1.645
"""Standard errors by which a region's coverage has to fall short."""

Judged = Sequence[tuple[Trial, Mapping[str, bool]]]
"""Each trial, and which of its intervals covered."""


def _by_task(trials: Sequence[Trial]) -> dict[Recipe, list[Trial]]:
    found: dict[Recipe, list[Trial]] = defaultdict(list)
    for trial in trials:
        found[trial.recipe].append(trial)
    return dict(found)


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


def judged(trials: Sequence[Trial]) -> Judged:
    """Say which intervals of each draw cover their target.

    The expectation is a mean of the draws themselves, of which each is a part: of r draws one lies √(1 − 1/r) times as
    far from their mean as from the expectation, so that the mean is moved away from it by as much.
    """
    found = []
    for recipe, draws in _by_task(trials).items():
        targets = _expected(recipe, draws)
        stretch = (1 - 1 / len(draws)) ** -0.5 if len(draws) > 1 else 1.0
        for trial in draws:
            own = {"m, this scale": trial.dimension, "δ": trial.margin, "bits, this scale": trial.log10_bits}
            hits = dict.fromkeys(PROMISED, False)
            for name, (low, high) in trial.intervals.items():
                target = targets[name]
                if name in own and isfinite(target) and isfinite(own[name]):
                    target = own[name] + (target - own[name]) * stretch
                hits[name] = low <= target <= high
            found.append((trial, hits))
    return found


def _share(hits: Sequence[bool]) -> str:
    return f"{100 * sum(hits) / len(hits):.1f}" if hits else ""


def coverage(trials: Judged, title: str, key: Callable[[Recipe], Hashable]) -> str:
    """Write the coverage of each interval as a Markdown table, a row for each key of a task."""
    groups: dict[Hashable, list[tuple[Trial, Mapping[str, bool]]]] = defaultdict(list)
    for trial, hits in trials:
        groups[key(trial.recipe)].append((trial, hits))
    lines = [
        f"| {title} | Draws | " + " | ".join(PROMISED) + " |",
        "|---|---:|" + "---:|" * len(PROMISED),
    ]
    for name, own in groups.items():
        shares = (_share([hits[interval] for _, hits in own]) for interval in PROMISED)
        lines.append(f"| {name} | {len(own):,} | " + " | ".join(shares) + " |")
    return "\n".join(lines)


def ledger(clean: Sequence[Trial]) -> str:
    """Write, for each assumption, how often its verdict was false on tasks of which it is true."""
    lines = ["| Assumption | Tasks of which it is true | Draws | False verdicts, % |", "|---|---:|---:|---:|"]
    tasks = _by_task(clean)
    for entry in LEDGER:
        if entry.id not in TRUE:
            continue
        true = {recipe: draws for recipe, draws in tasks.items() if TRUE[entry.id](recipe, draws)}
        flagged = [_flagged(trial, entry.id) for draws in true.values() for trial in draws]
        lines.append(f"| {entry.id} {entry.name} | {len(true)} | {len(flagged):,} | {_share(flagged)} |")
    return "\n".join(lines)


def planted_violations(planted: Sequence[Trial]) -> str:
    """Write, for each planted violation, how often the verdict on its assumption found it."""
    lines = ["| Violation | Assumption | Draws | Found, % |", "|---|---|---:|---:|"]
    for name, (id, _) in VIOLATIONS.items():
        flagged = [_flagged(trial, id) for trial in planted if trial.recipe.violation == name]
        lines.append(f"| {name} | {id} | {len(flagged):,} | {_share(flagged)} |")
    return "\n".join(lines)


def _flagged(trial: Trial, id: str) -> bool:
    return trial.verdicts[id] in ("doubtful", "violated")


def regions(trials: Judged) -> list[dict[str, object]]:
    """Find the ranges of m̂ and n in which an interval covers less than it promises, beyond the noise of counting."""
    found: list[dict[str, object]] = []
    cells = product(PROMISED, pairwise(BOUNDS_OF_DIMENSION), pairwise(BOUNDS_OF_ROWS))
    for interval, dimension, rows in cells:
        hits = [
            covers[interval]
            for trial, covers in trials
            if dimension[0] < trial.dimension <= dimension[1] and rows[0] < trial.recipe.n <= rows[1]
        ]
        promised = PROMISED[interval]
        if len(hits) < FEWEST or np.mean(hits) > promised - SURE * sqrt(promised * (1 - promised) / len(hits)):
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
