"""Very many features are projected at random to fewer, with a bound on how far that changes a distance.

Source: Achlioptas, "Database-friendly random projections", J. Comput. Syst. Sci. 66 (2003),
DOI 10.1016/S0022-0000(03)00025-4, with entries of +1 and −1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from ibc_report.common import files

__all__ = ["MOST_FEATURES", "REDUCED_FEATURES", "Reduction", "distortion", "reduce"]

MOST_FEATURES = 16_384
"""Features up to which distances are those of the vectors themselves."""

REDUCED_FEATURES = 4_096
"""Features after the projection."""

BLOCK_ROWS = 512

BLOCK_FEATURES = 8192


@dataclass(frozen=True, slots=True)
class Reduction:
    """Projected vectors.

    Parameters
    ----------
    vectors : ndarray of float64, shape (n, REDUCED_FEATURES)
        In true coordinates, so that their unit is 1.
    distortion : float
        With probability at least 1 − 1/n, no squared distance changes by more than this share.
    """

    vectors: NDArray[np.float64]
    features: int
    distortion: float


def distortion(n: int, components: int = REDUCED_FEATURES) -> float:
    """Bound how far a random projection changes any of the distances of n points.

    The smallest ε for which components ≥ (4 + 2) ln n / (ε²/2 − ε³/3), so that with probability at least 1 − 1/n all
    squared distances keep within a factor of 1 ± ε (Achlioptas 2003, Theorem 1.1 with β = 1).

    Parameters
    ----------
    n : int
        Points, at least 2.
    components : int
        Features after the projection.

    Examples
    --------
    >>> round(distortion(60_000), 3)
    0.192
    """
    need = 6 * log(max(n, 2)) / components

    def excess(epsilon: float) -> float:
        return epsilon**2 / 2 - epsilon**3 / 3 - need

    # the left side grows up to ε = 1, where it is 1/6: beyond that the bound says nothing
    return float(brentq(excess, 0, 1)) if excess(1.0) > 0 else 1.0


def reduce(vectors: NDArray[Any], unit: float, seed: int) -> Reduction:
    """Project vectors at random.

    Parameters
    ----------
    vectors : ndarray, shape (n, features)
        uint8 or float64.
    unit : float
        True coordinates are the stored ones times this.
    """
    n, features = vectors.shape
    scale = unit / sqrt(REDUCED_FEATURES)

    def fill(out: NDArray[np.float64]) -> None:
        generator = np.random.default_rng(seed)
        for first in range(0, features, BLOCK_FEATURES):
            width = min(BLOCK_FEATURES, features - first)
            signs = generator.integers(0, 2, size=(width, REDUCED_FEATURES), dtype=np.int8).astype(np.float64)
            # in place: each of these is a quarter of a gigabyte
            signs *= 2.0
            signs -= 1.0
            signs *= scale
            for start in range(0, n, BLOCK_ROWS):
                rows = slice(start, start + BLOCK_ROWS)
                block = vectors[rows, first : first + width].astype(np.float64) @ signs
                out[rows] = block if first == 0 else out[rows] + block
                files.release(vectors)

    return Reduction(files.filled((n, REDUCED_FEATURES), np.float64, fill), features, distortion(n))
