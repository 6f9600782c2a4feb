"""The commands that talk to the Hub: inspect, push and lock."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Annotated

import typer

from ibc_report.common.errors import DataError, UsageError
from ibc_report.common.escaping import one_line

__all__ = ["inspect", "lock", "push", "register"]

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (inspect, push, lock):
        app.command()(command)


def inspect(
    repository: Annotated[str, typer.Argument(help="OWNER/NAME of a dataset on the Hub.")],
    revision: Annotated[str | None, typer.Option(help="Branch, tag or commit; main by default.")] = None,
    config: Annotated[str | None, typer.Option(help="Look at this configuration only.")] = None,
) -> None:
    """List what a Hub dataset has to choose from, without storing it."""
    from ibc_report.data import inspect as inspection

    found = inspection.inspect(_named(repository), revision=revision, config=config)
    size = "unknown" if found.size is None else f"{found.size / 1e6:,.1f} MB"
    typer.echo(f"{found.repository} at {found.sha}")
    typer.echo(f"license {found.license or 'not stated'}, {'gated' if found.gated else 'not gated'}, files {size}")
    for part in found.parts:
        splits = ", ".join(f"{name} ({_rows(count)})" for name, count in part.splits.items())
        typer.echo(f"\nconfiguration {part.name}: {splits}")
        for name, kind in part.columns:
            typer.echo(f"  {name}  {kind}{'  could be the target' if name in part.candidates else ''}")


def push(
    repository: Annotated[str, typer.Argument(help="OWNER/NAME of a dataset on the Hub.")],
    report: Annotated[Path | None, typer.Option(help="Report to push; reports/NAME.json by default.")] = None,
    config: Annotated[
        str | None, typer.Option(help="Configuration whose report is pushed, or whose section is removed.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would change, and change nothing.")] = False,
    direct: Annotated[bool, typer.Option("--direct", help="Commit on main instead of a pull request.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take the section and its files out again.")] = False,
    stale_ok: Annotated[bool, typer.Option("--stale-ok", help="Push although the data changed since.")] = False,
    cite: Annotated[bool, typer.Option("--cite", help="Link to the paper, which tags the dataset with it.")] = False,
    tag: Annotated[str | None, typer.Option(help="Add this tag to the card, as in difficulty-card.")] = None,
    quiet: Quiet = False,
) -> None:
    """Put the section of a report into a dataset's card: by pull request, unless told otherwise."""
    from ibc_report.data.task import named
    from ibc_report.publish import plan as planning
    from ibc_report.publish import push as publishing
    from ibc_report.report.schema.document import load_report

    repository = _named(repository)
    if remove:
        _removed(repository, config, direct=direct, dry_run=dry_run, quiet=quiet)
        return
    path = report or Path("reports") / f"{named(repository, config)}.json"
    option = "" if config is None else f" --config {shlex.quote(config)}"
    if report is None and not path.exists():
        others = sorted(other.name for other in path.parent.glob(f"{path.stem}-*.json")) if config is None else []
        there = f"; there are {', '.join(others)}, of configurations: name one with --config" if others else ""
        raise UsageError(
            f"there is no {path}; measure the dataset first with 'ibc-report card {repository}{option}', or name its "
            f"--report{there}"
        )
    wishes = planning.Wishes(direct=direct, stale_ok=stale_ok, cite=cite, tag=tag)
    if dry_run:
        plan = planning.plan(load_report(path), repository, wishes)
        typer.echo(plan.diff if plan.diff else "README.md: nothing to change")
        for name, content in plan.added.items():
            typer.echo(f"would add {name} ({len(content):,} bytes)")
        return
    done = publishing.push(load_report(path), repository, wishes)
    if not quiet:
        typer.echo(_became("Pushed", done.address) or f"{repository}: nothing to change")
    if done.unchecked:
        typer.echo(f"Whether {repository} loads as before could not be checked: {one_line(done.unchecked)}", err=True)
    if not done.loads_alike:
        raise DataError(
            f"{repository} does not load as it did when the push began: {done.difference}; to take the section out "
            f"again: ibc-report push {repository} --remove{option}{' --direct' if direct else ''}"
        )


def lock(
    catalog: Annotated[Path, typer.Argument(help="A catalog.yml.")] = Path("catalog.yml"),
    quiet: Quiet = False,
) -> None:
    """Write the commit of each Hub dataset into a catalog, so that it is measured as it is now."""
    from ibc_report.common import hub
    from ibc_report.common.files import write
    from ibc_report.common.hub import name_of
    from ibc_report.data.task import load_catalog
    from ibc_report.pipeline import lock as locking

    load_catalog(catalog)
    commits: dict[tuple[str, str | None], str] = {}

    def commit_of(source: str, revision: str | None) -> str | None:
        repository = None if (catalog.parent / source).exists() else name_of(source)
        if repository is None:
            return None
        # a commit is what a former lock wrote; a branch or a tag is what its user wants
        wanted = None if revision is None or re.fullmatch(r"[0-9a-f]{40}", revision) else revision
        key = (repository, wanted)
        if key not in commits:
            commits[key] = str(hub.pinned(repository, wanted).sha)
        return commits[key]

    # read and written as bytes, so that line ends stay
    text = catalog.read_bytes().decode("utf-8")
    write(catalog, locking.locked(text, commit_of))
    if not quiet:
        for (repository, wanted), sha in commits.items():
            typer.echo(f"{repository}{f'@{wanted}' if wanted else ''} {sha}")
        if not commits:
            typer.echo(f"{catalog} names no dataset of the Hub")


def _removed(repository: str, config: str | None, *, direct: bool, dry_run: bool, quiet: bool) -> None:
    from ibc_report.publish import push as publishing
    from ibc_report.publish import removal as removing

    if dry_run:
        typer.echo(removing.removal(repository, direct=direct, config=config))
        return
    done = publishing.remove_section(repository, direct=direct, config=config)
    if not quiet:
        typer.echo(_became("Removed", done.address) or f"{repository}: nothing to remove")


def _became(what: str, address: str | None) -> str:
    """Say where a change is: a pull request is none until it is merged."""
    if address is None:
        return ""
    return f"{what} by pull request, to be merged: {address}" if "/discussions/" in address else f"{what}: {address}"


def _named(repository: str) -> str:
    from ibc_report.common.hub import name_of

    name = name_of(repository)
    if name is None:
        raise UsageError(f"'{repository}' is no dataset of the Hub; name it OWNER/NAME, as in ylecun/mnist")
    return name


def _rows(count: int | None) -> str:
    return "rows unknown until loaded" if count is None else f"{count:,} rows"
