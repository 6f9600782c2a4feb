"""Other feature maps: against scikit-learn's, and what they do to maps that change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from ibc_report.geometry import Points, margin_from, neighbor_graph, search
from ibc_report.geometry.dimension.estimators import maximum_likelihood
from ibc_report.geometry.feature_maps import (
    LEAST_ROWS,
    MOST_ROWS,
    FeatureMaps,
    Measured,
    WidestFeature,
    feature_maps,
    widest_feature,
)
from ibc_report.geometry.feature_maps import _sample as sample


def measured(vectors: np.ndarray, labels: np.ndarray) -> Measured:
    """Radius, dimension and margin, from the engine's own search over all rows."""
    points = Points(np.ascontiguousarray(vectors), 1.0, np.arange(len(vectors)), labels)
    found = search(points, k=5)
    closest = margin_from(found, points)
    assert closest is not None
    return Measured(
        float(np.linalg.norm(vectors, axis=1).max()), maximum_likelihood(found.distances, 5), closest.distance
    )


def close(found: Measured | None, expected: Measured) -> None:
    """Compare two measurements to the rounding of the maps."""
    assert found is not None
    assert found.radius == pytest.approx(expected.radius, rel=1e-9)
    assert found.dimension == pytest.approx(expected.dimension, rel=1e-9)
    assert found.margin == pytest.approx(expected.margin, rel=1e-9)


def maps(points: Points, *, seed: int = 0, tolerance: float | None = None) -> FeatureMaps:
    """The maps of points that have them."""
    found = feature_maps(neighbor_graph(points, k=min(50, len(points) - 1), tolerance=tolerance), seed=seed)
    assert found is not None
    return found


@pytest.mark.parametrize("k", [2, 50])
def test_a_sample_is_read_from_the_neighbours_of_all(k: int, rng: np.random.Generator) -> None:
    """To the digit it measures as it does alone, however many neighbours of the whole are known."""
    points = Points(rng.integers(0, 256, (3500, 3), np.uint8), 1 / 255, np.arange(3500), rng.integers(0, 5, 3500))
    found = feature_maps(neighbor_graph(points, k=k))
    alone = sample(points, 0)
    own = search(alone, k=5)
    apart = own.distances[own.distances[:, 0] > 0]
    assert found is not None
    assert found.before.dimension == maximum_likelihood(apart, 5)
    assert found.before.margin == own.other_distance[own.other_distance > 0].min()


def test_digits_under_the_maps_of_scikit_learn() -> None:
    """Digits, standardised and in half as many principal components, measure as scikit-learn's own maps of them do."""
    vectors, labels = load_digits(return_X_y=True)
    vectors = vectors / 16
    found = maps(Points(vectors, 1.0, np.arange(1797), labels.astype(np.int64)))

    assert (found.rows, found.features, found.halved_features) == (1797, 64, 32)
    assert found.other == "standardised"
    close(found.before, measured(vectors, labels))
    close(found.standardised, measured(StandardScaler().fit_transform(vectors), labels))
    close(found.halved, measured(PCA(32, svd_solver="full").fit_transform(vectors), labels))
    assert found.centred_radius == pytest.approx(np.linalg.norm(vectors - vectors.mean(axis=0), axis=1).max())


def test_pixels_are_taken_in_their_unit() -> None:
    """Whole pixels with a unit measure as the same numbers in floating point do."""
    vectors, labels = load_digits(return_X_y=True)
    labels = labels.astype(np.int64)
    pixels = maps(Points(vectors.astype(np.uint8), 1 / 16, np.arange(1797), labels))
    numbers = maps(Points(vectors / 16, 1.0, np.arange(1797), labels))

    close(pixels.before, numbers.before)
    assert numbers.standardised is not None
    close(pixels.standardised, numbers.standardised)


def test_a_sample_is_drawn_by_row(rng: np.random.Generator) -> None:
    """At most 3,000 rows are measured, fewer of long vectors but a thousand, chosen by a hash of seed and row."""
    vectors, labels = rng.normal(size=(3500, 2)), rng.integers(0, 2, 3500)
    many = Points(vectors, 1.0, np.arange(3500), labels)
    long = np.zeros((1100, 5000), dtype=np.uint8)
    long[:, 0], long[:, 1] = np.divmod(np.arange(1100), 256)
    chosen, others = sample(many, 0), sample(many, 1)

    assert maps(many).rows == len(chosen) == MOST_ROWS
    assert len(sample(Points(long, 1.0, np.arange(1100), labels[:1100]), 0)) == LEAST_ROWS
    assert not np.array_equal(chosen.rows, others.rows)
    # a part of the rows that holds the sample has the same sample
    kept = np.union1d(chosen.rows, np.arange(0, 3500, 50))
    assert np.array_equal(sample(many.take(kept), 0).rows, chosen.rows)


def test_constant_features_are_kept(rng: np.random.Generator) -> None:
    """A feature that never varies, even one whose mean is off by its rounding, adds nothing once standardised."""
    vectors = rng.normal(size=(300, 3)) * [1, 5, 20]
    labels = rng.integers(0, 2, 300)
    constant = np.tile([0.1, 1e9 / 3], (300, 1))
    plain = maps(Points(vectors, 1.0, np.arange(300), labels))
    wider = maps(Points(np.hstack([vectors, constant]), 1.0, np.arange(300), labels))

    assert wider.features == 5
    assert plain.standardised is not None
    close(wider.standardised, plain.standardised)
    assert wider.before.radius > 1e8


