"""The tasks of known truth that the calibration draws: their scale, their classes, and how they are counted."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
if not BENCHMARKS.is_dir():
    pytest.skip("the benchmarks are not part of the source distribution", allow_module_level=True)
sys.path.insert(0, str(BENCHMARKS))

from calibration import jobs, read  # noqa: E402
from counting import by_kind, judged, regions, table  # noqa: E402
from synthetic import FAMILIES, Recipe, coordinates_of, draw  # noqa: E402
from trial import run  # noqa: E402
from truth import tasks_by_kind  # noqa: E402

from ibc_report.geometry import margin  # noqa: E402

HEAVY = ("heavy tails", "lognormal")

SQUARE = Recipe("gaussian", 2, 400, 20, classes=3, margin=0.8)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dimension", [2, 7])
def test_manifolds_have_their_scale_and_their_margin(family: str, dimension: int) -> None:
    """A manifold has root mean square norm 1 and spans its coordinates; no classes come closer than their margin."""
    recipe = Recipe(family, dimension, 1500, 40, margin=0.5)
    points = draw(recipe, 0)
    squares = (points.vectors**2).sum(axis=1)
    # the classes stand half of the margin to either side
    assert squares.mean() == pytest.approx(1 + 0.25**2, rel=0.5 if family in HEAVY else 0.1)
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


@pytest.mark.parametrize(
    ("labels", "least"), [("shells", 0.3), ("half space", 0.0), ("ball", 0.0), ("XOR", 0.0), ("moons", 0.2)]
)
def test_classes_lie_as_their_name_says(labels: str, least: float) -> None:
    """Shells and moons are apart by what they should be, parts of one manifold touch, and both classes are large."""
    recipe = Recipe("sphere" if labels == "shells" else "gaussian", 2, 1500, 10, margin=0.3, labels=labels)
    points = draw(recipe, 0)
    found = margin(points)
    assert found is not None
    assert least <= found.distance < least + (0.25 if labels == "moons" else 0.1)
    assert points.labels is not None
    assert 500 < points.labels.sum() < 1000


def test_half_of_the_dimension_is_planted() -> None:
    """Half of the rows lie on a sphere of two dimensions in a set of four."""
    points = draw(Recipe("sphere", 4, 1000, 30, margin=0.0, violation="two dimensions"), 0)
    assert np.linalg.matrix_rank(points.vectors) == 5
    ranks = [np.linalg.matrix_rank(rows, tol=1e-6) for rows in (points.vectors[:500], points.vectors)]
    assert ranks == [5, 5]
    projected = points.vectors @ np.linalg.svd(points.vectors, full_matrices=False)[2][:5].T
    assert (np.linalg.norm(projected, axis=1) > 0.99).all()


def test_noise_and_targets_are_there() -> None:
    """Noise fills all features, and a regression has targets within [−1, 1] instead of labels."""
    noisy = draw(replace(SQUARE, noise=0.1), 0)
    assert np.linalg.matrix_rank(noisy.vectors) == 20
    smooth = draw(replace(SQUARE, labels="wave"), 0)
    assert smooth.labels is None
    assert smooth.targets is not None
    assert np.abs(smooth.targets).max() <= 1


def test_samples_of_a_regression_have_one_target() -> None:
    """The wave of a task runs along one direction in all of its draws, so that their targets have one distribution."""
    recipe = Recipe("gaussian", 2, 4000, 100, labels="wave")
    targets = [draw(recipe, seed).targets for seed in range(4)]
    spreads = [np.std(each) for each in targets if each is not None]
    assert len(spreads) == 4
    assert max(spreads) < 1.05 * min(spreads)
    assert min(spreads) > 0.5


def test_a_task_that_does_not_fit_is_refused() -> None:
    """Too few features are named."""
    with pytest.raises(ValueError, match="needs at least 5 features"):
        draw(replace(SQUARE, features=4), 0)


def test_there_are_enough_tasks() -> None:
    """Each of at least fifteen kinds has ten different tasks or more, that fit, and gets 400 different draws."""
    kinds = tasks_by_kind()
    assert len(kinds) >= 15
    for tasks in kinds.values():
        assert len(set(tasks)) >= 10
        assert all(coordinates_of(task.family, task.dimension, task.classes) <= task.features for task in tasks)
    wanted = list(jobs(400))
    assert len(set(wanted)) == len(wanted)
    assert all(sum(kind == own for own, _, _ in wanted) >= 400 for kind in kinds)


def test_coverage_counts_what_an_interval_covers() -> None:
    """An interval around the mean of the draws covers, one far away does not, one that is withheld does not count."""
    one = run(SQUARE, 0)
    far = {name: (low + 100, high + 100) for name, (low, high) in one.intervals.items()}
    draws = [replace(one, seed=seed, intervals=far if seed % 2 else one.intervals) for seed in range(80)]
    bare = replace(one, seed=99, intervals={"δ": one.intervals["δ"]})
    counts = {entry["interval"]: entry for entry in by_kind({"some": judged([*draws, bare])})}
    assert (counts["m, true"]["covered"], counts["m, true"]["withheld"], counts["m, true"]["passes"]) == (0.5, 1, False)
    assert (counts["δ"]["draws"], counts["δ"]["withheld"]) == (81, 0)
    assert table(list(counts.values())).splitlines()[-1].startswith("| some | 80 | **50.0** [38.6, 61.4] ")
    short = regions(judged(draws))
    assert {region["covered"] for region in short} == {0.5}
    assert all(region["rows"] == [350.0, 700.0] for region in short)
    assert regions(judged(draws[::2])) == []


def test_a_file_of_draws_is_read_back(tmp_path: Path) -> None:
    """A line for each draw gives the same draw again, and one that was cut off is left out."""
    one = run(SQUARE, 0)
    path = tmp_path / "trials.jsonl"
    path.write_text(json.dumps({"kind": "some", **asdict(one)}) + '\n{"kind": "so', encoding="utf-8")
    assert read(path) == [("some", one)]
