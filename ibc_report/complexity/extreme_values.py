"""The law of a sample minimum: how far its logarithm lies from where it is expected.

Near their lower end, distances r are taken to be counted by a power of r: the number below r grows like r^κ. The
smallest is then a Weibull variable, and κ·ln δ less its mean is a centred log-exponential with a long left tail
(Coles, "An Introduction to Statistical Modeling of Extreme Values", 2001, DOI 10.1007/978-1-4471-3675-0, section 3).
Where the distances end above 0, at a gap g, it is r − g that follows a power; the logarithm then has the same scale
1/κ at its minimum and a curvature ξ, one over the exponent of r − g, that shortens the left tail.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, inf, isinf, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, gammaln

__all__ = ["Law", "TailTerm", "known"]

FLAT = 1e-9
"""A curvature below this is that of a pure power law."""


@dataclass(frozen=True, slots=True)
class TailTerm:
    """One way in which the distances may end, with what is known of it.

    Parameters
    ----------
    weight : float
        Probability of this way, in (0, 1].
    exponent : float
        Mean of the exponent κ, at the minimum: d ln(count) / d ln(distance).
    shape : float
        Shape of the gamma distribution of κ, more than 2: about how many observations it rests on; inf where κ is
        known.
    curvature : float
        ξ ≥ 0; 0 for a power law that goes down to 0.

    Examples
    --------
    >>> round(TailTerm(1.0, 14.0, inf, 0.0).sd, 4)
    0.0916
    """

    weight: float
    exponent: float
    shape: float
    curvature: float

    @property
    def sd(self) -> float:
        """Standard deviation of ln of the minimum, the uncertainty of κ included; inf at a shape of at most 2."""
        xi = self.curvature
        if xi < FLAT:
            one = pi / sqrt(6)
        else:
            # a difference of two nearly equal gamma functions for a small ξ
            one = exp(float(gammaln(1 + xi))) * sqrt(np.expm1(gammaln(1 + 2 * xi) - 2 * gammaln(1 + xi))) / xi
        if isinf(self.shape):
            return one / self.exponent
        if self.shape <= 2:
            return inf
        return one / self.exponent * self.shape / sqrt((self.shape - 1) * (self.shape - 2))

    def shift(self, ratio: float) -> float:
        """By how much ln of the minimum is expected to grow where there are fewer values by a ratio above 1."""
        xi = self.curvature
        if xi < FLAT:
            return log(ratio) / self.exponent
        return float(np.expm1(xi * log(ratio))) * exp(float(gammaln(1 + xi))) / (xi * self.exponent)

    def noise(self, first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far ln of the minimum lies from its expectation, at points of (0, 1)².

        Parameters
        ----------
        first, second : ndarray of float64, shape (n,)
            Levels of the exponent and of the minimum.
        """
        exponential = -np.log1p(-second)
        xi = self.curvature
        if xi < FLAT:
            centred = np.log(exponential) + np.euler_gamma
        else:
            centred = (exponential**xi - exp(float(gammaln(1 + xi)))) / xi
        if isinf(self.shape):
            return np.asarray(centred / self.exponent)
        return np.asarray(centred * self.shape / (self.exponent * gammaincinv(self.shape, first)))


@dataclass(frozen=True, slots=True)
class Law:
    """The law of one sample minimum (or, of the reciprocals, of a sample maximum).

    Parameters
    ----------
    terms : tuple of TailTerm
        Weights sum to 1.
    observations : int
        Order statistics that it was fitted to; 0 where it was declared.

    Examples
    --------
    >>> round(known(14.0).sd, 4), known(14.0).exponent
    (0.0916, 14.0)
    """

    terms: tuple[TailTerm, ...]
    observations: int

    @property
    def exponent(self) -> float:
        """κ at the minimum: the mean of the terms."""
        return sum(term.weight * term.exponent for term in self.terms)

    @property
    def shape(self) -> float:
        """Shape of the gamma distribution of κ: the mean of the terms."""
        return sum(term.weight * term.shape for term in self.terms)

    @property
    def sd(self) -> float:
        """Standard deviation of ln of the minimum."""
        return sqrt(sum(term.weight * term.sd**2 for term in self.terms))

    def noise(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far ln of the minimum lies from its expectation, at points of the unit cube.

        Parameters
        ----------
        points : ndarray of float64, shape (n, 3)
            Levels, in (0, 1), of the term, of its exponent and of the minimum.

        Returns
        -------
        ndarray of float64, shape (n,)
            The expectation is `ln δ − noise`, another sample's minimum about `ln δ + noise`.
        """
        ends = np.cumsum([term.weight for term in self.terms])
        which = np.minimum(np.searchsorted(ends, points[:, 0]), len(self.terms) - 1)
        found = np.empty(len(points))
        for place, term in enumerate(self.terms):
            here = which == place
            found[here] = term.noise(points[here, 1], points[here, 2])
        return found

    def shift(self, ratio: float) -> float:
        """By how much ln of the minimum is expected to grow where there are fewer values.

        Parameters
        ----------
        ratio : float
            How many times as many values there are now: (n / n′)² for the pairs of n and of n′ points.

        Returns
        -------
        float
            ln(ratio) / κ for a power law.

        Examples
        --------
        >>> round(known(14.0).shift(4.0), 4)  # pairs of half of the points
        0.099
        """
        return sum(term.weight * term.shift(ratio) for term in self.terms)

    def at(self, ratio: float) -> Law:
        """The law of the minimum of fewer values.

        Parameters
        ----------
        ratio : float
            As for `shift`.

        Returns
        -------
        Law
            The same for a power law; with a gap, the scale grows.
        """
        return Law(
            tuple(replace(term, exponent=term.exponent / ratio**term.curvature) for term in self.terms),
            self.observations,
        )


def known(exponent: float) -> Law:
    """Take the exponent as known: that of points which fill a manifold of that dimension.

    Parameters
    ----------
    exponent : float
        κ > 0.

    Examples
    --------
    >>> round(known(14.247).sd, 3)
    0.09
    """
    return Law((TailTerm(1.0, exponent, inf, 0.0),), 0)
