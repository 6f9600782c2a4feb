"""Which size images are brought to: the one that they have, a smaller one, or what the user names."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from ibc_report.common.errors import UsageError
from ibc_report.common.wording import amount, counted
from ibc_report.data.encoders.base import Options

__all__ = ["announce", "chosen_size", "counted_kinds"]

DEFAULT_SIDE = 64
"""Side, in pixels, to which images of different sizes are brought where the user names none."""

MOST_COUNTED = 5
"""Sizes or modes that a note counts."""

MOST_PIXELS = 1 << 20
"""Pixels up to which images of one size keep it, where the user names none."""

REDUCED_SIDE = 256
"""Longer side, in pixels, to which larger images of one size are brought."""

ANNOUNCED = 4 * 10**9
"""Bytes of features from which their size is said before they are made."""


def chosen_size(
    name: str, options: Options, sizes: Mapping[tuple[int, int], int]
) -> tuple[tuple[int, int], tuple[str, ...]]:
    """Choose the size that all images of a column are brought to.

    Parameters
    ----------
    name : str
        Of the column.
    sizes : mapping of (int, int) to int
        How many images have which width and height.

    Returns
    -------
    size : tuple of int
        Width and height.
    notes : tuple of str
        What a card says of it.

    Raises
    ------
    UsageError
        If the setting is none, or sizes differ where they have to be the same.

    Examples
    --------
    >>> chosen_size("photo", Options("image", {}), {(4000, 3000): 10})[0]
    (256, 192)
    """
    wanted = options.given.get("size")
    if wanted not in (None, "same"):
        parts = wanted.lower().split("x")
        if not 1 <= len(parts) <= 2 or not all(part.isdecimal() and int(part) > 0 for part in parts):
            raise UsageError(f"encoder setting image:size has to be like 32, 32x48 or same, not '{wanted}'")
        size = (int(parts[0]), int(parts[-1]))
        resized = sum(count for found, count in sizes.items() if found != size)
        mixed = f" They have {_mixed(sizes)}." if len(sizes) > 1 else ""
        return size, ((f"{resized} images were resized to {size[0]}×{size[1]}.{mixed}",) if resized else ())
    if len(sizes) == 1:
        return _one_size(*next(iter(sizes.items())), reduced=wanted is None)
    said = _mixed(sizes)
    if wanted == "same":
        raise UsageError(f"column '{name}' has images of {said}; choose one size, as in --encoder image:size=32")
    return (DEFAULT_SIDE, DEFAULT_SIDE), (
        f"The images have {said}; all were resized to {DEFAULT_SIDE}×{DEFAULT_SIDE}, which changes the distances.",
    )


def _mixed(sizes: Mapping[tuple[int, int], int]) -> str:
    """Sizes that differ, by their range and the number of images of each."""
    smallest, largest = min(sizes), max(sizes)
    counted = counted_kinds({f"{width}×{height}": count for (width, height), count in sizes.items()})
    return f"{len(sizes)} different sizes, from {smallest[0]}×{smallest[1]} to {largest[0]}×{largest[1]} ({counted})"


def _one_size(size: tuple[int, int], count: int, *, reduced: bool) -> tuple[tuple[int, int], tuple[str, ...]]:
    """The size of pictures that all have one; photographs are made smaller, unless the user names a size."""
    if size[0] * size[1] <= MOST_PIXELS or not reduced:
        return size, ()
    share = REDUCED_SIDE / max(size)
    smaller = max(1, round(size[0] * share)), max(1, round(size[1] * share))
    bytes_each = 3 * size[0] * size[1]
    return smaller, (
        f"The images have {size[0]}×{size[1]} pixels, whose features would take up to {amount(bytes_each)} a row, "
        f"{amount(count * bytes_each)} in all; all were resized to {smaller[0]}×{smaller[1]}, which changes the "
        "distances. The encoder image:size=same keeps their pixels.",
    )


def announce(count: int, size: int) -> None:
    """Say how much space large features take, before they are made."""
    if count * size > ANNOUNCED:
        logging.getLogger(__name__).warning(
            "ibc-report: the features of %s take %s (%s each); image:size=64 makes them smaller",
            counted(count, "images"),
            amount(count * size),
            amount(size),
        )


def counted_kinds(found: Mapping[str, int]) -> str:
    """What occurs, the most frequent first, with its number."""
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    more = ", …" if len(ordered) > MOST_COUNTED else ""
    return ", ".join(f"{name}: {count:,}" for name, count in ordered[:MOST_COUNTED]) + more
