"""How often the intervals cover the truth and the ledger's verdicts are right, on tasks whose truth is known.

Run ``python benchmarks/calibration.py``; it takes some twenty minutes of one core (``OPENBLAS_NUM_THREADS=1``), and
``--processes 2`` half of that. It writes the page ``site/docs/calibration.md`` and
``ibc_report/report/sections/calibration.json``, the
regions in which an interval falls short. ``--quick`` draws a few small tasks and writes only where it is told to.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from counting import coverage, judged, ledger, planted_violations, regions
from synthetic import Recipe
from trial import TARGET_ERROR, Trial, run
from truth import clean_tasks, planted_tasks, replicates

PROJECT = Path(__file__).resolve().parents[1]
PAGE = PROJECT / "site" / "docs" / "calibration.md"
DATA = PROJECT / "ibc_report" / "report" / "sections" / "calibration.json"

IN_THE_TABLE = ("sphere", "ball", "gaussian")
"""Families from which the table of biases was made."""

TEXT = """\
# How well calibrated is this?

A card gives intervals and verdicts. Here they are tried on synthetic tasks whose truth is known: {tasks} tasks on
manifolds of dimension 2 to 40, turned into 100 to 784 features, some with noise in all of them; 2 to 10 classes on
disjoint copies of the manifold; {rows} rows; target error {target}. Each was drawn {fewest} to {most} times,
{draws} draws in all. `benchmarks/calibration.py` draws them and writes this page.

## Intervals

The first three intervals are about this scale and this n: they should cover what the same measurement comes to on
average over further samples of n rows (the mean of \\(\\hat m\\), the geometric mean of \\(\\hat\\delta\\), and the
bits of these) in 92 to 98 % of draws. The last two are about the true dimension: they should cover it, and the bits
that it gives with the same margin and radius, in at least 90 %. All numbers are percentages of draws.

{overall}

With noise in all features the nearest neighbours are those of the noise, which no card can tell from a manifold of more
dimensions: there the last two fall short.

By family (the last two rest on a table made from spheres, balls and Gaussians):

{by_family}

By true dimension:

{by_dimension}

By rows:

{by_rows}

{regions}

## Verdicts

A verdict is false if it is other than "holds" on a task of which the assumption is true. Which those are: for A1,
spheres and tori without noise; for A2, families with their mean at the origin; for A4, spheres, balls and tori without
noise, since corners and edges pass for thin places; for A6, tasks whose mean estimate over all draws changes with k by
a slope of at most 0.05 in the logarithms; for A9, tasks whose margin is within 0.3 decades of bits of the population's;
for the others, all tasks.

{ledger}

Planted violations, one for each task: an outlier of ten times its norm; all rows moved by one root mean square norm;
1 % of labels flipped; 5 % of rows replaced by copies of others; 5 % by near copies, at a thousandth of the distance of
neighbours; half of the rows on a manifold of half the dimension; half of the rows moved half of their way to one point.
Found means "doubtful" or "violated".

{planted}

