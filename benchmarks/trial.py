"""One draw of one synthetic task, measured: its numbers, its intervals, and the verdicts of the ledger."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from synthetic import Recipe, draw

from ibc_report.complexity import Complexity, classification
from ibc_report.complexity.uncertainty import Noise, spread
from ibc_report.geometry import Geometry, NeighborGraph, Points, margin_from, neighbor_graph
from ibc_report.geometry.diagnostics import diagnose
from ibc_report.geometry.dimension.estimators import PAPER_K, PROFILE, maximum_likelihood, profile
from ibc_report.geometry.dimension.finite_sample_bias import true_range
from ibc_report.geometry.dimension.manifolds import sheet
from ibc_report.geometry.dimension.standard_error import NeighborTable, pooled_precision
from ibc_report.geometry.extreme_value_fits import margin_law, pair_distances, radius_law
from ibc_report.geometry.neighbors.duplicates import groups_of_equal
from ibc_report.geometry.radius import norms
from ibc_report.report.assumptions.assumption import Evidence
from ibc_report.report.assumptions.ledger import assess

__all__ = ["TARGET_ERROR", "Trial", "bits", "measure", "run"]

TARGET_ERROR = 0.01
"""Of every task."""

VOTES = (1, 5, 10)
"""Neighbours whose labels are compared."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What one draw came to.

    Parameters
    ----------
    recipe : Recipe
        The task.
    seed : int
        Of the draw.
    dimension, margin, radius : float
        m̂, δ̂ and R̂.
    dimension_profile : dict of int to float
        m̂ over neighbourhood sizes.
    log10_bits : float
        At those.
    verdicts : dict of str to str
        By assumption.
    values : dict of str to float
        What they hang on.
    intervals : dict of str to tuple of float
        By name, lower and upper end.
    search_seconds, ledger_seconds : float
        What the neighbour search and the statistics of the ledger took.
    """

    recipe: Recipe
    seed: int
    dimension: float
    margin: float
    radius: float
    dimension_profile: dict[int, float]
    log10_bits: float
    verdicts: dict[str, str]
    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    search_seconds: float
    ledger_seconds: float


def bits(recipe: Recipe, radius: float, dimension: float, margin: float) -> Complexity:
    """Bits of a task at given numbers."""
    return classification(
        n=recipe.n,
        radius=radius,
        dimension=dimension,
        classes=recipe.classes,
        margin=margin,
        target_error=TARGET_ERROR,
    )


def measure(points: Points) -> tuple[Geometry, NeighborGraph]:
    """Measure labelled points as the pipeline does: one point for each group of equal rows."""
    groups = groups_of_equal(points.raw)
    first = np.unique(groups, return_index=True)[1]
    distinct = points if len(first) == len(points) else points.take(first)
    graph = neighbor_graph(distinct, k=min(max(PROFILE), len(distinct) - 1))
    found = graph.found
    closest = margin_from(found, distinct)
    assert closest is not None
    assert points.labels is not None
    assert distinct.labels is not None
    near = distinct.labels[np.searchsorted(distinct.rows, found.rows)] != distinct.labels[:, None]
    geometry = Geometry(
        n=len(points),
        features=points.dimension,
        distinct=len(distinct),
        equal_rows=len(points) - len(distinct),
        coincident_rows=0,
        conflicting_rows=0,
        conflicting_examples=(),
        class_counts=tuple(np.bincount(points.labels).tolist()),
        norms=norms(points),
        dimension=maximum_likelihood(found.distances, PAPER_K),
        dimension_profile=profile(found.distances),
        disagreement={k: float(near[:, :k].mean()) for k in VOTES},
        margin=closest,
        tolerance=0.0,
        method=found.method,
    )
    return geometry, graph


def noise(geometry: Geometry, graph: NeighborGraph, lengths: NDArray[np.float64]) -> Noise:
    """What the pipeline knows of the noise of its numbers."""
    points, found, m = graph.points, graph.found, geometry.dimension
    precision = pooled_precision(NeighborTable.of(found.distances, found.rows, points.rows, points.rows), m, seed=0)
    own = sheet(graph, seed=0)
    values = geometry.dimension_profile.values()
    return Noise(
        dimension_error=0.0 if precision is None else precision.standard_error,
        scale_sd=(max(values) - min(values)) / 12**0.5,
        margin=margin_law(pair_distances(points.rows, found.other_row, found.other_distance), m),
        radius=radius_law(lengths),
        true_dimension=true_range(m, 0.0, own.points, global_dimension=own.global_dimension),
    )


def intervals(task: Complexity, known: Noise) -> dict[str, tuple[float, float]]:
    """The ends of each interval, by its name."""
    found = spread(task, known)
    assert found is not None
    ranges = {
        "m, this scale": found.sample.dimension,
        "δ": found.sample.margin,
        "bits, this scale": found.sample.log10_bits,
    }
    if found.truth is not None:
        ranges |= {"m, true": found.truth.dimension, "bits, true": found.truth.log10_bits}
    return {name: (ends.lower, ends.upper) for name, ends in ranges.items()}


def run(recipe: Recipe, seed: int) -> Trial:
    """Draw and measure a task."""
    points = draw(recipe, seed)
    start = time.perf_counter()
    geometry, graph = measure(points)
    middle = time.perf_counter()
    diagnostics = diagnose(graph)
    end = time.perf_counter()
    task = bits(recipe, geometry.norms.radius, geometry.dimension, geometry.margin.distance)
    ledger = assess(Evidence(task, geometry, diagnostics))
    return Trial(
        recipe=recipe,
        seed=seed,
        dimension=geometry.dimension,
        margin=geometry.margin.distance,
        radius=geometry.norms.radius,
        dimension_profile=dict(geometry.dimension_profile),
        log10_bits=task.log10_bits,
        verdicts={entry.id: entry.verdict for entry in ledger},
        values={entry.id: entry.value for entry in ledger if entry.value is not None},
        intervals=intervals(task, noise(geometry, graph, np.linalg.norm(points.raw, axis=1))),
        search_seconds=middle - start,
        ledger_seconds=end - middle,
    )
