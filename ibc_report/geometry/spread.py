"""How strongly distances concentrate: the dimension of the whole cloud of points."""

from __future__ import annotations

import numpy as np

from ibc_report.geometry.parts import shuffled
from ibc_report.geometry.points import Points

__all__ = ["global_dimension"]

PAIRS = 2**15
"""Pairs that are measured: the variance of their squared distances has a relative error of 1 %."""

BLOCK_ELEMENTS = 2**20


def global_dimension(points: Points, *, seed: int) -> float | None:
    """Measure the dimension of the Gaussian whose squared distances vary as much as those of the points.

    Parameters
    ----------
    points : Points
        At least two.
    seed : int
        Of the pairs.

    Returns
    -------
    float or None
        2 (mean d²)² / var d² over random pairs; None where all distances are equal.

    Notes
    -----
    For a Gaussian it is the participation ratio of the covariance, (tr Σ)²/tr Σ²: its dimension if that is isotropic.
    A sphere of dimension m has 2(m + 1), a flat torus 4m, a cube 1.43 m; clusters have less.

    Examples
    --------
    >>> vectors = np.random.default_rng(0).normal(size=(4000, 7))
    >>> round(global_dimension(Points(vectors, 1.0, np.arange(4000)), seed=0))
    7
    """
    order = shuffled(points, seed)
    n = len(order)
    # each shift pairs every point with another one of the order
    shifts = range(1, 1 + max(1, min((n - 1) // 2, PAIRS // n)))
    most = min(n, PAIRS)
    block = max(1, BLOCK_ELEMENTS // points.dimension)
    squares = np.empty((len(shifts), most))
    for start in range(0, most, block):
        stop = min(start + block, most)
        run = points.read(order[np.arange(start, stop + len(shifts)) % n]).astype(np.float64)
        for shift in shifts:
            difference = run[shift : shift + stop - start] - run[: stop - start]
            squares[shift - 1, start:stop] = np.einsum("ij,ij->i", difference, difference)
    variance = float(squares.var())
    return 2 * float(squares.mean()) ** 2 / variance if variance > 0 else None
