"""The command that reads models' predictions: results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ibc_report.common.errors import UsageError

__all__ = ["register", "results"]

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(results)


def results(
    task: Annotated[str, typer.Argument(help="What the predictions are of: a source as for a card, or a report.json.")],
    predictions: Annotated[
        list[Path],
        typer.Argument(help="CSV, TSV, text, JSON or parquet files of one or many models, or folders of such."),
    ],
    split: Annotated[
        str | None, typer.Option(help="Split that they are of; the test split by default, or the only one.")
    ] = None,
    train: Annotated[
        list[Path] | None, typer.Option(help="Predictions on the training split, for the gap; repeat for several.")
    ] = None,
    against: Annotated[
        tuple[str, Path] | None, typer.Option(help="Another test set and predictions of the same models on it.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="Column that says which example a row is of.")] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="Column that is named by a model; repeat for several.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=VALUE", help="Read only rows that have this value there; repeat for several."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="Target column; found where only one makes sense.")] = None,
    input: Annotated[
        list[str] | None, typer.Option(help="Input column; repeat for several. All but the target by default.")
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="The first line of a table of text names its columns, or is a row."),
    ] = None,
    config: Annotated[str | None, typer.Option(help="Configuration, where there are several.")] = None,
    revision: Annotated[str | None, typer.Option(help="Branch, tag or commit of a Hub dataset.")] = None,
    kind: Annotated[str | None, typer.Option(help="Take the target as 'classes' or as 'values' (regression).")] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="Of values: a prediction is right where it is no further off.")
    ] = None,
    max_unmatched: Annotated[
        float, typer.Option(help="Share of rows without an example, and of examples without a row, to put up with.")
    ] = 0.01,
    level: Annotated[float, typer.Option(help="Of all intervals; 1 − level is the size of all tests.")] = 0.95,
    bits: Annotated[
        bool, typer.Option("--bits/--no-bits", help="Measure the task for the bits of errors; a report has them.")
    ] = True,
    seed: Annotated[int | None, typer.Option(help="Seed of everything that draws; 0 by default.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write, .json or .md; '-' is standard output, as JSON."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Say what models' predictions on a test set tell: intervals, ranks, skill, bits, and what differs.

    A file has a row for each example: 'row' (or another key, or the order), and 'correct' or 'prediction'; 'model'
    where there are several. A column for each model also does, such as MODEL_correct, or one of objects with
    'is_correct'. So do labels alone, a line each, a label with its score, or a score for each class. Published scores
    are rows of 'model', 'accuracy' and 'n'.
    """
    from rich.console import Console

    from ibc_report.cli.terminal import bars, show
    from ibc_report.common.files import write
    from ibc_report.pipeline.answer_key import Reading
    from ibc_report.pipeline.score import score_predictions, subject_named
    from ibc_report.rendering.results import results_markdown

    form = _form(output)
    reading = Reading(
        split=split,
        key=key,
        model_columns=tuple(column or ()),
        where=tuple(map(_condition, where or ())),
        tolerance=tolerance,
        max_unmatched=max_unmatched,
        level=level,
        bits=bits,
    )
    chosen = subject_named(
        task,
        target=target,
        inputs=tuple(input) if input else None,
        header=header,
        config=config,
        revision=revision,
        kind=kind,
        seed=seed,
    )
    with bars(quiet=quiet) as progress:
        found = score_predictions(
            chosen,
            predictions,
            train=train or (),
            against=(against[0], [against[1]]) if against is not None else None,
            reading=reading,
            progress=progress,
        )
    text = results_markdown(found) if form == "md" else found.to_json()
    if output is not None and str(output) == "-":
        typer.echo(text, nl=False)
        return
    files = []
    if output is not None:
        became = "Replaced" if output.is_file() else "Written"
        write(output, text)
        files.append(f"{became}: {output}")
    if not quiet:
        show(Console(), found, files)


def _condition(text: str) -> tuple[str, str]:
    column, mark, value = text.partition("=")
    if not mark or not column.strip() or not value.strip():
        raise UsageError(f"--where {text} is no COLUMN=VALUE; write --where filter=strict-match, say")
    return column, value


def _form(output: Path | None) -> str:
    if output is None or str(output) == "-":
        return "json"
    ending = {".json": "json", ".md": "md", ".markdown": "md"}.get(output.suffix.lower())
    if ending is None:
        raise UsageError(f"{output} does not say its form by its ending; call it .json or .md")
    return ending
