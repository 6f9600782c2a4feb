"""Lower bounds on distances from a few coordinates, with every rounding error accounted for.

For V orthonormal (D, p) and z = (V'x, norm of the residual of x), the Cauchy-Schwarz inequality gives
``|z_i - z_j| <= |x_i - x_j|``. Squared norms go in as two more columns, so that one float32 GEMM returns
the squared bounds. What rounding can add to such a product is subtracted from the norms beforehand: the
product of a pair never exceeds ``(1 + SLACK) * d**2`` of it, so that no pair within a limit is missed.

Where norms dwarf distances, float32 bounds say nothing, and the product of all coordinates is one of float64. Where
coordinates are whole numbers, and small enough, the product is the squared distance itself, and tells ties.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.neighbors.points import Points

UNIT_ROUNDOFF_32 = 2.0**-24

UNIT_ROUNDOFF_64 = 2.0**-53

# (d + e)**2 <= (1 + SLACK) * d**2 + (1 + 1/SLACK) * e**2 for every e: what the projection itself may be wrong
# by (e) goes to the norms, where it is negligible, for a limit that is 0.012 % longer.
SLACK = 2.0**-12

# Above all underflow of products, scaled norms being at most 1.
UNDERFLOW_32 = 2.0**-100

UNDERFLOW_64 = 2.0**-960

# The limit passes through a handful of float64 operations.
LIMIT_ROUNDING = 1 + 2.0**-40

# Rows of one block of float64 coordinates: a few MB.
BLOCK_ELEMENTS = 2**19

# Magnitudes above this could overflow when a difference is formed.
LARGEST_COORDINATE = 1e300

# Whole numbers up to here are exact, in float32 and, where the root of one must also square to it, in float64.
WHOLE_32 = 2.0**24

WHOLE_64 = 2.0**48

Real = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Projection:
    """A map from vectors to the few coordinates whose products are bounds.

    Parameters
    ----------
    centre
        Shape (D,), subtracted from every vector.
    scale
        A power of two that brings every centred norm to at most 1.
    basis
        Shape (D, p), orthonormal to rounding; None keeps all coordinates, and the product is then a plain GEMM.
    double
        Whether rows and products are float64, not float32.
    whole
        Whether products are squared distances, in whole numbers; the scale is then 1.
    extent
        What no coordinate of a moved and scaled vector exceeds.
    """

    centre: NDArray[np.float64]
    scale: float
    basis: NDArray[np.float64] | None
    double: bool = False
    whole: bool = False
    extent: float = 1.0

    @property
    def dtype(self) -> type[np.float32 | np.float64]:
        """Type of projected rows and of their products."""
        return np.float64 if self.double else np.float32

    @property
    def row_bytes(self) -> int:
        """Bytes of a projected row."""
        return self.width * np.dtype(self.dtype).itemsize

    @property
    def width(self) -> int:
        """Columns of a projected row: coordinates, residual (of a proper projection), two norms."""
        return len(self.centre) + 2 if self.basis is None else self.basis.shape[1] + 3

    @property
    def method(self) -> str:
        """What the result calls this search."""
        if self.whole:
            return "GEMM of whole numbers"
        if self.basis is None:
            return "plain GEMM in float64" if self.double else "plain GEMM"
        return f"projected bound, p = {self.basis.shape[1]}"

    @property
    def error(self) -> float:
        """Part of its norm by which a projected row may be off, before any product."""
        if self.whole:
            return 0.0
        error = roundoff(self.double) + UNIT_ROUNDOFF_64
        if self.basis is not None:
            dimension, p = self.basis.shape
            gram = self.basis.T @ self.basis
            dot = dimension * UNIT_ROUNDOFF_64 * 1.01
            skew = float(np.linalg.norm(gram - np.eye(p))) + p * dot
            coordinates = skew + math.sqrt(p) * dot + 4 * UNIT_ROUNDOFF_64
            # The residual is the root of a difference: its error is at most the root of the difference's.
            error += coordinates + math.sqrt(4 * coordinates + 8 * dot)
        return 1.01 * error

    @property
    def allowance(self) -> float:
        """Part of a squared norm that rounding may add to a product, for one of the pair's two points."""
        if self.whole:
            return 0.0
        return product_allowance(self.width, double=self.double) + 2.02 * (1 + 1 / SLACK) * self.error**2

    def coordinates(self, vectors: NDArray[Any]) -> NDArray[np.float64]:
        """Return coordinates and residuals, without norms: shape (m, p + 1), or (m, D) if plain."""
        moved = vectors - self.centre
        moved *= self.scale
        if self.basis is None:
            return np.asarray(moved, np.float64)
        p = self.basis.shape[1]
        result = np.empty((len(moved), p + 1))
        np.matmul(moved, self.basis, out=result[:, :p])
        inside = np.einsum("ij,ij->i", result[:, :p], result[:, :p])
        whole = np.einsum("ij,ij->i", moved, moved)
        result[:, p] = np.sqrt(np.maximum(whole - inside, 0))
        return result

    def leading(self, vectors: NDArray[Any]) -> NDArray[np.float64]:
        """Return the first of the coordinates alone: shape (m,)."""
        if self.basis is None:
            return np.asarray((vectors[:, 0] - self.centre[0]) * self.scale, np.float64)
        moved = vectors - self.centre
        moved *= self.scale
        return np.asarray(moved @ self.basis[:, 0], np.float64)

    def rows(self, vectors: NDArray[Any], out: Real, allowance: float) -> None:
        """Write the projected rows of references: coordinates, norm less its allowance, 1.

        Parameters
        ----------
        vectors
            Shape (m, D).
        out
            Shape (m, width), of our type.
        allowance
            The property of this name, which takes a while to compute.
        """
        out[:, :-2] = self.coordinates(vectors)
        out[:, -1] = 1
        kept = out[:, :-2].astype(np.float64)
        norms = np.einsum("ij,ij->i", kept, kept)
        if self.whole:
            out[:, -2] = norms
            return
        norms = norms * (1 - allowance) - (UNDERFLOW_64 if self.double else UNDERFLOW_32)
        out[:, -2] = np.nextafter(norms.astype(self.dtype), self.dtype(-np.inf))

    def scaled(self, distance: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
        """Return distances in true units as distances of scaled vectors, none of them smaller than it is."""
        # The unit may have taken a subnormal distance to the one below it, and a division loses as much.
        with np.errstate(over="ignore"):
            return np.asarray(np.nextafter(np.nextafter(distance, np.inf) / unit, np.inf) * self.scale)

    def limit(self, distance: NDArray[np.float64], unit: float) -> Real:
        """Return what a product must not exceed for its pair to lie within ``distance`` (true units)."""
        if self.whole:
            return np.rint(np.square(distance / unit)).astype(self.dtype)
        with np.errstate(over="ignore"):
            squares = np.square(self.scaled(distance, unit)) * ((1 + SLACK) * LIMIT_ROUNDING)
            return np.asarray(np.nextafter(squares.astype(self.dtype), self.dtype(np.inf)))


def roundoff(double: bool) -> float:
    """Return the unit roundoff of float64 or float32."""
    return UNIT_ROUNDOFF_64 if double else UNIT_ROUNDOFF_32


def product_allowance(width: int, *, double: bool) -> float:
    """Return the part of a squared norm that the rounding of a product of this many columns, and of norms, may add.

    Examples
    --------
    >>> product_allowance(100, double=False) > 200 * 2.0**-24
    True
    """
    product = width * roundoff(double) / (1 - width * roundoff(double))
    return 1.01 * (2 * product + 2 * width * UNIT_ROUNDOFF_64)


def as_queries(rows: Real) -> Real:
    """Return projected rows as queries: their product with references is the bound.

    Examples
    --------
    >>> as_queries(np.array([[3.0, 9.0, 1.0]], np.float32))
    array([[-6.,  1.,  9.]], dtype=float32)
    """
    result: Real = rows * rows.dtype.type(-2)
    result[:, -2] = 1
    result[:, -1] = rows[:, -2]
    return result


def largest_coordinate(points: Points) -> float:
    """Return the largest magnitude of any coordinate, in the unit of the vectors.

    Raises
    ------
    ValueError
        If a coordinate is not finite, or is so large that differences could overflow.
    """
    if points.vectors.dtype == np.uint8:
        return 255.0
    size = max(1, BLOCK_ELEMENTS // points.dimension)
    result = 0.0
    for start in range(0, len(points), size):
        block = points.raw[start : start + size]
        result = max(result, -float(block.min()), float(block.max()))
        if not result <= LARGEST_COORDINATE or np.isnan(block).any():
            raise ValueError("vectors hold values that are not finite, or are larger than 1e300")
        points.release()
    return result


def scale_for(largest: float, dimension: int) -> float:
    """Return the power of two that brings the norm of a centred vector to at most 1.

    Examples
    --------
    >>> scale_for(255.0, 784)
    6.103515625e-05
    """
    if largest == 0:
        return 1.0
    exponent = math.frexp(largest)[1] + math.frexp(2 * math.sqrt(dimension))[1]
    return math.ldexp(1.0, max(-1020, min(1020, -exponent)))
