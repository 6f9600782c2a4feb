"""Rules: how they are read, what they compare, and how a wrong one is told."""

from __future__ import annotations

from functools import cache
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibc_report
from ibc_report import Report
from ibc_report.common.errors import UsageError
from ibc_report.data.task import Declared, Task
from ibc_report.report.rules import OPERATORS, SHORT, RuleNames, RuleOutcome, check, parse, read
from ibc_report.report.schema.split_audit import EvaluationRecord, PrecisionRecord, WidthRecord
from tests.support.samples import few_properties, image_task, properties
from tests.support.submissions import hub_report, of_test, results

PYTHON = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}


@cache
def iris() -> Report:
    """A measured report."""
    return ibc_report.measure("builtin:iris")


@cache
def declared() -> Report:
    """A report of numbers without data."""
    numbers = Declared.model_validate({"family": "classification", **image_task("mnist")})
    return ibc_report.measure(Task(name="mnist", declared=numbers))


def outcome(rule: str, report: Report | None = None) -> RuleOutcome:
    """What becomes of one rule."""
    return check([parse(rule)], report or iris())[0]


numbers = st.floats(allow_nan=False, allow_infinity=False)

spaces = st.text(" \t", max_size=3)

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*(\.[a-z0-9_]+){0,3}", fullmatch=True)

words = st.from_regex(r"[A-Za-z][A-Za-z_-]*( [a-z]+){0,2}", fullmatch=True).filter(lambda word: word != "inf")


@properties
@given(names, st.sampled_from(sorted(OPERATORS)), numbers, spaces, spaces, spaces)
def test_a_comparison_with_a_number_is_read_back(
    name: str, operator: str, number: float, before: str, between: str, after: str
) -> None:
    """Any name, operator and finite number is read as what it is, whatever the spaces."""
    rule = parse(f"{before}{name}{between}{operator}{after}{number!r}{before}")
    assert (rule.name, rule.operator, rule.value) == (name, operator, number)
    assert parse(rule.text) == rule


@few_properties
@given(names, st.sampled_from(["==", "!="]), words, st.sampled_from(["", '"', "'"]))
def test_a_comparison_with_a_word_is_read_back(name: str, operator: str, word: str, quote: str) -> None:
    """A word, in double or single quotes or none, is read as it is."""
    rule = parse(f"{name} {operator} {quote}{word}{quote}")
    assert (rule.name, rule.operator, rule.value) == (name, operator, word)


@properties
@given(st.text(max_size=40))
def test_any_text_is_a_rule_or_one_line(text: str) -> None:
    """Whatever is given is read, or refused in one line."""
    try:
        read_back = parse(text).operator in OPERATORS
    except UsageError as error:
        read_back = len(str(error).splitlines()) <= 1
    assert read_back


@few_properties
@given(st.sampled_from(sorted(OPERATORS)), numbers | st.sampled_from([150.0, 149.0, 151.0]))
def test_numbers_are_compared_as_python_does(operator: str, number: float) -> None:
    """A rule on the number of rows says what Python says of it."""
    assert outcome(f"data.rows_used {operator} {number!r}").holds == PYTHON[operator](150, number)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no rule; write it as NAME < VALUE"),
        ("log10_bits", "is no rule"),
        ("log10_bits <", "is no rule"),
        ("< 20", "is no rule"),
        ("log10_bits = 20", "has no such operator as '='; write one of <, <=, >, >=, ==, !="),
        ("log10_bits => 20", "has no such operator as '=>'"),
        ("A7 < violated", "compares the word 'violated' by '<'; words have == and !="),
        ("10 < m < 20", "has more than one comparison"),
        ("m < 1e999", "a number that is too large"),
        ("log10_bits > -1e999", "a number that is too large"),
        ("target != 'label", "has a quote that does not end"),
        ("m < '20'", "compares the word '20' by '<'"),
    ],
)
def test_what_is_no_rule_is_told(text: str, message: str) -> None:
    """A text that is no rule is refused, and says how one is written."""
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_short_names_are_values_of_the_report() -> None:
    """Short names give what the report has at their place."""
    report = iris()
    names = RuleNames(report)
    assert names["log10_bits"].value == report.headline.log10_bits
    assert names["log10_bits.upper"].value == report.headline.upper
    assert names["log10_bits.lower"].value == report.headline.lower
    assert names["m"].value == names["dimension"].value == report.inputs["dimension"]
    assert names["n"].value == 150
    assert names["margin"].value == report.inputs["margin"]
    assert names["convention"].value == "released"
    assert names["encoder"].value == report.data.encoder.name if report.data else False
    assert names["A7"].value == next(entry for entry in report.assumptions if entry.id == "A7").verdict
    assert names["A7.name"].value == next(entry for entry in report.assumptions if entry.id == "A7").name


def test_every_short_name_is_known() -> None:
    """Each short name is a path of the report's schema."""
    names = RuleNames(declared())
    for name in SHORT:
        found = names[name]
        assert found.value is not None or found.reason


