"""What a score on a test split can tell: all that is measured of it, from one neighbour search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import sampling
from ibc_report.common.errors import DataError
from ibc_report.data.encoders import Progress, silent
from ibc_report.data.examples import Examples
from ibc_report.data.sources import Rows
from ibc_report.evaluation.audit.baselines import (
    Baseline,
    CorrectAnswers,
    NeighborVotes,
    ProbeRows,
    SplitNeighbors,
    choose_k,
    find_neighbors,
    majority,
    scored,
    stratified,
    vote,
)
from ibc_report.evaluation.audit.groups import SharedGroups, shared_groups
from ibc_report.evaluation.audit.joint_split import Splits
from ibc_report.evaluation.audit.leakage import Closeness, Leakage, NearestRows, find_leaks, texts_of
from ibc_report.evaluation.audit.learning_curves import KnownNeighbors, LabelledPoints, LearningCurve, learning_curves
from ibc_report.evaluation.audit.linear_probe import MOST_ROWS, Features, features_of, fit_probe
from ibc_report.evaluation.audit.memorization import FreeBits, entropy_bits, free_bits, memorised_bits
from ibc_report.evaluation.audit.ngram_overlap import overlap
from ibc_report.evaluation.audit.shortcuts import Nuisance, Shortcut, collect, predict_from, probe_shortcuts
from ibc_report.evaluation.audit.target_leakage import TargetLeak, target_leaks
from ibc_report.evaluation.statistics.resolution import Resolution, WidthCurve, precision, width_curve
from ibc_report.geometry import DEFAULT_MEMORY, NeighborGraph, Points
from ibc_report.geometry.radius import norms

__all__ = ["Classes", "Memory", "SplitAudit", "SplitRows", "TrainGeometry", "audit"]

MOST_COST = 5e12
"""Test rows × training rows × features up to which every test row is asked: some minutes on one core."""

SAMPLED = 10_000
"""Test rows that are asked beyond that, and that shortcuts are scored on; rows that repeat a training row are not."""

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Memory:
    """Bits of the labels of both splits.

    Parameters
    ----------
    train, test : tuple of float
        n·log2 k and n·H(Y) of each split.
    free : FreeBits or None
        What the training rows leave free of a function on all possible inputs; None where these are not finite.
    """

    train: tuple[float, float]
    test: tuple[float, float]
    free: FreeBits | None


@dataclass(frozen=True, slots=True)
class Classes:
    """What only a task with classes has.

    Parameters
    ----------
    widths : WidthCurve
        Of its interval, against the number of examples.
    baselines : tuple of Baseline
        The majority class first.
    unseen : int
        Test rows of classes that the training split lacks.
    curves : tuple of LearningCurve
        Of 1-NN and the linear probe; empty where the training rows are too few.
    groups : tuple of SharedGroups
        Columns whose groups both splits share.
    cleaned : tuple of (CorrectAnswers or None)
        1-NN on the test rows that were asked, on those that repeat no training row exactly, and on those of
        them that did not leak otherwise; None where no row is left.
    """

    precision: Resolution
    widths: WidthCurve
    baselines: tuple[Baseline, ...]
    unseen: int
    curves: tuple[LearningCurve, ...]
    shortcuts: tuple[Shortcut, ...]
    groups: tuple[SharedGroups, ...]
    cleaned: tuple[CorrectAnswers | None, CorrectAnswers | None, CorrectAnswers | None]
    memory: Memory


@dataclass(frozen=True, slots=True, eq=False)
class SplitAudit:
    """What was found of a test split.

    Parameters
    ----------
    dimension : float
        Intrinsic dimension of the training split.
    classes : Classes or None
        None for a regression.
    """

    splits: Splits
    dimension: float
    asked: int
    leakage: Leakage
    target_leaks: tuple[TargetLeak, ...]
    classes: Classes | None


@dataclass(frozen=True, slots=True)
class SplitRows:
    """All columns of both splits, as they were read."""

    train: Rows
    test: Rows


@dataclass(frozen=True, slots=True)
class TrainGeometry:
    """What was measured of the training split by itself.

    Parameters
    ----------
    dimension : float
        Intrinsic dimension.
    tolerance : float
        Of a regression: targets that differ by more are different.
    graph : NeighborGraph or None
        The neighbours of its distinct points; None where they were not sought.
    """

    dimension: float
    tolerance: float = 0.0
    graph: NeighborGraph | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """Both splits as points, the test rows that were asked for their neighbours, and what they found."""

    splits: Splits
    rows: SplitRows
    train: Points
    test: Points
    positions: _Ints
    near: SplitNeighbors


def audit(
    splits: Splits,
    rows: SplitRows,
    geometry: TrainGeometry,
    *,
    seed: int = 0,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = silent,
) -> SplitAudit:
    """Measure what a score on a test split can tell.

    Parameters
    ----------
    memory : int
        Bytes that a search may take.

    Raises
    ------
    DataError
        If the test split has one class only.
    """
    train, test = splits.train, splits.test
    if test.codes is not None and len(np.unique(test.codes)) < 2:
        raise DataError(
            f"{test.origin.source}: all rows of split '{test.origin.split}' are of class "
            f"'{splits.names[test.codes[0]]}', so a score on it tells nothing"
        )
    train_points, test_points = _points(train), _points(test)
    cost = float(len(train_points)) * len(test_points) * train_points.dimension
    most = SAMPLED if cost > MOST_COST else None
    asked = np.searchsorted(test_points.rows, sampling.chosen(test_points.rows, most, seed))
    queries = test_points if most is None else test_points.take(asked)
    near = find_neighbors(
        train_points,
        queries,
        known=geometry.graph,
        seed=seed,
        memory=memory,
        progress=lambda done: progress(0.4 * done),
    )
    rounding = train.encoded.rounding * norms(train_points).radius
    leaks = find_leaks(
        train,
        test,
        NearestRows(asked, near.positions[:, 0], near.found.distances, near.own.distances),
        Closeness(rounding, geometry.tolerance),
        overlap=overlap(texts_of(test), texts_of(train)) if train.encoded.name == "text" else None,
        known=splits.known,
    )
    progress(0.5)
    classes = None
    if train.codes is not None:
        found = _Asked(splits, rows, train_points, test_points, asked, near)
        classes = _classes(found, leaks, seed, memory, lambda done: progress(0.5 + 0.5 * done))
    progress(1.0)
    given = target_leaks(train, test, seed=seed)
    return SplitAudit(splits, geometry.dimension, len(asked), leaks, given, classes)


def _points(examples: Examples) -> Points:
    return Points(examples.encoded.vectors, examples.encoded.unit, examples.encoded.rows)


def _classes(found: _Asked, leaks: Leakage, seed: int, memory: int, progress: Progress) -> Classes:
    splits, near, asked = found.splits, found.near, found.positions
    codes, truth, known = splits.train.codes, splits.test.codes, splits.known.codes
    assert codes is not None
    assert known is not None
    assert truth is not None
    train, test = LabelledPoints(found.train, codes), LabelledPoints(found.test, truth)
    features = features_of(train.points, seed)
    learned = np.searchsorted(train.points.rows, sampling.chosen(train.points.rows, MOST_ROWS, seed))
    # a row that was seen in training would be known by whatever is its own
    new = test.points.rows[~leaks.exact]
    probed = np.searchsorted(test.points.rows, sampling.chosen(new, SAMPLED, seed))
    nuisances = collect(splits, found.rows.train, found.rows.test, learned, probed) if len(new) else ()
    progress(0.2)
    baselines = (
        *_trivial(codes, truth),
        *_neighbors(near, codes, truth[asked]),
        *_linear(train, test, features, learned, asked),
        *_metadata(nuisances, codes[learned], truth[probed]),
    )
    progress(0.3)
    curves = learning_curves(
        train,
        test,
        features,
        KnownNeighbors(asked, near.positions),
        seed=seed,
        memory=memory,
        progress=lambda done: progress(0.3 + 0.7 * done),
    )
    right = codes[near.positions[:, 0]] == truth[asked]
    kept = [np.ones(len(asked), dtype=bool), ~leaks.exact[asked], ~(leaks.exact | leaks.leaked)[asked]]
    every, not_exact, clean = (
        CorrectAnswers(int(np.count_nonzero(right & keep)), int(np.count_nonzero(keep))) if keep.any() else None
        for keep in kept
    )
    return Classes(
        precision=precision(len(truth)),
        widths=width_curve(len(truth)),
        baselines=baselines,
        unseen=int(np.count_nonzero(~np.isin(truth, known))),
        curves=curves,
        shortcuts=probe_shortcuts(nuisances, codes[learned], truth[probed]),
        groups=shared_groups(splits.train, splits.test, (found.rows.train, found.rows.test), learned, probed)
        if len(new)
        else (),
        cleaned=(every, not_exact, clean),
        memory=Memory(_bits(codes), _bits(truth), free_bits(splits)),
    )


def _bits(codes: _Ints) -> tuple[float, float]:
    counts = np.bincount(codes)
    return memorised_bits(len(codes), int(np.count_nonzero(counts))), entropy_bits(counts)


def _base(codes: _Ints, truth: _Ints) -> CorrectAnswers:
    return scored(np.full(len(truth), majority(codes)), truth)


def _trivial(codes: _Ints, truth: _Ints) -> tuple[Baseline, ...]:
    base = _base(codes, truth)
    return (Baseline.of("majority", base, base), Baseline.of("stratified", stratified(codes, truth), base))


def _neighbors(near: SplitNeighbors, codes: _Ints, truth: _Ints) -> tuple[Baseline, ...]:
    base, labels = _base(codes, truth), codes[near.positions]
    k = choose_k(near, codes)
    return (
        Baseline.of("nearest", scored(vote(labels, 1), truth), base),
        Baseline.of("neighbors", scored(vote(labels, k), truth), base, NeighborVotes(k, len(near.own_rows))),
    )


def _linear(
    train: LabelledPoints, test: LabelledPoints, features: Features, learned: _Ints, asked: _Ints
) -> tuple[Baseline, ...]:
    codes, truth = train.codes, test.codes[asked]
    probe = fit_probe(features.of(train.points, learned), codes[learned], standardise=features.standardise)
    found = scored(probe.predict(features.of(test.points, asked)), truth)
    components = None if features.directions is None else features.directions.shape[1]
    made = ProbeRows(len(learned), len(learned) == len(codes), components)
    return (Baseline.of("linear", found, _base(codes, truth), made),)


def _metadata(nuisances: tuple[Nuisance, ...], codes: _Ints, truth: _Ints) -> tuple[Baseline, ...]:
    used = [nuisance for nuisance in nuisances if nuisance.is_metadata]
    if not used:
        return ()
    train, test = (np.hstack(parts) for parts in zip(*((one.train, one.test) for one in used), strict=True))
    found = scored(predict_from(train, codes, test), truth)
    return (Baseline.of("metadata", found, _base(codes, truth), tuple(one.name for one in used)),)
