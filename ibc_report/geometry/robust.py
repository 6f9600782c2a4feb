"""Radius, margin, dimension and number of points that no row decides, and which row makes the released ones differ.

The released form hangs on two extremes, the largest norm and the closest pair of different classes. Here each input of
the bound is estimated from quantiles and from laws fitted to them, over distinct rows that their neighbours bear out:
on clean data it comes out near the released one, and outliers, flipped labels and repeated rows hardly move it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import sampling
from ibc_report.common.resources import DEFAULT_MEMORY
from ibc_report.geometry.dimension.estimators import winsorised_dimension
from ibc_report.geometry.label_noise import EDITORS, label_weights, target_weights
from ibc_report.geometry.margin_tail import Tail, tail_margin
from ibc_report.geometry.neighbors.search import NeighborGraph, neighbor_graph
from ibc_report.geometry.radius import CentredRadius, centred_radius, lengths

__all__ = ["DECADE", "BoundInputs", "Influence", "RobustGeometry", "influences", "robust"]

MOST_ROWS = 20_000
"""Rows that the margin is extrapolated from where only some rows were asked for their neighbours."""

NEIGHBORS = 50
"""Neighbours that are sought of each of those."""

MOST_SHOWN = 5
"""Row numbers that a count shows."""

BORNE_OUT = 0.5
"""Rows with a smaller weight count as outvoted."""


@dataclass(frozen=True, slots=True)
class RobustGeometry:
    """Inputs of the bound that no single row decides, and what was set aside for them.

    Parameters
    ----------
    n : int
        Distinct rows that are neither outvoted nor far out.
    radius : float
        Expected largest norm about the centre, in the units of the features.
    dimension : float
        Intrinsic dimension at k = 5, winsorised over points.
    margin : float
        Distance within which one pair of different classes is expected, in the units of the features.
    offset : float
        Distance of the centre from the origin.
    largest : float
        Largest norm about the centre.
    far : int
        Distinct rows whose norm about the centre is beyond what its law allows.
    far_rows : tuple of int
        The furthest of them.
    outvoted : int
        Rows, of those looked at, whose label (or target) their neighbours do not bear out, or that occur with
        different ones.
    outvoted_rows : tuple of int
        Those that are borne out least.
    looked_at : int
        Rows whose neighbours voted.
    exponent : float
        κ of the law P(distance to another class < r) ∝ r^κ.
    tail_rows : float
        Rows that the law was fitted to, in expectation over the samples of the other rows that are taken to be there.
    largest_rows : tuple of int
        Rows that are far out and have the largest norms about the origin: those above the widest step of the norms.
    largest_other : float
        Largest norm about the origin of the other rows.
    tolerance : float
        Targets that differ by more are different; 0 for classes.
    """

    n: int
    radius: float
    dimension: float
    margin: float
    offset: float
    largest: float
    largest_row: int
    far: int
    far_rows: tuple[int, ...]
    outvoted: int
    outvoted_rows: tuple[int, ...]
    looked_at: int
    exponent: float
    tail_rows: float
    largest_rows: tuple[int, ...]
    largest_other: float
    tolerance: float


def robust(
    graph: NeighborGraph,
    *,
    conflicting: NDArray[np.bool_] | None = None,
    seed: int = 0,
    memory: int = DEFAULT_MEMORY,
) -> RobustGeometry | None:
    """Measure the inputs of the bound so that no single row decides them.

    None where no two rows that are borne out differ.

    Parameters
    ----------
    graph : NeighborGraph
        Of n distinct rows with labels or targets, at least six.
    conflicting : ndarray of bool, shape (n,), optional
        Points that occur with different labels, or with targets further apart than the tolerance; they are set aside.
    memory : int
        Bytes that a search may take for projected rows.

    Raises
    ------
    DataError
        If every row's five nearest neighbours are equally far, where the dimension does not exist.

    Notes
    -----
    Radius: `centred_radius`. Dimension: `winsorised_dimension`, over the points that are not far out. Margin:
    `tail_margin`, over rows weighted by `label_weights` or `target_weights`. Where only some rows were asked, the
    margin of at most 20,000 of them is extrapolated to all.

    Examples
    --------
    >>> from ibc_report.geometry import Points
    >>> rng = np.random.default_rng(0)
    >>> sphere = rng.normal(size=(600, 4))
    >>> sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    >>> labels = np.arange(600) % 2
    >>> points = Points(np.column_stack([sphere, labels]), 1.0, np.arange(600), labels)
    >>> found = robust(neighbor_graph(points, k=50))
    >>> found.n, round(found.radius, 1), round(found.dimension, 1), round(found.margin, 1)
    (600, 1.2, 3.0, 1.0)
    """
    extent = centred_radius(graph.points, seed=seed)
    asked = np.searchsorted(graph.points.rows, graph.queries.rows)
    near = extent.near[asked]
    dimension = winsorised_dimension(graph.found.distances[near])
    weights = _weights(graph)
    if conflicting is not None:
        weights[conflicting[asked]] = 0.0
    sample, sample_weights = _asked_sample(graph, weights, seed, memory)
    tail = tail_margin(sample, sample_weights, dimension=dimension, total=len(graph.points), memory=memory)
    if tail is None:
        return None
    kept = float((near & (weights >= BORNE_OUT)).mean())
    return _packed(graph, extent, weights, dimension, tail, max(1, round(kept * len(graph.points))))


def _weights(graph: NeighborGraph) -> NDArray[np.float64]:
    neighbors = np.searchsorted(graph.points.rows, graph.found.rows[:, :EDITORS])
    if graph.tolerance is None:
        assert graph.queries.labels is not None
        return label_weights(neighbors, graph.points, graph.queries.labels)
    assert graph.queries.targets is not None
    return target_weights(neighbors, graph.points, graph.queries.targets, graph.tolerance)


def _asked_sample(
    graph: NeighborGraph, weights: NDArray[np.float64], seed: int, memory: int
) -> tuple[NeighborGraph, NDArray[np.float64]]:
    """A graph of which every point was asked: the same, or that of the queries among each other."""
    queries = graph.queries
    if len(queries) == len(graph.points):
        return graph, weights
    chosen = np.isin(queries.rows, sampling.chosen(queries.rows, MOST_ROWS, seed))
    queries = queries.take(np.flatnonzero(chosen))
    most = min(NEIGHBORS, len(queries) - 1)
    return neighbor_graph(queries, k=most, tolerance=graph.tolerance, memory=memory), weights[chosen]


def _packed(
    graph: NeighborGraph,
    extent: CentredRadius,
    weights: NDArray[np.float64],
    dimension: float,
    tail: Tail,
    n: int,
) -> RobustGeometry:
    far = np.flatnonzero(~extent.near)
    outvoted = np.flatnonzero(weights < BORNE_OUT)
    largest = int(extent.norms.argmax())
    above, following = _above_the_widest_step(lengths(graph.points), extent.near)
    return RobustGeometry(
        n=n,
        radius=extent.radius,
        dimension=dimension,
        margin=tail.margin,
        offset=extent.offset,
        largest=float(extent.norms[largest]),
        largest_row=int(graph.points.rows[largest]),
        far=len(far),
        far_rows=_first(graph.points.rows[far], -extent.norms[far]),
        outvoted=len(outvoted),
        outvoted_rows=_first(graph.queries.rows[outvoted], weights[outvoted]),
        looked_at=len(graph.queries),
        exponent=tail.exponent,
        tail_rows=tail.rows,
        largest_rows=tuple(graph.points.rows[above].tolist()),
        largest_other=following,
        tolerance=graph.tolerance or 0.0,
    )


def _above_the_widest_step(norms: NDArray[np.float64], near: NDArray[np.bool_]) -> tuple[NDArray[np.int64], float]:
    """Rows far out that have the largest norms, down to the widest step, and the norm that follows."""
    order = np.lexsort((np.arange(len(norms)), -norms))
    leading = int(near[order].argmax())
    down = norms[order[: leading + 1]]
    if not leading or down[-1] <= 0:
        return order[:0], float(down[0])
    widest = int(np.log(down[:-1] / down[1:]).argmax())
    return order[: widest + 1], float(down[widest + 1])


def _first(rows: NDArray[np.int64], by: NDArray[np.float64]) -> tuple[int, ...]:
    return tuple(rows[np.lexsort((rows, by))][:MOST_SHOWN].tolist())


DECADE = 1.0
"""Difference in log10 of bits beyond which somebody is to blame."""


@dataclass(frozen=True, slots=True)
class BoundInputs:
    """What the bound on the bits is a function of, beside what the task chooses.

    Parameters
    ----------
    radius, margin : float
        In the units of the features; of a regression the resolution is the margin.
    """

    n: float
    radius: float
    dimension: float
    margin: float


@dataclass(frozen=True, slots=True)
class Influence:
    """What is to blame for a difference.

    Parameters
    ----------
    setting : str
        "origin", "radius", "dimension", "margin" or "n": what moves the value most if it alone is replaced.
    change : float
        log10 of bits with it replaced, less the released one.
    rows : tuple of int
        The rows that are far out, or the closest pair, where the robust value is lower; none for what no row decides.
    difference : float
        log10 of bits, robust less released.
    """

    setting: str
    change: float
    rows: tuple[int, ...]
    changes: Mapping[str, float]
    difference: float


def influences(
    robust: RobustGeometry,
    released: BoundInputs,
    log10_bits: Callable[[BoundInputs], float],
    *,
    margin_rows: tuple[int, int],
) -> Influence | None:
    """Find what makes the released and the robust value differ.

    None where the two are no further apart than a decade. Each of five settings is replaced alone: the origin (the
    largest norm about the robust centre instead of the origin), the radius (from the largest norm to its robust value,
    about either centre), the dimension, the margin and n; the largest change that has the sign of the difference is to
    blame, the first named of equal ones.

    Parameters
    ----------
    margin_rows : tuple of int
        The closest pair.

    Examples
    --------
    >>> from math import log10
    >>> found = RobustGeometry(100, 2.0, 3.0, 0.5, 0.0, 40.0, 7, 1, (7,), 0, (), 100, 3.0, 20.0, (7,), 2.0, 0.0)
    >>> released = BoundInputs(n=100, radius=40.0, dimension=3.0, margin=0.4)
    >>> guilty = influences(found, released, lambda of: of.dimension * log10(of.radius / of.margin), margin_rows=(1, 2))
    >>> guilty.setting, round(guilty.change, 2), guilty.rows
    ('radius', -3.9, (7,))
    """
    value = log10_bits(released)
    difference = _difference(log10_bits(BoundInputs(robust.n, robust.radius, robust.dimension, robust.margin)), value)
    if abs(difference) <= DECADE:
        return None
    changed = {
        "origin": replace(released, radius=robust.largest),
        "radius": replace(released, radius=released.radius * robust.radius / robust.largest),
        "margin": replace(released, margin=robust.margin),
        "dimension": replace(released, dimension=robust.dimension),
        "n": replace(released, n=robust.n),
    }
    changes = {name: _difference(log10_bits(inputs), value) for name, inputs in changed.items()}
    sign = 1.0 if difference > 0 else -1.0
    guilty = max(changes, key=lambda name: sign * changes[name])
    # a single row makes the released value too large: a smaller one is the work of many
    rows = (
        {"radius": robust.largest_rows[:MOST_SHOWN] or (robust.largest_row,), "margin": margin_rows}.get(guilty, ())
        if sign < 0
        else ()
    )
    return Influence(guilty, changes[guilty], rows, changes, difference)


def _difference(first: float, second: float) -> float:
    """First less second, where both may be the −∞ of 0 bits."""
    return 0.0 if not isfinite(first) and first == second else first - second
