"""How often the intervals cover the truth, on tasks whose truth is known, and how wide they are.

Run ``OPENBLAS_NUM_THREADS=1 python benchmarks/calibration.py --trials FILE``; it takes some 20 minutes of one
core. Every draw is a line of the file, so that a run that is cut off goes on where it was; the file is of one state of
the code. It writes the part "intervals" of the page ``site/docs/calibration.md`` and
``ibc_report/report/sections/calibration.json``, from which cards say what was counted. ``--real FOLDER`` measures the
tables of a folder besides, for the share of them from which an interval is withheld.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from counting import Judged, by_kind, judged, regions, table
from page import PAGE, write_part
from synthetic import Recipe
from trial import TARGET_ERROR, Trial, run
from truth import tasks_by_kind

import ibc_report
from ibc_report.common.errors import IbcReportError

PROJECT = Path(__file__).resolve().parents[1]
DATA = PROJECT / "ibc_report" / "report" / "sections" / "calibration.json"

TEXT = """\
## Intervals

{tasks} tasks of {kinds} kinds: manifolds of dimension 2 to 20, turned into {features} features or more, {rows} rows,
target error {target}. Each kind was drawn {fewest} times or more, {draws} draws in all, on other seeds than those on
which anything was chosen. `benchmarks/calibration.py` draws them and writes this part.

The first three intervals are about this scale and this n: they should cover what the same measurement comes to on
average over further samples of n rows (the mean of \\(\\hat m\\), the geometric mean of \\(\\hat\\delta\\), and the
bits of these) in 92 to 98 % of draws. The last two are about the true dimension: they should cover it, and the bits
that it gives with the same margin and radius, in at least 90 %. Per cent of draws, with its 95 % interval by Clopper
and Pearson in brackets, and behind it the median width in decades. What misses its goal beyond doubt (all of that
interval) stands in bold.

{table}

Copies of a manifold lie apart by nine tenths of the distance of the twentieth neighbour. Close sheets and rolls are two
copies at 0.05 to 0.3 of their size, shells spheres of radius 1 and 1.05 to 1.3. Touching classes are two parts of one
manifold. Heavy tails are Student's t with three degrees in each coordinate, power-law axes deviations of 1, 1/2, 1/3 …;
half of these tasks have copies, half touching classes. Noise is in all features, its norm a share of the manifold's.
The target of a regression is a wave. Two moons of dimension 2 come closest along a line, with one row nearest to very
many, and margins that rise and fall together; noise hides what is below it, however far the range is stretched.

{regions}
{real}"""

FIRST_SEED = 20_000
"""Draws below were looked at when ranges were chosen; those that are counted are others."""

DRAWS = 400
"""Of a kind."""


def one(job: tuple[str, Recipe, int]) -> tuple[str, Trial]:
    """Draw and measure one replicate of one task."""
    kind, recipe, seed = job
    return kind, run(recipe, seed)


def jobs(draws: int) -> Iterator[tuple[str, Recipe, int]]:
    """Every replicate of every task, the first of all of them first."""
    kinds = tasks_by_kind()
    for replicate in range(draws):
        for kind, tasks in kinds.items():
            if replicate < -(-draws // len(tasks)):
                yield from ((kind, task, FIRST_SEED + replicate) for task in tasks)


def read(path: Path) -> list[tuple[str, Trial]]:
    """Read the draws of a file, but for a line that was cut off."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        kind, recipe = entry.pop("kind"), Recipe(**entry.pop("recipe"))
        ends = {name: (low, high) for name, (low, high) in entry.pop("intervals").items()}
        found.append((kind, Trial(recipe=recipe, intervals=ends, **entry)))
    return found


