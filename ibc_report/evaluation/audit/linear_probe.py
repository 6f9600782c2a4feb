"""A linear probe in closed form: ridge regression on indicators of the classes, its penalty by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from ibc_report.common import sampling
from ibc_report.common.resources import single_blas, slices
from ibc_report.geometry import Points

__all__ = ["MOST_ROWS", "Features", "LinearProbe", "features_of", "fit_probe"]

MOST_ROWS = 10_000
"""Training rows that a probe takes."""

MOST_FEATURES = 1_024
"""Coordinates up to which a probe takes all of them; their principal components where there are more."""

COMPONENTS = 512

COMPONENT_ROWS = 1_024
"""Training rows that the principal components are those of."""

PENALTIES = np.logspace(-4, 3, 15)
"""Penalties that are tried, in units of the mean eigenvalue of the Gram matrix."""

BLOCK_ELEMENTS = 2**22

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What a probe sees of a vector: its coordinates, or their principal components.

    Parameters
    ----------
    mean : ndarray of float64, shape (features,)
        Taken off before the projection; 0 without one.
    directions : ndarray of float64, shape (features, components), or None
        Principal directions; None where all coordinates are taken.
    """

    mean: _Floats
    directions: _Floats | None

    @property
    def standardise(self) -> bool:
        """Whether a probe is to bring the features to one spread: made equal, small components would be all noise."""
        return self.directions is None

    def of(self, points: Points, positions: NDArray[np.int64]) -> _Floats:
        """Read the features of some points.

        Parameters
        ----------
        positions : ndarray of int64
            Which of them.

        Returns
        -------
        ndarray of float64, shape (positions, features or components)
        """
        width = points.dimension if self.directions is None else self.directions.shape[1]
        out = np.empty((len(positions), width))
        for part in slices(len(positions), max(1, BLOCK_ELEMENTS // points.dimension)):
            vectors = points.read(positions[part]).astype(np.float64)
            out[part] = vectors if self.directions is None else (vectors - self.mean) @ self.directions
        return out


@dataclass(frozen=True, slots=True, eq=False)
class LinearProbe:
    """Scores of the classes that are linear in the features.

    Parameters
    ----------
    mean, scale : ndarray of float64, shape (features,)
        Of the training rows; the scale is 1 where features keep their own.
    weights : ndarray of float64, shape (features, classes)
        Of the features less their mean, over their scale.
    offset : ndarray of float64, shape (classes,)
        Share of each class among the training rows.
    classes : ndarray of int64, shape (classes,)
        Codes that occurred among them.
    penalty : float
        λ of the squared weights.
    """

    mean: _Floats
    scale: _Floats
    weights: _Floats
    offset: _Floats
    classes: NDArray[np.int64]
    penalty: float

    def predict(self, features: _Floats) -> NDArray[np.int64]:
        """Predict the class of each row.

        Parameters
        ----------
        features : ndarray of float64, shape (n, features)

        Returns
        -------
        ndarray of int64, shape (n,)
            The class with the highest score, the lowest code of several.
        """
        with single_blas():
            scores = ((features - self.mean) / self.scale) @ self.weights + self.offset
        return np.asarray(self.classes[scores.argmax(axis=1)])


def features_of(train: Points, seed: int) -> Features:
    """Choose what probes see of a training set.

    Returns
    -------
    Features
        All coordinates up to 1,024 of them; beyond, the first 512 principal components of 1,024 hash-sampled rows,
        which need no labels.
    """
    nothing = np.zeros(train.dimension)
    if train.dimension <= MOST_FEATURES:
        return Features(nothing, None)
    positions = np.searchsorted(train.rows, sampling.chosen(train.rows, COMPONENT_ROWS, seed))
    vectors = train.read(positions).astype(np.float64)
    mean = vectors.mean(axis=0)
    vectors -= mean
    with single_blas():
        values, left = eigh(vectors @ vectors.T)
        kept = np.flatnonzero(values > values[-1] * 1e-10)[::-1][:COMPONENTS]
        directions = vectors.T @ (left[:, kept] / np.sqrt(values[kept]))
    return Features(mean, np.ascontiguousarray(directions)) if len(kept) else Features(nothing, None)


def fit_probe(features: _Floats, codes: NDArray[np.int64], *, standardise: bool = True) -> LinearProbe:
    """Fit a linear probe; the penalty is the one with the least generalised cross-validation error.

    GCV(λ) = n·RSS(λ) / (n − 1 − tr H(λ))² (Golub, Heath and Wahba, Technometrics 1979, DOI
    10.1080/00401706.1979.10489751): no part of the rows has to be set aside, and one eigendecomposition serves all
    penalties.

    Parameters
    ----------
    features : ndarray of float64, shape (n, features)
        At least one row.
    codes : ndarray of int64, shape (n,)
        Classes.

    Returns
    -------
    LinearProbe
        With one class only, it always predicts that.

    Examples
    --------
    >>> probe = fit_probe(np.array([[0.0], [1.0], [9.0], [10.0]]), np.array([4, 4, 7, 7]))
    >>> probe.predict(np.array([[2.0], [8.0]])).tolist()
    [4, 7]
    """
    n, width = features.shape
    classes, place = np.unique(codes, return_inverse=True)
    targets: _Floats = (place.reshape(-1)[:, None] == np.arange(len(classes))).astype(np.float64)
    offset = targets.mean(axis=0)
    targets -= offset
    mean, scale = features.mean(axis=0), features.std(axis=0)
    # a spread of nothing but rounding carries no signal
    some = scale > 1e-12 * np.maximum(np.abs(mean), 1e-300)
    scale = np.where(some, scale if standardise else 1.0, np.inf)
    rows = (features - mean) / scale
    with single_blas():
        wide = width >= n
        values, vectors = eigh(rows @ rows.T if wide else rows.T @ rows, driver="evd")
        values = np.maximum(values, 0.0)
        crossed = vectors.T @ (targets if wide else rows.T @ targets)
        penalty = _least(values, crossed, float((targets**2).sum()), n, wide)
        solved = vectors @ (crossed / (values + penalty)[:, None])
        weights = rows.T @ solved if wide else solved
    return LinearProbe(mean, scale, weights, offset, np.asarray(classes), penalty)


def _least(values: _Floats, crossed: _Floats, total: float, n: int, wide: bool) -> float:
    """The penalty with the least GCV, the largest of several."""
    unit = float(values.mean()) or 1.0
    squares: Any = (crossed**2).sum(axis=1)
    best, chosen = np.inf, unit * float(PENALTIES[-1])
    for share in PENALTIES[::-1]:
        penalty = unit * float(share)
        shrunk = values + penalty
        if wide:
            left = float((squares * (penalty / shrunk) ** 2).sum())
        else:
            left = max(0.0, total - float((squares * (values + 2 * penalty) / shrunk**2).sum()))
        freedom = n - 1 - float((values / shrunk).sum())
        if freedom <= 0:
            continue
        score = n * left / freedom**2
        # a difference that is rounding would let the machine choose
        if score < best * (1 - 1e-9):
            best, chosen = score, penalty
    return chosen