def test_what_a_report_lacks_does_not_hold() -> None:
    """A rule on a value that is null, or of a number that the task has not, fails and says why."""
    lacking = outcome("data.rows_used > 0", declared())
    assert (lacking.holds, lacking.value) == (False, None)
    assert lacking.said == "data.rows_used > 0: there is no value: data is null (The data; null for a declared task.)"
    assert "there is no value: numbers has no 'resolution'" in outcome("resolution > 0").said
    for operator in ("<", ">", "!="):
        assert not outcome(f"pair.distance {operator} 20", declared()).holds


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("log10_bit < 20", "there is nothing called 'log10_bit'; did you mean 'log10_bits'?"),
        ("marign > 0", "did you mean 'margin'?"),
        ("rows_used > 0", "did you mean 'data.rows_used'?"),
        ("data.rows_usd > 0", "data has no 'rows_usd'; did you mean 'rows_used'?"),
        ("A17 != violated", "there is nothing called 'A17'; did you mean 'A7'?"),
        ("A7 != violatd", "A7 is never 'violatd'; did you mean 'violated'?"),
        ("convention == relased", "convention is never 'relased'; did you mean 'released'?"),
        ("encoder != tabluar", "encoder is never 'tabluar'; did you mean 'tabular'?"),
        ("m == large", "m is a number, and 'large' is none"),
        ("convention < 3", "convention is the word 'released'; words have == and !="),
        ("data.margin_is_exact == 1", "is true or false; compare it with"),
        ("headline < 3", "'headline' is more than one value; go on with one of: .log10_bits"),
        ("results.models.count > 1", "is about results, and none were given; add --results FILE"),
        ("results.modles.count > 1", "there is no 'modles'; did you mean 'models'?"),
        ("test.halfwidth_at_1.5 < 1", "is at no accuracy"),
        ("test.halfwidth_at_1.5.5 < 1", "is at no accuracy"),
    ],
)
def test_a_rule_about_nothing_is_told(rule: str, message: str) -> None:
    """A wrong name gets the nearest one; a word that a value never is, and a wrong kind of value, are refused."""
    with pytest.raises(UsageError) as caught:
        outcome(rule)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("data.margin_is_exact == true", True),
        ("data.margin_is_exact != true", False),
        ("encoder != image", True),
        ('name == "iris"', True),
        ("assumptions.count == 16", True),
        ("numbers[margin].value > 0", True),
        ("data.split == 20", False),
    ],
)
def test_words_and_truths_are_compared(rule: str, holds: bool) -> None:
    """Words, truth values and counts are compared as numbers are."""
    assert outcome(rule).holds is holds


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("results.models.count == 2", True),
        ("results.models[good].accuracy > 0.9", True),
        ("results.models[fair].accuracy > 0.9", False),
        ("results.models[0].name == good", True),
        ("results.pairs[0].holm_p < 0.05", True),
        ("results.against.name == x", False),
    ],
)
def test_rules_on_results(rule: str, holds: bool) -> None:
    """Rules on a file of results follow its paths; models are named by their names."""
    assert check([parse(rule)], hub_report(), results())[0].holds is holds


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_quoted_word_is_compared_without_its_quotes(quote: str) -> None:
    """A word in quotes of either kind is the word: it does not differ from itself."""
    target = hub_report().data.target  # type: ignore[union-attr]
    assert outcome(f"target == {quote}{target}{quote}").holds
    assert not outcome(f"target != {quote}{target}{quote}").holds


def test_results_of_another_task_are_refused() -> None:
    """Rules are not held to results of other data."""
    with pytest.raises(UsageError, match="and the results are of 'other/iris'; make the results with this report"):
        check([parse("m > 0")], hub_report(), of_test(results(), name="other/iris"))


def test_the_halfwidth_is_wilsons() -> None:
    """The half-width at any accuracy is that of Wilson's interval; without a test split there is none."""
    assert not outcome("test.halfwidth_at_0.9 < 1").holds
    split = EvaluationRecord(
        split="test",
        n=1319,
        n_train=150,
        unusable=None,
        summary="",
        precision=PrecisionRecord(
            n=1319, level=0.95, power=0.8, text="", rows=(), widths=WidthRecord(n=(), halfwidths={}, alternative="")
        ),
    )
    names = RuleNames(iris().model_copy(update={"test": split}))
    assert names["test.halfwidth_at_0.8"].value == pytest.approx(0.0216, abs=5e-5)
    assert names["test.halfwidth_at_0.5"].value == pytest.approx(1.96 * (0.25 / 1319) ** 0.5, rel=2e-3)
    assert names["test.n"].value == 1319


def test_rules_come_from_a_file(tmp_path: Path) -> None:
    """A file has a rule on each line, with comments and empty lines between."""
    path = tmp_path / "rules.txt"
    path.write_text("\ufeff# what we promise\n\nm < 9\n   # more\nA7 != violated\n", encoding="utf-8")
    assert [rule.text for rule in read(path)] == ["m < 9", "A7 != violated"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"m < 9\nm <\n", "rules.txt:2: 'm <' is no rule"),
        (b"# none\n", "rules.txt has no rule"),
        (b"\xff\xfe", "cannot be read as rules"),
        (None, "rules.txt does not exist"),
    ],
)
def test_a_bad_file_of_rules_is_told(content: bytes | None, message: str, tmp_path: Path) -> None:
    """A line that is no rule is told by its number, and so is a file without any."""
    if content is not None:
        (tmp_path / "rules.txt").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read(tmp_path / "rules.txt")
    assert message in str(caught.value)
