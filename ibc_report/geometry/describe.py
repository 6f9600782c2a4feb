"""Examples to facts: radius, dimension, margin, duplicates and disagreement, from one pass over neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ibc_report.encoders import Progress, silent
from ibc_report.errors import DataError
from ibc_report.examples import Examples
from ibc_report.geometry.dimension import PAPER_K, maximum_likelihood, profile
from ibc_report.geometry.duplicates import merge_close
from ibc_report.geometry.effort import Effort
from ibc_report.geometry.look import WHOLE, Look, look_at
from ibc_report.geometry.margins import Margin
from ibc_report.geometry.neighbors import Neighbors
from ibc_report.geometry.points import Points
from ibc_report.geometry.radius import Norms, norms

__all__ = ["Geometry", "describe"]

MOST_SHOWN = 5
"""Row numbers that a count shows."""

DISAGREEMENT = (1, 5, 10)
"""Neighbourhood sizes at which the share of neighbours with another label is given."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Facts about a set of examples.

    Parameters
    ----------
    n : int
        Rows.
    features : int
        Coordinates of a vector.
    distinct : int
        Distinct points.
    equal_rows : int
        Rows whose inputs repeat those of an earlier row.
    coincident_rows : int
        Further rows whose inputs differ and whose vectors do not, up to the encoder's rounding.
    conflicting_rows : int
        Rows that share their point with a row of another label (or of a target beyond the tolerance).
    conflicting_examples : tuple of int
        Some of them.
    class_counts : tuple of int
        Rows of each class; empty for a regression.
    norms : Norms
        The radius and what it hangs on.
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
    method : str
        Which neighbour search ran.
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


def describe(
    examples: Examples,
    *,
    tolerance: float | None = None,
    effort: Effort = WHOLE,
    look: Look | None = None,
    known: Neighbors | None = None,
    progress: Progress = silent,
) -> Geometry:
    """Measure the geometry of examples.

    Parameters
    ----------
    examples : Examples
        Vectors with labels or targets.
    tolerance : float, optional
        For a regression: targets that differ by more than this are different.
    effort : Effort
        How much is computed.
    look : Look, optional
        The prepared search, where it is prepared already.
    known : Neighbors, optional
        What the parts of that search found, put together; it is searched for otherwise.
    progress : callable
        Told the fraction done.

    Returns
    -------
    Geometry

    Raises
    ------
    DataError
        If there are fewer than six distinct points, or no two points of different classes.
    """
    encoded = examples.encoded
    look = look or look_at(examples, tolerance=tolerance, effort=effort, progress=progress)
    everything = look.everything
    length = norms(Points(encoded.vectors, encoded.unit, encoded.rows))
    points, found, groups = _distinct(look, encoded.rounding * length.radius, known)
    conflicting = _conflicting(groups, everything, tolerance)
    clear, facts = points, found
    kept = _representatives(groups, everything, conflicting)
    if not np.array_equal(everything.rows[kept], points.rows):
        clear = look.take(kept)
        if len(clear) < 2:
            raise DataError(
                "every distinct input occurs with different targets, so no input tells them apart; give more input "
                "columns"
            )
        facts = look.search(clear)
    closest, is_exact = look.margin(clear, facts)
    if closest is None:
        raise DataError(_no_margin(tolerance))
    distinct_inputs = len(np.unique(examples.identities))
    return Geometry(
        n=len(encoded.rows),
        features=encoded.vectors.shape[1],
        distinct=len(points),
        equal_rows=len(encoded.rows) - distinct_inputs,
        coincident_rows=max(0, distinct_inputs - len(points)),
        conflicting_rows=int(conflicting.sum()),
        conflicting_examples=tuple(_together(encoded.rows, groups, conflicting)[:MOST_SHOWN].tolist()),
        class_counts=() if examples.codes is None else tuple(np.bincount(examples.codes).tolist()),
        norms=length,
        dimension=maximum_likelihood(found.distances, PAPER_K),
        dimension_profile=profile(found.distances),
        disagreement=_disagreement(clear, look.queries(clear), facts),
        margin=closest,
        tolerance=tolerance or 0.0,
        method=found.method,
        queries=None if len(found) == len(points) else len(found),
        margin_is_exact=is_exact,
        distortion=look.distortion,
    )


