"""Whether classes differ in dimension by more than chance, around their points at one scale."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from ibc_report.geometry.evenness import FIRST, LOCAL_K, mean_spacing, spacings

__all__ = ["ClassSpread", "class_spread"]

DEPENDENCE = 1.6
"""Standard error of a mean over points that share neighbours, over that of independent ones: neighbourhoods overlap."""

SMALLEST_CLASS = 30
"""Points from which a class is compared."""


@dataclass(frozen=True, slots=True)
class ClassSpread:
    """How the dimension differs by class.

    Parameters
    ----------
    classes : int
        Classes that were compared: those with at least 30 points that were asked.
    spread : float
        Standard deviation of 1/m between classes over its mean, noise taken out (DerSimonian, Laird 1986,
        DOI 10.1016/0197-2456(86)90046-2).
    probability : float
        Of Cochran's Q, were all classes of one dimension.
    """

    classes: int
    spread: float
    probability: float


def class_spread(distances: NDArray[np.float64], labels: NDArray[np.int64]) -> ClassSpread | None:
    """Compare the dimension around the points of each class.

    All classes are measured in the one table of neighbours at the same k, of any class, so that a small class has no
    other bias than a large one.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, k)
        To the neighbours of each point, ascending, above 0.
    labels : ndarray of int64, shape (n,)
        Class of each point.

    Returns
    -------
    ClassSpread or None
        None for fewer than two classes of at least 30 points, or fewer than 10 neighbours.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> powers = np.cumsum(rng.exponential(size=(2000, 10)), axis=1)
    >>> found = class_spread(powers ** (1 / np.array([[3.0], [4.0]] * 1000)), np.arange(2000) % 2)
    >>> round(found.spread, 1), found.probability < 0.001
    (0.2, True)
    """
    if mean_spacing(distances, LOCAL_K) is None:
        return None
    inverse = spacings(distances, LOCAL_K) / (LOCAL_K - FIRST)
    parts = [inverse[labels == label] for label in np.unique(labels)]
    parts = [part for part in parts if len(part) >= SMALLEST_CLASS]
    means = np.array([part.mean() for part in parts])
    errors = np.array([DEPENDENCE * part.std() / sqrt(len(part)) for part in parts])
    if len(parts) < 2 or not errors.all():
        return None
    weights = errors**-2
    middle = float(weights @ means / weights.sum())
    q = float(weights @ (means - middle) ** 2)
    between = (q - len(parts) + 1) / float(weights.sum() - (weights**2).sum() / weights.sum())
    return ClassSpread(len(parts), sqrt(max(between, 0.0)) / middle, float(chdtrc(len(parts) - 1, q)))
