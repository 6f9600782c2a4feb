"""Robust radius, dimension and margin: what they are on known data, and what cannot move them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import gamma

from ibc_report import complexity
from ibc_report.data.task import Task
from ibc_report.geometry import Points, neighbor_graph, search
from ibc_report.geometry.dimension.estimators import maximum_likelihood, winsorised_dimension
from ibc_report.geometry.label_noise import label_weights, target_weights
from ibc_report.geometry.margin_tail import tail_margin
from ibc_report.geometry.radius import centred_radius, norms
from ibc_report.geometry.robust import BoundInputs, RobustGeometry, influences, robust
from ibc_report.pipeline.measure import prepare
from tests.support.samples import few_properties


def spheres(n: int = 1200, dimension: int = 3, gap: float = 0.5, seed: int = 0) -> Points:
    """Two copies of a sphere of radius 1, a gap apart in a further dimension, centred."""
    body = np.random.default_rng(seed).normal(size=(n, dimension + 1))
    body /= np.linalg.norm(body, axis=1, keepdims=True)
    labels = np.arange(n) % 2
    return Points(np.column_stack([body, (labels - 0.5) * gap]), 1.0, np.arange(n), labels)


def measured(points: Points, tolerance: float | None = None) -> RobustGeometry:
    """Search and measure."""
    facts = robust(neighbor_graph(points, k=min(50, len(points) - 1), tolerance=tolerance))
    assert facts is not None
    return facts


def log10_bits(facts: RobustGeometry, classes: int) -> float:
    """The released formula on robust inputs."""
    return complexity.classification(
        n=facts.n,
        radius=facts.radius,
        dimension=facts.dimension,
        classes=classes,
        margin=facts.margin,
        target_error=0.01,
    ).log10_bits


def encoded(name: str) -> Points:
    """A built-in set as a card would encode it."""
    examples = prepare(Task.of(f"builtin:{name}")).examples
    vectors, first = np.unique(examples.encoded.vectors, axis=0, return_index=True)
    assert examples.codes is not None
    return Points(np.ascontiguousarray(vectors), 1.0, np.arange(len(vectors)), examples.codes[first])


def flip(points: Points, rng: np.random.Generator, share: float = 0.01) -> Points:
    """Give a share of the rows another label."""
    assert points.labels is not None
    labels = points.labels.copy()
    chosen = rng.choice(len(points), round(share * len(points)), replace=False)
    classes = int(labels.max()) + 1
    labels[chosen] = (labels[chosen] + rng.integers(1, classes, len(chosen))) % classes
    return replace(points, labels=labels)


def lengthen(points: Points, rng: np.random.Generator) -> Points:
    """Make one row in a hundred ten times as long."""
    vectors = points.raw.copy()
    vectors[rng.choice(len(points), round(0.01 * len(points)), replace=False)] *= 10
    return replace(points, vectors=vectors)


def test_known_spheres_come_out() -> None:
    """On two parallel spheres radius, margin and dimension are near their true and released values."""
    points = spheres()
    found = search(points, k=50)
    facts = measured(points)
    assert facts.radius == pytest.approx(np.hypot(1, 0.25), rel=0.05)
    assert facts.margin == pytest.approx(found.other_distance.min(), rel=0.05)
    assert facts.dimension == pytest.approx(maximum_likelihood(found.distances, 5), rel=0.02)
    assert (facts.n, facts.far, facts.outvoted, facts.looked_at) == (1200, 0, 0, 1200)


@pytest.mark.parametrize(("name", "classes", "seeds"), [("digits", 10, 1), ("wine", 3, 4), ("breast_cancer", 2, 4)])
@pytest.mark.parametrize("change", [flip, lengthen], ids=["flipped", "outliers"])
def test_one_row_in_a_hundred_moves_little(name: str, classes: int, seeds: int, change: object) -> None:
    """One flipped label or outlier in a hundred moves log10 bits by less than 0.2 on real tables."""
    assert callable(change)
    points = encoded(name)
    base = log10_bits(measured(points), classes)
    for seed in range(seeds):
        moved = change(points, np.random.default_rng(seed))
        assert abs(log10_bits(measured(moved), classes) - base) < 0.2


def test_translation_does_not_matter() -> None:
    """Points moved away from the origin have the same radius, margin, dimension and n."""
    points = encoded("wine")
    here = measured(points)
    there = measured(replace(points, vectors=points.raw + 100.0))
    for name in ("radius", "margin", "dimension", "n"):
        assert getattr(there, name) == pytest.approx(getattr(here, name), rel=1e-9)
    assert there.offset == pytest.approx(100 * np.sqrt(13), rel=0.01)


def test_scale_carries_through() -> None:
    """Lengths scale with the points, and counts and exponents stay."""
    points = spheres(300)
    small, large = measured(points), measured(replace(points, vectors=points.raw * 8))
    assert large.radius == pytest.approx(8 * small.radius)
    assert large.margin == pytest.approx(8 * small.margin)
    assert large.exponent == pytest.approx(small.exponent)


def test_the_released_extremes_do_move() -> None:
    """What the robust value withstands moves the released one by decades, so that it is no small thing."""
    points = encoded("digits")
    flipped = flip(points, np.random.default_rng(0))
    before, after = (search(rows, k=5).other_distance.min() for rows in (points, flipped))
    assert after < 0.8 * before
    assert norms(lengthen(points, np.random.default_rng(0))).radius > 5 * norms(points).radius


def test_flipped_rows_are_named() -> None:
    """The rows whose labels were flipped are the ones that are set aside."""
    points = spheres(gap=1.0)
    assert points.labels is not None
    labels = points.labels.copy()
    labels[[17, 400, 801]] ^= 1
    facts = measured(replace(points, labels=labels))
    assert facts.outvoted == 3
    assert sorted(facts.outvoted_rows) == [17, 400, 801]
    assert facts.n == 1197


def test_outliers_are_named() -> None:
    """The rows that are far out are counted, the furthest first."""
    points = spheres()
    vectors = points.raw.copy()
    vectors[5] *= 10
    vectors[9] *= 30
    facts = measured(replace(points, vectors=vectors))
    assert (facts.far, facts.far_rows, facts.largest_row) == (2, (9, 5), 9)
    assert facts.radius < 1.1


def test_conflicting_points_are_set_aside() -> None:
    """A point that occurs with two labels is no end of a pair, and is counted."""
    points = spheres(400)
    graph = neighbor_graph(points, k=50)
    conflicting = np.zeros(400, dtype=bool)
    conflicting[3] = True
    facts = robust(graph, conflicting=conflicting)
    assert facts is not None
    assert facts.outvoted_rows == (3,)


def test_a_sample_of_queries_tells_the_margin_of_all() -> None:
    """Where a third of the rows was asked, the margin is extrapolated to all rows."""
    points = spheres(3000, dimension=2, gap=0.3)
    queries = points.take(np.arange(0, 3000, 3))
    sampled = robust(neighbor_graph(points, queries, k=50))
    assert sampled is not None
    whole = measured(points)
    assert sampled.margin == pytest.approx(whole.margin, rel=0.1)
    assert sampled.looked_at == 1000
    assert sampled.n == 3000


def test_one_class_has_no_margin() -> None:
    """Without two classes there is nothing to measure."""
    points = replace(spheres(50), labels=np.zeros(50, dtype=np.int64))
    assert robust(neighbor_graph(points, k=20)) is None


def test_classes_of_one_row_are_heard() -> None:
    """A class is voted on by as many neighbours as it has other rows, so that a rare one is not set aside."""
    rng = np.random.default_rng(0)
    vectors = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(3, 2)) + 50, [[-50.0, 0.0]]])
    labels = np.repeat([0, 1, 2], [60, 3, 1])
    points = Points(vectors, 1.0, np.arange(64), labels)
    neighbors = search(points, k=10).rows
    assert label_weights(neighbors, points, labels).tolist() == [1.0] * 64


@pytest.mark.parametrize("n", [6, 7, 12, 30])
def test_few_rows_are_enough(n: int) -> None:
    """Six points of two classes apart give finite numbers."""
    labels = np.arange(n) % 2
    vectors = np.random.default_rng(n).normal(size=(n, 3)) + 10.0 * labels[:, None]
    facts = measured(Points(vectors, 1.0, np.arange(n), labels))
    assert 0 < facts.margin < 2 * facts.largest
    assert facts.n >= n / 2


def test_no_neighbour_agrees() -> None:
    """Labels that alternate, so that every neighbour disagrees, leave nothing that is borne out."""
    points = Points(np.arange(40.0)[:, None], 1.0, np.arange(40), np.arange(40) % 20)
    facts = robust(neighbor_graph(points, k=10))
    assert facts is None or facts.margin > 0


def test_bytes_of_pixels_are_centred() -> None:
    """Vectors of uint8 with a unit give the same as their true coordinates."""
    rng = np.random.default_rng(2)
    pixels = rng.integers(0, 256, (200, 6), dtype=np.uint8)
    labels = np.arange(200) % 2
    small = measured(Points(pixels, 1 / 255, np.arange(200), labels))
    plain = measured(Points(pixels / 255, 1.0, np.arange(200), labels))
    assert small.radius == pytest.approx(plain.radius)
    assert small.margin == pytest.approx(plain.margin)


def test_the_same_bytes_each_time() -> None:
    """Two runs agree to the bit."""
    assert measured(spheres()) == measured(spheres())


def test_regression_sets_wild_targets_aside() -> None:
    """A target that is far from its neighbours' is set aside, and the margin stays."""
    rng = np.random.default_rng(0)
    vectors = rng.random((500, 2))
    targets = vectors.sum(axis=1)
    points = Points(vectors, 1.0, np.arange(500), targets=targets)
    base = measured(points, tolerance=0.2)
    wild = targets.copy()
    wild[[7, 90]] += 5
    facts = measured(replace(points, targets=wild), tolerance=0.2)
    assert facts.outvoted_rows == (7, 90)
    assert facts.margin == pytest.approx(base.margin, rel=0.05)
    assert base.outvoted <= 2


