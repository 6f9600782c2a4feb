"""The margin without the rows that set it: against brute force over all pairs, with lists of few neighbours."""

from __future__ import annotations

from itertools import combinations
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.geometry import Points, margin_from, search
from ibc_report.geometry.thinning import Thinned, thinned
from tests.samples import few_properties


def brute(points: Points, share: float, tolerance: float | None) -> tuple[float | None, float | None, int]:
    """Distances of the closest pair when pairs are taken out one after the other, from a table of all pairs."""
    vectors = points.vectors * points.unit
    answers = points.labels if points.labels is not None else points.targets
    assert answers is not None
    pairs = sorted(
        (float(np.sqrt(((vectors[a] - vectors[b]) ** 2).sum())), a, b)
        for a, b in combinations(range(len(points)), 2)
        if abs(answers[a] - answers[b]) > (tolerance or 0)
    )
    gone: set[int] = set()
    seen: list[float | None] = []
    wanted = ceil(share * len(points))
    while True:
        pairs = [pair for pair in pairs if not gone & {pair[1], pair[2]}]
        if gone:
            seen.append(pairs[0][0] if pairs else None)
        if not pairs or (gone and len(gone) >= wanted):
            break
        gone |= {pairs[0][1], pairs[0][2]}
    return seen[0], seen[-1] if wanted > 2 else None, len(gone)


@few_properties
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 40),
    k=st.integers(1, 6),
    classes=st.integers(2, 4),
    share=st.sampled_from([0.001, 0.1, 0.3, 1.0]),
    tolerance=st.sampled_from([None, 0.3]),
)
def test_it_is_what_all_pairs_give(
    seed: int, n: int, k: int, classes: int, share: float, tolerance: float | None
) -> None:
    """However few neighbours are known, of classes or of targets, the margins are those of a table of all pairs."""
    rng = np.random.default_rng(seed)
    # clusters of one class each, in which the known neighbours seldom have another
    centres = rng.normal(size=(classes, 2)) * 3
    labels = rng.integers(0, classes, n)
    vectors = centres[labels] + rng.normal(size=(n, 2))
    labels[0], labels[1] = 0, 1
    rows = np.sort(rng.choice(1000, n, replace=False)).astype(np.int64)
    given_labels = labels if tolerance is None else None
    targets = None if tolerance is None else labels + rng.uniform(-0.2, 0.2, n)
    points = Points(vectors, 0.5, rows, given_labels, targets)
    found = search(points, k=min(k, n - 1), tolerance=tolerance)
    closest = margin_from(found, points, tolerance=tolerance)
    assert closest is not None

    result = thinned(points, points, found, closest.rows, share=share, tolerance=tolerance)
    first, last, gone = brute(points, share, tolerance)
    assert result.without_pair == (None if first is None else pytest.approx(first, rel=1e-12))
    assert result.without_worst == (None if last is None else pytest.approx(last, rel=1e-12))
    assert result.rows == gone


def test_a_flipped_label_in_a_class_is_taken_out_with_what_it_makes(rng: np.random.Generator) -> None:
    """A row of another class amid one class is the nearest other of all of it; without it the true margin is back."""
    vectors = np.concatenate([rng.normal(size=(200, 3)), rng.normal(size=(200, 3)) + 50])
    labels = np.repeat([0, 1], 200)
    clean = Points(vectors, 1.0, np.arange(400), labels)
    flipped = labels.copy()
    flipped[7] = 1
    points = Points(vectors, 1.0, np.arange(400), flipped)
    truth = margin_from(search(clean, k=5), clean)
    found = search(points, k=5)
    closest = margin_from(found, points)
    assert truth is not None
    assert closest is not None

    assert closest.distance < 2
    assert 7 in closest.rows
    assert thinned(points, points, found, closest.rows).without_pair == pytest.approx(truth.distance, rel=0.05)


def test_nothing_is_left_of_one_pair() -> None:
    """Where only the closest pair has different classes, no margin is left without it."""
    points = Points(np.array([[0.0], [1.0], [3.0]]), 1.0, np.arange(3), np.array([0, 1, 0]))

    assert thinned(points, points, search(points, k=2), (0, 1)) == Thinned(None, None, 2)


def test_of_a_sample_the_pairs_that_were_seen_count(rng: np.random.Generator) -> None:
    """With a sample of rows asked, no distance is below that over all rows, and the pair itself need not be in it."""
    vectors = rng.normal(size=(300, 3))
    labels = rng.integers(0, 3, 300)
    points = Points(vectors, 1.0, np.arange(300), labels)
    everything = search(points, k=20)
    closest = margin_from(everything, points)
    assert closest is not None
    others = np.setdiff1d(np.arange(300), closest.rows)[::3]
    asked = points.take(others)
    found = search(points, asked, k=20, same_set=True)

    whole = thinned(points, points, everything, closest.rows, share=0.05)
    part = thinned(points, asked, found, closest.rows, share=0.05)
    for seen, true in ((part.without_pair, whole.without_pair), (part.without_worst, whole.without_pair)):
        assert seen is not None
        assert true is not None
        assert seen >= true > closest.distance
    assert part.rows >= 2 + 5
