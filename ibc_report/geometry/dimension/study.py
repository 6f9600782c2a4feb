"""All that one search says of the intrinsic dimension: its standard error, its drift and its finite-sample bias."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ibc_report.data.encoders import Progress, silent
from ibc_report.geometry.dimension.by_class import ClassDimension, by_class
from ibc_report.geometry.dimension.estimators import PAPER_K, gride, maximum_likelihood, profile, two_nn
from ibc_report.geometry.dimension.finite_sample_bias import true_dimensions
from ibc_report.geometry.dimension.manifolds import Sheet, sheet
from ibc_report.geometry.dimension.standard_error import NeighborTable, pooled_precision
from ibc_report.geometry.dimension.subsamples import SampleSize, by_sample_size
from ibc_report.geometry.dimension.true_dimension import true_dimension
from ibc_report.geometry.neighbors.search import NeighborGraph

__all__ = ["DimensionStudy", "study"]


@dataclass(frozen=True, slots=True)
class DimensionStudy:
    """The intrinsic dimension of a set of points, and three kinds of doubt about it, kept apart.

    Parameters
    ----------
    estimate : float
        m̂ at k = 5.
    standard_error : float or None
        Of that value at this scale and number of points; None for fewer than 24 points.
    by_sample_size : tuple of SampleSize
        The drift of dimension, margin and radius over n, n/2, n/4, ...
    two_nn : float or None
        TwoNN by the trimmed linear fit.
    gride : mapping of int to float
        Gride by maximum likelihood, by the nearer rank n₁ of each pair (n₁, 2n₁).
    by_class : tuple of ClassDimension
        Each class among its own points; empty for a regression.
    manifold : Sheet
        How many points the manifold around a point has, and how strongly distances within it concentrate.
    true_dimensions : mapping of str to float or None
        By space, the true dimension whose expected estimate at this n is m̂; None beyond the table.
    true_range : tuple of float or None
        Where the true dimension lies, statistical noise left out, as of
        `ibc_report.geometry.dimension.true_dimension`; None where the data do not tell.
    """

    estimate: float
    standard_error: float | None
    by_sample_size: tuple[SampleSize, ...]
    two_nn: float | None
    gride: Mapping[int, float]
    by_class: tuple[ClassDimension, ...]
    manifold: Sheet
    true_dimensions: Mapping[str, float | None]
    true_range: tuple[float, float] | None


def study(
    graph: NeighborGraph,
    *,
    seed: int,
    memory: int,
    progress: Progress = silent,
) -> DimensionStudy:
    """Study the intrinsic dimension of points whose neighbours are known.

    It is the same for every number of threads and order of the points.

    Parameters
    ----------
    graph : NeighborGraph
        Of n distinct points, at least six, with some 32 neighbours or more where there are so many points.
    memory : int
        Bytes that a further search may take.

    Raises
    ------
    DataError
        If the five nearest neighbours of every point are equally far, where no dimension is defined.

    Notes
    -----
    The further searches, over parts of the points, compare at most a quarter of the pairs of the first.

    Examples
    --------
    >>> import numpy as np
    >>> from ibc_report.geometry import Points, neighbor_graph
    >>> rng = np.random.default_rng(0)
    >>> cube = Points(rng.uniform(size=(500, 3)), 1.0, np.arange(500))
    >>> result = study(neighbor_graph(cube, k=32), seed=0, memory=2**30)
    >>> result.true_range[0] < 3 < result.true_range[1]
    True
    """
    found = graph.found
    estimate = maximum_likelihood(found.distances, PAPER_K)
    precision = pooled_precision(NeighborTable.of_graph(graph), estimate, seed=seed)
    progress(0.1)
    classes = by_class(graph, seed=seed, memory=memory)
    progress(0.4)
    sizes = by_sample_size(
        graph,
        half_estimate=precision.half_estimate if precision else None,
        seed=seed,
        memory=memory,
    )
    own = sheet(graph, seed=seed)
    progress(1.0)
    error = precision.standard_error if precision else None
    return DimensionStudy(
        estimate=estimate,
        standard_error=error,
        by_sample_size=sizes,
        two_nn=two_nn(found.distances),
        gride=gride(found.distances),
        by_class=classes,
        manifold=own,
        true_dimensions=true_dimensions(estimate, own.points),
        true_range=true_dimension(estimate, profile(found.distances), own, classes),
    )
