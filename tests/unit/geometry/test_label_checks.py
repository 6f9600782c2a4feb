"""What neighbours say of labels: by its definition, on classes that touch, with planted flips and near pairs."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.stats import beta

from ibc_report.geometry import NeighborGraph, Points, neighbor_graph
from ibc_report.geometry import label_checks as module
from ibc_report.geometry.assumption_values import are_alone, follow_nothing
from ibc_report.geometry.label_checks import LabelChecks, label_checks
from ibc_report.geometry.neighbors.search import Neighbors

Labels = Callable[[NDArray[np.float64]], NDArray[np.bool_]]

TOUCHING: dict[str, Labels] = {
    "half space": lambda x: x[:, 0] > 0,
    "ball": lambda x: (x**2).sum(axis=1) > np.median((x**2).sum(axis=1)),
    "xor": lambda x: (x[:, 0] > 0) ^ (x[:, 1] > 0),
    "shells": lambda x: np.sqrt((x**2).sum(axis=1)).astype(int) % 2 == 0,
    "one in a hundred": lambda x: x[:, 0] > np.quantile(x[:, 0], 0.99),
    "1 : 599": lambda x: x[:, 0] > np.quantile(x[:, 0], 599 / 600),
}


def checked(vectors: NDArray[np.float64], labels: NDArray[np.int64], every: int = 1) -> LabelChecks:
    """What is said of labels, of which enough is known."""
    points = Points(np.ascontiguousarray(vectors), 1.0, np.arange(len(vectors)), labels)
    asked = points if every == 1 else points.take(np.arange(0, len(vectors), every))
    distances, rows = map(np.asarray, cKDTree(vectors).query(asked.vectors, 51))
    nothing, no_row = np.full(len(asked), np.inf), np.full(len(asked), -1)
    near = Neighbors(50, distances[:, 1:], rows[:, 1:], nothing, no_row, nothing, no_row, "tree")
    found = label_checks(NeighborGraph(points, asked, near))
    assert found is not None
    return found


def apart(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two classes on squares that are far from one another."""
    rng = np.random.default_rng([3, seed])
    labels = rng.integers(0, 2, n)
    return np.column_stack([rng.random((n, 3)), 5.0 * labels]), labels


@pytest.mark.parametrize("name", TOUCHING)
@pytest.mark.parametrize(("n", "dimension"), [(300, 2), (1000, 4), (2500, 3)])
def test_classes_that_touch_have_right_labels(name: str, n: int, dimension: int) -> None:
    """No draw of four has more rows alone than touching classes have, and labels follow the inputs."""
    for seed in range(4):
        vectors = np.random.default_rng([4, seed]).normal(size=(n, dimension))
        labels = TOUCHING[name](vectors).astype(np.int64)
        if np.bincount(labels).min() < 5:
            continue
        found = checked(vectors, labels)
        assert not are_alone(found)
        assert not follow_nothing(found)


def test_one_flip_in_a_hundred_is_found_among_classes_apart() -> None:
    """Of twenty draws with 600 rows and six flipped labels nineteen are found."""
    found = 0
    for seed in range(20):
        vectors, labels = apart(600, seed)
        labels[np.random.default_rng(seed).permutation(600)[:6]] ^= 1
        found += are_alone(checked(vectors, labels))
    assert found >= 19


def test_flips_are_found_in_a_sample_of_queries() -> None:
    """Where a third of the rows was asked, flipped ones among them are named by their row numbers."""
    vectors, labels = apart(1500, 0)
    labels[[30, 31, 300, 600, 900]] ^= 1
    found = checked(vectors, labels, every=3)
    assert found.alone_rows == (30, 300, 600, 900)
    assert are_alone(found)


def test_random_labels_follow_nothing() -> None:
    """Of forty draws of shuffled labels at most two agree more than chance; two and seven classes, even or not."""
    missed = 0
    for seed in range(40):
        rng = np.random.default_rng([5, seed])
        labels = rng.choice(7, 300, p=[0.4, 0.2, 0.1, 0.1, 0.1, 0.05, 0.05]) if seed % 2 else rng.integers(0, 2, 300)
        missed += not follow_nothing(checked(rng.normal(size=(300, 4)), labels.astype(np.int64)))
    assert missed <= 2


def test_agreement_is_in_standard_deviations() -> None:
    """Over shuffles of the labels it has mean 0 and deviation 1, of all rows as of some."""
    rng = np.random.default_rng(6)
    vectors, labels = rng.normal(size=(400, 3)), np.repeat([0, 1, 2], [200, 120, 80])
    for every in (1, 3):
        draws = [checked(vectors, rng.permutation(labels), every).agreement for _ in range(60)]
        assert None not in draws
        values = np.array(draws, dtype=np.float64)
        assert abs(values.mean()) < 0.4
        assert 0.75 < values.std() < 1.25


