"""Intrinsic dimension: by maximum likelihood, the same with quantiles held, and other estimates beside it.

Sources: Levina, Bickel, "Maximum Likelihood Estimation of Intrinsic Dimension", NIPS 2004, pooled over points as
MacKay and Ghahramani propose (2005): one over the mean log ratio, inverted once. The paper uses k = 5. Where the points
around one are uniform, the sum of its k − 1 log ratios has a gamma law of shape k − 1 and rate m, so the mean of values
held to their own quantiles is a known fraction of the mean (winsorising: Tukey, "The Future of Data Analysis", Annals
of Mathematical Statistics 33 (1962), DOI 10.1214/aoms/1177704711).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import gammainc, gammaincinv

from ibc_report.common.errors import DataError

__all__ = [
    "GRIDE_RANKS",
    "PAPER_K",
    "PROFILE",
    "gride",
    "maximum_likelihood",
    "profile",
    "two_nn",
    "winsorised_dimension",
]

KEPT = 0.9
"""Share of the ratios that the linear fit keeps: the largest tenth is the least uniform."""

GRIDE_RANKS = (1, 2, 4, 8, 16)
"""The nearer of the two neighbours whose distances are compared; the other has twice its rank."""


def two_nn(distances: NDArray[np.float64]) -> float | None:
    """Estimate the intrinsic dimension from the two nearest neighbours, by the trimmed linear fit.

    Slope through the origin of −ln(1 − i/n) on ln(r₂/r₁), sorted, without the largest tenth; None where those ratios
    are all 1, or there are fewer than two neighbours.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, ≥ 2)
        Ascending, above 0.

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

    The estimates are by each rank n₁ of `GRIDE_RANKS` for which every point has n₂ = 2n₁ neighbours and the estimate
    exists. At n₁ = 1 it is TwoNN by maximum likelihood.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        Ascending, above 0; inf where a point has fewer neighbours.

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


PAPER_K = 5

PROFILE = (3, 5, 7, 10, 15, 20, 30, 40, 50)
"""Neighbourhood sizes at which a card shows the dimension."""


def maximum_likelihood(distances: NDArray[np.float64], k: int) -> float:
    """Estimate the intrinsic dimension from the distances of the k nearest neighbours.

    That is 1 / mean over points and j < k of ln(T_k / T_j).

    Parameters
    ----------
    distances : ndarray of float64, shape (n, ≥ k)
        Ascending, above 0: of distinct points.
    k : int
        Neighbourhood size, at least 2.

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

    The estimates are by each size of `PROFILE` that every point has neighbours for and at which the estimate exists.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        Ascending, above 0; inf where a point has fewer neighbours.

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


SHARE = 0.05
"""Share of points on each side whose value is held."""


def winsorised_dimension(distances: NDArray[np.float64]) -> float:
    """Estimate the intrinsic dimension at k = 5.

    One over the mean log ratio of which the lowest and the highest 5 % are held to the 5 % and the 95 % quantile,
    corrected for that.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, ≥ 5)
        Ascending, above 0: of distinct points.

    Raises
    ------
    DataError
        If every point's five nearest neighbours are equally far.

    Examples
    --------
    In a ball of dimension 7 the seventh powers of the distances from its centre are uniform:

    >>> order = np.sort(np.random.default_rng(0).random((20_000, 5)) ** (1 / 7), axis=1)
    >>> abs(winsorised_dimension(order) - 7) < 0.1
    True
    """
    plain = maximum_likelihood(distances, PAPER_K)
    values = np.log(distances[:, PAPER_K - 1 : PAPER_K] / distances[:, : PAPER_K - 1]).mean(axis=1)
    low, high = np.quantile(values, [SHARE, 1 - SHARE])
    held = float(np.clip(values, low, high).mean())
    return plain if held <= 0 else _fraction_kept(PAPER_K - 1) / held


def _fraction_kept(shape: int) -> float:
    """Mean of a gamma variable held to its quantiles, over its mean."""
    low, high = gammaincinv(shape, SHARE), gammaincinv(shape, 1 - SHARE)
    middle = shape * (gammainc(shape + 1, high) - gammainc(shape + 1, low))
    return float((SHARE * (low + high) + middle) / shape)
