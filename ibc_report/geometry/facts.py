"""Examples to facts: radius, dimension, margin, duplicates and disagreement, from one pass over neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import DataError
from ibc_report.data.encoders import Progress, silent
from ibc_report.data.examples import Examples
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood, profile
from ibc_report.geometry.neighbors.margin import Margin
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.search import NeighborGraph, Neighbors
from ibc_report.geometry.radius import Norms
from ibc_report.geometry.search_plan import WHOLE, Budget, SearchPlan, search_plan_of

__all__ = ["Geometry", "Neighborhoods", "facts_of", "facts_of_examples", "in_conflict", "neighborhoods"]

MOST_SHOWN = 5
"""Row numbers that a count shows."""

DISAGREEMENT = (1, 5, 10)
"""Neighbourhood sizes at which the share of neighbours with another label is given."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Facts about a set of examples.

    Parameters
    ----------
    equal_rows : int
        Rows whose inputs repeat those of an earlier row.
    coincident_rows : int
        Further rows whose inputs differ and whose vectors do not, up to the encoder's rounding.
    conflicting_rows : int
        Rows that share their point with a row of another label (or of a target beyond the tolerance).
    class_counts : tuple of int
        Rows of each class; empty for a regression.
    dimension : float
        Intrinsic dimension at the paper's k = 5, over distinct points.
    dimension_profile : mapping of int to float
        The same over neighbourhood sizes.
    disagreement : mapping of int to float
        Share of the k nearest neighbours with another label; at 1 the leave-one-out error. Over distinct points
        with one label; empty for a regression.
    margin : Margin
        The closest pair of different classes, or of targets beyond the tolerance. Equal rows count as one, but for a
        regression as two where their targets differ within the tolerance.
    tolerance : float
        Targets that differ by more are different; 0 for classes.
    queries : int or None
        Rows that were asked for their neighbours; None for all.
    margin_is_exact : bool
        Whether the margin is the minimum over all pairs.
    distortion : float or None
        Share by which a random projection to fewer features may change a distance; None where there was none.
    """

    n: int
    features: int
    distinct: int
    equal_rows: int
    coincident_rows: int
    conflicting_rows: int
    conflicting_examples: tuple[int, ...]
    class_counts: tuple[int, ...]
    norms: Norms
    dimension: float
    dimension_profile: Mapping[int, float]
    disagreement: Mapping[int, float]
    margin: Margin
    tolerance: float
    method: str
    queries: int | None = None
    margin_is_exact: bool = True
    distortion: float | None = None


def facts_of_examples(
    examples: Examples,
    *,
    tolerance: float | None = None,
    budget: Budget = WHOLE,
    plan: SearchPlan | None = None,
    known: Neighbors | None = None,
    progress: Progress = silent,
) -> Geometry:
    """Measure the geometry of examples.

    Parameters
    ----------
    tolerance : float, optional
        For a regression: targets that differ by more than this are different.
    known : Neighbors, optional
        What the parts of that search found, put together; it is searched for otherwise.

    Raises
    ------
    DataError
        If there are fewer than six distinct points, or no two points of different classes.
    """
    seen = neighborhoods(examples, tolerance=tolerance, budget=budget, plan=plan, known=known, progress=progress)
    return facts_of(seen)


def facts_of(seen: Neighborhoods) -> Geometry:
    """Read the facts about a set from its points and their neighbours.

    Raises
    ------
    DataError
        If there are no two points of different classes, or the dimension is not defined.
    """
    examples, plan, distinct = seen.examples, seen.plan, seen.distinct
    encoded = examples.encoded
    closest, is_exact = plan.margin(seen.clear.points, seen.clear.found)
    if closest is None:
        raise DataError(_no_margin(plan.tolerance, examples.values))
    distinct_inputs = len(np.unique(examples.identities))
    return Geometry(
        n=len(encoded.rows),
        features=encoded.vectors.shape[1],
        distinct=len(distinct.points),
        equal_rows=len(encoded.rows) - distinct_inputs,
        coincident_rows=max(0, distinct_inputs - len(distinct.points)),
        conflicting_rows=int(seen.conflicting.sum()),
        conflicting_examples=tuple(
            _together(encoded.rows, examples.numbers, plan.groups, seen.conflicting)[:MOST_SHOWN].tolist()
        ),
        class_counts=() if examples.codes is None else tuple(np.bincount(examples.codes).tolist()),
        norms=plan.norms,
        dimension=maximum_likelihood(distinct.found.distances, PAPER_K),
        dimension_profile=profile(distinct.found.distances),
        disagreement=_disagreement(seen.clear),
        margin=closest,
        tolerance=plan.tolerance or 0.0,
        method=distinct.found.method,
        queries=None if distinct.is_whole else len(distinct.found),
        margin_is_exact=is_exact,
        distortion=plan.distortion,
    )


def _together(
    rows: NDArray[np.int64], numbers: NDArray[np.int64], groups: NDArray[np.int64], conflicting: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Conflicting rows, those of one point after one another, by their numbers in the source."""
    found = np.flatnonzero(conflicting)
    first = np.full(int(groups.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, groups[found], numbers[found])
    return rows[found[np.lexsort((numbers[found], first[groups[found]]))]]


def _no_margin(tolerance: float | None, values: NDArray[np.float64] | None) -> str:
    if tolerance is None or values is None:
        return (
            "no two rows have different targets once equal inputs with several targets are set aside, so there is no "
            "margin; give more input columns or rows"
        )
    return (
        f"no two rows with different inputs have targets more than {tolerance:g} apart, so there is no margin; lower "
        f"the tolerance or the target error, or leave out a target that is no value (they go from {values.min():g} to "
        f"{values.max():g})"
    )


def _disagreement(graph: NeighborGraph) -> dict[int, float]:
    points, queries, found = graph.points, graph.queries, graph.found
    if points.labels is None or queries.labels is None:
        return {}
    shares = {}
    for k in DISAGREEMENT:
        if k > found.rows.shape[1] or (found.rows[:, k - 1] < 0).any():
            continue
        labels = points.labels[np.searchsorted(points.rows, found.rows[:, :k])]
        shares[k] = float((labels != queries.labels[:, None]).mean())
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class Neighborhoods:
    """What the facts about a set are read from.

    Parameters
    ----------
    plan : SearchPlan
        How neighbours are sought; `plan.everything` holds all rows.
    distinct : NeighborGraph
        Of one point for each distinct point: its first row.
    conflicting : ndarray of bool, shape (n,)
        Rows that share their point with a row of another label (or of a target beyond the tolerance).
    clear : NeighborGraph
        Of the points without such a conflict; of a regression, with their lowest and highest target, so that distances
        of 0 occur.
    """

    examples: Examples
    plan: SearchPlan
    distinct: NeighborGraph
    conflicting: NDArray[np.bool_]
    clear: NeighborGraph


def neighborhoods(
    examples: Examples,
    *,
    tolerance: float | None = None,
    budget: Budget = WHOLE,
    plan: SearchPlan | None = None,
    known: Neighbors | None = None,
    progress: Progress = silent,
) -> Neighborhoods:
    """Find the distinct points of a set, and their neighbours.

    Parameters
    ----------
    tolerance, known
        As for `facts_of_examples`.

    Raises
    ------
    DataError
        If there are fewer than six distinct points, or every one has rows of different classes.
    """
    plan = plan or search_plan_of(examples, tolerance=tolerance, budget=budget, progress=progress)
    everything, points, groups = plan.everything, plan.distinct, plan.groups
    if len(points) <= PAPER_K:
        raise DataError(
            f"there are {len(points)} distinct rows, and the intrinsic dimension needs at least {PAPER_K + 1}; "
            "give more rows or other inputs"
        )
    # parts of a search name the method of their part; that of the whole is on the report
    found = plan.search(points) if known is None else replace(known, method=plan.method(points))
    distinct = NeighborGraph(points, plan.queries(points), found, plan.tolerance)
    conflicting = in_conflict(groups, everything, tolerance)
    kept = _representatives(groups, everything, conflicting)
    if np.array_equal(everything.rows[kept], points.rows):
        return Neighborhoods(examples, plan, distinct, conflicting, distinct)
    clear = plan.take(kept)
    if len(clear) < 2:
        raise DataError(
            "every distinct input occurs with different targets, so no input tells them apart; give more input columns"
        )
    return Neighborhoods(
        examples,
        plan,
        distinct,
        conflicting,
        NeighborGraph(clear, plan.queries(clear), plan.search_without(clear, found), plan.tolerance),
    )


def in_conflict(groups: NDArray[np.int64], everything: Points, tolerance: float | None) -> NDArray[np.bool_]:
    """Find rows whose group holds different labels, or targets further apart than the tolerance."""
    answers = everything.labels if everything.labels is not None else everything.targets
    assert answers is not None
    count = int(groups.max()) + 1
    lowest = np.full(count, np.inf)
    highest = np.full(count, -np.inf)
    np.minimum.at(lowest, groups, answers)
    np.maximum.at(highest, groups, answers)
    return np.asarray((highest - lowest > (tolerance or 0.0))[groups])


def _representatives(
    groups: NDArray[np.int64], everything: Points, conflicting: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Positions of the rows that stand for the points without a conflict, ascending."""
    usable = np.flatnonzero(~conflicting)
    if everything.targets is None:
        return np.sort(usable[np.unique(groups[usable], return_index=True)[1]])
    # targets within the tolerance are no conflict and need not be equal, so a point stands with its lowest and with its
    # highest one: whichever differs from another point's
    chosen = []
    for sign in (1, -1):
        order = usable[np.lexsort((usable, sign * everything.targets[usable], groups[usable]))]
        chosen.append(order[np.unique(groups[order], return_index=True)[1]])
    return np.unique(np.concatenate(chosen))
