"""Comparing two reports: the order, its probability, matched n, and what is refused."""

from __future__ import annotations

import json
from functools import cache
from math import erf, inf, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from ibc_report import Report, Task, measure
from ibc_report.cli.check import compare as command
from ibc_report.common.errors import UsageError
from ibc_report.complexity import FAMILIES, PUBLISHED, evaluate
from ibc_report.complexity.extreme_values import known
from ibc_report.complexity.uncertainty import Noise
from ibc_report.report import comparison
from ibc_report.report.comparison import ERRORS, Comparison, ComparisonRefused, as_json, compare
from ibc_report.report.comparison_text import CERTAIN, verdict
from ibc_report.report.schema.sections import DriftRecord
from ibc_report.report.sections import uncertainty
from tests.support.once import Once


@cache
def declared(name: str) -> Report:
    """A report of one of the paper's tasks."""
    published = PUBLISHED[name]
    numbers: dict[str, Any] = {"family": published.family, **published.inputs}
    return measure(Task.model_validate({"name": name, "declared": numbers, "target_error": 0.01}))


@cache
def measured(name: str) -> Report:
    """A report of a built-in set, without a section on certainty."""
    return measure(f"builtin:{name}").model_copy(update={"certainty": None})


def sure(report: Report, noise: Noise, **more: Any) -> Report:
    """The same report with a section on certainty."""
    task = evaluate(report.family, dict(report.inputs), report.convention)
    return report.model_copy(update={"certainty": uncertainty.uncertainty_section(task, noise, **more)})


def refused(a: Report, b: Report) -> tuple[str, ...]:
    """The reasons for which two reports are not compared."""
    with pytest.raises(ComparisonRefused) as raised:
        compare(a, b)
    assert "--anyway" in str(raised.value)
    assert "\n" not in str(raised.value)
    return raised.value.reasons


def test_the_papers_order_holds() -> None:
    """CIFAR-10 is harder than MNIST, both ways round, with the same probability, near 1."""
    one, other = declared("cifar-10"), declared("mnist")
    found, turned = compare(one, other), compare(other, one)
    assert (found.harder, turned.harder) == ("first", "second")
    assert found.probability == turned.probability > 0.99
    assert found.n == 50000
    assert found.target_error == 0.01
    assert "cifar-10 is harder than mnist" in found.text
    assert "with a probability of over 99 %" in found.text
    assert found.told_apart


def test_a_task_is_as_hard_as_itself() -> None:
    """No order, probability one half, and that in words."""
    found = compare(measured("wine"), measured("wine"))
    assert (found.harder, found.probability, found.true_probability) == (None, 0.5, None)
    assert "equally hard" in found.text


def test_the_probability_is_that_of_two_normals() -> None:
    """Where the noise is almost that of the dimension alone, the probability is the normal one of their difference."""
    base = measured("wine")
    tight = Noise(0.3, 0.0, known(1e6))
    one = sure(base, tight)
    moved = base.model_copy(update={"inputs": {**base.inputs, "dimension": base.inputs["dimension"] + 0.5}})
    found = compare(one, sure(moved, tight))
    expected = (1 + erf(0.5 / (0.3 * sqrt(2)) / sqrt(2))) / 2
    assert found.harder == "second"
    assert found.probability == pytest.approx(expected, abs=0.02)


def test_true_dimensions_are_taken_at_their_worst() -> None:
    """Overlapping ranges of true dimensions make the order less sure; without a range nothing is said of it."""
    base = measured("wine")
    moved = base.model_copy(update={"inputs": {**base.inputs, "dimension": base.inputs["dimension"] + 1.0}})
    m = base.inputs["dimension"]
    one = sure(base, Noise(0.1, 0.0, known(m), None, (m, m + 1.5)))
    other = sure(moved, Noise(0.1, 0.0, known(m), None, (m + 1, m + 2.5)))
    found = compare(one, other)
    assert found.true_probability is not None
    assert found.true_probability < 0.5 < found.probability
    assert compare(base, other).true_probability is None
    assert "the probability may" in found.text
    assert found.told_apart == (found.probability >= 0.8)


def test_n_is_matched_by_subsampling_where_there_are_subsamples(once: Once) -> None:
    """The numbers at the smaller n lie between those of the subsamples, by logarithms, and it is said."""
    large = once.measured("builtin:digits").model_copy(update={"certainty": None})
    inputs = large.inputs
    rows = [
        DriftRecord(n=n, dimension=m, margin=margin, radius=radius, log10_bits=9.0)
        for n, m, margin, radius in (
            (inputs["n"] / 2, 7.5, 1.4, 4.7),
            (inputs["n"] / 4, 7.0, 1.6, 4.6),
        )
    ]
    n = inputs["n"] / 4 * sqrt(2)
    small = large.model_copy(update={"name": "small", "inputs": {**inputs, "n": n}})
    found = compare(sure(large, Noise(0.1, 0.0, known(8.0)), drift=rows), small)
    expected = evaluate(
        "classification",
        {**inputs, "n": n, "dimension": sqrt(7.5 * 7.0), "margin": sqrt(1.4 * 1.6), "radius": sqrt(4.7 * 4.6)},
    )
    assert found.first.log10_bits == pytest.approx(expected.log10_bits, abs=1e-9)
    assert "by subsampling" in found.first.matched
    assert "as measured" in found.second.matched
    assert any("that of small" in note for note in found.notes)


