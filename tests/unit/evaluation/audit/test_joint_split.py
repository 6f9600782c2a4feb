"""A test split shares the features and the classes of its training split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data import held_out
from ibc_report.data.examples import Examples, gather
from ibc_report.data.sources import Rows
from ibc_report.data.task import Task
from ibc_report.evaluation.audit.joint_split import Splits, take_together
from ibc_report.public import measure
from tests.support.tables import column, encoded_image, images, table


def together(train: Rows, test: Rows, *, target: str = "label") -> Splits:
    """Both splits, the training split encoded by itself first."""
    return take_together(train, test, gather(train, target=target), kind=None)


def in_order(part: Examples, values: NDArray[Any]) -> NDArray[Any]:
    """What belongs to the rows of a split, in the order of their numbers."""
    return values[np.argsort(part.numbers)]


def distances(splits: Splits) -> list[list[float]]:
    """Distances of every test example from every training example, to six digits."""
    train, test = (in_order(part, part.encoded.vectors.astype(np.float64)) for part in (splits.train, splits.test))
    found: list[list[float]] = np.round(np.linalg.norm(test[:, None] - train[None], axis=2), 6).tolist()
    return found


def picture(level: int, mode: str = "L") -> bytes:
    """An image of one grey."""
    return encoded_image(Image.new(mode, (2, 2), level if mode == "L" else (level,) * 3))


def test_a_test_row_that_is_a_training_row_lies_on_it() -> None:
    """A table's columns are scaled by the training rows in both splits, so equal rows are equal points."""
    train = table(column("a", [1.0, 2.0, 4.0]), column("b", ["p", "q", "p"]), column("label", ["x", "y", "x"]))
    test = table(column("a", [4.0, 9.0]), column("b", ["p", "r"]), column("label", ["x", "y"]))
    found = together(train, test)
    assert distances(found)[0][2] == 0
    assert min(distances(found)[1]) > 0


@pytest.mark.parametrize("form", ["table", "text"])
def test_no_test_row_moves_a_training_row(form: str) -> None:
    """The training vectors are those that the card measured, to the bit, whatever the test rows are."""
    words = [f"{a} {b} {a}{b}" for a in ("red", "green", "blue") for b in ("cat", "dog", "eel", "fox")]
    labels = column("label", ["x", "y"] * 6)
    if form == "text":
        inputs, other = column("text", words), column("text", ["a text of no word that was known", *words[:3]])
    else:
        numbers = [float(n * n % 7) for n in range(12)]
        inputs, other = column("a", numbers), column("a", [1e9, *numbers[:3]])
    train, test = table(inputs, labels), table(other, column("label", ["x", "x", "y", "x"]))
    alone = gather(train, target="label")
    found = together(train, test)
    assert np.array_equal(found.train.encoded.vectors, alone.encoded.vectors)
    same = distances(found)
    assert [same[place][place - 1] for place in (1, 2, 3)] == [0, 0, 0]


def test_values_that_the_training_rows_do_not_have_are_none_of_theirs() -> None:
    """Another category is no known one, a word among numbers is a missing one, and both rows stay."""
    train = table(
        column("a", [1.0, None, 4.0, 2.0]), column("b", ["p", "q", "p", "q"]), column("label", ["x", "y", "x", "y"])
    )
    test = table(column("a", ["2", "few"]), column("b", ["r", "p"]), column("label", ["x", "y"]))
    found = together(train, test)
    # standardised, marked as missing, p, q: features in the order of the columns' names
    vectors = in_order(found.test, found.test.encoded.vectors)
    assert vectors[:, 1:].tolist() == [[0, 0, 0], [1, 1, 0]]
    assert vectors[1, 0] == 0


def test_classes_have_one_code_in_both_splits() -> None:
    """A test split with other classes, or in another order, does not shift the codes."""
    train = table(column("a", [1.0, 2.0, 4.0]), column("label", ["b", "c", "b"]))
    test = table(column("a", [5.0, 6.0]), column("label", ["c", "a"]))
    found = together(train, test)
    named = [
        [found.names[code] for code in in_order(part, part.codes).tolist()]
        for part in (found.train, found.test)
        if part.codes is not None
    ]
    assert named == [["b", "c", "b"], ["c", "a"]]


def test_declared_ids_mean_their_names() -> None:
    """Splits that declare their classes in another order are compared by the names."""
    train = table(column("a", [1.0, 2.0, 4.0]), column("label", [0, 1, 0], names=("p", "q")))
    test = table(column("a", [5.0, 6.0]), column("label", [0, 1], names=("q", "p")))
    found = together(train, test)
    assert found.test.codes is not None
    assert [found.names[code] for code in in_order(found.test, found.test.codes).tolist()] == ["q", "p"]


