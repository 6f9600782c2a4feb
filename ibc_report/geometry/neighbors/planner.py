"""Which projection to search with, chosen from a sample so that the expected time is least.

The choice never changes an answer: any projection bounds every distance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu

from ibc_report.common.resources import single_blas, slices
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.projection import (
    BLOCK_ELEMENTS,
    SLACK,
    WHOLE_32,
    WHOLE_64,
    Projection,
    Real,
    largest_coordinate,
    product_allowance,
    scale_for,
)

# Sizes worth trying: each costs a third or half more than the one before.
SIZES = (8, 12, 16, 20, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 256)

# The margin lies far below other distances, and few axes tell them apart.
MOST_FOR_MARGIN = 64

# Rows from which the axes are learned: at most 64 MB of float32, and twice as much for float64 vectors.
SAMPLE_ROWS = 4096

SAMPLE_ELEMENTS = 2**24

# Rows of the sample that play queries, against the rest of it: at most half of it, and none of a few rows.
SAMPLE_QUERIES = 128

SMALLEST_SAMPLE = 32

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

# Nanoseconds, measured on two cores (AVX2, where wide products cost most); only their ratios matter.
PAIR_COST, PAIR_COLUMN_COST = 0.40, 0.012

EXACT_PIXEL_COST, EXACT_PIXEL_COLUMN_COST = 100.0, 0.70

EXACT_COST, EXACT_COLUMN_COST = 300.0, 2.5

PROJECTION_COLUMN_COST, PROJECTION_PRODUCT_COST = 0.7, 0.025

GRAM_COST, EIGH_COST, BASIS_COST = 0.01, 0.25, 0.17

# What a pair costs more in float64.
DOUBLE = 2.0

# Below this much work, in multiplications, a plain product ends before a sample is drawn; and so many pairs may
# all be measured.
SMALL_WORK = 2**29

SMALL_PAIRS = 2**20


@dataclass(frozen=True, eq=False)
class PlanningSample:
    """A sample, and its leading axes, which are learned where they are asked for.

    Parameters
    ----------
    centre
        Shape (D,), the mean of the sample.
    scale
        What brings the norm of any centred vector to at most 1.
    indices
        Shape (m,), positions of the sample in its points.
    vectors
        Shape (m, D), centred and scaled: float32 for pixels, float64 else.
    most
        Axes that are worth trying.
    rng
        Draws what the axes are sought from.
    """

    centre: NDArray[np.float64]
    scale: float
    indices: NDArray[np.int64]
    vectors: Real
    most: int
    rng: np.random.Generator

    @cached_property
    def axes(self) -> NDArray[np.float64]:
        """Shape (D, p), orthonormal, by falling variance."""
        return _axes(self.vectors.astype(np.float32, copy=False), self.most, self.rng)

    @property
    def axes_cost(self) -> float:
        """Nanoseconds that learning the axes takes."""
        size, dimension = self.vectors.shape
        wanted = min(size, dimension, self.most)
        if dimension <= EIGH_RATIO * wanted:
            return float((GRAM_COST * size + EIGH_COST * dimension) * dimension**2)
        return float(BASIS_COST * size * dimension * (wanted + OVERSAMPLING))

    @classmethod
    def of(cls, points: Points, most: int, queries: Points | None = None) -> PlanningSample:
        """Draw a sample; the scale is that of the queries too."""
        rng = np.random.default_rng(0)
        size = min(len(points), SAMPLE_ROWS, max(2, SAMPLE_ELEMENTS // points.dimension))
        scale = scale_for(_largest(points, queries), points.dimension)
        chosen = rng.choice(len(points), size, replace=False)
        raw = points.read(chosen)
        centre = raw.mean(axis=0, dtype=np.float64)
        vectors = raw.astype(np.float32) if raw.dtype == np.uint8 else raw
        vectors -= centre.astype(vectors.dtype)
        vectors *= vectors.dtype.type(scale)
        return cls(centre, scale, chosen, vectors, most, rng)


def _axes(vectors: NDArray[np.float32], most: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the leading principal axes, orthonormal in float64."""
    dimension = vectors.shape[1]
    wanted = min(*vectors.shape, most)
    if dimension <= EIGH_RATIO * wanted:
        basis = np.linalg.eigh(vectors.T @ vectors)[1][:, ::-1][:, :wanted]
    else:
        basis = rng.standard_normal((dimension, min(*vectors.shape, wanted + OVERSAMPLING)), np.float32)
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


