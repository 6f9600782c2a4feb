"""Exact distances of given pairs, the same bytes whatever the batch, the machine or its vector unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import files
from ibc_report.geometry.neighbors.points import Points

# With 128 subtracted a product of two pixels is at most 2**14, so that every partial sum of 1024 of them, in
# whatever order, is an integer of at most 2**24: float32 holds all of these, and a float32 BLAS is exact.
EXACT_COLUMNS = 1024

# Elements of one gathered batch: two of them in float32 fit in an L2 cache of 1 MB or more.
BATCH_ELEMENTS = 2**17

# Bytes of the references that are read at once where they lie in a file.
READ_BYTES = 2**25

# Elements of the queries of one call that are held in float32: 16 MB.
QUERY_ELEMENTS = 2**22

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
    total: NDArray[np.float64] = values[0]
    return total


def _norms_of_differences(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Euclidean norm of each row of ``differences`` (m, D), free of overflow and underflow."""
    columns = np.ascontiguousarray(differences.T)
    with np.errstate(over="ignore", under="ignore"):
        total = sum_by_halving(np.square(columns))
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


def centred_norms(points: Points) -> NDArray[np.float64]:
    """Return the squared norm of each row of pixels less 128, exact integers.

    Examples
    --------
    >>> centred_norms(Points(np.array([[0, 130]], np.uint8), 1.0, np.arange(1)))
    array([16388.])
    """
    result = np.zeros(len(points))
    for batch in batches(len(points), points.dimension):
        pixels = points.raw[batch].copy()
        block = np.empty(pixels.shape, np.float32)
        centre_pixels(pixels, block)
        for start in range(0, points.dimension, EXACT_COLUMNS):
            part = block[:, start : start + EXACT_COLUMNS]
            result[batch] += np.vecdot(part, part)
        points.release()
    return result


def _products(
    left: NDArray[np.uint8], right: NDArray[np.uint8], group: NDArray[np.int64], reference: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the dot products, exact integers, of rows ``left[group]`` and ``right[reference]`` less 128.

    ``left`` is overwritten. Scratch is reused: fresh arrays of this size cost a page fault for every 4 KB.
    """
    count, dimension = len(group), right.shape[1]
    size = batch_size(count, dimension)
    queries = np.empty(left.shape, np.float32)
    centre_pixels(left, queries)
    pixels = np.empty((size, dimension), np.uint8)
    references = np.empty((size, dimension), np.float32)
    repeated: NDArray[np.float32] | None = None
    result = np.zeros(count)
    everyone = np.arange(size)
    for batch in batches(count, dimension):
        many = batch.stop - batch.start
        first, last = int(group[batch.start]), int(group[batch.stop - 1]) + 1
        # Positions are valid; without a mode "take" would first copy its output.
        np.take(right, reference[batch], axis=0, out=pixels[:many], mode="clip")
        centre_pixels(pixels[:many], references[:many])
        few = last - first <= GEMM_QUERIES
        if not few:
            repeated = np.empty((size, dimension), np.float32) if repeated is None else repeated
            np.take(queries, group[batch], axis=0, out=repeated[:many], mode="clip")
        for start in range(0, dimension, EXACT_COLUMNS):
            part = slice(start, start + EXACT_COLUMNS)
            if few:
                products = references[:many, part] @ queries[first:last, part].T
                result[batch] += products[everyone[:many], group[batch] - first]
            elif repeated is not None:
                result[batch] += np.vecdot(references[:many, part], repeated[:many, part])
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
        norms = centred_norms(references)
        own = norms if queries is references else centred_norms(queries)
        return cls(queries, references, own, norms)

    def __call__(self, query: NDArray[np.int64], reference: NDArray[np.int64], /) -> NDArray[np.float64]:
        """Return the distance of each pair, in true units.

        Parameters
        ----------
        query, reference
            Shape (m,), positions in the two sets; fastest where equal queries are adjacent.

        Returns
        -------
        NDArray
            Shape (m,), float64.
        """
        result = self._unscaled(query, reference)
        unit = self.references.unit
        # A positive distance stays positive: zero means equal rows, here and wherever zeros are counted.
        floor = np.where(result > 0, np.nextafter(0.0, 1.0), 0.0)
        return np.maximum(result * unit, floor)

    def _unscaled(self, query: NDArray[np.int64], reference: NDArray[np.int64]) -> NDArray[np.float64]:
        vectors = self.references.vectors
        if not files.is_map(vectors):
            return self._against(self.references.raw, query, reference, reference)
        result = np.empty(len(query))
        size = max(1, READ_BYTES // vectors.strides[0])
        for start in range(0, len(query), size):
            part = slice(start, start + size)
            rows, place = np.unique(reference[part], return_inverse=True)
            result[part] = self._against(self.references.read(rows), query[part], reference[part], place)
        return result

    def _against(
        self,
        vectors: NDArray[Any],
        query: NDArray[np.int64],
        reference: NDArray[np.int64],
        place: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return the distances of pairs whose references are the rows of ``vectors`` at ``place``."""
        if self.query_norms is not None:
            return self._of_pixels(vectors, query, reference, place)
        result = np.empty(len(query))
        for batch in batches(len(query), self.references.dimension):
            result[batch] = self._of_floats(vectors[place[batch]], query[batch])
        return result

    def _of_floats(self, differences: NDArray[np.float64], query: NDArray[np.int64]) -> NDArray[np.float64]:
        starts = np.flatnonzero(np.diff(query, prepend=-1))
        own = self.queries.read(query[starts])
        differences -= np.repeat(own, np.diff(starts, append=len(query)), axis=0)
        return _norms_of_differences(differences)

    def _of_pixels(
        self,
        vectors: NDArray[np.uint8],
        query: NDArray[np.int64],
        reference: NDArray[np.int64],
        place: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        assert self.query_norms is not None
        assert self.reference_norms is not None
        starts = np.flatnonzero(np.diff(query, prepend=-1))
        squares = self.query_norms[query] + self.reference_norms[reference]
        size = max(1, QUERY_ELEMENTS // self.references.dimension)
        for at in range(0, len(starts), size):
            part = slice(starts[at], starts[at + size] if at + size < len(starts) else len(query))
            group = np.searchsorted(starts, np.arange(part.start, part.stop), side="right") - 1 - at
            left = self.queries.read(query[starts[at : at + size]])
            squares[part] -= 2 * _products(left, vectors, group, place[part])
        return np.asarray(np.sqrt(squares))
