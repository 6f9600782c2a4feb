"""Values by their definitions, and verdicts: where they change, and that worse is never better."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.complexity import Complexity, classification, evaluate, regression
from ibc_report.geometry import Geometry
from ibc_report.geometry.alternatives import Thinned, Variants
from ibc_report.geometry.class_pieces import ClassPieces
from ibc_report.geometry.diagnostics import Diagnostics
from ibc_report.geometry.dimension.by_class import ClassSpread
from ibc_report.geometry.dimension.local_density import Near
from ibc_report.geometry.far_rows import FarRows
from ibc_report.geometry.feature_maps import WidestFeature
from ibc_report.geometry.label_checks import LabelChecks
from ibc_report.geometry.row_order import Pairs, RowOrder
from ibc_report.geometry.sensitivity import sensitivity
from ibc_report.report.assumptions.assumption import NOT_TESTABLE, Evidence, Judgement, Names, decades_by_change
from ibc_report.report.assumptions.ledger import LEDGER, assess
from tests.support.samples import properties
from tests.unit.geometry.test_sensitivity import MNIST, mnist
from tests.unit.report.assumptions.test_ledger import FACTS, NORMS

ORDER = {"holds": 0, "doubtful": 1, "violated": 2}

BY_ID = {entry.id: entry for entry in LEDGER}

THRESHOLDS = {entry.id: entry.threshold for entry in LEDGER if entry.threshold is not None}

TASK = classification(n=100, radius=3, dimension=2, classes=2, margin=1, target_error=0.01)


def judge(id: str, value: float | None) -> Judgement:
    """The verdict on a value, with nothing else known."""
    return BY_ID[id].judgement(Evidence(TASK), value)


@pytest.mark.parametrize("id", THRESHOLDS)
def test_a_verdict_changes_at_its_thresholds(id: str) -> None:
    """At the first threshold an assumption still holds, from the second it is violated, and the words have both."""
    threshold = THRESHOLDS[id]
    assert threshold.holds < threshold.violated
    assert judge(id, threshold.holds).verdict == "holds"
    assert judge(id, (threshold.holds + threshold.violated) / 2).verdict == "doubtful"
    assert judge(id, threshold.violated).verdict == "violated"
    assert judge(id, 0.0).threshold == threshold.text
    assert f"holds up to {threshold.holds:g}, violated from {threshold.violated:g}" in threshold.text


@properties
@given(st.sampled_from(sorted(THRESHOLDS)), st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_larger_value_is_no_better(id: str, one: float, other: float) -> None:
    """Every verdict gets worse with its value, or stays."""
    low, high = sorted((one, other))
    assert ORDER[judge(id, low).verdict] <= ORDER[judge(id, high).verdict]


def test_what_is_not_known_is_not_testable() -> None:
    """No value makes no verdict and no threshold."""
    assert judge("A1", None) == NOT_TESTABLE
    assert NOT_TESTABLE.threshold is None


@pytest.mark.parametrize(("degree", "verdict"), [(0.99, "violated"), (1.0, "holds"), (1e9, "holds")])
def test_below_degree_one_the_band_limit_is_violated(degree: float, verdict: str) -> None:
    """K < 1 leaves constants."""
    assert judge("A11", degree).verdict == verdict


@pytest.mark.parametrize(
    ("target", "nearest", "verdict"),
    [(0.01, None, "holds"), (0.01, 0.005, "holds"), (0.01, 0.02, "doubtful"), (0.5, 0.02, "violated")],
)
def test_a_target_lies_between_noise_and_chance(target: float, nearest: float | None, verdict: str) -> None:
    """A target at chance is met by guessing; one below the nearest neighbour's error may be out of reach."""
    task = classification(n=100, radius=3, dimension=2, classes=2, margin=1, target_error=target)
    facts = None if nearest is None else replace(FACTS, disagreement={1: nearest})
    assert BY_ID["A14"].judgement(Evidence(task, facts), target).verdict == verdict


def test_a_regression_is_judged_by_its_bound() -> None:
    """A target error at the bound of the outputs is met by a constant."""
    for target, verdict in ((2.0, "violated"), (1.0, "holds")):
        task = regression(n=100, radius=3, dimension=2, resolution=1, output_bound=2, target_error=target)
        judged = BY_ID["A14"].judgement(Evidence(task), target)
        assert judged.verdict == verdict
        assert "bound of the outputs" in (judged.threshold or "")


