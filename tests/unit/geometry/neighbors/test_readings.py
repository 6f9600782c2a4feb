"""Neighbours within a part, read from those of the whole: to the digit what a search of the part finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.geometry import Neighbors, Points, neighbor_graph, search
from ibc_report.geometry.neighbors import readings
from ibc_report.geometry.neighbors.points import part
from ibc_report.geometry.neighbors.readings import closest_within, nearest_within
from tests.support.samples import few_properties

MEMORY = 2**30


def points_of(n: int, kind: str, seed: int) -> Points:
    """Points of one kind, with rows that are no positions; "lattice" has many ties, "alike" equal points."""
    generator = np.random.default_rng([n, seed])
    rows = generator.choice(2**40, n, replace=False)
    rows = rows if seed % 2 else np.sort(rows)
    labels, targets = generator.integers(0, 3, n), generator.integers(0, 9, n) / 2
    if kind == "pixels":
        return Points(generator.integers(0, 256, (n, 5), dtype=np.uint8), 1 / 255, rows, labels)
    vectors = generator.normal(size=(n, 3))
    if kind in ("lattice", "alike"):
        vectors = generator.integers(0, 4 if kind == "lattice" else 2, (n, 3)).astype(np.float64)
    return Points(vectors, 1.0, rows, None, targets) if kind == "targets" else Points(vectors, 1.0, rows, labels)


KINDS = ("pixels", "cloud", "lattice", "alike", "targets")


@few_properties
@given(st.sampled_from(KINDS), st.integers(8, 60), st.integers(1, 30), st.integers(0, 2**32), st.floats(0.1, 1))
def test_what_is_read_is_what_a_search_of_the_part_finds(kind: str, n: int, k: int, seed: int, share: float) -> None:
    """Distances of neighbours and the closest differing pair are the same numbers, however short the lists are."""
    points = points_of(n, kind, seed)
    tolerance = 1.0 if kind == "targets" else None
    graph = neighbor_graph(points, k=k, tolerance=tolerance)
    run = np.flatnonzero(np.random.default_rng(seed).random(n) < share)
    asked = run[::2]
    if not len(asked):
        return
    own = part(points, run)
    wanted = search(own, own.take(np.arange(0, len(run), 2)), k=3, same_set=True, tolerance=tolerance)
    found = nearest_within(graph, run, asked, k=3, memory=MEMORY)
    assert np.array_equal(found, wanted.distances)
    alone = search(own, k=1, tolerance=tolerance)
    assert closest_within(graph, run, memory=MEMORY) == alone.other_distance.min()


def test_points_that_were_not_asked_are_searched() -> None:
    """Where a few of the points have neighbours, those of others in the part are found all the same."""
    points = points_of(50, "cloud", 0)
    graph = neighbor_graph(points, points.take(np.arange(0, 50, 5)), k=20)
    run = np.arange(0, 50, 2)
    found = nearest_within(graph, run, run, k=2, memory=MEMORY)
    assert np.array_equal(found, search(part(points, run), k=2).distances)


def test_a_half_is_read_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of each list of thirty is enough for five neighbours, and no pair is measured again."""
    points = points_of(400, "cloud", 1)
    graph = neighbor_graph(points, k=30)
    run = np.arange(0, 400, 2)
    wanted = search(part(points, run), k=5)
    monkeypatch.delattr(readings, "search")
    assert np.array_equal(nearest_within(graph, run, run, k=5, memory=MEMORY), wanted.distances)


def test_few_points_are_compared_for_the_closest_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 2,000 points of a part less than a twentieth is searched: those nearer to one outside than the closest are."""
    points = points_of(4000, "cloud", 2)
    graph = neighbor_graph(points, k=5)
    run = np.arange(0, 4000, 2)
    wanted = search(part(points, run), k=1).other_distance.min()
    compared = []

    def counted(own: Points, **given: Any) -> Neighbors:
        compared.append(len(own))
        return search(own, **given)

    monkeypatch.setattr(readings, "search", counted)
    assert closest_within(graph, run, memory=MEMORY) == wanted
    assert sum(compared) < 100


def test_a_part_of_one_class_has_no_closest_pair() -> None:
    """Where no two points of the part differ, the distance is infinite."""
    line = Points(np.arange(6.0)[:, None], 1.0, np.arange(6), np.array([0, 0, 0, 1, 1, 1]))
    assert closest_within(neighbor_graph(line, k=2), np.array([0, 1, 2]), memory=MEMORY) == np.inf
