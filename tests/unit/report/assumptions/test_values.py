"""The values behind verdicts: from facts by their definitions, and missing where these data do not tell."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from ibc_report.complexity import Complexity, classification, evaluate
from ibc_report.geometry import Geometry
from ibc_report.geometry.diagnostics import Diagnostics
from ibc_report.geometry.dimension.by_class import ClassSpread
from ibc_report.geometry.dimension.local_density import Near
from ibc_report.report.assumptions.assumption import Evidence
from ibc_report.report.assumptions.ledger import LEDGER
from tests.unit.report.assumptions.test_ledger import FACTS, NORMS

TASK = classification(n=60000, radius=17.18, dimension=14, classes=2, margin=2.4, target_error=0.1)

MEASURED = Diagnostics(
    asked=59000,
    outlier=1.18,
    density_spread=0.9,
    dimension_spread=0.12,
    class_spread=ClassSpread(2, 0.25, 1e-9),
    dimension_drift=-0.05,
    outvoted=59,
    outvoted_rows=(3, 5),
    margin_slope=-0.1,
    near=Near(59, 59.0, 0.5),
)


NOT_ON_A_TORUS = {"A1", "A2", "A3", "A7", "A8", "A9"}


def values(task: Complexity, facts: Geometry | None, found: Diagnostics | None) -> dict[str, float]:
    """The value of each assumption that has one."""
    told = {entry.id: entry.value_of(Evidence(task, facts, found)) for entry in LEDGER}
    return {id: value for id, value in told.items() if value is not None}


def test_values_are_their_definitions() -> None:
    """Each is the ratio, the share or the size that its threshold names."""
    found = values(TASK, FACTS, MEASURED)
    assert found["A1"] == pytest.approx(1.7028 / 9.2147)
    assert found["A2"] == pytest.approx(5.9233 / 9.2147, abs=1e-4)
    assert found["A3"] == 1.18
    assert found["A4"] == 0.9
    assert found["A5"] == 0.25
    assert found["A6"] == 0.05
    assert found["A7"] == 0.0265
    assert found["A8"] == pytest.approx(59 / 59000 + 12 / 60000)
    assert found["A9"] == pytest.approx(1.42437)
    assert found["A10"] == pytest.approx(1000 / 60000)
    assert found["A11"] == TASK.space.degree
    assert found["A14"] == 0.1


def test_classes_that_differ_by_chance_do_not_count() -> None:
    """The spread between classes is the value only where it is larger than over places and no chance."""
    for spread, probability, wanted in ((0.25, 0.01, 0.12), (0.05, 1e-9, 0.12), (0.25, 1e-9, 0.25)):
        classes = ClassSpread(2, spread, probability)
        assert values(TASK, FACTS, replace(MEASURED, class_spread=classes))["A5"] == wanted
    assert values(TASK, FACTS, replace(MEASURED, class_spread=None))["A5"] == 0.12


def test_near_duplicates_count_as_repeats() -> None:
    """Of the points that are too near beyond chance one of two repeats the other; what chance allows does not count."""
    near = Near(5959, 59.0, 0.0)
    found = values(TASK, FACTS, replace(MEASURED, near=near))["A10"]
    assert found == pytest.approx((1000 + 0.05 * 59000) / 60000)


@pytest.mark.parametrize("n", [30, 300, 3000])
def test_the_mean_of_a_centred_set_is_at_the_origin(n: int) -> None:
    """What the mean of n points is off by chance is taken out: on average nothing is left, at any n."""
    found = []
    for seed in range(100):
        points = np.random.default_rng(seed).normal(size=(n, 5))
        lengths = np.linalg.norm(points, axis=1)
        norms = replace(
            NORMS, mean=lengths.mean(), deviation=lengths.std(), centre=float(np.linalg.norm(points.mean(axis=0)))
        )
        found.append(values(TASK, replace(FACTS, n=n, norms=norms), None)["A2"])
    assert np.mean(np.square(found)) < 1 / n


def test_rows_at_the_origin_have_no_ratios() -> None:
    """Norms that are all zero tell nothing of sphere and origin."""
    nothing = replace(NORMS, radius=0.0, mean=0.0, deviation=0.0, centre=0.0, high=0.0)
    assert not {"A1", "A2"} & set(values(TASK, replace(FACTS, norms=nothing), None))


def test_what_was_not_examined_is_missing() -> None:
    """Of declared numbers, a sample and a torus only that is there which can be known."""
    assert set(values(TASK, None, None)) == {"A11", "A14"}
    assert not {"A3", "A4", "A5", "A6", "A8", "A9"} & set(values(TASK, FACTS, None))
    sample = replace(MEASURED, margin_slope=None, outvoted=None, near=None, class_spread=None, dimension_spread=None)
    assert not {"A5", "A8", "A9"} & set(values(TASK, replace(FACTS, conflicting_rows=0), sample))
    assert values(TASK, FACTS, sample)["A8"] == 12 / 60000
    reacher = {"n": 1e6, "dimension": 6, "actions": 2, "resolution": 1e-3, "target_error": 1e-3}
    assert set(values(evaluate("control", reacher), None, None)) == {"A14"}
    assert not set(NOT_ON_A_TORUS) & set(values(evaluate("control", reacher), FACTS, MEASURED))
    assert sqrt(values(TASK, FACTS, replace(MEASURED, margin_slope=0.2))["A9"]) == 0
