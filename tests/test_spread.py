"""The global dimension: against closed forms of known spaces."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ibc_report.geometry import Points
from ibc_report.geometry.spread import global_dimension


def whole(vectors: NDArray[np.float64], seed: int = 0) -> float | None:
    """The global dimension of some vectors."""
    return global_dimension(Points(np.ascontiguousarray(vectors), 1.0, np.arange(len(vectors))), seed=seed)


@pytest.mark.parametrize("dimension", [2, 10, 40])
def test_known_spaces_have_their_closed_forms(dimension: int) -> None:
    """A Gaussian has m, a sphere 2(m + 1), a flat torus 4m and a cube 10m/7, within 5 %."""
    generator = np.random.default_rng(dimension)
    normal = generator.normal(size=(6000, dimension + 1))
    angles = generator.uniform(0, 2 * np.pi, size=(6000, dimension))
    assert whole(normal[:, :-1]) == pytest.approx(dimension, rel=0.05)
    assert whole(normal / np.linalg.norm(normal, axis=1, keepdims=True)) == pytest.approx(2 * (dimension + 1), rel=0.05)
    assert whole(np.hstack([np.cos(angles), np.sin(angles)])) == pytest.approx(4 * dimension, rel=0.05)
    assert whole(generator.uniform(size=(6000, dimension))) == pytest.approx(10 * dimension / 7, rel=0.05)


def test_a_gaussian_of_unequal_axes_has_its_participation_ratio() -> None:
    """It is (tr Σ)²/tr Σ² of the covariance, in few points too, which pair up more often."""
    scales = np.array([3.0, 2.0, 2.0, 1.0, 0.5, 0.1])
    variances = scales**2
    ratio = variances.sum() ** 2 / (variances**2).sum()
    assert whole(np.random.default_rng(1).normal(size=(900, 6)) * scales) == pytest.approx(ratio, rel=0.08)


def test_two_clusters_have_few_dimensions() -> None:
    """Far clusters make distances vary most of all: two of them have a global dimension of 2."""
    generator = np.random.default_rng(2)
    vectors = generator.normal(size=(2000, 20)) + 1000 * generator.integers(0, 2, size=(2000, 1))
    # half of the squared distances are 0 and half 1: 2 (1/2)²/(1/4)
    assert whole(vectors) == pytest.approx(2, rel=0.05)


def test_pixels_count_in_their_unit() -> None:
    """Integers are not squared in eight bits, and a unit cancels."""
    pixels = np.random.default_rng(3).integers(0, 256, size=(500, 30), dtype=np.uint8)
    stored = global_dimension(Points(pixels, 1 / 255, np.arange(500)), seed=0)
    assert stored == pytest.approx(whole(pixels.astype(np.float64)), rel=1e-12)


def test_equal_distances_have_none() -> None:
    """One-hot vectors are all equally far, and two points have one distance."""
    assert whole(np.eye(12)) is None
    assert whole(np.array([[0.0], [3.0]])) is None
