"""All that is read from one neighbour search: facts, their noise, what was checked, what other choices would give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibc_report.common.errors import DataError
from ibc_report.complexity.uncertainty import Noise
from ibc_report.data.encoders import Progress, silent
from ibc_report.data.examples import Examples
from ibc_report.geometry import Geometry, Neighborhoods, Points, facts_of
from ibc_report.geometry.alternatives import Variants, variants
from ibc_report.geometry.diagnostics import Diagnostics, Searched, diagnose
from ibc_report.geometry.dimension.finite_sample_bias import true_range
from ibc_report.geometry.dimension.standard_error import rough_error
from ibc_report.geometry.dimension.study import DimensionStudy, study
from ibc_report.geometry.extreme_value_fits import margin_law, pair_distances, radius_law
from ibc_report.geometry.margin_extrapolation import Extrapolation, extrapolated_margin
from ibc_report.geometry.radius import lengths
from ibc_report.geometry.robust import RobustGeometry, robust

__all__ = ["Measurement", "take"]

FEWEST_ASKED = 50
"""Rows, at least, from whose neighbours the robust facts are made: quantiles of fewer are single rows again."""


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """What was measured of a set of examples.

    Parameters
    ----------
    examples : Examples
        The set.
    facts : Geometry
        What the bits are made of.
    dimension : DimensionStudy
        The intrinsic dimension, with three kinds of doubt about it.
    noise : Noise
        Of the numbers that the bits are made of.
    diagnostics : Diagnostics
        What was checked of the assumptions.
    variants : Variants
        The facts taken in other ways.
    robust : RobustGeometry or None
        The facts as no single row can move them; None where no two rows that are borne out differ, or too few were
        asked.
    extrapolation : Extrapolation or None
        The margin extrapolated to all pairs, where the smallest of all could not be afforded.
    """

    examples: Examples
    facts: Geometry
    dimension: DimensionStudy
    noise: Noise
    diagnostics: Diagnostics
    variants: Variants
    robust: RobustGeometry | None
    extrapolation: Extrapolation | None


def take(seen: Neighborhoods, *, progress: Progress = silent) -> Measurement:
    """Read all that a search tells.

    Parameters
    ----------
    seen : Neighborhoods
        The points and their neighbours.
    progress : callable
        Told the fraction done.

    Returns
    -------
    Measurement

    Raises
    ------
    DataError
        If there are no two points of different classes, or the dimension is not defined.
    """
    facts = facts_of(seen)
    budget, tolerance = seen.plan.budget, seen.plan.tolerance
    queries, clear_queries = seen.queries, seen.clear_queries
    dimension = study(
        seen.points,
        seen.found,
        queries,
        seed=budget.seed,
        memory=budget.memory,
        tolerance=tolerance,
        progress=lambda fraction: progress(0.7 * fraction),
    )
    encoded = seen.examples.encoded
    rows = Points(encoded.vectors, encoded.unit, encoded.rows)
    checked = diagnose(
        Searched(seen.points, queries, seen.found), Searched(seen.clear, clear_queries, seen.clear_found)
    )
    progress(0.8)
    others = variants(
        rows,
        seen.clear,
        clear_queries,
        seen.clear_found,
        norms=facts.norms,
        pair=facts.margin.rows,
        distinct=facts.distinct,
        tolerance=tolerance,
        seed=budget.seed,
    )
    progress(0.9)
    found = seen.clear_found
    spread = facts.dimension_profile.values()
    noise = Noise(
        dimension_error=dimension.standard_error or rough_error(facts.dimension, len(seen.found)),
        scale_sd=(max(spread) - min(spread)) / 12**0.5,
        margin=margin_law(pair_distances(clear_queries.rows, found.other_row, found.other_distance), facts.dimension),
        radius=radius_law(lengths(rows)),
        true_dimension=true_range(
            facts.dimension,
            0.0,
            dimension.manifold.points,
            global_dimension=dimension.manifold.global_dimension,
        ),
    )
    steady = (
        None
        if len(seen.found) < FEWEST_ASKED
        else robust(
            seen.points,
            seen.found,
            queries,
            conflicting=seen.conflicting[np.searchsorted(seen.plan.everything.rows, seen.points.rows)],
            tolerance=tolerance,
            seed=budget.seed,
            memory=budget.memory,
        )
    )
    progress(1.0)
    return Measurement(
        seen.examples, facts, dimension, noise, checked, others, steady, _extrapolation(seen.clear, facts, budget.seed)
    )


def _extrapolation(points: Points, facts: Geometry, seed: int) -> Extrapolation | None:
    if facts.margin_is_exact or points.labels is None:
        return None
    try:
        return extrapolated_margin(points, seed=seed)
    except DataError:
        # too few of the drawn pairs are of different classes: then there is nothing to extrapolate from
        return None
