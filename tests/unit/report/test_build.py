"""From stages to document: headline, numbers with their origins, and the paper's value beside one's own."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ibc_report import Report, measure
from ibc_report.complexity import PUBLISHED, evaluate
from ibc_report.complexity.families import FAMILIES
from ibc_report.data.task import Task
from ibc_report.report.assumptions.ledger import LEDGER
from ibc_report.report.sections.numbers import TERMS
from tests.support.once import Once
from tests.unit.complexity.test_families import SMALL


def declared(family: str, convention: str = "released", **changes: float) -> Report:
    """The report of declared numbers."""
    numbers: dict[str, Any] = {"family": family, **SMALL[family], **changes}
    return measure(Task.model_validate({"name": "made", "declared": numbers, "convention": convention}))


def origins(report: Report) -> dict[str, str]:
    """Where each number came from."""
    return {number.key: number.origin for number in report.numbers}


@pytest.fixture(scope="module")
def digits(once: Once) -> Report:
    """The report of digits."""
    return once.measured("builtin:digits")


@pytest.fixture(scope="module")
def diabetes(once: Once) -> Report:
    """The report of a regression."""
    return once.measured("builtin:diabetes")


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_report(family: str) -> None:
    """Each input of each family is on its card under its name and symbol, said to be declared."""
    report = declared(family)
    numbers = {number.key: number for number in report.numbers}
    for key, value in report.inputs.items():
        assert (numbers[key].value, numbers[key].name, numbers[key].symbol, numbers[key].origin) == (
            *(value, TERMS[key].name, TERMS[key].symbol),
            "declared",
        )
    assert len(report.ruler) == len(PUBLISHED)
    assert [entry.id for entry in report.assumptions] == [entry.id for entry in LEDGER]
    assert report.data is None
    assert report.pair is None


def test_the_headline_of_digits(digits: Report) -> None:
    """Digits has log10 bits 10.5618, printed as 10.6, within an interval that is printed with one decimal too."""
    headline = digits.headline
    assert headline.log10_bits == pytest.approx(10.5618, abs=5.1e-5)
    assert headline.exponent == "10.6"
    assert headline.lower is not None
    assert headline.upper is not None
    assert headline.lower < 10.5618 < headline.upper
    assert (headline.lower_exponent, headline.upper_exponent) == (f"{headline.lower:.1f}", f"{headline.upper:.1f}")
    assert headline.level == 0.95
    assert headline.interval_is.startswith("95 % interval for what measuring other samples of as many rows gives on ")
    assert digits.certainty is not None
    assert digits.certainty.truth is not None
    ends = digits.certainty.truth.ends[0]
    assert f"for the true dimension: {ends.text}." in headline.interval_is


def test_the_headlines_interval_is_the_one_of_the_certainty(digits: Report) -> None:
    """The interval at this scale stands in the headline and among the intervals alike."""
    assert digits.certainty is not None
    assert digits.certainty.sample is not None
    ends = digits.certainty.sample.ends[0]
    assert (ends.key, ends.lower, ends.upper) == ("log10_bits", digits.headline.lower, digits.headline.upper)


def test_the_drift_of_the_dimension_is_a_uniform_spread_over_its_profile(digits: Report) -> None:
    """The scale's sd is |∂log10 I/∂m| times the range of m̂(k) over √12, to the curvature of the bits in m."""
    assert digits.data is not None
    assert digits.certainty is not None
    profile = digits.data.dimension_profile.values()
    sd = (max(profile) - min(profile)) / 12**0.5
    curve = next(curve for curve in digits.curves if curve.key == "dimension")
    present = curve.values.index(curve.present)
    low, high = (curve.log10_bits[place] for place in (present - 1, present + 1))
    assert low is not None
    assert high is not None
    slope = (high - low) / (curve.values[present + 1] - curve.values[present - 1])
    parts = {part.key: part.decades for part in digits.certainty.parts}
    assert parts["scale"] == pytest.approx(slope * sd, rel=0.1)


def test_smaller_samples_have_bits_of_their_own(digits: Report) -> None:
    """Halves, quarters and so on are listed by falling size, each with the bits of its own numbers."""
    assert digits.certainty is not None
    assert [each.n for each in digits.certainty.drift] == [898, 449, 224, 112]
    for each in digits.certainty.drift:
        numbers = {"n": each.n, "dimension": each.dimension, "margin": each.margin, "radius": each.radius}
        assert each.log10_bits == pytest.approx(evaluate("classification", {**digits.inputs, **numbers}).log10_bits)


def test_other_estimates_stand_beside_the_dimension(digits: Report) -> None:
    """TwoNN, Gride, three spaces and the ten classes are there, each printed with two decimals."""
    assert digits.dimension is not None
    found = {entry.key: entry for entry in digits.dimension.estimates}
    assert {"estimate", "two_nn", "gride_1", "true_sphere", "true_ball", "true_gaussian", "at_898"} <= found.keys()
    assert found["estimate"].text == "8.11 ± 0.09"
    assert [entry.name for entry in digits.dimension.classes] == [str(digit) for digit in range(10)]


