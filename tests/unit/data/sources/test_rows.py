"""Columns, their kinds, and counts of what was dropped."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from ibc_report.common.errors import UsageError
from ibc_report.data.sources import Dropped
from ibc_report.data.sources.rows import EXAMPLES, kind_of
from tests.support.tables import column, table

PICTURE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])

KINDS = [
    (pa.bool_(), "boolean"),
    (pa.int8(), "number"),
    (pa.uint64(), "number"),
    (pa.float16(), "number"),
    (pa.float64(), "number"),
    (pa.decimal128(10, 2), "number"),
    (pa.string(), "string"),
    (pa.large_string(), "string"),
    (pa.dictionary(pa.int32(), pa.string()), "string"),
    (pa.dictionary(pa.int8(), pa.int64()), "number"),
    (pa.date32(), "date"),
    (pa.timestamp("ns"), "date"),
    (pa.timestamp("us", tz="UTC"), "date"),
    (pa.list_(pa.float32()), "vector"),
    (pa.large_list(pa.int8()), "vector"),
    (pa.list_(pa.float32(), 3), "vector"),
    (pa.list_(pa.list_(pa.list_(pa.uint8()))), "vector"),
    (pa.list_(pa.string()), "other"),
    (PICTURE, "image"),
    (pa.struct([("bytes", pa.binary())]), "other"),
    (pa.binary(), "other"),
    (pa.null(), "other"),
    (pa.time32("s"), "other"),
]


@pytest.mark.parametrize(("storage", "kind"), KINDS, ids=[str(storage) for storage, _ in KINDS])
def test_a_column_s_kind_follows_from_its_storage(storage: Any, kind: str) -> None:
    """Every arrow type that datasets bring has the kind that encoders and targets go by."""
    assert kind_of(storage) == kind


def test_a_column_is_found_by_name() -> None:
    """A column comes back by its exact name."""
    rows = table(column("a", [1]), column("b", [2]))
    assert rows.column("b").values.to_pylist() == [2]


def test_an_unknown_column_names_the_nearest_and_all() -> None:
    """A misspelt column is refused, with the one that was meant and all that there are."""
    with pytest.raises(UsageError) as caught:
        table(column("label", [1]), column("image", [2])).column("lable")
    assert str(caught.value) == "here has no column 'lable'; did you mean 'label'? Known: image, label"


def test_dropped_rows_are_counted_and_the_first_few_named() -> None:
    """A count keeps the numbers of a few rows only, however many there are."""
    lost = Dropped.of("rows without a label", range(3, 100))
    assert (lost.count, lost.examples) == (97, (3, 4, 5, 6, 7))
    assert len(lost.examples) == EXAMPLES
