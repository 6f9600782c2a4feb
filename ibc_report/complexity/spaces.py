"""The spaces on which hypotheses live: how many of them a resolution leaves, and how far points lie apart.

Source: Boopathy, Liu, Hwang, Ge, Mohammedsaleh, Fiete, "Model-agnostic Measure of Generalization
Difficulty", ICML 2023, https://proceedings.mlr.press/v202/boopathy23a.html. Everything is in natural
logarithms: the counts overflow a double from a dimension of about 150.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, hypot, isfinite, log, pi

from scipy.special import betaln, gammaln

from ibc_report.common.errors import InputError
from ibc_report.complexity.conventions import RELEASED, Convention

__all__ = ["Space", "highest_degree", "log_ball_volume", "log_eigenfunctions", "log_sphere_surface", "sphere", "torus"]


@dataclass(frozen=True, slots=True)
class Space:
    """What a space contributes to the bound.

    Parameters
    ----------
    kind : str
        "sphere" or "torus".
    dimension : float
        Intrinsic dimension m ≥ 1.
    band_limit : float
        Largest frequency M that the resolution leaves, in units of 1 / radius (sphere) or of 1 (torus).
    degree : float or None
        Degree K of the highest eigenfunction of the sphere.
    log_eigenfunctions : float
        ln of the number of eigenfunctions for one output on one component.
    log_lipschitz : float
        ln of the Lipschitz constant of a hypothesis with one output.
    log_transport : float
        ln of the transport distance W from the training points to a uniform density.
    """

    kind: str
    dimension: float
    band_limit: float
    degree: float | None
    log_eigenfunctions: float
    log_lipschitz: float
    log_transport: float


def highest_degree(band_limit: float, dimension: float) -> float:
    """Solve K(K + m − 1) = M² for the degree K.

    Parameters
    ----------
    band_limit : float
        M > 0.
    dimension : float
        m ≥ 1.

    Returns
    -------
    float
        K, in the form that keeps its precision where m is much larger than M.

    Examples
    --------
    >>> highest_degree(6.0, 1.0)
    6.0
    """
    # no square is taken, which could overflow or vanish
    return 2 * band_limit * (band_limit / (hypot(dimension - 1, 2 * band_limit) + (dimension - 1)))


def log_eigenfunctions(dimension: float, degree: float) -> float:
    """Natural log of the number of eigenfunctions on the m-sphere up to a degree.

    Parameters
    ----------
    dimension : float
        m ≥ 1, real.
    degree : float
        K ≥ 0, real.

    Returns
    -------
    float
        ln[C(m+K, m) + C(m+K−1, m)], continued to real arguments by the gamma function.

    Examples
    --------
    >>> from math import exp
    >>> round(exp(log_eigenfunctions(2, 10)))  # (K + 1)² on the ordinary sphere
    121
    """
    # ln Γ(m+K) − ln Γ(K+1) as a beta function: the two terms cancel almost wholly for a large degree.
    ratio = gammaln(dimension - 1) - betaln(dimension - 1, degree + 1) if dimension > 1 else 0.0
    return float(ratio + log(dimension + 2 * degree) - gammaln(dimension + 1))


def log_sphere_surface(dimension: float) -> float:
    """Natural log of the surface of the unit m-sphere, 2π^((m+1)/2) / Γ((m+1)/2).

    Examples
    --------
    >>> from math import exp, pi
    >>> round(exp(log_sphere_surface(2)) / pi, 12)
    4.0
    """
    return float(log(2) + (dimension + 1) / 2 * log(pi) - gammaln((dimension + 1) / 2))


def log_ball_volume(dimension: float) -> float:
    """Natural log of the volume of the unit m-ball, π^(m/2) / Γ(m/2 + 1).

    Examples
    --------
    >>> from math import exp, pi
    >>> round(exp(log_ball_volume(2)) / pi, 12)
    1.0
    """
    return float(dimension / 2 * log(pi) - gammaln(dimension / 2 + 1))


def sphere(
    *,
    n: float,
    radius: float,
    dimension: float,
    resolution: float,
    components: float = 1,
    convention: Convention = RELEASED,
) -> Space:
    """Disjoint m-spheres of one radius, one for each class.

    Parameters
    ----------
    n : float
        Training points on all spheres together.
    radius : float
        Radius R, in the units of the features.
    dimension : float
        Intrinsic dimension m ≥ 1.
    resolution : float
        Smallest distance δ at which a hypothesis has to change, in the same units.
    components : float
        Number of spheres c.
    convention : Convention
        How the band limit, the degree and the transport distance are taken.

    Raises
    ------
    InputError
        If radius / resolution leaves the range of a double.

    Examples
    --------
    >>> round(sphere(n=60000, radius=17.179, dimension=14, resolution=2.3987, components=10).degree, 2)
    38.97
    """
    band_limit = _band_limit(convention.band_factor, radius, resolution)
    degree = highest_degree(band_limit, dimension)
    if convention.integer_degree:
        degree = float(floor(degree))
    shared = log(components) if convention.transport == "classes" else 0.0
    return Space(
        kind="sphere",
        dimension=dimension,
        band_limit=band_limit,
        degree=degree,
        log_eigenfunctions=log_eigenfunctions(dimension, degree),
        log_lipschitz=log(degree) - log(radius) if degree > 0 else float("-inf"),
        log_transport=log(dimension / 6) / 2
        + log(radius)
        + (shared + log_sphere_surface(dimension) - log(n)) / dimension,
    )


def torus(*, n: float, dimension: float, resolution: float, band_factor: float = 2 * pi) -> Space:
    """The m-torus of side 2π.

    Parameters
    ----------
    n : float
        Training points.
    dimension : float
        Intrinsic dimension m ≥ 1.
    resolution : float
        Smallest distance δ at which a hypothesis has to change.
    band_factor : float
        The band limit is this number over the resolution.

    Raises
    ------
    InputError
        If 1 / resolution leaves the range of a double.

    Examples
    --------
    >>> torus(n=1e6, dimension=6, resolution=1e-3).kind
    'torus'
    """
    band_limit = _band_limit(band_factor, 1.0, resolution)
    return Space(
        kind="torus",
        dimension=dimension,
        band_limit=band_limit,
        degree=None,
        log_eigenfunctions=log_ball_volume(dimension) + dimension * log(band_limit),
        log_lipschitz=log(band_limit),
        log_transport=log(dimension / 6) / 2 + log(2 * pi) - log(n) / dimension,
    )


def _band_limit(factor: float, radius: float, resolution: float) -> float:
    found = factor * (radius / resolution)
    if not isfinite(found) or found == 0:
        raise InputError(
            f"the ratio of {radius:g} to the resolution {resolution:g} leaves the range of a double; check their units"
        )
    return found
