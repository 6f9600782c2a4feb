"""The nearest row of growing samples: what a search of each sample finds."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report.evaluation.audit import learning_curves
from ibc_report.evaluation.audit.learning_curves import nearest_in_samples
from ibc_report.geometry import Points, search

MEMORY = 2**30


@pytest.mark.parametrize("k", [1, 4, 21])
@pytest.mark.parametrize("levels", [3, 256])
def test_each_sample_gives_its_own_nearest_row(k: int, levels: int) -> None:
    """Read from lists short and long, with many ties and none, it is the row that a search of the sample finds."""
    rng = np.random.default_rng(levels)
    rows = np.sort(rng.choice(2**40, 260, replace=False))
    points = Points(rng.integers(0, levels, (200, 6), dtype=np.uint8), 1 / 255, rows[:200])
    queries = Points(rng.integers(0, levels, (60, 6), dtype=np.uint8), 1 / 255, rows[200:])
    near = np.searchsorted(points.rows, search(points, queries, k=k).rows)
    order, sizes = rng.permutation(200)[:160], [5, 10, 20, 40, 80, 160]
    for size, found in zip(sizes, nearest_in_samples(points, queries, near, order, sizes, memory=MEMORY), strict=True):
        alone = search(points.take(np.sort(order[:size])), queries, k=1)
        assert points.rows[found].tolist() == alone.rows[:, 0].tolist()


def test_what_is_known_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every list reaches into the smallest sample, no distance is measured."""
    rng = np.random.default_rng(0)
    points = Points(rng.normal(size=(50, 3)), 1.0, np.arange(50))
    queries = Points(rng.normal(size=(20, 3)), 1.0, np.arange(20))
    near = search(points, queries, k=50).rows
    monkeypatch.delattr(learning_curves, "search")
    found = list(nearest_in_samples(points, queries, near, np.arange(50)[::-1], [3, 9], memory=MEMORY))
    assert [sample.min() for sample in found] >= [47, 41]
