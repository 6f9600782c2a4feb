"""Points: vectors with row numbers and, where there are, labels or targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Points"]


@dataclass(frozen=True, slots=True)
class Points:
    """A set of points.

    Parameters
    ----------
    vectors : ndarray, shape (n, features)
        uint8, or float64.
    unit : float
        True coordinates are the stored ones times this.
    rows : ndarray of int64, shape (n,)
        Row numbers in the source; ties are broken by them.
    labels : ndarray of int64, shape (n,), optional
        Class codes from 0.
    targets : ndarray of float64, shape (n,), optional
        Values of a regression's target.
    """

    vectors: NDArray[Any]
    unit: float
    rows: NDArray[np.int64]
    labels: NDArray[np.int64] | None = None
    targets: NDArray[np.float64] | None = None

    def subset(self, chosen: NDArray[Any]) -> Points:
        """Keep some points, by a mask or by positions."""
        return Points(
            self.vectors[chosen],
            self.unit,
            self.rows[chosen],
            None if self.labels is None else self.labels[chosen],
            None if self.targets is None else self.targets[chosen],
        )
