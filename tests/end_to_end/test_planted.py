"""The families of the table of verdicts: what is planted in them is there, and the table says what was counted."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
if not BENCHMARKS.is_dir():
    pytest.skip("the benchmarks are not part of the source distribution", allow_module_level=True)
sys.path.insert(0, str(BENCHMARKS))

import verdicts  # noqa: E402
from planted import ASKED, FAMILIES, PLANTED, Family  # noqa: E402

BY_NAME = {family.name: family for family in FAMILIES}


def test_every_family_has_a_name_and_a_truth_of_its_own() -> None:
    """Names differ, what is true or violated is a verdict that is counted, and none is both."""
    assert len(BY_NAME) == len(FAMILIES)
    for family in FAMILIES:
        assert family.true <= set(ASKED), family.name
        assert family.violated is None or family.violated in ASKED
        assert family.violated not in family.true
        assert (family.violated is None) == (family.planted is None)
    assert {id for _, id in PLANTED} == {"A1", "A3", "A4", "A5", "A8", "A10", "A16"}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_draw_is_of_two_classes_and_repeats(family: Family) -> None:
    """Every family draws rows of two classes, the same ones under the same seed and others under another."""
    points, again, other = family.points(1), family.points(1), family.points(2)
    assert points.labels is not None
    assert set(points.labels.tolist()) == {0, 1}
    assert (points.vectors == again.vectors).all()
    assert points.vectors.shape == other.vectors.shape
    assert (points.vectors != other.vectors).any()


def test_what_is_planted_is_there() -> None:
    """Far rows, the wide feature, the drift, flips and blobs are as many and as far as their names say."""
    far = BY_NAME["4 rows far out: gaussian, m = 5, n = 500"].points(0)
    norms = np.linalg.norm(far.vectors, axis=1)
    assert (norms > 5 * np.median(norms)).sum() == 4
    wide = BY_NAME["one feature × 100: box, m = 2, n = 2000"].points(0).vectors.std(axis=0)
    assert np.sort(wide)[-1] > 50 * np.sort(wide)[-2]
    drift = BY_NAME["drift of 1 standard deviation: gaussian, m = 2, n = 500"].points(0).vectors
    rise = drift[250:].mean(axis=0) - drift[:250].mean(axis=0)
    assert np.abs(rise / drift.std(axis=0)).max() == pytest.approx(0.5, abs=0.2)
    small = BY_NAME["gaussian, m = 3, classes of 3 and 1,797 rows"].points(0)
    assert small.labels is not None
    assert np.bincount(small.labels).tolist() == [3, 1797]
    flips = BY_NAME["1 % of labels flipped: gaussian, m = 5, n = 500"].points(0)
    assert flips.labels is not None
    assert ((flips.vectors[:, -1] > 0) != flips.labels.astype(bool)).sum() == 5


def test_the_table_counts_what_was_drawn() -> None:
    """False verdicts, found ones and their intervals stand where the families say, bold beyond doubt, – undecided."""
    clean = BY_NAME["sphere, m = 2, n = 200"]
    planted = BY_NAME["three blobs a class, m = 2, n = 200"]
    good = dict.fromkeys(ASKED, False)
    found = {clean.name: [good, {**good, "A3": True}], planted.name: [good, {**good, "A1": True}] * 50}
    text = verdicts.page((clean, planted), found)
    assert "tried on 2 families of tasks, 102 draws" in text
    assert "| A3 | 1 | 2 | 50.0 [1.3, 98.7] |" in text
    assert "| A1 | 1 | 2 | 0.0 [0.0, 84.2] |" in text
    assert "| three blobs a class | A1 | 100 | **50.0 [39.8, 60.2]** |" in text
    assert "| sphere, m = 2, n = 200 | 0/2 | 0/2 | 1/2 |" in text
    assert "| three blobs a class, m = 2, n = 200 | 50/100* | – | – |" in text


def test_a_run_goes_on_where_it_was_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws of the cache are not drawn again; a line that was cut off, or lacks a verdict, is."""
    family, cache = BY_NAME["gaussian, m = 2, n = 200"], tmp_path / "draws.jsonl"
    first = verdicts.drawn((family,), 2, cache)
    lines = cache.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    asked: list[int] = []

    def noted(family: Family, seed: int) -> dict[str, bool]:
        asked.append(seed)
        return first[family.name][0]

    monkeypatch.setattr(verdicts, "one", noted)
    assert verdicts.drawn((family,), 2, cache) == first
    assert asked == []
    cache.write_text(lines[0] + "\n" + lines[1][:-9] + "\n", encoding="utf-8")
    verdicts.drawn((family,), 2, cache)
    assert asked == [verdicts.FIRST_SEED + 1]


@pytest.mark.parametrize(
    ("name", "violated"),
    [
        ("gaussian, m = 2, n = 500", False),
        ("one feature × 100: gaussian, m = 5, n = 500", True),
        ("three blobs a class, m = 2, n = 500", True),
        ("density gradient of e⁶: torus, m = 3, n = 500", True),
        ("autoregression of 0.5, m = 2, n = 500", True),
    ],
)
def test_verdicts_of_a_draw(name: str, violated: bool) -> None:
    """Of a clean draw nothing that is true is flagged, and of a planted one its assumption is."""
    family = BY_NAME[name]
    told = verdicts.one(family, 0)
    assert not any(told[true] for true in family.true)
    assert (family.violated is not None and told[family.violated]) is violated
