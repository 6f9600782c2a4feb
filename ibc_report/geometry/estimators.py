"""Other estimates of the intrinsic dimension from the same table of neighbours, to set beside the pooled one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

__all__ = ["GRIDE_RANKS", "gride", "two_nn"]

KEPT = 0.9
"""Share of the ratios that the linear fit keeps: the largest tenth is the least uniform."""

GRIDE_RANKS = (1, 2, 4, 8, 16)
"""The nearer of the two neighbours whose distances are compared; the other has twice its rank."""


def two_nn(distances: NDArray[np.float64]) -> float | None:
    """Estimate the intrinsic dimension from the two nearest neighbours, by the trimmed linear fit.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, ≥ 2)
        Ascending, above 0.

    Returns
    -------
    float or None
        Slope through the origin of −ln(1 − i/n) on ln(r₂/r₁), sorted, without the largest tenth; None where those
        ratios are all 1, or there are fewer than two neighbours.

    Notes
    -----
    Facco, d'Errico, Rodriguez, Laio, "Estimating the intrinsic dimension of datasets by a minimal neighborhood
    information", Sci. Rep. 7 (2017), DOI 10.1038/s41598-017-11873-y.

    Examples
    --------
    >>> n = np.arange(1, 1001)
    >>> round(two_nn(np.column_stack([np.ones(1000), (1 - (n - 0.5) / 1000) ** (-1 / 3)])), 1)
    3.0
    """
    if distances.shape[1] < 2 or not np.isfinite(distances[:, 1]).all():
        return None
    ratios = np.sort(np.log(distances[:, 1] / distances[:, 0]))
    n = len(ratios)
    kept = ratios[: int(n * KEPT)]
    # not by BLAS, whose sums depend on its threads
    squares = float(np.square(kept).sum())
    if squares == 0:
        return None
    tail = -np.log1p(-np.arange(1, len(kept) + 1) / n)
    return float((kept * tail).sum()) / squares


def gride(distances: NDArray[np.float64]) -> dict[int, float]:
    """Estimate the intrinsic dimension over scales, by maximum likelihood on ratios of two distances.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        Ascending, above 0; inf where a point has fewer neighbours.

    Returns
    -------
    dict of int to float
        By each rank n₁ of `GRIDE_RANKS` for which every point has n₂ = 2n₁ neighbours and the estimate exists. At
        n₁ = 1 it is TwoNN by maximum likelihood.

    Notes
    -----
    Denti, Doimo, Laio, Mira, "The generalized ratios intrinsic dimension estimator", Sci. Rep. 12 (2022),
    DOI 10.1038/s41598-022-20991-1: μ = r_{n₂}/r_{n₁} has density
    d (μ^d − 1)^(n₂−n₁−1) / (B(n₂−n₁, n₁) μ^((n₂−1)d+1)).

    Examples
    --------
    >>> gride(np.array([[1.0, 2.0]])) == {1: 1 / np.log(2)}
    True
    """
    complete = int(np.isfinite(distances).all(axis=0).sum())
    found = {}
    for near in GRIDE_RANKS:
        if 2 * near > complete:
            break
        estimate = _most_likely(np.log(distances[:, 2 * near - 1] / distances[:, near - 1]), near, 2 * near)
        if estimate is not None:
            found[near] = estimate
    return found


def _most_likely(ratios: NDArray[np.float64], near: int, far: int) -> float | None:
    """Return the d at which the likelihood of the log ratios has its maximum."""
    mean = float(ratios.mean())
    between = far - near - 1
    if mean <= 0:
        return None
    if between == 0:
        return 1 / (near * mean)

    def score(dimension: float) -> float:
        scaled = dimension * ratios
        # x/(1 − e⁻ˣ) tends to 1 at x = 0, where two distances tie
        drop = -np.expm1(-scaled)
        growth = np.divide(scaled, drop, out=np.ones_like(scaled), where=drop > 0)
        return 1 + between * float(growth.mean()) - (far - 1) * dimension * mean

    # x ≤ x/(1 − e⁻ˣ) ≤ 1 + x bounds the root on both sides
    return float(brentq(score, 1 / (near * mean), (1 + between) / (near * mean), rtol=1e-12))
