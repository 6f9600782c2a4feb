"""Weights of rows by their neighbours, and the slope of the margin against samples that are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ibc_report.geometry import Points, search
from ibc_report.geometry.label_noise import label_weights, log_margin_slope, target_weights


def cloud(n: int, dimension: int, margin: float, seed: int = 0, rows: NDArray[np.int64] | None = None) -> Points:
    """Uniform points of a cube, in two classes that are a margin apart in a direction of its own."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    vectors = np.column_stack([rng.random((n, dimension)), margin * labels])
    return Points(vectors, 1.0, np.arange(n) if rows is None else rows, labels.astype(np.int64))


def closest(points: Points) -> float:
    """The smallest distance between the classes, by brute force."""
    first, second = (points.vectors[points.labels == label] for label in (0, 1))
    return float(np.sqrt(((first[:, None] - second) ** 2).sum(axis=2).min()))


@pytest.mark.parametrize(("dimension", "margin"), [(2, 0.0), (6, 0.0), (6, 0.4), (3, 1.0)])
def test_the_slope_is_that_of_samples(dimension: int, margin: float) -> None:
    """The mean ln δ of hundreds of samples of an eighth, and of dozens of a half, has the slope that is computed."""
    points = cloud(1600, dimension, margin, seed=dimension)
    rng = np.random.default_rng(9)
    means = []
    for share in (8, 2):
        drawn = (points.take(np.sort(rng.permutation(1600)[: 1600 // share])) for _ in range(300 // (8 // share)))
        means.append(np.mean([np.log(closest(sample)) for sample in drawn]))
    slope = (means[1] - means[0]) / np.log(4)
    found = log_margin_slope(points, search(points, k=5))
    assert found == pytest.approx(slope, abs=0.1 if margin == 0 and dimension == 2 else 0.03)


def test_a_margin_that_is_reached_does_not_fall() -> None:
    """Classes a unit apart on a line of 2000 points keep that margin in any sample."""
    points = cloud(2000, 1, 1.0)
    assert log_margin_slope(points, search(points, k=3)) == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize(("own", "weight"), [(10, 1.0), (5, 1.0), (4, 2 / 3), (3, 1 / 3), (2, 0.0), (0, 0.0)])
def test_a_row_counts_by_the_votes_that_another_class_leads_by(own: int, weight: float) -> None:
    """Of ten votes an even share is no doubt, a lead of six is all of it, and an eleventh neighbour is not heard."""
    labels = np.array([0] * 20 + [1] * 20, dtype=np.int64)
    points = Points(np.arange(40.0)[:, None], 1.0, np.arange(40), labels)
    neighbors = np.array([[*range(own), *range(20, 30 - own), 39]])
    assert label_weights(neighbors, points, np.array([0])) == pytest.approx([weight])


def test_targets_count_by_robust_deviations_from_their_neighbours() -> None:
    """With a median distance of 1, a deviation is 1.4826: three of them are no doubt, six are all, between is even."""
    sd = 1.482602218505602
    away = np.concatenate([np.ones(20), np.array([2.99, 3.3, 4.5, 5.7, 6.01]) * sd])
    points = Points(np.arange(12.0)[:, None], 1.0, np.arange(12), None, np.array([0.0] * 10 + [99.0] * 2))
    neighbors = np.tile(np.arange(12), (len(away), 1))
    assert target_weights(neighbors, points, away, 0.01)[-5:] == pytest.approx([1.0, 0.9, 0.5, 0.1, 0.0])


def test_targets_near_the_largest_double_have_weights() -> None:
    """Targets of ±1e308, whose sums and differences are no doubles, are weighed without a warning, as smaller ones."""
    small = np.array([1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 0.9, 1.0])
    points = [Points(np.arange(8.0)[:, None], 1.0, np.arange(8), None, small * size) for size in (1.0, 1e308, 1.7e308)]
    neighbors = np.array([[j for j in range(8) if j != i] for i in range(8)])
    with np.errstate(all="raise"):
        found = [target_weights(neighbors, one, one.targets, 0.01 * one.targets.max()) for one in points]  # type: ignore[arg-type, union-attr]
    assert np.isfinite(found).all()
    for weights in found[1:]:
        assert weights == pytest.approx(found[0])


@pytest.mark.parametrize(("pairs", "found"), [(39, False), (40, True)])
def test_forty_pairs_have_a_slope(pairs: int, found: bool) -> None:
    """A quarter and an eighth of them have to be five at least."""
    ends = np.repeat(10.0 * np.arange(pairs), 2)
    ends[1::2] += 1 + 0.1 * np.random.default_rng(0).random(pairs)
    points = Points(ends[:, None], 1.0, np.arange(2 * pairs), np.arange(2 * pairs) % 2)
    assert (log_margin_slope(points, search(points, k=1)) is not None) == found