The statistics of the ledger take {cost:.1f} % of the time of the neighbour search that they are read from.
"""

FIRST_SEED = 1000
"""Draws below were looked at when thresholds were chosen; those that are counted are others."""


def one(job: tuple[Recipe, int]) -> Trial:
    """Draw and measure one replicate of one task."""
    return run(*job)


def jobs(quick: bool, largest: int, most: int) -> list[tuple[Recipe, int]]:
    """Every replicate of every task, the slow ones first, so that no process ends alone."""
    tasks = [task for task in (*clean_tasks(quick), *planted_tasks(quick)) if task.n <= largest]
    all_of_them = [(task, FIRST_SEED + draw) for task in tasks for draw in range(min(replicates(task, quick), most))]
    return sorted(all_of_them, key=lambda job: -job[0].n)


def trials(wanted: Sequence[tuple[Recipe, int]], processes: int) -> list[Trial]:
    """Measure all of them; the result does not depend on the number of processes."""
    if processes == 1:
        return _counted(map(one, wanted), len(wanted))
    with ProcessPoolExecutor(processes) as pool:
        return _counted(pool.map(one, wanted, chunksize=4), len(wanted))


def _counted(found: Iterable[Trial], total: int) -> list[Trial]:
    """Collect them, and say now and then how many there are."""
    collected = []
    for trial in found:
        collected.append(trial)
        if len(collected) % 100 == 0:
            print(f"{len(collected)} of {total}", file=sys.stderr, flush=True)
    return collected


def page(found: Sequence[Trial]) -> str:
    """Write the page."""
    clean = sorted((trial for trial in found if trial.recipe.violation is None), key=_order)
    planted = [trial for trial in found if trial.recipe.violation is not None]
    covers = judged(clean)
    counts = Counter(trial.recipe for trial in clean).values()
    rows = [trial.recipe.n for trial in clean]
    cost = np.sum([trial.ledger_seconds for trial in found]) / np.sum([trial.search_seconds for trial in found])
    return TEXT.format(
        tasks=len(counts),
        target=TARGET_ERROR,
        fewest=min(counts),
        most=max(counts),
        draws=f"{len(clean):,}",
        rows=f"{min(rows):,} to {max(rows):,}",
        overall=coverage(covers, "Tasks", lambda recipe: "with noise" if recipe.noise else "without noise"),
        by_family=coverage(
            covers,
            "Family",
            lambda recipe: recipe.family + ("" if recipe.family in IN_THE_TABLE else " (not in the table)"),
        ),
        by_dimension=coverage(sorted(covers, key=lambda pair: pair[0].recipe.dimension), "m", lambda r: r.dimension),
        by_rows=coverage(sorted(covers, key=lambda pair: pair[0].recipe.n), "n", lambda r: f"{r.n:,}"),
        regions=_regions(regions(covers)),
        ledger=ledger(clean),
        planted=planted_violations(planted),
        cost=100 * cost,
    )


def _regions(found: Sequence[dict[str, object]]) -> str:
    if not found:
        return "No region of estimated dimension and rows falls short of that beyond the noise of counting."
    lines = [
        "A card warns where the counts fall short of that beyond their noise:",
        "",
        "| Interval | Estimated m | n | Draws | Covered, % |",
        "|---|---|---|---:|---:|",
    ]
    for region in found:
        ends = [_range(region[key]) for key in ("dimension", "rows")]
        lines.append(f"| {region['interval']} | {ends[0]} | {ends[1]} | {region['draws']} | {region['covered']:.1%} |")
    return "\n".join(lines)


def _range(bounds: object) -> str:
    assert isinstance(bounds, list)
    low, high = bounds
    return f"above {low:,.0f}" if high is None else f"{low:,.0f} to {high:,.0f}"


def _order(trial: Trial) -> tuple[str, int, int, str, int]:
    recipe = trial.recipe
    return (recipe.family, recipe.dimension, recipe.n, recipe.name, trial.seed)


def main() -> None:
    """Run the calibration and write what it came to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=1, help="processes to measure in")
    parser.add_argument("--quick", action="store_true", help="a few small tasks")
    parser.add_argument("--largest", type=int, default=20_000, help="leave out tasks of more rows")
    parser.add_argument("--most", type=int, default=10, help="draws of a task, at most")
    parser.add_argument("--page", type=Path, help=f"Markdown to write (default: {PAGE.relative_to(PROJECT)})")
    parser.add_argument("--data", type=Path, help=f"JSON to write (default: {DATA.relative_to(PROJECT)})")
    options = parser.parse_args()
    start = time.perf_counter()
    found = trials(jobs(options.quick, options.largest, options.most), options.processes)
    text = page(found)
    short = regions(judged([trial for trial in found if trial.recipe.violation is None]))
    print(text)
    print(f"{len(found)} draws in {time.perf_counter() - start:.0f} s", file=sys.stderr)
    for given, usual, content in (
        (options.page, PAGE, text),
        (options.data, DATA, json.dumps({"regions": short}, indent=1) + "\n"),
    ):
        path = given or (None if options.quick else usual)
        if path is not None:
            path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