def draw_all(path: Path, draws: int, processes: int) -> None:
    """Add the draws that the file lacks."""
    known = {(kind, trial.recipe, trial.seed) for kind, trial in read(path)}
    wanted = [job for job in jobs(draws) if job not in known]
    with path.open("a", encoding="utf-8") as out, ProcessPoolExecutor(processes) as pool:
        for place, (kind, trial) in enumerate(pool.map(one, wanted, chunksize=4)):
            out.write(json.dumps({"kind": kind, **asdict(trial)}) + "\n")
            if place % 200 == 0:
                out.flush()
                print(f"{place} of {len(wanted)}", file=sys.stderr, flush=True)


def part(found: Mapping[str, Judged], counts: Sequence[Mapping[str, object]], real: str) -> str:
    """Write the part of the page."""
    tasks = {trial.recipe for draws in found.values() for trial, _ in draws}
    rows = [task.n for task in tasks]
    return TEXT.format(
        tasks=len(tasks),
        kinds=len(found),
        features=min(task.features for task in tasks),
        rows=f"{min(rows):,} to {max(rows):,}",
        target=TARGET_ERROR,
        fewest=min(len(draws) for draws in found.values()),
        draws=f"{sum(len(draws) for draws in found.values()):,}",
        table=table(counts),
        regions=_regions(regions(_usual(found))),
        real=real,
    )


def _usual(found: Mapping[str, Judged]) -> Judged:
    """The draws of disjoint copies: by region of m̂ and n a card warns of these alone."""
    return [pair for kind, draws in found.items() if kind.startswith("disjoint") for pair in draws]


def _regions(found: Sequence[Mapping[str, object]]) -> str:
    if not found:
        return "On disjoint copies no region of estimated dimension and rows falls short beyond the noise of counting."
    lines = [
        "On disjoint copies, a card warns where the counts fall short beyond their noise:",
        "",
        "| Interval | Estimated m | n | Draws | Covered, % |",
        "|---|---|---|---:|---:|",
    ]
    for region in found:
        ends = [_range(region[key]) for key in ("dimension", "rows")]
        lines.append(f"| {region['interval']} | {ends[0]} | {ends[1]} | {region['draws']} | {region['covered']:.1%} |")
    return "\n".join(lines) + "\n"


def _range(bounds: object) -> str:
    assert isinstance(bounds, list)
    low, high = bounds
    return f"above {low:,.0f}" if high is None else f"{low:,.0f} to {high:,.0f}"


def real_tables(folder: Path) -> str:
    """Measure the tables of a folder, and say from how many an interval is withheld, and how wide it is."""
    measured = withheld = wide = 0
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8") as lines:
            target = next(csv.reader(lines))[-1]
        try:
            report = ibc_report.measure(str(path), target=target, max_rows=2000)
        except IbcReportError:
            continue
        measured += 1
        certainty = report.certainty
        assert certainty is not None
        withheld += certainty.truth is None
        wide += report.headline.not_fixed != ""
    return (
        f"\nOf {measured} real tables the interval for the true dimension is withheld from {withheld}, and spans more "
        f"than three decades of bits on {wide}, where the card says first that the data do not fix the number.\n"
    )


def main() -> None:
    """Draw what is missing, and write what it came to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=Path, required=True, help="file of draws, to go on with")
    parser.add_argument("--draws", type=int, default=DRAWS, help="draws of a kind")
    parser.add_argument("--processes", type=int, default=1, help="processes to measure in")
    parser.add_argument("--real", type=Path, help="folder of CSV files, the target last")
    parser.add_argument("--print", action="store_true", help="write neither page nor data")
    options = parser.parse_args()
    draw_all(options.trials, options.draws, options.processes)
    drawn = read(options.trials)
    found = {kind: judged(trial for own, trial in drawn if own == kind) for kind in tasks_by_kind()}
    counts = by_kind(found)
    text = part(found, counts, real_tables(options.real) if options.real else "")
    print(text)
    if not options.print:
        write_part("intervals", text)
        content = {"kinds": counts, "regions": regions(_usual(found))}
        DATA.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(f"written: {PAGE}, {DATA}", file=sys.stderr)


if __name__ == "__main__":
    main()
