"""What should not matter is found where it tells the class, and not where it does not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from PIL import Image
from scipy.stats import binomtest

from ibc_report.data.sources import Rows
from ibc_report.evaluation.audit.shortcuts import (
    MOST_LEVELS,
    Nuisance,
    Shortcut,
    collect,
    predict_from,
    probe_shortcuts,
)
from tests.support.splits_made import clusters, examined, split_of, splits_of
from tests.support.tables import column, encoded_image, images, table


def flags(found: Sequence[Shortcut]) -> dict[str, bool]:
    """Which properties were flagged, by name."""
    return {one.nuisance.name: one.flagged for one in found}


def shortcuts_of(train: Rows, test: Rows, inputs: Sequence[str] = ("x",)) -> dict[str, bool]:
    """Which properties are flagged."""
    found = examined(train, test, inputs).classes
    assert found is not None
    return flags(found.shortcuts)


def pictures(rng: np.random.Generator, n: int, *, bright: bool) -> Rows:
    """Noise, of one class a little brighter where it is to be."""
    codes = rng.permutation(np.arange(n) % 2)
    pixels = rng.integers(0, 200, size=(n, 6, 6)) + (40 * codes[:, None, None] if bright else 0)
    files = [encoded_image(Image.fromarray(one.astype(np.uint8))) for one in pixels]
    return table(images(files), column("label", [f"c{code}" for code in codes.tolist()]))


def test_brightness_that_tells_the_class_is_flagged(rng: np.random.Generator) -> None:
    """A class with brighter pictures is told by the mean brightness alone."""
    found = shortcuts_of(pictures(rng, 200, bright=True), pictures(rng, 100, bright=True), ("image",))
    assert found["mean brightness"]
    assert not found["row order"]


def test_pictures_of_one_size_are_not_tried_by_it(rng: np.random.Generator) -> None:
    """A property in which no rows differ is not tried, so that nothing is corrected for it."""
    found = shortcuts_of(pictures(rng, 200, bright=False), pictures(rng, 100, bright=False), ("image",))
    assert "image size" not in found
    assert "image mode" not in found
    assert not found["mean brightness"]


def test_columns_beside_inputs_and_target_are_tried(rng: np.random.Generator) -> None:
    """Numbers, categories, and names that are numbered within each class are found; random ones are not."""

    def split(n: int) -> Rows:
        vectors, codes = clusters(rng, n)
        return split_of(
            vectors,
            codes,
            column("number", (codes * 2.0 + rng.normal(size=n)).tolist()),
            column("category", [["red", "green", None][code] for code in codes]),
            column("file", [f"{'abc'[code]}_{place:05d}.png" for place, code in enumerate(codes)]),
            column("random", rng.normal(size=n).tolist()),
            column("vector", rng.normal(size=(n, 2)).tolist()),
        )

    found = shortcuts_of(split(300), split(150))
    assert found == {"number": True, "category": True, "file": True, "random": False, "row order": False}


def test_sorted_rows_are_flagged(rng: np.random.Generator) -> None:
    """Splits that are both sorted by class give it away by the place of a row."""
    vectors, codes = clusters(rng, 300)
    others, truth = clusters(rng, 120)
    first, second = np.argsort(codes, kind="stable"), np.argsort(truth, kind="stable")
    found = shortcuts_of(split_of(vectors[first], codes[first]), split_of(others[second], truth[second]))
    assert found["row order"]


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.3, 0.7)])
def test_properties_without_a_meaning_are_rarely_flagged(shares: tuple[float, float]) -> None:
    """Of random properties, something is flagged in at most 5 % of trials, also where the test classes are shifted."""
    trials = 0
    for trial in range(60):
        rng = np.random.default_rng(trial)
        codes = np.arange(200) % 2
        truth = rng.choice(2, size=100, p=shares)
        signals = [
            Nuisance("column", str(number), rng.normal(size=(200, 1)), rng.normal(size=(100, 1))) for number in range(5)
        ]
        trials += any(flags(probe_shortcuts(signals, codes, truth)).values())
    assert trials <= 3


def test_missing_values_are_a_property_too() -> None:
    """A number that is missing for one class only tells it."""
    rng = np.random.default_rng(0)
    codes = np.arange(120) % 2
    values = np.where(codes == 1, np.nan, rng.normal(size=120))[:, None]
    assert (predict_from(values[:80], codes[:80], values[80:]) == codes[80:]).all()


def test_many_values_are_cut_to_the_common_ones(rng: np.random.Generator) -> None:
    """A column with a value of its own for each row makes no more columns than a probe tells apart."""
    letters = [chr(97 + i) + chr(97 + j) for i in range(26) for j in range(10)]
    vectors, codes = clusters(rng, 240)
    rows = split_of(vectors, codes, column("name", letters[:240]))
    splits = splits_of(rows, rows)
    signal = next(one for one in collect(splits, rows, rows, np.arange(240), np.arange(240)) if one.name == "name")
    assert signal.train.shape == (240, MOST_LEVELS)


def test_rows_seen_in_training_do_not_tell_by_what_is_their_own(rng: np.random.Generator) -> None:
    """A column of random numbers is no shortcut because copied rows bring theirs along."""
    vectors, codes = clusters(rng, 200)
    others, truth = clusters(rng, 80)
    values = rng.normal(size=200)
    others = np.concatenate([vectors[:100], others])
    truth = np.concatenate([codes[:100], truth])
    numbers = [*values[:100].tolist(), *rng.normal(size=80).tolist()]
    train = split_of(vectors, codes, column("number", values.tolist()))
    found = shortcuts_of(train, split_of(others, truth, column("number", numbers)))
    assert not found["number"]


def test_the_p_value_of_a_shortcut_counts_its_own_score_in() -> None:
    """It is the exact binomial probability of as many answers that only the probe has right, or more; of none, 1."""
    codes, truth = np.arange(60) % 2, np.repeat([0, 1], [12, 8])
    told = np.where(np.arange(20) % 4 == 0, 1 - truth, truth)
    telling = Nuisance("column", "telling", codes[:, None].astype(float), told[:, None].astype(float))
    constant = Nuisance("column", "silent", np.zeros((60, 1)), np.zeros((20, 1)))
    found, silent = probe_shortcuts([telling, constant], codes, truth)
    right, base = told == truth, truth == 0
    mine, other = int((right & ~base).sum()), int((base & ~right).sum())
    assert (mine, other) == (6, 3)
    assert found.p == pytest.approx(binomtest(mine, mine + other, alternative="greater").pvalue)
    assert silent.p == 1
