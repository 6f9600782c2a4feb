"""The robust value in words: what is to blame, and where either value is 0 bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ibc_report
from ibc_report import Report
from tests.support.once import Once


def measured(folder: Path, points: np.ndarray, labels: list[str]) -> Report:
    """The report of points in a plane."""
    rows = [f"{x},{y},{label}" for (x, y), label in zip(points.tolist(), labels, strict=True)]
    (folder / "points.csv").write_text("x,y,label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return ibc_report.measure(str(folder / "points.csv"), target="label", encoder="tabular:standardise=no")


def blobs() -> tuple[np.ndarray, list[str]]:
    """Two tight blobs, far apart: an easy task."""
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(100, 2)) * 0.01, rng.normal(size=(100, 2)) * 0.01 + [1.0, 0.0]])
    return points, ["a"] * 100 + ["b"] * 100


def test_an_outlier_on_an_easy_task_is_to_blame(tmp_path: Path) -> None:
    """Where the task needs 0 bits but for one row, the card names the row, and the change is no number."""
    points, labels = blobs()
    points[5] = [0.0, -3.0]
    report = measured(tmp_path, points, labels)
    assert report.robust is not None
    assert report.robust.log10_bits is None
    assert report.headline.log10_bits is not None
    assert report.robust.blame is not None
    assert (report.robust.blame.setting, report.robust.blame.rows, report.robust.blame.change) == ("radius", (5,), None)
    assert "The robust value is 0 bits" in report.robust.said
    assert "(row 5)" in report.robust.said


def test_two_zeros_are_no_difference(tmp_path: Path) -> None:
    """Where both values are 0 bits, nothing is to blame and that is said."""
    points, labels = blobs()
    report = measured(tmp_path, points - [0.5, 0.0], labels)
    assert report.headline.log10_bits is None
    assert report.robust is not None
    assert report.robust.said == "Both the robust value and the headline are 0 bits."
    assert report.robust.blame is None


def test_digits_names_the_origin_and_no_row(once: Once) -> None:
    """The difference of digits is that of centring, which no row decides; its inputs stand beside the released ones."""
    report = once.measured("builtin:digits")
    assert report.robust is not None
    assert report.robust.blame is not None
    assert (report.robust.blame.setting, report.robust.blame.rows) == ("origin", ())
    assert report.robust.difference == pytest.approx(-1.5, abs=0.2)
    assert {number.key: number.released for number in report.robust.numbers} == {
        key: report.inputs[key] for key in ("n", "radius", "dimension", "margin")
    }
    assert "rows outvoted by their neighbours (rows " in report.robust.set_aside
    assert "2 rows too far out (rows 1572, 673)" in report.robust.set_aside
