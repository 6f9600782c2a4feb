"""The commands of a submission: attach a bundle to a model, and verify one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ibc_report.common.errors import DataError, UsageError
from ibc_report.common.escaping import one_line

if TYPE_CHECKING:
    from ibc_report.publish.submission import Submission
    from ibc_report.report.schema.document import ReportDocument

__all__ = ["attach", "register", "verify"]

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (attach, verify):
        app.command()(command)


def attach(
    task: Annotated[str, typer.Argument(help="A saved report, or a source to measure as for a card.")],
    results: Annotated[Path, typer.Option(help="Saved results of the model on it.")],
    model: Annotated[str, typer.Option(help="OWNER/MODEL on the Hub.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the bundle.")] = Path("bundle"),
    name: Annotated[str | None, typer.Option(help="How the results call the model, where they have several.")] = None,
    dataset: Annotated[
        str | None, typer.Option(help="OWNER/NAME of the dataset on the Hub, where a copy of it was measured.")
    ] = None,
    task_id: Annotated[
        str | None, typer.Option(help="The benchmark's name of the task; the configuration, or 'default'.")
    ] = None,
    share: Annotated[
        bool, typer.Option("--share", help="Submit the accuracy as a share instead of in per cent.")
    ] = False,
    card: Annotated[str | None, typer.Option(help="Address of the card, where it is published already.")] = None,
    examples: Annotated[
        bool, typer.Option("--examples/--no-examples", help="Show rows of the data, or leave them out of the bundle.")
    ] = True,
    push: Annotated[bool, typer.Option("--push", help="Open a pull request on the model with the bundle.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --push: print what would change there, and change nothing.")
    ] = False,
    direct: Annotated[bool, typer.Option("--direct", help="With --push: commit on main instead.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write what a submission is attached as: card, results, both as data, and what the Hub reads of them."""
    from ibc_report.publish import bundle
    from ibc_report.publish.submission import submission
    from ibc_report.report.redaction import without_examples
    from ibc_report.report.schema.results import load_results

    if (dry_run or direct) and not push:
        raise UsageError(f"{'--dry-run' if dry_run else '--direct'} says how to push; add --push")
    if card is not None and not card.startswith(("https://", "http://")):
        raise UsageError(f"--card {card} is no address; give one that begins with https://")
    # results are read first: they are wrong sooner than a task is measured
    loaded = load_results(results)
    report = _report(task, quiet=quiet)
    if not examples:
        report = without_examples(report)
    made = submission(report, loaded, model, name=name, dataset=dataset, task=task_id, share=share)
    files = bundle.files(made, card=card)
    became = "Replaced" if output.is_dir() else "Written"
    bundle.write_bundle(files, output)
    if not quiet:
        typer.echo(f"{became}: {output} ({len(files)} files)")
        if made.dataset is None:
            typer.echo("There is no .eval_results: the dataset is not on the Hub; if it is, add --dataset OWNER/NAME")
        elif made.revision is None:
            typer.echo("The result names no commit of the dataset: what was measured is not a commit of the Hub")
    if push:
        _push(made, files, direct=direct, dry_run=dry_run, quiet=quiet)


def verify(
    folder: Annotated[Path, typer.Argument(help="Folder of a bundle.")],
    quiet: Quiet = False,
) -> None:
    """Check a bundle: its files are those of the manifest, and belong together."""
    from ibc_report.publish import manifest
    from ibc_report.publish.verify import same_makers
    from ibc_report.publish.verify import verify as faults_of

    faults = faults_of(folder)
    for fault in faults:
        typer.echo(one_line(fault), err=True)
    if faults:
        raise DataError(f"{folder} has {len(faults)} {'fault' if len(faults) == 1 else 'faults'}; get it again")
    if not quiet:
        typer.echo(f"{folder} is whole, and its parts belong together")
        said = manifest.load(folder)
        if said.hub != manifest.PUBLIC_HUB:
            typer.echo(one_line(f"Its links lead to {said.hub}"))
        if not same_makers(said):
            typer.echo(
                one_line(
                    f"It was written by ibc-report {said.version} with other versions than those here: its files were "
                    "compared by what they say, not byte by byte"
                )
            )


def _report(task: str, *, quiet: bool) -> ReportDocument:
    from ibc_report.cli.terminal import bars
    from ibc_report.pipeline import measure
    from ibc_report.pipeline.score import subject_named
    from ibc_report.report.schema.document import ReportDocument

    named = subject_named(task)
    if isinstance(named, ReportDocument):
        return named
    with bars(quiet=quiet) as progress:
        return measure.measure(named, progress=progress)


def _push(made: Submission, files: dict[str, bytes], *, direct: bool, dry_run: bool, quiet: bool) -> None:
    from ibc_report.publish import attach as attaching

    if dry_run:
        found = attaching.plan(made, files, direct=direct)
        where = "main" if direct else (found.revision or "a new pull request")
        typer.echo(f"{found.repository}: {where}" if found.changes else f"{found.repository}: nothing to change")
        for path, data in found.changes.items():
            typer.echo(f"would delete {path}" if data is None else f"would write {path} ({len(data):,} bytes)")
        return
    done = attaching.attach(made, files, direct=direct)
    if not quiet:
        typer.echo(f"Pushed: {done.address}" if done.address else f"{made.repository}: nothing to change")
