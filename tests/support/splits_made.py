"""Training and test splits made by hand, with leaks and shortcuts planted where a test wants them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ibc_report.data.examples import gather
from ibc_report.data.sources import Column, Rows
from ibc_report.evaluation.audit.audit import SplitAudit, SplitRows, TrainGeometry, audit
from ibc_report.evaluation.audit.joint_split import Splits, take_together
from ibc_report.geometry import facts_of_examples
from tests.support.tables import column, table

__all__ = ["clusters", "examined", "split_of", "splits_of"]

Floats = NDArray[np.float64]

Ints = NDArray[np.int64]


def clusters(rng: np.random.Generator, n: int, *, classes: int = 3, features: int = 5) -> tuple[Floats, Ints]:
    """Classes that overlap, in equal parts and random order."""
    codes = rng.permutation(np.arange(n) % classes)
    centres = np.eye(classes, features) * 3
    return centres[codes] + rng.normal(size=(n, features)), codes


def split_of(vectors: Floats, codes: Ints, *others: Column) -> Rows:
    """A split of vectors with a label, and further columns."""
    return table(column("x", vectors.tolist()), column("label", [f"c{code}" for code in codes.tolist()]), *others)


def splits_of(train: Rows, test: Rows, inputs: Sequence[str] = ("x",)) -> Splits:
    """Both splits in one space."""
    chosen = tuple(inputs)
    return take_together(train, test, gather(train, target="label", inputs=chosen), kind=None)


def examined(train: Rows, test: Rows, inputs: Sequence[str] = ("x",), seed: int = 0) -> SplitAudit:
    """All that is found of a test split."""
    splits = splits_of(train, test, inputs)
    facts = facts_of_examples(splits.train)
    return audit(splits, SplitRows(train, test), TrainGeometry(facts.dimension), seed=seed)
