"""All that is read from one neighbour search: facts, their noise, what was checked, what other choices would give."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import DataError
from ibc_report.complexity.uncertainty import Noise
from ibc_report.data.encoders import Progress, silent
from ibc_report.data.examples import Examples
from ibc_report.geometry import Geometry, NeighborGraph, Neighborhoods, Points, facts_of
from ibc_report.geometry.alternatives import Variants, variants
from ibc_report.geometry.diagnostics import Diagnostics, diagnose
from ibc_report.geometry.dimension.standard_error import rough_error
from ibc_report.geometry.dimension.study import DimensionStudy, study
from ibc_report.geometry.extreme_value_fits import margin_law, pair_distances, radius_law
from ibc_report.geometry.facts import in_conflict
from ibc_report.geometry.margin_extrapolation import Extrapolation, extrapolated_margin
from ibc_report.geometry.merged_classes import MergedClasses, merged_classes
from ibc_report.geometry.radius import lengths
from ibc_report.geometry.robust import RobustGeometry, robust
from ibc_report.geometry.target_range import TargetsLeftOut, far_targets, half_range, without_extreme_targets

__all__ = ["Measurement", "measurement_of"]

FEWEST_ASKED = 50
"""Rows, at least, from whose neighbours the robust facts are made: quantiles of fewer are single rows again."""


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """What was measured of a set of examples.

    Parameters
    ----------
    robust : RobustGeometry or None
        The facts as no single row can move them; None where no two rows that are borne out differ, or too few were
        asked.
    targets : TargetsLeftOut or None
        The facts without the rows whose targets set the range; None for classes, and where the tolerance is chosen.
    extrapolation : Extrapolation or None
        The margin extrapolated to all pairs, where the smallest of all could not be afforded.
    merged : MergedClasses or None
        The facts with classes of almost one name as one; None where there are none.
    """

    examples: Examples
    facts: Geometry
    dimension: DimensionStudy
    noise: Noise
    diagnostics: Diagnostics
    variants: Variants
    robust: RobustGeometry | None
    targets: TargetsLeftOut | None
    extrapolation: Extrapolation | None
    merged: MergedClasses | None


def measurement_of(
    seen: Neighborhoods, *, range_share: float | None = None, progress: Progress = silent
) -> Measurement:
    """Read all that a search tells.

    Parameters
    ----------
    range_share : float, optional
        Of a regression, the share of the targets' range that is the tolerance; None where the tolerance is chosen.

    Raises
    ------
    DataError
        If there are no two points of different classes, or the dimension is not defined.
    """
    seed, memory = seen.plan.budget.seed, seen.plan.budget.memory
    encoded = seen.examples.encoded
    rows = Points(encoded.vectors, encoded.unit, encoded.rows)
    facts = facts_of(seen)
    dimension = study(seen.distinct, seed=seed, memory=memory, progress=lambda fraction: progress(0.7 * fraction))
    numbers = seen.examples.numbered(seen.distinct.points.rows)
    diagnostics = diagnose(seen.distinct, seen.clear, numbers=numbers, seed=seed)
    progress(0.8)
    far = diagnostics.far
    others = variants(
        rows,
        seen.clear,
        norms=facts.norms,
        pair=facts.margin.rows,
        distinct=facts.distinct,
        within=facts.norms.radius / far.factor if far is not None and far.count else None,
        seed=seed,
    )
    progress(0.9)
    noise = _noise(facts, dimension, seen.clear, lengths(rows), len(seen.distinct.found))
    targets = None
    if range_share is not None:
        targets = without_extreme_targets(seen.examples, range_share, seen.plan.budget)
    steady = _robust(seen, range_share)
    progress(1.0)
    extrapolation = _extrapolation(seen.clear.points, facts, seed)
    examples = seen.examples
    return Measurement(
        examples,
        _numbered_facts(facts, examples),
        dimension,
        noise,
        _numbered_diagnostics(diagnostics, examples),
        others,
        None if steady is None else _numbered_robust(steady, examples),
        targets,
        extrapolation,
        merged_classes(examples, seen.plan.budget),
    )


def _numbers(examples: Examples, keys: tuple[int, ...]) -> tuple[int, ...]:
    """Row numbers of keys, in their order."""
    return tuple(examples.numbered(np.array(keys, dtype=np.int64)).tolist())


def _numbered_facts(facts: Geometry, examples: Examples) -> Geometry:
    """The facts with the rows of the source in the place of keys."""
    first, second = sorted(_numbers(examples, facts.margin.rows))
    return replace(
        facts,
        conflicting_examples=_numbers(examples, facts.conflicting_examples),
        norms=replace(facts.norms, radius_row=_numbers(examples, (facts.norms.radius_row,))[0]),
        margin=replace(facts.margin, rows=(first, second)),
    )


def _numbered_diagnostics(found: Diagnostics, examples: Examples) -> Diagnostics:
    far, labels = found.far, found.labels
    return replace(
        found,
        far=None if far is None else replace(far, rows=_numbers(examples, far.rows)),
        labels=None
        if labels is None
        else replace(labels, alone_rows=tuple(sorted(_numbers(examples, labels.alone_rows)))),
    )


def _numbered_robust(found: RobustGeometry, examples: Examples) -> RobustGeometry:
    return replace(
        found,
        far_rows=_numbers(examples, found.far_rows),
        outvoted_rows=_numbers(examples, found.outvoted_rows),
        largest_rows=_numbers(examples, found.largest_rows),
    )


def _noise(
    facts: Geometry, dimension: DimensionStudy, clear: NeighborGraph, norms: NDArray[np.float64], asked: int
) -> Noise:
    spread = facts.dimension_profile.values()
    pairs = pair_distances(clear.queries.rows, clear.found.other_row, clear.found.other_distance)
    return Noise(
        dimension_error=dimension.standard_error or rough_error(facts.dimension, asked),
        scale_sd=(max(spread) - min(spread)) / 12**0.5,
        margin=margin_law(pairs, facts.dimension),
        radius=radius_law(norms),
        true_dimension=dimension.true_range,
    )


def _robust(seen: Neighborhoods, range_share: float | None) -> RobustGeometry | None:
    plan, graph, conflicting = seen.plan, seen.distinct, seen.conflicting
    if len(graph.found) < FEWEST_ASKED:
        return None
    values = seen.examples.values
    if range_share is not None and values is not None and (far := far_targets(values)).any():
        plan = replace(plan, tolerance=2 * range_share * half_range(values[~far]))
        graph = NeighborGraph(graph.points, graph.queries, plan.search(graph.points), plan.tolerance)
        conflicting = in_conflict(plan.groups, plan.everything, plan.tolerance)
    first_rows = np.searchsorted(plan.everything.rows, graph.points.rows)
    budget = plan.budget
    return robust(graph, conflicting=conflicting[first_rows], seed=budget.seed, memory=budget.memory)


def _extrapolation(points: Points, facts: Geometry, seed: int) -> Extrapolation | None:
    if facts.margin_is_exact or points.labels is None:
        return None
    try:
        return extrapolated_margin(points, seed=seed)
    except DataError:
        # too few of the drawn pairs are of different classes: then there is nothing to extrapolate from
        return None
