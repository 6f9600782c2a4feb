"""Which projection to search with, chosen from a sample so that the expected time is least.

The choice never changes an answer: any projection bounds every distance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu

from ibc_report.geometry.points import Points
from ibc_report.geometry.projection import Projection, largest_coordinate, scale_for
from ibc_report.geometry.threads import single_blas

# Sizes worth trying: each costs a third or half more than the one before.
SIZES = (8, 12, 16, 20, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 256)
# The margin lies far below other distances, and few axes tell them apart.
MOST_FOR_MARGIN = 64
# Rows from which the axes are learned, held as float32: at most 64 MB.
SAMPLE_ROWS = 4096
SAMPLE_ELEMENTS = 2**24
# Rows of the sample that play queries, against the rest of it.
SAMPLE_QUERIES = 128
# Rows of the sample among which all pairs are looked at for the margin.
SAMPLE_PAIR_ROWS = 1024
# The margin of the whole is extrapolated from this many smallest distances of the sample.
EXTRAPOLATION_RANK = 50
# Neighbours of each query, at least, from which the growth of counts with the radius is taken.
DIMENSION_RANK = 10
# Stands for squared distances of zero where their logarithms are taken.
TINY = np.float32(1e-30)
# Pairs measured for each that survives: some are before the limits have fallen.
EARLY = 1.4
# Columns beyond SIZES that a randomised basis carries so that the last of them come out right.
OVERSAMPLING = 16
POWER_ITERATIONS = 2
# Up to this many times the axes wanted, a full eigendecomposition takes less than the randomised one.
EIGH_RATIO = 4
# Each step squares the error: 1e-5, 1e-10, 1e-20.
NEWTON_STEPS = 3
# Nanoseconds, measured on two cores (AVX-512); only their ratios matter.
PAIR_COST, PAIR_COLUMN_COST = 0.40, 0.0068
EXACT_COST, EXACT_COLUMN_COST = 300.0, 0.90
EXACT_FLOAT_COLUMN_COST = 2.5
PROJECTION_COLUMN_COST, PROJECTION_PRODUCT_COST = 0.7, 0.014
# Below this much work, in multiplications, a plain product ends before a sample is drawn.
SMALL_WORK = 2**29


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A sample in the coordinates of its leading axes.

    Parameters
    ----------
    centre
        Shape (D,), the mean of the sample.
    scale
        What brings the norm of any centred vector to at most 1.
    indices
        Shape (m,), positions of the sample in its points.
    vectors
        Shape (m, D), float32, centred and scaled.
    axes
        Shape (D, p), orthonormal, by falling variance; p is the largest size worth trying.
    """

    centre: NDArray[np.float64]
    scale: float
    indices: NDArray[np.int64]
    vectors: NDArray[np.float32]
    axes: NDArray[np.float64]

    @classmethod
    def of(cls, points: Points, most: int) -> Sample:
        """Draw a sample and find at most ``most`` of its axes."""
        rng = np.random.default_rng(0)
        size = min(len(points), SAMPLE_ROWS, max(2, SAMPLE_ELEMENTS // points.dimension))
        scale = scale_for(largest_coordinate(points), points.dimension)
        chosen = rng.choice(len(points), size, replace=False)
        raw = points.read(chosen)
        centre = raw.mean(axis=0, dtype=np.float64)
        vectors = raw.astype(np.float32) if raw.dtype == np.uint8 else raw
        vectors = ((vectors - centre.astype(vectors.dtype)) * vectors.dtype.type(scale)).astype(np.float32)
        return cls(centre, scale, chosen, vectors, _axes(vectors, most, rng))


def _axes(vectors: NDArray[np.float32], most: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the leading principal axes, orthonormal in float64."""
    dimension = vectors.shape[1]
    wanted = min(dimension, most)
    if dimension <= EIGH_RATIO * wanted:
        basis = np.linalg.eigh(vectors.T @ vectors)[1][:, ::-1][:, :wanted]
    else:
        basis = rng.standard_normal((dimension, min(dimension, wanted + OVERSAMPLING)), np.float32)
        for _ in range(POWER_ITERATIONS):
            basis = lu(vectors.T @ (vectors @ basis), permute_l=True, check_finite=False)[0]
        basis = np.linalg.qr(basis)[0]
        seen = vectors @ basis
        basis = basis @ np.linalg.eigh(seen.T @ seen)[1][:, ::-1][:, :wanted]
    return _orthonormal(basis.astype(np.float64))


def _orthonormal(basis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make columns that are orthonormal in float32 so in float64, by Newton-Schulz steps: faster than QR."""
    for _ in range(NEWTON_STEPS):
        basis = basis @ (1.5 * np.eye(basis.shape[1]) - 0.5 * (basis.T @ basis))
    return basis


def _squares(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the squared distances between two sets of rows, to float32 rounding."""
    result = left @ right.T
    result *= -2
    result += np.einsum("ij,ij->i", left, left)[:, None]
    result += np.einsum("ij,ij->i", right, right)
    return result


def _bounds(
    left: NDArray[np.float32], right: NDArray[np.float32], axes: NDArray[np.float64]
) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Yield each size worth trying with the squared bounds between two parts of a sample."""
    single = axes.astype(np.float32)
    a, b = left @ single, right @ single
    rests = [np.einsum("ij,ij->i", part, part) for part in (left, right)]
    inside = np.zeros((len(a), len(b)), np.float32)
    last = 0
    for size in SIZES:
        if size > axes.shape[1] or size >= left.shape[1]:
            return
        parts = a[:, last:size], b[:, last:size]
        inside += _squares(*parts)
        rests = [rest - np.einsum("ij,ij->i", part, part) for rest, part in zip(rests, parts, strict=True)]
        roots = [np.sqrt(np.maximum(rest, 0)) for rest in rests]
        yield size, inside + np.square(roots[0][:, None] - roots[1])
        last = size


def _cheapest(
    points: Points,
    sample: Sample,
    pairs: float,
    projected: int,
    survivors: Iterator[tuple[int, float]],
    plain: float,
) -> Projection:
    """Return the projection of least expected time, given how many pairs survive at each rising size."""
    dimension = points.dimension
    exact_column = EXACT_COLUMN_COST if points.vectors.dtype == np.uint8 else EXACT_FLOAT_COLUMN_COST
    exact = EXACT_COST + exact_column * dimension

    def fixed(columns: int, size: int) -> float:
        bounds = pairs * (PAIR_COST + PAIR_COLUMN_COST * columns)
        return bounds + projected * dimension * (PROJECTION_COLUMN_COST + PROJECTION_PRODUCT_COST * size)

    best, least = None, fixed(dimension + 2, 0) + exact * plain
    for size, count in survivors:
        if fixed(size + 3, size) >= least:
            break
        cost = fixed(size + 3, size) + exact * count
        if cost < least:
            best, least = size, cost
    basis = None if best is None else np.ascontiguousarray(sample.axes[:, :best])
    return Projection(sample.centre, sample.scale, basis)


def plain_projection(points: Points) -> Projection:
    """Return the projection that keeps every coordinate, for sets too small to plan for."""
    largest = largest_coordinate(points)
    centre = points.raw.mean(axis=0, dtype=np.float64) if len(points) else np.zeros(points.dimension)
    return Projection(centre, scale_for(largest, points.dimension), None)


def plan_search(points: Points, queries: int, k: int, nearest: int) -> Projection:
    """Choose the projection for the k nearest of each query.

    Parameters
    ----------
    points
        The references.
    queries
        How many queries there will be.
    k
        How many neighbours of each.
    nearest
        How many single neighbours besides (of another class, of the same class).
    """
    if len(points) * queries * points.dimension <= SMALL_WORK:
        return plain_projection(points)
    with single_blas():
        return _plan_search(points, queries, k, nearest)


def _plan_search(points: Points, queries: int, k: int, nearest: int) -> Projection:
    sample = Sample.of(points, max(SIZES))
    left, right = sample.vectors[:SAMPLE_QUERIES], sample.vectors[SAMPLE_QUERIES:]
    # The k-th distance among all points, from those of the sample: counts grow as a power of the radius.
    squares = _squares(left, right)
    ranks = min(max(k, DIMENSION_RANK), squares.shape[1])
    near = np.maximum(np.sort(np.partition(squares, ranks - 1, axis=1)[:, :ranks], axis=1), TINY)
    steps = float(np.log(near[:, -1:] / near[:, :-1]).mean())
    share = squares.shape[1] / len(points)
    limit = near[:, min(k, ranks) - 1 : min(k, ranks)] * np.float32(share**steps)
    many = queries * (EARLY + nearest / 4)
    bounds = _bounds(left, right, sample.axes)
    scale = many / share / len(left)
    survivors = ((size, scale * np.count_nonzero(bound <= limit)) for size, bound in bounds)
    projected = len(points) + queries
    return _cheapest(points, sample, queries * len(points), projected, survivors, many * (k + 1))


def plan_margin(points: Points, pairs: float) -> Projection:
    """Choose the projection for the smallest distance of ``pairs`` pairs of different classes."""
    assert points.labels is not None
    if pairs * points.dimension <= SMALL_WORK:
        return plain_projection(points)
    with single_blas():
        return _plan_margin(points, pairs)


def _plan_margin(points: Points, pairs: float) -> Projection:
    assert points.labels is not None
    sample = Sample.of(points, MOST_FOR_MARGIN)
    part = sample.vectors[:SAMPLE_PAIR_ROWS]
    labels = points.labels[sample.indices[:SAMPLE_PAIR_ROWS]]
    differ = labels[:, None] < labels
    limit = _extrapolated(_squares(part, part)[differ], pairs)
    bounds = _bounds(part, part, sample.axes)
    # Scattered pairs share no query, and cost twice what the candidates of one query do.
    share = 2 * pairs / max(1, int(differ.sum()))
    survivors = ((size, share * np.count_nonzero(differ & (bound <= limit))) for size, bound in bounds)
    return _cheapest(points, sample, pairs, len(points), survivors, 1.0)


def _extrapolated(squares: NDArray[np.float32], pairs: float) -> float:
    """Guess the smallest squared distance of ``pairs`` pairs from the smallest few of a sample of them."""
    if len(squares) <= EXTRAPOLATION_RANK:
        return math.inf
    few = np.sort(np.partition(squares, EXTRAPOLATION_RANK)[: EXTRAPOLATION_RANK + 1])
    first, last = float(few[0]), float(few[-1])
    if first <= 0 or first == last:
        return max(first, 0.0)
    # Pairs within r grow as a power of r: here as a power of the squared distance.
    power = math.log(len(few)) / math.log(last / first)
    guess: float = min(first, last * (len(squares) / (len(few) * pairs)) ** (1 / power))
    # The guess is off by a third either way. Too few axes cost far more than too many: lean to the first.
    return float(guess ** (2 / 3) * first ** (1 / 3))
