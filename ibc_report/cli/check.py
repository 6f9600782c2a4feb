"""The commands for continuous integration and a README: check, badge and compare."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from xml.etree import ElementTree

import typer

from ibc_report.common.errors import UsageError
from ibc_report.common.escaping import one_line

if TYPE_CHECKING:
    from ibc_report.report.rules import RuleOutcome

__all__ = ["badge", "check", "compare", "junit_xml", "register"]

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]

Saved = Annotated[Path, typer.Argument(help="A saved report, as in reports/digits.json.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (check, badge, compare):
        app.command()(command)


def check(
    report: Saved,
    require: Annotated[
        list[str] | None, typer.Option(help="Rule, as in 'log10_bits.upper < 20'; repeat for several.")
    ] = None,
    rules: Annotated[Path | None, typer.Option(help="File with a rule on each line; # begins a comment.")] = None,
    results: Annotated[Path | None, typer.Option(help="Saved results, for rules on results.…")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write the outcomes as JUnit XML to this file.")] = None,
    quiet: Quiet = False,
) -> None:
    """Hold a report to rules: status 3 where one does not hold, with a line for each."""
    from ibc_report.common.files import write
    from ibc_report.report import rules as ruling
    from ibc_report.report.schema.document import load_report
    from ibc_report.report.schema.results import load_results

    wanted = [*map(ruling.parse, require or ()), *(ruling.read(rules) if rules is not None else ())]
    if not wanted:
        raise UsageError("there is no rule to check; give some with --require RULE or --rules FILE")
    loaded = load_report(report)
    outcomes = ruling.check(wanted, loaded, None if results is None else load_results(results))
    if junit is not None:
        write(junit, junit_xml(loaded.name, outcomes))
    for outcome in outcomes:
        if not outcome.holds:
            typer.echo(f"fails  {one_line(outcome.said)}", err=True)
        elif not quiet:
            typer.echo(f"holds  {one_line(outcome.said)}")
    failed = sum(not outcome.holds for outcome in outcomes)
    if failed:
        many = f"{failed} of {len(outcomes)} rules {'does' if failed == 1 else 'do'} not hold"
        raise ruling.RuleFailure(many if len(outcomes) > 1 else "the rule does not hold")


def badge(
    report: Saved,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write: .svg, or .json for the endpoint badge of shields.io.")
    ],
    label: Annotated[str, typer.Option(help="Left half of the badge.")] = "difficulty",
    quiet: Quiet = False,
) -> None:
    """Make a badge of a report's bits and their interval."""
    from ibc_report.common.files import write
    from ibc_report.rendering import badge as badges
    from ibc_report.report.schema.document import load_report

    forms = {".svg": badges.svg, ".json": badges.endpoint}
    form = forms.get(output.suffix.lower())
    if form is None:
        raise UsageError(f"{output} does not say its form by its ending; call it .svg or .json")
    text = form(load_report(report), label)
    became = "Replaced" if output.is_file() else "Written"
    write(output, text)
    if not quiet:
        typer.echo(f"{became}: {output}")


def compare(
    first: Annotated[Path, typer.Argument(help="A saved report, as in reports/digits.json.")],
    second: Annotated[Path, typer.Argument(help="Another one.")],
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Compare although encoder, centring, convention or target error differ.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Say which of two tasks is harder, and how sure that is."""
    from ibc_report.report import comparison
    from ibc_report.report.schema.document import load_report

    found = comparison.compare(load_report(first), load_report(second), anyway=anyway)
    typer.echo(comparison.as_json(found) if as_json else found.text)


def junit_xml(name: str, outcomes: Sequence[RuleOutcome]) -> bytes:
    """Write outcomes as JUnit XML.

    Parameters
    ----------
    outcomes : sequence of Outcome
        A test case for each.

    Returns
    -------
    bytes
        UTF-8, the same for the same outcomes: there is no date and no duration.

    Examples
    --------
    >>> from ibc_report.report.rules import RuleOutcome, parse
    >>> print(junit_xml("digits", [RuleOutcome(parse("m < 9"), 8.1, True, "m < 9: it is 8.1")]).decode())
    <?xml version='1.0' encoding='utf-8'?>
    <testsuites name="ibc-report check" tests="1" failures="0">
      <testsuite name="digits" tests="1" failures="0" errors="0" skipped="0">
        <testcase classname="digits" name="m &lt; 9" />
      </testsuite>
    </testsuites>
    <BLANKLINE>
    """
    tests, failures = str(len(outcomes)), str(sum(not outcome.holds for outcome in outcomes))
    root = ElementTree.Element("testsuites", name="ibc-report check", tests=tests, failures=failures)
    suite = ElementTree.SubElement(
        root, "testsuite", name=one_line(name), tests=tests, failures=failures, errors="0", skipped="0"
    )
    for outcome in outcomes:
        case = ElementTree.SubElement(suite, "testcase", classname=one_line(name), name=one_line(outcome.rule.text))
        if not outcome.holds:
            said = one_line(outcome.said)
            ElementTree.SubElement(case, "failure", type="rule", message=said).text = said
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"
