"""What speaks against labels: rows alone among another class, close pairs that differ, labels that follow no input.

Where two classes touch, a row near the boundary may have ten nearest of the other class by chance, but then its wider
neighbourhood is mixed, and there are more rows in neighbourhoods that are mixed somewhat more. A wrong label stands
alone in a neighbourhood that is pure. So rows whose label is absent around them are counted against those whose label
is nearly so; and only rows that are among the nearest of others, since a row that is like no other is odd, not wrong.
Agreement of neighbours against chance is the join count of Cliff, Ord, "Spatial Autocorrelation", 1973.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, betaincinv

from ibc_report.geometry.dimension.local_density import too_near
from ibc_report.geometry.neighbors.search import NeighborGraph

__all__ = ["LabelChecks", "label_checks"]

VOTERS = 10
"""Nearest neighbours among which the label of a row that is alone is absent."""

AROUND = 30
"""Nearest neighbours that are a row's wider neighbourhood."""

MOST_ALONE, MOST_MIXED = 2, 4
"""Rows of its label in the neighbourhood of a row that is alone, and of one that is nearly alone, at most."""

COHERENT = 0.5
"""Share of its own among the ten nearest that half of a class have at least, for its rows to be judged."""

SOUGHT = 6
"""Rows, at least, that have an ordinary row among their ten nearest; an odd one, at the rim of all, has fewer."""

ALONE_SHARE = 0.2
"""Of the rows that are alone or nearly, the most that touching classes have alone."""

SMALL_CLASS = 5
"""Rows that each of two classes has to have for anything to be told."""

FEWEST_OTHERS = 30
"""Rows outside of the largest class, at least, for agreement to be told from chance."""

LOWER_LEVEL = 0.01
"""Probability with which the lower limit of the share of pairs is too high."""

MOST_SHOWN = 6
"""Rows that are named."""


@dataclass(frozen=True, slots=True)
class LabelChecks:
    """What neighbours say of labels.

    Parameters
    ----------
    alone : int
        Rows whose label is absent among the ten nearest and, but for two rows, among the thirty nearest, of classes
        that lie together elsewhere.
    alone_rows : tuple of int
        Up to six of them.
    probability : float
        That touching classes have so many, given how many rows are nearly alone.
    agreement : float or None
        By how many standard deviations ten nearest neighbours agree more often than labels at random; None where all
        but a few rows are of one class.
    near_pairs, near_differing : int
        Pairs of nearest neighbours that are closer than a uniform density allows, and those of two labels.
    """

    alone: int
    alone_rows: tuple[int, ...]
    probability: float
    agreement: float | None
    near_pairs: int
    near_differing: int

    @property
    def near_share(self) -> float:
        """Share of near pairs that differ, of which it is no less with probability 0.99 (Clopper, Pearson, 1934)."""
        if not self.near_differing:
            return 0.0
        return float(betaincinv(self.near_differing, self.near_pairs - self.near_differing + 1, LOWER_LEVEL))


def label_checks(graph: NeighborGraph) -> LabelChecks | None:
    """Check labels by those of the nearest neighbours.

    None without labels, with fewer than thirty neighbours, or where fewer than two classes have five rows.

    Parameters
    ----------
    graph : NeighborGraph
        Of points with one label each, all or some of them asked.

    Examples
    --------
    >>> from ibc_report.geometry import Points, neighbor_graph
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(600) % 2
    >>> apart = np.column_stack([rng.random((600, 2)), 5.0 * labels])
    >>> labels[[10, 100, 200, 300]] ^= 1
    >>> found = label_checks(neighbor_graph(Points(apart, 1.0, np.arange(600), labels), k=50))
    >>> found.alone_rows, found.probability < 0.01
    ((10, 100, 200, 300), True)
    """
    points, queries, found = graph.points, graph.queries, graph.found
    if points.labels is None or queries.labels is None or found.rows.shape[1] < AROUND:
        return None
    near = found.rows[:, :AROUND]
    sizes = np.bincount(points.labels)
    if (near < 0).any() or np.count_nonzero(sizes >= SMALL_CLASS) < 2:
        return None
    places = np.searchsorted(points.rows, near)
    same = points.labels[places] == queries.labels[:, None]
    among, around = same[:, :VOTERS].sum(axis=1), same.sum(axis=1)
    judged = _coherent(among, queries.labels)[queries.labels]
    if graph.is_whole:
        judged &= np.bincount(places[:, :VOTERS].ravel(), minlength=len(points)) >= SOUGHT
    alone = judged & (among == 0) & (around <= MOST_ALONE)
    mixed = judged & (around > MOST_ALONE) & (around <= MOST_MIXED)
    count, nearly = int(alone.sum()), int(mixed.sum())
    pairs, differing = _near_pairs(graph, places[:, 0])
    return LabelChecks(
        alone=count,
        alone_rows=tuple(np.sort(queries.rows[alone])[:MOST_SHOWN].tolist()),
        probability=float(bdtrc(count - 1, count + nearly, ALONE_SHARE)) if count else 1.0,
        agreement=_agreement(graph, places[:, :VOTERS]) if len(points) - sizes.max() >= FEWEST_OTHERS else None,
        near_pairs=pairs,
        near_differing=differing,
    )


def _coherent(among: NDArray[np.int64], labels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Classes of which half of the rows have at least half of their nearest in the class."""
    coherent = np.zeros(int(labels.max()) + 1, dtype=bool)
    order = np.argsort(labels, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        coherent[labels[members[0]]] = np.median(among[members]) >= COHERENT * VOTERS
    return coherent


def _near_pairs(graph: NeighborGraph, nearest: NDArray[np.int64]) -> tuple[int, int]:
    """Pairs of nearest neighbours that are too near, each once, and those of two labels."""
    points, queries, distances = graph.points, graph.queries, graph.found.distances
    near = too_near(distances) if bool((distances[:, 0] > 0).all()) else None
    if near is None or points.labels is None:
        return 0, 0
    ends = np.sort(np.column_stack([np.searchsorted(points.rows, queries.rows[near]), nearest[near]]), axis=1)
    ends = np.unique(ends, axis=0)
    return len(ends), int((points.labels[ends[:, 0]] != points.labels[ends[:, 1]]).sum())


def _agreement(graph: NeighborGraph, places: NDArray[np.int64]) -> float:
    """Agreement of neighbours less its mean under labels at random, in standard deviations."""
    points, queries = graph.points, graph.queries
    assert points.labels is not None
    assert queries.labels is not None
    n = len(points)
    shares = np.bincount(points.labels) / n
    of_all = float(shares @ shares)
    theirs = points.labels[places]
    own = queries.labels[:, None]
    total = float(((theirs == own) - shares[own] - shares[theirs] + of_all).sum())
    mean = -theirs.size * (1 - of_all) / (n - 1)
    asked = np.searchsorted(points.rows, queries.rows)
    forth = (asked[:, None] * n + places).ravel()
    back = (places * n + asked[:, None]).ravel()
    mutual = int(np.isin(back, forth, assume_unique=True).sum())
    # trace of the square of the labels' covariance matrix
    spread = of_all - 2 * float((shares**3).sum()) + of_all**2
    return (total - mean) / float(np.sqrt((theirs.size + mutual) * spread))