def _distinct(look: Look, threshold: float, known: Neighbors | None) -> tuple[Points, Neighbors, NDArray[np.int64]]:
    """One point for each group, the neighbours of those that are asked, and the group of every row."""
    groups = look.groups
    while True:
        points = look.first(groups)
        if len(points) <= PAPER_K:
            raise DataError(
                f"there are {len(points)} distinct rows, and the intrinsic dimension needs at least {PAPER_K + 1}; "
                "give more rows or other inputs"
            )
        # parts of a search name the method of their part; that of the whole is on the report
        found = look.search(points) if known is None else replace(known, method=look.method(points))
        known = None
        close = np.isfinite(found.distances) & (found.distances <= threshold)
        if not close.any():
            return points, found, groups
        # row numbers ascend in `points`, whatever was taken of them
        neighbors = np.searchsorted(points.rows, np.where(close, found.rows, points.rows[0]))
        asked = np.searchsorted(points.rows, look.queries(points).rows)
        merged = merge_close(np.where(close, found.distances, np.inf), neighbors, threshold, asked, len(points))
        assert merged is not None
        groups = merged[groups]


def _conflicting(groups: NDArray[np.int64], everything: Points, tolerance: float | None) -> NDArray[np.bool_]:
    """Rows whose group holds different labels, or targets further apart than the tolerance."""
    answers = everything.labels if everything.labels is not None else everything.targets
    assert answers is not None
    count = int(groups.max()) + 1
    lowest = np.full(count, np.inf)
    highest = np.full(count, -np.inf)
    np.minimum.at(lowest, groups, answers)
    np.maximum.at(highest, groups, answers)
    return np.asarray((highest - lowest > (tolerance or 0.0))[groups])


def _together(rows: NDArray[np.int64], groups: NDArray[np.int64], conflicting: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Conflicting rows, those of one point after one another."""
    found = np.flatnonzero(conflicting)
    return rows[found[np.argsort(groups[found], kind="stable")]]


def _representatives(
    groups: NDArray[np.int64], everything: Points, conflicting: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Positions of the rows that stand for the points without a conflict, ascending.

    One row a point with labels. Targets within the tolerance are no conflict and need not be equal, so a point stands
    with its lowest and with its highest one: whichever differs from another point's.
    """
    usable = np.flatnonzero(~conflicting)
    if everything.targets is None:
        return np.sort(usable[np.unique(groups[usable], return_index=True)[1]])
    chosen = []
    for sign in (1, -1):
        order = usable[np.lexsort((usable, sign * everything.targets[usable], groups[usable]))]
        chosen.append(order[np.unique(groups[order], return_index=True)[1]])
    return np.unique(np.concatenate(chosen))


def _no_margin(tolerance: float | None) -> str:
    if tolerance is None:
        return (
            "no two rows have different targets once equal inputs with several targets are set aside, so there is no "
            "margin; give more input columns or rows"
        )
    return (
        f"no two rows with different inputs have targets more than {tolerance:g} apart, so there is no margin; lower "
        "the tolerance or the target error"
    )


def _disagreement(points: Points, queries: Points, found: Neighbors) -> dict[int, float]:
    if points.labels is None or queries.labels is None:
        return {}
    shares = {}
    for k in DISAGREEMENT:
        if k > found.rows.shape[1] or (found.rows[:, k - 1] < 0).any():
            continue
        labels = points.labels[np.searchsorted(points.rows, found.rows[:, :k])]
        shares[k] = float((labels != queries.labels[:, None]).mean())
    return shares
