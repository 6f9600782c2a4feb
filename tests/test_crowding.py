"""Near duplicates: their expectation on even densities, and planted ones."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report.geometry.crowding import near_duplicates
from tests.test_evenness import radii


@pytest.mark.parametrize("dimension", [1.0, 5.0, 40.0])
def test_an_even_density_has_the_share_that_is_expected(dimension: float) -> None:
    """One point in a thousand of exact Poisson neighbourhoods is that near: 40 of 40,000, with a deviation of 6."""
    found = near_duplicates(radii(40_000, 10, dimension))
    assert found is not None
    assert found.expected == 40
    assert 15 <= found.count <= 65
    assert found.probability > 1e-3


@pytest.mark.parametrize("dimension", [2.0, 20.0])
def test_planted_near_duplicates_are_counted(dimension: float) -> None:
    """Fifty points whose nearest neighbour is a hundredth as far are found, and no chance."""
    distances = radii(1000, 10, dimension)
    distances[:50, 0] *= 1e-2
    found = near_duplicates(distances)
    assert found is not None
    assert 50 <= found.count <= 55
    assert found.probability < 1e-6


def test_few_neighbours_tell_nothing() -> None:
    """Without ten neighbours, or with all of them equally far, nothing is said."""
    assert near_duplicates(radii(100, 9, 2.0)) is None
    assert near_duplicates(np.ones((100, 12))) is None