def test_n_is_matched_by_the_law_otherwise(once: Once) -> None:
    """The logarithm of the margin grows by (2/κ)·ln(n/n′), m and R stay, and it is said."""
    large = once.measured("builtin:digits").model_copy(update={"certainty": None})
    inputs = large.inputs
    small = large.model_copy(update={"name": "small", "inputs": {**inputs, "n": inputs["n"] / 10}})
    found = compare(sure(large, Noise(0.1, 0.0, known(8.0))), small)
    moved = {**inputs, "n": inputs["n"] / 10, "margin": inputs["margin"] * 10 ** (2 / 8)}
    assert found.first.log10_bits == pytest.approx(evaluate("classification", moved).log10_bits, abs=1e-9)
    assert "by the law" in found.first.matched
    assert found.first.measured_log10_bits == pytest.approx(large.headline.log10_bits)


def test_both_are_taken_at_one_target_error() -> None:
    """The larger of the two, and it is said."""
    base = measured("wine")
    strict = base.model_copy(update={"inputs": {**base.inputs, "target_error": 0.001}})
    found = compare(base, strict)
    assert found.target_error == 0.01
    assert found.harder is None
    assert any("target error of 0.01" in note for note in found.notes)


def test_other_encoders_conventions_and_centrings_are_refused() -> None:
    """All reasons are given at once, each with both values."""
    wine = measured("wine")
    assert wine.data is not None
    raw = wine.data.encoder.model_copy(update={"settings": {**wine.data.encoder.settings, "standardise": "no"}})
    other = sure(wine, Noise(0.1, 0.0, known(4.0)), centring="median").model_copy(
        update={"convention": "half-band", "data": wine.data.model_copy(update={"encoder": raw})}
    )
    reasons = refused(wine, other)
    assert [reason.split()[1] for reason in reasons] == ["encoders", "centrings", "conventions"]
    assert "tabular, standardise yes for the first wine, tabular, standardise no for the second wine" in reasons[0]
    assert "half-band for the second wine" in reasons[2]


def test_sizes_of_pictures_and_vectors_are_no_other_encoder() -> None:
    """What follows from the data is no choice: two pictures of other sizes compare."""
    wine = measured("wine")
    assert wine.data is not None
    pictures = [
        wine.model_copy(
            update={
                "data": wine.data.model_copy(
                    update={
                        "encoder": wine.data.encoder.model_copy(
                            update={"name": "image", "settings": {"size": size, "scale": "1/255"}}
                        )
                    }
                )
            }
        )
        for size in ("28x28", "32x32")
    ]
    assert compare(*pictures).harder is None


def test_errors_of_classes_and_of_values_are_refused() -> None:
    """A share of wrong labels and an error of an action are no common target, nor declared and measured numbers."""
    reasons = refused(declared("mnist"), declared("reacher"))
    assert len(reasons) == 1
    assert reasons[0] == (
        "the target errors mean different things (share of inputs classified wrongly for mnist, error of an action for "
        "reacher)"
    )
    assert "declared" in refused(measured("wine"), declared("mnist"))[0]


def test_anyway_compares_and_lists_the_reasons() -> None:
    """The result is there, with the reasons in it and in the text; chosen inputs have no noise."""
    found = compare(declared("mnist"), declared("reacher"), anyway=True)
    assert found.harder == "second"
    assert found.probability > 0.99
    assert len(found.reasons) == 1
    assert "do not measure the same" in found.text
    assert any("choices" in note for note in found.notes)


def test_what_is_missing_is_said() -> None:
    """A report without certainty, and a declared one, say which noise was supposed."""
    old = compare(measured("wine"), measured("iris"))
    assert sum("no section on certainty" in note for note in old.notes) == 2
    new = compare(declared("mnist"), declared("svhn"))
    assert sum("declared, not measured" in note for note in new.notes) == 2


def test_0_bits_have_an_order() -> None:
    """A task of one class is easier than any other, by no number of decades, and JSON has no infinity."""
    base = measured("wine")
    none = base.model_copy(update={"name": "none", "inputs": {**base.inputs, "classes": 1.0}})
    found = compare(base, none)
    assert found.harder == "first"
    assert found.probability == 1.0
    assert "none needs 0 bits" in found.text
    assert json.loads(as_json(found))["second"]["log10_bits"] is None


def test_every_family_says_what_its_error_is() -> None:
    """No family lacks the meaning of its target error."""
    assert set(ERRORS) == set(FAMILIES)


