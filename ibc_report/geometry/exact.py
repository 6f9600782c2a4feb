"""Exact distances of given pairs, the same bytes whatever the batch, the machine or its vector unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.points import Points

# With 128 subtracted a product of two pixels is at most 2**14, so that every partial sum of 1024 of them, in
# whatever order, is an integer of at most 2**24: float32 holds all of these, and a float32 BLAS is exact.
EXACT_COLUMNS = 1024
# Elements of one gathered batch: two of them in float32 fit in an L2 cache of 1 MB or more.
BATCH_ELEMENTS = 2**17
# A batch that spans at most this many queries is one small GEMM (whose unwanted entries are dropped);
# otherwise it is one dot product for each pair.
GEMM_QUERIES = 12
# Sums of squares outside this range may have lost squares to underflow or overflow, and are redone scaled.
SAFE_SQUARES = (2.0**-900, 2.0**1000)


def batch_size(count: int, dimension: int) -> int:
    """Return how many pairs make a batch.

    Examples
    --------
    >>> batch_size(1000, 784)
    167
    """
    return max(1, min(count, max(8, BATCH_ELEMENTS // dimension)))


def batches(count: int, dimension: int) -> Iterator[slice]:
    """Yield slices of pairs whose vectors fit the cache.

    Examples
    --------
    >>> list(batches(3, 2**16))
    [slice(0, 3, None)]
    """
    size = batch_size(count, dimension)
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def sum_by_halving(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum each column of ``values`` (D, m), which it overwrites, by adding its lower half to its upper half.

    Only elementwise additions occur, and their order depends on D alone. ``np.sum`` and ``np.einsum`` promise
    no such order: it changes with the vector unit.

    Examples
    --------
    >>> sum_by_halving(np.array([[1.0], [2.0], [4.0]]))
    array([7.])
    """
    size = len(values)
    while size > 1:
        half = (size + 1) // 2
        values[: size - half] += values[half:size]
        size = half
    return values[0]


