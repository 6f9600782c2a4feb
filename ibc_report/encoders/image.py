"""Images to vectors: decoded from their bytes, in one mode and one size, row by row of pixels.

Metric: the Euclidean distance of pixel values in [0, 1], as in the paper for MNIST, SVHN and CIFAR-10.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, ImagePalette

from ibc_report import storage
from ibc_report.encoders.encoded import Encoded, Options, Progress, silent
from ibc_report.errors import DataError, UsageError
from ibc_report.sources.rows import Column, Dropped

__all__ = ["encode"]

GREY_MODES = frozenset({"1", "L", "LA", "La", "I", "I;16", "I;16B", "I;16L", "F"})
"""Modes without colour; a dataset that has no other is encoded as grey."""

DEFAULT_SIDE = 64
"""Side, in pixels, to which images of different sizes are brought where the user names none."""

REPORT_EVERY = 1000
"""Images between two reports of progress."""


def encode(column: Column, rows: NDArray[np.int64], options: Options, *, progress: Progress = silent) -> Encoded:
    """Decode and flatten images.

    Parameters
    ----------
    column : Column
        Images as structs of bytes and path.
    rows : ndarray of int64
        Rows of the source to encode.
    options : Options
        `size`: "32", "WIDTHxHEIGHT", or "same", which refuses images of different sizes.
        `mode`: "L" (grey) or "RGB"; by default L where every image is grey.
    progress : callable
        Told the fraction done.

    Returns
    -------
    Encoded
        uint8 vectors with unit 1/255. Transparency is laid over white; 16-bit grey is scaled to 8 bits; images
        are turned as their EXIF data say. A file that does not decode costs its row.

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
    values = column.values.take(pa.array(rows)) if len(rows) < len(column.values) else column.values
    modes, sizes = _headers(values)
    if not sizes:
        raise DataError(f"column '{column.name}' has no image that can be decoded")
    mode = mode or ("L" if modes <= GREY_MODES else "RGB")
    size, notes = _size(column.name, options, sizes)
    channels = 1 if mode == "L" else 3
    missing: list[int] = []
    broken: list[int] = []
    good = np.zeros(len(rows), dtype=bool)

    def decode(vectors: NDArray[np.uint8]) -> None:
        for position, payload in enumerate(_payloads(values)):
            if payload is None:
                missing.append(int(rows[position]))
                continue
            try:
                vectors[position] = _pixels(payload, mode, size)
                good[position] = True
            # Pillow raises whatever its decoders raise (OSError, SyntaxError, struct.error, ValueError, ...)
            except Exception:
                broken.append(int(rows[position]))
            if position % REPORT_EVERY == 0:
                progress(position / len(rows))

    vectors = storage.filled((len(rows), size[0] * size[1] * channels), np.uint8, decode)
    if not good.all():
        vectors = storage.taken(vectors, np.flatnonzero(good))
    if not len(vectors):
        raise DataError(f"column '{column.name}' has no image that can be decoded")
    height_width = (size[1], size[0])
    return Encoded(
        name="image",
        metric=f"Euclidean distance of pixel values in [0, 1], mode {mode}, {size[0]}×{size[1]} pixels",
        settings={"mode": mode, "size": f"{size[0]}x{size[1]}", "scale": "1/255"},
        inputs=(column.name,),
        vectors=vectors,
        unit=1 / 255,
        rows=rows[good],
        rounding=0.0,
        picture_shape=height_width if mode == "L" else (*height_width, 3),
        dropped=tuple(
            Dropped.of(reason, bad)
            for reason, bad in (("rows without an image", missing), ("images that do not decode", broken))
            if bad
        ),
        notes=notes,
    )


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
    return Image.open(io.BytesIO(payload) if isinstance(payload, bytes) else Path(payload))


