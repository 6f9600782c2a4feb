"""The search against brute force, and the promise that no split changes a byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ibc_report.geometry.neighbors import blocks, planner, shards
from ibc_report.geometry.neighbors import closest_pair as closest
from ibc_report.geometry.neighbors import search as engine
from ibc_report.geometry.neighbors.distances import PairDistances
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.projection import Projection
from ibc_report.geometry.neighbors.search import Neighbors, concatenate, margin, margin_from, merge, search
from tests.support.adversaries import ADVERSARIES, Truth, points_of
from tests.support.pairwise import pairwise
from tests.support.profiles import examples

Indices = NDArray[np.int64]

FIELDS = ("distances", "rows", "other_distance", "other_row", "same_distance", "same_row")


def assert_same(left: Neighbors, right: Neighbors) -> None:
    """Fail unless two results have the same bytes (the method aside)."""
    for name in FIELDS:
        assert getattr(left, name).tobytes() == getattr(right, name).tobytes(), name


def assert_true(found: Neighbors, truth: Truth) -> None:
    """Fail unless a result is what brute force says."""
    everything = np.ones_like(truth.differ)
    for among, k, distances, rows in (
        (everything, found.k, found.distances, found.rows),
        (truth.differ, 1, found.other_distance[:, None], found.other_row[:, None]),
        (~truth.differ, 1, found.same_distance[:, None], found.same_row[:, None]),
    ):
        expected, expected_rows = truth.nearest(k, among)
        np.testing.assert_array_equal(distances, expected)
        np.testing.assert_array_equal(rows, expected_rows)


PLANS: dict[str, int | None] = {"planned": None, "p=2": 2, "p=5": 5, "double": None, "whole": None}


def force(monkeypatch: pytest.MonkeyPatch, plan: str) -> None:
    """Force a projection of few dimensions, which leaves much to re-rank, or another product, and small tiles."""
    if plan == "planned":
        return
    size = PLANS[plan]

    def forced(points: Points, queries: object, *_: object) -> Projection:
        everything = queries if isinstance(queries, Points) else points
        if size is None and plan == "whole":
            return planner.whole_projection(points, everything) or forced_projection(points, 3)
        if size is None:
            return replace(planner.plain_projection(points, everything), double=True)
        return forced_projection(points, size)

    monkeypatch.setattr(engine, "plan_search", forced)
    monkeypatch.setattr(engine, "plan_margin", forced)
    for module, name, value in (
        (shards, "TILE_ROWS", 32),
        (shards, "FIRST_COLUMNS", 24),
        (blocks, "TILE_COLUMNS", 16),
        (blocks, "OWN_COLUMNS", 24),
        (blocks, "PENDING", 300),
        (blocks, "LARGEST_ROUND", 20),
        (closest, "TILE_ROWS", 16),
        (closest, "TILE_COLUMNS", 24),
        (closest, "PENDING", 100),
        (closest, "GAP", 3),
    ):
        monkeypatch.setattr(module, name, value)


def forced_projection(points: Points, size: int) -> Projection:
    """Return a projection onto ``size`` random axes."""
    plain = planner.plain_projection(points)
    if size >= points.dimension:
        return plain
    axes = np.linalg.qr(np.random.default_rng(1).standard_normal((points.dimension, size)))[0]
    return Projection(plain.centre, plain.scale, axes)


def all_queries(adversary: Points, k: int) -> None:
    """Every adversarial set gives what brute force gives, with fewer points than k too."""
    assert_true(search(adversary, k=k), Truth.of(adversary, adversary, same_set=True))


def some_queries(adversary: Points) -> None:
    """A sample of the references finds its neighbours without itself, or with itself as another set."""
    part = adversary.take(np.arange(0, len(adversary), 3))
    for same_set in (True, False):
        truth = Truth.of(adversary, part, same_set=same_set)
        assert_true(search(adversary, part, k=4, same_set=same_set), truth)


def targets_within_a_tolerance(adversary: Points) -> None:
    """For regression the nearest other point is one whose target is further off than the tolerance."""
    truth = Truth.of(adversary, adversary, same_set=True, tolerance=0.5)
    assert_true(search(adversary, k=2, tolerance=0.5), truth)


def the_margin(adversary: Points) -> None:
    """The margin, its smallest pair and its ties are those of brute force, from both functions."""
    truth = Truth.of(adversary, adversary, same_set=True)
    apart = np.where(truth.differ, truth.distances, np.inf)
    found, derived = margin(adversary), margin_from(search(adversary, k=3), adversary)
    if not truth.differ.any():
        assert found is None
        assert derived is None
        return
    assert found is not None
    assert derived is not None
    pairs = adversary.rows[np.argwhere(apart == apart.min())]
    for margin_found in (found, derived):
        assert margin_found.distance == apart.min()
        assert [*margin_found.rows] == min(np.sort(pairs, axis=1).tolist())
        assert margin_found.ties == len(pairs) // 2


def the_margin_of_pieces(adversary: Points) -> None:
    """A small budget searches pieces of the points in pairs and finds the same pair and ties."""
    whole = margin(adversary)
    shares: list[float] = []
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(engine, "SMALLEST_SHARD", 1600)
        found = margin(adversary, memory=1, progress=shares.append)
    assert found == whole
    assert shares == sorted(shares)


QUESTIONS: dict[str, Callable[[Points], None]] = {
    "all queries, k=1": partial(all_queries, k=1),
    "all queries, k=6": partial(all_queries, k=6),
    "all queries, k=200": partial(all_queries, k=200),
    "some queries": some_queries,
    "targets within a tolerance": targets_within_a_tolerance,
    "margin": the_margin,
    "margin of pieces": the_margin_of_pieces,
}


# pieces of the largest set are many, and are left to the long run
@pytest.mark.parametrize(
    ("question", "name", "plan"),
    [
        case
        for case in pairwise([*QUESTIONS], [*ADVERSARIES], [*PLANS])
        if case[:2] != ("margin of pieces", "correlated pixels")
    ],
)
def test_answers_match_brute_force(question: str, name: str, plan: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question has the answer of brute force on each adversarial set, and under each plan."""
    force(monkeypatch, plan)
    QUESTIONS[question](ADVERSARIES[name](np.random.default_rng(len(name))))


