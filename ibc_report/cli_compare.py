"""The command that compares two reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["compare", "register"]


def register(app: typer.Typer) -> None:
    """Add the command of this module.

    Parameters
    ----------
    app : typer.Typer
        The command line.
    """
    app.command()(compare)


def compare(
    first: Annotated[Path, typer.Argument(help="A saved report, as in reports/digits.json.")],
    second: Annotated[Path, typer.Argument(help="Another one.")],
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Compare although encoder, centring, convention or target error differ.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Say which of two tasks is harder, and how sure that is."""
    from ibc_report import comparison
    from ibc_report.report import load_report

    found = comparison.compare(load_report(first), load_report(second), anyway=anyway)
    typer.echo(comparison.as_json(found) if as_json else found.text)