def _norms_of_differences(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Euclidean norm of each row of ``differences`` (m, D), free of overflow and underflow."""
    columns = np.ascontiguousarray(differences.T)
    squares: NDArray[np.float64] = np.square(columns)
    total = sum_by_halving(squares)
    result: NDArray[np.float64] = np.sqrt(total)
    low, high = SAFE_SQUARES
    unsafe = np.flatnonzero(~((total >= low) & (total <= high)))
    if len(unsafe):
        columns = columns[:, unsafe]
        exponents = np.frexp(np.abs(columns).max(axis=0))[1]
        scaled = np.ldexp(columns, -exponents)
        result[unsafe] = np.ldexp(np.sqrt(sum_by_halving(np.square(scaled))), exponents)
    return result


def centre_pixels(vectors: NDArray[np.uint8], out: NDArray[np.float32]) -> None:
    """Write pixels less 128 to ``out``, and overwrite ``vectors`` with the same in int8.

    Examples
    --------
    >>> out = np.empty(3, np.float32)
    >>> centre_pixels(np.array([0, 128, 255], np.uint8), out)
    >>> out
    array([-128.,    0.,  127.], dtype=float32)
    """
    np.bitwise_xor(vectors, np.uint8(0x80), out=vectors)
    np.copyto(out, vectors.view(np.int8))


def centred_norms(vectors: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the squared norm of each row of pixels less 128, exact integers.

    Examples
    --------
    >>> centred_norms(np.array([[0, 130]], np.uint8))
    array([16388.])
    """
    result = np.zeros(len(vectors))
    for batch in batches(len(vectors), vectors.shape[1]):
        block = np.empty(vectors[batch].shape, np.float32)
        centre_pixels(vectors[batch].copy(), block)
        for start in range(0, vectors.shape[1], EXACT_COLUMNS):
            part = block[:, start : start + EXACT_COLUMNS]
            result[batch] += np.vecdot(part, part)
    return result


@dataclass(frozen=True, slots=True, eq=False)
class _PixelBuffers:
    """Scratch for one batch: fresh arrays of this size cost a page fault for every 4 KB."""

    pixels: NDArray[np.uint8]
    left: NDArray[np.float32]
    right: NDArray[np.float32]

    @classmethod
    def of(cls, size: int, dimension: int) -> _PixelBuffers:
        shape = (size, dimension)
        return cls(np.empty(shape, np.uint8), np.empty(shape, np.float32), np.empty(shape, np.float32))

    def gather(
        self, vectors: NDArray[np.uint8], at: NDArray[np.int64], out: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        pixels, result = self.pixels[: len(at)], out[: len(at)]
        # Positions are valid; without a mode "take" would first copy its output.
        np.take(vectors, at, axis=0, out=pixels, mode="clip")
        centre_pixels(pixels, result)
        return result


@dataclass(frozen=True, slots=True)
class PairDistances:
    """Distances between queries and references, by pairs of positions.

    The distance of uint8 rows is ``sqrt(d2) * unit`` with d2 an exact integer. The distance of float64 rows
    is ``sqrt(sum((a - b)**2)) * unit`` summed in one fixed order; it is zero only for equal rows.
    """

    queries: Points
    references: Points
    query_norms: NDArray[np.float64] | None
    reference_norms: NDArray[np.float64] | None

    @classmethod
    def between(cls, queries: Points, references: Points) -> PairDistances:
        """Prepare the distances between two sets.

        Raises
        ------
        ValueError
            If the sets differ in dimension, type or unit.
        """
        if queries.dimension != references.dimension:
            raise ValueError(f"queries have {queries.dimension} features, references {references.dimension}")
        if queries.vectors.dtype != references.vectors.dtype or queries.unit != references.unit:
            raise ValueError("queries and references differ in type or unit")
        if queries.vectors.dtype != np.uint8:
            return cls(queries, references, None, None)
        norms: Any = centred_norms(references.raw)
        same = queries is references
        return cls(queries, references, norms if same else centred_norms(queries.raw), norms)

    def __call__(self, query: NDArray[np.int64], reference: NDArray[np.int64], /) -> NDArray[np.float64]:
        """Return the distance of each pair, in true units.

        Parameters
        ----------
        query, reference
            Shape (m,), positions in the two sets; fastest where ``query`` ascends.

        Returns
        -------
        NDArray
            Shape (m,), float64.
        """
        result = np.empty(len(query))
        dimension = self.references.dimension
        buffers = None
        if self.query_norms is not None:
            buffers = _PixelBuffers.of(batch_size(len(query), dimension), dimension)
        for batch in batches(len(query), dimension):
            if buffers is None:
                result[batch] = self._of_floats(query[batch], reference[batch])
            else:
                result[batch] = self._of_pixels(query[batch], reference[batch], buffers)
        unit = self.references.unit
        # A positive distance stays positive: zero means equal rows, here and wherever zeros are counted.
        floor = np.where(result > 0, np.nextafter(0.0, 1.0), 0.0)
        return np.maximum(result * unit, floor)

    def _of_floats(self, query: NDArray[np.int64], reference: NDArray[np.int64]) -> NDArray[np.float64]:
        differences = self.references.raw[reference]
        differences = differences - self.queries.raw[query]
        return _norms_of_differences(differences)

    def _of_pixels(
        self, query: NDArray[np.int64], reference: NDArray[np.int64], buffers: _PixelBuffers
    ) -> NDArray[np.float64]:
        assert self.query_norms is not None
        assert self.reference_norms is not None
        right = buffers.gather(self.references.raw, reference, buffers.right)
        starts = np.flatnonzero(np.diff(query, prepend=-1))
        few = len(starts) <= GEMM_QUERIES
        left = buffers.gather(self.queries.raw, query[starts] if few else query, buffers.left)
        products = np.zeros(len(query))
        pairs = np.arange(len(query))
        member = np.searchsorted(starts, pairs, side="right") - 1
        for start in range(0, right.shape[1], EXACT_COLUMNS):
            part = slice(start, start + EXACT_COLUMNS)
            if few:
                products += (right[:, part] @ left[:, part].T)[pairs, member]
            else:
                products += np.vecdot(right[:, part], left[:, part])
        squares = self.query_norms[query] + self.reference_norms[reference] - 2 * products
        return np.asarray(np.sqrt(squares))