def worths(found: Variants) -> dict[str, str]:
    """The key of the change that each assumption is worth, of those that have one."""
    changes = decades_by_change(sensitivity(mnist(), found))
    keys = {entry.id: next((worth.key for worth in entry.worth if worth.key in changes), None) for entry in LEDGER}
    return {id: key for id, key in keys.items() if key is not None}


def test_each_assumption_has_the_change_that_tells_of_it() -> None:
    """The ledger's changes are those of the assumption's own decision; where the worst rows are one pair, of that."""
    found = worths(MNIST)
    assert found == {
        "A1": "mean_norm",
        "A2": "centred",
        "A3": "next_radius",
        "A7": "quantile",
        "A8": "without_worst",
        "A9": "twice_expected",
        "A11": "half_band",
        "A14": "half_error",
        "A15": "integer_degree",
        "A16": "standardised",
    }
    few = Variants(
        centred_radius=0.0,
        mean_norm=9.2,
        next_radius=16.2,
        quantile_margin=3.0,
        thinned=Thinned(2.5, None, 2),
        distinct=59000,
        all_asked=False,
        maps=None,
    )
    found = worths(few)
    assert found["A8"] == "without_pair"
    assert found["A10"] == "distinct"
    assert "A2" not in found
    assert "A16" not in found


MEASURED_TASK = classification(n=60000, radius=17.18, dimension=14, classes=2, margin=2.4, target_error=0.1)

