"""The same data have the same numbers: in any order of rows and columns, in any format, whatever classes are called."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import ibc_report

Table = pd.DataFrame

ROWS = 140

LONG = pytest.mark.long


def made(kind: str, n: int = ROWS, seed: int = 0) -> Table:
    """A table for an encoder, with some rows twice, and some of these with another answer."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    x = (rng.normal(size=(n, 4)) + 2.0 * labels[:, None]).round(6)
    names = np.array(["ant", "bee", "cat"])[labels]
    if kind == "text":
        words = np.array(["red", "green", "blue", "tall", "small", "fast", "slow", "old", "new", "odd"])
        chosen = [words[(rng.integers(0, 6, 12) + 2 * label) % 10] for label in labels]
        table = Table({"text": [" ".join(each) + f" w{rng.integers(40)}" for each in chosen], "y": names})
    elif kind == "image":
        pixels = np.clip(60 * x + 100, 0, 255).astype(np.uint8).reshape(n, 2, 2)
        table = Table({"picture": [png(one) for one in np.kron(pixels, np.ones((1, 4, 4), np.uint8))], "y": names})
    elif kind == "vector":
        table = Table({"x": [row.tolist() for row in x], "y": names})
    else:
        table = Table(x, columns=["b", "a", "d", "c"])
        table["colour"] = np.array(["red", "green", "blue"])[rng.integers(0, 3, n)]
        table["size"] = rng.integers(0, 9, n)
        table["y"] = (x[:, 0] + rng.normal(size=n)).round(6) if kind == "values" else names
        table = pd.concat([table, table.iloc[:6], table.iloc[6:8].assign(y=table["y"].iloc[20])], ignore_index=True)
    return table


def png(pixels: np.ndarray) -> dict[str, Any]:
    """A picture as a Hub dataset holds it."""
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, format="PNG")
    return {"bytes": stream.getvalue(), "path": None}


def shuffled(table: Table) -> Table:
    """The rows in another order."""
    return table.sample(frac=1, random_state=3).reset_index(drop=True)


def renamed(table: Table) -> Table:
    """Other names of the classes, in another alphabetical order."""
    return table.assign(y=table["y"].map({"ant": "zebra", "bee": "yak", "cat": "wasp"}))


def turned(table: Table) -> Table:
    """The columns in another order."""
    return table[list(table.columns[::-1])]


def same(table: Table) -> Table:
    """The table as it is."""
    return table


WORDED = ("rows", "row", "radius_row", "classes", "names", "label", "examples", "fields", "text", "said", "png")
"""What names rows or classes."""


def numbers(report: ibc_report.Report) -> Any:
    """All numbers of a report, without what names rows, classes or the source, and without the test of the order."""
    content = json.loads(report.to_json())
    for key in ("data", "provenance", "pair", "citation", "reproduce", "doubts", "name", "title", "source"):
        content.pop(key, None)
    content["assumptions"] = [entry for entry in content["assumptions"] if entry["id"] != "A10"]
    return plain(content)


def plain(value: Any) -> Any:
    """Numbers to nine digits, and nothing in words."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if key not in WORDED}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.9g}")
    return value if isinstance(value, int | None) else ""


def measured(table: Table, folder: Path, ending: str = "parquet", **options: Any) -> Any:
    """The numbers of a table in a file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"data.{ending}"
    if ending == "parquet":
        table.to_parquet(path)
    elif ending == "csv":
        table.to_csv(path, index=False)
    else:
        table.to_json(path, orient="records", lines=True, double_precision=15)
    return numbers(ibc_report.measure(str(path), target="y", **options))


CHANGES: dict[str, Callable[[Table], Table]] = {"shuffled": shuffled, "renamed": renamed, "turned": turned}


@pytest.mark.parametrize("most", [None, 90], ids=["whole", "sample"])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    "kind", ["classes", *(pytest.param(kind, marks=LONG) for kind in ("values", "text", "vector", "image"))]
)
def test_order_and_names_change_no_number(kind: str, change: str, most: int | None, tmp_path: Path) -> None:
    """Rows and columns in another order, and classes of other names, give the same numbers, sampled or not."""
    if kind == "values" and change == "renamed":
        pytest.skip("a regression has no classes")
    table = made(kind)
    first = measured(table, tmp_path / "first", max_rows=most)
    second = measured(CHANGES[change](table), tmp_path / "second", max_rows=most)
    assert second == first


@pytest.mark.parametrize("most", [None, 90], ids=["whole", "sample"])
@pytest.mark.parametrize("kind", ["classes", *(pytest.param(kind, marks=LONG) for kind in ("values", "text"))])
def test_the_format_changes_no_number(kind: str, most: int | None, tmp_path: Path) -> None:
    """CSV, parquet and JSON Lines give the same numbers, also shuffled."""
    table = made(kind)
    first = measured(table, tmp_path / "first", "parquet", max_rows=most)
    for ending in ("csv", "jsonl"):
        assert measured(shuffled(table), tmp_path / ending, ending, max_rows=most) == first
