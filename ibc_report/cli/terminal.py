"""What a person sees in the terminal: the summary of a card, a table of models, and bars for stages that take long."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock, Timer
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from ibc_report.common.escaping import one_line
from ibc_report.report.schema.document import ReportDocument
from ibc_report.report.schema.results import Results
from ibc_report.report.sections import interval_text

__all__ = ["Bars", "bars", "show", "summary"]

PATIENCE = 1.0
"""Seconds that a stage may take before a bar is shown for it."""

SHOWN = ("n", "dimension", "radius", "margin", "resolution", "classes", "target_error", "leave_one_out_error")
"""Numbers of the summary, of those that a report has."""

AS_IT_IS: dict[str, Any] = {"highlight": False, "soft_wrap": True}
"""A line that the terminal may wrap, and a file keeps whole."""

MOST_INPUTS = 6
"""Input columns that the summary names."""


def summary(console: Console, report: ReportDocument, files: Sequence[str]) -> None:
    """Print the headline with its interval, the numbers it came from, what is doubtful and where the files went.

    Parameters
    ----------
    files : sequence of str
        What became of which file, a line each.
    """
    headline = report.headline
    console.print()
    console.print(f"[bold]{_safe(report.title)}[/bold]")
    if headline.not_fixed:
        console.print(_safe(headline.not_fixed), highlight=False)
    value = f"10^{headline.exponent} bits" if headline.exponent else "0 bits"
    if headline.lower_exponent and headline.upper_exponent:
        value += f", between 10^{headline.lower_exponent} and 10^{headline.upper_exponent}"
    console.print(f"[bold]{value}[/bold]", highlight=False)
    console.print(_safe(headline.interval_is), highlight=False, style="dim")
    if report.data is not None:
        data = report.data
        kind = f"{len(data.classes)} classes" if data.classes else "values"
        inputs = ", ".join(data.encoder.inputs[:MOST_INPUTS]) + (
            ", …" if len(data.encoder.inputs) > MOST_INPUTS else ""
        )
        chosen = f"target {data.target} ({kind}); inputs {inputs}; encoder {data.encoder.name}"
        sample = f"; {data.rows_used:,} {data.sample}" if data.sample else ""
        console.print(_safe(chosen + sample), highlight=False, soft_wrap=True)
        if data.target_choice:
            console.print(_safe(data.target_choice), highlight=False, soft_wrap=True, style="dim")
    console.print()
    for key in SHOWN:
        for number in report.numbers:
            if number.key == key:
                label = f"{number.name} {number.symbol}".strip()
                console.print(f"  {label:<24}{number.text:>10}  [dim]{_safe(number.origin)}[/dim]", **AS_IT_IS)
    if report.published is not None:
        published = report.published
        same = "These are its data." if published.recognised else "Its data are others."
        console.print(
            f"\nWith m = {published.rounded_dimension} and target error {published.target_error:g} of the paper's "
            f"{published.title}: {published.rounded_bits} bits; published: {published.bits} bits. {same}",
            highlight=False,
        )
    if report.doubts:
        console.print("\nDoubtful:", style="bold yellow")
        for doubt in report.doubts:
            console.print(f"  • {_safe(doubt)}", **AS_IT_IS)
    console.print(f"\n{_safe(headline.is_not)}", highlight=False, style="dim")
    if files:
        console.print()
        for file in files:
            console.print(_safe(file), **AS_IT_IS)


def _safe(text: str) -> str:
    """Text of a dataset for the terminal: no markup, and no control characters, which could move its cursor."""
    return escape(one_line(text))


class Bars:
    """Bars for stages, each shown once it has taken longer than a second.

    A stage begins when it is first told and ends when it is told 1. A bar moves where the stage tells how far it is,
    and pulses where it does not.
    """

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._waiting: dict[str, Timer] = {}
        self._bars: dict[str, TaskID] = {}
        self._lock = Lock()

    def __call__(self, stage: str, fraction: float) -> None:
        """Take note of a stage's progress."""
        if self._progress is None:
            return
        with self._lock:
            if fraction >= 1:
                self._end(stage)
            elif stage in self._bars:
                self._progress.update(self._bars[stage], total=1.0, completed=fraction)
            elif stage not in self._waiting:
                timer = Timer(PATIENCE, self._show, [stage])
                timer.daemon = True
                self._waiting[stage] = timer
                timer.start()

    def within(self, name: str) -> Bars:
        """Bars whose stages are named after a task."""
        return _Named(self, name)

    def close(self) -> None:
        """End all stages: one that failed never tells its end."""
        with self._lock:
            for stage in [*self._waiting, *self._bars]:
                self._end(stage)

    def _show(self, stage: str) -> None:
        with self._lock:
            if self._progress is not None and self._waiting.pop(stage, None) is not None:
                self._bars[stage] = self._progress.add_task(stage, total=None)

    def _end(self, stage: str) -> None:
        timer = self._waiting.pop(stage, None)
        if timer is not None:
            timer.cancel()
        bar = self._bars.pop(stage, None)
        if bar is not None and self._progress is not None:
            self._progress.remove_task(bar)