@pytest.mark.long
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("plan", PLANS)
def test_all_answers_match_brute_force(question: str, plan: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question has the answer of brute force on every adversarial set under every plan."""
    force(monkeypatch, plan)
    wrong = {}
    for name, make in ADVERSARIES.items():
        try:
            QUESTIONS[question](make(np.random.default_rng(len(name))))
        except AssertionError as error:
            wrong[name] = str(error)
    assert wrong == {}


def test_margin_of_targets_matches_brute_force(adversary: Points) -> None:
    """With a tolerance the margin comes from the search, ties included."""
    truth = Truth.of(adversary, adversary, same_set=True, tolerance=1.0)
    apart = np.where(truth.differ, truth.distances, np.inf)
    found = margin_from(search(adversary, k=1, tolerance=1.0), adversary, tolerance=1.0)
    if found is None:
        assert not truth.differ.any()
        return
    assert found.distance == apart.min()
    assert found.ties == int(np.count_nonzero(apart == apart.min())) // 2


@settings(max_examples=examples(60, few=20), deadline=None)
@given(
    name=st.sampled_from(sorted(ADVERSARIES)),
    seed=st.integers(0, 2**32 - 1),
    pieces=st.integers(1, 5),
    k=st.sampled_from([1, 3, 7]),
)
def test_any_split_gives_the_same_bytes(name: str, seed: int, pieces: int, k: int) -> None:
    """Blocks of shuffled references, merged in any order and bracketing, equal one search."""
    rng = np.random.default_rng(seed)
    points = ADVERSARIES[name](rng)
    whole = search(points, k=k)
    order = rng.permutation(len(points))
    blocks = [part for part in np.array_split(order, pieces) if len(part)]
    found = [search(points.take(part), points, k=k, same_set=True) for part in blocks]
    while len(found) > 1:
        first, second = (found.pop(int(rng.integers(len(found)))) for _ in range(2))
        found.append(merge(first, second))
    assert_same(found[0], whole)
    cut = int(rng.integers(0, len(points) + 1))
    ends = [points.take(np.arange(cut)), points.take(np.arange(cut, len(points)))]
    assert_same(concatenate([search(points, end, k=k, same_set=True) for end in ends]), whole)


@settings(max_examples=40, deadline=None)
@given(
    vectors=st.lists(
        st.lists(st.sampled_from([0, 1, 2, 127, 128, 254, 255]), min_size=3, max_size=3),
        min_size=1,
        max_size=25,
    ),
    k=st.integers(1, 4),
    data=st.data(),
)
def test_pixels_match_integer_arithmetic(vectors: list[list[int]], k: int, data: st.DataObject) -> None:
    """Distances of pixels are roots of exact integers, and ties come in order of row."""
    labels = data.draw(st.lists(st.integers(0, 2), min_size=len(vectors), max_size=len(vectors)))
    points = Points(np.array(vectors, np.uint8), 1.0, np.arange(len(vectors)), np.array(labels))
    found = search(points, k=k)
    for i, vector in enumerate(vectors):
        pairs = sorted(
            (sum((a - b) ** 2 for a, b in zip(vector, other, strict=True)), j)
            for j, other in enumerate(vectors)
            if j != i
        )[:k]
        assert found.rows[i, : len(pairs)].tolist() == [j for _, j in pairs]
        assert found.distances[i, : len(pairs)].tolist() == [square**0.5 for square, _ in pairs]


def test_merging_is_commutative_and_associative(rng: np.random.Generator) -> None:
    """Three blocks give the same bytes and the same method in every order."""
    points = points_of(rng.integers(0, 3, (90, 5)).astype(np.float64), rng)
    parts = [search(points.take(np.arange(i, 90, 3)), points, k=5, same_set=True) for i in range(3)]
    left, right = merge(merge(*parts[:2]), parts[2]), merge(parts[1], merge(parts[2], parts[0]))
    assert_same(left, right)
    assert left.method == right.method


def test_memory_changes_shards_and_not_bytes(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small budget searches in shards and finds the same."""
    points = points_of(rng.integers(0, 9, (700, 6)).astype(np.float64), rng)
    whole = search(points, k=8)
    monkeypatch.setattr(engine, "SMALLEST_SHARD", 2000)
    assert_same(search(points, k=8, memory=1), whole)


@pytest.mark.long
def test_a_real_projection_is_chosen_and_agrees(rng: np.random.Generator) -> None:
    """Correlated data of some size are searched by the bound, isotropic data by a plain product."""
    smooth = rng.standard_normal((4000, 8)) @ rng.standard_normal((8, 300)) * 20 + 128
    noise = rng.standard_normal((4000, 300))
    for vectors, method in (
        (np.clip(smooth + noise, 0, 255).astype(np.uint8), "projected bound"),
        (noise, "plain GEMM"),
    ):
        points = points_of(vectors, rng)
        part = points.take(np.arange(0, 4000, 40))
        found = search(points, part, k=7, same_set=True)
        assert_true(found, Truth.of(points, part, same_set=True))
        whole = search(points, k=7)
        assert whole.method.startswith(method)
        np.testing.assert_array_equal(whole.distances[::40], found.distances)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pairs each call has measured exactly."""
    counts: list[int] = []
    measure = PairDistances.__call__

    def counted(self: PairDistances, query: Indices, reference: Indices) -> NDArray[np.float64]:
        counts.append(len(query))
        return measure(self, query, reference)

    monkeypatch.setattr(PairDistances, "__call__", counted)
    return counts


@pytest.fixture
def _never_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plan for few points as for many."""
    monkeypatch.setattr(planner, "SMALL_PAIRS", 0)
    monkeypatch.setattr(planner, "SMALL_WORK", 0)


def test_a_limit_from_the_own_class_leaves_less_to_measure(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, measured: list[int]
) -> None:
    """Where classes lie apart, a first look among the own one saves a third of the exact distances, and no answer."""
    labels = np.arange(3000) % 6
    vectors = rng.normal(size=(3000, 12)) + 20 * np.eye(12)[labels]
    points = Points(vectors, 1.0, np.arange(3000), labels)
    monkeypatch.setattr(shards, "FIRST_COLUMNS", 256)
    found, counts = [], []
    for columns in (10_000, 400):
        monkeypatch.setattr(blocks, "OWN_COLUMNS", columns)
        measured.clear()
        found.append(search(points, k=20))
        counts.append(sum(measured))
    assert_same(*found)
    assert counts[1] < 2 / 3 * counts[0]


@pytest.mark.usefixtures("_never_small")
def test_distances_that_norms_dwarf_are_not_all_measured(rng: np.random.Generator, measured: list[int]) -> None:
    """Two clusters far apart are searched in float64, where float32 bounds would leave half of all pairs."""
    vectors = rng.standard_normal((1200, 10))
    vectors[600:] += 1e5
    points = points_of(vectors, rng)
    found, closest_pair = search(points, k=4), margin(points)
    assert found.method == "plain GEMM in float64"
    assert sum(measured) < 1200**2 / 20
    assert_true(found, Truth.of(points, points, same_set=True))
    assert closest_pair is not None
    assert margin_from(found, points) == replace(closest_pair, method=found.method)


@pytest.mark.usefixtures("_never_small")
@pytest.mark.parametrize("dtype", [np.uint8, np.float64], ids=["pixels", "floats"])
def test_ties_of_whole_numbers_are_not_all_measured(dtype: type, rng: np.random.Generator, measured: list[int]) -> None:
    """Of points that are all equally far from each other those of the smallest rows are the nearest."""
    points = points_of(np.eye(600, dtype=dtype), rng, unit=1.0)
    found, closest_pair = search(points, k=2), margin(points)
    assert found.method == "GEMM of whole numbers"
    assert closest_pair is not None
    assert closest_pair.method == found.method
    assert sum(measured) < 600**2 / 10
    truth = Truth.of(points, points, same_set=True)
    assert_true(found, truth)
    assert closest_pair.distance == 2**0.5
    assert closest_pair.ties == int(np.count_nonzero(truth.differ)) // 2
    assert [*closest_pair.rows] == min(np.sort(points.rows[np.argwhere(truth.differ)], axis=1).tolist())


@pytest.mark.usefixtures("_never_small")
def test_a_few_wide_rows_are_searched(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of which a sample has few, or no, others to compare with are searched all the same."""
    for elements in (2**24, 2**14):
        monkeypatch.setattr(planner, "SAMPLE_ELEMENTS", elements)
        for count in (2, 20, 70, 129):
            points = points_of(rng.integers(0, 256, (count, 3000), dtype=np.uint8), rng)
            assert_true(search(points, k=5), Truth.of(points, points, same_set=True))
            assert points.labels is not None
            assert (margin(points) is None) == (len(np.unique(points.labels)) == 1)


def test_a_shard_of_wide_rows_keeps_to_the_budget(rng: np.random.Generator) -> None:
    """However wide a row is, a shard takes as many as fit, or a few."""
    wide = planner.plain_projection(points_of(rng.standard_normal((2, 100_000)), rng))
    narrow = planner.plain_projection(points_of(rng.standard_normal((2, 50)), rng))
    assert engine._room(0, wide) * wide.row_bytes <= engine.SMALLEST_SHARD
    assert engine._room(10**9, wide) * wide.row_bytes <= 10**9
    assert engine._room(0, narrow) > 10_000
    assert engine._room(0, replace(wide, centre=np.zeros(10**7))) == engine.SMALLEST_ROWS


def test_queries_far_beyond_the_references_find_them(rng: np.random.Generator) -> None:
    """Bounds hold for queries of any size, whatever that of the references."""
    for size in (1e-200, 1e-25, 1e6, 1e20, 1e40, 1e200):
        references = points_of(rng.standard_normal((60, 5)), rng)
        queries = points_of(rng.standard_normal((4, 5)) * np.array([[1.0], [size], [1.0], [size]]), rng)
        assert_true(search(references, queries, k=3), Truth.of(references, queries, same_set=False))


@pytest.mark.parametrize("unit", [1e-6, 1 / 255, 1.0, 1e6])
def test_subnormal_distances_are_split_as_others_are(unit: float, rng: np.random.Generator) -> None:
    """Distances that the unit rounds to the same smallest numbers are ties in any split."""
    points = points_of(np.rint(rng.standard_normal((400, 2)) * 3) * 5e-324, rng, unit=unit)
    whole = search(points, k=2)
    assert_true(whole, Truth.of(points, points, same_set=True))
    parts = [search(points.take(np.arange(i, 400, 2)), points, k=2, same_set=True) for i in range(2)]
    assert_same(merge(*parts), whole)


def test_equal_vectors_are_not_all_measured(rng: np.random.Generator, measured: list[int]) -> None:
    """Among many equal vectors ties go to the smallest rows without measuring every pair."""
    points = points_of(np.full((6000, 3), 7, np.uint8), rng, classes=2)
    part = points.take(np.arange(0, 6000, 10))
    found = search(points, part, k=3, same_set=True)
    ordered = np.sort(points.rows)
    for row, expected in zip(part.rows, found.rows, strict=True):
        assert expected.tolist() == [other for other in ordered[:4] if other != row][:3]
    assert sum(measured) < 6000 * 600 / 10


def test_progress_rises_to_one(rng: np.random.Generator) -> None:
    """Progress is reported as a fraction that rises to 1."""
    seen: list[float] = []
    search(points_of(rng.standard_normal((1200, 4)), rng), k=2, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1


def test_no_labels_leave_the_nearest_of_a_class_open(rng: np.random.Generator) -> None:
    """Without labels there is no other and no same class."""
    found = search(Points(rng.standard_normal((20, 3)), 1.0, np.arange(20)), k=2)
    assert np.isinf(found.other_distance).all()
    assert (found.same_row == -1).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: search(p, k=0), "k is 0"),
        (lambda p: search(p, Points(np.zeros((1, 9)), 1.0, np.arange(1)), k=1), "9 features"),
        (lambda p: search(p, Points(np.zeros((1, 3)), 2.0, np.arange(1)), k=1), "type or unit"),
        (lambda p: search(p, k=1, tolerance=1.0), "needs targets"),
        (lambda p: margin(p), "needs labels"),
        (lambda p: margin_from(search(p, p.take(np.arange(2)), k=1), p), "all must have been"),
        (lambda p: concatenate([]), "at least one"),
        (lambda p: merge(search(p, k=1), search(p, k=2)), "same k"),
    ],
    ids=["k", "dimension", "unit", "targets", "labels", "queries", "nothing", "other k"],
)
def test_errors_say_what_is_wrong(change: object, message: str) -> None:
    """Calls that cannot be meant raise ValueError with the reason."""
    points = Points(np.arange(12.0).reshape(4, 3), 1.0, np.arange(4))
    assert callable(change)
    with pytest.raises(ValueError, match=message):
        change(points)


def test_values_that_are_not_finite_are_refused() -> None:
    """A NaN or an infinity in the references, or in the queries, ends the search."""
    for bad in (np.nan, np.inf, -np.inf, 1e301):
        vectors = np.zeros((5, 2))
        vectors[3, 1] = bad
        with pytest.raises(ValueError, match="not finite"):
            search(Points(vectors, 1.0, np.arange(5)), k=1)
        with pytest.raises(ValueError, match="not finite"):
            search(Points(np.zeros((9, 2)), 1.0, np.arange(9)), Points(vectors, 1.0, np.arange(5)), k=1)
