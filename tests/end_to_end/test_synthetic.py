"""The tasks of known truth that the calibration draws: their scale, their margin, and what is planted in them."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
if not BENCHMARKS.is_dir():
    pytest.skip("the benchmarks are not part of the source distribution", allow_module_level=True)
sys.path.insert(0, str(BENCHMARKS))

from counting import coverage, judged, regions  # noqa: E402
from synthetic import FAMILIES, FLIPPED, HALVED, OUTLIER, REPEATED, VIOLATIONS, Recipe, draw, regression  # noqa: E402
from trial import Trial, run  # noqa: E402
from truth import TRUE, clean_tasks, planted_tasks  # noqa: E402

from ibc_report.geometry import margin  # noqa: E402

SQUARE = Recipe("gaussian", 2, 400, 20, classes=3, margin=0.8)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dimension", [2, 7])
def test_manifolds_have_their_scale_and_their_margin(family: str, dimension: int) -> None:
    """A manifold has root mean square norm 1 and spans its coordinates; no classes come closer than their margin."""
    recipe = Recipe(family, dimension, 1500, 40, margin=0.5)
    points = draw(recipe, 0)
    squares = (points.vectors**2).sum(axis=1)
    # the classes stand half of the margin to either side
    assert squares.mean() == pytest.approx(1 + 0.25**2, rel=0.1)
    found = margin(points)
    assert found is not None
    assert found.distance * (1 + 1e-12) >= 0.5
    assert found.distance < 0.6 or dimension > 2
    assert np.linalg.matrix_rank(points.vectors) >= dimension + 1


def test_draws_repeat_and_differ() -> None:
    """One seed gives the same bytes again, and another seed or task others."""
    first = draw(SQUARE, 1)
    again = draw(SQUARE, 1)
    assert first.vectors.tobytes() == again.vectors.tobytes()
    assert first.labels is not None
    assert again.labels is not None
    assert first.labels.tobytes() == again.labels.tobytes()
    assert draw(SQUARE, 2).vectors.tobytes() != first.vectors.tobytes()
    assert draw(replace(SQUARE, margin=0.9), 1).vectors.tobytes() != first.vectors.tobytes()


def test_classes_are_equal_in_size() -> None:
    """No class has more than one row above another."""
    labels = draw(SQUARE, 0).labels
    assert labels is not None
    assert np.bincount(labels).tolist() == [134, 133, 133]


@pytest.mark.parametrize("violation", VIOLATIONS)
def test_violations_are_planted(violation: str) -> None:
    """Each violation changes what it says, by as much as it says."""
    recipe = Recipe("sphere", 4, 1000, 30, violation=violation)
    points = draw(recipe, 0)
    norms = np.sort(np.linalg.norm(points.vectors, axis=1))
    if violation == "outlier":
        assert norms[-1] == pytest.approx(OUTLIER * norms[-2])
    elif violation == "offset origin":
        assert np.linalg.norm(points.vectors.mean(axis=0)) == pytest.approx(1, abs=0.1)
    elif violation == "flipped labels":
        # half of the classes' distance parts them along one direction
        means = [points.vectors[points.labels == label].mean(axis=0) for label in (0, 1)]
        side = (points.vectors - np.mean(means, axis=0)) @ (means[1] - means[0]) > 0
        assert (side != points.labels).sum() == FLIPPED * 1000
    elif violation == "duplicates":
        assert len(np.unique(points.vectors, axis=0)) == 1000 * (1 - REPEATED)
    elif violation == "near duplicates":
        assert len(np.unique(points.vectors, axis=0)) == 1000
        assert len(np.unique(points.vectors.round(2), axis=0)) < 1000
    elif violation == "two dimensions":
        assert np.linalg.matrix_rank(points.vectors) == 6
    else:
        assert np.linalg.norm(points.vectors.mean(axis=0)) > 0.2


@pytest.mark.parametrize("family", HALVED)
def test_halving_stays_on_the_manifold(family: str) -> None:
    """Points that are moved halfway to one point are as far from the origin as the manifold goes."""
    x = FAMILIES[family](np.random.default_rng(0), 500, 3)
    closer = HALVED[family](x)
    before, after = np.linalg.norm(x, axis=1), np.linalg.norm(closer, axis=1)
    assert after == pytest.approx(before / 2 if family == "ball" else before)
    assert closer.std() < x.std()


def test_noise_and_targets_are_there() -> None:
    """Noise fills all features, and a regression has targets within [−1, 1] instead of labels."""
    noisy = draw(replace(SQUARE, noise=0.1), 0)
    assert np.linalg.matrix_rank(noisy.vectors) == 20
    smooth = regression(SQUARE, 0)
    assert smooth.labels is None
    assert smooth.targets is not None
    assert np.abs(smooth.targets).max() <= 1


def test_a_task_that_does_not_fit_is_refused() -> None:
    """Too few features are named."""
    with pytest.raises(ValueError, match="needs at least 5 features"):
        draw(replace(SQUARE, features=4), 0)


def test_there_are_enough_tasks() -> None:
    """At least 300 different clean tasks, and each violation is planted."""
    assert len(set(clean_tasks(quick=False))) >= 300
    assert {task.violation for task in planted_tasks(quick=False)} == set(VIOLATIONS)
    assert {id for id, _ in VIOLATIONS.values()} <= set(TRUE)


def test_coverage_counts_what_an_interval_covers() -> None:
    """An interval around the mean of the draws covers, one far away does not, and twenty misses make a region."""
    one = run(SQUARE, 0)
    far = {name: (low + 100, high + 100) for name, (low, high) in one.intervals.items()}
    draws = [replace(one, seed=seed, intervals=far if seed % 2 else one.intervals) for seed in range(40)]
    assert isinstance(one, Trial)
    counted = coverage(judged(draws), "Family", lambda recipe: recipe.family)
    assert counted.splitlines()[-1].startswith("| gaussian | 40 | 50.0 | 50.0 | ")
    short = regions(judged(draws))
    assert {region["covered"] for region in short} == {0.5}
    assert all(region["rows"] == [0.0, 700.0] for region in short)
    assert regions(judged(draws[::2])) == []
