"""Inputs that alone determine the target are found, and honest ones are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ibc_report.data.examples import Examples, gather
from ibc_report.data.sources import Column
from ibc_report.data.sources.builtin import load
from ibc_report.evaluation.audit.target_leakage import target_leaks
from tests.support.splits_made import clusters, splits_of
from tests.support.tables import column, table


def features(n: int, seed: int = 0) -> tuple[list[Column], list[str]]:
    """Three honest inputs of overlapping classes, and the names of the classes."""
    vectors, codes = clusters(np.random.default_rng(seed), n, features=3)
    return [column(f"f{i}", vectors[:, i].tolist()) for i in range(3)], [f"c{code}" for code in codes.tolist()]


def examples(*columns: Column) -> Examples:
    """The encoded rows of a table whose target is `label`."""
    return gather(table(*columns), target="label", inputs=tuple(one.name for one in columns if one.name != "label"))


def codes_of(labels: Sequence[str]) -> list[int]:
    """The classes as numbers."""
    return [int(label[1:]) for label in labels]


@pytest.mark.parametrize("form", ["same", "other words", "numbers", "true or false"])
def test_a_copy_of_the_target_is_found(form: str) -> None:
    """A column that is the class, or maps one to one to it, is found among honest ones, also without a test split."""
    honest, labels = features(120)
    if form == "true or false":
        labels = [min(label, "c1") for label in labels]
    copies: dict[str, list[Any]] = {
        "same": labels,
        "other words": [f"kind {label}" for label in labels],
        "numbers": [10.0 - code for code in codes_of(labels)],
        "true or false": [label == "c1" for label in labels],
    }
    found = target_leaks(examples(*honest, column("copy", copies[form]), column("label", labels)))
    assert [(one.name, one.one_to_one) for one in found] == [("copy", True)]


def test_values_that_go_with_one_class_each_are_found() -> None:
    """Several values for each class, and numbers in a range for each, determine the class without being it."""
    honest, labels = features(200)
    rng = np.random.default_rng(1)
    ward = [f"{label}{rng.integers(3)}" for label in labels]
    score = [10 * code + rng.random() for code in codes_of(labels)]
    found = target_leaks(examples(*honest, column("ward", ward), column("score", score), column("label", labels)))
    assert [(one.name, one.one_to_one) for one in found] == [("ward", False), ("score", False)]
    assert found[0].held == 100


def test_a_column_of_numbers_for_each_row_gives_nothing_away() -> None:
    """What is different in each row tells nothing of rows that were held out."""
    honest, labels = features(120)
    keys = [f"id{i}" for i in range(120)]
    assert target_leaks(examples(*honest, column("key", keys), column("label", labels))) == ()


def test_one_wrong_row_is_enough() -> None:
    """A column that is wrong of one row does not determine the target."""
    honest, labels = features(120)
    nearly = ["c1" if labels[0] != "c1" else "c2", *labels[1:]]
    assert target_leaks(examples(*honest, column("nearly", nearly), column("label", labels))) == ()


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes", "digits"])
def test_honest_sets_have_none(name: str) -> None:
    """No measured property of real sets determines the target alone."""
    rows = load(name)
    assert target_leaks(gather(rows)) == ()


@pytest.mark.parametrize("change", [lambda y: y, lambda y: 32 + 1.8 * y, np.exp], ids=["same", "unit", "monotone"])
def test_a_target_of_values_in_another_unit_is_found(change: Any) -> None:
    """A correlation of 1, of values or of ranks, is a copy; a noisy measurement is not."""
    rng = np.random.default_rng(2)
    target = rng.normal(size=90)
    table_ = (
        column("honest", rng.normal(size=90).tolist()),
        column("noisy", (target + 0.1 * rng.normal(size=90)).tolist()),
        column("copy", change(target).tolist()),
        column("label", target.tolist()),
    )
    found = target_leaks(examples(*table_))
    assert [(one.name, one.one_to_one) for one in found] == [("copy", True)]


def test_rows_of_a_test_split_are_what_is_held_out() -> None:
    """A column that is the class in training only does not hold on the test split, and one that is in both does."""
    honest, labels = features(120)
    others, truth = features(60, 1)
    shuffled = truth[::-1]
    train = table(*honest, column("copy", labels), column("lost", labels), column("label", labels))
    test = table(*others, column("copy", truth), column("lost", shuffled), column("label", truth))
    splits = splits_of(train, test, ("f0", "f1", "f2", "copy", "lost"))
    found = target_leaks(splits.train, splits.test)
    assert [(one.name, one.held) for one in found] == [("copy", 60)]


def test_a_test_split_that_repeats_all_is_no_evidence() -> None:
    """Where all test rows repeat training rows, half of the training rows are held out instead."""
    honest, labels = features(120)
    rows = table(*honest, column("copy", labels), column("label", labels))
    splits = splits_of(rows, rows, ("f0", "f1", "f2", "copy"))
    assert [(one.name, one.held) for one in target_leaks(splits.train, splits.test)] == [("copy", 60)]


def test_few_rows_show_nothing() -> None:
    """On a dozen rows a column may determine the class by luck."""
    labels = ["c0", "c1"] * 6
    dozen = examples(column("copy", labels), column("label", labels))
    assert target_leaks(dozen) == target_leaks(dozen, dozen) == ()


def test_missing_values_are_a_value_of_their_own() -> None:
    """A column that is missing for one class and only for that determines it."""
    honest, labels = features(120)
    copy = [None if label == "c0" else label for label in labels]
    found = target_leaks(examples(*honest, column("copy", copy), column("label", labels)))
    assert [one.name for one in found] == ["copy"]


@pytest.mark.parametrize("is_text", [False, True])
def test_an_order_that_sorts_the_classes_is_found(is_text: bool) -> None:
    """A number or a name whose order has as few runs of classes as there are classes gives them away."""
    honest, labels = features(120)
    order = np.argsort(labels, kind="stable")
    places = np.empty(120, dtype=int)
    places[order] = np.arange(120)
    key = [f"row {place:03}" for place in places] if is_text else (places * 7 + 5).tolist()
    found = target_leaks(examples(*honest, column("key", key), column("label", labels)))
    assert [(one.name, one.one_to_one) for one in found] == [("key", False)]
    key[int(order[0])], key[int(order[-1])] = key[int(order[-1])], key[int(order[0])]
    assert target_leaks(examples(*honest, column("key", key), column("label", labels))) == ()
