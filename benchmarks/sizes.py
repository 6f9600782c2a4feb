"""How often the tests that `results` prints find a difference where there is none: `python benchmarks/sizes.py`.

Tests of counts are enumerated over grids of n and of the true share; what takes many models is drawn, with the
Clopper–Pearson interval of its rate. Writes its part of the page on calibration, in about five minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page import write_part

from ibc_report.evaluation.statistics.accuracy_line import accuracy_line, select
from ibc_report.evaluation.statistics.exact_power import critical_value, paired_power, unpaired_power
from ibc_report.evaluation.statistics.multiple_testing import all_pairs, holm
from ibc_report.evaluation.statistics.proportions import LEVEL, clopper_pearson, two_sided
from ibc_report.evaluation.statistics.score_test import RARE, TIE, exact_p, score_statistic

SETS = (5, 10, 20, 30, 50, 100, 200, 500, 1000, 3000)
"""Examples of either set, of which all pairs with at most 10⁷ tables are enumerated."""

LARGE = ((3200, 3200), (4000, 6000), (10_000, 10_000), (10_000, 60_000), (1000, 100_000), (300, 50_000))
"""Larger sets."""

SHARES = np.sin(np.linspace(0, np.pi / 4, 202)[1:]) ** 2
"""True accuracies up to one half, on no point of the test's own grid but by chance; the others mirror them."""

EXPECTED = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 35, 40, 45, 50, 60, 80, 100)
"""Right or wrong answers expected in the smaller of two large sets."""

PAIRED = (5, 10, 20, 50, 100, 200, 500, 1000, 3000, 10_000, 100_000)

DISAGREEMENTS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.0)

DRAWS = 4000

SIZE = 1 - LEVEL


@dataclass(frozen=True)
class Size:
    """Largest rate of false findings of a test, and where it is."""

    test: str
    tried: str
    rate: float
    where: str
    found: int | None = None

    @classmethod
    def drawn(cls, test: str, kinds: int, found: int, where: str) -> Size:
        """Largest count of false findings among draws of several kinds."""
        return cls(test, f"{kinds} kinds of {DRAWS:,} draws", found / DRAWS, where, found)

    def row(self) -> str:
        """Word it as a row of a table."""
        around = ""
        if self.found is not None:
            ends = clopper_pearson(self.found, DRAWS)
            around = f" [{100 * ends.lower:.2f}, {100 * ends.upper:.2f}]"
        return f"| {self.test} | {self.tried} | {100 * self.rate:.2f}{around} | {self.where} |"


def two_sets() -> Size:
    """Enumerate the exact score test."""
    pairs = [(a, b) for a in SETS for b in SETS if a <= b]
    rates = [(unpaired_power(p, a, p, b), a, b, p) for a, b in pairs for p in SHARES.tolist()]
    rate, a, b, p = max(rates)
    return Size(
        "two sets, and the train–test gap, exact",
        f"{len(pairs)} pairs of n from {SETS[0]} to {SETS[-1]:,}, {len(SHARES)} accuracies",
        rate,
        f"n = {a:,} and {b:,}, accuracy {1 - p:.3f}",
    )


def large_sets() -> Size:
    """Enumerate what larger sets are tested by, given the right answers of both."""
    rates = [(rate, a, b, expected) for a, b in LARGE for expected, rate in _large(a, b)]
    rate, a, b, expected = max(rates)
    return Size(
        "two sets, and the gap, larger",
        f"{len(LARGE)} pairs of n up to 100,000, {len(EXPECTED)} accuracies near 0 and 1",
        rate,
        f"n = {a:,} and {b:,}, {expected:g} wrong answers expected in the smaller",
    )


def _large(small: int, large: int) -> Iterator[tuple[float, float]]:
    total = small + large
    for expected in EXPECTED:
        share = expected / small
        spread = 7 * np.sqrt(total * share) + 7
        right = np.arange(max(0, int(total * share - spread)), int(total * share + spread) + 1)
        yield expected, float(binom.pmf(right, total, share) @ [_given(small, large, each) for each in right.tolist()])


@cache
def _given(small: int, large: int, right: int) -> float:
    """Probability of a finding given the right answers of both sets."""
    expected = small * right / (small + large)
    count = np.arange(max(0, int(expected - 8 * np.sqrt(expected) - 8)), min(small, right, int(expected * 2 + 40)) + 1)
    masses = np.exp(_ways(small, count) + _ways(large, right - count) - _ways(small + large, np.array([right])))
    if small * right < RARE * (small + large):
        distance = np.abs(count - expected)
        far = np.sort(distance)
        tail = np.append(np.cumsum(masses[np.argsort(distance)][::-1])[::-1], 0.0)
        p = tail[np.searchsorted(far, distance * (1 - TIE))]
        return float(masses[p <= SIZE].sum())
    z = score_statistic(count, small, right - count, large, 0.0)
    return float(masses[np.abs(z) >= two_sided(LEVEL)].sum())


