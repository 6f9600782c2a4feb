"""What a person sees in the terminal: the summary of a card, and bars for stages that take long."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from ibc_report.report import Report

__all__ = ["Bars", "bars", "summary"]

PATIENCE = 1.0
"""Seconds that a stage may take before a bar is shown for it."""

SHOWN = ("n", "dimension", "radius", "margin", "resolution", "classes", "target_error", "leave_one_out_error")
"""Numbers of the summary, of those that a report has."""


def summary(console: Console, report: Report, files: Sequence[str]) -> None:
    """Print the headline with its interval, the numbers it came from, what is doubtful and where the files went.

    Parameters
    ----------
    console : Console
        Where to.
    report : Report
        What of.
    files : sequence of str
        Paths that were written.
    """
    headline = report.headline
    console.print()
    console.print(f"[bold]{escape(report.title)}[/bold]")
    value = f"10^{headline.exponent} bits" if headline.exponent else "0 bits"
    if headline.lower_exponent and headline.upper_exponent:
        value += f", between 10^{headline.lower_exponent} and 10^{headline.upper_exponent}"
    console.print(f"[bold]{value}[/bold]", highlight=False)
    console.print(escape(headline.interval_is), highlight=False, style="dim")
    console.print()
    for key in SHOWN:
        for number in report.numbers:
            if number.key == key:
                label = f"{number.name} {number.symbol}".strip()
                console.print(f"  {label:<24}{number.text:>10}  [dim]{escape(number.origin)}[/dim]", highlight=False)
    if report.published is not None:
        published = report.published
        console.print(
            f"\nWith the paper's m = {published.rounded_dimension}: {published.rounded_bits} bits; published for "
            f"{published.title}: {published.bits} bits.",
            highlight=False,
        )
    if report.doubts:
        console.print("\nDoubtful:", style="bold yellow")
        for doubt in report.doubts:
            console.print(f"  • {escape(doubt)}", highlight=False)
    console.print(f"\n{escape(headline.is_not)}", highlight=False, style="dim")
    if files:
        console.print()
        for file in files:
            console.print(f"Written: {escape(file)}", highlight=False, soft_wrap=True)


class Bars:
    """Bars for stages, each shown once it has taken longer than a second."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._started: dict[str, float] = {}
        self._bars: dict[str, TaskID] = {}

    def __call__(self, stage: str, fraction: float) -> None:
        """Take note of a stage's progress."""
        if self._progress is None:
            return
        now = time.monotonic()
        since = self._started.setdefault(stage, now)
        if stage not in self._bars and fraction < 1 and now - since > PATIENCE:
            self._bars[stage] = self._progress.add_task(stage, total=1.0)
        if stage in self._bars:
            self._progress.update(self._bars[stage], completed=fraction)

    def within(self, name: str) -> Bars:
        """Bars whose stages are named after a task."""
        return _Named(self, name)


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
        yield Bars(progress)
