"""Bringing a report to fewer rows: by its own subsamples, and further by the law of extremes."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite

import pytest

from ibc_report import Report
from ibc_report.report.comparison_matching import matched
from tests.support.once import Once


@pytest.fixture(scope="module")
def digits(once: Once) -> Report:
    """The report of digits, with subsamples down to 112 rows."""
    return once.measured("builtin:digits")


def test_one_row_fewer_is_no_jump(digits: Report) -> None:
    """Below the smallest subsample the numbers go on from it, not from the whole."""
    last, next_one = matched(digits, 112, 0.01), matched(digits, 111, 0.01)
    assert "then by the law of extremes, from n = 112 to 111" in next_one.how
    assert next_one.task.log10_bits == pytest.approx(last.task.log10_bits, abs=0.02)
    assert next_one.task.inputs["margin"] == pytest.approx(last.task.inputs["margin"], rel=0.01)


@pytest.mark.parametrize("source", ["builtin:digits", "builtin:iris"])
def test_fewer_rows_have_a_wider_margin_within_the_diameter(once: Once, source: str) -> None:
    """The margin grows as n falls, and is never wider than two radii; the bits stay numbers."""
    report = once.measured(source)
    sizes = [int(report.inputs["n"]), 100, 50, 20, 10, 6, 2, 1]
    found = [matched(report, n, 0.01).task for n in sizes]
    for more, fewer in pairwise(task.inputs for task in found):
        assert fewer["margin"] >= min(more["margin"], 2 * fewer["radius"] * (1 - 1e-9))
    assert all(task.inputs["margin"] <= 2 * task.inputs["radius"] * (1 + 1e-9) for task in found)
    assert all(isfinite(task.log10_bits) or task.log10_bits == -float("inf") for task in found)


def test_a_report_of_a_million_rows_can_be_brought_to_few(digits: Report) -> None:
    """However far the law is taken, nothing overflows."""
    many = digits.model_copy(update={"inputs": {**digits.inputs, "n": 1e6}})
    assert matched(many, 150, 0.01).task.inputs["margin"] <= 2 * digits.inputs["radius"]


def test_the_noise_at_fewer_rows_is_that_of_fewer_rows(digits: Report) -> None:
    """The standard error of the dimension goes as one over the root of n; the laws are of fewer pairs and rows."""
    n = digits.inputs["n"]
    whole, quarter = matched(digits, n, 0.01).noise, matched(digits, n / 4, 0.01).noise
    assert whole is not None
    assert quarter is not None
    assert quarter.dimension_error == pytest.approx(2 * whole.dimension_error)
    assert quarter.margin == whole.margin.at(16.0)
    assert whole.radius is not None
    assert quarter.radius == whole.radius.at(4.0)
