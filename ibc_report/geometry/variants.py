"""The geometry once more, each fact taken in another way that is as defensible as the first.

The published form rests on extremes and on the features as they came: the largest norm, the closest pair, the origin.
Each variant changes one of them, so that a card can say what it is worth in bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.feature_maps import FeatureMaps, feature_maps
from ibc_report.geometry.neighbors import Neighbors
from ibc_report.geometry.points import Points
from ibc_report.geometry.radius import BLOCK_ROWS, Norms
from ibc_report.geometry.thinning import Thinned, thinned

__all__ = ["QUANTILE", "Variants", "variants"]

QUANTILE = 0.001
"""Share of rows that the quantile of the margin leaves below it, and that the worst rows are."""


@dataclass(frozen=True, slots=True)
class Variants:
    """Facts about a set of examples, taken in other ways. All lengths are in the units of the features.

    Parameters
    ----------
    centred_radius : float
        Largest distance of a row from the mean of all rows.
    mean_norm : float
        Mean norm of a row.
    next_radius : float
        Second largest norm: the radius without the row that sets it.
    quantile_margin : float
        The 0.1 % quantile of the distances from a row to the nearest one of another class.
    thinned : Thinned
        The margin without the pair that sets it, and without the worst 0.1 % of rows.
    distinct : int
        Distinct points among the rows.
    all_asked : bool
        Whether the margins are over all rows; from a sample of rows, those without some pairs are upper limits.
    maps : FeatureMaps or None
        A sample of the rows under other feature maps; None where that cannot be measured.
    """

    centred_radius: float
    mean_norm: float
    next_radius: float
    quantile_margin: float
    thinned: Thinned
    distinct: int
    all_asked: bool
    maps: FeatureMaps | None


def variants(
    rows: Points,
    clear: Points,
    asked: Points,
    found: Neighbors,
    *,
    norms: Norms,
    pair: tuple[int, int],
    distinct: int,
    tolerance: float | None = None,
    seed: int = 0,
) -> Variants:
    """Take the facts of a set of examples in other ways.

    Parameters
    ----------
    rows : Points
        All rows, as they were encoded: what the radius is measured on.
    clear : Points
        Distinct points without conflicting labels, row numbers ascending: what the margin is measured on.
    asked : Points
        Those of them whose neighbours are known: all, or a sample.
    found : Neighbors
        Their neighbours in `clear`, with at least one of another class.
    norms : Norms
        Of `rows`.
    pair : tuple of int
        Row numbers of the pair that sets the margin.
    distinct : int
        Distinct points among the rows.
    tolerance : float, optional
        For a regression: targets that differ by more than this are different.
    seed : int
        Of the sample for the feature maps.

    Returns
    -------
    Variants

    Examples
    --------
    >>> from ibc_report.geometry import search
    >>> from ibc_report.geometry.radius import norms
    >>> line = Points(np.array([[9.0], [10.0], [14.0], [16.0]]), 1.0, np.arange(4), np.array([0, 1, 0, 1]))
    >>> given = dict(norms=norms(line), pair=(0, 1), distinct=4)
    >>> found = variants(line, line, line, search(line, k=3), **given)
    >>> found.centred_radius, found.next_radius, found.thinned.without_pair
    (3.75, 14.0, 2.0)
    """
    centred, following = _radii(rows)
    different = found.other_distance[np.isfinite(found.other_distance)]
    return Variants(
        centred_radius=centred,
        mean_norm=norms.mean,
        next_radius=following,
        quantile_margin=float(np.quantile(different, QUANTILE)),
        thinned=thinned(clear, asked, found, pair, share=QUANTILE, tolerance=tolerance),
        distinct=distinct,
        all_asked=len(asked) == len(clear),
        maps=feature_maps(clear, tolerance=tolerance, seed=seed),
    )


def _radii(rows: Points) -> tuple[float, float]:
    """Largest distance from the mean, and second largest norm (the largest where there is one row)."""
    starts = range(0, len(rows), BLOCK_ROWS)
    total = np.zeros(rows.dimension, dtype=np.int64 if rows.vectors.dtype == np.uint8 else np.float64)
    for start in starts:
        total += rows.raw[start : start + BLOCK_ROWS].sum(axis=0, dtype=total.dtype)
        rows.release()
    mean: NDArray[np.float64] = np.asarray(total / len(rows), dtype=np.float64)
    furthest = 0.0
    squares = np.empty(len(rows))
    for start in starts:
        block = rows.raw[start : start + BLOCK_ROWS].astype(np.float64)
        squares[start : start + BLOCK_ROWS] = np.einsum("ij,ij->i", block, block)
        block -= mean
        furthest = max(furthest, float(np.einsum("ij,ij->i", block, block).max()))
        rows.release()
    following = np.partition(squares, -2)[-2] if len(rows) > 1 else squares[0]
    return float(np.sqrt(furthest)) * rows.unit, float(np.sqrt(following)) * rows.unit
