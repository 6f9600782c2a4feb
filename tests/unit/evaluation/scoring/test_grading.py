"""Predictions compared with labels, whatever both are spelled like."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report.common.errors import UsageError
from ibc_report.evaluation.scoring.grading import Grader
from tests.support.tables import column, table


def graded(
    labels: list[object], predictions: list[str], names: tuple[str, ...] | None = None
) -> tuple[list[bool], int]:
    """Which of the predictions are right, and how many name no class."""
    rows = table(column("x", list(range(len(labels)))), column("label", labels, names=names))
    grader = Grader.of(rows, target="label", kind="classes" if isinstance(labels[0], int | float) else None)
    right, unknown = grader.grade(predictions, np.arange(len(labels)), "a.csv")
    return right.tolist(), len(unknown)


@pytest.mark.parametrize(
    ("labels", "predictions"),
    [
        (["1.0", "cat"], ["1.0", "cat"]),
        (["1.0", "cat"], ["1", "cat "]),
        ([" cat", "dog"], [" cat", "dog"]),
        (["cat", "dog"], ["cat ", "\tdog"]),
        (["caf\u00e9", "tea"], ["cafe\u0301", "tea"]),
        (["cafe\u0301 ", "tea"], ["caf\u00e9", "tea"]),
        (["1", "1.0"], ["1", "1.0"]),
        (["True", "False"], ["True", "False"]),
        (["True", "False"], ["true", "false"]),
        ([True, False], ["True", "FALSE"]),
        (["01", "02"], ["01", "02"]),
        (["01", "02"], ["1", "2"]),
        ([1, 2], ["01", "2.0"]),
        ([1.5, 2.0], ["1.50", "2"]),
        (["none", "nan"], ["none", "nan"]),
    ],
)
def test_a_class_is_known_by_its_name_and_by_its_meaning(labels: list[object], predictions: list[str]) -> None:
    """A prediction that repeats the label is right whatever the label looks like, and so is another spelling of it."""
    assert graded(labels * 10, predictions * 10) == ([True] * 20, 0)


def test_ids_in_any_spelling() -> None:
    """Ids of declared names are whole numbers, as doubles too."""
    assert graded([0, 1] * 10, ["0.0", "1.0"] * 10, ("cat", "dog")) == ([True] * 20, 0)


def test_a_third_spelling_of_two_classes_is_neither() -> None:
    """Where two classes mean the same number only their very names are theirs."""
    assert graded(["1", "1.0"] * 10, ["01", "01"] * 10) == ([False] * 20, 20)


def test_words_for_nothing_are_no_predictions_unless_they_are_classes() -> None:
    """The words null and nan are silent where no class is called so."""
    rows = table(column("x", list(range(20))), column("label", ["null", "cat"] * 10))
    assert Grader.of(rows, target="label").silent(["null", "NaN", "None", "cat"]).tolist() == [False, True, True, False]
    assert Grader.none("no data").silent(["null", "cat"]).tolist() == [True, False]


@pytest.mark.parametrize("tolerance", [-1.0, float("nan"), float("inf")])
def test_a_tolerance_is_a_distance(tolerance: float) -> None:
    """A tolerance below 0, or that is no number, is refused."""
    rows = table(column("x", list(range(20))), column("label", [i + 0.5 for i in range(20)]))
    with pytest.raises(UsageError, match="is no distance; take a number from 0 on"):
        Grader.of(rows, target="label", tolerance=tolerance)
