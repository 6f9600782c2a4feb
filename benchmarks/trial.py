"""One draw of one synthetic task, measured: its numbers and its intervals."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from synthetic import Recipe, draw

from ibc_report.complexity import Complexity, classification, regression
from ibc_report.complexity.uncertainty import Noise, spread
from ibc_report.geometry import Geometry, NeighborGraph, Points, margin_from, neighbor_graph
from ibc_report.geometry.dimension.by_class import by_class
from ibc_report.geometry.dimension.estimators import PAPER_K, PROFILE, maximum_likelihood, profile
from ibc_report.geometry.dimension.manifolds import sheet
from ibc_report.geometry.dimension.standard_error import NeighborTable, pooled_precision, rough_error
from ibc_report.geometry.dimension.true_dimension import true_dimension
from ibc_report.geometry.extreme_value_fits import margin_law, pair_distances, radius_law
from ibc_report.geometry.neighbors.duplicates import groups_of_equal
from ibc_report.geometry.radius import norms
from ibc_report.geometry.target_range import half_range

__all__ = ["TARGET_ERROR", "Trial", "bits", "measure", "run"]

TARGET_ERROR = 0.01
"""Of every task."""

MEMORY = 2**30
"""Bytes for the search of a class."""

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
    log10_bits : float
        At those.
    intervals : dict of str to tuple of float
        By name, lower and upper end; one that is withheld is missing.
    """

    recipe: Recipe
    seed: int
    dimension: float
    margin: float
    radius: float
    log10_bits: float
    intervals: dict[str, tuple[float, float]]


def bits(recipe: Recipe, radius: float, dimension: float, margin: float) -> Complexity:
    """Bits of a task at given numbers."""
    if recipe.labels == "wave":
        return regression(n=recipe.n, radius=radius, dimension=dimension, resolution=margin, target_error=TARGET_ERROR)
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


def noise(graph: NeighborGraph, m: float) -> Noise:
    """What the pipeline knows of the noise of its numbers."""
    points, found = graph.points, graph.found
    precision = pooled_precision(NeighborTable.of(found.distances, found.rows, points.rows, points.rows), m, seed=0)
    by_size = profile(found.distances)
    return Noise(
        dimension_error=rough_error(m, len(points)) if precision is None else precision.standard_error,
        scale_sd=(max(by_size.values()) - min(by_size.values())) / 12**0.5,
        margin=margin_law(pair_distances(points.rows, found.other_row, found.other_distance), m),
        radius=radius_law(np.linalg.norm(points.raw, axis=1)),
        true_dimension=true_dimension(m, by_size, sheet(graph, seed=0), by_class(graph, seed=0, memory=MEMORY)),
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
    tolerance = None if points.targets is None else 2 * TARGET_ERROR * half_range(points.targets)
    graph = neighbor_graph(points, k=max(PROFILE), tolerance=tolerance)
    closest = float(graph.found.other_distance.min())
    m = maximum_likelihood(graph.found.distances, PAPER_K)
    radius = norms(points).radius
    task = bits(recipe, radius, m, closest)
    return Trial(recipe, seed, m, closest, radius, task.log10_bits, intervals(task, noise(graph, m)))