MEASURED = Diagnostics(
    asked=59000,
    far=FarRows(1, (3,), 1.18, 1e-4),
    density_spread=0.9,
    dimension_spread=0.12,
    class_spread=ClassSpread(2, 0.25, 1e-9),
    dimension_drift=-0.05,
    labels=LabelChecks(59, (3, 5), 1e-9, 900.0, 0, 0),
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
    found = values(MEASURED_TASK, FACTS, MEASURED)
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
    assert found["A11"] == MEASURED_TASK.space.degree
    assert found["A14"] == 0.1


def test_classes_that_differ_by_chance_do_not_count() -> None:
    """The spread between classes is the value only where it is larger than over places and no chance."""
    for spread, probability, wanted in ((0.25, 0.01, 0.12), (0.05, 1e-9, 0.12), (0.25, 1e-9, 0.25)):
        classes = ClassSpread(2, spread, probability)
        assert values(MEASURED_TASK, FACTS, replace(MEASURED, class_spread=classes))["A5"] == wanted
    assert values(MEASURED_TASK, FACTS, replace(MEASURED, class_spread=None))["A5"] == 0.12


def test_near_duplicates_count_as_repeats() -> None:
    """Of the points that are too near beyond chance one of two repeats the other; what chance allows does not count."""
    near = Near(5959, 59.0, 0.0)
    found = values(MEASURED_TASK, FACTS, replace(MEASURED, near=near))["A10"]
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
        found.append(values(MEASURED_TASK, replace(FACTS, n=n, norms=norms), None)["A2"])
    assert np.mean(np.square(found)) < 1 / n


def test_rows_at_the_origin_have_no_ratios() -> None:
    """Norms that are all zero tell nothing of sphere and origin."""
    nothing = replace(NORMS, radius=0.0, mean=0.0, deviation=0.0, centre=0.0, high=0.0)
    assert not {"A1", "A2"} & set(values(MEASURED_TASK, replace(FACTS, norms=nothing), None))


def test_what_was_not_examined_is_missing() -> None:
    """Of declared numbers, a sample and a torus only that is there which can be known."""
    assert set(values(MEASURED_TASK, None, None)) == {"A11", "A14"}
    assert not {"A3", "A4", "A5", "A6", "A8", "A9"} & set(values(MEASURED_TASK, FACTS, None))
    sample = replace(MEASURED, margin_slope=None, labels=None, near=None, class_spread=None, dimension_spread=None)
    assert not {"A5", "A8", "A9"} & set(values(MEASURED_TASK, replace(FACTS, conflicting_rows=0), sample))
    assert values(MEASURED_TASK, FACTS, sample)["A8"] == 12 / 60000
    reacher = {"n": 1e6, "dimension": 6, "actions": 2, "resolution": 1e-3, "target_error": 1e-3}
    assert set(values(evaluate("control", reacher), None, None)) == {"A14"}
    assert not set(NOT_ON_A_TORUS) & set(values(evaluate("control", reacher), FACTS, MEASURED))
    assert sqrt(values(MEASURED_TASK, FACTS, replace(MEASURED, margin_slope=0.2))["A9"]) == 0


@pytest.mark.parametrize(
    ("id", "verdicts"),
    [
        ("A3", {1.19: "holds", 1.21: "doubtful", 1.9: "doubtful", 2.1: "violated"}),
        ("A8", {0.0: "holds", 0.0001: "doubtful", 0.0045: "doubtful", 0.0055: "violated"}),
        ("A4", {0.5: "holds", 0.6: "doubtful", 0.9: "doubtful", 1.1: "violated"}),
        ("A5", {0.135: "holds", 0.165: "doubtful", 0.32: "doubtful", 0.38: "violated"}),
        ("A10", {0.009: "holds", 0.011: "doubtful", 0.09: "doubtful", 0.11: "violated"}),
        ("A2", {0.09: "holds", 0.11: "doubtful", 0.45: "doubtful", 0.55: "violated"}),
        ("A6", {0.09: "holds", 0.11: "doubtful", 0.18: "doubtful", 0.22: "violated"}),
        ("A7", {0.009: "holds", 0.011: "doubtful", 0.09: "doubtful", 0.11: "violated"}),
        ("A9", {0.45: "holds", 0.55: "doubtful", 0.9: "doubtful", 1.1: "violated"}),
    ],
)
def test_values_have_the_verdicts_that_the_calibration_was_made_with(id: str, verdicts: dict[float, str]) -> None:
    """A threshold that is moved by a tenth gives other verdicts than those whose errors were counted."""
    assert {value: judge(id, value).verdict for value in verdicts} == verdicts


@pytest.mark.parametrize(
    ("id", "number", "verdicts"),
    [
        ("A1", "rows_in_pieces", {0.045: "holds", 0.055: "doubtful", 0.45: "doubtful", 0.55: "violated"}),
        ("A4", "density_gradient", {0.18: "holds", 0.22: "doubtful", 0.9: "doubtful", 1.1: "violated"}),
        ("A10", "serial_dependence", {0.009: "holds", 0.011: "doubtful", 0.09: "doubtful", 0.11: "violated"}),
        ("A16", "widest_share", {0.45: "holds", 0.55: "doubtful", 0.85: "doubtful", 0.95: "violated"}),
    ],
)
def test_values_have_the_verdicts_of_their_second_number(id: str, number: str, verdicts: dict[float, str]) -> None:
    """So for the other number that an assumption is judged by."""
    threshold = next(measure.threshold for measure in BY_ID[id].further if measure.measured_by == number)
    assert {value: threshold.judge(value).verdict for value in verdicts} == verdicts


ORDER_OF_ROWS = RowOrder(
    pairs=1000,
    next=Pairs(140, 30.0, 1e-9),
    within=Pairs(300, 200.0, 1e-6),
    drift=0.7751,
    alike=-0.25,
    dependence=0.7751,
    feature=None,
    probability=1e-8,
    strongest="drift",
    label=1,
    rows=(59, 129),
    sorted_by=None,
)

CALM = replace(MEASURED, density_spread=0.1, dimension_spread=0.0, class_spread=None, near=None)

NAMES = Names(("age", "hue"), ("no", "yes"), "train")


def recorded(id: str, found: Diagnostics, names: Names = NAMES) -> tuple[str, float | None, str]:
    """Verdict, value and finding on MNIST's facts without what they say of this assumption."""
    calm = replace(FACTS, equal_rows=0, coincident_rows=0, distinct=60000, norms=replace(NORMS, deviation=0.1))
    ledger = assess(Evidence(MEASURED_TASK, calm, found, names=names))
    record = next(entry for entry in ledger if entry.id == id)
    return record.verdict, record.value, record.diagnostic or ""


def test_the_worst_of_several_numbers_makes_the_verdict() -> None:
    """The number that a verdict hangs on is recorded with its threshold, and the first words are its own."""
    found = replace(CALM, density_gradient=0.5)
    assert recorded("A4", found)[:2] == ("doubtful", 0.5)
    assert recorded("A4", replace(found, density_spread=0.7))[:2] == ("doubtful", 0.7)
    assert recorded("A4", replace(found, density_spread=0.7, density_gradient=1.2))[:2] == ("violated", 1.2)
    assert recorded("A4", replace(found, density_gradient=0.0))[:2] == ("holds", 0.1)
    density = BY_ID["A4"]
    assert density.words(density.further[0].threshold.judge(0.5)) == "The inputs are denser on one side"
    assert density.words(density.further[0].threshold.judge(1.5)) == "The inputs are much denser on one side"
    assert density.words(judge("A4", 0.7)) == "The inputs are spread unevenly"
    assert density.words(judge("A4", 1.7)) == "The inputs are spread very unevenly"


def test_classes_in_pieces_are_named() -> None:
    """The class with most pieces, by its name or its number, and the share of rows of classes in several."""
    found = replace(CALM, pieces=ClassPieces(2, 0.5, 3, 1))
    verdict, value, said = recorded("A1", found)
    assert (verdict, value) == ("violated", 0.5)
    assert said.endswith("class 'yes' lies in 3 pieces, and 50 % of the rows are of classes in several.")
    assert "class 2 lies" in recorded("A1", found, Names())[2]
    assert recorded("A1", replace(found, pieces=ClassPieces(2, 0.0, 1, 0)))[0] == "holds"
    assert "pieces" not in recorded("A1", replace(found, pieces=ClassPieces(2, 0.0, 1, 0)))[2]


def test_the_widest_feature_is_named() -> None:
    """By its column where the encoder knows it, else by its number, and only where it is of another scale."""
    found = replace(CALM, widest=WidestFeature(1, 0.9731, 101.3))
    verdict, value, said = recorded("A16", found)
    assert (verdict, value) == ("violated", 0.9731)
    assert said == (
        "Of the mean squared distance feature 'hue' makes 97.3 %; it varies 101.3 times as much as the median one of "
        "the others."
    )
    assert "distance feature 2 makes" in recorded("A16", found, Names())[2]
    assert recorded("A16", replace(found, widest=WidestFeature(1, 0.97, 5.0)))[::2] == ("holds", "")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "The inputs drift along the file: they correlate with the position at 0.7751."),
        ({"strongest": "next", "feature": 1}, "neighbours follow one another; feature 'hue' drifts most."),
        ({"strongest": "feature", "feature": 0}, "The inputs drift along the file; feature 'age' drifts most."),
        ({"strongest": "next"}, "The rows are in an order in which neighbours follow one another."),
        ({"strongest": "within"}, "Within ten rows of one another stand 30 % of them, where shuffling gives 20 %."),
        ({"strongest": "alike"}, "Rows that follow one another are unlike: a serial correlation of −0.25."),
        (
            {"strongest": "alike", "alike": 0.25},
            "Rows that follow one another are alike: a serial correlation of 0.25.",
        ),
    ],
)
def test_what_the_order_tells_is_said_with_its_part(changes: dict[str, Any], said: str) -> None:
    """The plainest sign is said after how often neighbours stand next, and before the part in which it is."""
    found = replace(CALM, order=replace(ORDER_OF_ROWS, **changes))
    verdict, value, text = recorded("A10", found)
    assert (verdict, value) == ("violated", 0.7751)
    first = (
        "Of the rows and their nearest neighbours 14 % stand next to one another, where shuffling each class gives 3 %."
    )
    assert first in text
    assert text.endswith(f"{said} Most of it is in class 'yes' (rows 59 to 129 of the split train).")


