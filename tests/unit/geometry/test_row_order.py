"""What the order of rows tells: against shuffles, on rows that follow one another, and on sorted ones."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ibc_report.geometry import NeighborGraph, Points, neighbor_graph
from ibc_report.geometry.leading_coordinates import leading_coordinates
from ibc_report.geometry.row_order import RowOrder, row_order

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


def graph(vectors: Array, labels: Ints | None = None, targets: Array | None = None) -> NeighborGraph:
    """A search of rows in the order of their file."""
    points = Points(np.ascontiguousarray(vectors), 1.0, np.arange(len(vectors)), labels, targets)
    return neighbor_graph(points, k=5, tolerance=None if targets is None else 0.1)


def order_told(searched: NeighborGraph, numbers: Ints) -> RowOrder | None:
    """What an order tells, with the leading coordinates of the points."""
    return row_order(searched, numbers, leading_coordinates(searched.queries, 10))


def order_of(vectors: Array, labels: Ints | None = None, targets: Array | None = None) -> RowOrder:
    """What the order of an array tells."""
    found = order_told(graph(vectors, labels, targets), np.arange(len(vectors)))
    assert found is not None
    return found


def walk(n: int, m: int, memory: float, seed: int = 0) -> Array:
    """Rows that follow one another by an autoregression."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, m))
    for at in range(1, n):
        x[at] = memory * x[at - 1] + np.sqrt(1 - memory**2) * x[at]
    return x


def test_expected_pairs_are_those_of_shuffles() -> None:
    """Next to one another and within ten rows: the closed form is the mean over shuffles within the classes."""
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1, 2, 0], [30, 50, 25, 15]).astype(np.int64)
    searched = graph(rng.standard_normal((120, 2)) + labels[:, None], labels)
    first = order_told(searched, np.arange(120))
    assert first is not None
    counts = []
    for _ in range(150):
        numbers = np.arange(120)
        for label in range(3):
            members = np.flatnonzero(labels == label)
            numbers[members] = rng.permutation(members)
        found = order_told(searched, numbers)
        assert found is not None
        assert found.next.expected == pytest.approx(first.next.expected)
        assert found.within.expected == pytest.approx(first.within.expected)
        counts.append((found.next.count, found.within.count))
    error = np.std(counts, axis=0) / 150**0.5
    assert np.mean(counts, axis=0) == pytest.approx([first.next.expected, first.within.expected], abs=3 * error.max())


@pytest.mark.parametrize("heavy", [False, True])
def test_independent_rows_are_rarely_called_dependent(heavy: bool) -> None:
    """Of 40 files of independent rows, sorted by class or not, with or without a heavy tail, at most one is found."""
    found = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, heavy])
        labels = rng.integers(0, 3, 100)
        vectors = (rng.standard_t(2, (100, 4)) if heavy else rng.standard_normal((100, 4))) + labels[:, None]
        labels = np.sort(labels) if seed % 2 else labels
        found += order_of(vectors, labels).dependence > 0
    assert found <= 1, found


