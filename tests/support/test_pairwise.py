"""The cases that stand for a product."""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.support.pairwise import pairwise


@pytest.mark.parametrize("sizes", [(1, 1), (3, 4), (2, 2, 2), (7, 23, 5), (3, 3, 3, 3), (2, 9, 4, 1)], ids=str)
def test_every_two_values_meet(sizes: tuple[int, ...]) -> None:
    """Each pair of values is in a case, no case is there twice, and little more than the largest pair asks."""
    values = [[f"{axis}{number}" for number in range(size)] for axis, size in enumerate(sizes)]
    cases = pairwise(*values)
    met = {pair for case in cases for pair in combinations(case, 2)}

    assert met == {(a, b) for one, other in combinations(values, 2) for a in one for b in other}
    assert len(set(cases)) == len(cases)
    largest = max(a * b for a, b in combinations(sizes, 2))
    assert largest <= len(cases) <= 1.4 * largest


def test_the_cases_repeat() -> None:
    """The same parameters give the same cases in the same order."""
    assert pairwise("abc", range(4), "xy") == pairwise("abc", range(4), "xy")
