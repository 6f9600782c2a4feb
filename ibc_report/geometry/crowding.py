"""Near duplicates: pairs of points that are closer than any even density has them."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from ibc_report.geometry.evenness import LOCAL_K, mean_spacing

__all__ = ["Near", "near_duplicates"]

NEAR_RATIO_K = 5
"""A neighbour is too close by its distance over that of this neighbour."""

NEAR_SHARE = 1e-3
"""Share of points that a uniform density would have at least as close."""


@dataclass(frozen=True, slots=True)
class Near:
    """Points whose nearest neighbour is nearer than a uniform density allows.

    Parameters
    ----------
    count : int
        Such points; both of a pair count.
    expected : float
        How many a uniform density would have.
    probability : float
        That a uniform density has so many.
    """

    count: int
    expected: float
    probability: float


def near_duplicates(distances: NDArray[np.float64]) -> Near | None:
    """Count points whose nearest neighbour is too near.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        To the neighbours of each point, ascending, above 0.

    Returns
    -------
    Near or None
        Points with T_1 / T_5 below x, where a uniform density has a share 1 − (1 − x^m)^4 = 0.001 of them. None where a
        point has fewer than 10 neighbours.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> radii = np.cumsum(rng.exponential(size=(2000, 10)), axis=1) ** (1 / 3)
    >>> radii[:100, 0] *= 1e-3
    >>> near_duplicates(radii).count > 95
    True
    """
    mean = mean_spacing(distances, LOCAL_K)
    if mean is None:
        return None
    log_ratio = mean * log(-np.expm1(np.log1p(-NEAR_SHARE) / (NEAR_RATIO_K - 1)))
    count = int((np.log(distances[:, 0] / distances[:, NEAR_RATIO_K - 1]) < log_ratio).sum())
    n = len(distances)
    return Near(count, n * NEAR_SHARE, float(bdtrc(count - 1, n, NEAR_SHARE)) if count else 1.0)
