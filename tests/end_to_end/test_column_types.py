"""Whatever the types of a table's columns are, it has a card or is refused by one line."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ibc_report.common.errors import IbcReportError
from ibc_report.data.task import Task
from ibc_report.pipeline.measure import measure

FLAT = (
    pa.null(),
    pa.bool_(),
    *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
    *(pa.float16(), pa.float32(), pa.float64(), pa.decimal32(5, 2), pa.decimal64(12, 3)),
    *(pa.decimal128(20, 5), pa.decimal256(50, 10)),
    *(pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")),
    *(pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("us", tz="UTC"), pa.timestamp("ms", tz="Europe/Berlin")),
    *(pa.duration("s"), pa.duration("ns")),
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(4)),
    *(pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.int64())),
    *(pa.uuid(), pa.json_(), pa.bool8()),
)
"""Every type of arrow without parts that a parquet file can hold."""

ROWS = (0, 1, 2, 7, 60, 60, 60)


def nested(draw: random.Random, depth: int) -> pa.DataType:
    """A random type, at most so many levels deep."""
    if depth == 0 or draw.random() < 0.5:
        return draw.choice(FLAT)
    inner = nested(draw, depth - 1)
    kind = draw.choice(("list", "large", "fixed", "struct", "map"))
    if kind == "list":
        return pa.list_(inner)
    if kind == "large":
        return pa.large_list(inner)
    if kind == "fixed":
        return pa.list_(inner, draw.choice((1, 3)))
    if kind == "map":
        return pa.map_(pa.string(), inner)
    fields = draw.sample(("bytes", "path", "a", "text", "id"), draw.choice((1, 2)))
    return pa.struct([(name, nested(draw, depth - 1) if place else inner) for place, name in enumerate(fields)])


def value(draw: random.Random, kind: pa.DataType) -> Any:
    """A value that arrow takes for a type; sometimes none."""
    types = pa.types
    if types.is_null(kind) or draw.random() < 0.1:
        return None
    if isinstance(kind, pa.BaseExtensionType):
        if kind == pa.uuid():
            return draw.randbytes(16)
        return draw.choice(('{"a": 1}', "[1, 2]", '"x"', "3")) if kind == pa.json_() else draw.choice((0, 1))
    if types.is_dictionary(kind):
        return value(draw, kind.value_type)
    if types.is_boolean(kind):
        return draw.random() < 0.5
    if types.is_integer(kind):
        return draw.choice((0, 1, 2, draw.randrange(127)))
    if types.is_floating(kind):
        number = draw.gauss(0, 1) if draw.random() < 0.9 else draw.choice((0.0, float("nan"), float("inf")))
        return np.float16(number) if kind == pa.float16() else number
    if types.is_decimal(kind):
        return draw.randrange(100)
    if types.is_date(kind) or types.is_time(kind) or types.is_timestamp(kind):
        return draw.choice((0, 1, 86399))
    if types.is_duration(kind):
        return draw.choice((0, 1, 10**6))
    if types.is_fixed_size_binary(kind):
        return draw.randbytes(4)
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind):
        return draw.choice((b"", b"\x89PNG\r\n", b"\xff\xfe", b"abc"))
    if types.is_map(kind):
        return [(name, value(draw, kind.item_type)) for name in draw.sample(("x", "y"), draw.choice((0, 1, 2)))]
    if types.is_fixed_size_list(kind):
        return [value(draw, kind.value_type) for _ in range(kind.list_size)]
    if types.is_list(kind) or types.is_large_list(kind):
        return [value(draw, kind.value_type) for _ in range(draw.choice((0, 1, 3)))]
    if types.is_struct(kind):
        return {field.name: value(draw, field.type) for field in kind}
    return draw.choice(("", "a", "b", "[1, 2]", "1,200", "2020-01-01", "a word or two", "Ünïcode", "0x00ff00ff00ff"))


def array(draw: random.Random, kind: pa.DataType, rows: int) -> pa.Array:
    """An array of a type."""
    values = [value(draw, kind) for _ in range(rows)]
    types = pa.types
    if types.is_decimal(kind):
        return pa.array([None if one is None else str(one) for one in values]).cast(kind)
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError):
        # types within types that arrow makes of nothing but their own arrays
        return pa.nulls(rows)


def table(seed: int) -> pa.Table:
    """A random table: one to four columns, sometimes with a plain target beside them."""
    draw = random.Random(seed)
    rows = draw.choice(ROWS)
    kinds = [nested(draw, 2) for _ in range(draw.choice((1, 2, 4)))]
    columns = {f"c{place}": array(draw, kind, rows) for place, kind in enumerate(kinds)}
    if draw.random() < 0.7:
        columns["label"] = pa.array([draw.choice("xy") for _ in range(rows)])
    return pa.table(columns)


def outcome(seed: int, folder: Path) -> str:
    """The card's title, or the line that refuses the table."""
    path = folder / f"{seed}.parquet"
    try:
        pq.write_table(table(seed), path)
    except pa.ArrowNotImplementedError:
        return "not every type within types can be written"
    try:
        return measure(Task.of(str(path))).title
    except IbcReportError as error:
        return str(error)


@pytest.mark.parametrize("start", [0, pytest.param(1, marks=pytest.mark.long)])
def test_every_type_of_column_gives_a_card_or_one_line(start: int, tmp_path: Path) -> None:
    """Random schemas, nested two deep, with nulls, empty or of one row, never end in what was not expected."""
    seeds = range(40) if start == 0 else range(40, 500)
    cards = 0
    for seed in seeds:
        said = outcome(seed, tmp_path)
        cards += said == str(seed)
        assert "\n" not in said, f"seed {seed}: {said}"
    assert cards > len(seeds) // 20
