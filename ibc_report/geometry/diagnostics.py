"""What the neighbour search says of the assumptions, beyond the facts that the bits are made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.class_pieces import ClassPieces, class_pieces
from ibc_report.geometry.dimension.by_class import ClassSpread, own_neighbors, surest_class_spread
from ibc_report.geometry.dimension.estimators import profile
from ibc_report.geometry.dimension.local_density import (
    Near,
    density_gradient,
    density_spread,
    dimension_drift,
    dimension_spread,
    near_duplicates,
)
from ibc_report.geometry.far_rows import FarRows, far_rows
from ibc_report.geometry.feature_maps import WidestFeature, widest_feature
from ibc_report.geometry.label_checks import LabelChecks, label_checks
from ibc_report.geometry.label_noise import log_margin_slope
from ibc_report.geometry.leading_coordinates import classes_of, leading_coordinates
from ibc_report.geometry.neighbors.search import NeighborGraph
from ibc_report.geometry.row_order import RowOrder, row_order

__all__ = ["Diagnostics", "diagnose"]

COORDINATES = 10
"""Leading coordinates along which density and order are looked at."""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Statistics of one set; None for what these data do not tell.

    Parameters
    ----------
    far : FarRows or None
        Rows further out than the law of the norms allows (A3).
    density_spread : float or None
        Standard deviation of the log density over points, in nats (A4).
    dimension_spread : float or None
        Standard deviation of 1/m over points, over its mean (A5); among neighbours of any class or of the own one,
        whichever is less.
    dimension_drift : float or None
        Slope of ln m̂ on ln k (A6).
    labels : LabelChecks or None
        What neighbours say of labels (A8).
    margin_slope : float or None
        Slope of the expected ln δ on ln n (A9).
    density_gradient : float or None
        Standard deviation over points of the log density that straight lines tell, in nats (A4).
    pieces : ClassPieces or None
        Classes that lie in several pieces (A1).
    widest : WidestFeature or None
        The feature that makes most of the distances (A16).
    order : RowOrder or None
        What the order of rows tells (A10); None where that order was not given.
    """

    asked: int
    far: FarRows | None
    density_spread: float | None
    dimension_spread: float | None
    class_spread: ClassSpread | None
    dimension_drift: float | None
    labels: LabelChecks | None
    margin_slope: float | None
    near: Near | None
    density_gradient: float | None = None
    pieces: ClassPieces | None = None
    widest: WidestFeature | None = None
    order: RowOrder | None = None


def diagnose(
    distinct: NeighborGraph,
    clear: NeighborGraph | None = None,
    *,
    numbers: NDArray[np.int64] | None = None,
    seed: int = 0,
) -> Diagnostics:
    """Compute the statistics of a searched set.

    Parameters
    ----------
    distinct : NeighborGraph
        Distinct points: no distance is 0.
    clear : NeighborGraph, optional
        Those of them whose target is not contradicted, where that is another search; distances of 0 between rows of one
        target are allowed.
    numbers : ndarray of int64, shape (n,), optional
        The number of each distinct point's row in its source, for what the order of rows tells.
    seed : int
        Of the samples that leading coordinates and the pieces of classes among others are computed from.

    Examples
    --------
    >>> import numpy as np
    >>> from ibc_report.geometry import Points, neighbor_graph
    >>> rng = np.random.default_rng(0)
    >>> square = Points(rng.random((500, 2)), 1.0, np.arange(500), rng.integers(0, 2, 500))
    >>> diagnose(neighbor_graph(square, k=50)).density_spread < 0.4
    True
    """
    clear = clear or distinct
    distances = distinct.found.distances
    leading = leading_coordinates(distinct.queries, COORDINATES, seed=seed)
    return Diagnostics(
        asked=len(distances),
        far=far_rows(distinct.points),
        density_spread=density_spread(distances),
        dimension_spread=_spread_of_places(distinct),
        class_spread=surest_class_spread(distinct),
        dimension_drift=dimension_drift(profile(distances)),
        labels=label_checks(clear),
        margin_slope=log_margin_slope(clear.points, clear.found) if clear.is_whole else None,
        near=near_duplicates(distances),
        density_gradient=density_gradient(distances, leading, classes_of(distinct.queries)),
        pieces=class_pieces(distinct, seed=seed),
        widest=widest_feature(distinct.queries),
        order=None if numbers is None else row_order(distinct, numbers, leading),
    )


def _spread_of_places(graph: NeighborGraph) -> float | None:
    """The spread of the dimension, among neighbours of any class or of the own one, whichever is less."""
    own = own_neighbors(graph)
    found = [dimension_spread(graph.found.distances), None if own is None else dimension_spread(own[0])]
    return min((spread for spread in found if spread is not None), default=None)