def _squares(left: Real, right: Real) -> Real:
    """Return the squared distances between two sets of rows, to their rounding."""
    result: Real = left @ right.T
    result *= -2
    result += np.einsum("ij,ij->i", left, left)[:, None]
    result += np.einsum("ij,ij->i", right, right)
    return result


def _norms(left: Real, right: Real) -> Real:
    """Return the sum of the squared norms of each pair of rows: what rounding is a part of."""
    first, second = (np.einsum("ij,ij->i", part, part) for part in (left, right))
    return np.asarray(first[:, None] + second)


def _bounds(left: Real, right: Real, axes: NDArray[np.float64]) -> Iterator[tuple[int, Real]]:
    """Yield each size worth trying with the squared bounds between two parts of a sample."""
    single = axes.astype(left.dtype)
    a, b = left @ single, right @ single
    rests = [np.einsum("ij,ij->i", part, part) for part in (left, right)]
    inside = np.zeros((len(a), len(b)), left.dtype)
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


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """Pairs of a sample that stand for all pairs of a search.

    Parameters
    ----------
    left, right
        Shapes (a, D) and (b, D), rows of the sample.
    counted
        Shape (a, b), or True: which pairs are pairs of the search.
    limit
        Squared distance within which they matter; broadcasts to (a, b).
    weight
        Pairs of the search, measured or dropped later, for each of the sample that survives.
    least
        Pairs that are measured in any case.
    """

    left: Real
    right: Real
    counted: NDArray[np.bool_] | bool
    limit: Real | float
    weight: float
    least: float

    def survivors(self, sample: PlanningSample) -> Iterator[tuple[int, float]]:
        """Yield each size worth trying with how many pairs its bound leaves."""
        norms = _norms(self.left, self.right)
        for size, bounds in _bounds(self.left, self.right, sample.axes):
            within = bounds <= self.limit + product_allowance(size + 3, double=False) * norms
            yield size, self.weight * np.count_nonzero(within & self.counted)

    def plain(self, *, double: bool) -> float:
        """Return how many pairs the product of all coordinates leaves."""
        allowance = product_allowance(self.left.shape[1] + 2, double=double)
        limit = self.limit * (1 + SLACK) + allowance * _norms(self.left, self.right)
        count = np.count_nonzero((_squares(self.left, self.right) <= limit) & self.counted)
        return max(self.least, self.weight * count)


def _cheapest(
    points: Points, queries: Points, sample: PlanningSample, trial: Trial, pairs: float, projected: int
) -> Projection:
    """Return the projection of least expected time."""
    dimension = points.dimension
    if points.vectors.dtype == np.uint8:
        exact = EXACT_PIXEL_COST + EXACT_PIXEL_COLUMN_COST * dimension
    else:
        exact = EXACT_COST + EXACT_COLUMN_COST * dimension

    def fixed(columns: int, size: int) -> float:
        bounds = pairs * (PAIR_COST + PAIR_COLUMN_COST * columns)
        return bounds + projected * dimension * (PROJECTION_COLUMN_COST + PROJECTION_PRODUCT_COST * size)

    best: int | None = None
    least = fixed(dimension + 2, 0) + exact * trial.plain(double=False)
    # where a plain product ends before the axes are learned, they cannot pay
    for size, count in trial.survivors(sample) if least > sample.axes_cost else ():
        if fixed(size + 3, size) >= least:
            break
        cost = fixed(size + 3, size) + exact * count
        if cost < least:
            best, least = size, cost
    double = DOUBLE * fixed(dimension + 2, 0)
    if double + exact * trial.least < least:
        whole = whole_projection(points, queries)
        if whole is not None:
            return whole
        if points.vectors.dtype != np.uint8 and double + exact * trial.plain(double=True) < least:
            return Projection(sample.centre, sample.scale, None, double=True)
    basis = None if best is None else np.ascontiguousarray(sample.axes[:, :best])
    return Projection(sample.centre, sample.scale, basis)


def _largest(points: Points, queries: Points | None) -> float:
    """Return the largest magnitude of any coordinate of both sets."""
    largest = largest_coordinate(points)
    return largest if queries is None or queries is points else max(largest, largest_coordinate(queries))


