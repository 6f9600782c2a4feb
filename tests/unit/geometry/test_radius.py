"""Norms: against numpy in one go, and the digits of the reference values."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ibc_report.common import resources
from ibc_report.geometry import Points
from ibc_report.geometry.alternatives import _radii
from ibc_report.geometry.radius import centred_radius, norms
from tests.support.samples import few_properties


@few_properties
@given(arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 6)), elements=st.floats(-1e6, 1e6)))
def test_norms_are_those_of_numpy(vectors: np.ndarray) -> None:
    """Radius, mean, deviation, centre and high quantile are numpy's on the whole matrix."""
    found = norms(Points(vectors, 1.0, np.arange(len(vectors))))
    lengths = np.linalg.norm(vectors, axis=1)
    assert found.radius == pytest.approx(lengths.max(), rel=1e-12)
    assert found.mean == pytest.approx(lengths.mean(), rel=1e-12)
    assert found.deviation == pytest.approx(lengths.std(), rel=1e-9, abs=1e-9)
    assert found.centre == pytest.approx(np.linalg.norm(vectors.mean(axis=0)), rel=1e-9, abs=1e-9)
    assert found.high == pytest.approx(np.quantile(lengths, 0.999), rel=1e-12)
    assert lengths[found.radius_row] == pytest.approx(found.radius, rel=1e-12)


def test_pixels_are_exact_and_in_their_unit() -> None:
    """Squared norms of bytes are whole numbers: R is the square root of the exact one, times the unit."""
    pixels = np.full((3, 5000), 255, dtype=np.uint8)
    pixels[0, 0] = 254
    found = norms(Points(pixels, 1 / 255, np.array([4, 8, 9])))
    assert found.radius == np.sqrt(5000 * 255**2) * (1 / 255)
    assert found.radius_row == 8


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are read in blocks, whose size changes no number beyond rounding."""
    vectors = np.random.default_rng(3).normal(size=(100, 7))
    points = Points(vectors, 1.0, np.arange(100))
    whole = norms(points)
    monkeypatch.setattr(resources, "BLOCK_BYTES", 7 * 7 * 8)
    blocks = norms(points)
    assert (blocks.radius, blocks.radius_row, blocks.mean) == (whole.radius, whole.radius_row, whole.mean)
    assert blocks.centre == pytest.approx(whole.centre, rel=1e-12)


def test_the_first_of_equal_norms_is_named() -> None:
    """Where several rows have the largest norm, the first is the one that a card names."""
    assert norms(Points(np.array([[0.0, 1.0], [3.0, 4.0], [5.0, 0.0]]), 1.0, np.arange(3))).radius_row == 1


def test_long_rows_are_read_few_at_a_time() -> None:
    """The norms of pictures take a few blocks of memory, far less than all pixels as floating numbers."""
    pixels = np.random.default_rng(5).integers(0, 256, size=(240, 256 * 256 * 3), dtype=np.uint8)
    points = Points(pixels, 1 / 255, np.arange(240))
    tracemalloc.start()
    try:
        found = norms(points).radius, *_radii(points), centred_radius(points).radius
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3.2 * resources.BLOCK_BYTES < 8 * pixels.size
    lengths = np.array([np.linalg.norm(row.astype(np.float64)) for row in pixels]) / 255
    assert found[0] == pytest.approx(lengths.max(), rel=1e-12)
    assert found[2] == pytest.approx(np.sort(lengths)[-2], rel=1e-12)
