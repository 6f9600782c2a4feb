"""Standard error of the dimension by halves: against the spread over many draws, and where it does not exist."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ibc_report.geometry import Points, neighbor_graph, search
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood
from ibc_report.geometry.dimension.standard_error import (
    SPLITS,
    DimensionError,
    NeighborTable,
    half_samples,
    mean_log_ratios,
    pooled_precision,
    precision_of,
)
from tests.support.samples import few_properties


def measured(vectors: NDArray[np.float64], asked: int | None = None, k: int = 32) -> tuple[float, NeighborTable]:
    """The estimate and the table of points, of which the first few are asked."""
    points = Points(vectors, 1.0, np.arange(len(vectors)))
    queries = points if asked is None else points.take(np.arange(asked))
    found = search(points, queries, k=min(k, len(points) - 1), same_set=True)
    table = NeighborTable.of(found.distances, found.rows, queries.rows, points.rows)
    return maximum_likelihood(found.distances, PAPER_K), table


@pytest.mark.parametrize(
    ("n", "dimension", "asked"),
    [
        (60, 3, None),
        pytest.param(300, 8, None, marks=pytest.mark.long),
        pytest.param(800, 20, 200, marks=pytest.mark.long),
    ],
)
def test_the_error_is_the_spread_over_draws(n: int, dimension: int, asked: int | None) -> None:
    """Over 80 Gaussian sets the root mean square error estimate is the standard deviation within a quarter."""
    estimates, errors = [], []
    for draw in range(80):
        estimate, table = measured(np.random.default_rng([draw, n]).normal(size=(n, dimension)), asked)
        precision = pooled_precision(table, estimate, seed=draw)
        assert precision is not None
        estimates.append(estimate)
        errors.append(precision.standard_error)
    # the deviation of 80 draws has a relative error of 8 % itself
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(estimates, ddof=1), rel=0.25)


def test_the_half_estimate_is_that_of_half_of_the_points() -> None:
    """The mean over halves is the mean estimate of separate searches among them, within its noise."""
    vectors = np.random.default_rng(4).normal(size=(800, 12))
    estimate, table = measured(vectors)
    precision = pooled_precision(table, estimate, seed=0)
    assert precision is not None
    generator = np.random.default_rng(5)
    halves = [measured(vectors[generator.permutation(800)[:400]], k=5)[0] for _ in range(40)]
    assert precision.half_estimate == pytest.approx(float(np.mean(halves)), rel=0.015)
    assert precision.half_estimate < estimate


def test_halves_are_searched_as_if_they_were_alone() -> None:
    """A half's estimate is to the last digits what a search among just its points gives."""
    vectors = np.random.default_rng(6).normal(size=(40, 3))
    _, table = measured(vectors, k=39)
    inside = np.zeros(41, dtype=bool)
    inside[:20] = True
    complete, ratios = mean_log_ratios(table.logs[:20], inside[table.neighbors[:20]])
    assert complete.all()
    assert 1 / ratios.mean() == pytest.approx(measured(vectors[:20], k=5)[0], rel=1e-12)


def test_groups_are_estimated_apart() -> None:
    """Each group of queries has the estimates that it has alone, and an empty group has none."""
    _, table = measured(np.random.default_rng(7).normal(size=(120, 3)))
    groups = np.arange(120) % 2
    together = half_samples(table, groups, 3, seed=0)
    assert together.shape == (SPLITS, 2, 3)
    assert np.isnan(together[:, :, 2]).all()
    for group in (0, 1):
        chosen = groups == group
        part = NeighborTable(table.logs[chosen], table.neighbors[chosen], table.queries[chosen], table.rows)
        alone = half_samples(part, np.zeros(60, np.int64), 1, seed=0)[:, :, 0]
        assert together[:, :, group] == pytest.approx(alone, rel=1e-12)