def test_a_whole_declared_dimension_is_taken_as_rounded() -> None:
    """A declared whole m carries the sd of rounding, 1/√12; another m carries none."""
    whole, real = (declared("classification", dimension=m).certainty for m in (14, 14.2))
    assert whole is not None
    assert real is not None
    assert [{part.key: part.decades > 0 for part in each.parts}["dimension"] for each in (whole, real)] == [True, False]


@pytest.mark.parametrize(
    ("family", "why"),
    [
        ("control", "the inputs are choices of the task's designer, and none was sampled."),
        ("partially_observed_control", "the inputs are choices of the task's designer, and none was sampled."),
        ("few_shot", "the inputs were measured on data that are not here, and how noisy they are is not known."),
    ],
)
def test_inputs_that_were_not_sampled_here_have_no_interval(family: str, why: str) -> None:
    """A card of a designer's choices, or of numbers measured elsewhere, gives no interval and says why."""
    headline = declared(family).headline
    assert (headline.lower, headline.upper, headline.level) == (None, None, None)
    assert headline.interval_is == f"No interval: {why}"


def test_zero_bits_are_null_and_said() -> None:
    """With one class there is no exponent, no interval, a doubt that says why, and a whole report around it."""
    report = declared("classification", classes=1)
    headline = report.headline
    assert (headline.log10_bits, headline.exponent, headline.lower, headline.upper) == (None, None, None, None)
    assert headline.interval_is == "No interval around 0 bits."
    assert any("0 bits by definition" in doubt for doubt in report.doubts)
    assert {curve.key for curve in report.curves} == set(FAMILIES["classification"].axes)


def test_zero_bits_next_to_the_limit_say_how_far_the_noise_reaches() -> None:
    """Where the data just suffice, the interval's upper end is given in words."""
    report = measure(
        Task.model_validate(
            {"name": "m", "declared": {"family": "classification", **PUBLISHED["mnist"].inputs, "n": 1e14}}
        )
    )
    assert report.headline.log10_bits is None
    assert report.headline.interval_is.startswith("0 bits at these numbers; the 95 % interval reaches up to 10^16.9")


def test_an_interval_from_zero_bits_is_one() -> None:
    """Where the lower end is 0 bits the level stays, and the words give both ends."""
    report = measure(
        Task.model_validate(
            {"name": "m", "declared": {"family": "classification", **PUBLISHED["mnist"].inputs, "n": 8e13}}
        )
    )
    assert report.headline.lower is None
    assert report.headline.upper is not None
    assert report.headline.level == 0.95
    assert report.headline.interval_is.startswith("95 % interval from 0 bits to 10^16.9")


@pytest.mark.parametrize(
    ("convention", "band_limit", "degree"),
    [
        ("released", "2πR/δ", "solves K(K + m − 1) = M²"),
        ("half-band", "πR/δ", "solves K(K + m − 1) = M²"),
        ("integer-degree", "2πR/δ", "solves K(K + m − 1) = M², rounded down"),
        ("figures", "2πR/δ", "solves K(K + m − 1) = M², rounded down"),
    ],
)
def test_the_origins_of_terms_follow_the_convention(convention: str, band_limit: str, degree: str) -> None:
    """What a card says of M and K is what its convention does."""
    found = origins(declared("classification", convention))
    assert (found["band_limit"], found["degree"]) == (band_limit, degree)


def test_the_numbers_of_digits_say_where_they_came_from(digits: Report) -> None:
    """Each measured number names its rows or its estimator."""
    found = origins(digits)
    assert digits.pair is not None
    assert digits.data is not None
    first, second = digits.pair.first.row, digits.pair.second.row
    assert found["n"] == "rows used"
    assert found["dimension"] == "maximum likelihood at k = 5, 1,797 distinct points"
    assert found["margin"] == f"closest pair of different classes: rows {first} and {second}"
    assert found["radius"].startswith("largest norm, row ")
    assert {digits.pair.first.label, digits.pair.second.label} == {"8", "1"}
    assert digits.pair.first.png is not None
    assert digits.pair.distance == digits.inputs["margin"]


def test_the_shares_and_the_sufficient_n_are_on_the_card(digits: Report) -> None:
    """A card has the n at which data alone would do and the fraction that the data fix, and they agree."""
    numbers = {number.key: number.value for number in digits.numbers}
    assert numbers["fixed_fraction"] == pytest.approx(digits.inputs["n"] / (numbers["sufficient_n"] or 0))
    assert numbers["leave_one_out_error"] == digits.data.disagreement[1] if digits.data else False


