"""How much is computed, and what a card says of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ibc_report import measure
from ibc_report.data.examples import Examples
from ibc_report.geometry import Budget, Neighbors, Points, facts_of_examples, search, search_plan_of
from ibc_report.geometry.search_plan import LARGEST_COST, exact_margin, queries
from tests.support.samples import made


@pytest.mark.parametrize(
    ("budget", "n", "features", "asked"),
    [
        pytest.param(Budget(), 60_000, 784, None, id="MNIST is affordable"),
        pytest.param(Budget(), 10**6, 3072, 10_000, id="a million colour images are not"),
        pytest.param(Budget(exact=True), 10**6, 3072, None, id="unless asked for"),
        pytest.param(Budget(queries=500), 1797, 64, 500, id="a number was asked for"),
        pytest.param(Budget(queries=5000), 1797, 64, None, id="more than there are"),
    ],
)
def test_the_rows_that_are_asked_follow_from_the_cost(budget: Budget, n: int, features: int, asked: int | None) -> None:
    """All rows are asked up to a stated cost, else ten thousand, or as many as the user says."""
    assert queries(budget, n, features) == asked


def test_the_limit_is_where_it_is_said() -> None:
    """Rows × rows × features at the limit are computed, one row more are not."""
    n = int((LARGEST_COST / 100) ** 0.5)
    assert queries(Budget(), n, 100) is None
    assert queries(Budget(), n + 1, 100) == 10_000
    assert exact_margin(Budget(), 3 * n, 100)
    assert not exact_margin(Budget(), 4 * n, 100)


def points(n: int = 400, seed: int = 0) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]], list[int]]:
    """Points of three classes that overlap a little."""
    generator = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    return generator.normal(size=(n, 5)) + 2.5 * labels[:, None], labels.tolist()


def spread() -> Examples:
    """The same as examples."""
    vectors, labels = points()
    return made(vectors, labels=labels)


def test_a_sample_of_rows_keeps_the_exact_margin() -> None:
    """With few rows asked, n, R and the margin are those of all rows, and the dimension that of the rows asked."""
    vectors, labels = points()
    found = made(vectors, labels=labels)
    full, part = facts_of_examples(found), facts_of_examples(found, budget=Budget(queries=100, seed=7))
    assert (part.queries, full.queries) == (100, None)
    assert (part.margin.distance, part.margin.rows) == (full.margin.distance, full.margin.rows)
    assert (part.n, part.norms, part.distinct) == (full.n, full.norms, full.distinct)
    assert part.margin_is_exact
    assert part.dimension == pytest.approx(full.dimension, rel=0.3)
    assert part.dimension != full.dimension


def test_the_sample_depends_on_rows_and_seed_alone() -> None:
    """The same rows are asked whatever the memory; another seed asks others."""
    found = spread()
    dimensions = [
        facts_of_examples(found, budget=Budget(queries=80, seed=seed, memory=memory)).dimension
        for seed, memory in ((1, 1 << 30), (1, 1 << 16), (2, 1 << 30))
    ]
    assert dimensions[0] == dimensions[1] != dimensions[2]


def test_a_margin_that_was_only_seen_is_an_upper_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all pairs would cost too much, the margin is the smallest seen from the rows asked, and is said to be."""
    found = spread()
    exact = facts_of_examples(found)
    monkeypatch.setattr("ibc_report.geometry.search_plan.MARGIN_COST", 0.0)
    seen = facts_of_examples(found, budget=Budget(queries=50))
    assert not seen.margin_is_exact
    assert seen.margin.distance >= exact.margin.distance
    assert facts_of_examples(found, budget=Budget(queries=50, exact=True)).margin_is_exact


def test_duplicates_are_merged_in_a_sample_too() -> None:
    """Rows equal up to rounding are one point, whether they were asked or not."""
    vectors, labels = points(200)
    vectors[100:] = vectors[:100] + 1e-9
    labels[100:] = labels[:100]
    found = made(vectors, labels=labels, rounding=1e-7)
    part = facts_of_examples(found, budget=Budget(queries=60))
    assert (part.distinct, part.coincident_rows) == (100, 100)
    assert np.isfinite(part.dimension)
    assert part.dimension < 20


def test_a_pair_within_rounding_sets_no_margin_in_a_sample() -> None:
    """Rows of different classes that rounding alone tells apart are in conflict, though neither was asked."""
    vectors, labels = points(300)
    vectors[1:40:2] = vectors[0:40:2] * (1 + 2e-16)
    found = made(vectors, labels=labels, rounding=1e-12)
    full, part = facts_of_examples(found), facts_of_examples(found, budget=Budget(queries=30))
    assert (part.margin.distance, part.margin.rows) == (full.margin.distance, full.margin.rows)
    assert part.margin.distance > 1e-6
    assert (part.conflicting_rows, part.coincident_rows) == (full.conflicting_rows, full.coincident_rows) == (40, 20)


@pytest.mark.parametrize("asked", [None, 120])
def test_points_without_their_conflicts_are_searched_where_neighbours_are_gone(
    asked: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is found without a conflict's points is what a search among the others finds, and few are asked again."""
    vectors, labels = points()
    vectors[5], vectors[9] = vectors[4], vectors[3]
    plan = search_plan_of(made(vectors, labels=labels), budget=Budget(queries=asked))
    found = plan.search(plan.distinct)
    clear = plan.take(np.setdiff1d(np.arange(400), [3, 4, 5, 9]))
    expected = plan.search(clear)
    again: list[int] = []

    def counted(references: Points, queries: Points, **options: Any) -> Neighbors:
        again.append(len(queries))
        return search(references, queries, **options)

    monkeypatch.setattr("ibc_report.geometry.search_plan.search", counted)
    without = plan.search_without(clear, found)
    for name in ("distances", "rows", "other_distance", "other_row", "same_distance", "same_row"):
        assert getattr(without, name).tobytes() == getattr(expected, name).tobytes()
    assert 0 < sum(again) < len(without) * 2 / 3


def test_a_card_says_what_was_sampled() -> None:
    """The report names the rows asked, where the dimension came from, and what is doubtful about it."""
    report = measure("builtin:digits", queries=300)
    assert report.data is not None
    assert report.data.queries == 300
    assert any("300 of 1,797 points were asked" in doubt for doubt in report.doubts)
    origin = next(number.origin for number in report.numbers if number.key == "dimension")
    assert "300 of 1,797" in origin
    assert "--queries 300" in report.repeat.command


@pytest.mark.long
def test_very_many_features_are_projected_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a number of features distances are those of a projection, with its bound; --exact turns that off."""
    monkeypatch.setattr("ibc_report.geometry.search_plan.MOST_FEATURES", 60)
    projected = measure("builtin:digits")
    assert projected.data is not None
    assert projected.data.distortion is not None
    assert any("projected at random" in doubt for doubt in projected.doubts)
    exact = measure("builtin:digits", exact=True)
    assert exact.data is not None
    assert exact.data.distortion is None
    assert projected.inputs["margin"] == pytest.approx(exact.inputs["margin"], rel=0.2)