@pytest.mark.parametrize("dimension", [2, 5])
@pytest.mark.parametrize("kind", ["drift", "autoregression"])
def test_rows_in_order_of_time_are_found(kind: str, dimension: int) -> None:
    """A drift of one standard deviation in one coordinate, and rows that hang on the one before, in any rotation."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = walk(500, dimension, 0.5 if kind == "autoregression" else 0.0, seed)
        if kind == "drift":
            x[:, 0] += np.linspace(0, 1, 500)
        rotated = x @ np.linalg.qr(rng.standard_normal((20, dimension)))[0].T
        assert order_of(rotated, rng.integers(0, 2, 500)).dependence > 0.01, seed


def test_the_order_is_that_of_the_source() -> None:
    """Only the numbers of rows are their order: the order of the array neither hides nor makes a dependence."""
    x = walk(300, 2, 0.9)
    shuffled = np.random.default_rng(1).permutation(300)
    moved = graph(x[shuffled])
    found = order_told(moved, shuffled)
    assert found is not None
    assert found.dependence > 0.1
    kept = order_of(x)
    assert (found.next, found.within) == (kept.next, kept.within)
    assert found.alike == pytest.approx(kept.alike)
    other = order_told(graph(x), shuffled)
    assert other is not None
    assert other.dependence == 0


def test_gaps_between_numbers_do_not_matter() -> None:
    """Rows of a sample, or without those that were lost, stand next to one another where none is between them."""
    searched = graph(walk(200, 2, 0.9))
    dense, sparse = order_told(searched, np.arange(200)), order_told(searched, 7 * np.arange(200) + 3)
    assert dense is not None
    assert sparse is not None
    assert (sparse.next, sparse.within, sparse.dependence) == (dense.next, dense.within, dense.dependence)
    assert sparse.rows == (3, 1396)


def test_the_class_that_drifts_is_named() -> None:
    """Of three classes one drifts: it is named, with its first and last row, and with the feature."""
    rng = np.random.default_rng(5)
    labels = np.repeat([0, 1, 2], 150).astype(np.int64)
    x = rng.standard_normal((450, 4)) + 5 * labels[:, None]
    x[150:300, 2] += np.linspace(0, 4, 150)
    found = order_of(x, labels)
    assert found.strongest == "drift"
    assert found.label == 1
    assert found.rows == (150, 299)
    assert found.feature == 2
    assert found.sorted_by is None


def test_sorted_rows_are_said_to_be_sorted() -> None:
    """By a feature, up or down, by a feature within each class, or by the target: each is named."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((200, 3))
    x[:, 1] = np.round(x[:, 1], 1)
    labels = np.repeat([0, 1], 100).astype(np.int64)
    assert order_of(x[np.argsort(x[:, 1])]).sorted_by == 1
    assert order_of(x[np.argsort(-x[:, 1])]).sorted_by == 1
    by_class = x[np.lexsort((x[:, 2], labels))]
    assert order_of(by_class, labels).sorted_by == 2
    ordered = x[np.argsort(x[:, 0])][:, 1:] + 2 * np.sort(x[:, 0])[:, None]
    assert order_of(ordered, targets=np.sort(x[:, 0])).sorted_by == "target"


def test_a_feature_with_few_values_is_not_sorted_by_chance() -> None:
    """One mark in the last row, or a value a class, is in order whatever the order is, and explains nothing."""
    x = np.column_stack([walk(300, 2, 0.9), np.zeros(300), np.zeros(300)])
    labels = np.random.default_rng(0).integers(0, 2, 300)
    x[-1, 2], x[:, 3] = 1, labels
    found = order_of(x, labels)
    assert found.dependence > 0.1
    assert found.sorted_by is None


def test_rows_sorted_by_class_are_not_dependent() -> None:
    """Classes that stand one after another are no dependence within them."""
    labels = np.repeat([0, 1, 2], 100).astype(np.int64)
    x = np.random.default_rng(0).standard_normal((300, 2)) + 10 * labels[:, None]
    assert order_of(x, labels).dependence == 0
    assert order_of(x).dependence > 0.5


@pytest.mark.parametrize("n", [2, 19])
def test_few_rows_tell_nothing(n: int) -> None:
    """Fewer than twenty points are not tested."""
    vectors = np.random.default_rng(0).random((n, 2))
    assert order_told(neighbor_graph(Points(vectors, 1.0, np.arange(n)), k=1), np.arange(n)) is None


def test_odd_data_raise_nothing() -> None:
    """Bytes, a constant feature, one row a class, and rows that differ in one coordinate alone are tested."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (60, 5)).astype(np.uint8)
    pixels[:, 3] = 7
    found = order_told(neighbor_graph(Points(pixels, 1 / 255, np.arange(60)), k=3), np.arange(60))
    assert found is not None
    assert found.dependence == 0
    assert order_of(np.sort(rng.random((40, 1)), axis=0)).sorted_by == 0
    assert order_of(rng.random((30, 2)), np.arange(30)).dependence == 0


def test_a_sample_of_queries_is_tested_on_their_pairs() -> None:
    """Where some rows were asked, their nearest neighbours are the pairs, and what is expected is of these."""
    x = walk(400, 2, 0.95)
    points = Points(x, 1.0, np.arange(400))
    some = neighbor_graph(points, points.take(np.arange(0, 400, 4)), k=3)
    found = order_told(some, np.arange(400))
    assert found is not None
    assert 50 < found.pairs <= 100
    assert found.next.expected == pytest.approx(found.pairs * 2 / 400, rel=0.01)
    assert found.dependence > 0.1
