"""Groups that both splits share, such as speakers: whether a test row is known by the rows of its own group.

A score on a split that shares its groups with the training rows says how well new rows of known groups are classed, and
not those of new groups. Source: Roberts et al., "Cross-validation strategies for data with temporal, spatial,
hierarchical, or phylogenetic structure", Ecography 40 (2017), DOI 10.1111/ecog.02881.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from ibc_report.data.examples import Examples
from ibc_report.data.sources import Column, Rows
from ibc_report.evaluation.audit.baselines import CorrectAnswers, scored
from ibc_report.evaluation.audit.shortcuts import places_in_table
from ibc_report.evaluation.statistics.comparisons import discordant, paired_interval
from ibc_report.evaluation.statistics.multiple_testing import holm
from ibc_report.evaluation.statistics.proportions import Interval

__all__ = ["SharedGroups", "shared_groups"]

MOST_GROUPS = 200

FEWEST_ROWS = 50
"""Test rows that have to have rows of their class in their own group and in others."""

LEVEL = 0.05

LEAST_LOSS = 0.05
"""Less than this may be lost because fewer rows are left to learn from."""

BLOCK = 256

KINDS = ("class", "string", "boolean", "number")

_Ints = NDArray[np.int64]

_Vectors = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SharedGroups:
    """What the rows of its own group tell of a test row.

    Parameters
    ----------
    name : str
        Of the column that names the groups.
    groups : int
        That both splits have.
    own, chance : float
        Share of the test rows whose nearest training row is of their own group, and what it would be were groups of no
        matter: the groups' share of the training rows.
    without_own, without_other : CorrectAnswers
        The nearest training row's class, with the training rows of the own group left out, and with as good as as
        many of another one left out.
    loss : float
        Accuracy that is lost with the own group, compared with another one.
    interval : Interval
        Of the loss.
    p, corrected : float
        Exact one-sided McNemar test of the loss, and the same after Holm's correction for all columns.
    """

    name: str
    groups: int
    own: float
    chance: float
    without_own: CorrectAnswers
    without_other: CorrectAnswers
    loss: float
    interval: Interval
    p: float
    corrected: float

    @property
    def flagged(self) -> bool:
        """Whether a score on this split is one on known groups."""
        return self.corrected <= LEVEL and self.loss >= LEAST_LOSS


def shared_groups(
    train: Examples, test: Examples, rows: tuple[Rows, Rows], learned: _Ints, probed: _Ints
) -> tuple[SharedGroups, ...]:
    """Look for columns beside the inputs whose values both splits share, and that rows are known by.

    Parameters
    ----------
    rows : tuple of Rows
        Tables of the training and of the test split.
    learned, probed : ndarray of int64
        Positions in the encoded splits of the training rows to learn from, and of the test rows to ask.

    Returns
    -------
    tuple of SharedGroups
        In the order of the columns. Test rows count that have rows of their class in their own group and in others.
    """
    assert train.codes is not None
    assert test.codes is not None
    at = places_in_table(rows[0], train, learned), places_in_table(rows[1], test, probed)
    found = []
    known = {column.name for column in rows[1].columns}
    vectors = tuple(
        np.asarray(examples.encoded.vectors[place], dtype=np.float64)
        for examples, place in ((train, learned), (test, probed))
    )
    for column in rows[0].columns:
        if column.name in (train.target, *train.encoded.inputs) or column.name not in known:
            continue
        groups = _codes(column, rows[1].column(column.name), at)
        if groups is not None:
            one = _shared(column.name, groups, vectors, (train.codes[learned], test.codes[probed]))
            if one is not None:
                found.append(one)
    if not found:
        return ()
    corrected = holm([one.p for one in found])
    return tuple(replace(one, corrected=float(value)) for one, value in zip(found, corrected, strict=True))


def _codes(train: Column, test: Column, at: tuple[_Ints, _Ints]) -> tuple[_Ints, _Ints] | None:
    """Numbers of the groups of both sides; −1 for none. None for a column of no groups that both share."""
    if train.kind not in KINDS or test.kind not in KINDS:
        return None
    values: list[list[Any]] = [
        column.values.take(place).to_pylist() for column, place in ((train, at[0]), (test, at[1]))
    ]
    levels = {
        value: number for number, value in enumerate(dict.fromkeys(value for value in values[0] if value is not None))
    }
    # groups have several rows each
    if not 2 <= len(levels) <= min(MOST_GROUPS, len(values[0]) // 2):
        return None
    first, second = (np.array([levels.get(value, -1) for value in part], dtype=np.int64) for part in values)
    return first, second


def _shared(
    name: str, groups: tuple[_Ints, _Ints], vectors: tuple[_Vectors, ...], codes: tuple[_Ints, _Ints]
) -> SharedGroups | None:
    (first, second), (learned, truth) = groups, codes
    sizes = np.bincount(first[first >= 0])
    # the group whose size is next stands for any other
    order = np.argsort(sizes, kind="stable")
    other_of = np.empty(len(sizes), dtype=np.int64)
    other_of[order] = np.roll(order, -1)
    cells = np.zeros((len(sizes), int(max(learned.max(), truth.max())) + 1), dtype=np.int64)
    np.add.at(cells, (first[first >= 0], learned[first >= 0]), 1)
    at = np.flatnonzero(second >= 0)
    own_class = cells[second[at], truth[at]]
    elsewhere = cells[:, truth[at]].sum(axis=0) - own_class - cells[other_of[second[at]], truth[at]]
    at = at[(own_class > 0) & (elsewhere > 0)]
    if len(at) < FEWEST_ROWS:
        return None
    other = other_of[second[at]]
    nearest, without_own, without_other = _nearest(vectors[0], vectors[1][at], first, second[at], other)
    right = learned[without_own] == truth[at], learned[without_other] == truth[at]
    both, kept, lost, neither = discordant(*right)
    p = float(bdtrc(lost - 1, kept + lost, 0.5)) if lost > 0 else 1.0
    interval = paired_interval(both, lost, kept, neither)
    return SharedGroups(
        name,
        len(np.unique(second[at])),
        float((first[nearest] == second[at]).mean()),
        float((sizes[second[at]] / len(first)).mean()),
        scored(learned[without_own], truth[at]),
        scored(learned[without_other], truth[at]),
        (lost - kept) / len(at),
        interval,
        p,
        p,
    )


def _nearest(train: _Vectors, test: _Vectors, groups: _Ints, own: _Ints, other: _Ints) -> tuple[_Ints, _Ints, _Ints]:
    """Position of the nearest training row: of all, of those outside the own group, of those outside another one."""
    squares = np.einsum("ij,ij->i", train, train)
    found: list[Sequence[_Ints]] = []
    for start in range(0, len(test), BLOCK):
        part = slice(start, start + BLOCK)
        distances = squares - 2 * (test[part] @ train.T)
        without_own, without_other = (
            np.where(groups == left_out[part, None], np.inf, distances).argmin(axis=1) for left_out in (own, other)
        )
        found.append((distances.argmin(axis=1), without_own, without_other))
    nearest, without_own, without_other = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return nearest, without_own, without_other