def plain_projection(points: Points, queries: Points | None = None) -> Projection:
    """Return the projection that keeps every coordinate, for sets too small to plan for."""
    largest = _largest(points, queries)
    total = np.zeros(points.dimension)
    for part in slices(len(points), max(1, BLOCK_ELEMENTS // points.dimension)):
        total += points.raw[part].sum(axis=0, dtype=np.float64)
        points.release()
    centre = total / max(1, len(points))
    return Projection(centre, scale_for(largest, points.dimension), None)


def whole_projection(points: Points, queries: Points) -> Projection | None:
    """Return the projection whose products are squared distances, or None where coordinates do not allow it.

    They do where all are whole numbers, and every sum of their products, in whatever order, is exact.
    """
    low, high = math.inf, -math.inf
    for one in (points,) if queries is points else (points, queries):
        for part in slices(len(one), max(1, BLOCK_ELEMENTS // one.dimension)):
            block = one.raw[part]
            if block.dtype != np.uint8 and not np.array_equal(block, np.rint(block)):
                return None
            low, high = min(low, float(block.min())), max(high, float(block.max()))
            one.release()
    centre = math.floor((low + high) / 2)
    extent = max(high - centre, centre - low)
    # of both norms and twice the product, in magnitude
    largest = 4 * points.dimension * min(extent, WHOLE_64) ** 2
    if not largest <= WHOLE_64:
        return None
    double = largest > WHOLE_32
    return Projection(np.full(points.dimension, float(centre)), 1.0, None, double=double, whole=True, extent=extent)


def plan_search(points: Points, queries: Points, k: int, nearest: int) -> Projection:
    """Choose the projection for the k nearest of each query.

    Parameters
    ----------
    nearest
        How many single neighbours besides (of another class, of the same class).
    """
    pairs = len(points) * len(queries)
    if len(points) < SMALLEST_SAMPLE or (pairs <= SMALL_PAIRS and pairs * points.dimension <= SMALL_WORK):
        return plain_projection(points, queries)
    with single_blas():
        return _plan_search(points, queries, k, nearest)


def _plan_search(points: Points, queries: Points, k: int, nearest: int) -> Projection:
    sample = PlanningSample.of(points, max(SIZES), queries)
    size = len(sample.vectors)
    if size < SMALLEST_SAMPLE:
        return Projection(sample.centre, sample.scale, None)
    cut = min(SAMPLE_QUERIES, size // 2)
    left, right = sample.vectors[:cut], sample.vectors[cut:]
    # The k-th distance among all points, from those of the sample: counts grow as a power of the radius.
    squares = _squares(left, right)
    ranks = min(max(k, DIMENSION_RANK), squares.shape[1])
    near = np.maximum(np.sort(np.partition(squares, ranks - 1, axis=1)[:, :ranks], axis=1), TINY)
    steps = float(np.log(near[:, -1:] / near[:, :-1]).mean())
    share = squares.shape[1] / len(points)
    limit = near[:, min(k, ranks) - 1 : min(k, ranks)] * near.dtype.type(share**steps)
    many = len(queries) * (EARLY + nearest / 4)
    trial = Trial(left, right, True, limit, many / share / len(left), many * (k + 1))
    return _cheapest(points, queries, sample, trial, len(queries) * len(points), len(points) + len(queries))


def plan_margin(points: Points, pairs: float) -> Projection:
    """Choose the projection for the smallest distance of ``pairs`` pairs of different classes."""
    assert points.labels is not None
    if pairs <= SMALL_PAIRS and pairs * points.dimension <= SMALL_WORK:
        return plain_projection(points)
    with single_blas():
        return _plan_margin(points, pairs)


def _plan_margin(points: Points, pairs: float) -> Projection:
    assert points.labels is not None
    sample = PlanningSample.of(points, MOST_FOR_MARGIN)
    part = sample.vectors[:SAMPLE_PAIR_ROWS]
    labels = points.labels[sample.indices[:SAMPLE_PAIR_ROWS]]
    differ = labels[:, None] < labels
    limit = _extrapolated(_squares(part, part)[differ], pairs)
    # Scattered pairs share no query, and cost twice what the candidates of one query do.
    weight = 2 * pairs / max(1, int(differ.sum()))
    return _cheapest(points, points, sample, Trial(part, part, differ, limit, weight, 1.0), pairs, len(points))


def _extrapolated(squares: Real, pairs: float) -> float:
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
