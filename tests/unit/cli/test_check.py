"""The commands `check` and `badge`, and rules as JUnit XML: what they print and write, and their exit status."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

import ibc_report
from ibc_report.cli import check
from ibc_report.cli.app import main
from ibc_report.cli.check import junit_xml
from ibc_report.report.rules import Rule, RuleOutcome
from tests.support.samples import few_properties


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved report."""
    path = tmp_path_factory.mktemp("saved") / "iris.json"
    path.write_text(ibc_report.measure("builtin:iris").to_json(), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def report(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the commands find it."""
    monkeypatch.setenv("REPORT", str(saved))


def status(line: str) -> int:
    """Run a command line, and give its exit status."""
    with pytest.raises(SystemExit) as caught:
        main(shlex.split(line.replace("REPORT", os.environ["REPORT"])))
    return int(caught.value.code or 0)


def test_rules_that_hold_end_with_0(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where all rules hold, each is printed with its value, or nothing is with --quiet."""
    assert status("check REPORT --require 'm < 9' --require 'n == 150'") == 0
    out, err = capsys.readouterr()
    assert [line[:5] for line in out.splitlines()] == ["holds", "holds"]
    assert "n == 150: it is 150" in out
    assert err == ""
    assert status("check REPORT --require 'm < 9' -q") == 0
    assert capsys.readouterr() == ("", "")


def test_rules_that_fail_end_with_3(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each rule that fails has the value that failed it; the JUnit file has all rules."""
    Path("rules.txt").write_text("# bounds\nlog10_bits.upper < 2\n", encoding="utf-8")
    line = "check REPORT --require 'm < 9' --require 'published.log10_bits < 3' --rules rules.txt --junit out/j.xml"
    assert status(line) == 3
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert lines[0].startswith("fails  published.log10_bits < 3: there is no value: published is null")
    assert lines[1].startswith("fails  log10_bits.upper < 2: it is ")
    assert lines[2] == "ibc-report: 2 of 3 rules do not hold"
    assert out.startswith("holds  m < 9")
    suite = ElementTree.parse("out/j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")


def test_outcomes_read_as_sentences(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A word is in quotes, so that no line says "it is holds", and a single rule is not 1 of 1 rules."""
    assert status("check REPORT --require 'encoder == tabular'") == 0
    assert capsys.readouterr().out == "holds  encoder == tabular: the report has 'tabular'\n"
    assert status("check REPORT --require 'm > 9'") == 3
    assert capsys.readouterr().err.endswith("ibc-report: the rule does not hold\n")


def test_an_unknown_name_lists_a_few(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest come first, A1 to A16 are one entry, nothing is listed twice, and the list is cut."""
    assert status("check REPORT --require 'dimensoin < 3'") == 2
    err = capsys.readouterr().err
    assert "did you mean 'dimension'? Known: dimension, input_dimension, A1 to A16, " in err
    listed = err.partition("Known: ")[2].partition(" and ")[0].split(", ")
    assert len(listed) == len(set(listed)) == 12


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("check REPORT", "there is no rule to check"),
        ("check REPORT --require 'm'", "'m' is no rule"),
        ("check REPORT --require 'marign > 1'", "did you mean 'margin'?"),
        ("check nothing.json --require 'm > 1'", "nothing.json does not exist"),
        ("check REPORT --rules nothing.txt", "nothing.txt does not exist"),
        ("check REPORT --require 'results.level > 0' --results no.json", "no.json does not exist"),
        ("badge REPORT -o badge.png", "badge.png does not say its form by its ending; call it .svg or .json"),
    ],
)
def test_wrong_usage_ends_with_2(line: str, message: str, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be checked or written is one line and status 2, and nothing is written."""
    assert status(f"{line} --junit j.xml" if line.startswith("check") else line) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert list(workspace.iterdir()) == []


def test_a_badge_is_written(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The ending says the form; a badge that was there is replaced."""
    assert status("badge REPORT -o badge.svg") == 0
    assert status("badge REPORT -o badge.json --label bits -q") == 0
    assert status("badge REPORT -o badge.svg") == 0
    assert capsys.readouterr().out == "Written: badge.svg\nReplaced: badge.svg\n"
    assert "<title>difficulty: 10^" in Path("badge.svg").read_text(encoding="utf-8")
    assert json.loads(Path("badge.json").read_text(encoding="utf-8"))["label"] == "bits"


def test_the_commands_can_be_registered_alone() -> None:
    """Another program can take the commands over."""
    app = typer.Typer()
    check.register(app)
    assert [command.callback for command in app.registered_commands] == [check.check, check.badge, check.compare]


@few_properties
@given(st.lists(st.tuples(st.text(), st.text(), st.booleans()), max_size=4), st.text())
def test_any_outcome_is_well_formed(cases: list[tuple[str, str, bool]], name: str) -> None:
    """Whatever a rule's text is, the XML has a case for each rule and a failure for each that fails."""
    outcomes = [RuleOutcome(Rule("x", "==", text, text), said, holds, said) for text, said, holds in cases]
    root = ElementTree.fromstring(junit_xml(name, outcomes))
    suite = root.find("testsuite")
    assert suite is not None
    failed = [case for case in suite if case.find("failure") is not None]
    assert (len(suite), len(failed)) == (len(cases), sum(not holds for _, _, holds in cases))
    assert (root.get("tests"), root.get("failures")) == (str(len(suite)), str(len(failed)))


def test_a_failure_says_the_value() -> None:
    """The message of a failure is the rule and the value that failed it."""
    text = junit_xml("digits", [RuleOutcome(Rule("m", "<", 3.0, "m < 3"), 8.1, False, "m < 3: it is 8.1")]).decode()
    assert '<failure type="rule" message="m &lt; 3: it is 8.1">' in text
