"""What the neighbour search says of the assumptions, beyond the facts that the bits are made from."""

from __future__ import annotations

from dataclasses import dataclass

from ibc_report.geometry.dimension.by_class import ClassSpread, class_spread
from ibc_report.geometry.dimension.estimators import profile
from ibc_report.geometry.dimension.local_density import (
    Near,
    density_spread,
    dimension_drift,
    dimension_spread,
    near_duplicates,
)
from ibc_report.geometry.far_rows import FarRows, far_rows
from ibc_report.geometry.label_checks import LabelChecks, label_checks
from ibc_report.geometry.label_noise import log_margin_slope
from ibc_report.geometry.neighbors.search import NeighborGraph

__all__ = ["Diagnostics", "diagnose"]


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
        Standard deviation of 1/m over points, over its mean (A5).
    dimension_drift : float or None
        Slope of ln m̂ on ln k (A6).
    labels : LabelChecks or None
        What neighbours say of labels (A8).
    margin_slope : float or None
        Slope of the expected ln δ on ln n (A9).
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


def diagnose(distinct: NeighborGraph, clear: NeighborGraph | None = None) -> Diagnostics:
    """Compute the statistics of a searched set.

    Parameters
    ----------
    distinct : NeighborGraph
        Distinct points: no distance is 0.
    clear : NeighborGraph, optional
        Those of them whose target is not contradicted, where that is another search; distances of 0 between rows of one
        target are allowed.

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
    return Diagnostics(
        asked=len(distances),
        far=far_rows(distinct.points),
        density_spread=density_spread(distances),
        dimension_spread=dimension_spread(distances),
        class_spread=None if distinct.queries.labels is None else class_spread(distances, distinct.queries.labels),
        dimension_drift=dimension_drift(profile(distances)),
        labels=label_checks(clear),
        margin_slope=log_margin_slope(clear.points, clear.found) if clear.is_whole else None,
        near=near_duplicates(distances),
    )
