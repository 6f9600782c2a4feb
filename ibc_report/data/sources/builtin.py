"""scikit-learn's small sets, which need no download.

Each loader's documentation (https://scikit-learn.org/stable/datasets/toy_dataset.html) names its origin.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ibc_report.common.errors import UsageError, choices
from ibc_report.data.sources.rows import Column, Origin, Rows

__all__ = ["NAMES", "TARGET", "load", "revision"]

TARGET = "target"
"""Name of the column that a built-in set is measured on."""

NAMES = ("breast_cancer", "diabetes", "digits", "iris", "wine")

CELLS = (
    "radius",
    "texture",
    "perimeter",
    "area",
    "smoothness",
    "compactness",
    "concavity",
    "concave points",
    "symmetry",
    "fractal dimension",
)
"""What was measured of the cells of breast_cancer."""

FEATURES = {
    "breast_cancer": (
        *(f"mean {name}" for name in CELLS),
        *(f"{name} error" for name in CELLS),
        *(f"worst {name}" for name in CELLS),
    ),
    "diabetes": ("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"),
    "iris": ("sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"),
    "wine": (
        "alcohol",
        "malic_acid",
        "ash",
        "alcalinity_of_ash",
        "magnesium",
        "total_phenols",
        "flavanoids",
        "nonflavanoid_phenols",
        "proanthocyanins",
        "color_intensity",
        "hue",
        "od280/od315_of_diluted_wines",
        "proline",
    ),
    "digits": (),
}
"""Names of the features, which the library's files do not hold."""

DIGITS_SIDE = 8

DIGITS_LEVELS = 16
"""Digits' pixels are counts from 0 to 16."""


def load(name: str) -> Rows:
    """Read a built-in set.

    Parameters
    ----------
    name : str
        One of `NAMES`.

    Returns
    -------
    Rows
        Digits as one 8×8 vector column with values in [0, 1]; the others as a column for each feature.

    Raises
    ------
    UsageError
        If there is no such set.

    Examples
    --------
    >>> load("iris").count
    150
    """
    if name not in NAMES:
        raise UsageError(f"there is no built-in set '{name}'; {choices(name, NAMES)}")
    table, names = _table(name), FEATURES[name]
    if name == "digits":
        columns = _digits(table)
    else:
        columns = [
            Column(feature, "number", pa.chunked_array([pa.array(np.ascontiguousarray(values))]))
            for feature, values in zip(names, table.vectors.T, strict=True)
        ]
    origin = Origin(source=f"builtin:{name}", revision=revision())
    return Rows((*columns, _target(table)), len(table.targets), origin)


def revision() -> str:
    """What pins the built-in sets: the version of the library that brings them."""
    return f"scikit-learn {version('scikit-learn')}"


@dataclass(frozen=True, slots=True)
class _Table:
    """Features and targets of a set, and the names of its classes; none for values."""

    vectors: NDArray[np.float64]
    targets: NDArray[Any]
    classes: tuple[str, ...]


def _table(name: str) -> _Table:
    """Read the files that the library brings, without importing it, which takes longer than to measure them."""
    if name == "diabetes":
        vectors, targets = (np.loadtxt(_open(f"diabetes_{part}.csv.gz")) for part in ("data_raw", "target"))
        return _Table(vectors, targets, ())
    if name == "digits":
        numbers = np.loadtxt(_open("digits.csv.gz"), delimiter=",")
        return _Table(numbers[:, :-1], numbers[:, -1].astype(np.int64), tuple(str(digit) for digit in range(10)))
    with _open("wine_data.csv" if name == "wine" else f"{name}.csv") as stream:
        classes = tuple(next(stream).strip().split(",")[2:])
        numbers = np.loadtxt(stream, delimiter=",")
    return _Table(numbers[:, :-1], numbers[:, -1].astype(np.int64), classes)


def _open(name: str) -> TextIO:
    found = find_spec("sklearn")
    assert found is not None
    assert found.origin is not None
    path = Path(found.origin).parent / "datasets" / "data" / name
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")


def _digits(table: _Table) -> list[Column]:
    pixels = table.vectors.reshape(-1) / DIGITS_LEVELS
    values = pa.FixedSizeListArray.from_arrays(pa.array(pixels), DIGITS_SIDE**2)
    return [Column("image", "vector", pa.chunked_array([values]), shape=(DIGITS_SIDE, DIGITS_SIDE))]


def _target(table: _Table) -> Column:
    values = pa.chunked_array([pa.array(table.targets)])
    if not table.classes:
        return Column(TARGET, "number", values)
    return Column(TARGET, "class", values, class_names=table.classes)
