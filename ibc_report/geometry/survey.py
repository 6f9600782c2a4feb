"""The points of a set and their neighbours: one search, from which every fact is read."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ibc_report.encoders import Progress, silent
from ibc_report.errors import DataError
from ibc_report.examples import Examples
from ibc_report.geometry.dimension import PAPER_K
from ibc_report.geometry.effort import Effort
from ibc_report.geometry.look import WHOLE, Look, look_at
from ibc_report.geometry.neighbors import Neighbors
from ibc_report.geometry.points import Points
from ibc_report.geometry.radius import Norms

__all__ = ["Survey", "survey"]


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """What the facts about a set are read from.

    Parameters
    ----------
    examples : Examples
        Vectors with labels or targets.
    look : Look
        How neighbours are sought; `look.everything` holds all rows.
    norms : Norms
        Of all rows.
    points : Points
        One for each distinct point: its first row.
    found : Neighbors
        Neighbours of those of the points that were asked, among the points.
    groups : ndarray of int64, shape (n,)
        The point of every row.
    conflicting : ndarray of bool, shape (n,)
        Rows that share their point with a row of another label (or of a target beyond the tolerance).
    clear : Points
        The points without such a conflict; of a regression, with their lowest and highest target.
    clear_found : Neighbors
        Neighbours of those of them that were asked, among them.
    """

    examples: Examples
    look: Look
    norms: Norms
    points: Points
    found: Neighbors
    groups: NDArray[np.int64]
    conflicting: NDArray[np.bool_]
    clear: Points
    clear_found: Neighbors

    @property
    def queries(self) -> Points:
        """The points that were asked for their neighbours."""
        return self.look.queries(self.points)

    @property
    def clear_queries(self) -> Points:
        """Those without a conflict that were asked."""
        return self.look.queries(self.clear)


def survey(
    examples: Examples,
    *,
    tolerance: float | None = None,
    effort: Effort = WHOLE,
    look: Look | None = None,
    known: Neighbors | None = None,
    progress: Progress = silent,
) -> Survey:
    """Find the distinct points of a set, and their neighbours.

    Parameters
    ----------
    examples, tolerance, effort, look, known, progress
        As for `ibc_report.geometry.describe`.

    Returns
    -------
    Survey

    Raises
    ------
    DataError
        If there are fewer than six distinct points, or every one has rows of different classes.
    """
    look = look or look_at(examples, tolerance=tolerance, effort=effort, progress=progress)
    everything, points, groups = look.everything, look.distinct, look.groups
    if len(points) <= PAPER_K:
        raise DataError(
            f"there are {len(points)} distinct rows, and the intrinsic dimension needs at least {PAPER_K + 1}; "
            "give more rows or other inputs"
        )
    # parts of a search name the method of their part; that of the whole is on the report
    found = look.search(points) if known is None else replace(known, method=look.method(points))
    conflicting = _conflicting(groups, everything, tolerance)
    clear, clear_found = points, found
    kept = _representatives(groups, everything, conflicting)
    if not np.array_equal(everything.rows[kept], points.rows):
        clear = look.take(kept)
        if len(clear) < 2:
            raise DataError(
                "every distinct input occurs with different targets, so no input tells them apart; give more input "
                "columns"
            )
        clear_found = look.search_without(clear, found)
    return Survey(examples, look, look.norms, points, found, groups, conflicting, clear, clear_found)


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
