"""Rows and a target become examples, and what was lost on the way is counted."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.examples import gather
from ibc_report.data.sources import Column, Dropped
from tests.support.tables import column, encoded_image, images, table

INF = float("inf")

NUMBERS = column("a", [1.0, 2.0, INF, 4.0, 5.0, 1.0])

LABELS = column("label", ["x", "y", "x", None, "y", "x"])


def test_losses_of_every_stage_are_counted() -> None:
    """Rows lost by the source, by the target and by the encoder are all listed, and the source's were rows too."""
    found = gather(table(NUMBERS, LABELS, dropped=(Dropped("bad lines", 3),)), target="label")
    assert [(lost.reason, lost.count) for lost in found.dropped] == [
        ("bad lines", 3),
        ("rows without a label", 1),
        ("rows with an infinite number", 1),
    ]
    assert found.rows_read == 9
    assert found.rows_read - sum(lost.count for lost in found.dropped) == len(found.encoded.rows)


def test_codes_go_with_the_rows_that_are_left() -> None:
    """Each vector has the code of its own row."""
    found = gather(table(NUMBERS, LABELS), target="label")
    order = np.argsort(found.numbers)
    assert found.numbers[order].tolist() == [0, 1, 4, 5]
    assert found.codes is not None
    assert found.codes[order].tolist() == [0, 1, 1, 0]
    assert (found.names, found.values) == (("x", "y"), None)


def test_a_class_whose_rows_are_all_lost_has_no_code() -> None:
    """Codes count the classes that are left after encoding, without a gap."""
    found = gather(table(NUMBERS, column("label", ["b", "c", "a", "b", "c", "b"])), target="label")
    assert found.names == ("b", "c")
    assert found.codes is not None
    assert np.unique(found.codes).tolist() == [0, 1]


def test_one_class_left_after_encoding_is_refused() -> None:
    """Where encoding loses all but one class, that is said."""
    with pytest.raises(DataError, match="only rows of class 'x' are left after encoding"):
        gather(table(column("a", [1.0, 2.0, INF]), column("label", ["x", "x", "y"])), target="label")


def test_a_regression_has_values_and_no_codes() -> None:
    """Values go with the rows that are left."""
    found = gather(table(NUMBERS, column("y", [0.5, 1.5, 2.5, 3.5, None, 5.5])), target="y")
    assert found.codes is None
    assert found.values is not None
    assert found.values[np.argsort(found.numbers)].tolist() == [0.5, 1.5, 3.5, 5.5]


IDENTICAL = [
    pytest.param(column("a", [1.0, 2.0, 1.0]), id="numbers"),
    pytest.param(column("a", ["u", "v", "u"]), id="strings"),
    pytest.param(column("a", [True, False, True]), id="booleans"),
    pytest.param(column("a", [[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]), id="vectors"),
    pytest.param(images([encoded_image(Image.new("L", (2, 2), level)) for level in (1, 2, 1)]), id="images"),
]


@pytest.mark.parametrize("inputs", IDENTICAL)
def test_equal_rows_have_equal_identities(inputs: Column) -> None:
    """Rows with the same inputs have one identity, whatever their labels; other rows have another."""
    found = gather(table(inputs, column("label", ["x", "y", "y"])), target="label")
    first, second, third = found.identities[np.argsort(found.numbers)].tolist()
    assert first == third != second


def test_identities_know_the_order_of_columns() -> None:
    """Two columns that hold each other's values are not the same row."""
    found = gather(table(column("a", [1.0, 2.0]), column("b", [2.0, 1.0]), column("label", ["x", "y"])), target="label")
    assert len(set(found.identities.tolist())) == 2


def test_the_target_is_no_input() -> None:
    """The target's column is not among the features."""
    found = gather(table(NUMBERS, LABELS), target="label")
    assert found.encoded.inputs == ("a",)
    with pytest.raises(UsageError, match="is the target and cannot be an input too"):
        gather(table(NUMBERS, LABELS), target="label", inputs=("a", "label"))
