"""The dimension of each class: against a search of each class alone, and when classes differ."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2
from statsmodels.stats.meta_analysis import combine_effects

from ibc_report.geometry import Points, neighbor_graph, search
from ibc_report.geometry.dimension.by_class import MOST_CLASSES, by_class, class_spread, surest_class_spread
from ibc_report.geometry.dimension.estimators import PAPER_K, maximum_likelihood
from ibc_report.geometry.dimension.local_density import spacings
from tests.unit.geometry.dimension.test_local_density import radii

MEMORY = 2**30


def labelled(vectors: NDArray[np.float64], labels: NDArray[np.int64]) -> Points:
    """Points with labels."""
    return Points(np.ascontiguousarray(vectors), 1.0, np.arange(len(vectors)), labels)


def alone(points: Points, label: int) -> float:
    """The estimate of a search among the points of one class."""
    assert points.labels is not None
    own = points.raw[points.labels == label]
    return maximum_likelihood(search(Points(own, 1.0, np.arange(len(own))), k=PAPER_K).distances, PAPER_K)


def separate(overlap: float) -> Points:
    """Three classes of 300 points and of dimension 1, 3 and 6, at corners that come closer with the overlap."""
    generator = np.random.default_rng(1)
    parts = [np.zeros((300, 6)) for _ in range(3)]
    for dimension, vectors in zip((1, 3, 6), parts, strict=True):
        vectors[:, :dimension] = generator.normal(size=(300, dimension))
        vectors[:, 0] += dimension / overlap
    return labelled(np.vstack(parts), np.repeat(np.arange(3), 300))


@pytest.mark.parametrize("overlap", [0.01, 2.0, 50.0])
def test_each_class_is_measured_as_if_it_were_alone(overlap: float) -> None:
    """Apart, half mixed or wholly mixed, each class has to the last digits the estimate of its own search."""
    points = separate(overlap)
    found = by_class(neighbor_graph(points, k=50), seed=0, memory=MEMORY)
    assert [(one.label, one.points) for one in found] == [(0, 300), (1, 300), (2, 300)]
    for one in found:
        assert one.estimate == pytest.approx(alone(points, one.label), rel=1e-12)


def test_the_error_of_a_class_is_its_spread_over_draws() -> None:
    """Over 40 draws the root mean square error estimate of a class is its standard deviation within a third."""
    estimates, errors = [], []
    for draw in range(40):
        generator = np.random.default_rng([draw, 2])
        points = labelled(generator.normal(size=(400, 4)), generator.integers(0, 2, 400))
        one = by_class(neighbor_graph(points, k=50), seed=draw, memory=MEMORY)[0]
        assert one.standard_error is not None
        estimates.append(one.estimate)
        errors.append(one.standard_error)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(estimates, ddof=1), rel=0.33)


def test_few_queries_do() -> None:
    """Where a tenth of the points were asked, a class is within four of its standard errors of its full estimate."""
    points = separate(2.0)
    queries = points.take(np.arange(0, 900, 10))
    found = by_class(neighbor_graph(points, queries, k=50), seed=0, memory=MEMORY)
    assert len(found) == 3
    for one in found:
        assert one.standard_error is not None
        assert abs(one.estimate - alone(points, one.label)) < 4 * one.standard_error


def test_a_class_that_was_not_asked_is_searched() -> None:
    """A class without a query is measured on its own points."""
    points = separate(2.0)
    queries = points.take(np.arange(600))
    found = by_class(neighbor_graph(points, queries, k=50), seed=0, memory=MEMORY)
    assert found[2].estimate == pytest.approx(alone(points, 2), rel=1e-12)


def test_a_small_class_has_an_estimate_and_no_error_or_neither() -> None:
    """Six points have an estimate, five have none, and neither has an error."""
    generator = np.random.default_rng(3)
    points = labelled(generator.normal(size=(111, 3)), np.repeat([0, 1, 2], [100, 6, 5]))
    found = by_class(neighbor_graph(points, k=50), seed=0, memory=MEMORY)
    assert [one.label for one in found] == [0, 1]
    assert found[1].standard_error is None
    assert found[1].estimate == pytest.approx(alone(points, 1), rel=1e-12)


def test_a_class_on_a_lattice_is_left_out() -> None:
    """One-hot points are all equally far, so that their class has no dimension; the other one does."""
    vectors = np.vstack([np.eye(30), np.random.default_rng(4).normal(size=(60, 30)) + 100])
    points = labelled(vectors, np.repeat([0, 1], [30, 60]))
    found = by_class(neighbor_graph(points, k=50), seed=0, memory=MEMORY)
    assert [one.label for one in found] == [1]


def test_without_labels_there_are_no_classes() -> None:
    """Points of a regression have none."""
    points = Points(np.random.default_rng(5).normal(size=(40, 3)), 1.0, np.arange(40))
    assert by_class(neighbor_graph(points, k=10), seed=0, memory=MEMORY) == ()


def test_many_classes_are_the_largest_of_them() -> None:
    """No more than the limit are measured, those with the most points."""
    sizes = np.full(MOST_CLASSES + 1, 7)
    sizes[3] = 6
    labels = np.repeat(np.arange(len(sizes)), sizes)
    vectors = np.random.default_rng(6).normal(size=(len(labels), 2)) * 0.1 + np.column_stack([labels, labels**2 % 97])
    points = labelled(vectors, labels)
    found = by_class(neighbor_graph(points, k=12), seed=0, memory=MEMORY)
    assert len(found) == MOST_CLASSES
    assert 3 not in {one.label for one in found}


LABELS = np.arange(3000) % 3


def test_classes_of_one_dimension_do_not_differ() -> None:
    """Over 40 draws of one dimension the probability is never small, and the spread stays below 3 %."""
    found = [class_spread(radii(3000, 20, 6.0, seed=seed), LABELS) for seed in range(40)]
    assert all(one is not None and one.probability > 1e-3 and one.spread < 0.03 for one in found)


def test_classes_of_several_dimensions_do() -> None:
    """Classes of dimension 4, 5 and 6 come out with the spread of their inverses."""
    found = class_spread(radii(3000, 20, np.array([[4.0], [5.0], [6.0]] * 1000)), LABELS)
    assert found is not None
    assert found.classes == 3
    inverse = 1 / np.array([4, 5, 6])
    assert found.spread == pytest.approx(inverse.std(ddof=1) / inverse.mean(), rel=0.15)
    assert found.probability < 1e-9


def test_small_classes_are_left_out() -> None:
    """A class of 29 points is not compared, and one class alone has nothing to differ from."""
    distances = radii(100, 20, 3.0)
    assert class_spread(distances, (np.arange(100) < 29).astype(np.int64)) is None
    found = class_spread(distances, (np.arange(100) < 30).astype(np.int64))
    assert found is not None
    assert found.classes == 2


def test_few_neighbours_tell_nothing() -> None:
    """Without ten neighbours, or with a class whose neighbours are all equally far, nothing is said."""
    assert class_spread(radii(100, 9, 3.0), np.arange(100) % 2) is None
    even = radii(100, 20, 3.0)
    even[::2] = 1
    assert class_spread(even, np.arange(100) % 2) is None


def test_the_spread_is_that_of_dersimonian_and_laird() -> None:
    """Classes of unequal sizes have the variance between studies, and the Q, that statsmodels gives for their means."""
    labels = np.repeat(np.arange(4), [40, 100, 400, 1000])
    distances = radii(len(labels), 10, np.array([4.0, 5.0, 6.0, 5.5])[labels][:, None])
    inverse = spacings(distances, 10) / 8
    parts = [inverse[labels == label] for label in range(4)]
    means = np.array([part.mean() for part in parts])
    # neighbourhoods overlap, so that an error is 1.6 times that of independent points
    variances = np.array([1.6**2 * part.var() / len(part) for part in parts])
    oracle = combine_effects(means, variances, method_re="chi2")
    found = class_spread(distances, labels)
    assert found is not None
    assert oracle.tau2 > 0
    assert found.spread == pytest.approx(oracle.tau2**0.5 / oracle.mean_effect_fe)
    assert found.probability == pytest.approx(chi2.sf(oracle.q, 3))


def test_close_shells_are_of_one_dimension() -> None:
    """Spheres about one centre, closer than their points: neighbours of the other one are no other dimension."""
    rng = np.random.default_rng(0)
    labels = np.arange(1000) % 2
    sphere = rng.standard_normal((1000, 4))
    sphere *= (1 + 0.5 * labels[:, None]) / np.linalg.norm(sphere, axis=1, keepdims=True)
    graph = neighbor_graph(labelled(sphere, labels), k=50)
    of_any, found = class_spread(graph.found.distances, labels), surest_class_spread(graph)
    assert of_any is not None
    assert found is not None
    assert of_any.spread > 0.12
    assert found.spread < 0.06


def test_classes_of_other_dimensions_differ_among_their_own_too() -> None:
    """What differs by the classes' dimension is left, and is the lesser of the two."""
    points = separate(0.01)
    graph = neighbor_graph(points, k=50)
    found = surest_class_spread(graph)
    of_any = class_spread(graph.found.distances, graph.queries.labels)  # type: ignore[arg-type]
    assert found is not None
    assert of_any is not None
    assert 0.3 < found.spread <= of_any.spread
    assert found.probability < 1e-6


def test_classes_among_others_are_compared_among_all() -> None:
    """Where points lack neighbours of their own class in the table there is one comparison, as without labels none."""
    rng = np.random.default_rng(2)
    points = labelled(rng.random((900, 2)), rng.integers(0, 9, 900))
    graph = neighbor_graph(points, k=20)
    assert surest_class_spread(graph) == class_spread(graph.found.distances, points.labels)  # type: ignore[arg-type]
    bare = Points(points.vectors, 1.0, points.rows)
    assert surest_class_spread(neighbor_graph(bare, k=20)) is None
