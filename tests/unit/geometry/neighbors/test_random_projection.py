"""Random projections of very many features."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from ibc_report.geometry.neighbors import random_projection


@pytest.mark.parametrize("n", [100, 60_000, 1_281_167])
def test_the_bound_solves_its_equation(n: int) -> None:
    """The stated distortion is the one at which the theorem asks for just as many components."""
    epsilon = random_projection.distortion(n)
    assert 6 * np.log(n) / (epsilon**2 / 2 - epsilon**3 / 3) == pytest.approx(random_projection.REDUCED_FEATURES)


def test_a_bound_that_says_nothing_is_one() -> None:
    """With too few components for any guarantee the distortion is said to be 1."""
    assert random_projection.distortion(10**9, components=16) == 1.0


@pytest.mark.long
def test_squared_distances_keep_within_the_bound() -> None:
    """All squared distances of points with many features keep within the stated share, sparse points among them."""
    generator = np.random.default_rng(0)
    vectors = generator.integers(0, 256, size=(60, 20_000), dtype=np.uint8)
    vectors[:20] = 0
    vectors[np.arange(20), np.arange(20)] = 200
    reduced = random_projection.reduce(vectors, 1 / 255, seed=1)
    before, after = pdist(vectors / 255) ** 2, pdist(reduced.vectors) ** 2
    assert np.abs(after / before - 1).max() <= reduced.distortion
    assert reduced.features == 20_000


def test_a_projection_is_that_of_its_seed() -> None:
    """The same seed gives the same vectors, another one others; block sizes change them by rounding only."""
    vectors = np.random.default_rng(2).normal(size=(10, 300))
    first, again, other = (random_projection.reduce(vectors, 1.0, seed).vectors for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.allclose(first, other)
