"""Leading coordinates: the widest axes about the classes' means, of few rows, many features, and bytes."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report.geometry import Points
from ibc_report.geometry.leading_coordinates import centred_by_class, classes_of, leading_coordinates


def test_coordinates_are_the_widest_axes() -> None:
    """Of rotated axes of widths 9, 3 and 1 the first two are found, each class about its mean."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 800)
    flat = rng.standard_normal((800, 3)) * [1.0, 9.0, 3.0]
    turned = flat @ np.linalg.qr(rng.standard_normal((12, 3)))[0].T + 100 * labels[:, None]
    found = leading_coordinates(Points(turned, 1.0, np.arange(800), labels), 2)
    assert found.shape == (800, 2)
    assert found.std(axis=0) == pytest.approx([9, 3], rel=0.1)
    assert abs(np.corrcoef(found[:, 0], flat[:, 1])[0, 1]) > 0.99
    assert np.abs([found[labels == label].mean(axis=0) for label in range(3)]).max() < 1e-9


def test_the_sample_hangs_on_rows_not_on_their_order() -> None:
    """Axes of many points are those of a sample by row number: the order of the points changes nothing."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((3000, 4)) * [4.0, 2.0, 1.0, 1.0]
    order = rng.permutation(3000)
    one = leading_coordinates(Points(x, 1.0, np.arange(3000)), 2)
    other = leading_coordinates(Points(x[order], 1.0, order), 2)
    assert np.abs(one[order]) == pytest.approx(np.abs(other), abs=1e-8)


def test_more_features_than_rows() -> None:
    """Rows that span a few directions of many features keep their distances in as many coordinates."""
    x = np.random.default_rng(2).standard_normal((6, 50))
    found = leading_coordinates(Points(x, 1.0, np.arange(6)), 10)
    assert found.shape == (6, 5)
    assert np.linalg.norm(found[0] - found[1]) == pytest.approx(np.linalg.norm(x[0] - x[1]))


def test_bytes_come_in_the_units_of_the_features() -> None:
    """Stored integers are multiplied by their unit, and none overflows."""
    pixels = np.array([[0, 0], [250, 0], [0, 10]], np.uint8)
    found = leading_coordinates(Points(pixels, 0.1, np.arange(3)), 2)
    assert np.linalg.norm(found[0] - found[1]) == pytest.approx(25)


def test_classes_of_one_row_have_no_coordinates() -> None:
    """Where nothing varies within a class there is no axis."""
    points = Points(np.random.default_rng(0).random((4, 2)), 1.0, np.arange(4), np.arange(4))
    assert leading_coordinates(points, 3).shape == (4, 0)
    assert centred_by_class(np.ones((4, 0)), np.arange(4)).shape == (4, 0)
    assert classes_of(Points(points.vectors, 1.0, points.rows)).tolist() == [0, 0, 0, 0]
