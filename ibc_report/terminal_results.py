"""What a person sees in the terminal of results: a table of models, and what they can be told apart by."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ibc_report.escaping import one_line
from ibc_report.evaluation import phrases
from ibc_report.evaluation.results import Results
from ibc_report.evaluation.results_markdown import printed_pairs

__all__ = ["show"]


def show(console: Console, results: Results, files: Sequence[str]) -> None:
    """Print the models, what the tests say of them, and where the files went.

    Parameters
    ----------
    console : Console
        Where to.
    results : Results
        What of.
    files : sequence of str
        What became of which file, a line each.
    """
    test = results.test
    console.print()
    console.print(f"[bold]{_safe(results.title)}[/bold]", highlight=False)
    split = f", split {test.split}" if test.split else ""
    _line(console, f"{test.name}{split}: {test.examples:,} examples; {test.matched_by}")
    _models(console, results)
    _line(console, test.majority_is)
    _line(console, results.bits_are)
    _line(console, results.resolution.text)
    if results.pairs:
        _pairs(console, results)
    if results.against is not None and results.between:
        _between(console, results)
    if results.line is not None:
        console.print("\n[bold]Accuracy on the line[/bold]")
        _line(console, results.line.text)
        for subset in results.line.subsets:
            _line(console, f"  {subset.text}")
    if results.notes:
        console.print("\nNotes:", style="bold yellow")
        for note in results.notes:
            _line(console, f"  • {note}")
    if files:
        console.print()
        for file in files:
            _line(console, file)


def _models(console: Console, results: Results) -> None:
    models = results.models
    # where every model answers every example, the line above has said how many
    uneven = any(model.n != results.test.examples for model in models)
    table = _table("Model", right=("Accuracy", f"{100 * results.level:g} %"))
    ranked, skilled = any(model.best_rank for model in models), any(model.skill is not None for model in models)
    gap, bits = any(model.gap for model in models), any(model.bits for model in models)
    for head, shown in (
        ("n", uneven),
        ("Rank", ranked),
        ("Skill", skilled),
        ("Train–test", gap),
        ("Bits at its error", bits),
    ):
        if shown:
            table.add_column(head, justify="right", overflow="fold")
    for model in models:
        cells = [model.name, model.text, model.wilson.text.removesuffix(" %")]
        cells += [f"{model.n:,}"] if uneven else []
        cells += [model.rank_text] if ranked else []
        cells += [model.skill_text] if skilled else []
        cells += [model.gap.text.removesuffix(" points") if model.gap else "–"] if gap else []
        cells += [model.bits.text if model.bits else "–"] if bits else []
        table.add_row(*map(_safe, cells))
    console.print(table)


def _pairs(console: Console, results: Results) -> None:
    table = _table(
        "Model", "Compared with", right=("Points", f"{100 * results.level:g} %", "Exact p", "Mid-p", "Corrected")
    )
    pairs = printed_pairs(results)
    for pair in pairs:
        cells = (pair.first, pair.second, pair.text.removesuffix(" points"), pair.interval.text)
        ps = (phrases.probability(pair.exact_p), phrases.probability(pair.mid_p), phrases.probability(pair.holm_p))
        table.add_row(*map(_safe, (*cells, *ps)), style=None if pair.distinguishable else "dim")
    console.print("\n[bold]On the same examples[/bold]")
    console.print(table)
    if len(pairs) < len(results.pairs):
        _line(console, f"Of {len(results.pairs):,} pairs those of neighbours in accuracy are shown.")


def _between(console: Console, results: Results) -> None:
    assert results.against is not None
    uneven = any(row.n != results.test.examples or row.other_n != results.against.examples for row in results.between)
    table = _table("Model", right=("Here", "There", "Points", f"{100 * results.level:g} %", "z", "Corrected"))
    for row in results.between:
        cells = (
            row.model,
            f"{100 * row.accuracy:.1f} %" + (f" of {row.n:,}" if uneven else ""),
            f"{100 * row.other_accuracy:.1f} %" + (f" of {row.other_n:,}" if uneven else ""),
            row.text.removesuffix(" points"),
            row.interval.text,
            "–" if row.z is None else f"{row.z:.3f}".replace("-", "−"),
            phrases.probability(row.holm_p),
        )
        table.add_row(*map(_safe, cells), style=None if row.holm_p <= 1 - results.level else "dim")
    console.print(
        f"\n[bold]Against {_safe(results.against.name)}[/bold]: {results.against.examples:,} examples", highlight=False
    )
    console.print(table)


def _table(*left: str, right: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head in left:
        table.add_column(head, overflow="fold", min_width=8)
    for head in right:
        table.add_column(head, justify="right", overflow="fold")
    return table


def _line(console: Console, text: str) -> None:
    if text:
        indent = text[: len(text) - len(text.lstrip())]
        console.print(indent + _safe(text), highlight=False, soft_wrap=True)


def _safe(text: str) -> str:
    """Text of a file for the terminal: no markup, and no control characters, which could move its cursor."""
    return escape(one_line(text))
