"""The dimension by class, and when classes differ."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report.geometry.heterogeneity import class_spread
from tests.test_evenness import radii

LABELS = np.arange(3000) % 3


def test_classes_of_one_dimension_do_not_differ() -> None:
    """Over 40 draws of one dimension the probability is never small, and the spread stays below 3 %."""
    found = [class_spread(radii(3000, 20, 6.0, seed=seed), LABELS) for seed in range(40)]
    assert all(one is not None and one.probability > 1e-3 and one.spread < 0.03 for one in found)


def test_classes_of_several_dimensions_do() -> None:
    """Classes of dimension 4, 5 and 6 come out with the spread of their inverses."""
    found = class_spread(radii(3000, 20, np.array([[4.0], [5.0], [6.0]] * 1000)), LABELS)
    assert found is not None
    assert found.classes == 3
    inverse = 1 / np.array([4, 5, 6])
    assert found.spread == pytest.approx(inverse.std(ddof=1) / inverse.mean(), rel=0.15)
    assert found.probability < 1e-9


def test_small_classes_are_left_out() -> None:
    """A class of 29 points is not compared, and one class alone has nothing to differ from."""
    distances = radii(100, 20, 3.0)
    assert class_spread(distances, (np.arange(100) < 29).astype(np.int64)) is None
    found = class_spread(distances, (np.arange(100) < 30).astype(np.int64))
    assert found is not None
    assert found.classes == 2


def test_few_neighbours_tell_nothing() -> None:
    """Without ten neighbours, or with a class whose neighbours are all equally far, nothing is said."""
    assert class_spread(radii(100, 9, 3.0), np.arange(100) % 2) is None
    even = radii(100, 20, 3.0)
    even[::2] = 1
    assert class_spread(even, np.arange(100) % 2) is None