def test_what_the_number_is_not_is_said(digits: Report) -> None:
    """The one sentence names the target error, the spheres, and what not to compare."""
    assert digits.headline.is_not == (
        "An approximate, typically loose, upper estimate of the bits needed to single out a hypothesis with error at "
        "most 0.01 among all functions band-limited at δ on 10 m-spheres. These are not bits that a model must store. "
        "Compare only cards of the same features, centring, n and target error."
    )


def test_a_regression_says_its_tolerance_and_its_unit(diabetes: Report) -> None:
    """The tolerance is twice the target error times half the target's range (25 to 346), unless it is given."""
    found = origins(diabetes)
    # 2 · 0.01 · (346 − 25) / 2
    assert found["resolution"].startswith("closest pair with targets more than 3.21 apart: rows ")
    assert found["target_error"] == "share of half the target's range, chosen"
    assert diabetes.data is not None
    assert diabetes.data.classes == ()
    assert diabetes.data.disagreement == {}


def test_a_copy_of_a_benchmark_has_both_values() -> None:
    """A task that is said to be MNIST has the paper's bits, and its own with the paper's m, and is not recognised."""
    report = measure("builtin:iris", benchmark="mnist")
    assert report.published is not None
    assert report.published.bits == "1.485 × 10^16"
    assert report.published.rounded_dimension == 14
    assert not report.published.recognised
    assert report.published.rounded_log10_bits is not None
    assert report.published.rounded_log10_bits != report.headline.log10_bits


def test_the_table_never_prints_nothing(digits: Report, diabetes: Report) -> None:
    """Every number has a text, and its value is finite or null."""
    for report in (digits, diabetes, declared("few_shot"), declared("classification", classes=1)):
        for number in report.numbers:
            assert number.text
            assert number.value is None or isfinite(number.value)
            assert number.origin


def test_the_papers_m_goes_with_the_papers_target_error_and_convention() -> None:
    """The bits beside the published ones are of these data with the paper's m and ε, released, whatever was chosen."""
    report = measure("builtin:iris", benchmark="mnist", target_error=0.2, convention="half-band")
    theirs = PUBLISHED["mnist"].inputs
    chosen = {"dimension": theirs["dimension"], "target_error": theirs["target_error"]}
    assert report.published is not None
    assert report.published.target_error == theirs["target_error"] != 0.2
    assert report.published.rounded_log10_bits == evaluate("classification", {**report.inputs, **chosen}).log10_bits


def test_the_outputs_of_a_hypothesis_are_on_the_card(digits: Report) -> None:
    """D is the ratio of the parameters to the n at which data would do, and of control the actions stand for it."""
    numbers = {number.key: number for number in digits.numbers}
    assert numbers["outputs"].symbol == TERMS["outputs"].symbol
    assert numbers["outputs"].value == pytest.approx(
        (numbers["parameters"].value or 0) / (numbers["sufficient_n"].value or 1), rel=1e-9
    )
    assert "outputs" not in origins(declared("control"))


def test_the_tolerance_is_there_for_a_regression_only(digits: Report, diabetes: Report) -> None:
    """A regression's document has its tolerance as a number and as it is printed, and a classification has none."""
    assert diabetes.data is not None
    assert digits.data is not None
    assert diabetes.data.tolerance == pytest.approx(3.21)
    assert diabetes.data.tolerance_text == "3.21"
    assert (digits.data.tolerance, digits.data.tolerance_text) == (None, None)


def test_what_does_not_apply_on_a_torus_is_said() -> None:
    """The card of a control task says of the assumptions on spheres and classes that they do not apply."""
    said = {entry.id: entry.diagnostic or "" for entry in declared("control").assumptions}
    applies = {name for name, text in said.items() if not text.startswith("Does not apply")}
    assert set(said) - applies == {"A1", "A2", "A3", "A7", "A8", "A9"}


@pytest.mark.parametrize(("values", "copies", "found"), [(6, 0, False), (10**6, 120, True)])
def test_test_rows_that_repeat_by_chance_are_no_leak_of_either_kind(
    tmp_path: Path, values: int, copies: int, found: bool
) -> None:
    """Where chance explains repeated rows, the ledger says as little of them as the audit; planted ones are said."""
    rng = np.random.default_rng(3)
    train, test = rng.integers(0, values, (300, 3)), rng.integers(0, values, (200, 3))
    test[:copies] = train[:copies]
    for name, rows in (("train", train), ("test", test)):
        lines = [f"{a},{b},{c},{'high' if 2 * a > values else 'low'}" for a, b, c in rows.tolist()]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,c,label", *lines]), encoding="utf-8")
    report = measure(str(tmp_path), target="label", encoder="tabular")
    assert report.test is not None
    assert report.test.leakage is not None
    assert report.test.leakage.equal_inputs > 0
    assert (report.test.leakage.leaked > 0) is found
    independence = next(entry for entry in report.assumptions if entry.id == "A10")
    assert report.test.leakage.flagged is found
    assert ("Of the test rows" in (independence.diagnostic or "")) is found