def test_an_order_that_tells_nothing_holds() -> None:
    """By chance, and of rows that are sorted, of which it is said by what."""
    chance = replace(CALM, order=replace(ORDER_OF_ROWS, dependence=0.0))
    assert recorded("A10", chance)[0] == "holds"
    assert recorded("A10", chance)[2].endswith("; their order tells no more of the rows than chance.")
    named: tuple[tuple[int | Literal["target"], str], ...] = ((0, "feature 'age'"), ("target", "the target"))
    for by, name in named:
        found = replace(CALM, order=replace(ORDER_OF_ROWS, sorted_by=by))
        verdict, _, said = recorded("A10", found)
        assert verdict == "holds"
        assert said.endswith(
            f"; the rows are sorted by {name}, so that their order tells nothing of how they were drawn."
        )


def test_a_part_without_names_has_its_number() -> None:
    """Of all rows no part is named; without names a class has its number, and no split is said."""
    whole = replace(CALM, order=replace(ORDER_OF_ROWS, label=None))
    assert recorded("A10", whole)[2].endswith("with the position at 0.7751.")
    nameless = recorded("A10", replace(CALM, order=ORDER_OF_ROWS), Names())[2]
    assert nameless.endswith("Most of it is in class 2 (rows 59 to 129).")


def test_projected_features_are_not_named() -> None:
    """The features of a random projection are not those of the file: the one that drifts is not named."""
    evidence = Evidence(
        MEASURED_TASK,
        replace(FACTS, distortion=0.1),
        replace(CALM, order=replace(ORDER_OF_ROWS, feature=1)),
        names=NAMES,
    )
    said = BY_ID["A10"].said(evidence) or ""
    assert "at 0.7751. Most of it" in said
    assert "hue" not in said
