"""Which way up a picture is stored, as its EXIF data say in any format, and how it is brought upright."""

from __future__ import annotations

from pathlib import Path

from PIL import ExifTags, Image

__all__ = ["SIDEWAYS", "left_to_turn", "orientation", "turned"]

TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What undoes the orientation of EXIF (CIPA DC-008, tag 274)."""

SIDEWAYS = (5, 6, 7, 8)
"""Orientations in which width and height are exchanged."""

OPPOSITE = {6: 8, 8: 6}
"""What undoes a turn, where it is not the same turn again."""


def orientation(image: Image.Image, payload: bytes | str) -> int | None:
    """Read how an image is to be turned, before it is loaded.

    Parameters
    ----------
    payload : bytes or str
        The file's content, or its path.

    Returns
    -------
    int or None
        From 1, upright, to 8, as EXIF counts; None where what it says means nothing: the tag is no whole number from 1
        to 8, or cannot be read.
    """
    if image.format == "PNG":
        # asking makes Pillow decode the whole picture, and few have such data
        content = payload if isinstance(payload, bytes) else Path(payload).read_bytes()
        if b"eXIf" not in content and b"Raw profile type" not in content:
            return 1
    try:
        turn = image.getexif().get(ExifTags.Base.Orientation, 1)
    # Pillow raises whatever a broken directory makes it raise
    except Exception:
        return None
    return turn if isinstance(turn, int) and 1 <= turn <= 8 else None


def left_to_turn(image: Image.Image, turn: int | None) -> int:
    """Tell how an image is to be turned once it is loaded, before it is.

    Parameters
    ----------
    turn : int or None
        As `orientation` gives it.

    Returns
    -------
    int
        From 1 to 8. Pillow turns a TIFF as it loads it, so that nothing is left.
    """
    if image.format != "TIFF":
        return turn or 1
    if turn is not None:
        return 1
    # it does so by a 6 that is stored as a rational or a double too, which is undone
    done = image.getexif().get(ExifTags.Base.Orientation, 1)
    return OPPOSITE.get(done, int(done)) if done in TURNS else 1


def turned(image: Image.Image, turn: int) -> Image.Image:
    """Turn an image.

    Examples
    --------
    >>> turned(Image.new("L", (2, 1)), 6).size
    (1, 2)
    """
    method = TURNS.get(turn)
    return image if method is None else image.transpose(method)
