"""Intrinsic dimension by maximum likelihood, with what single points add held to quantiles.

Source of the estimator: Levina, Bickel (NIPS 2004), pooled as MacKay and Ghahramani propose (2005). Where the points
around one are uniform, the sum of its k − 1 log ratios has a gamma law of shape k − 1 and rate m, so the mean of values
held to their own quantiles is a known fraction of the mean (winsorising: Tukey, "The Future of Data Analysis", Annals
of Mathematical Statistics 33 (1962), DOI 10.1214/aoms/1177704711).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincinv

from ibc_report.geometry.dimension import PAPER_K, maximum_likelihood

__all__ = ["winsorised_dimension"]

SHARE = 0.05
"""Share of points on each side whose value is held."""


def winsorised_dimension(distances: NDArray[np.float64]) -> float:
    """Estimate the intrinsic dimension at k = 5.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, ≥ 5)
        Ascending, above 0: of distinct points.

    Returns
    -------
    float
        One over the mean log ratio of which the lowest and the highest 5 % are held to the 5 % and the 95 % quantile,
        corrected for that.

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
