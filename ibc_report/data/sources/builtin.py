"""scikit-learn's small sets, which need no download.

Each loader's documentation (https://scikit-learn.org/stable/datasets/toy_dataset.html) names its origin.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa

from ibc_report.common.errors import UsageError, choices
from ibc_report.data.sources.rows import Column, Origin, Rows

__all__ = ["NAMES", "TARGET", "load", "revision"]

TARGET = "target"
"""Name of the column that a built-in set is measured on."""

NAMES = ("breast_cancer", "diabetes", "digits", "iris", "wine")

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
    from sklearn import datasets

    # diabetes comes standardised and scaled by 1/√n unless asked not to be
    raw = datasets.load_diabetes(scaled=False) if name == "diabetes" else getattr(datasets, f"load_{name}")()
    columns = _digits(raw) if name == "digits" else _features(raw)
    origin = Origin(source=f"builtin:{name}", revision=revision())
    return Rows((*columns, _target(raw)), len(raw.target), origin)


def revision() -> str:
    """What pins the built-in sets: the version of the library that brings them."""
    return f"scikit-learn {version('scikit-learn')}"


def _digits(raw: Any) -> list[Column]:
    pixels = raw.images.reshape(-1) / DIGITS_LEVELS
    size = raw.images[0].size
    values = pa.FixedSizeListArray.from_arrays(pa.array(pixels), size)
    return [Column("image", "vector", pa.chunked_array([values]), shape=raw.images[0].shape)]


def _features(raw: Any) -> list[Column]:
    matrix = np.ascontiguousarray(raw.data.T)
    return [
        Column(str(name), "number", pa.chunked_array([pa.array(values)]))
        for name, values in zip(raw.feature_names, matrix, strict=True)
    ]


def _target(raw: Any) -> Column:
    values = pa.chunked_array([pa.array(raw.target)])
    if "target_names" not in raw:
        return Column(TARGET, "number", values)
    return Column(TARGET, "class", values, class_names=tuple(str(name) for name in raw.target_names))
