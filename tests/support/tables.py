"""Small tables in memory, as the sources give them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image

from ibc_report.data.encoders import Options
from ibc_report.data.sources import Column, Dropped, Kind, Origin, Rows
from ibc_report.data.sources.rows import kind_of

NO_OPTIONS = Options("any", {})


def column(
    name: str,
    values: Sequence[Any],
    *,
    kind: Kind | None = None,
    names: tuple[str, ...] | None = None,
    shape: tuple[int, ...] | None = None,
    storage: Any = None,
) -> Column:
    """Make a column; its kind follows from its values where none is given."""
    array = pa.array(values, type=storage)
    found: Kind = "class" if names is not None else kind_of(array.type)
    return Column(name, kind or found, pa.chunked_array([array]), class_names=names, shape=shape)


def table(*columns: Column, dropped: tuple[Dropped, ...] = ()) -> Rows:
    """Make a table of columns of one length."""
    return Rows(columns, len(columns[0].values), Origin(source="here", revision="none"), dropped)


def every(of: Column) -> NDArray[np.int64]:
    """The numbers of all rows of a column."""
    return np.arange(len(of.values))


def encoded_image(image: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    """The bytes of an image file."""
    stream = io.BytesIO()
    image.save(stream, format=form, **options)
    return stream.getvalue()


def images(payloads: Iterable[bytes | None], *, name: str = "image") -> Column:
    """An image column of files held as bytes; None is a missing image."""
    values = [None if payload is None else {"bytes": payload, "path": None} for payload in payloads]
    return column(name, values, storage=pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
