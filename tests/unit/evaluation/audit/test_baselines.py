"""Baselines agree with counting by hand and with scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from ibc_report.common.errors import InputError
from ibc_report.evaluation.audit.baselines import (
    CANDIDATES,
    Baseline,
    CorrectAnswers,
    choose_k,
    find_neighbors,
    majority,
    scored,
    stratified,
    vote,
)
from ibc_report.geometry import Points, neighbor_graph
from tests.support.splits_made import clusters


def test_the_majority_class_is_scikit_learns() -> None:
    """The most common training class is predicted, the first of several."""
    train, test = np.array([2, 2, 1, 1, 0]), np.array([1, 1, 2, 0])
    dummy = DummyClassifier(strategy="most_frequent").fit(np.zeros((5, 1)), train)
    found = scored(np.full(4, majority(train)), test)
    assert found.accuracy == dummy.score(np.zeros((4, 1)), test) == 0.5


def test_stratified_guesses_are_an_expectation(rng: np.random.Generator) -> None:
    """The closed form is the mean over many guesses."""
    train, test = np.repeat([0, 1, 2], [5, 3, 2]), np.repeat([0, 2], [30, 10])
    guesses = rng.choice(train, size=(20_000, 40))
    assert stratified(train, test).accuracy == pytest.approx(float((guesses == test).mean()), abs=0.003)


def test_votes_are_those_of_nearest_neighbours(rng: np.random.Generator) -> None:
    """1-NN is scikit-learn's, and so are votes without a tie."""
    vectors, codes = clusters(rng, 300)
    others, truth = clusters(rng, 80)
    near = find_neighbors(Points(vectors, 1.0, np.arange(300)), Points(others, 1.0, np.arange(80)), seed=0)
    labels = codes[near.positions]
    for k in (1, 5):
        peer = KNeighborsClassifier(k).fit(vectors, codes)
        shares = np.sort(peer.predict_proba(others), axis=1)
        clear = shares[:, -1] > shares[:, -2]
        assert (vote(labels, k) == peer.predict(others))[clear].all()
    assert scored(vote(labels, 1), truth).accuracy == KNeighborsClassifier(1).fit(vectors, codes).score(others, truth)


@pytest.mark.parametrize("repeated", [False, True])
def test_known_neighbours_of_the_training_split_are_not_sought_again(repeated: bool, rng: np.random.Generator) -> None:
    """Those of the distinct points serve where no row repeats; otherwise, and with too few of them, a search does."""
    vectors, _ = clusters(rng, 200)
    if repeated:
        vectors[7] = vectors[3]
    train, test = Points(vectors, 1.0, np.arange(200)), Points(vectors[:5] + 1, 1.0, np.arange(5))
    distinct = train.take(np.delete(np.arange(200), 7)) if repeated else train
    alone = find_neighbors(train, test, seed=0).own
    for k in (50, 4):
        found = find_neighbors(train, test, known=neighbor_graph(distinct, k=k), seed=0).own
        assert np.array_equal(found.distances, alone.distances)
        assert np.array_equal(found.rows, alone.rows)


def test_k_is_chosen_by_leaving_one_out(rng: np.random.Generator) -> None:
    """The chosen k has the most training rows right that are predicted from the others; a test row plays no part."""
    vectors, codes = clusters(rng, 150, features=3)
    points = Points(vectors, 1.0, np.arange(150))
    near = find_neighbors(points, Points(vectors[:1] + 50, 1.0, np.arange(1)), seed=0)
    squares = ((vectors[:, None] - vectors[None]) ** 2).sum(axis=2) + 1e12 * np.eye(150)
    labels = codes[squares.argsort(axis=1, kind="stable")]
    right = {k: int((vote(labels, k) == codes).sum()) for k in CANDIDATES}
    assert choose_k(near, codes) == min(k for k, count in right.items() if count == max(right.values()))


def test_few_training_rows_allow_few_neighbours() -> None:
    """With four rows no more than three can vote."""
    points = Points(np.arange(4.0)[:, None], 1.0, np.arange(4))
    near = find_neighbors(points, points, seed=0)
    assert near.found.k == 3
    assert choose_k(near, np.array([0, 0, 1, 1])) == 1


def test_skill_is_undefined_over_a_perfect_majority() -> None:
    """Where the majority class is always right, nothing is left to gain."""
    found = Baseline.of("linear", CorrectAnswers(5, 5), CorrectAnswers(5, 5))
    assert found.skill is None
    assert found.skill_interval is None


def test_no_rows_have_no_score() -> None:
    """An empty split is refused."""
    with pytest.raises(InputError, match="no test rows"):
        scored(np.zeros(0, np.int64), np.zeros(0, np.int64))
    with pytest.raises(InputError, match="no test rows"):
        stratified(np.zeros(1, np.int64), np.zeros(0, np.int64))
