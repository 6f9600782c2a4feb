"""A row as a reader can look at it: a picture, a text, or its columns."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.wording import number
from ibc_report.data.examples import Examples
from ibc_report.report.schema.document import ExampleRecord

__all__ = ["label", "preview", "worded"]

MOST_TEXT = 400

MOST_FIELDS = 12

MOST_VALUE = 80

MOST_SIDE = 128
"""Longest side, in pixels, of a picture on a card: a card stays small."""


def preview(examples: Examples, row: int) -> ExampleRecord:
    """Show one row.

    Parameters
    ----------
    row : int
        Its number in the source; one of those that were encoded.
    """
    position = int(np.flatnonzero(examples.numbers == row)[0])
    said = label(examples, row)
    if examples.encoded.picture_shape is not None:
        return ExampleRecord(row=row, label=said, png=_png(examples, position))
    at = int(examples.positions[position])
    values = [(column.name, column.values[at].as_py()) for column in examples.columns]
    if examples.encoded.name == "text":
        return ExampleRecord(
            row=row, label=said, text=_cut("\n".join(str(value) for _, value in values if value), MOST_TEXT)
        )
    used = [(name, value) for name, value in values if name in examples.encoded.inputs]
    shown = tuple(
        (name, _cut("missing" if value is None else str(value), MOST_VALUE)) for name, value in used[:MOST_FIELDS]
    )
    return ExampleRecord(row=row, label=said, fields=shown)


def label(examples: Examples, row: int) -> str:
    """Word the target of one row.

    Parameters
    ----------
    row : int
        Its number in the source; one of those that were encoded.

    Returns
    -------
    str
        The class, cut where it is long, or the number.
    """
    position = int(np.flatnonzero(examples.numbers == row)[0])
    return worded(examples.codes, examples.values, examples.names, position)


def worded(
    codes: NDArray[np.int64] | None, values: NDArray[np.float64] | None, names: tuple[str, ...], position: int
) -> str:
    """Word the target at a position: the class, cut where it is long, or the number."""
    if codes is not None:
        return _cut(names[codes[position]], MOST_VALUE)
    assert values is not None
    return number(float(values[position]))


def _png(examples: Examples, position: int) -> str:
    from PIL import Image

    encoded = examples.encoded
    assert encoded.picture_shape is not None
    vector = encoded.vectors[position].reshape(encoded.picture_shape)
    if vector.dtype != np.uint8 or encoded.unit == 1.0:
        # vectors of a declared 2-D shape have no scale of their own: the picture spans their range
        span = float(np.ptp(encoded.vectors)) or 1.0
        vector = np.rint((vector - encoded.vectors.min()) / span * 255).astype(np.uint8)
    image = Image.fromarray(vector)
    if max(image.size) > MOST_SIDE:
        image.thumbnail((MOST_SIDE, MOST_SIDE))
    stream = io.BytesIO()
    image.save(stream, format="PNG", optimize=True)
    return base64.b64encode(stream.getvalue()).decode("ascii")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