def _headers(values: pa.ChunkedArray) -> tuple[set[str], dict[tuple[int, int], int]]:
    """Modes and sizes (width, height) that occur, from the headers alone."""
    modes: set[str] = set()
    sizes: dict[tuple[int, int], int] = {}
    for payload in _payloads(values):
        if payload is None:
            continue
        try:
            with _open(payload) as image:
                size = image.size
                # few formats turn by EXIF, and asking makes Pillow read further; a TIFF's size is turned already
                if image.format in ("JPEG", "WEBP", "MPO") and image.getexif().get(ExifTags.Base.Orientation, 1) > 4:
                    size = (size[1], size[0])
                colour = image.mode not in GREY_MODES
                if image.mode == "P" and image.palette is not None:
                    colour = not _is_grey(image.palette)
                modes.add("RGB" if colour else "L")
        except Exception:  # the decoding pass counts it
            continue
        sizes[size] = sizes.get(size, 0) + 1
    return modes, sizes


def _is_grey(palette: ImagePalette.ImagePalette) -> bool:
    """Whether no entry of a palette has a colour."""
    # a raw palette is in its file's order, BGRX in a BMP, and the first three are colours in all of them
    order = palette.rawmode or palette.mode
    if not {"R", "G", "B"} <= set(order):
        return False
    entries = np.frombuffer(bytes(palette.palette), dtype=np.uint8)
    colours = entries[: len(entries) // len(order) * len(order)].reshape(-1, len(order))[:, :3]
    return bool((colours == colours[:, :1]).all())


def _size(name: str, options: Options, sizes: dict[tuple[int, int], int]) -> tuple[tuple[int, int], tuple[str, ...]]:
    wanted = options.given.get("size")
    if wanted not in (None, "same"):
        parts = wanted.lower().split("x")
        if not 1 <= len(parts) <= 2 or not all(part.isdecimal() and int(part) > 0 for part in parts):
            raise UsageError(f"encoder setting image:size has to be like 32, 32x48 or same, not '{wanted}'")
        size = (int(parts[0]), int(parts[-1]))
        resized = sum(count for found, count in sizes.items() if found != size)
        return size, ((f"{resized} images were resized to {size[0]}×{size[1]}.",) if resized else ())
    if len(sizes) == 1:
        return next(iter(sizes)), ()
    smallest, largest = min(sizes), max(sizes)
    said = f"{len(sizes)} different sizes, from {smallest[0]}×{smallest[1]} to {largest[0]}×{largest[1]}"
    if wanted == "same":
        raise UsageError(f"column '{name}' has images of {said}; choose one size, as in --encoder image:size=32")
    return (DEFAULT_SIDE, DEFAULT_SIDE), (
        f"The images have {said}; all were resized to {DEFAULT_SIDE}×{DEFAULT_SIDE}, which changes the distances.",
    )


def _pixels(payload: bytes | str, mode: str, size: tuple[int, int]) -> NDArray[np.uint8]:
    with _open(payload) as opened:
        image: Image.Image = opened
        if image.format in ("JPEG", "WEBP", "TIFF", "MPO"):
            image = ImageOps.exif_transpose(image)
        image = _in_mode(image, mode)
        if image.size != size:
            image = image.resize(size, Image.Resampling.BILINEAR)
        return np.asarray(image, dtype=np.uint8).reshape(-1)


def _in_mode(image: Image.Image, mode: str) -> Image.Image:
    if image.mode == mode:
        image.load()
        return image
    if image.mode.startswith("I") or image.mode == "F":
        image = Image.fromarray(_eight_bits(np.asarray(image), image.mode))
    elif image.mode in ("LA", "La", "PA", "RGBA", "RGBa") or (image.mode == "P" and "transparency" in image.info):
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        white.alpha_composite(image)
        image = white
    return image.convert(mode)


def _eight_bits(values: NDArray[Any], mode: str) -> NDArray[np.uint8]:
    """Scale 16-bit grey, and floating grey in [0, 1] or [0, 255], to 8 bits."""
    full = values.astype(np.float64)
    if mode == "F":
        factor = 255.0 if full.max(initial=0.0) <= 1 else 1.0
    else:
        factor = 255 / 65535 if mode.startswith("I;16") or full.max(initial=0.0) > 255 else 1.0
    return np.clip(np.rint(full * factor), 0, 255).astype(np.uint8)
