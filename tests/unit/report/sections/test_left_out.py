"""What few rows decide comes first, with the rows, the decades and the robust value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

import ibc_report
from ibc_report import Report
from ibc_report.cli.terminal import summary
from ibc_report.rendering.cards import section


def measured(folder: Path, vectors: np.ndarray, answers: Sequence[object], name: str = "label") -> Report:
    """The report of a table."""
    names = [f"f{place}" for place in range(vectors.shape[1])]
    lines = [",".join(map(str, [*row, answer])) for row, answer in zip(vectors.tolist(), answers, strict=True)]
    (folder / "rows.csv").write_text("\n".join([",".join([*names, name]), *lines]), encoding="utf-8")
    return ibc_report.measure(str(folder / "rows.csv"), target=name, encoder="tabular:standardise=no")


def classes(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Three classes apart from one another."""
    codes = np.arange(n) % 3
    return np.random.default_rng(seed).normal(size=(n, 6)) + (np.eye(3, 6) * 8)[codes], codes


def values(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """A target of four features."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n, 4))
    return vectors, vectors[:, 0] + 0.5 * vectors[:, 1] + rng.normal(0, 0.1, n)


def named(codes: np.ndarray) -> list[str]:
    """Classes by name."""
    return [f"c{code}" for code in codes.tolist()]


def decades(text: str) -> float:
    """The decades that a sentence tells."""
    found = re.search(r"(?:makes?|hides?) ([0-9.]+) decades", text)
    assert found is not None
    return float(found[1])


@pytest.mark.parametrize("seed", range(2))
def test_a_mislabelled_near_copy_is_told_first(tmp_path: Path, seed: int) -> None:
    """One pair that makes many decades is named first, with the bits without it and the robust value."""
    vectors, codes = classes(seed)
    alone = measured(tmp_path, vectors, named(codes))
    twin = np.vstack([vectors, vectors[:1] + 0.01])
    report = measured(tmp_path, twin, [*named(codes), named((codes[:1] + 1) % 3)[0]])
    assert report.robust is not None
    first = report.doubts[0]
    assert first.startswith("One pair of rows makes ")
    assert "without rows 0 and 300, the closest pair of different classes" in first
    assert f"the bits are 10^{alone.headline.exponent} instead of 10^{report.headline.exponent}" in first
    assert f"is {report.robust.bits}, " in first
    assert first.endswith("below the headline and outside of its interval.")
    assert decades(first) > 8
    assert "no single row" not in report.robust.said


@pytest.mark.parametrize(("seed", "count"), [(0, 1), (1, 4)])
def test_rows_far_out_are_told_first(tmp_path: Path, seed: int, count: int) -> None:
    """However many rows far out set the radius, they are named first, with the bits that the others give."""
    vectors, codes = classes(seed)
    vectors[20 : 20 + count] *= 10
    report = measured(tmp_path, vectors, named(codes))
    first = report.doubts[0]
    rows = "row 20, which has" if count == 1 else "rows 20, 21, 22 and 23, which have"
    assert f"without {rows} the largest norm" in first
    assert decades(first) > 3
    assert "The robust value, from quantiles instead of extremes, is 10^" in first


@pytest.mark.parametrize(("seed", "sentinel", "count"), [(0, -9999.0, 1), (1, 1e12, 1), (2, -9999.0, 3), (3, 99.0, 1)])
def test_a_target_that_is_no_value_is_told_first(tmp_path: Path, seed: int, sentinel: float, count: int) -> None:
    """Targets far from all others are told first, with the bits measured without them; the robust value stays."""
    vectors, targets = values(seed)
    clean = measured(tmp_path, vectors, targets.tolist(), "value")
    spoilt = targets.copy()
    spoilt[7 : 7 + count] = sentinel
    report = measured(tmp_path, vectors, spoilt.tolist(), "value")
    others = np.r_[0:7, 7 + count : 300]
    without = measured(tmp_path, vectors[others], targets[others].tolist(), "value")
    first = report.doubts[0]
    assert f"without {'row 7' if count == 1 else 'rows 7, 8 and 9'}, whose target" in first
    assert f"the bits are 10^{without.headline.exponent} instead of 10^{report.headline.exponent}." in first
    assert report.robust is not None
    assert clean.robust is not None
    assert report.robust.log10_bits == pytest.approx(clean.robust.log10_bits, abs=0.6)


def test_the_only_row_of_a_class_decides_all(tmp_path: Path) -> None:
    """Without the one row of the second class there is one class; no card says that no row decides the value."""
    vectors, _ = values(0)
    report = measured(tmp_path, vectors, ["rare" if row == 7 else "common" for row in range(300)])
    assert report.doubts[0].startswith("One row decides the number: without row 7, the only one of class 'rare'")
    assert "no single row decides" not in report.to_html() + report.to_markdown()
    assert any("'rare' (1 row)" in doubt for doubt in report.doubts)


def test_no_row_decides_only_where_rows_were_left_out(tmp_path: Path) -> None:
    """On clean data the sentence names what was left out, and by how much the bits move without it."""
    vectors, targets = values(0, 600)
    report = measured(tmp_path, vectors, targets.tolist(), "value")
    assert report.robust is not None
    assert "no single row decides the value. Decades by which the bits move without single rows" in report.robust.said
    for name in ("the closest pair", "of the largest norm", "of the most extreme target"):
        assert name in report.robust.said


def test_the_first_warning_is_first_everywhere(tmp_path: Path) -> None:
    """Terminal, card in HTML and Markdown, section of a dataset's card, and JSON have the same first warning."""
    vectors, codes = classes(4)
    report = measured(tmp_path, np.vstack([vectors, vectors[:1] + 0.01]), [*named(codes), "c1"])
    first = report.doubts[0]
    stream = StringIO()
    summary(Console(file=stream, width=10_000), report, ())
    assert f"Doubtful:\n  • {first}\n" in stream.getvalue()
    raised = re.sub(r"10\^([0-9.]*[0-9])", r"10<sup>\1</sup>", first)
    assert f"<ul>\n<li>{raised}</li>" in report.to_html()
    assert f"## What is doubtful\n\n- {raised}\n" in report.to_markdown()
    links = SimpleNamespace(card="card.html", picture=lambda theme: f"{theme}.png")
    assert f"Doubtful:\n\n- {raised}\n" in section(report, links=links, cite=False)


def test_classes_of_almost_one_name_come_first(tmp_path: Path) -> None:
    """Names that differ by case are the first warning, with the bits as one class, which are those of a mended file."""
    rng = np.random.default_rng(0)
    rows = [
        (*point, "Tea" if place % 9 == 0 else "tea", point[0]) for place, point in enumerate(rng.normal(size=(300, 2)))
    ]
    lines = [f"{a},{b},{name if first < 0 else 'coffee'}" for a, b, name, first in rows]
    split, mended = tmp_path / "split.csv", tmp_path / "mended.csv"
    split.write_text("\n".join(["a,b,drink", *lines]), encoding="utf-8")
    mended.write_text("\n".join(["a,b,drink", *(line.replace("Tea", "tea") for line in lines)]), encoding="utf-8")
    first = ibc_report.measure(str(split)).doubts[0]
    bits = ibc_report.measure(str(mended)).headline.exponent
    assert first.startswith("Classes 'Tea' and 'tea' differ only by case or space: as one class, the bits are ")
    assert f"are 10^{bits} instead of 10^" in first
