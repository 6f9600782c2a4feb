"""Free bits of a task whose inputs are finite in number."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from ibc_report.evaluation.memory import FreeBits, free_function_bits
from ibc_report.evaluation.splits import Splits
from ibc_report.sources import Column

__all__ = ["free_bits"]

PIXEL_LEVELS = 256

CATEGORIES = ("boolean", "class", "string")


def free_bits(splits: Splits) -> FreeBits | None:
    """Bits to state a function of the inputs that the training rows do not hold.

    Parameters
    ----------
    splits : Splits
        Of a task with classes.

    Returns
    -------
    FreeBits or None
        Of pictures with 256 levels, and of tables that hold nothing but categories, whose values are those that occur,
        each in two rows on average at least; None for all else, whose possible inputs nobody has counted.
    """
    train, test = splits.train, splits.test
    encoded = train.encoded
    distinct = len(np.unique(train.identities))
    classes = len(splits.names)
    if encoded.name == "image":
        # what differs in the file only is one picture
        return free_function_bits([PIXEL_LEVELS] * encoded.vectors.shape[1], distinct, classes)
    if encoded.name != "tabular" or any(column.kind not in CATEGORIES for column in train.columns):
        return None
    sizes = [_values(column, other) for column, other in zip(train.columns, test.columns, strict=True)]
    if 2 * max(sizes) > len(train.positions):
        return None
    return free_function_bits(sizes, distinct, classes)


def _values(train: Column, test: Column) -> int:
    """How many values a category takes in both splits, a missing one among them."""
    if train.class_names is not None:
        return len(train.class_names) + int(train.values.null_count + test.values.null_count > 0)
    found = set(pc.unique(train.values).to_pylist()) | set(pc.unique(test.values).to_pylist())
    return len(found)
