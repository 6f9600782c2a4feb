"""Lower bounds on distances from a few coordinates, with every rounding error accounted for.

For V orthonormal (D, p) and z = (V'x, norm of the residual of x), the Cauchy-Schwarz inequality gives
``|z_i - z_j| <= |x_i - x_j|``. Squared norms go in as two more columns, so that one float32 GEMM returns
the squared bounds. What rounding can add to such a product is subtracted from the norms beforehand: the
product of a pair never exceeds ``(1 + SLACK) * d**2`` of it, so that no pair within a limit is missed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.points import Points

UNIT_ROUNDOFF_32 = 2.0**-24
UNIT_ROUNDOFF_64 = 2.0**-53
# (d + e)**2 <= (1 + SLACK) * d**2 + (1 + 1/SLACK) * e**2 for every e: what the projection itself may be wrong
# by (e) goes to the norms, where it is negligible, for a limit that is 0.012 % longer.
SLACK = 2.0**-12
# Above all underflow of float32 products, scaled norms being at most 1.
UNDERFLOW = 2.0**-100
# The limit passes through a handful of float64 operations.
LIMIT_ROUNDING = 1 + 2.0**-40
# Rows of one block of float64 coordinates: a few MB.
BLOCK_ELEMENTS = 2**19
# Magnitudes above this could overflow when a difference is formed.
LARGEST_COORDINATE = 1e300


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
        Shape (D, p), orthonormal to rounding; None keeps all coordinates, and the product is then a plain
        float32 GEMM.
    """

    centre: NDArray[np.float64]
    scale: float
    basis: NDArray[np.float64] | None

    @property
    def width(self) -> int:
        """Columns of a projected row: coordinates, residual (of a proper projection), two norms."""
        return len(self.centre) + 2 if self.basis is None else self.basis.shape[1] + 3

    @property
    def method(self) -> str:
        """What the result calls this search."""
        return "plain GEMM" if self.basis is None else f"projected bound, p = {self.basis.shape[1]}"

    @property
    def error(self) -> float:
        """Part of its norm by which a projected row may be off, before any product."""
        error = UNIT_ROUNDOFF_32
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
        product = self.width * UNIT_ROUNDOFF_32 / (1 - self.width * UNIT_ROUNDOFF_32)
        return 1.01 * (2 * product + 2 * (1 + 1 / SLACK) * self.error**2)

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

    def rows(self, vectors: NDArray[Any], out: NDArray[np.float32], allowance: float) -> None:
        """Write the projected rows of references: coordinates, norm less its allowance, 1.

        Parameters
        ----------
        vectors
            Shape (m, D).
        out
            Shape (m, width), float32.
        allowance
            The property of this name, which takes a while to compute.
        """
        out[:, :-2] = self.coordinates(vectors)
        kept = out[:, :-2].astype(np.float64)
        norms = np.einsum("ij,ij->i", kept, kept) * (1 - allowance) - UNDERFLOW
        out[:, -2] = np.nextafter(norms.astype(np.float32), np.float32(-np.inf))
        out[:, -1] = 1

    def limit(self, distance: NDArray[np.float64], unit: float) -> NDArray[np.float32]:
        """Return what a product must not exceed for its pair to lie within ``distance`` (true units)."""
        scaled = np.square(distance * (self.scale / unit)) * ((1 + SLACK) * LIMIT_ROUNDING)
        with np.errstate(over="ignore"):
            return np.nextafter(scaled.astype(np.float32), np.float32(np.inf))


def as_queries(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return projected rows as queries: their product with references is the bound.

    Examples
    --------
    >>> as_queries(np.array([[3.0, 9.0, 1.0]], np.float32))
    array([[-6.,  1.,  9.]], dtype=float32)
    """
    result = rows * np.float32(-2)
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