def test_other_columns_are_other_features() -> None:
    """The same encoder on other columns is said to make other features; on the same columns nothing is said."""
    iris, wine = measured("iris"), measured("wine")
    said = next(note for note in compare(iris, wine).notes if "different features" in note)
    assert "4 columns (sepal length (cm)" in said
    assert "13 columns (alcohol" in said
    assert "and 7 more" in said
    assert wine.data is not None
    fewer = wine.data.encoder.model_copy(update={"inputs": wine.data.encoder.inputs[:12]})
    part = wine.model_copy(update={"data": wine.data.model_copy(update={"encoder": fewer})})
    assert any(
        "13 columns (proline among them) for the first wine, 12 columns for" in n for n in compare(wine, part).notes
    )
    assert not any("different features" in note for note in compare(wine, wine).notes)


def test_sizes_of_pictures_are_said() -> None:
    """Pictures of another size compare, and are said to have other features."""
    wine = measured("wine")
    assert wine.data is not None
    sizes = []
    for size in ("28x28", "32x32"):
        encoder = wine.data.encoder.model_copy(
            update={"name": "image", "settings": {"size": size}, "inputs": ("image",)}
        )
        sizes.append(wine.model_copy(update={"data": wine.data.model_copy(update={"encoder": encoder})}))
    assert any("size 28x28 for the first wine, size 32x32" in note for note in compare(*sizes).notes)


def test_fewer_bits_at_fewer_rows_are_explained() -> None:
    """Where the bits at the smaller n are not those of the card, the reason is there."""
    found = compare(measured("iris"), measured("wine"))
    said = next(note for note in found.notes if "n = 150" in note)
    assert "the margin of as many rows of wine is wider" in said
    assert found.second.log10_bits < found.second.measured_log10_bits


@given(
    st.tuples(st.floats(1, 20), st.floats(1, 20)),
    st.floats(0, 1),
    st.none() | st.floats(0, 1),
)
def test_an_order_is_stated_only_where_it_is_likely(
    bits: tuple[float, float], probability: float, least: float | None
) -> None:
    """Below 80 % two tasks cannot be told apart, whatever else is known, and both are named once or more."""
    said = verdict(("one", "other"), bits, probability, least)
    assert "one" in said
    assert "other" in said
    if bits[0] == bits[1]:
        assert said == "one and other are equally hard."
    else:
        assert ("cannot be told apart" in said) == (probability < CERTAIN)
        assert ("is harder than" in said) == (probability >= CERTAIN)
        assert ("true dimensions" in said) == (least is not None)


def test_probabilities_read_well() -> None:
    """At both ends a probability is over or under, and never at least over."""
    said = [verdict(("a", "b"), (9.0, 7.0), 1.0, least) for least in (1.0, 0.9, 0.5, 0.0)]
    assert [text.rpartition("the probability ")[2] for text in said] == [
        "is over 99 %.",
        "is 90 % or more.",
        "may be as low as 50 %, so the order is one at this scale only.",
        "may even be under 1 %, so the order is one at this scale only.",
    ]
    assert said[0].startswith("a is harder than b by 2.0 decades, with a probability of over 99 %. ")


def run(*arguments: str) -> tuple[int, str, BaseException | None]:
    """Run the command on its own."""
    import typer

    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, result.exception


def test_the_command_prints_text_or_json_and_refuses(tmp_path: Path) -> None:
    """Text by default, JSON on demand, exit status 1 where it refuses, and not with --anyway."""
    paths = []
    for report in (declared("mnist"), declared("cifar-10"), declared("reacher")):
        paths.append(str(tmp_path / f"{report.name}.json"))
        Path(paths[-1]).write_text(report.to_json(), encoding="utf-8")
    status, text, _ = run(paths[0], paths[1])
    assert status == 0
    assert text == compare(declared("mnist"), declared("cifar-10")).text + "\n"
    status, text, _ = run(paths[0], paths[1], "--json")
    assert json.loads(text)["harder"] == "second"
    status, _, error = run(paths[0], paths[2])
    assert isinstance(error, ComparisonRefused)
    assert (status, error.exit_status) == (1, 1)
    assert run(paths[0], paths[2], "--anyway")[0] == 0


def test_a_comparison_is_the_same_each_time() -> None:
    """Nothing is drawn at random."""
    found: Comparison = compare(declared("mnist"), declared("svhn"))
    assert found == compare(declared("mnist"), declared("svhn"))
    assert log(found.n) == log(60000)


def test_what_is_no_report_is_refused() -> None:
    """A path in place of a report gets a line that says how one is read."""
    report = measure("builtin:iris")
    with pytest.raises(UsageError, match="two reports are compared, not a str; read one with load_report"):
        compare(report, "reports/iris.json")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("higher", "lower", "probability"),
    [([1.0], [1.0], 0.5), ([1.0, 1.0], [1.0, 0.0], 0.75), ([-inf, 2.0], [-inf, -inf], 0.75), ([0.0], [1.0], 0.0)],
)
def test_ties_count_as_halves(higher: list[float], lower: list[float], probability: float) -> None:
    """Over all pairs of two numbers, an equal one, such as 0 bits on both sides, is half above."""
    assert comparison._above(np.array(higher), np.array(lower)) == probability
