"""What a person sees in the terminal."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable

import pytest
from rich.console import Console
from rich.progress import Progress

import ibc_report
from ibc_report.report import Report
from ibc_report.terminal import PATIENCE, Bars, bars, summary


@pytest.fixture(scope="module")
def iris() -> Report:
    """A measured report."""
    return ibc_report.measure("builtin:iris")


def printed(report: Report, files: tuple[str, ...] = (), width: int = 200) -> str:
    """The summary as plain text."""
    stream = io.StringIO()
    summary(Console(file=stream, width=width), report, files)
    return stream.getvalue()


def test_the_summary_says_what_the_card_says(iris: Report) -> None:
    """The headline with its interval, the numbers with their origins, the doubts and the files are all there."""
    text = printed(iris, ("reports/iris.json", "reports/iris.html"))
    headline = iris.headline
    assert f"10^{headline.exponent} bits, between 10^{headline.lower_exponent} and 10^{headline.upper_exponent}" in text
    assert headline.is_not[:80] in text
    for number in iris.numbers:
        if number.key in ("n", "dimension", "radius", "margin", "classes", "target_error"):
            assert number.text in text
            assert number.origin in text
    assert iris.doubts
    for doubt in iris.doubts:
        assert f"• {doubt[:60]}" in text
    assert "Written: reports/iris.json\nWritten: reports/iris.html\n" in text


def test_text_of_a_dataset_is_no_markup(iris: Report) -> None:
    """A title, a doubt or a path in brackets is printed as it is."""
    hostile = iris.model_copy(update={"title": "[red]a[/red] [/b]", "doubts": ("[link=x]b",)})
    text = printed(hostile, ("[bold]c.json",))
    assert "[red]a[/red] [/b]" in text
    assert "[link=x]b" in text
    assert "Written: [bold]c.json" in text


def test_a_long_path_stays_on_one_line(iris: Report) -> None:
    """A path can be copied from the terminal, however narrow."""
    path = "/".join(["folder"] * 20)
    assert f"Written: {path}\n" in printed(iris, (path,), width=40)


def test_zero_bits_and_no_files_are_said_plainly(iris: Report) -> None:
    """A report of 0 bits says 0 bits, and where nothing was written nothing is said of files."""
    nothing = {"exponent": None, "lower_exponent": None, "upper_exponent": None, "log10_bits": None}
    zero = iris.model_copy(update={"headline": iris.headline.model_copy(update=nothing), "doubts": ()})
    text = printed(zero)
    assert "\n0 bits\n" in text
    assert "Written" not in text
    assert "Doubtful" not in text


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set the time that bars see."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return lambda seconds: now.__setitem__(0, seconds)


def test_a_bar_shows_for_a_stage_that_takes_longer_than_a_second(clock: Callable[[float], None]) -> None:
    """A quick stage draws nothing; a slow one gets a bar with its name and its fraction."""
    progress = Progress(console=Console(file=io.StringIO()), get_time=lambda: 0.0)
    told = Bars(progress)
    told("quick", 0.0)
    told("slow", 0.0)
    clock(PATIENCE / 2)
    told("quick", 1.0)
    told("slow", 0.2)
    assert progress.tasks == []
    clock(PATIENCE * 2)
    told("slow", 0.6)
    assert [(task.description, task.completed) for task in progress.tasks] == [("slow", 0.6)]
    told("slow", 1.0)
    assert progress.tasks[0].finished


def test_a_stage_within_a_task_bears_its_name(clock: Callable[[float], None]) -> None:
    """Two tasks' stages of one name are two bars."""
    progress = Progress(console=Console(file=io.StringIO()), get_time=lambda: 0.0)
    told = Bars(progress)
    for name in ("iris", "wine"):
        clock(0.0)
        told.within(name)("reading", 0.0)
        clock(PATIENCE * 2)
        told.within(name)("reading", 0.5)
    assert [task.description for task in progress.tasks] == ["iris: reading", "wine: reading"]


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


SEEN = [
    pytest.param(Terminal, False, True, id="terminal"),
    pytest.param(Terminal, True, False, id="quiet"),
    pytest.param(io.StringIO, False, False, id="no-terminal"),
]


@pytest.mark.parametrize(("kind", "quiet", "seen"), SEEN)
def test_bars_are_for_people(
    kind: type[io.StringIO],
    quiet: bool,
    seen: bool,
    clock: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bars are drawn on a terminal's standard error, and nowhere where it is none or --quiet was given."""
    stream = kind()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with bars(quiet=quiet) as told:
        told("measuring", 0.0)
        clock(PATIENCE * 2)
        told("measuring", 0.5)
    assert ("measuring" in stream.getvalue()) is seen
    assert bool(stream.getvalue()) is seen
