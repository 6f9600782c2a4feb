"""The extrapolated margin: against power laws, ties, unequal classes, and MNIST's known values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ibc_report.common.errors import DataError
from ibc_report.geometry import Points, margin
from ibc_report.geometry.margin_extrapolation import different_pairs, extrapolated_margin, pareto_minimum


def uniform(n: int, m: int, seed: int, classes: int = 2) -> Points:
    """Points of a cube with labels that have nothing to do with them."""
    generator = np.random.default_rng(seed)
    return Points(generator.random((n, m)), 1.0, np.arange(n), generator.integers(0, classes, n).astype(np.int64))


@pytest.mark.parametrize("kappa", [3.0, 10.0, 30.0])
def test_a_power_law_is_followed_to_its_minimum(kappa: float) -> None:
    """From a hundredth of the pairs, the distance that one pair in all falls below is met to 10 % of sd on average."""
    level = (1e-8) ** (1 / kappa)
    found = []
    for seed in range(40):
        steps = np.cumsum(np.random.default_rng(seed).exponential(size=2001)) / 1e6
        found.append(pareto_minimum(steps ** (1 / kappa), 10**6, 10**8)[0])
    assert np.median(np.log(found)) == pytest.approx(np.log(level), abs=0.4 / kappa)


def test_a_shape_of_0_is_the_limit() -> None:
    """Where γ vanishes the law is followed by a logarithm, without a jump."""
    spacings = np.exp(-np.cumsum(np.ones(300)) * 1e-3)[::-1]
    distance, shape = pareto_minimum(spacings, 1000, 1000)
    assert np.isfinite(distance)
    assert distance > 0
    assert np.isfinite(shape)


def test_ties_give_the_tied_distance() -> None:
    """Where the smallest distances all tie there is nothing to extrapolate by, and nothing is divided by 0."""
    assert pareto_minimum(np.full(50, 2.0), 10**4, 10**6) == (2.0, 0.0)
    cube = Points(
        np.ascontiguousarray(np.indices((2,) * 7).reshape(7, -1).T, dtype=np.float64),
        1.0,
        np.arange(128),
        np.arange(128) % 2,
    )
    found = extrapolated_margin(cube, seed=0, sampled=100_000, seeds=2)
    assert found.distance == pytest.approx(1.0, abs=0.3)


def test_pairs_are_counted_unordered_and_for_unequal_classes() -> None:
    """Brute force over all pairs gives the same count, and one class none."""
    labels = np.array([0] * 7 + [1] * 2 + [5])
    first, second = np.triu_indices(10, 1)
    assert different_pairs(labels) == int((labels[first] != labels[second]).sum())
    assert different_pairs(np.zeros(4, dtype=np.int64)) == 0


def test_a_unit_scales_the_margin() -> None:
    """Features in another unit give the same margin in that unit, at any scale: nothing below 1 is masked."""
    points = uniform(400, 3, 0)
    small = Points(points.vectors * 1e-3, 1.0, points.rows, points.labels)
    one, other = (extrapolated_margin(each, seed=1, sampled=40_000, seeds=3) for each in (points, small))
    assert other.distance == pytest.approx(1e-3 * one.distance, rel=1e-9)


def test_the_same_seed_gives_the_same_margin_and_another_seed_another() -> None:
    """All that is drawn follows from the seed."""
    points = uniform(300, 4, 2)
    first, again, other = (extrapolated_margin(points, seed=seed, sampled=40_000, seeds=2) for seed in (0, 0, 1))
    assert first == again
    assert first.distance != other.distance


def test_the_exact_margin_of_uniform_points_lies_near() -> None:
    """Over sets whose margin is known, the median ratio of extrapolated to exact is within a factor 1.5."""
    ratios = []
    for seed in range(5):
        points = uniform(1500, 6, seed, classes=4)
        exact = margin(points)
        assert exact is not None
        ratios.append(extrapolated_margin(points, seed=seed, sampled=100_000, seeds=3).distance / exact.distance)
    assert 1 / 1.5 < np.median(ratios) < 1.5


def test_what_cannot_be_extrapolated_is_said() -> None:
    """One class, too few pairs, and a set without labels are refused with what to do."""
    one = Points(np.random.default_rng(0).random((30, 2)), 1.0, np.arange(30), np.zeros(30, dtype=np.int64))
    with pytest.raises(DataError, match="one class"):
        extrapolated_margin(one, seed=0, sampled=1000)
    with pytest.raises(DataError, match="draw more"):
        extrapolated_margin(uniform(30, 2, 0), seed=0, sampled=20)
    with pytest.raises(ValueError, match="labels"):
        extrapolated_margin(Points(np.zeros((3, 1)), 1.0, np.arange(3)), seed=0)


@pytest.mark.data
def test_mnist_comes_out_near_its_margin(shared: Path) -> None:
    """From 50,000 pairs a seed, the margin of 5,000 digits of MNIST is missed by less than a half."""
    import io

    import pyarrow.parquet as pq
    from PIL import Image

    table = pq.read_table(shared / "mnist" / "mnist" / "train-00000-of-00001.parquet").slice(0, 5_000)
    pixels = np.stack([np.asarray(Image.open(io.BytesIO(row["bytes"]))).ravel() for row in table["image"].to_pylist()])
    points = Points(
        np.ascontiguousarray(pixels), 1 / 255, np.arange(5_000), np.array(table["label"].to_pylist(), dtype=np.int64)
    )
    exact = margin(points)
    found = extrapolated_margin(points, seed=0, sampled=50_000, seeds=3)
    assert exact is not None
    assert found.distance == pytest.approx(exact.distance, rel=0.5)
    assert found.lower < found.upper
    assert found.closest >= exact.distance


@pytest.mark.parametrize("shape", [-0.3, -0.5, -1.0])
def test_distances_that_end_above_0_are_followed_to_their_end(shape: float) -> None:
    """Reciprocals that are bounded by 1 have a negative γ, and lead to the distance at the level of one pair in all."""
    levels = np.arange(1, 2002) / 1e6
    distance, found = pareto_minimum(1 / (1 - levels**-shape), 10**6, 10**8)
    assert found == pytest.approx(shape, abs=0.02)
    # a tenth of the way from the threshold to the end
    assert 1 / distance == pytest.approx(1 - 1e-8**-shape, abs=0.1 * levels[-1] ** -shape)


def drawn(points: Points, sampled: int) -> np.ndarray:
    """Distances of the pairs that one seed draws, of those of different classes, sorted."""
    generator = np.random.default_rng(0).spawn(1)[0]
    ends = generator.integers(0, len(points), size=(2, sampled))
    assert points.labels is not None
    ends = ends[:, points.labels[ends[0]] != points.labels[ends[1]]]
    return np.sort(np.linalg.norm(points.vectors[ends[0]] - points.vectors[ends[1]], axis=1))


def test_the_law_is_fitted_to_two_in_a_thousand_of_the_pairs() -> None:
    """Of 50,000 drawn pairs the hundred smallest distances are used, and the threshold behind them."""
    points = uniform(600, 3, 0)
    assert points.labels is not None
    distances = drawn(points, 50_000)
    expected = pareto_minimum(distances[:101], len(distances), different_pairs(points.labels))
    found = extrapolated_margin(points, seed=0, sampled=50_000, seeds=1)
    assert (found.distance, found.shape) == pytest.approx(expected, rel=1e-9)


def test_twenty_distances_are_too_few_for_a_law() -> None:
    """A law needs 21 pairs that are of different classes: twenty, and the threshold behind them."""
    points = uniform(300, 3, 0)
    useful = {sampled: len(drawn(points, sampled)) for sampled in range(30, 60)}
    assert {20, 21} <= set(useful.values())
    for sampled, count in useful.items():
        if count <= 20:
            with pytest.raises(DataError, match="draw more"):
                extrapolated_margin(points, seed=0, sampled=sampled, seeds=1)
        else:
            assert extrapolated_margin(points, seed=0, sampled=sampled, seeds=1).sampled == count
