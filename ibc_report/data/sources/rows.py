"""What every source gives: named columns of one table, where they came from, and what was lost on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from yaml import YAMLError

from ibc_report.common.errors import UsageError, choices

__all__ = [
    "Column",
    "Dropped",
    "Kind",
    "Origin",
    "Rows",
    "Sample",
    "is_list",
    "kind_of",
    "license_of",
    "license_of_folder",
]

Kind = Literal["image", "audio", "string", "number", "boolean", "class", "date", "vector", "other"]

_COMMIT = re.compile(r"[0-9a-f]{40}")

EXAMPLES = 5
"""Row numbers that a count of dropped rows shows."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a dataset.

    Parameters
    ----------
    kind : str
        What its values are, whatever their storage.
    values : pyarrow.ChunkedArray
        The values, possibly memory-mapped; an image is a struct of bytes and path, undecoded.
    class_names : tuple of str, optional
        Names of the classes where the source declares them.
    shape : tuple of int, optional
        Shape of one value of a vector column, where the source declares it.
    aside : str, optional
        Why it is no input unless it is asked for, as in "an identifier".
    is_category : bool
        Whether the user said that its values are categories.
    """

    name: str
    kind: Kind
    values: pa.ChunkedArray
    class_names: tuple[str, ...] | None = None
    shape: tuple[int, ...] | None = None
    aside: str | None = None
    is_category: bool = False


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows that were left out for one reason.

    Parameters
    ----------
    reason : str
        Why, as a noun phrase.
    examples : tuple of int
        The first few of their row numbers.
    """

    reason: str
    count: int
    examples: tuple[int, ...] = ()

    @classmethod
    def of(cls, reason: str, rows: Sequence[int]) -> Dropped:
        """Count rows and keep the first few of their numbers."""
        return cls(reason, len(rows), tuple(int(row) for row in rows[:EXAMPLES]))


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rows came from, so that a reader can fetch the same ones.

    Parameters
    ----------
    source : str
        As the user named it.
    revision : str
        What pins the content: a commit, a hash of the files, or a version.
    splits : tuple of str
        All splits of that configuration, where the source has such.
    gated : str or None
        Who lets a reader in ("auto" or "manual"), where access is asked for.
    dataset_info : object
        What the source declares of its features and splits.
    """

    source: str
    revision: str
    config: str | None = None
    split: str | None = None
    splits: tuple[str, ...] = ()
    license: str | None = None
    citation: str | None = None
    homepage: str | None = None
    gated: str | None = None
    dataset_info: Any = None

    @property
    def is_commit(self) -> bool:
        """Whether the revision is a commit of the Hub."""
        return _COMMIT.fullmatch(self.revision) is not None

    @property
    def local(self) -> bool:
        """Whether it is a file or a folder, which alone are pinned by a hash of their content."""
        return self.revision.startswith("sha256:")


def license_of(front_matter: Mapping[str, Any]) -> str | None:
    """Read the license from what a dataset's README begins with: one name or several.

    Examples
    --------
    >>> license_of({"license": ["mit", "cc-by-4.0"]}), license_of({})
    ('mit, cc-by-4.0', None)
    """
    value = front_matter.get("license")
    names = value if isinstance(value, list) else [value]
    return ", ".join(str(name) for name in names if name) or None


@dataclass(frozen=True, slots=True)
class Sample:
    """Which rows of a source are kept: a number of them by a hash of (seed, row number), or all.

    Parameters
    ----------
    most : int, optional
        How many to keep; all where there are no more, or for None.
    streaming : bool
        Of a dataset on the Hub: keep the sample only, instead of storing all rows.
    """

    most: int | None = None
    seed: int = 0
    streaming: bool = False


EVERY_ROW = Sample()


@dataclass(frozen=True, slots=True)
class Rows:
    """A table whose columns are read when they are asked for.

    Parameters
    ----------
    dropped : tuple of Dropped
        Rows that could not be read at all; they are not among `count`.
    numbers : ndarray of int64, shape (count,), optional
        Row numbers in the source, ascending, where some of its rows are not here.
    total : int, optional
        Rows that the sample was taken from.
    notes : tuple of str
        How the source was taken where it can be taken in several ways, a sentence each.
    """

    columns: tuple[Column, ...]
    count: int
    origin: Origin
    dropped: tuple[Dropped, ...] = ()
    numbers: NDArray[np.int64] | None = None
    total: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def read(self) -> int:
        """Rows of the source, those that could not be read and those outside the sample among them."""
        return (self.total or self.count) + sum(lost.count for lost in self.dropped)

    def taken(self, positions: NDArray[np.int64]) -> Rows:
        """Keep some of the rows, by ascending position."""
        every = self.numbers if self.numbers is not None else np.arange(self.count)
        index = pa.array(positions)
        columns = tuple(replace(column, values=column.values.take(index)) for column in self.columns)
        return replace(self, columns=columns, count=len(positions), numbers=every[positions], total=self.count)

    def column(self, name: str) -> Column:
        """Find a column by its name.

        Raises
        ------
        UsageError
            If there is none of that name; the message lists those that there are.
        """
        for column in self.columns:
            if column.name == name:
                return column
        known = [column.name for column in self.columns]
        raise UsageError(f"{self.origin.source} has no column '{name}'; {choices(name, known)}")


_PLAIN: dict[Kind, tuple[Callable[[pa.DataType], bool], ...]] = {
    "boolean": (pa.types.is_boolean,),
    "number": (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal),
    "string": (pa.types.is_string, pa.types.is_large_string),
    "date": (pa.types.is_date, pa.types.is_timestamp),
}
"""How arrow stores values that are no lists or records, by their kind."""


def kind_of(arrow_type: pa.DataType) -> Kind:
    """Tell what a plain arrow column holds.

    Examples
    --------
    >>> kind_of(pa.int8()), kind_of(pa.large_string()), kind_of(pa.list_(pa.float32()))
    ('number', 'string', 'vector')
    """
    if pa.types.is_dictionary(arrow_type):
        return kind_of(arrow_type.value_type)
    if is_list(arrow_type):
        while is_list(arrow_type):
            arrow_type = arrow_type.value_type
        return "vector" if pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type) else "other"
    if _is_picture(arrow_type):
        return "image"
    return next((kind for kind, tests in _PLAIN.items() if any(test(arrow_type) for test in tests)), "other")


def is_list(arrow_type: pa.DataType) -> bool:
    """Whether values are lists, of one length or of several."""
    types = pa.types
    return bool(types.is_list(arrow_type) or types.is_large_list(arrow_type) or types.is_fixed_size_list(arrow_type))


def _is_picture(arrow_type: pa.DataType) -> bool:
    """Whether values are records of bytes and path, as `datasets` stores an image."""
    return bool(pa.types.is_struct(arrow_type)) and {field.name for field in arrow_type} == {"bytes", "path"}


def license_of_folder(path: Path) -> str | None:
    """The license that a README in the folder states in its front matter."""
    readme = path / "README.md"
    if not readme.is_file():
        return None
    from huggingface_hub import metadata_load

    try:
        return license_of(metadata_load(readme) or {})
    except (OSError, ValueError, YAMLError):
        return None
