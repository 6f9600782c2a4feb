"""Examples to vectors: image, audio, text, tabular and vector, each with a documented metric."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import UsageError, choices
from ibc_report.common.progress import Progress, silent
from ibc_report.data import column_types
from ibc_report.data.encoder_names import ENCODERS
from ibc_report.data.encoders import tabular, text, vector
from ibc_report.data.encoders.base import Encoded, Options
from ibc_report.data.sources.rows import Column, Rows

__all__ = ["Encoded", "Options", "Progress", "choose", "encode", "silent"]

USUAL_TEXTS = ("text", "sentence", "content", "question", "review", "tweet", "document", "prompt")
"""A string column with one of these names is the input, even beside numbers."""

SINGLE = ("image", "audio", "vector")
"""Encoders that take one column."""


def choose(
    rows: Rows, target: str, inputs: tuple[str, ...] = (), encoder: str | None = None
) -> tuple[Options, tuple[Column, ...]]:
    """Pick the encoder and its columns.

    Parameters
    ----------
    target : str
        Name of the target column, which is never an input.
    inputs : tuple of str
        Columns that the user asked for; all but the target, and what is no input by itself, where there are none.
    encoder : str, optional
        Encoder that the user asked for, with settings ("text:components=300").

    Raises
    ------
    UsageError
        If a name is not known, the target is an input, or the choice is not plain.
    """
    columns = _given(rows, target, inputs)
    options = Options.parse(encoder) if encoder else Options(_natural(columns), {})
    if options.name not in ENCODERS:
        raise UsageError(f"there is no encoder '{options.name}'; {choices(options.name, ENCODERS)}")
    return options, _fitting(options.name, columns, rows, named=bool(inputs))


def _given(rows: Rows, target: str, inputs: tuple[str, ...]) -> tuple[Column, ...]:
    """The columns that an encoder is chosen for: the inputs that are named, or all but the target."""
    for name in inputs:
        if inputs.count(name) > 1:
            raise UsageError(f"column '{name}' is given twice as an input; give it once")
    if target in inputs:
        raise UsageError(f"column '{target}' is the target and cannot be an input too")
    named = tuple(rows.column(name) for name in inputs)
    others = tuple(column for column in rows.columns if column.name != target)
    # where nothing else is there, what looks like a number of rows is what was given
    columns = named or tuple(column for column in others if column.aside is None) or others
    if not columns:
        raise UsageError(f"{rows.origin.source} has no column besides the target '{target}'; give one that has inputs")
    return columns


def _fitting(encoder: str, columns: tuple[Column, ...], rows: Rows, *, named: bool) -> tuple[Column, ...]:
    """The columns that an encoder takes; where they are named, it has to take them all."""
    kinds = ENCODERS[encoder]
    fitting = tuple(column for column in columns if column.kind in kinds)
    if encoder == "text" and not named:
        fitting = _texts(fitting, rows)
    unfit = [column.name for column in columns if column not in fitting] if named else []
    if unfit or not fitting:
        what = ", ".join(f"'{name}'" for name in unfit) or "any column"
        raise UsageError(
            f"encoder '{encoder}' cannot take {what} of {rows.origin.source}; it takes columns of kind "
            f"{' or '.join(kinds)}, and there are: {_listing(columns)}"
        )
    if encoder in SINGLE and len(fitting) > 1:
        raise UsageError(
            f"encoder '{encoder}' takes one column; choose it with --input: "
            f"{', '.join(column.name for column in fitting)}"
        )
    return fitting


def encode(
    columns: tuple[Column, ...],
    rows: NDArray[np.int64],
    options: Options,
    *,
    seed: int = 0,
    numbered: NDArray[np.int64] | None = None,
    progress: Progress = silent,
) -> Encoded:
    """Encode chosen columns with a chosen encoder.

    Parameters
    ----------
    columns, options
        As `choose` gives them.
    rows : ndarray of int64
        Rows of the source to encode.
    numbered : ndarray of int64, optional
        The source's number of each row of `columns`, where some of its rows are not among them.
    """
    if options.name == "image":
        # Pillow is needed for images only
        from ibc_report.data.encoders import image

        return image.encode(columns[0], rows, options, progress=progress)
    if options.name == "audio":
        from ibc_report.data.encoders import audio

        return audio.encode(columns[0], rows, options, progress=progress)
    if options.name == "text":
        return text.encode(columns, rows, options, seed=seed, progress=progress)
    if options.name == "vector":
        return vector.encode(columns[0], rows, options)
    return tabular.encode(columns, rows, options, numbered=numbered)


def _natural(columns: tuple[Column, ...]) -> str:
    """The encoder that the columns call for by themselves."""
    for name in ("image", "audio", "vector"):
        found = [column for column in columns if column.kind == name]
        if found:
            return name
    texts = [column.name for column in columns if column.kind == "string" and _is_text(column)]
    # an id or a date beside the text does not make the text a table
    if any(name.lower() in USUAL_TEXTS for name in texts):
        return "text"
    if any(column.kind in ("number", "boolean", "date", "class") for column in columns):
        return "tabular"
    return "text" if texts else "tabular"


def _texts(columns: tuple[Column, ...], rows: Rows) -> tuple[Column, ...]:
    """The one column of text where no inputs are named."""
    long = tuple(column for column in columns if _is_text(column))
    usual = tuple(column for column in long if column.name.lower() in USUAL_TEXTS)
    for group in (long, usual, columns):
        if len(group) == 1:
            return group
    if len(long) > 1:
        raise UsageError(
            f"{rows.origin.source} has several columns of text; choose with --input (more than one are joined): "
            f"{', '.join(column.name for column in long)}"
        )
    return columns


def _is_text(column: Column) -> bool:
    return column_types.many_values(column) and column_types.typed(column) is column


def _listing(columns: tuple[Column, ...]) -> str:
    return ", ".join(f"{column.name} ({column.kind})" for column in columns)
