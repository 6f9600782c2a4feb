"""Rows beyond the law of the norms: planted ones are found however many, and clean clouds have none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from ibc_report.geometry import Points
from ibc_report.geometry import far_rows as module
from ibc_report.geometry.far_rows import FarRows, far_rows

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]


def _sphere(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    vectors = rng.normal(size=(n, 7))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


CLEAN: dict[str, Draw] = {
    "gaussian": lambda rng, n: rng.normal(size=(n, 5)),
    "one feature": lambda rng, n: rng.normal(size=(n, 1)),
    "uniform": lambda rng, n: rng.random((n, 4)),
    "sphere": _sphere,
    "t with 3 degrees": lambda rng, n: rng.normal(size=(n, 5)) / np.sqrt(rng.chisquare(3, (n, 1)) / 3),
    "lognormal": lambda rng, n: np.exp(rng.normal(size=(n, 5))),
    "power-law axes": lambda rng, n: rng.normal(size=(n, 12)) / np.arange(1, 13),
    "whole numbers": lambda rng, n: rng.poisson(2.0, (n, 6)).astype(np.float64),
}


def found_in(vectors: NDArray[np.float64], labels: NDArray[np.int64] | None = None) -> FarRows:
    """What is found among vectors, of which there are enough for a law."""
    found = far_rows(Points(np.ascontiguousarray(vectors), 1.0, np.arange(len(vectors)), labels))
    assert found is not None
    return found


@pytest.mark.parametrize("name", CLEAN)
@pytest.mark.parametrize("n", [100, 1500])
def test_clean_clouds_have_no_row_far_out(name: str, n: int) -> None:
    """Of twenty draws at most one has such rows, also where tails are heavy or norms are whole numbers."""
    draws = [found_in(CLEAN[name](np.random.default_rng([7, seed]), n)) for seed in range(20)]
    assert sum(one.factor > 1.2 for one in draws) <= 1


@pytest.mark.parametrize(("n", "planted"), [(500, 2), (500, 4), (1000, 10), (1000, 30), (1000, 50), (100, 4)])
@pytest.mark.parametrize("name", ["gaussian", "uniform", "sphere"])
def test_rows_at_ten_times_their_norm_do_not_hide_each_other(name: str, n: int, planted: int) -> None:
    """Two rows, four, one in a hundred and one in twenty are found in nineteen of twenty draws."""
    found = 0
    for seed in range(20):
        rng = np.random.default_rng([8, seed])
        vectors = CLEAN[name](rng, n)
        vectors[rng.permutation(n)[:planted]] *= 10
        found += found_in(vectors).factor > 1.2
    assert found >= 19


def test_the_rows_are_named_and_the_factor_is_that_of_the_others() -> None:
    """Of a unit sphere the rows at 3, 2.5 and 2 are named, the furthest first."""
    vectors = _sphere(np.random.default_rng(0), 400)
    vectors[[30, 10, 20]] *= np.array([[3.0], [2.0], [2.5]])
    found = found_in(vectors)
    assert found.rows == (30, 20, 10)
    assert found.count == 3
    assert found.factor == pytest.approx(3.0)


def test_one_row_a_third_out_of_a_sphere_is_found() -> None:
    """A norm of 1.35 among norms of 1 is beyond their law, which has no spread."""
    vectors = _sphere(np.random.default_rng(0), 3000)
    vectors[0] *= 1.35
    assert found_in(vectors).rows == (0,)
    assert found_in(vectors).factor == pytest.approx(1.35)


def test_a_small_class_further_out_is_no_outlier() -> None:
    """Ten rows of a class of their own at five times the norm are a class; without labels they are far out."""
    rng = np.random.default_rng(1)
    vectors = _sphere(rng, 2000) * (1 + 0.1 * rng.random((2000, 1)))
    vectors[:10] *= 5
    labels = np.zeros(2000, np.int64)
    labels[:10] = 1
    assert found_in(vectors).count == 10
    assert found_in(vectors, labels).count == 0
    vectors[1000] *= 100
    assert found_in(vectors, labels).rows == (1000,)


def test_a_class_of_two_rows_has_no_norm_of_its_own() -> None:
    """Two rows far out are not hidden by a label that only they have; three are a class."""
    vectors = _sphere(np.random.default_rng(2), 500)
    vectors[:3] *= 10
    labels = np.zeros(500, np.int64)
    labels[:2] = 1
    assert found_in(vectors, labels).count == 3
    labels[2] = 1
    assert found_in(vectors, labels).count == 0


@pytest.mark.parametrize(("n", "told"), [(17, False), (18, True)])
def test_a_law_needs_five_spacings_below_four_rows(n: int, told: bool) -> None:
    """Seventeen rows have four such spacings in their upper half, eighteen have five."""
    vectors = np.random.default_rng(3).normal(size=(n, 3))
    assert (far_rows(Points(vectors, 1.0, np.arange(n))) is not None) == told


def test_rows_at_the_origin_are_no_division_by_zero() -> None:
    """Norms of 0 count as the smallest that is not; where all are 0 there is no law."""
    vectors = np.random.default_rng(4).normal(size=(200, 3))
    vectors[:30] = 0
    assert found_in(vectors).count == 0
    assert far_rows(Points(np.zeros((200, 3)), 1.0, np.arange(200))) is None


def test_scale_and_order_do_not_matter() -> None:
    """Another unit and another order of the rows find the same rows."""
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(300, 4))
    vectors[[5, 9]] *= 20
    order = rng.permutation(300)
    first, other = found_in(vectors), found_in(1e-3 * vectors[order])
    assert tuple(order[list(other.rows)].tolist()) == first.rows
    assert other.factor == pytest.approx(first.factor)
    assert other.probability == pytest.approx(first.probability)


def test_the_level_is_the_one_that_the_table_was_made_with() -> None:
    """The constants that false verdicts and power were counted with."""
    assert (module.LEVEL, module.POWERS, module.LAW_SHARE, module.LEAST_FAR) == (0.01, (0.0, 0.5, 1.0), 0.2, 4)
