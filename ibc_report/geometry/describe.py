"""Examples to facts: radius, dimension, margin, duplicates and disagreement, from one pass over neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.encoders import Progress, silent
from ibc_report.errors import DataError
from ibc_report.examples import Examples
from ibc_report.geometry.dimension import PAPER_K, PROFILE, maximum_likelihood, profile
from ibc_report.geometry.duplicates import groups_of_equal, merge_close
from ibc_report.geometry.margins import Margin
from ibc_report.geometry.neighbors import Neighbors, margin_from, search
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


def describe(examples: Examples, *, tolerance: float | None = None, progress: Progress = silent) -> Geometry:
    """Measure the geometry of examples.

    Parameters
    ----------
    examples : Examples
        Vectors with labels or targets.
    tolerance : float, optional
        For a regression: targets that differ by more than this are different.
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
    everything = Points(encoded.vectors, encoded.unit, encoded.rows, examples.codes, examples.values)
    length = norms(everything)
    groups = groups_of_equal(encoded.vectors)
    points, found, groups = _distinct(everything, groups, encoded.rounding * length.radius, tolerance, progress)
    conflicting = _conflicting(groups, everything, tolerance)
    clear, facts = points, found
    kept = _representatives(groups, everything, conflicting)
    if not np.array_equal(everything.rows[kept], points.rows):
        clear = everything.take(kept)
        if len(clear) < 2:
            raise DataError(
                "every distinct input occurs with different targets, so no input tells them apart; give more input "
                "columns"
            )
        facts = search(clear, k=min(max(PROFILE), len(clear) - 1), tolerance=tolerance, progress=progress)
    closest = margin_from(facts, clear, tolerance=tolerance)
    if closest is None:
        raise DataError(_no_margin(tolerance))
    return Geometry(
        n=len(encoded.rows),
        features=encoded.vectors.shape[1],
        distinct=len(points.rows),
        equal_rows=len(encoded.rows) - len(np.unique(examples.identities)),
        coincident_rows=max(0, len(np.unique(examples.identities)) - len(points.rows)),
        conflicting_rows=int(conflicting.sum()),
        conflicting_examples=tuple(encoded.rows[conflicting][:MOST_SHOWN].tolist()),
        class_counts=() if examples.codes is None else tuple(np.bincount(examples.codes).tolist()),
        norms=length,
        dimension=maximum_likelihood(found.distances, PAPER_K),
        dimension_profile=profile(found.distances),
        disagreement=_disagreement(clear, facts),
        margin=closest,
        tolerance=tolerance or 0.0,
        method=found.method,
    )


def _distinct(
    everything: Points, groups: NDArray[np.int64], threshold: float, tolerance: float | None, progress: Progress
) -> tuple[Points, Neighbors, NDArray[np.int64]]:
    """One point for each group, its neighbours, and the group of every row."""
    while True:
        _, first = np.unique(groups, return_index=True)
        points = everything.take(first) if len(first) < len(groups) else everything
        if len(first) <= PAPER_K:
            raise DataError(
                f"there are {len(first)} distinct rows, and the intrinsic dimension needs at least {PAPER_K + 1}; "
                "give more rows or other inputs"
            )
        found = search(points, k=min(max(PROFILE), len(first) - 1), tolerance=tolerance, progress=progress)
        position = {row: index for index, row in enumerate(points.rows.tolist())}
        close = np.isfinite(found.distances) & (found.distances <= threshold)
        if not close.any():
            return points, found, groups
        neighbors = np.zeros_like(found.rows)
        neighbors[close] = [position[row] for row in found.rows[close].tolist()]
        merged = merge_close(np.where(close, found.distances, np.inf), neighbors, threshold)
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


def _disagreement(points: Points, found: Neighbors) -> dict[int, float]:
    if points.labels is None:
        return {}
    label_of = dict(zip(points.rows.tolist(), points.labels.tolist(), strict=True))
    shares = {}
    for k in DISAGREEMENT:
        if k > found.rows.shape[1] or (found.rows[:, k - 1] < 0).any():
            continue
        labels = np.array([label_of[row] for row in found.rows[:, :k].ravel().tolist()]).reshape(-1, k)
        shares[k] = float((labels != points.labels[:, None]).mean())
    return shares
