"""Intrinsic dimension by maximum likelihood, and its drift over scales.

Source: Levina, Bickel, "Maximum Likelihood Estimation of Intrinsic Dimension", NIPS 2004, pooled over points as
MacKay and Ghahramani propose (2005): one over the mean log ratio, inverted once. The paper uses k = 5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibc_report.errors import DataError

__all__ = ["PAPER_K", "PROFILE", "maximum_likelihood", "profile"]

PAPER_K = 5
PROFILE = (3, 5, 7, 10, 15, 20, 30, 40, 50)
"""Neighbourhood sizes at which a card shows the dimension."""


def maximum_likelihood(distances: NDArray[np.float64], k: int) -> float:
    """Estimate the intrinsic dimension from the distances of the k nearest neighbours.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, ≥ k)
        Ascending, above 0: of distinct points.
    k : int
        Neighbourhood size, at least 2.

    Returns
    -------
    float
        1 / mean over points and j < k of ln(T_k / T_j).

    Raises
    ------
    DataError
        If every point's k nearest neighbours are equally far, where the estimate does not exist.

    Examples
    --------
    >>> round(maximum_likelihood(np.array([[1.0, 2.0, 4.0]]), 3) * float(np.log(2)), 12)
    0.666666666667
    """
    mean = _mean_log_ratio(distances, k)
    if mean <= 0:
        raise DataError(
            f"the {k} nearest neighbours of every row are equally far away, so the intrinsic dimension is not "
            "defined; choose inputs that are not all one-hot"
        )
    return 1 / mean


def profile(distances: NDArray[np.float64]) -> dict[int, float]:
    """Estimate the intrinsic dimension over neighbourhood sizes.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        Ascending, above 0; inf where a point has fewer neighbours.

    Returns
    -------
    dict of int to float
        By each size of `PROFILE` that every point has neighbours for and at which the estimate exists.

    Examples
    --------
    >>> sorted(profile(np.array([[1.0, 2.0, 4.0, np.inf, np.inf]])))
    [3]
    """
    complete = int(np.isfinite(distances).all(axis=0).sum())
    ratios = {k: _mean_log_ratio(distances, k) for k in PROFILE if k <= complete}
    # on a lattice, such as a full table of yes and no, the nearest few of every row are equally far
    return {k: 1 / mean for k, mean in ratios.items() if mean > 0}


def _mean_log_ratio(distances: NDArray[np.float64], k: int) -> float:
    return float(np.log(distances[:, k - 1 : k] / distances[:, : k - 1]).mean())
