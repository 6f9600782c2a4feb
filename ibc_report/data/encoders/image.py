"""Images to vectors: decoded from their bytes, in one mode and one size, row by row of pixels.

Metric: the Euclidean distance of pixel values in [0, 1], as in the paper for MNIST, SVHN and CIFAR-10.
"""

from __future__ import annotations

import io
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image, ImagePalette

from ibc_report.common import files
from ibc_report.common.errors import DataError, LimitError, UsageError
from ibc_report.common.limits import exceeded
from ibc_report.common.progress import Progress, silent
from ibc_report.common.untrusted import most_unpacked, too_large
from ibc_report.common.wording import amount
from ibc_report.data.encoders.base import Encoded, Options
from ibc_report.data.encoders.image_sizes import announce, chosen_size, counted_kinds
from ibc_report.data.encoders.orientation import SIDEWAYS, left_to_turn, orientation, turned
from ibc_report.data.sources.rows import Column, Dropped

__all__ = ["encode"]

GREY_MODES = frozenset({"1", "L", "LA", "La", "I", "I;16", "I;16B", "I;16L", "F"})
"""Modes without colour; a dataset that has no other is encoded as grey."""

EIGHT_BITS = 255.0


SIXTEEN_BITS = 65535.0

REPORT_EVERY = 1000
"""Images between two reports of progress."""


def encode(column: Column, rows: NDArray[np.int64], options: Options, *, progress: Progress = silent) -> Encoded:
    """Decode and flatten images.

    Parameters
    ----------
    column : Column
        Images as structs of bytes and path.
    options : Options
        `size`: "32", "WIDTHxHEIGHT", or "same", which refuses images of different sizes.
        `mode`: "L" (grey) or "RGB"; by default L where every image is grey.

    Returns
    -------
    Encoded
        uint8 vectors with unit 1/255. Transparency is laid over white; grey of more than 8 bits is scaled to them,
        32-bit and floating grey by what is white in the whole dataset (1, 255, 65535 or the largest); images are
        turned as their EXIF data say, in every format; sizes and modes that differ are counted in the notes. A file
        that does not decode costs its row.

    Raises
    ------
    UsageError
        If a setting is wrong, or sizes differ and `size=same` was asked for.
    DataError
        If no image can be decoded.
    """
    options.known("size", "mode")
    mode = options.given.get("mode")
    if mode not in (None, "L", "RGB"):
        raise UsageError(f"encoder setting image:mode has to be L or RGB, not '{mode}'")
    # files are read in the order in which they lie, and each picture goes to the place that is asked for
    places = np.argsort(rows)
    values = column.values.take(pa.array(rows[places])) if len(rows) < len(column.values) else column.values
    headers = _headers(values)
    good = np.array([header is not None for header in headers], dtype=bool)
    while good.any():
        plan = _plan(
            column.name, options, [header for header, use in zip(headers, good, strict=True) if header and use]
        )
        tried = good
        vectors, good = _decoded(values, tried, plan, places, progress)
        # a file that fails after its header may have been the only one of its mode or size: then all is done again
        if good.all() or np.array_equal(good, tried):
            break
    if not good.any():
        raise DataError(f"column '{column.name}' has no image that can be decoded")
    missing = np.array([payload is None for payload in _payloads(values)], dtype=bool)
    back = np.argsort(places)
    good, missing = good[back], missing[back]
    height_width = (plan.size[1], plan.size[0])
    return Encoded(
        name="image",
        metric=f"Euclidean distance of pixel values in [0, 1], mode {plan.mode}, {plan.size[0]}×{plan.size[1]} pixels",
        settings={
            "mode": plan.mode,
            "size": f"{plan.size[0]}x{plan.size[1]}",
            "scale": "1/255",
            **({} if plan.white == EIGHT_BITS else {"white": f"{plan.white:g}"}),
        },
        inputs=(column.name,),
        vectors=vectors if good.all() else files.taken(vectors, np.flatnonzero(good)),
        unit=1 / 255,
        rows=rows[good],
        rounding=0.0,
        picture_shape=height_width if plan.mode == "L" else (*height_width, 3),
        dropped=tuple(
            Dropped.of(reason, rows[bad].tolist())
            for reason, bad in (("rows without an image", missing), ("images that do not decode", ~good & ~missing))
            if bad.any()
        ),
        notes=plan.notes,
    )