def _ways(n: int, count: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(gammaln(n + 1) - gammaln(count + 1) - gammaln(n - count + 1))


def paired() -> Size:
    """Enumerate McNemar's exact test."""
    rate, n, share = max((paired_power(share, n)(0.0), n, share) for n in PAIRED for share in DISAGREEMENTS)
    return Size(
        "same examples, McNemar exact",
        f"{len(PAIRED)} n from {PAIRED[0]} to {PAIRED[-1]:,}, {len(DISAGREEMENTS)} shares of disagreement",
        rate,
        f"n = {n:,}, disagreement {share:g}",
    )


def _answers(rng: np.random.Generator, ability: NDArray[np.float64], n: int) -> NDArray[np.bool_]:
    """Models that err on examples by their difficulty, and by chance."""
    return ability[:, None] + rng.normal(0, 0.7, (len(ability), n)) > rng.normal(0, 1, n)


def ranks() -> Iterator[Size]:
    """Draw models that are equal, or in two classes, and count draws with any false or reversed finding."""
    for label, gap in (("all models equal", 0.0), ("models of two abilities", 0.5)):
        best = (-1, "")
        for models, n in ((3, 100), (3, 1000), (6, 300), (12, 200)):
            rng = np.random.default_rng([models, n])
            ability = np.where(np.arange(models) < models // 2, gap, 0.0) + 0.8
            found = 0
            for _ in range(DRAWS):
                right = _answers(rng, ability, n)
                pairs = all_pairs(right, np.ones_like(right), LEVEL)
                truth = np.sign(ability[pairs.first] - ability[pairs.second])
                said = np.sign(pairs.first_only - pairs.second_only)
                found += bool(np.any((pairs.holm <= SIZE) & (said != truth)))
            best = max(best, (found, f"{models} models, n = {n:,}"))
        yield Size.drawn(f"ranks and corrected p of all pairs, {label}", 4, *best)


def corrected_sets() -> Size:
    """Draw models on two sets, and count draws with any finding after Holm's correction."""
    best = (-1, "")
    for models, a, b in ((2, 30, 1000), (5, 100, 200), (10, 200, 200)):
        rng = np.random.default_rng([models, a, b])
        known: dict[tuple[int, int], float] = {}
        found = 0
        for _ in range(DRAWS):
            ability = rng.normal(1.5, 0.3, models)
            first, second = (_answers(rng, ability, n).sum(axis=1).tolist() for n in (a, b))
            for key in zip(first, second, strict=True):
                if key not in known:
                    z = float(score_statistic(key[0], a, key[1], b, 0.0))
                    known[key] = exact_p(a, b, 0.0, z)
            p = holm([known[key] for key in zip(first, second, strict=True)])
            found += bool(p.min() <= SIZE)
        best = max(best, (found, f"{models} models, n = {a} and {b}"))
    return Size.drawn("two sets, Holm's p of several models", 3, *best)


def _line(rng: np.random.Generator, models: int, n: int, share: float) -> bool:
    reference = rng.uniform(0.55, 0.95, models)
    found = select(reference, 2000, rng.random((models, n)) < share, seed=int(rng.integers(2**31)))
    ends = [subset.held_out.interval for subset in found.subsets if subset.held_out is not None]
    return any(one.lower > 0 or one.upper < 0 for one in ends)


def _everything(rng: np.random.Generator, models: int, n: int, share: float) -> bool:
    right = (rng.random((models, n)) < share).mean(axis=1)
    if np.ptp(right) == 0:
        return False
    around = accuracy_line(rng.uniform(0.55, 0.95, models), 2000, right, n).correlation.interval
    return around.lower > 0 or around.upper < 0


def lines() -> Iterator[Size]:
    """Draw models whose answers on the second set have nothing to do with their accuracy on the first."""
    kinds: tuple[tuple[str, Callable[[np.random.Generator, int, int, float], bool]], ...] = (
        ("accuracy on the line, all examples", _everything),
        ("any of four subsets of selected examples", _line),
    )
    for label, is_found in kinds:
        best = (-1, "")
        for models, n, share in ((30, 100, 0.6), (30, 400, 0.9), (31, 200, 0.97), (60, 200, 0.8)):
            rng = np.random.default_rng([models, n])
            found = sum(is_found(rng, models, n, share) for _ in range(DRAWS))
            best = max(best, (found, f"{models} models, {n} examples, accuracy {share:g}"))
        yield Size.drawn(label, 4, *best)


def page(rows: Iterable[str]) -> str:
    """Word the part of the page that has a row for each test."""
    table = "\n".join(rows)
    return f"""## Tests

How often the tests of `ibc-report results` find a difference where there is none, at a nominal {100 * SIZE:.2g} %: the
largest rate over what was tried, in per cent. Tests of counts are enumerated. What takes many models is drawn,
{DRAWS:,} times for each kind, and the largest of the rates stands with the Clopper–Pearson interval of one rate.
`benchmarks/sizes.py` writes this part.

| Test | Tried | Largest size, % | Where |
|---|---|---:|---|
{table}

The exact test of two sets holds its size for every accuracy, also near 0 and 1, and pays for it where one set is far
larger than the other: of 10 against 1,000 examples it takes |z| ≥ {critical_value(10, 1000):.2f}, of 100 against 100 it
takes {critical_value(100, 100):.2f}.
"""


def main() -> None:
    """Measure all sizes, and write them."""
    found = [two_sets(), large_sets(), paired(), corrected_sets(), *ranks(), *lines()]
    write_part("sizes", page(each.row() for each in found))


if __name__ == "__main__":
    main()
