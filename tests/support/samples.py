"""Small examples made by hand for the tests, and how property tests are run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import settings
from numpy.typing import NDArray

from ibc_report.complexity import PUBLISHED
from ibc_report.data.encoders import Encoded
from ibc_report.data.examples import Examples
from ibc_report.data.sources import Column, Origin
from tests.support.profiles import examples

# No deadline, for a slow machine is no defect; and the same cases in every run.
properties = settings(deadline=None, derandomize=True, max_examples=examples(200))

few_properties = settings(properties, max_examples=examples(60))


def image_task(name: str, **changes: float) -> dict[str, float]:
    """The numbers that the paper's script was given for one of its image tasks, some of them changed."""
    return {**PUBLISHED[name].inputs, **changes}


def made(
    vectors: Any,
    *,
    labels: list[int] | None = None,
    values: list[float] | None = None,
    rounding: float = 0.0,
    unit: float = 1.0,
    rows: list[int] | None = None,
) -> Examples:
    """Examples of given vectors, as `gather` would make them of a column of lists."""
    array: NDArray[Any] = np.ascontiguousarray(vectors)
    if array.dtype != np.uint8:
        array = array.astype(np.float64)
    n = len(array)
    codes = None
    names: tuple[str, ...] = ()
    if labels is not None:
        present, codes = np.unique(np.array(labels), return_inverse=True)
        names = tuple(str(label) for label in present)
    _, identities = np.unique(array, axis=0, return_inverse=True)
    return Examples(
        encoded=Encoded(
            name="vector",
            metric="Euclidean distance of the stored numbers",
            settings={"length": str(array.shape[1])},
            inputs=("x",),
            vectors=array,
            unit=unit,
            rows=np.arange(n) if rows is None else np.array(rows, dtype=np.int64),
            rounding=rounding,
        ),
        target="y",
        codes=None if codes is None else codes.astype(np.int64),
        names=names,
        values=None if values is None else np.array(values, dtype=np.float64),
        identities=identities.ravel().astype(np.uint64),
        columns=(Column("x", "vector", pa.chunked_array([pa.array(array.tolist())])),),
        positions=np.arange(n),
        numbers=np.arange(n) if rows is None else np.array(rows, dtype=np.int64),
        sampled=False,
        counted=False,
        origin=Origin("made", "none"),
        rows_read=n,
        dropped=(),
    )
