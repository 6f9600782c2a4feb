"""The commands for continuous integration and a README: check and badge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ibc_report.errors import UsageError
from ibc_report.escaping import one_line

__all__ = ["badge", "check", "register"]

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Saved = Annotated[Path, typer.Argument(help="A saved report, as in reports/digits.json.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module.

    Parameters
    ----------
    app : typer.Typer
        The command line.
    """
    for command in (check, badge):
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
    from ibc_report import rules as ruling
    from ibc_report.evaluation.results import load_results
    from ibc_report.junit import junit as written
    from ibc_report.report import load_report
    from ibc_report.writing import write

    wanted = [*map(ruling.parse, require or ()), *(ruling.read(rules) if rules is not None else ())]
    if not wanted:
        raise UsageError("there is no rule to check; give some with --require RULE or --rules FILE")
    loaded = load_report(report)
    outcomes = ruling.check(wanted, loaded, None if results is None else load_results(results))
    if junit is not None:
        write(junit, written(loaded.name, outcomes))
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
    from ibc_report import badge as badges
    from ibc_report.report import load_report
    from ibc_report.writing import write

    forms = {".svg": badges.svg, ".json": badges.endpoint}
    form = forms.get(output.suffix.lower())
    if form is None:
        raise UsageError(f"{output} does not say its form by its ending; call it .svg or .json")
    text = form(load_report(report), label)
    became = "Replaced" if output.exists() else "Written"
    write(output, text)
    if not quiet:
        typer.echo(f"{became}: {output}")
