"""How far rows move the released and the robust value, and how they order synthetic tasks of known difficulty.

Run ``python benchmarks/robustness.py --data /path/to/shared/data``; it prints Markdown. Everything is seeded.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ibc_report import complexity
from ibc_report.data.task import Task
from ibc_report.geometry import NeighborGraph, Neighbors, Points, search
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood
from ibc_report.geometry.neighbors.duplicates import groups_of_equal
from ibc_report.geometry.radius import norms
from ibc_report.geometry.robust import robust
from ibc_report.pipeline.measure import prepare

SOURCES = {
    "digits": "builtin:digits",
    "wine": "builtin:wine",
    "breast_cancer": "builtin:breast_cancer",
    "banking77": "banking77/train.csv",
    "mnist": "mnist/mnist/train-00000-of-00001.parquet",
}
NEIGHBORS = 50
TARGET_ERROR = 0.01
SHARE, REPEATED, TIMES = 0.01, 0.05, 10.0
SEED = 2025
LEAST_BITS = 1e4
"""Synthetic tasks with fewer bits are left out: towards 0 bits, where the data alone would do, the logarithm falls
without end."""


class Searches:
    """Searches by the vectors: other labels on the same vectors need another look at a few rows only."""

    def __init__(self) -> None:
        self.known: dict[bytes, Neighbors] = {}

    def __call__(self, points: Points) -> Neighbors:
        """Return the neighbours of all points."""
        key = hashlib.blake2b(points.raw.tobytes()).digest()
        if key not in self.known:
            self.known[key] = search(points, k=min(NEIGHBORS, len(points) - 1))
            return self.known[key]
        found = self.known[key]
        assert points.labels is not None
        others = points.labels[np.searchsorted(points.rows, found.rows)] != points.labels[:, None]
        first = others.argmax(axis=1)
        each = np.arange(len(points))
        distance, row = found.distances[each, first].copy(), found.rows[each, first].copy()
        open_ones = np.flatnonzero(~others.any(axis=1))
        if len(open_ones):
            again = search(points, points.take(open_ones), k=1, same_set=True)
            distance[open_ones], row[open_ones] = again.other_distance, again.other_row
        return replace(found, other_distance=distance, other_row=row)


@dataclass(frozen=True, slots=True)
class Values:
    """log10 of bits, both ways."""

    released: float
    robust: float


def values(points: Points, searches: Callable[[Points], Neighbors]) -> Values:
    """Measure a set of rows, repeated ones included, both ways."""
    assert points.labels is not None
    classes = len(np.unique(points.labels))
    groups = groups_of_equal(points.raw)
    first = np.unique(groups, return_index=True)[1]
    lowest, highest = np.full(len(first), np.inf), np.full(len(first), -np.inf)
    np.minimum.at(lowest, groups, points.labels)
    np.maximum.at(highest, groups, points.labels)
    distinct = points if len(first) == len(points) else points.take(first)
    found = searches(distinct)
    clear = found.other_distance[lowest == highest]
    plain = _bits(
        len(points),
        norms(points).radius,
        maximum_likelihood(found.distances, PAPER_K),
        float(clear.min()),
        classes,
    )
    facts = robust(NeighborGraph(distinct, distinct, found), conflicting=lowest != highest)
    assert facts is not None
    return Values(plain, _bits(facts.n, facts.radius, facts.dimension, facts.margin, classes))


def _bits(n: float, radius: float, dimension: float, margin: float, classes: int) -> float:
    return complexity.classification(
        n=n, radius=radius, dimension=dimension, classes=classes, margin=margin, target_error=TARGET_ERROR
    ).log10_bits


def load(name: str, folder: Path) -> Points:
    """Read and encode a dataset as a card would."""
    source = SOURCES[name]
    task = Task.of(source if source.startswith("builtin:") else str(folder / source))
    examples = prepare(task).examples
    encoded = examples.encoded
    return Points(np.asarray(encoded.vectors), encoded.unit, encoded.rows, examples.codes)


def flipped(points: Points, rng: np.random.Generator) -> Points:
    """Give one label in a hundred another value."""
    assert points.labels is not None
    labels = points.labels.copy()
    chosen = _some(points, SHARE, rng)
    classes = int(labels.max()) + 1
    labels[chosen] = (labels[chosen] + rng.integers(1, classes, len(chosen))) % classes
    return replace(points, labels=labels)


def outliers(points: Points, rng: np.random.Generator) -> Points:
    """Make one row in a hundred ten times as long."""
    vectors = points.raw.astype(np.float64)
    vectors[_some(points, SHARE, rng)] *= TIMES
    return replace(points, vectors=vectors)


def repeated(points: Points, rng: np.random.Generator) -> Points:
    """Repeat five rows in a hundred."""
    chosen = _some(points, REPEATED, rng)
    assert points.labels is not None
    return Points(
        np.concatenate([points.raw, points.raw[chosen]]),
        points.unit,
        np.concatenate([points.rows, points.rows[-1] + 1 + np.arange(len(chosen))]),
        np.concatenate([points.labels, points.labels[chosen]]),
    )


def moved(points: Points, rng: np.random.Generator) -> Points:
    """Move all rows by twice the radius."""
    step = rng.normal(size=points.dimension)
    step *= 2 * norms(points).radius / points.unit / np.linalg.norm(step)
    return replace(points, vectors=points.raw + step)


def _some(points: Points, share: float, rng: np.random.Generator) -> NDArray[np.int64]:
    return rng.choice(len(points), max(1, round(share * len(points))), replace=False)


CHANGES: dict[str, tuple[Callable[[Points, np.random.Generator], Points], bool]] = {
    "1 % flipped": (flipped, True),
    "1 % × 10": (outliers, True),
    "5 % repeated": (repeated, True),
    "moved": (moved, False),
}
"""By name: the change, and whether it is drawn anew for each seed."""


def perturbations(names: list[str], folder: Path, seeds: int) -> Iterator[str]:
    """Yield the rows of the table of real datasets."""
    yield "| dataset | form | log10 bits | " + " | ".join(CHANGES) + " |"
    yield "|---|---|---|" + "---|" * len(CHANGES)
    for name in names:
        points = load(name, folder)
        searches = Searches()
        base = values(points, searches)
        cells: dict[str, list[str]] = {"released": [], "robust": []}
        for change, drawn in CHANGES.values():
            runs = [
                values(change(points, np.random.default_rng((SEED, seed))), searches)
                for seed in range(seeds if drawn else 1)
            ]
            for form, column in cells.items():
                column.append(f"{max(abs(getattr(run, form) - getattr(base, form)) for run in runs):.3f}")
        for form, column in cells.items():
            yield f"| {name} | {form} | {getattr(base, form):.2f} | " + " | ".join(column) + " |"


@dataclass(frozen=True, slots=True)
class Synthetic:
    """A task whose difficulty is known."""

    family: str
    points: Points
    dimension: int
    radius: float
    margin: float

    @property
    def truth(self) -> float:
        """log10 of bits of its true numbers."""
        assert self.points.labels is not None
        return _bits(len(self.points), self.radius, self.dimension, self.margin, int(self.points.labels.max()) + 1)


FAMILIES = ("sphere", "ball", "Gaussian", "torus", "balls side by side")


def synthetic(family: str, dimension: int, classes: int, n: int, gap: float, rng: np.random.Generator) -> Synthetic:
    """Make a task: a copy of a manifold of radius 1 for each class, a gap apart in further dimensions, centred.

    The last family has its balls beside one another in one space instead, at the corners of a simplex.
    """
    labels = np.arange(n) % classes
    body, radius = _body(family, dimension, n, rng)
    if family == FAMILIES[-1]:
        classes = min(classes, dimension + 1)
        labels = np.arange(n) % classes
        corners = np.zeros((classes, dimension))
        corners[:, : classes - 1] = _simplex(classes) * (2 + gap)
        body = body + corners[labels]
        radius = float(np.linalg.norm(corners[0])) + 1
    else:
        corners = _simplex(classes) * gap
        body = np.concatenate([body, corners[labels]], axis=1)
        radius = float(np.hypot(radius, np.linalg.norm(corners[0])))
    turn = np.linalg.qr(rng.normal(size=(body.shape[1], body.shape[1])))[0]
    points = Points(np.ascontiguousarray(body @ turn), 1.0, np.arange(n), labels)
    return Synthetic(family, points, dimension, radius, gap)


def _body(family: str, dimension: int, n: int, rng: np.random.Generator) -> tuple[NDArray[Any], float]:
    if family == "torus":
        angles = rng.random((n, dimension)) * 2 * np.pi
        return np.concatenate([np.cos(angles), np.sin(angles)], axis=1) / np.sqrt(dimension), 1.0
    if family == "Gaussian":
        body = rng.normal(size=(n, dimension)) / np.sqrt(dimension)
        return body, float(np.linalg.norm(body, axis=1).max())
    body = rng.normal(size=(n, dimension + (family == "sphere")))
    body /= np.linalg.norm(body, axis=1, keepdims=True)
    return (body if family == "sphere" else body * rng.random((n, 1)) ** (1 / dimension)), 1.0


def _simplex(classes: int) -> NDArray[np.float64]:
    """Corners of a centred simplex with edges of length 1, shape (classes, classes − 1)."""
    corners = np.eye(classes) - 1 / classes
    left, values_, _ = np.linalg.svd(corners)
    return np.asarray((left * values_)[:, : classes - 1] / np.sqrt(2))


def draw(count: int) -> Iterator[Synthetic]:
    """Draw tasks: dimension 2 to 40, 2 to 10 classes, 500 to 20,000 rows, R/δ from a third to 3."""
    rng = np.random.default_rng(SEED)
    made = 0
    while made < count:
        family = FAMILIES[made % len(FAMILIES)]
        dimension = round(float(np.exp(rng.uniform(np.log(2), np.log(40)))))
        n = round(float(np.exp(rng.uniform(np.log(500), np.log(20_000)))))
        gap = float(np.exp(rng.uniform(np.log(1 / 3), np.log(3))))
        task = synthetic(family, dimension, int(rng.integers(2, 11)), n, gap, rng)
        if task.truth > np.log10(LEAST_BITS):
            made += 1
            yield task


def ordering(count: int) -> Iterator[str]:
    """Yield the lines on synthetic tasks."""
    rows = []
    for task in draw(count):
        found = values(task.points, Searches())
        rows.append((task.family, task.truth, found.released, found.robust))
    yield "| family | tasks | 0 bits in both | in one | robust − released: median | largest | within a decade |"
    yield "|---|---|---|---|---|---|---|"
    for family in (*FAMILIES, "all"):
        pairs = np.array([row[2:] for row in rows if family in (row[0], "all")])
        none = np.isneginf(pairs)
        apart = np.diff(pairs[~none.any(axis=1)], axis=1).ravel()
        within = f"{int((np.abs(apart) <= 1).sum())} of {len(apart)}"
        both, one = int(none.all(axis=1).sum()), int((none.sum(axis=1) == 1).sum())
        yield (
            f"| {family} | {len(pairs)} | {both} | {one} | {np.median(apart):+.2f} | {np.abs(apart).max():.2f} | "
            f"{within} |"
        )
    truth, released, sturdy = (np.array([row[column] for row in rows]) for column in (1, 2, 3))
    yield ""
    yield (
        f"Kendall's τ with the order of the true bits, {len(rows)} tasks: released "
        f"{kendalltau(truth, released).statistic:.3f}, robust {kendalltau(truth, sturdy).statistic:.3f}."
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the datasets")
    parser.add_argument("--sets", nargs="*", default=list(SOURCES), choices=list(SOURCES))
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--synthetic", type=int, default=100, help="synthetic tasks; 0 for none")
    given = parser.parse_args()
    if given.sets:
        print(f"Largest move of log10 bits over {given.seeds} seeds:\n")
        for line in perturbations(given.sets, given.data, given.seeds):
            print(line, flush=True)
    if given.synthetic:
        print()
        for line in ordering(given.synthetic):
            print(line, flush=True)


if __name__ == "__main__":
    main()
