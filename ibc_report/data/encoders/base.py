"""What every encoder gives: vectors with a metric that is stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import UsageError, choices
from ibc_report.data.sources.rows import Column, Dropped

__all__ = ["Encoded", "Options", "Transform"]


class Transform(Protocol):
    """Encodes rows as others were."""

    def __call__(self, columns: Sequence[Column], rows: NDArray[np.int64]) -> Encoded:
        """Encode some rows of columns of the same names.

        Raises
        ------
        DataError
            If no row is usable, or their vectors have another length.
        """


@dataclass(frozen=True, slots=True)
class Encoded:
    """Vectors of the rows that could be encoded.

    Parameters
    ----------
    metric : str
        What a distance between two vectors means, in one sentence.
    settings : mapping of str to str
        All that is needed to encode again.
    vectors : ndarray, shape (n, features)
        uint8, or float64.
    unit : float
        A coordinate's true value is the stored one times this.
    rows : ndarray of int64, shape (n,)
        Row of the source for each vector.
    rounding : float
        Distances up to this times the radius are rounding of the encoder's own arithmetic, and count as zero.
    picture_shape : tuple of int, optional
        (height, width) or (height, width, 3) where a vector is a picture.
    notes : tuple of str
        Choices that the encoder made on these data, a sentence each.
    transform : callable, optional
        Encodes other rows of the same columns as these were, with what was learned from these alone: means, categories,
        weights of n-grams.
    """

    name: str
    metric: str
    settings: Mapping[str, str]
    inputs: tuple[str, ...]
    vectors: NDArray[Any]
    unit: float
    rows: NDArray[np.int64]
    rounding: float
    picture_shape: tuple[int, ...] | None = None
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = field(default=())
    transform: Transform | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of an encoder as the user wrote them, "name:key=value,key=value".

    Examples
    --------
    >>> Options.parse("text:components=300").integer("components", 100)
    300
    """

    name: str
    given: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Options:
        """Read "name:key=value,key=value".

        Raises
        ------
        UsageError
            If a setting is not of the form key=value.
        """
        name, _, rest = text.partition(":")
        given = {}
        for part in filter(None, rest.split(",")):
            key, equals, value = part.partition("=")
            if not equals or not key or not value:
                raise UsageError(f"encoder setting '{part}' is not of the form key=value, as in image:size=32")
            given[key.strip()] = value.strip()
        return cls(name.strip(), given)

    def known(self, *keys: str) -> None:
        """Refuse settings that the encoder does not have.

        Raises
        ------
        UsageError
            If one is not known; the message lists those that are.
        """
        for key in self.given:
            if key not in keys:
                raise UsageError(f"encoder '{self.name}' has no setting '{key}'; {choices(key, keys)}")

    def integer(self, key: str, default: int, *, least: int = 1) -> int:
        """Read a whole number.

        Raises
        ------
        UsageError
            If it is none, or smaller than `least`.
        """
        text = self.given.get(key)
        if text is None:
            return default
        if not text.isdecimal() or int(text) < least:
            raise UsageError(f"encoder setting {self.name}:{key} has to be a whole number from {least}, not '{text}'")
        return int(text)
