"""A row as a reader can look at it."""

from __future__ import annotations

import base64
import io

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from ibc_report.data.examples import Examples, gather
from ibc_report.data.sources import Column
from ibc_report.report.sections.previews import MOST_FIELDS, MOST_SIDE, MOST_TEXT, MOST_VALUE, preview
from tests.support.tables import column, encoded_image, images, table

LABELS = column("label", ["x", "y", "x"])


def gathered(*inputs: Column, labels: Column = LABELS, encoder: str | None = None) -> Examples:
    """Examples of some inputs."""
    return gather(table(*inputs, labels), target="label", encoder=encoder)


def decoded(png: str | None) -> Image.Image:
    """The picture of a preview."""
    assert png is not None
    return Image.open(io.BytesIO(base64.b64decode(png)))


@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_a_picture_is_shown_as_it_was_encoded(mode: str) -> None:
    """An image row is a PNG with the encoder's pixels, and no text."""
    levels = [Image.new(mode, (5, 4), (level,) * 3 if mode == "RGB" else level) for level in (10, 20, 30)]
    shown = preview(gathered(images(encoded_image(one) for one in levels), encoder=f"image:mode={mode}"), 1)
    picture = decoded(shown.png)
    assert (shown.row, shown.label, shown.text, shown.fields) == (1, "y", None, ())
    assert (picture.mode, picture.size) == (mode, (5, 4))
    assert np.unique(np.asarray(picture)).tolist() == [20]


def test_a_dropped_row_does_not_shift_the_pictures() -> None:
    """A row's picture is its own where rows before it were lost."""
    files = [b"bad", *(encoded_image(Image.new("L", (2, 2), level)) for level in (50, 60))]
    assert np.unique(np.asarray(decoded(preview(gathered(images(files)), 2).png))).tolist() == [60]


def test_a_large_picture_is_made_small() -> None:
    """A card's picture is no larger than its limit, in its own proportions."""
    files = [encoded_image(Image.new("L", (400, 200), level)) for level in (1, 2, 3)]
    assert decoded(preview(gathered(images(files)), 0).png).size == (MOST_SIDE, MOST_SIDE // 2)


def test_a_vector_of_a_declared_shape_is_a_picture() -> None:
    """A matrix of any scale is shown in grey from its set's least to its greatest value."""
    matrices = column("v", [[-1.0, 0.0, 0.0, 1.0], [0.0] * 4, [-1.0] * 4], shape=(2, 2))
    shown = preview(gathered(matrices), 0)
    assert np.asarray(decoded(shown.png)).ravel().tolist() == [0, 128, 128, 255]


def test_whole_numbers_of_a_declared_shape_span_their_range() -> None:
    """A matrix of small whole numbers is shown from black to white, not nearly black throughout."""
    matrices = column("v", [[0, 1, 2, 2], [0] * 4, [1] * 4], shape=(2, 2), storage=pa.list_(pa.uint8()))
    shown = preview(gathered(matrices), 0)
    assert np.asarray(decoded(shown.png)).ravel().tolist() == [0, 128, 255, 255]


def test_a_text_is_shown_and_cut() -> None:
    """A text row is its text, up to a limit."""
    texts = column("text", ["short one", "long " * 200, "another text"])
    examples = gathered(texts, encoder="text")
    assert preview(examples, 0).text == "short one"
    long = preview(examples, 1).text
    assert long is not None
    assert (len(long), long[-1]) == (MOST_TEXT, "…")


def test_a_table_s_row_is_its_columns() -> None:
    """A table's row is the columns that were encoded, with what is missing said, up to a limit."""
    many = [column(f"c{n}", [float(n), None, 1.0 + n]) for n in range(MOST_FIELDS + 3)]
    shown = preview(gathered(column("same", [1.0, 1.0, 1.0]), *many), 1)
    assert shown.fields == tuple((f"c{n}", "missing") for n in range(MOST_FIELDS))


def test_long_values_and_labels_are_cut() -> None:
    """A cell and a label are no longer than their limit."""
    long = "v" * 200
    shown = preview(gathered(column("a", [long, "b", "c"]), labels=column("label", [long, "y", "y"])), 0)
    cut = "v" * (MOST_VALUE - 1) + "…"
    assert (shown.label, shown.fields) == (cut, (("a", cut),))


def test_a_regression_s_label_is_its_value() -> None:
    """The label of a row with a number is that number, as it is printed."""
    values = column("label", [0.5, 12.25, 3.0])
    assert preview(gathered(column("a", [1.0, 2.0, 3.0]), labels=values), 1).label == "12.25"
