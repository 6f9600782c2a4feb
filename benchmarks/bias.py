"""The finite-sample bias of the pooled estimate at k = 5: the table that the package ships.

Run ``python benchmarks/bias.py``; it draws uniform points of a sphere and of a ball and points of a Gaussian, of known
dimension, and writes the mean estimate of each dimension and number of points to
``ibc_report/geometry/dimension/finite_sample_bias.json``.
All of it takes some twenty minutes of one core; ``--share 0.1`` a tenth of that and of the accuracy.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from ibc_report.geometry import Points, search  # noqa: E402
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood  # noqa: E402

DIMENSIONS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 17, 20, 24, 28, 34, 40, 50, 60, 80, 100, 140, 200)
MOST_QUERIES = 10_000
REPLICATES = {
    25: 700,
    50: 350,
    100: 250,
    200: 125,
    500: 60,
    1000: 40,
    2000: 20,
    5000: 10,
    10_000: 8,
    20_000: 4,
    60_000: 3,
}
"""Sets drawn of each number of points: enough for a standard error of the mean below 0.5 %."""
SEED = 20_240_917


def sphere(rng: np.random.Generator, n: int, dimension: int) -> NDArray[np.float64]:
    """Return uniform points of the unit sphere of that dimension, in one more coordinate."""
    points = rng.standard_normal((n, dimension + 1))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points


def ball(rng: np.random.Generator, n: int, dimension: int) -> NDArray[np.float64]:
    """Return uniform points of the unit ball."""
    points = rng.standard_normal((n, dimension))
    points *= rng.uniform(size=(n, 1)) ** (1 / dimension) / np.linalg.norm(points, axis=1, keepdims=True)
    return points


def gaussian(rng: np.random.Generator, n: int, dimension: int) -> NDArray[np.float64]:
    """Return points of the standard Gaussian."""
    return rng.standard_normal((n, dimension))


FAMILIES: dict[str, Callable[[np.random.Generator, int, int], NDArray[np.float64]]] = {
    "sphere": sphere,
    "ball": ball,
    "gaussian": gaussian,
}


def estimate(family: str, dimension: int, n: int, replicate: int) -> float:
    """Return the estimate of one set, over all of its points or the most that are asked."""
    rng = np.random.default_rng([SEED, list(FAMILIES).index(family), dimension, n, replicate])
    points = Points(FAMILIES[family](rng, n, dimension), 1.0, np.arange(n))
    queries = points.take(np.arange(MOST_QUERIES)) if n > MOST_QUERIES else None
    return maximum_likelihood(search(points, queries, k=PAPER_K, same_set=True).distances, PAPER_K)


def table(share: float) -> dict[str, object]:
    """Return the table as it is written: for each family a row a dimension, in it a value a number of points."""
    counts = {n: max(2, round(share * count)) for n, count in REPLICATES.items()}
    families = {}
    for family in FAMILIES:
        rows = [
            [[estimate(family, dimension, n, replicate) for replicate in range(count)] for n, count in counts.items()]
            for dimension in DIMENSIONS
        ]
        families[family] = {
            "mean": [[round(float(np.mean(cell)), 4) for cell in row] for row in rows],
            "deviation": [[round(float(np.std(cell, ddof=1)), 4) for cell in row] for row in rows],
        }
        print(f"{family}: done", file=sys.stderr, flush=True)
    return {
        "neighbors": PAPER_K,
        "seed": SEED,
        "dimensions": list(DIMENSIONS),
        "points": list(counts),
        "queries": [min(n, MOST_QUERIES) for n in counts],
        "replicates": list(counts.values()),
        "families": families,
    }


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of the replicates to draw")
    parser.add_argument(
        "--output", type=Path, default=PROJECT / "ibc_report" / "geometry" / "dimension" / "finite_sample_bias.json"
    )
    arguments = parser.parse_args()
    arguments.output.write_text(json.dumps(table(arguments.share), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