def test_equal_targets_agree() -> None:
    """Where all neighbours have one target, another one has no weight."""
    points = Points(np.arange(4.0)[:, None], 1.0, np.arange(4), targets=np.array([1.0, 1.0, 1.0, 2.0]))
    neighbors = np.array([[1, 2], [0, 2], [1, 0], [2, 1]])
    assert points.targets is not None
    assert target_weights(neighbors, points, points.targets, 0.0).tolist() == [1.0, 1.0, 1.0, 0.0]


@settings(few_properties, max_examples=20)
@given(st.lists(st.integers(0, 3), min_size=13, max_size=40), st.integers(0, 99))
def test_votes_are_counted(labels: list[int], seed: int) -> None:
    """The weight is what counting the votes one by one gives."""
    codes = np.array(labels)
    points = Points(np.random.default_rng(seed).random((len(codes), 2)), 1.0, np.arange(len(codes)), codes)
    neighbors = search(points, k=10).rows
    weights = label_weights(neighbors, points, codes)
    for row, weight in enumerate(weights):
        voters = min(10, int((codes == codes[row]).sum()) - 1)
        votes = np.bincount(codes[neighbors[row, :voters]], minlength=4)
        own = votes[codes[row]]
        lead = (np.delete(votes, codes[row]).max() - own) / max(voters, 1)
        assert weight == pytest.approx(min(1.0, max(0.0, (0.6 - lead) / 0.6)))