def test_features_of_one_spread_are_looked_at_by_components(rng: np.random.Generator) -> None:
    """Where standardising would only scale all features alike, the principal components are the other map."""
    vectors = rng.normal(size=(800, 6))
    labels = rng.integers(0, 2, 800)
    even = maps(Points(vectors * 7, 1.0, np.arange(800), labels))
    uneven = maps(Points(vectors * [1, 1, 1, 1, 1, 2], 1.0, np.arange(800), labels))
    single = maps(Points(vectors[:, :1].copy(), 1.0, np.arange(800), labels))

    assert (even.other, uneven.other) == ("halved", "standardised")
    assert (single.other, single.halved) == ("standardised", None)


def test_more_features_than_rows_give_the_same_components(rng: np.random.Generator) -> None:
    """With fewer rows than features the components come from the rows' products, and are those of scikit-learn."""
    vectors = rng.normal(size=(60, 200)) * np.geomspace(1, 0.01, 200)
    labels = rng.integers(0, 2, 60)
    found = maps(Points(vectors, 1.0, np.arange(60), labels))

    assert found.halved_features == 29
    close(found.halved, measured(PCA(29, svd_solver="full").fit_transform(vectors), labels))


def test_points_that_a_map_joins_count_for_neither(rng: np.random.Generator) -> None:
    """Points that differ in the dropped components alone neither end the margin nor the dimension."""
    vectors = np.hstack([rng.normal(size=(100, 2)) * 50, np.zeros((100, 2))])
    twins = vectors[:10].copy()
    twins[:, 2] = 1e-9
    labels = np.concatenate([rng.integers(0, 2, 100), np.zeros(10, dtype=np.int64)])
    labels[:10] = 1
    found = maps(Points(np.vstack([vectors, twins]), 1.0, np.arange(110), labels))

    assert found.halved is not None
    assert found.halved.margin > 1e-3
    assert 0.5 < found.halved.dimension < 4


def test_a_regression_has_each_point_once(rng: np.random.Generator) -> None:
    """A point that stands twice, with two targets, is measured once."""
    vectors = rng.normal(size=(200, 4))
    targets = rng.normal(size=200)
    both = Points(
        np.vstack([vectors, vectors[:50]]), 1.0, np.arange(250), None, np.concatenate([targets, targets[:50] + 0.01])
    )
    once = Points(vectors, 1.0, np.arange(200), None, targets)

    assert maps(both, tolerance=0.1).before == maps(once, tolerance=0.1).before
    assert maps(both, tolerance=0.1).rows == 200


@pytest.mark.parametrize("case", ["few", "one-class", "all-as-far"])
def test_what_cannot_be_measured_is_none(case: str, rng: np.random.Generator) -> None:
    """Too few rows, one class, or rows that are all equally far apart have no maps."""
    n = 5 if case == "few" else 40
    vectors = np.eye(n) if case == "all-as-far" else rng.normal(size=(n, 3))
    labels = np.zeros(n, dtype=np.int64) if case == "one-class" else np.arange(n) % 2

    assert feature_maps(neighbor_graph(Points(vectors, 1.0, np.arange(n), labels), k=n - 1)) is None


@pytest.mark.parametrize(("widest", "other"), [(1.249, "halved"), (1.251, "standardised")])
def test_a_quarter_more_of_a_deviation_is_not_even(rng: np.random.Generator, widest: float, other: str) -> None:
    """Features whose deviations differ by less than a quarter are looked at by their components."""
    vectors = StandardScaler().fit_transform(rng.normal(size=(200, 4))) * [1, 1, 1, widest]
    assert maps(Points(vectors, 1.0, np.arange(200), rng.integers(0, 2, 200))).other == other


def test_the_widest_feature_is_that_of_the_variances() -> None:
    """Its share of the mean squared distance and its width over the median of the others, by their definitions."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 5)) * [1.0, 2.0, 0.0, 40.0, 3.0] + [0, 1e4, 7, 0, 0]
    variances = x.var(axis=0)
    found = widest_feature(Points(x, 1.0, np.arange(300)))
    assert found is not None
    assert found.position == 3
    assert found.share == pytest.approx(variances[3] / variances.sum(), rel=1e-6)
    # the feature that does not vary is none of the others
    assert found.times == pytest.approx((variances[3] / np.median(variances[[0, 1, 4]])) ** 0.5, rel=1e-6)


def test_the_wider_of_two_features_is_held_against_the_other() -> None:
    """Of two features the median of the others is the one that is left; bytes do not overflow; one alone is none."""
    pixels = np.array([[0, 0], [250, 1], [0, 1], [250, 0]], np.uint8)
    found = widest_feature(Points(pixels, 1 / 255, np.arange(4)))
    assert found == WidestFeature(0, 62500 / 62501, 250.0)
    assert widest_feature(Points(np.array([[1.0, 5.0], [2.0, 5.0]]), 1.0, np.arange(2))) is None
