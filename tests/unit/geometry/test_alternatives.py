"""The geometry taken in other ways, and the margin without the rows that set it: against brute force over all pairs."""

from __future__ import annotations

from itertools import combinations
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.complexity import classification
from ibc_report.data import sources
from ibc_report.data.examples import gather
from ibc_report.geometry import Points, facts_of, margin_from, neighbor_graph, neighborhoods, search
from ibc_report.geometry.alternatives import Thinned, Variants, thinned, variants
from ibc_report.geometry.radius import norms
from tests.support.samples import few_properties


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
    graph = neighbor_graph(points, k=min(k, n - 1), tolerance=tolerance)
    closest = margin_from(graph.found, points, tolerance=tolerance)
    assert closest is not None

    result = thinned(graph, closest.rows, share=share)
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
    graph = neighbor_graph(points, k=5)
    closest = margin_from(graph.found, points)
    assert truth is not None
    assert closest is not None

    assert closest.distance < 2
    assert 7 in closest.rows
    assert thinned(graph, closest.rows).without_pair == pytest.approx(truth.distance, rel=0.05)


def test_nothing_is_left_of_one_pair() -> None:
    """Where only the closest pair has different classes, no margin is left without it."""
    points = Points(np.array([[0.0], [1.0], [3.0]]), 1.0, np.arange(3), np.array([0, 1, 0]))

    assert thinned(neighbor_graph(points, k=2), (0, 1)) == Thinned(None, None, 2)


def test_of_a_sample_the_pairs_that_were_seen_count(rng: np.random.Generator) -> None:
    """With a sample of rows asked, no distance is below that over all rows, and the pair itself need not be in it."""
    vectors = rng.normal(size=(300, 3))
    labels = rng.integers(0, 3, 300)
    points = Points(vectors, 1.0, np.arange(300), labels)
    everything = neighbor_graph(points, k=20)
    closest = margin_from(everything.found, points)
    assert closest is not None
    others = np.setdiff1d(np.arange(300), closest.rows)[::3]
    sampled = neighbor_graph(points, points.take(others), k=20)

    whole = thinned(everything, closest.rows, share=0.05)
    part = thinned(sampled, closest.rows, share=0.05)
    for seen, true in ((part.without_pair, whole.without_pair), (part.without_worst, whole.without_pair)):
        assert seen is not None
        assert true is not None
        assert seen >= true > closest.distance
    assert part.rows >= 2 + 5


def varied(points: Points, *, k: int = 20, tolerance: float | None = None, asked: Points | None = None) -> Variants:
    """The variants of points that are distinct and without conflicts."""
    graph = neighbor_graph(points, asked, k=k, tolerance=tolerance)
    whole = graph if asked is None else neighbor_graph(points, k=k, tolerance=tolerance)
    closest = margin_from(whole.found, points, tolerance=tolerance)
    assert closest is not None
    return variants(points, graph, norms=norms(points), pair=closest.rows, distinct=len(points))


def test_digits_in_other_ways() -> None:
    """Digits lie within 3.0009 of their mean, their mean norm is 3.8638, and the pair after the closest at 1.1957."""
    examples = gather(sources.load("builtin:digits", base=Path(), config=None, split=None))
    seen = neighborhoods(examples)
    facts = facts_of(seen)
    encoded = examples.encoded
    found = variants(
        Points(encoded.vectors, encoded.unit, encoded.rows),
        seen.distinct,
        norms=facts.norms,
        pair=facts.margin.rows,
        distinct=facts.distinct,
    )
    vectors = encoded.vectors.astype(np.float64) * encoded.unit
    lengths = np.sort(np.linalg.norm(vectors, axis=1))

    assert found.centred_radius == pytest.approx(np.linalg.norm(vectors - vectors.mean(axis=0), axis=1).max())
    assert found.centred_radius == pytest.approx(3.0009, abs=5e-5)
    assert found.mean_norm == pytest.approx(lengths.mean())
    assert found.next_radius == pytest.approx(lengths[-2])
    assert found.thinned.without_pair == pytest.approx(1.195695404356812)
    # 0.1 % of 1,797 rows is the one pair
    assert found.thinned.without_worst is None
    assert found.distinct == 1797
    assert found.all_asked
    assert found.maps is not None