@few_properties
@given(st.permutations(range(30)), st.integers(0, 2**32))
def test_neither_the_order_of_the_points_nor_of_the_queries_matters(order: list[int], seed: int) -> None:
    """Halves hang on row numbers alone."""
    vectors = np.random.default_rng(7).normal(size=(30, 3))
    estimate, table = measured(vectors)
    points = Points(np.ascontiguousarray(vectors[order]), 1.0, np.array(order))
    found = search(points, k=29)
    again = NeighborTable.of(found.distances, found.rows, points.rows, points.rows)
    first, second = pooled_precision(table, estimate, seed=seed), pooled_precision(again, estimate, seed=seed)
    assert first is not None
    assert second is not None
    assert second.standard_error == pytest.approx(first.standard_error, rel=1e-9)


def test_scaling_changes_nothing() -> None:
    """The error has no unit: distances times a thousand give the same."""
    vectors = np.random.default_rng(8).normal(size=(100, 4))
    estimate, table = measured(vectors)
    _, larger = measured(vectors * 1000)
    first, second = pooled_precision(table, estimate, seed=0), pooled_precision(larger, estimate, seed=0)
    assert first is not None
    assert second is not None
    assert second.standard_error == pytest.approx(first.standard_error, rel=1e-9)


def test_too_few_points_have_no_error() -> None:
    """Under 24 points a half is no picture of the whole, and nothing is said."""
    estimate, table = measured(np.random.default_rng(9).normal(size=(23, 3)))
    assert pooled_precision(table, estimate, seed=0) is None


def test_a_lattice_has_no_error() -> None:
    """Where all neighbours of every half are equally far, no half has an estimate."""
    _, table = measured(np.random.default_rng(9).normal(size=(30, 3)))
    level = NeighborTable(np.zeros_like(table.logs), table.neighbors, table.queries, table.rows)
    assert pooled_precision(level, 1.0, seed=0) is None


def test_a_narrow_table_has_no_error() -> None:
    """With the four nearest neighbours alone, or one, no half holds five."""
    for k in (1, 4):
        points = Points(np.random.default_rng(10).normal(size=(50, 3)), 1.0, np.arange(50))
        found = search(points, k=k)
        assert (
            pooled_precision(NeighborTable.of(found.distances, found.rows, points.rows, points.rows), 3.0, seed=0)
            is None
        )


def test_missing_neighbours_are_in_no_half() -> None:
    """A table padded with infinity and −1 gives the same as the one that ends there."""
    points = Points(np.random.default_rng(11).normal(size=(28, 3)), 1.0, np.arange(28))
    found = search(points, k=32)
    assert np.isinf(found.distances[:, 27:]).all()
    padded = NeighborTable.of(found.distances, found.rows, points.rows, points.rows)
    exact = NeighborTable.of(found.distances[:, :27], found.rows[:, :27], points.rows, points.rows)
    assert pooled_precision(padded, 3.0, seed=1) == pooled_precision(exact, 3.0, seed=1)


def test_a_split_with_a_missing_half_does_not_count() -> None:
    """Splits count whole; with fewer than half of them there is no error."""
    halves = np.array([[2.0, 3.0], [np.nan, 9.0], [3.0, 2.0]])
    assert precision_of(halves, 5.0) == DimensionError(standard_error=1.0, half_estimate=2.5)
    assert precision_of(np.array([[2.0, 3.0], [np.nan, 9.0], [3.0, np.nan]]), 5.0) is None


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_the_table_of_a_graph_is_that_of_its_search(order: slice) -> None:
    """Points in any order, of which some were asked and none has 32 neighbours, have one table."""
    vectors = np.random.default_rng(12).normal(size=(30, 3))
    points = Points(vectors, 1.0, np.arange(30)[order] ** 2)
    graph = neighbor_graph(points, points.take(np.arange(0, 30, 4)), k=40)
    first = NeighborTable.of_graph(graph)
    second = NeighborTable.of(graph.found.distances, graph.found.rows, graph.queries.rows, points.rows)
    for name in ("logs", "neighbors", "queries", "rows"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
