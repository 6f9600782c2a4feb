"""A set of vectors with what identifies and labels each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import files

# Beyond these the square root of a sum of squares could leave the range of float64.
LARGEST_UNIT = 1e6

SMALLEST_UNIT = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Vectors of one set, in integers or float64, and the source row of each.

    Parameters
    ----------
    vectors
        Shape (n, D), uint8 or float64, C order; a read-only memory map is welcome, nothing copies it whole.
    unit
        True coordinates are ``vectors * unit``: 1/255 for pixels, 1 for vectors in their own units.
    rows
        Shape (n,), the row number of each vector in its source. Row numbers identify points and break ties,
        so they must differ.
    labels
        Shape (n,), class codes of at least 0, or None.
    targets
        Shape (n,), real targets of a regression task in their own unit, or None.

    Raises
    ------
    ValueError
        If shapes, types or ranges are not the above.

    Examples
    --------
    >>> points = Points(np.zeros((2, 3)), 1.0, np.arange(2))
    >>> len(points), points.dimension
    (2, 3)
    """

    vectors: NDArray[Any]
    unit: float
    rows: NDArray[np.int64]
    labels: NDArray[np.int64] | None = None
    targets: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or self.vectors.shape[1] == 0:
            raise ValueError(f"vectors have shape {self.vectors.shape}; (n, D) with D at least 1 is needed")
        if self.vectors.dtype not in (np.uint8, np.float64):
            raise ValueError(f"vectors are {self.vectors.dtype}; uint8 or float64 is needed")
        if not self.vectors.flags.c_contiguous:
            raise ValueError("vectors are not in C order")
        if not SMALLEST_UNIT <= self.unit <= LARGEST_UNIT:
            raise ValueError(f"unit is {self.unit}; it must lie in [{SMALLEST_UNIT}, {LARGEST_UNIT}]")
        for name in ("rows", "labels", "targets"):
            values = getattr(self, name)
            if values is not None and values.shape != (len(self),):
                raise ValueError(f"{name} have shape {values.shape}; ({len(self)},) is needed")
        if self.rows.dtype != np.int64 or np.any(self.rows < 0):
            raise ValueError("rows must be int64 and at least 0")
        ascending = bool(np.all(self.rows[1:] > self.rows[:-1]))
        if not ascending and len(np.unique(self.rows)) != len(self):
            raise ValueError("rows repeat; a row number must identify one point")
        if self.labels is not None and (self.labels.dtype != np.int64 or np.any(self.labels < 0)):
            raise ValueError("labels must be int64 codes of at least 0")
        if self.targets is not None and not np.all(np.isfinite(self.targets)):
            raise ValueError("targets must be finite")

    def __len__(self) -> int:
        return int(self.vectors.shape[0])

    @property
    def dimension(self) -> int:
        """Number of coordinates, D."""
        return int(self.vectors.shape[1])

    @property
    def raw(self) -> NDArray[Any]:
        """The vectors as a plain array: indexing a memory map through its subclass is slow."""
        return np.asarray(self.vectors)

    def take(self, indices: NDArray[np.int64]) -> Points:
        """Return the points at the given positions (not row numbers), copied: into a file where they are many.

        Examples
        --------
        >>> Points(np.zeros((3, 1)), 1.0, np.array([5, 6, 9])).take(np.array([2, 0])).rows
        array([9, 5])
        """
        return Points(
            files.taken(self.vectors, indices),
            self.unit,
            self.rows[indices],
            None if self.labels is None else self.labels[indices],
            None if self.targets is None else self.targets[indices],
        )

    def release(self) -> None:
        """Hand the pages of a read-only memory map back, so that they do not count as our memory."""
        files.release(self.vectors)

    def read(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the vectors at the given positions, copied."""
        result = np.empty((len(indices), self.dimension), self.vectors.dtype)
        files.gather(self.vectors, indices, result)
        return result


def part(points: Points, positions: NDArray[np.int64], *, answers: bool = True) -> Points:
    """Take some of the points; in a file, where they are too large for memory.

    Parameters
    ----------
    answers : bool
        Whether labels and targets come along.

    Examples
    --------
    >>> part(Points(np.zeros((3, 1)), 1.0, np.array([5, 6, 9])), np.array([0, 2])).rows
    array([5, 9])
    """
    return Points(
        files.taken(points.raw, positions),
        points.unit,
        points.rows[positions],
        points.labels[positions] if answers and points.labels is not None else None,
        points.targets[positions] if answers and points.targets is not None else None,
    )