@pytest.mark.parametrize(("others", "told"), [(29, False), (30, True)])
def test_few_rows_outside_of_one_class_tell_no_agreement(others: int, told: bool) -> None:
    """Thirty rows of other classes are wanted."""
    labels = (np.arange(500) < others).astype(np.int64)
    found = checked(np.random.default_rng(7).normal(size=(500, 3)), labels)
    assert (found.agreement is not None) == told


@pytest.mark.parametrize(("small", "told"), [(1, False), (4, False), (5, True)])
def test_two_classes_of_five_rows_are_needed(small: int, told: bool) -> None:
    """A class of one row is nothing that neighbours can bear out or contradict."""
    labels = (np.arange(200) < small).astype(np.int64)
    points = Points(np.random.default_rng(8).normal(size=(200, 2)), 1.0, np.arange(200), labels)
    assert (label_checks(neighbor_graph(points, k=50)) is not None) == told


@pytest.mark.parametrize(("k", "told"), [(29, False), (30, True)])
def test_thirty_neighbours_are_needed(k: int, told: bool) -> None:
    """Fewer are no neighbourhood; a regression has no labels."""
    vectors, labels = apart(200, 1)
    points = Points(vectors, 1.0, np.arange(200), labels)
    assert (label_checks(neighbor_graph(points, k=k)) is not None) == told
    smooth = Points(vectors, 1.0, np.arange(200), None, vectors[:, 0].copy())
    assert label_checks(neighbor_graph(smooth, k=k, tolerance=0.1)) is None


def test_rows_alone_are_their_definition() -> None:
    """By brute force: none of ten, two of thirty, half of the class together, among the nearest of six others."""
    rng = np.random.default_rng(9)
    vectors = np.concatenate([rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + 2.0])
    labels = np.repeat([0, 1], 300)
    distances = np.linalg.norm(vectors[:, None] - vectors, axis=2)
    np.fill_diagonal(distances, np.inf)
    near = np.argsort(distances, axis=1)[:, :30]
    same = labels[near] == labels[:, None]
    sought = np.bincount(near[:, :10].ravel(), minlength=600) >= 6
    around = same.sum(axis=1)
    alone = ~same[:, :10].any(axis=1) & (around <= 2) & sought
    nearly = int(((around == 3) | (around == 4))[sought].sum())
    found = checked(vectors, labels)
    count = int(alone.sum())
    assert count > 0
    assert found.alone == count
    assert found.alone_rows == tuple(np.flatnonzero(alone)[:6].tolist())
    # the chance of as many, each one in five
    chance = sum(_binomial(count + nearly, at, 0.2) for at in range(count, count + nearly + 1))
    assert found.probability == pytest.approx(chance)


def _binomial(n: int, at: int, share: float) -> float:
    return float(comb(n, at) * share**at * (1 - share) ** (n - at))


def test_a_class_that_lies_among_others_is_not_judged() -> None:
    """Twenty rows scattered over another class are rare, not wrong: half of them are not among their own."""
    rng = np.random.default_rng(10)
    labels = (np.arange(1000) < 20).astype(np.int64)
    assert checked(rng.random((1000, 2)), labels).alone == 0


def test_near_pairs_are_counted_once_with_those_that_differ() -> None:
    """Of forty rows that were copied with a little noise ten copies have the other label."""
    vectors, labels = apart(600, 2)
    copies = vectors[:40] + 1e-5 * np.random.default_rng(0).normal(size=(40, 4))
    theirs = labels[:40].copy()
    theirs[:10] ^= 1
    found = checked(np.concatenate([vectors, copies]), np.concatenate([labels, theirs]))
    assert 40 <= found.near_pairs <= 43
    assert found.near_differing == 10
    assert found.near_share == pytest.approx(beta.ppf(0.01, 10, found.near_pairs - 9))
    assert LabelChecks(0, (), 1.0, 9.0, 5, 0).near_share == 0


def test_the_thresholds_are_those_that_draws_were_counted_with() -> None:
    """The constants that false verdicts and power were counted with."""
    wanted = (10, 30, 2, 4, 0.5, 6, 0.2, 0.01)
    assert wanted == (
        module.VOTERS,
        module.AROUND,
        module.MOST_ALONE,
        module.MOST_MIXED,
        module.COHERENT,
        module.SOUGHT,
        module.ALONE_SHARE,
        module.LOWER_LEVEL,
    )
