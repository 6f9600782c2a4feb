"""The command line: thin commands over the package, which say what went wrong in one line."""

from __future__ import annotations

import os
import sys
import traceback
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibc_report.cli import bundle, check, hub, results
from ibc_report.cli.streams import write_document, write_what_can_be
from ibc_report.common.errors import IbcReportError, TaskFailure, UsageError
from ibc_report.common.escaping import one_line
from ibc_report.common.limits import exceeded

if TYPE_CHECKING:
    from ibc_report.report.schema.document import ReportDocument

__all__ = ["app", "main"]

app = typer.Typer(
    name="ibc-report",
    help="Difficulty cards for datasets: how hard it is to generalize on a task, and how sure we are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Format(StrEnum):
    """Forms of a card."""

    html = "html"
    md = "md"
    json = "json"


# Where typer's command-line parser lives differs between its versions; what it raises is the base of this.
_USAGE: Any = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")

STOPPED = 130
"""What a shell expects of a command that was interrupted."""

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]

Png = Annotated[bool, typer.Option("--png", help="Figures beside a Markdown file as PNG instead of SVG.")]

Templates = Annotated[Path | None, typer.Option(help="Folder whose templates stand in for the built-in ones.")]


def _version(wanted: bool) -> None:
    if wanted:
        from ibc_report.common.version import __version__

        typer.echo(f"ibc-report {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    max_unpacked: Annotated[
        str | None,
        typer.Option(
            help="What an archive or a picture may unpack to, as in 100GB; 20GB and 179 megapixels by default."
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Take the options that go before a command; `main` reads --debug."""
    if max_unpacked is not None:
        from ibc_report.common.untrusted import VARIABLE, bytes_of

        if bytes_of(max_unpacked) is None:
            raise UsageError(f"--max-unpacked {max_unpacked} is no amount; write it as in 500MB or 100GB")
        # the processes that are started to measure have it too
        os.environ[VARIABLE] = max_unpacked


@app.command()
def card(
    source: Annotated[
        str, typer.Argument(help="OWNER/NAME on the Hub, builtin:NAME, or the path of a file or folder.")
    ],
    target: Annotated[str | None, typer.Option(help="Target column; found where only one makes sense.")] = None,
    input: Annotated[
        list[str] | None,
        typer.Option(help="Input column; repeat for several. All but the target by default."),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column that counts as not there; repeat for several.")] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Column whose values are categories, also of numbers; repeat for several.")
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="The first line of a table of text names its columns, or is a row."),
    ] = None,
    config: Annotated[str | None, typer.Option(help="Configuration, where there are several.")] = None,
    split: Annotated[str | None, typer.Option(help="Split; train, or the only one, by default.")] = None,
    test: Annotated[
        str | None, typer.Option(help="Split or file of the test examples; the split 'test' by default, or none.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="Branch, tag or commit of a Hub dataset.")] = None,
    max_rows: Annotated[int | None, typer.Option(help="Measure a sample of this many rows.")] = None,
    streaming: Annotated[bool, typer.Option("--streaming", help="Keep the sample of a Hub dataset only.")] = False,
    encoder: Annotated[
        str | None, typer.Option(help="image, audio, text, tabular or vector, with settings: text:components=300.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Take the target as 'classes' or as 'values' (regression).")] = None,
    target_error: Annotated[
        float | None, typer.Option(help="Error that a hypothesis may have; 0.01 by default.")
    ] = None,
    queries: Annotated[int | None, typer.Option(help="Ask this many rows for their neighbours.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Ask all rows, take all features, whatever it costs.")] = False,
    memory: Annotated[str, typer.Option(help="Memory of the neighbour search, as in 500MB or 2GB.")] = "400MB",
    tolerance: Annotated[
        float | None, typer.Option(help="Regression: targets further apart are different, in their own units.")
    ] = None,
    convention: Annotated[str | None, typer.Option(help="How terms are counted; 'released' by default.")] = None,
    benchmark: Annotated[str | None, typer.Option(help="The paper's benchmark that this is a copy of.")] = None,
    examples: Annotated[
        bool, typer.Option("--examples/--no-examples", help="Show rows on the card, or leave them out of the report.")
    ] = True,
    seed: Annotated[int | None, typer.Option(help="Seed of everything that draws; 0 by default.")] = None,
    name: Annotated[str | None, typer.Option(help="Short name; files are called by it.")] = None,
    title: Annotated[str | None, typer.Option(help="Title of the card.")] = None,
    format: Annotated[Format | None, typer.Option("--format", "-f", help="Write this form only.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; '-' is standard output.")
    ] = None,
    templates: Templates = None,
    png: Png = False,
    quiet: Quiet = False,
) -> None:
    """Measure a dataset and write its difficulty card.

    Without --format and --output, NAME.json and NAME.html go into the folder reports.
    """
    from rich.console import Console

    from ibc_report.cli.terminal import bars, summary
    from ibc_report.data.task import Task
    from ibc_report.pipeline import measure

    if exact and queries is not None:
        raise UsageError("--exact asks all rows, and --queries some of them; give one of the two")
    task = Task.of(
        source,
        name=name,
        title=title,
        target=target,
        inputs=tuple(input) if input else None,
        drop=tuple(drop) if drop else None,
        categorical=tuple(categorical) if categorical else None,
        header=header,
        config=config,
        split=split,
        test=test,
        revision=revision,
        max_rows=max_rows,
        streaming=streaming or None,
        encoder=encoder,
        queries=queries,
        exact=exact or None,
        kind=kind,
        target_error=target_error,
        tolerance=tolerance,
        convention=convention,
        benchmark=benchmark,
        seed=seed,
        examples=None if examples else False,
    )
    form = _form(format, output)
    with bars(quiet=quiet) as progress:
        report = measure.measure(task, memory=_bytes(memory), progress=progress)
    if form is None:
        folder = Path("reports")
        files = [
            *_write(report, Format.json, folder / f"{task.name}.json", templates),
            *_write(report, Format.html, folder / f"{task.name}.html", templates),
        ]
    else:
        files = _write(report, form, output, templates, png=png)
    if not quiet and files:
        summary(Console(), report, files)


@app.command()
def render(
    report: Annotated[Path, typer.Argument(help="A saved report, as in reports/digits.json.")],
    format: Annotated[
        Format | None, typer.Option("--format", "-f", help="html, md or json; by the output's ending.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; standard output by default.")
    ] = None,
    templates: Templates = None,
    png: Png = False,
    quiet: Quiet = False,
) -> None:
    """Render a saved report again, without its data."""
    from ibc_report.report.schema.document import load_report

    for file in _write(load_report(report), _form(format, output) or Format.md, output, templates, png=png):
        if not quiet:
            typer.echo(file)


@app.command()
def build(
    catalog: Annotated[Path, typer.Argument(help="A catalog.yml.")] = Path("catalog.yml"),
    only: Annotated[list[str] | None, typer.Option(help="Build this task only; repeat for several.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Measure unchanged tasks too.")] = False,
    dask: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, as in tcp://scheduler:8786, or 'local'.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Measure all tasks of a catalog that have changed; reports go into reports/ beside it."""
    from ibc_report.cli.terminal import bars
    from ibc_report.pipeline import catalog as catalogs
    from ibc_report.pipeline import distributed

    outcomes = []
    with bars(quiet=quiet) as progress:
        if dask is None:
            built = catalogs.build(catalog, only=only or (), force=force, isolated=True, started=progress.within)
        else:
            built = distributed.build(catalog, dask, only=only or (), force=force, progress=progress)
        for outcome in built:
            outcomes.append(outcome)
            if not quiet:
                typer.echo(f"{outcome.status:<10} {outcome.name}")
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    if failed:
        for outcome in failed:
            typer.echo(f"{outcome.name}: {one_line(outcome.message)}", err=True)
        raise TaskFailure(
            f"{len(failed)} of {len(outcomes)} tasks failed; mend these and build again, the others are done"
        )


@app.command()
def site(
    config: Annotated[
        Path, typer.Option(help="An mkdocs.yml; without one, a plain site of the reports is built.")
    ] = Path("mkdocs.yml"),
    reports: Annotated[Path | None, typer.Option(help="Folder of reports, where the configuration names none.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder to build into; that of mkdocs.yml, or build/site, by default."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict/--no-strict", help="Fail on a warning.")] = True,
    quiet: Quiet = False,
) -> None:
    """Build the website of all reports."""
    from ibc_report.website import build as website

    built = website.build(config, reports=reports, output=output, strict=strict)
    for warning in built.warnings:
        typer.echo(f"Warning: {one_line(warning)}", err=True)
    if not quiet:
        if built.missing:
            typer.echo(f"Without a report: {', '.join(built.missing)}")
        typer.echo(f"Written: {built.folder}/index.html and {built.tasks} pages of tasks")
        for note in built.notes:
            typer.echo(note)


bundle.register(app)

check.register(app)

hub.register(app)

results.register(app)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        Without the program's name; those of the process by default.

    Raises
    ------
    SystemExit
        0 fine, 1 failed, 2 wrong usage, 3 a rule that the user set does not hold.
    """
    given = sys.argv[1:] if arguments is None else arguments
    write_what_can_be()
    sys.exit(_guarded(given, debug="--debug" in given))


def _guarded(arguments: list[str], *, debug: bool) -> int:
    try:
        status = app(args=arguments, standalone_mode=False, prog_name="ibc-report")
        # typer returns the status of an interrupt, or raises that it was aborted, by its version
        if status == STOPPED:
            return _stopped()
        return status if isinstance(status, int) else 0
    except typer.Exit as done:
        return int(done.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _stopped()
    except BrokenPipeError:
        return 1
    except Exception as error:
        if isinstance(error, _USAGE):
            error.show()
            return int(error.exit_code)
        if debug:
            traceback.print_exc()
            return error.exit_status if isinstance(error, IbcReportError) else 1
        if not isinstance(error, IbcReportError):
            error = exceeded(error) or error
        if isinstance(error, IbcReportError):
            typer.echo(f"ibc-report: {one_line(str(error))}", err=True)
            return error.exit_status
        typer.echo(
            f"ibc-report: unexpected {type(error).__name__}: {one_line(str(error))}; run 'ibc-report --debug …' and "
            "report it",
            err=True,
        )
        return 1


def _stopped() -> int:
    typer.echo("ibc-report: stopped; what was written is whole, and the next run goes on from there", err=True)
    return STOPPED


def _bytes(text: str) -> int:
    """Read an amount of memory, as in 500MB or 2GB."""
    from ibc_report.common.untrusted import bytes_of

    size = bytes_of(text)
    if size is None:
        raise UsageError(f"--memory {text} is no amount of memory; write it as in 500MB or 2GB")
    return size


def _form(wanted: Format | None, output: Path | None) -> Format | None:
    """The form to write: the one asked for, else that of the output's ending."""
    if wanted is not None or output is None or str(output) == "-":
        return wanted or (Format.md if output is not None else None)
    ending = {"htm": "html", "markdown": "md"}.get(output.suffix[1:].lower(), output.suffix[1:].lower())
    if ending not in Format.__members__:
        raise UsageError(f"{output} does not say its form by its ending; add --format html, md or json")
    return Format(ending)


def _write(
    report: ReportDocument, form: Format, output: Path | None, templates: Path | None, *, png: bool = False
) -> list[str]:
    """Write one form of a card; a Markdown file has its figures in a folder beside it."""
    if form is Format.json:
        # what renders cards is not wanted
        return _write_json(report, output)
    from ibc_report.common.files import write
    from ibc_report.rendering import cards

    if output is None or str(output) == "-":
        text = {Format.md: cards.markdown, Format.html: cards.html}[form](report, templates=templates)
        write_document(text)
        return []
    became = "Replaced" if output.is_file() else "Written"
    if form is Format.html:
        write(output, cards.html(report, templates=templates))
    else:
        figures = cards.figure_files(report, png=png)
        folder = output.with_name(f"{output.stem}_files")
        for name, content in figures.items():
            write(folder / name, content)
        paths = {Path(name).stem: f"{folder.name}/{name}" for name in figures}
        write(output, cards.markdown(report, figure_paths=paths, templates=templates))
    return [f"{became}: {output}"]


def _write_json(report: ReportDocument, output: Path | None) -> list[str]:
    from ibc_report.common.files import write

    if output is None or str(output) == "-":
        write_document(report.to_json())
        return []
    became = "Replaced" if output.is_file() else "Written"
    write(output, report.to_json())
    return [f"{became}: {output}"]
