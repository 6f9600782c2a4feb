"""Groups that both splits share, and that rows are known by."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ibc_report.data.examples import Examples, gather
from ibc_report.data.sources import Rows
from ibc_report.data.task import Task
from ibc_report.evaluation.audit.groups import SharedGroups, shared_groups
from ibc_report.pipeline.measure import measure
from tests.support.tables import column, table


def split(seed: int, n: int, *, apart: float, groups: int = 6, one_class: bool = False) -> tuple[Examples, Rows]:
    """Points of two classes and several speakers: the classes lie as far apart as given, the speakers around."""
    rng = np.random.default_rng(seed)
    speaker, label = rng.integers(groups, size=n), rng.integers(2, size=n)
    if one_class:
        label = speaker % 2
    centres = np.random.default_rng(99).normal(size=(groups, 2, 4)) * 10
    points = rng.normal(size=(n, 4)) + centres[speaker, label] * (1 - apart)
    points[:, 0] += 40 * apart * label
    rows = table(
        column("x", points.tolist()),
        column("speaker", [f"s{one}" for one in speaker]),
        column("label", [f"c{one}" for one in label]),
    )
    return gather(rows, target="label", inputs=("x",)), rows


def found(*, apart: float, **more: bool) -> tuple[SharedGroups, ...]:
    """What is found between two splits of the same groups."""
    (train, first), (test, second) = split(0, 400, apart=apart, **more), split(1, 300, apart=apart, **more)
    every = np.arange(400), np.arange(300)
    return shared_groups(train, test, (first, second), *every)


def test_rows_that_are_known_by_their_group_are_found() -> None:
    """Where each speaker has a place of their own for a class, a test row is classed by the rows of its speaker."""
    (one,) = found(apart=0.0)
    assert (one.name, one.groups, one.flagged) == ("speaker", 6, True)
    assert one.own > 0.9 > 0.3 > one.chance
    assert one.without_other.accuracy - one.without_own.accuracy == pytest.approx(one.loss)
    assert one.interval.lower > 0.2


def test_groups_of_no_matter_are_not_flagged() -> None:
    """Where the classes lie apart whoever speaks, leaving out a row's own speaker costs nothing."""
    (one,) = found(apart=1.0)
    assert not one.flagged
    assert abs(one.loss) < 0.05


def test_groups_of_one_class_each_say_nothing() -> None:
    """Where a class is of its own groups alone, no row could be known without them, so none counts."""
    found_one = found(apart=0.0, one_class=True)
    # three speakers for each class: two others are left to know a row by
    assert all(one.without_own.n > 0 for one in found_one)
    (train, rows), (test, others) = (
        split(0, 400, apart=0.0, groups=2, one_class=True),
        split(1, 300, apart=0.0, groups=2, one_class=True),
    )
    assert shared_groups(train, test, (rows, others), np.arange(400), np.arange(300)) == ()


def test_the_speakers_of_the_spoken_digits_are_found(shared: Path) -> None:
    """The card of real recordings says that a score on their test split is one on known speakers."""
    task = Task.of(str(shared / "spoken-digits"), max_rows=600)
    report = measure(task)
    assert report.test is not None
    (group,) = report.test.groups
    assert (group.name, group.flagged) == ("speaker", True)
    assert group.loss > 0.2
    assert report.doubts[0].startswith("A score here is one on known groups of 'speaker'") or any(
        doubt.startswith("A score here is one on known groups of 'speaker'") for doubt in report.doubts[:3]
    )
