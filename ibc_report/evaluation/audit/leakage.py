"""Test rows that the training split holds already, or nearly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from ibc_report.data.examples import Examples
from ibc_report.evaluation.audit.joint_split import KnownRows
from ibc_report.evaluation.audit.ngram_overlap import Overlap

__all__ = [
    "COINCIDING",
    "EXCESS_LEVEL",
    "MOST_PAIRS",
    "NEAR_CHANCE",
    "NEAR_NEIGHBORS",
    "Closeness",
    "Leakage",
    "LeakedPair",
    "NearestRows",
    "coinciding",
    "find_leaks",
    "near_ratio",
    "texts_of",
]

NEAR_NEIGHBORS = 10
"""Near is much closer than the training row of this rank: what is around a row is its scale, and no extreme of all."""

NEAR_CHANCE = 1e-3
"""Share of rows that an even density around them would have as near as that."""

SPACING_NEIGHBORS = 5
"""Neighbours from whose distances the dimension of the training rows is read."""

EXCESS_LEVEL = 0.001
"""Near rows are called an excess where training rows are that near to each other less often, at this level.

Training rows are near in pairs, and both are counted: at 0.01 more than one clean split in a hundred would be flagged.
"""

COINCIDING = 0.01
"""Training rows that equal a new one by chance, from which on equal rows are no sign of copying by themselves."""

MOST_PAIRS = 10
"""Pairs that are shown."""

Kind = Literal["equal inputs", "equal vectors", "near", "n-grams"]

_Ints = NDArray[np.int64]

_Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LeakedPair:
    """A test row and what it repeats.

    Parameters
    ----------
    kind : str
        The strongest that holds: equal inputs, equal vectors, near, n-grams.
    test, train : int
        Position in the test split, and among the known rows of the training split.
    distance : float or None
        Between their vectors; None where it was not computed.
    share : float or None
        Of the test row's n-grams that the training split holds; None for no texts.
    """

    kind: Kind
    test: int
    train: int
    distance: float | None
    share: float | None
    agree: bool


@dataclass(frozen=True, slots=True, eq=False)
class Leakage:
    """Test rows that the training split holds, by how.

    Parameters
    ----------
    asked : ndarray of int64
        Positions in the test split that were compared by distance; inputs and n-grams are compared for all.
    equal_inputs, equal_vectors, near, overlapping : ndarray of bool, shape (test rows,)
        Rows whose inputs, as they came, are those of a training row; further ones whose vectors are; further ones
        nearer than `ratio` allows; and those flagged by n-grams, whatever else they are.
    ratio : float
        Near is closer than this share of the distance to the tenth nearest training row (see `near_ratio`).
    own_near, own_asked : int
        Training rows that are as near to another one, of those that were asked and equal none.
    excess : bool
        Whether more test rows are that near to a training row than training rows are to each other.
    disagreeing : int
        Leaked rows with another label than what they repeat.
    by_chance : bool
        Whether chance explains the rows that repeat a training row exactly: inputs take so few values that rows
        coincide, and training rows repeat each other as often.
    pairs : tuple of LeakedPair
        The closest ten, those with other labels first among equals.
    overlap : Overlap or None
        What was found by n-grams; None for no texts.
    """

    asked: _Ints
    equal_inputs: _Flags
    equal_vectors: _Flags
    near: _Flags
    overlapping: _Flags
    ratio: float
    own_near: int
    own_asked: int
    excess: bool
    disagreeing: int
    by_chance: bool
    pairs: tuple[LeakedPair, ...]
    overlap: Overlap | None

    @property
    def exact(self) -> _Flags:
        """Rows that repeat a training row exactly."""
        return self.equal_inputs | self.equal_vectors

    @property
    def leaked(self) -> _Flags:
        """Rows that are a finding: what chance explains, exact or near, is none."""
        found = self.overlapping
        if not self.by_chance:
            found = found | self.exact
        return found | self.near if self.excess else found


def texts_of(examples: Examples) -> list[str]:
    """The input texts of each row, several columns on lines of their own."""
    columns = [
        examples.columns[place].values.take(examples.positions).to_pylist() for place in range(len(examples.columns))
    ]
    return ["\n".join(str(value) for value in row if value is not None) for row in zip(*columns, strict=True)]


def coinciding(train: Examples) -> float:
    """How many training rows equal a new one on average, if the columns of a table were independent of each other.

    Returns
    -------
    float
        n·∏ⱼ∑ᵥp²ⱼᵥ, with pⱼᵥ the share of value v in column j: where columns depend on each other it is more. 0 for
        inputs that are no table.
    """
    if train.encoded.name != "tabular":
        return 0.0
    expected = float(len(train.positions))
    for column in train.columns:
        counts = pc.value_counts(column.values.take(train.positions)).field("counts").to_numpy(zero_copy_only=False)
        expected *= float(np.sum((counts / len(train.positions)) ** 2))
    return expected


@dataclass(frozen=True, slots=True, eq=False)
class NearestRows:
    """How near the test rows that were asked come to the training split, and its rows to each other.

    Parameters
    ----------
    asked : ndarray of int64, shape (q,)
        Positions in the test split whose nearest training row is known.
    positions : ndarray of int64, shape (q,)
        Position of that row in the training split.
    distances : ndarray of float64, shape (q, k)
        To the nearest training rows, ascending.
    own_distances : ndarray of float64, shape (s, k)
        From training rows to the nearest other ones: how near rows come to each other without being copied.
    """

    asked: _Ints
    positions: _Ints
    distances: NDArray[np.float64]
    own_distances: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Closeness:
    """What counts as equal and as the same answer.

    Parameters
    ----------
    rounding : float
        Distances up to this are rounding of the encoder, and count as zero.
    tolerance : float
        Of a regression: targets that differ by no more agree.
    """

    rounding: float
    tolerance: float = 0.0


def near_ratio(own_distances: NDArray[np.float64]) -> float:
    """Say how near a copy is: the largest share of the distance to the tenth nearest row.

    Among k neighbours of a row in m even dimensions the nearest is closer than x times the k-th with probability
    1 − (1 − x^m)^(k−1), and x is where that is 0.001. The dimension m is read from the same distances.

    Parameters
    ----------
    own_distances : ndarray of float64, shape (s, k)
        From training rows to the nearest other ones, ascending.

    Returns
    -------
    float
        From 0 to 1; 0 where there are too few rows or neighbours to tell.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> ratio = near_ratio(np.cumsum(rng.exponential(size=(2000, 10)), axis=1) ** (1 / 8))
    >>> 0.3 < ratio < 0.35
    True
    """
    k = min(NEAR_NEIGHBORS, own_distances.shape[1])
    close = own_distances[:, : min(SPACING_NEIGHBORS, k)]
    close = close[(close[:, 0] > 0) & np.isfinite(close[:, -1])]
    if k < 2 or not len(close):
        return 0.0
    spacing = float(np.log(close[:, -1:] / close[:, :-1]).mean())
    return float((-np.expm1(np.log1p(-NEAR_CHANCE) / (k - 1))) ** spacing)


def find_leaks(
    train: Examples,
    test: Examples,
    nearest: NearestRows,
    closeness: Closeness,
    *,
    overlap: Overlap | None = None,
    known: KnownRows | None = None,
) -> Leakage:
    """Compare a test split with its training split.

    Parameters
    ----------
    known : KnownRows, optional
        All rows of the training split, where `train` is a sample of them: equal inputs are sought there.
    """
    if known is None:
        known = KnownRows(train.identities, train.numbers, train.codes, train.values, train.names, is_whole=True)
    by_number = np.argsort(known.rows)
    places = by_number[np.searchsorted(known.rows, train.numbers, sorter=by_number)]
    n = len(test.positions)
    asked, rounding = nearest.asked, closeness.rounding
    ratio = near_ratio(nearest.own_distances)
    partner = np.full(n, -1, dtype=np.int64)
    distance = np.full(n, np.nan)
    partner[asked], distance[asked] = places[nearest.positions], nearest.distances[:, 0]
    equal_inputs, first = _same(known.identities, test.identities)
    is_near = np.zeros(n, dtype=bool)
    is_near[asked] = _near(nearest.distances, ratio)
    with np.errstate(invalid="ignore"):
        equal_vectors = (distance <= rounding) & ~equal_inputs
    near = is_near & ~equal_inputs & ~equal_vectors
    partner = np.where(equal_inputs, first, partner)
    overlapping = np.zeros(n, dtype=bool)
    if overlap is not None:
        overlapping[overlap.flagged] = True
        only = overlapping & ~equal_inputs & ~equal_vectors & ~near
        sources = np.full(n, -1, dtype=np.int64)
        sources[overlap.flagged] = places[overlap.sources]
        partner = np.where(only, sources, partner)
        # the distance known is to another row
        distance = np.where(only, np.nan, distance)
    # rows repeat more often in the whole than in the sample that chance is judged by
    exact = (_same(train.identities, test.identities)[0] | equal_vectors)[asked]
    own_exact = nearest.own_distances[:, 0] <= rounding
    own_near = int(np.count_nonzero(_near(nearest.own_distances, ratio) & ~own_exact))
    own_asked = int(np.count_nonzero(~own_exact))
    repeated, own_repeated = int(np.count_nonzero(exact)), int(np.count_nonzero(own_exact))
    as_often = not _more(repeated, len(asked), own_repeated, len(own_exact))
    found = Leakage(
        asked=asked,
        equal_inputs=equal_inputs,
        equal_vectors=equal_vectors,
        near=near,
        overlapping=overlapping,
        ratio=ratio,
        own_near=own_near,
        own_asked=own_asked,
        excess=_more(int(np.count_nonzero(near)), len(asked) - repeated, own_near, own_asked),
        disagreeing=0,
        by_chance=repeated > 0 and own_repeated > 0 and as_often and coinciding(train) >= COINCIDING,
        pairs=(),
        overlap=overlap,
    )
    candidates = np.flatnonzero(found.exact | near | overlapping)
    agree = np.ones(n, dtype=bool)
    agree[candidates] = _agreeing(known, test, candidates, partner[candidates], closeness.tolerance)
    return replace(
        found,
        disagreeing=int(np.count_nonzero(found.leaked & ~agree)),
        pairs=_closest(found, candidates, partner, distance, agree),
    )


def _near(distances: NDArray[np.float64], ratio: float) -> _Flags:
    """Rows whose nearest is much closer than those around them."""
    return np.asarray(distances[:, 0] < ratio * distances[:, :NEAR_NEIGHBORS][:, -1])


def _closest(
    found: Leakage, candidates: _Ints, partner: _Ints, distance: NDArray[np.float64], agree: _Flags
) -> tuple[LeakedPair, ...]:
    """The closest pairs, by how they were found, those with other labels first among equals."""
    kinds: list[tuple[Kind, _Flags]] = [
        ("equal inputs", found.equal_inputs),
        ("equal vectors", found.equal_vectors),
        ("near", found.near),
    ]
    rank = np.full(len(agree), len(kinds))
    for place, (_, flags) in enumerate(kinds):
        rank[flags] = place
    names: list[Kind] = [*(kind for kind, _ in kinds), "n-grams"]
    share = np.zeros(len(agree)) if found.overlap is None else found.overlap.shares
    keys = (candidates, agree[candidates], -share[candidates], np.nan_to_num(distance[candidates]), rank[candidates])
    return tuple(
        LeakedPair(
            kind=names[rank[at]],
            test=int(at),
            train=int(partner[at]),
            distance=float(distance[at]) if np.isfinite(distance[at]) else None,
            share=None if found.overlap is None else float(share[at]),
            agree=bool(agree[at]),
        )
        for at in candidates[np.lexsort(keys)][:MOST_PAIRS]
    )


def _same(train: NDArray[np.uint64], test: NDArray[np.uint64]) -> tuple[_Flags, _Ints]:
    """Which test rows have the inputs of a training row, and the first such row."""
    known, first = np.unique(train, return_index=True)
    place = np.minimum(np.searchsorted(known, test), len(known) - 1)
    return np.asarray(known[place] == test), np.asarray(first[place], dtype=np.int64)


def _agreeing(train: KnownRows, test: Examples, positions: _Ints, partners: _Ints, tolerance: float) -> _Flags:
    if train.codes is not None and test.codes is not None:
        return np.asarray(train.codes[partners] == test.codes[positions])
    assert train.values is not None
    assert test.values is not None
    return np.asarray(np.abs(train.values[partners] - test.values[positions]) <= tolerance)


def _more(near: int, asked: int, own_near: int, own_asked: int) -> bool:
    # it brings more of scipy, which is wanted where there is a test split only
    from scipy.stats import fisher_exact

    table = np.array([[near, asked - near], [own_near, own_asked - own_near]])
    return near > 0 and own_asked > 0 and float(fisher_exact(table, alternative="greater").pvalue) < EXCESS_LEVEL
