"""How often verdicts are false where an assumption is true, and find what violates it: a table by family.

Run ``OPENBLAS_NUM_THREADS=1 python benchmarks/verdicts.py --cache FILE``; it takes some ten minutes of one core. It
writes the part "verdicts" of the page ``site/docs/calibration.md``. Every draw is a line of the cache, so that a run
that is cut off goes on where it was. A cache is of one state of the code: after a change to it take another file.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from page import PAGE, write_part
from planted import ASKED, FAMILIES, PLANTED, Family
from trial import TARGET_ERROR, measure

from ibc_report.complexity import classification
from ibc_report.evaluation.statistics.proportions import clopper_pearson
from ibc_report.geometry import assumption_values
from ibc_report.geometry.diagnostics import diagnose
from ibc_report.report.assumptions.assumption import Evidence
from ibc_report.report.assumptions.ledger import LEDGER, assess

FIRST_SEED = 5000
"""Draws below were looked at when thresholds were chosen; those that are counted are others."""

DRAWS = 30

BAD = ("doubtful", "violated")

MOST_FALSE, LEAST_FOUND = 0.05, 0.95

NUMBERS = {"A1 pieces": ("A1", "rows_in_pieces"), "A4 gradient": ("A4", "density_gradient")}
"""Verdicts by one number of an assumption alone."""

TEXT = """\
## Verdicts

Every verdict is tried on {families} families of tasks, {draws} draws in all, on other seeds than those on which the
thresholds were chosen. A verdict is false where it is other than "holds" and the assumption is true of the family by
construction; a planted violation is found where the verdict on its assumption is other than "holds". What is neither
is undecided: a Gaussian lies on no sphere. In brackets are 95 % intervals by Clopper and Pearson. The goals are at most
5 % of false verdicts and at least 95 % found; what misses them beyond doubt stands in bold.

By assumption, over all families of which it is true ("pieces" and "gradient" are verdicts by one of two numbers):

{true}

By what was planted:

{planted}

By family: false verdicts of draws where the assumption is true, found ones of draws where it is violated (marked with
a *), and – where it is undecided.

{by_family}

A verdict on A16 is here by the widest feature alone, not by other feature maps. Classes of 3 and 1,797 rows are no
violation. In a box of ten dimensions nearly all points are at an edge, so that A4 is undecided there. `python
benchmarks/verdicts.py` draws all this and writes this part.
"""


def one(family: Family, seed: int) -> dict[str, bool]:
    """Draw and measure a task, and say of which verdicts it is that they are other than "holds"."""
    points = family.points(seed)
    geometry, graph = measure(points)
    found = diagnose(graph, numbers=graph.points.rows)
    task = classification(
        n=geometry.n,
        radius=geometry.norms.radius,
        dimension=geometry.dimension,
        classes=2,
        margin=geometry.margin.distance,
        target_error=TARGET_ERROR,
    )
    told = {record.id: record.verdict in BAD for record in assess(Evidence(task, geometry, found))}
    entries = {entry.id: entry for entry in LEDGER}
    for name, (id, number) in NUMBERS.items():
        threshold = next(each.threshold for each in entries[id].further if each.measured_by == number)
        told[name] = threshold.judge(getattr(assumption_values, number)(geometry, found)).verdict in BAD
    return {name: told[name] for name in ASKED}


def drawn(families: Sequence[Family], draws: int, cache: Path | None) -> dict[str, list[dict[str, bool]]]:
    """Draw every family, what the cache has not."""
    known = _read(cache)
    found: dict[str, list[dict[str, bool]]] = {family.name: [] for family in families}
    start = time.perf_counter()
    for at, family in enumerate(families):
        for seed in range(FIRST_SEED, FIRST_SEED + draws):
            told = known.get((family.name, seed))
            if told is None:
                told = one(family, seed)
                if cache is not None:
                    with cache.open("a", encoding="utf-8") as lines:
                        lines.write(json.dumps({"family": family.name, "seed": seed, "bad": told}) + "\n")
            found[family.name].append(told)
        print(f"{at + 1} of {len(families)}, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return found


def _read(cache: Path | None) -> dict[tuple[str, int], dict[str, bool]]:
    """Draws that were made before and have all verdicts; a line that was cut off is drawn again."""
    known: dict[tuple[str, int], dict[str, bool]] = {}
    if cache is None or not cache.is_file():
        return known
    for line in cache.read_text(encoding="utf-8").splitlines():
        try:
            read = json.loads(line)
        except json.JSONDecodeError:
            continue
        if set(read["bad"]) == set(ASKED):
            known[read["family"], read["seed"]] = read["bad"]
    return known


def page(families: Sequence[Family], found: Mapping[str, Sequence[Mapping[str, bool]]]) -> str:
    """Write the part of the page."""
    return TEXT.format(
        families=len(families),
        draws=f"{sum(len(draws) for draws in found.values()):,}",
        true=_true(families, found),
        planted=_planted(families, found),
        by_family=_by_family(families, found),
    )


def _true(families: Sequence[Family], found: Mapping[str, Sequence[Mapping[str, bool]]]) -> str:
    lines = ["| Verdict | Families | Draws | False, % |", "|---|---:|---:|---:|"]
    for name in ASKED:
        own = [family for family in families if name in family.true]
        bad = [told[name] for family in own for told in found[family.name]]
        if bad:
            lines.append(f"| {name} | {len(own)} | {len(bad):,} | {_counted(bad, most=MOST_FALSE)} |")
    return "\n".join(lines)


def _planted(families: Sequence[Family], found: Mapping[str, Sequence[Mapping[str, bool]]]) -> str:
    lines = ["| Planted | Verdict | Draws | Found, % |", "|---|---|---:|---:|"]
    for planted, name in PLANTED:
        bad = [told[name] for family in families if family.planted == planted for told in found[family.name]]
        if bad:
            lines.append(f"| {planted} | {name} | {len(bad):,} | {_counted(bad, least=LEAST_FOUND)} |")
    return "\n".join(lines)


def _by_family(families: Sequence[Family], found: Mapping[str, Sequence[Mapping[str, bool]]]) -> str:
    lines = [f"| Family | {' | '.join(ASKED)} |", "|---|" + "---:|" * len(ASKED)]
    for family in families:
        draws = found[family.name]
        cells = []
        for name in ASKED:
            mark = "*" if name == family.violated else ""
            decided = mark or name in family.true
            cells.append(f"{sum(told[name] for told in draws)}/{len(draws)}{mark}" if decided else "–")
        lines.append(f"| {family.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _counted(bad: Iterable[bool], most: float = 1.0, least: float = 0.0) -> str:
    """A share in percent with its interval, bold where it misses its goal beyond doubt."""
    hits = list(bad)
    ends = clopper_pearson(sum(hits), len(hits))
    text = f"{100 * sum(hits) / len(hits):.1f} [{100 * ends.lower:.1f}, {100 * ends.upper:.1f}]"
    return f"**{text}**" if ends.lower > most or ends.upper < least else text


def main() -> None:
    """Draw all families and write what they came to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=DRAWS, help="draws of a family")
    parser.add_argument("--cache", type=Path, help="JSON lines of draws: read where it exists, and added to")
    parser.add_argument("--only", default="", help="families whose name has this in it; the page stays as it is")
    parser.add_argument("--page", type=Path, default=PAGE, help="page whose part is written")
    options = parser.parse_args()
    families = [family for family in FAMILIES if options.only in family.name]
    text = page(families, drawn(families, options.draws, options.cache))
    print(text)
    if not options.only:
        write_part("verdicts", text, options.page)


if __name__ == "__main__":
    main()