@dataclass(frozen=True, slots=True)
class _Header:
    """What an image says of itself before its pixels are read.

    Parameters
    ----------
    size : tuple of int
        Width and height as it is looked at.
    odd_turn : bool
        Whether it says how it is to be turned in a way that means nothing.
    """

    mode: str
    colour: bool
    size: tuple[int, int]
    white: float
    odd_turn: bool


@dataclass(frozen=True, slots=True)
class _Plan:
    """What all images are brought to."""

    mode: str
    size: tuple[int, int]
    white: float
    notes: tuple[str, ...]


def _plan(name: str, options: Options, headers: Sequence[_Header]) -> _Plan:
    mode = options.given.get("mode") or ("RGB" if any(header.colour for header in headers) else "L")
    size, notes = chosen_size(name, options, Counter(header.size for header in headers))
    modes = Counter(header.mode for header in headers)
    if len(modes) > 1:
        notes += (f"The images have {len(modes)} modes ({counted_kinds(modes)}); all were taken as {mode}.",)
    odd = sum(header.odd_turn for header in headers)
    if odd:
        notes += (f"Images whose EXIF orientation is no number from 1 to 8, taken as they are: {odd}.",)
    return _Plan(mode, size, max(header.white for header in headers), notes)


def _decoded(
    values: pa.ChunkedArray,
    wanted: NDArray[np.bool_],
    plan: _Plan,
    places: NDArray[np.int64],
    progress: Progress,
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Decode the wanted images; which of them did."""
    good = np.zeros(len(wanted), dtype=bool)
    channels = 1 if plan.mode == "L" else 3

    def decode(vectors: NDArray[np.uint8]) -> None:
        for position, payload in enumerate(_payloads(values)):
            if position % REPORT_EVERY == 0:
                progress(position / len(wanted))
            if payload is None or not wanted[position]:
                continue
            try:
                vectors[places[position]] = _pixels(payload, plan)
                good[position] = True
            # Pillow raises whatever its decoders raise (OSError, SyntaxError, struct.error, ValueError, ...)
            except Exception as error:
                _raise_limit(error)

    size = plan.size[0] * plan.size[1] * channels
    announce(len(wanted), size)
    return files.filled((len(wanted), size), np.uint8, decode), good


def _payloads(values: pa.ChunkedArray) -> Iterator[bytes | str | None]:
    """Bytes of each image, or the path of its file, or None."""
    for chunk in values.chunks:
        structs = pa.types.is_struct(chunk.type)
        contents = chunk.field("bytes") if structs else chunk
        paths = chunk.field("path") if structs else None
        valid = chunk.is_valid().to_numpy(zero_copy_only=False)
        for index in range(len(chunk)):
            content = contents[index].as_py() if valid[index] else None
            if content is None and paths is not None and valid[index]:
                content = paths[index].as_py()
            yield content


def _open(payload: bytes | str) -> Image.Image:
    if isinstance(payload, str) and not Path(payload).is_file():
        # opening a pipe would wait for ever
        raise FileNotFoundError(payload)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            image = Image.open(io.BytesIO(payload) if isinstance(payload, bytes) else Path(payload))
        except Image.DecompressionBombError as error:
            if most_unpacked() is None:
                raise too_large("a picture", f"over {amount(6 * (Image.MAX_IMAGE_PIXELS or 0))} of pixels") from error
            with _any_size():
                image = Image.open(io.BytesIO(payload) if isinstance(payload, bytes) else Path(payload))
    size, allowed = 3 * image.width * image.height, most_unpacked()
    if allowed is not None and size > allowed:
        raise too_large("a picture", f"{amount(size)} of pixels, more than {amount(allowed)}")
    return image


@contextmanager
def _any_size() -> Iterator[None]:
    """Open pictures beyond the limit of Pillow, whose size is then compared with what the user allows."""
    former, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
    try:
        yield
    finally:
        Image.MAX_IMAGE_PIXELS = former


def _headers(values: pa.ChunkedArray) -> list[_Header | None]:
    """What each image says of itself; None for one that is missing or cannot be opened."""
    headers: list[_Header | None] = []
    for payload in _payloads(values):
        try:
            headers.append(None if payload is None else _header(payload))
        except Exception as error:  # see `_decoded`
            _raise_limit(error)
            headers.append(None)
    return headers


def _raise_limit(error: Exception) -> None:
    """Raise what the machine lacks: no picture is at fault then."""
    limit = error if isinstance(error, LimitError) else exceeded(error)
    if limit is not None:
        raise limit from error


def _header(payload: bytes | str) -> _Header:
    with _open(payload) as image:
        size = image.size
        turn = orientation(image, payload)
        if left_to_turn(image, turn) in SIDEWAYS:
            size = (size[1], size[0])
        colour = image.mode not in GREY_MODES
        if image.mode == "P" and image.palette is not None:
            colour = not _is_grey(image.palette)
        return _Header(image.mode, colour, size, _white(image), odd_turn=turn is None)


def _white(image: Image.Image) -> float:
    """The number that stands for white in grey of more than 8 bits, by the largest that occurs."""
    if image.mode.startswith("I;16"):
        return SIXTEEN_BITS
    if image.mode not in ("I", "F"):
        return EIGHT_BITS
    largest = float(np.asarray(image).max(initial=0))
    usual = (1.0, EIGHT_BITS, SIXTEEN_BITS) if image.mode == "F" else (EIGHT_BITS, SIXTEEN_BITS)
    return next((white for white in usual if largest <= white), largest)


def _is_grey(palette: ImagePalette.ImagePalette) -> bool:
    """Whether no entry of a palette has a colour."""
    # a raw palette is in its file's order, BGRX in a BMP, and the first three are colours in all of them
    order = palette.rawmode or palette.mode
    if not {"R", "G", "B"} <= set(order):
        return False
    entries = np.frombuffer(bytes(palette.palette), dtype=np.uint8)
    colours = entries[: len(entries) // len(order) * len(order)].reshape(-1, len(order))[:, :3]
    return bool((colours == colours[:, :1]).all())


def _pixels(payload: bytes | str, plan: _Plan) -> NDArray[np.uint8]:
    with _open(payload) as opened:
        image: Image.Image = opened
        image = turned(image, left_to_turn(image, orientation(image, payload)))
        image = _in_mode(image, plan)
        if image.size != plan.size:
            image = image.resize(plan.size, Image.Resampling.BILINEAR)
        return np.asarray(image, dtype=np.uint8).reshape(-1)


def _in_mode(image: Image.Image, plan: _Plan) -> Image.Image:
    if image.mode == plan.mode:
        image.load()
        return image
    if image.mode.startswith("I") or image.mode == "F":
        white = SIXTEEN_BITS if image.mode.startswith("I;16") else plan.white
        grey = np.clip(np.rint(np.asarray(image, dtype=np.float64) * (255 / white)), 0, 255)
        image = Image.fromarray(grey.astype(np.uint8))
    elif image.mode in ("LA", "La", "PA", "RGBA", "RGBa") or (image.mode == "P" and "transparency" in image.info):
        image = image.convert("RGBA")
        white_ground = Image.new("RGBA", image.size, "white")
        white_ground.alpha_composite(image)
        image = white_ground
    return image.convert(plan.mode)
