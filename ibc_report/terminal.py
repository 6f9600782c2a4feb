"""What a person sees in the terminal: the summary of a card, and bars for stages that take long."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock, Timer
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from ibc_report.escaping import one_line
from ibc_report.report import Report

__all__ = ["Bars", "bars", "summary"]

PATIENCE = 1.0
"""Seconds that a stage may take before a bar is shown for it."""

SHOWN = ("n", "dimension", "radius", "margin", "resolution", "classes", "target_error", "leave_one_out_error")
"""Numbers of the summary, of those that a report has."""


AS_IT_IS: dict[str, Any] = {"highlight": False, "soft_wrap": True}
"""A line that the terminal may wrap, and a file keeps whole."""

MOST_INPUTS = 6
"""Input columns that the summary names."""


def summary(console: Console, report: Report, files: Sequence[str]) -> None:
    """Print the headline with its interval, the numbers it came from, what is doubtful and where the files went.

    Parameters
    ----------
    console : Console
        Where to.
    report : Report
        What of.
    files : sequence of str
        What became of which file, a line each.
    """
    headline = report.headline
    console.print()
    console.print(f"[bold]{_safe(report.title)}[/bold]")
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

    Yields
    ------
    Bars
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
