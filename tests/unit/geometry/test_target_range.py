"""Targets that lie far from all others are found, and those of a law are not."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report.geometry.search_plan import Budget
from ibc_report.geometry.target_range import far_targets, half_range, without_extreme_targets
from tests.support.samples import made


def drawn(kind: str, rng: np.random.Generator, n: int = 600) -> np.ndarray:
    """Targets of one law."""
    return {
        "normal": rng.normal(size=n),
        "uniform": rng.random(n),
        "counts": rng.poisson(3, n).astype(float),
        "lognormal": np.exp(rng.normal(0, 0.5, n)),
        "mostly zero": np.where(rng.random(n) < 0.9, 0.0, rng.random(n)),
        "one value": np.where(np.arange(n) == 3, 1.0, 0.0),
    }[kind]


KINDS = ["normal", "uniform", "counts", "lognormal", "mostly zero", "one value"]


@pytest.mark.parametrize("kind", KINDS)
def test_targets_of_a_law_are_not_far(kind: str) -> None:
    """In most draws no target of a usual law is far, and never many are."""
    found = [int(far_targets(drawn(kind, np.random.default_rng(seed))).sum()) for seed in range(40)]
    assert np.count_nonzero(found) <= 4
    assert max(found) <= 3


@pytest.mark.parametrize("kind", KINDS[:-1])
@pytest.mark.parametrize("sentinel", [-9999.0, 1e300, -1.7e308])
@pytest.mark.parametrize("count", [1, 6])
def test_sentinels_are_far(kind: str, sentinel: float, count: int) -> None:
    """One or a hundredth of the targets that are no values are found, of any size, and hardly another one."""
    values = drawn(kind, np.random.default_rng(7))
    values[:count] = sentinel
    far = far_targets(values)
    assert far[:count].all()
    assert far[count:].sum() <= 1


def test_a_range_beyond_all_numbers_is_halved() -> None:
    """Half of the widest range is a number."""
    assert half_range(np.array([-1.7e308, 1.7e308])) == 1.7e308


def test_no_target_is_beyond_the_largest_double() -> None:
    """Where the end of the targets' law is beyond the largest double, no target is far, and nothing overflows."""
    signs = np.where(np.arange(400) % 2, 1.0, -1.0)
    values = signs * np.random.default_rng(0).uniform(0.3e308, 1.7e308, 400)
    with np.errstate(all="raise"):
        assert not far_targets(values).any()


def test_shared_ends_hang_on_no_row() -> None:
    """Where several rows have the lowest and several the highest target, none is left out."""
    values = np.arange(60) % 3.0
    examples = made(np.random.default_rng(0).normal(size=(60, 2)).tolist(), values=values.tolist())
    assert without_extreme_targets(examples, 0.01, Budget()) is None


def test_what_cannot_be_measured_without_them_has_no_facts() -> None:
    """Too few other rows leave no facts, and the rows are named all the same."""
    vectors = np.random.default_rng(0).normal(size=(6, 2))
    found = without_extreme_targets(made(vectors.tolist(), values=[0.0, 1, 2, 3, 4, 50]), 0.01, Budget())
    assert found is not None
    assert found.facts is None
    assert found.rows == (5,)
