"""Equal rows and rows equal up to rounding: against numpy and a plain union of close pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ibc_report.geometry.neighbors.duplicates import groups_of_equal, merge_close
from ibc_report.geometry.neighbors.points import Points
from tests.support.samples import few_properties


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


def on_line(places: list[int]) -> Points:
    """Whole numbers as points of a line."""
    return Points(np.array(places, dtype=float)[:, None], 1.0, np.arange(len(places)))


@few_properties
@given(st.lists(st.integers(0, 60), min_size=3, max_size=14, unique=True), st.integers(0, 4))
def test_groups_that_are_close_are_joined(places: list[int], threshold: int) -> None:
    """No two points that stand for groups are close, and a group hangs together by close points."""
    found = merge_close(on_line(places), np.arange(len(places)), threshold)
    firsts = [list(found).index(group) for group in range(found.max() + 1)]
    assert firsts == sorted(firsts)
    apart = np.abs(np.subtract.outer(places, places)) > threshold
    assert apart[np.ix_(firsts, firsts)][~np.eye(len(firsts), dtype=bool)].all()
    for group in range(found.max() + 1):
        members = np.sort(np.array(places)[found == group])
        assert (np.diff(members) <= threshold).all()


def test_close_pairs_are_found_among_many(rng: np.random.Generator) -> None:
    """Scattered pairs, and a heap of points equal up to rounding, are groups; points a little further apart are not."""
    vectors = rng.standard_normal((3000, 20))
    vectors[1000:1100] = vectors[:100] + 1e-9 * rng.standard_normal((100, 20))
    vectors[2000:2600] = vectors[500] + 1e-10 * rng.standard_normal((600, 20))
    vectors[2700] = vectors[2701] + 1e-6
    found = merge_close(Points(vectors, 1.0, np.arange(3000)), np.arange(3000), 1e-7)
    assert found.max() + 1 == 3000 - 100 - 600
    assert (found[1000:1100] == found[:100]).all()
    assert (found[2000:2600] == found[500]).all()
    assert found[2700] != found[2701]


def test_groups_that_there_are_stay_together() -> None:
    """Points that were one group before are one after, and a group of far points goes with its first."""
    found = merge_close(on_line([0, 50, 1, 20]), np.array([4, 4, 7, 9]), 1.0)
    assert found.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("threshold", [0.0, 0.5])
def test_points_that_are_apart_are_left_alone(threshold: float) -> None:
    """Where no two points are within the threshold there is nothing to merge."""
    assert merge_close(on_line([0, 1, 2]), np.arange(3), threshold).tolist() == [0, 1, 2]
