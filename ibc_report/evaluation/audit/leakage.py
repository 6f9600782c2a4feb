"""Test rows that the training split holds already, or nearly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.stats import fisher_exact

from ibc_report.data.examples import Examples
from ibc_report.evaluation.audit.ngram_overlap import Overlap

__all__ = [
    "COINCIDING",
    "EXCESS_LEVEL",
    "MOST_PAIRS",
    "NEAR_SHARE",
    "Closeness",
    "Leakage",
    "LeakedPair",
    "NearestRows",
    "coinciding",
    "find_leaks",
    "texts_of",
]

NEAR_SHARE = 0.5
"""Near is closer than this share of the margin.

All training rows of another class are at least the margin away from a training row. A test row within half of it is
therefore closer to that row than to any of another class: its answer is that of the training row, and nothing has to
be learned for it.
"""

EXCESS_LEVEL = 0.01
"""Near rows are called an excess where training rows are that near to each other less often, at this level."""

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
        Positions in the two splits.
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
        nearer than the radius; and those flagged by n-grams, whatever else they are.
    own_near, own_asked : int
        Training rows that are as near to another one, or equal to it, and how many were asked.
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
    radius: float
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
        """All of them."""
        return self.exact | self.near | self.overlapping


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
    distances : ndarray of float64, shape (q,)
        How far it is.
    own_distances : ndarray of float64, shape (s,)
        From training rows to the nearest other one: how near rows come to each other without being copied.
    """

    asked: _Ints
    positions: _Ints
    distances: NDArray[np.float64]
    own_distances: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Closeness:
    """What counts as near, as equal and as the same answer.

    Parameters
    ----------
    margin : float
        Smallest distance of training rows with different answers.
    rounding : float
        Distances up to this are rounding of the encoder, and count as zero.
    tolerance : float
        Of a regression: targets that differ by no more agree.
    """

    margin: float
    rounding: float
    tolerance: float = 0.0


def find_leaks(
    train: Examples,
    test: Examples,
    nearest: NearestRows,
    closeness: Closeness,
    *,
    overlap: Overlap | None = None,
) -> Leakage:
    """Compare a test split with its training split."""
    n = len(test.positions)
    asked, own_distances, rounding = nearest.asked, nearest.own_distances, closeness.rounding
    radius = NEAR_SHARE * closeness.margin
    partner = np.full(n, -1, dtype=np.int64)
    distance = np.full(n, np.nan)
    partner[asked], distance[asked] = nearest.positions, nearest.distances
    equal_inputs, first = _same(train.identities, test.identities)
    with np.errstate(invalid="ignore"):
        equal_vectors = (distance <= rounding) & ~equal_inputs
        near = (distance < radius) & ~equal_inputs & ~equal_vectors
    kinds: list[tuple[Kind, _Flags]] = [("equal inputs", equal_inputs), ("equal vectors", equal_vectors)]
    kinds += [("near", near)]
    partner = np.where(equal_inputs, first, partner)
    overlapping = np.zeros(n, dtype=bool)
    if overlap is not None:
        overlapping[overlap.flagged] = True
        only = overlapping & ~equal_inputs & ~equal_vectors & ~near
        sources = np.full(n, -1, dtype=np.int64)
        sources[overlap.flagged] = overlap.sources
        partner = np.where(only, sources, partner)
        # the distance known is to another row
        distance = np.where(only, np.nan, distance)
        kinds.append(("n-grams", only))
    leaked = equal_inputs | equal_vectors | near | overlapping
    positions = np.flatnonzero(leaked)
    agree = np.zeros(n, dtype=bool)
    agree[positions] = _agreeing(train, test, positions, partner[positions], closeness.tolerance)
    rank = np.full(n, len(kinds))
    for place, (_, flags) in enumerate(kinds):
        rank[flags] = place
    share = np.zeros(n) if overlap is None else overlap.shares
    worst = positions[
        np.lexsort(
            (positions, agree[positions], -share[positions], np.nan_to_num(distance[positions]), rank[positions])
        )
    ]
    close = own_distances < radius
    own_near = int(np.count_nonzero(close | (own_distances <= rounding)))
    seen = (equal_inputs | equal_vectors | near)[asked]
    exact = int(np.count_nonzero((equal_inputs | equal_vectors)[asked]))
    own_exact = int(np.count_nonzero(own_distances <= rounding))
    as_often = not _more(exact, len(asked), own_exact, len(own_distances))
    return Leakage(
        asked=asked,
        equal_inputs=equal_inputs,
        equal_vectors=equal_vectors,
        near=near,
        overlapping=overlapping,
        radius=radius,
        own_near=own_near,
        own_asked=len(own_distances),
        excess=_more(int(np.count_nonzero(seen)), len(asked), own_near, len(own_distances)),
        disagreeing=int(np.count_nonzero(~agree[positions])),
        by_chance=exact > 0 and own_exact > 0 and as_often and coinciding(train) >= COINCIDING,
        pairs=tuple(
            LeakedPair(
                kind=kinds[rank[at]][0],
                test=int(at),
                train=int(partner[at]),
                distance=float(distance[at]) if np.isfinite(distance[at]) else None,
                share=float(share[at]) if overlap is not None else None,
                agree=bool(agree[at]),
            )
            for at in worst[:MOST_PAIRS]
        ),
        overlap=overlap,
    )


def _same(train: NDArray[np.uint64], test: NDArray[np.uint64]) -> tuple[_Flags, _Ints]:
    """Which test rows have the inputs of a training row, and the first such row."""
    known, first = np.unique(train, return_index=True)
    place = np.minimum(np.searchsorted(known, test), len(known) - 1)
    return np.asarray(known[place] == test), np.asarray(first[place], dtype=np.int64)


def _agreeing(train: Examples, test: Examples, positions: _Ints, partners: _Ints, tolerance: float) -> _Flags:
    if train.codes is not None and test.codes is not None:
        return np.asarray(train.codes[partners] == test.codes[positions])
    assert train.values is not None
    assert test.values is not None
    return np.asarray(np.abs(train.values[partners] - test.values[positions]) <= tolerance)


def _more(near: int, asked: int, own_near: int, own_asked: int) -> bool:
    table = np.array([[near, asked - near], [own_near, own_asked - own_near]])
    return near > 0 and own_asked > 0 and float(fisher_exact(table, alternative="greater").pvalue) < EXCESS_LEVEL
