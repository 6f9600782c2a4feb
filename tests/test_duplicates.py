"""Equal rows and rows equal up to rounding: against numpy and a plain union of close pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ibc_report.geometry.duplicates import groups_of_equal, merge_close
from tests.samples import few_properties


@few_properties
@given(arrays(np.float64, st.tuples(st.integers(1, 30), st.integers(1, 3)), elements=st.sampled_from([0.0, -0.0, 1.5])))
def test_groups_are_the_distinct_rows_in_order_of_first_sight(vectors: np.ndarray) -> None:
    """Two rows share a group exactly if they are equal, −0.0 being 0.0, and groups count up from the first row."""
    groups = groups_of_equal(vectors)
    equal = (vectors[:, None, :] == vectors[None, :, :]).all(axis=2)
    assert ((groups[:, None] == groups[None, :]) == equal).all()
    firsts = [list(groups).index(group) for group in range(groups.max() + 1)]
    assert firsts == sorted(firsts)


def test_bytes_are_grouped_too() -> None:
    """Pixels are compared as they are stored, without a copy to float."""
    pixels = np.array([[1, 2], [1, 3], [1, 2]], dtype=np.uint8)
    assert groups_of_equal(pixels).tolist() == [0, 1, 0]


@few_properties
@given(st.lists(st.integers(0, 60), min_size=3, max_size=14, unique=True), st.integers(0, 4))
def test_chains_of_close_points_are_one_group(places: list[int], threshold: int) -> None:
    """On a line, points are one group exactly if all gaps between them are within the threshold."""
    points = np.array(places, dtype=float)
    distances = np.abs(points[:, None] - points[None, :])
    np.fill_diagonal(distances, np.inf)
    order = np.argsort(distances, axis=1, kind="stable")[:, :2]
    found = merge_close(np.take_along_axis(distances, order, axis=1), order, threshold)
    on_line = np.sort(points)
    links = np.concatenate([[0], np.cumsum(np.diff(on_line) > threshold)])
    expected = links[np.searchsorted(on_line, points)]
    if (np.diff(on_line) > threshold).all():
        assert found is None
        return
    assert found is not None
    assert ((found[:, None] == found[None, :]) == (expected[:, None] == expected[None, :])).all()
    firsts = [list(found).index(group) for group in range(found.max() + 1)]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize("threshold", [0.0, 0.5])
def test_points_that_are_apart_are_left_alone(threshold: float) -> None:
    """Where no two points are within the threshold there is nothing to merge."""
    assert merge_close(np.array([[1.0], [1.0]]), np.array([[1], [0]]), threshold) is None