def test_the_law_of_a_power_is_found() -> None:
    """Distances that follow a power law exactly give its exponent, and the distance where one pair is expected."""
    n, power = 4000, 5.0
    # pairs along one axis, each far from the others
    gaps = (np.arange(1, n // 2 + 1) / (n // 2)) ** (1 / power)
    starts = np.arange(n // 2) * 100.0
    places = np.stack([starts, starts + gaps], axis=1).ravel()
    points = Points(places[:, None], 1.0, np.arange(n), np.arange(n) % 2)
    graph = neighbor_graph(points, k=1)
    tail = tail_margin(graph, np.ones(n), dimension=power, total=n)
    assert tail is not None
    assert tail.exponent == pytest.approx(power, rel=0.02)
    assert tail.margin == pytest.approx(gaps[0], rel=0.05)
    half = tail_margin(graph, np.ones(n), dimension=power, total=2 * n)
    assert half is not None
    assert half.margin / tail.margin == pytest.approx(4 ** (-1 / power), rel=0.01)


def test_rows_of_no_weight_are_passed_over() -> None:
    """A row that is set aside is no end of a pair; the next one of another class is found instead."""
    # beside each row of the first class one that is set aside, and further away one that is not
    starts = np.arange(200) * 100.0
    gaps = 1 + np.arange(200) / 200
    places = np.stack([starts, starts + 0.01, starts + gaps], axis=1).ravel()
    labels = np.tile([0, 1, 1], 200)
    points = Points(places[:, None], 1.0, np.arange(600), labels)
    weights = np.tile([1.0, 0.0, 1.0], 200)
    for k in (1, 10):
        tail = tail_margin(neighbor_graph(points, k=k), weights, dimension=3.0, total=600)
        assert tail is not None
        assert 0.5 < tail.margin < tail.threshold
        assert tail.threshold >= 1.0


def test_every_row_must_have_been_asked() -> None:
    """A law from a sample of rows would count pairs wrongly, and is refused."""
    points = spheres(30)
    graph = neighbor_graph(points, points.take(np.arange(5)), k=3)
    with pytest.raises(ValueError, match="5 queries and 30 points"):
        tail_margin(graph, np.ones(30), dimension=3.0, total=30)


@pytest.mark.parametrize("dimension", [2, 5, 14])
def test_winsorised_dimension_is_unbiased_on_its_law(dimension: int) -> None:
    """Around a point of a uniform ball it agrees with the dimension."""
    radii = np.sort(np.random.default_rng(0).random((40_000, 5)) ** (1 / dimension), axis=1)
    assert winsorised_dimension(radii) == pytest.approx(dimension, rel=0.01)


def test_winsorising_is_corrected_as_the_gamma_law_says() -> None:
    """The correction is the mean of a gamma variable held to its 5 % and 95 % quantiles, over its mean."""
    draws = gamma.rvs(4, size=400_000, random_state=0)
    held = np.clip(draws, *np.quantile(draws, [0.05, 0.95])).mean() / 4
    distances = np.exp(-np.stack([draws, draws, draws, draws, np.zeros(len(draws))], axis=1) / 4)
    assert winsorised_dimension(distances) == pytest.approx(1.0, rel=0.005)
    assert held == pytest.approx(0.983, abs=0.005)


def test_a_lattice_has_no_winsorised_dimension_but_its_plain_one() -> None:
    """Where nearly all rows have equal distances the plain estimate stands."""
    distances = np.ones((100, 5))
    distances[:3, 0] = 0.5
    assert winsorised_dimension(distances) == pytest.approx(maximum_likelihood(distances, 5))


def gaussian(n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Points of a normal law in ten dimensions."""
    return rng.normal(size=(n, 10))


def test_radius_is_the_expected_largest_norm() -> None:
    """For a normal law the radius is near the mean of the largest norm over samples."""
    rng = np.random.default_rng(0)
    largest = np.mean([np.linalg.norm(gaussian(2000, rng), axis=1).max() for _ in range(20)])
    assert centred_radius(Points(gaussian(2000, rng), 1.0, np.arange(2000))).radius == pytest.approx(largest, rel=0.06)


def test_classes_apart_are_centred_between_them() -> None:
    """Two far classes of unequal size have their centre between them, at their common mean."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], [300, 100])
    vectors = rng.normal(size=(400, 3)) + np.where(labels, 30.0, -10.0)[:, None] * [1, 0, 0]
    found = centred_radius(Points(vectors, 1.0, np.arange(400), labels))
    assert found.offset == pytest.approx(0, abs=0.5)
    assert found.near.mean() > 0.98
    assert found.radius == pytest.approx(33, rel=0.05)


def test_equal_norms_are_all_near() -> None:
    """On a sphere rounding sets no row aside."""
    assert centred_radius(spheres(500)).near.all()


RELEASED = BoundInputs(n=1000.0, radius=10.0, dimension=8.0, margin=1.0)

PAIR = (3, 4)

SAME = RobustGeometry(1000, 10.0, 8.0, 1.0, 0.0, 10.0, 77, 0, (), 0, (), 1000, 8.0, 50.0, (), 10.0, 0.0)


def classified(of: BoundInputs) -> float:
    """log10 of bits of ten classes."""
    return complexity.classification(
        n=of.n, radius=of.radius, dimension=of.dimension, classes=10, margin=of.margin, target_error=0.01
    ).log10_bits


@pytest.mark.parametrize(
    ("setting", "changes", "rows"),
    [
        ("radius", {"radius": 2.0}, (77,)),
        ("margin", {"margin": 5.0}, (3, 4)),
        ("dimension", {"dimension": 4.0}, ()),
        ("origin", {"radius": 3.0, "largest": 3.0, "offset": 8.0}, ()),
    ],
)
def test_the_guilty_setting_is_named(setting: str, changes: dict[str, float], rows: tuple[int, ...]) -> None:
    """The setting that alone explains most is to blame, with the row that decides it."""
    guilty = influences(replace(SAME, **changes), RELEASED, classified, margin_rows=PAIR)  # type: ignore[arg-type]
    assert guilty is not None
    assert (guilty.setting, guilty.rows) == (setting, rows)
    assert guilty.change == guilty.changes[setting]
    assert abs(guilty.difference) > 1


def test_n_is_to_blame_where_the_data_alone_would_do() -> None:
    """Where repeated rows bring the released value to 0 bits, n is to blame."""
    task = BoundInputs(n=100_000.0, radius=1.0, dimension=1.0, margin=1.0)
    facts = replace(SAME, dimension=1.0, radius=1.0, largest=1.0, n=30)
    guilty = influences(facts, task, classified, margin_rows=PAIR)
    assert guilty is not None
    assert guilty.setting == "n"
    assert guilty.difference == np.inf


def test_nobody_is_to_blame_within_a_decade() -> None:
    """Values within a decade need no explanation."""
    assert influences(SAME, RELEASED, classified, margin_rows=PAIR) is None
    assert influences(replace(SAME, margin=1.1), RELEASED, classified, margin_rows=PAIR) is None


@pytest.mark.data
def test_near_duplicates_and_overlap_in_text(shared: Path) -> None:
    """On intents in text the robust value lies below the released one, and rows are set aside."""
    examples = prepare(Task.of(str(shared / "banking77/train.csv"), max_rows=800)).examples
    assert examples.codes is not None
    vectors, first = np.unique(examples.encoded.vectors, axis=0, return_index=True)
    points = Points(np.ascontiguousarray(vectors), 1.0, np.arange(len(vectors)), examples.codes[first])
    facts = measured(points)
    assert facts.margin > search(points, k=1).other_distance.min()
    assert 0 < facts.outvoted < len(points) / 2
