"""Classes of almost one name, taken as one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ibc_report.geometry.facts import facts_of, neighborhoods
from ibc_report.geometry.merged_classes import alike, merged_classes
from ibc_report.geometry.search_plan import WHOLE
from tests.support.samples import made


def test_names_of_other_words_are_not_alike() -> None:
    """Only case and space count: a letter or a mark more is another name."""
    assert alike(["cat", "cats", "c-at", "dog"]) == ()
    assert alike(["Straße", "STRASSE", "a  b", "a b", "A B"]) == (("Straße", "STRASSE"), ("a  b", "a b", "A B"))


def test_merged_classes_are_measured_as_one() -> None:
    """The facts are those of the same rows with one label for both names."""
    vectors = np.random.default_rng(0).normal(size=(60, 3))
    examples = replace(made(vectors, labels=[0, 1, 2] * 20), names=("cat", "Cat", "dog"))
    found = merged_classes(examples, WHOLE)
    assert found is not None
    assert (found.groups, found.classes) == ((("cat", "Cat"),), 2)
    one = made(vectors, labels=[0, 0, 1] * 20)
    assert found.facts is not None
    assert found.facts.margin.distance == facts_of(neighborhoods(one, budget=WHOLE)).margin.distance


def test_what_is_one_class_is_nothing_to_tell_apart() -> None:
    """Where all names are alike no facts are left, and where none are nothing is said."""
    vectors = np.random.default_rng(0).normal(size=(60, 3))
    examples = replace(made(vectors, labels=[0, 1] * 30), names=("cat", "CAT"))
    found = merged_classes(examples, WHOLE)
    assert found is not None
    assert (found.classes, found.facts) == (1, None)
    assert merged_classes(replace(examples, names=("cat", "dog")), WHOLE) is None
    assert merged_classes(made(vectors, values=vectors[:, 0].tolist()), WHOLE) is None