def test_radii_by_plain_arithmetic(rng: np.random.Generator) -> None:
    """Over several blocks of rows, of pixels and of numbers far from the origin, the radii are those of plain numpy."""
    labels = rng.integers(0, 2, 5000)
    pixels = rng.integers(0, 256, (5000, 3)).astype(np.uint8)
    pixels = np.unique(pixels, axis=0)
    for vectors, unit in ((pixels, 1 / 255), (rng.normal(size=(5000, 3)) + 1e6, 1.0)):
        true = vectors.astype(np.float64) * unit
        lengths = np.sort(np.linalg.norm(true, axis=1))
        found = varied(Points(vectors, unit, np.arange(len(vectors)), labels[: len(vectors)]), k=5)

        centred = np.linalg.norm(true - true.mean(axis=0), axis=1).max()
        assert found.centred_radius == pytest.approx(centred, rel=1e-9)
        assert found.next_radius == pytest.approx(lengths[-2], rel=1e-12)


def test_rows_in_one_place_have_no_centred_radius() -> None:
    """Rows that are all but equal lie within nothing of their mean, and all that is measured is still finite."""
    vectors = np.zeros((8, 2))
    vectors[:, 0] = 1 + np.arange(8) * 1e-12
    found = varied(Points(vectors, 1.0, np.arange(8), np.arange(8) % 2), k=3)

    assert found.centred_radius < 1e-11
    assert found.maps is None or found.maps.before.radius == pytest.approx(1)


def test_a_sample_of_queries(rng: np.random.Generator) -> None:
    """Where a sample of rows was asked, the quantile is that over the sample, and the margins say so."""
    vectors, labels = rng.normal(size=(2000, 3)), rng.integers(0, 4, 2000)
    points = Points(vectors, 1.0, np.arange(2000), labels)
    asked = points.take(np.arange(0, 2000, 4))
    whole, part = varied(points), varied(points, asked=asked)

    assert whole.all_asked
    assert not part.all_asked
    found = search(points, asked, k=1, same_set=True)
    assert part.quantile_margin == pytest.approx(np.quantile(found.other_distance, 0.001))
    assert part.thinned.without_pair is not None
    assert whole.thinned.without_pair is not None
    assert part.thinned.without_pair >= whole.thinned.without_pair
    assert part.maps == whole.maps


def test_a_regression(rng: np.random.Generator) -> None:
    """With targets and a tolerance the margins are those of pairs whose targets differ by more."""
    vectors = rng.normal(size=(400, 3))
    targets = vectors[:, 0] + rng.normal(size=400) * 0.1
    points = Points(vectors, 1.0, np.arange(400), None, targets)
    found = varied(points, tolerance=0.5)
    closest = margin_from(search(points, k=1, tolerance=0.5), points, tolerance=0.5)

    assert closest is not None
    assert found.thinned.without_pair is not None
    assert found.thinned.without_pair >= closest.distance
    assert found.quantile_margin >= closest.distance
    assert found.maps is not None


def test_flipped_labels_are_undone(rng: np.random.Generator) -> None:
    """One flipped label in two far classes makes a tiny margin; without its pair the bits are those before it."""
    vectors = np.concatenate([rng.normal(size=(500, 4)), rng.normal(size=(500, 4)) + 30])
    labels = np.repeat([0, 1], 500)
    clean = Points(vectors, 1.0, np.arange(1000), labels)
    flipped = labels.copy()
    flipped[3] = 1
    truth = margin_from(search(clean, k=1), clean)
    found = varied(Points(vectors, 1.0, np.arange(1000), flipped))
    assert truth is not None
    assert found.thinned.without_pair is not None

    def bits(margin: float) -> float:
        return classification(n=1000, radius=70, dimension=4, classes=2, margin=margin, target_error=0.01).log10_bits

    assert bits(found.thinned.without_pair) == pytest.approx(bits(truth.distance), abs=0.1)
    # a quantile needs more than one row in a thousand to be wrong before it gives way
    assert found.quantile_margin < truth.distance
