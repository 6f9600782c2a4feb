"""Spaces: eigenfunctions against exact integers, degrees against their equation, volumes against closed forms."""

from __future__ import annotations

from dataclasses import replace
from math import comb, exp, inf, isfinite, log, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import InputError
from ibc_report.complexity.conventions import RELEASED
from ibc_report.complexity.spaces import (
    highest_degree,
    log_ball_volume,
    log_eigenfunctions,
    log_sphere_surface,
    sphere,
    torus,
)
from tests.support.samples import properties


@properties
@given(m=st.integers(1, 60), degree=st.integers(0, 300))
def test_eigenfunctions_are_the_exact_binomials(m: int, degree: int) -> None:
    """For whole m and K, ln E is that of C(m+K, m) + C(m+K−1, m) in Python's integers, to 1e-12 of it."""
    exact = comb(m + degree, m) + comb(m + degree - 1, m)
    assert log_eigenfunctions(m, degree) == pytest.approx(log(exact), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("m", "degree"),
    [(14, 10**6), (14, 10**12), (100, 10**9), (1000, 10**6), (10**4, 628), (10**4, 10**8)],
)
def test_eigenfunctions_keep_their_precision_where_counts_overflow(m: int, degree: int) -> None:
    """Where E is far beyond a double or K far beyond m, ln E still agrees with exact integers to 1e-8."""
    exact = comb(m + degree, m) + comb(m + degree - 1, m)
    assert log_eigenfunctions(m, degree) == pytest.approx(log(exact), rel=1e-11, abs=1e-8)


@properties
@given(degree=st.floats(0, 1e6))
def test_one_and_two_dimensions_have_closed_forms_for_real_degrees(degree: float) -> None:
    """On the circle E = 2K + 1 and on the sphere E = (K + 1)², for every real K."""
    assert log_eigenfunctions(1, degree) == pytest.approx(log(2 * degree + 1), rel=1e-12, abs=1e-12)
    assert log_eigenfunctions(2, degree) == pytest.approx(2 * log(degree + 1), rel=1e-9, abs=1e-12)


@properties
@given(m=st.floats(1, 1e4), degree=st.floats(0, 1e6))
def test_eigenfunctions_are_continuous_in_both_arguments(m: float, degree: float) -> None:
    """A step of 1e-7 in m or K moves ln E by no more than its slope allows, down to m = 1 and K = 0."""
    here = log_eigenfunctions(m, degree)
    # neither slope of ln E, ψ(m+K) − ψ(m+1) and ψ(m+K) − ψ(K+1) at most plus 4, reaches 20 in these ranges
    assert abs(log_eigenfunctions(m + 1e-7, degree) - here) < 2e-6 + 1e-12 * abs(here)
    assert abs(log_eigenfunctions(m, degree + 1e-7) - here) < 2e-6 + 1e-12 * abs(here)


@properties
@given(band_limit=st.floats(1e-6, 1e9), m=st.floats(1, 1e5))
def test_the_degree_solves_its_equation(band_limit: float, m: float) -> None:
    """K(K + m − 1) = M² holds to rounding for every M and m, also where m is much larger than M."""
    degree = highest_degree(band_limit, m)
    assert degree * (degree + m - 1) == pytest.approx(band_limit**2, rel=1e-9)


@pytest.mark.parametrize("band_limit", [1e-300, 1e-160, 1e160, 1e300])
def test_the_degree_neither_overflows_nor_vanishes(band_limit: float) -> None:
    """No square of M is taken: the degree on the circle is M itself over the whole range of a double."""
    assert highest_degree(band_limit, 1) == pytest.approx(band_limit)


@pytest.mark.parametrize(
    ("m", "surface"), [(1, 2 * pi), (2, 4 * pi), (3, 2 * pi**2), (4, 8 * pi**2 / 3), (5, pi**3)], ids=str
)
def test_surfaces_of_spheres(m: int, surface: float) -> None:
    """The unit m-sphere has the surface that geometry gives: 2π, 4π, 2π², …."""
    assert exp(log_sphere_surface(m)) == pytest.approx(surface, rel=1e-12)


@pytest.mark.parametrize(
    ("m", "volume"), [(1, 2), (2, pi), (3, 4 * pi / 3), (4, pi**2 / 2), (5, 8 * pi**2 / 15)], ids=str
)
def test_volumes_of_balls(m: int, volume: float) -> None:
    """The unit m-ball has the volume that geometry gives: 2, π, 4π/3, …."""
    assert exp(log_ball_volume(m)) == pytest.approx(volume, rel=1e-12)


def test_the_sphere_has_its_terms() -> None:
    """On S² with R = 2, δ = π, n = 100, c = 4: M = 4, K from its equation, L_f = K/R, W = √(m/6)·R·(c·4π/n)^(1/2)."""
    space = sphere(n=100, radius=2, dimension=2, resolution=pi, components=4)
    degree = (sqrt(65) - 1) / 2
    assert space.band_limit == pytest.approx(4)
    assert space.degree == pytest.approx(degree)
    assert exp(space.log_eigenfunctions) == pytest.approx((degree + 1) ** 2)
    assert exp(space.log_lipschitz) == pytest.approx(degree / 2)
    assert exp(space.log_transport) == pytest.approx(sqrt(1 / 3) * 2 * sqrt(4 * 4 * pi / 100))


def test_the_torus_has_its_terms() -> None:
    """On the 2-torus with δ = 2π/5, n = 100: N = π·5², L_f = 2π/δ and W = √(m/6)·2π·n^(−1/2)."""
    space = torus(n=100, dimension=2, resolution=2 * pi / 5)
    assert space.degree is None
    assert exp(space.log_eigenfunctions) == pytest.approx(25 * pi)
    assert exp(space.log_lipschitz) == pytest.approx(5)
    assert exp(space.log_transport) == pytest.approx(sqrt(1 / 3) * 2 * pi / 10)


def test_a_transport_over_all_points_does_not_see_the_components() -> None:
    """With a plain transport, W is that of one component."""
    plain = replace(RELEASED, transport="plain")
    several = sphere(n=100, radius=2, dimension=3, resolution=1, components=7, convention=plain)
    assert several.log_transport == sphere(n=100, radius=2, dimension=3, resolution=1).log_transport


@properties
@given(m=st.floats(1, 1e4), ratio=st.floats(1e-3, 1e6), n=st.floats(1, 1e12))
def test_terms_are_finite_up_to_ten_thousand_dimensions(m: float, ratio: float, n: float) -> None:
    """All logarithms of a space are finite for m up to 1e4 and R/δ from 1e-3 to 1e6."""
    for space in (
        sphere(n=n, radius=ratio, dimension=m, resolution=1, components=10),
        torus(n=n, dimension=m, resolution=1 / ratio),
    ):
        assert all(isfinite(x) for x in (space.log_eigenfunctions, space.log_lipschitz, space.log_transport))
        assert space.log_eigenfunctions < inf


@pytest.mark.parametrize(("radius", "resolution"), [(1e300, 1e-300), (1e-300, 1e300)], ids=["over", "under"])
def test_a_ratio_beyond_doubles_is_refused(radius: float, resolution: float) -> None:
    """R/δ that overflows or vanishes is refused in one line, on the sphere and on the torus."""
    with pytest.raises(InputError, match="leaves the range of a double"):
        sphere(n=10, radius=radius, dimension=3, resolution=resolution)
    with pytest.raises(InputError, match="leaves the range of a double"):
        torus(n=10, dimension=3, resolution=5e-324)