class _Named(Bars):
    def __init__(self, outer: Bars, name: str) -> None:
        super().__init__(None)
        self._outer, self._name = outer, name

    def __call__(self, stage: str, fraction: float) -> None:
        self._outer(f"{self._name}: {stage}", fraction)


@contextmanager
def bars(*, quiet: bool) -> Iterator[Bars]:
    """Show bars on standard error while the block runs.

    Parameters
    ----------
    quiet : bool
        Show none; nor are any shown where standard error is not a terminal.
    """
    if quiet or not sys.stderr.isatty():
        yield Bars(None)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        shown = Bars(progress)
        try:
            yield shown
        finally:
            shown.close()


def show(console: Console, results: Results, files: Sequence[str]) -> None:
    """Print the models, what the tests say of them, and where the files went."""
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
    # what words results brings more than a card's summary needs
    from ibc_report.rendering.results import printed_pairs

    table = _table("Model", "Compared with", right=("Points", f"{100 * results.level:g} %", "Exact p", "Corrected"))
    pairs = printed_pairs(results)
    for pair in pairs:
        cells = (pair.first, pair.second, pair.text.removesuffix(" points"), pair.interval.text)
        ps = (
            interval_text.probability(pair.exact_p),
            interval_text.probability(pair.holm_p),
        )
        table.add_row(*map(_safe, (*cells, *ps)), style=None if pair.distinguishable else "dim")
    console.print("\n[bold]On the same examples[/bold]")
    console.print(table)
    if len(results.pairs) > 1:
        _line(console, "Intervals and exact p are of one pair each; ranks rest on the corrected p, for all pairs.")
    if len(pairs) < len(results.pairs):
        _line(console, f"Of {len(results.pairs):,} pairs those of neighbours in accuracy are shown.")


def _between(console: Console, results: Results) -> None:
    assert results.against is not None
    uneven = any(row.n != results.test.examples or row.other_n != results.against.examples for row in results.between)
    table = _table("Model", right=("Here", "There", "Points", f"{100 * results.level:g} %", "p", "Corrected"))
    for row in results.between:
        cells = (
            row.model,
            f"{100 * row.accuracy:.1f} %" + (f" of {row.n:,}" if uneven else ""),
            f"{100 * row.other_accuracy:.1f} %" + (f" of {row.other_n:,}" if uneven else ""),
            row.text.removesuffix(" points"),
            row.interval.text,
            interval_text.probability(row.p),
            interval_text.probability(row.holm_p),
        )
        table.add_row(*map(_safe, cells), style=None if row.holm_p <= 1 - results.level else "dim")
    console.print(
        f"\n[bold]Against {_safe(results.against.name)}[/bold]: {results.against.examples:,} examples",
        highlight=False,
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