def test_images_are_encoded_as_the_training_images_were() -> None:
    """Test images take the size and mode of the training images, whose vectors stay as they were measured."""
    train = table(images([picture(0), picture(200), picture(90)]), column("label", ["x", "y", "x"]))
    test = table(images([picture(200, "RGB"), None]), column("label", ["y", "y"]))
    found = together(train, test)
    assert found.test.encoded.vectors.tolist() == [[200] * 4]
    assert [lost.reason for lost in found.test.dropped] == ["rows without an image"]


def test_rows_keep_the_numbers_of_their_own_split() -> None:
    """A row of the test split is called by its number there."""
    train = table(column("a", [1.0, 2.0, 4.0]), column("label", ["x", "y", "x"]))
    test = table(column("a", [5.0, 6.0, 7.0]), column("label", [None, "x", "y"]))
    assert sorted(together(train, test).test.numbers.tolist()) == [1, 2]


def test_a_split_that_holds_whole_numbers_by_chance_fits() -> None:
    """A column of integers in one split and of floats in the other is one column."""
    train = table(column("a", [1.5, 2.0, 4.0]), column("label", ["x", "y", "x"]))
    test = table(column("a", [4, 2]), column("label", ["x", "y"]))
    found = together(train, test)
    assert distances(found)[0][2] == 0
    assert distances(found)[1][1] == 0


def test_a_missing_column_is_named() -> None:
    """A test split without an input of the training split is refused by the column's name."""
    train = table(column("a", [1.0, 2.0, 4.0]), column("label", ["x", "y", "x"]))
    with pytest.raises(UsageError, match="no column 'a'"):
        together(train, table(column("b", [1.0]), column("label", ["x"])))


def test_a_split_without_labels_is_refused() -> None:
    """A hidden test split cannot be scored, and that is said."""
    train = table(images([picture(0), picture(200), picture(90)]), column("label", [0, 1, 0], names=("p", "q")))
    test = table(images([picture(1), picture(2)]), column("label", [-1, -1], names=("p", "q")))
    with pytest.raises(DataError, match="has a usable target"):
        together(train, test)


def test_a_sample_is_compared_with_the_whole_training_split(tmp_path: Path) -> None:
    """Of sampled training rows, repeats and classes are sought in all: a class outside of the sample is not lacking."""
    rng = np.random.default_rng(0)
    codes = np.arange(900) % 30
    vectors = rng.normal(size=(900, 3)) + rng.normal(size=(30, 3))[codes] * 3
    rows = [f"{a},{b},{c},k{code}" for (a, b, c), code in zip(vectors.tolist(), codes.tolist(), strict=True)]
    fresh = [
        f"{a},{b},{c},k{code}" for (a, b, c), code in zip((vectors[:90] + 1).tolist(), codes.tolist(), strict=False)
    ]
    for name, lines in (("train", rows), ("test", [*rows[300:330], *fresh, "0,0,0,unseen"])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,c,label", *lines]), encoding="utf-8")
    report = measure(Task.of(".", name="made", target="label", max_rows=60), base=tmp_path)
    test = report.test
    assert test is not None
    assert test.leakage is not None
    assert (test.n_train, test.unseen, test.leakage.equal_inputs) == (60, 1, 30)
    assert "Leakage: 30 of 121 test rows (25 %) repeat a training row." in test.warnings
    assert any("the training split lacks ('unseen')" in warning for warning in test.warnings)
    assert any("among all 900 training rows" in note for note in test.notes)
    assert {pair.train_row for pair in test.leakage.pairs} <= set(range(300, 330))
    assert all(pair.agree and pair.test_label == pair.train_label for pair in test.leakage.pairs)


def test_a_sample_without_its_whole_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the whole split is too large to read again, what is said is said of the sample."""
    monkeypatch.setattr(held_out, "MOST_WHOLE", 100)
    rng = np.random.default_rng(0)
    for name, n in (("train", 400), ("test", 80)):
        lines = [f"{a},{b},k{n % 8}" for n, (a, b) in enumerate(rng.normal(size=(n, 2)).tolist())]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,label", *lines]), encoding="utf-8")
    test = measure(Task.of(".", name="made", target="label", max_rows=12), base=tmp_path).test
    assert test is not None
    assert test.leakage is not None
    assert "near one of the sample than chance explains" in test.leakage.verdict
    assert any("the others may hold further test rows" in note for note in test.notes)
    assert any("that the sample of the training split lacks" in warning for warning in test.warnings)
