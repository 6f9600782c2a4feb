"""What a person sees in the terminal."""

from __future__ import annotations

import io
import sys
import threading
import time

import pytest
from rich.console import Console
from rich.progress import Progress

import ibc_report
from ibc_report import terminal
from ibc_report.report import Report
from ibc_report.terminal import Bars, bars, summary


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
    text = printed(iris, ("Written: reports/iris.json", "Replaced: reports/iris.html"))
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
    assert text.endswith("\nWritten: reports/iris.json\nReplaced: reports/iris.html\n")


def test_text_of_a_dataset_is_no_markup(iris: Report) -> None:
    """A title, a doubt or a path in brackets is printed as it is."""
    hostile = iris.model_copy(update={"title": "[red]a[/red] [/b]", "doubts": ("[link=x]b",)})
    text = printed(hostile, ("Written: [bold]c.json",))
    assert "[red]a[/red] [/b]" in text
    assert "[link=x]b" in text
    assert "Written: [bold]c.json" in text


def test_a_long_path_stays_on_one_line(iris: Report) -> None:
    """A path can be copied from the terminal, however narrow."""
    line = "Written: " + "/".join(["folder"] * 20)
    assert f"\n{line}\n" in printed(iris, (line,), width=40)


def test_zero_bits_and_no_files_are_said_plainly(iris: Report) -> None:
    """A report of 0 bits says 0 bits, and where nothing was written nothing is said of files."""
    nothing = {"exponent": None, "lower_exponent": None, "upper_exponent": None, "log10_bits": None}
    zero = iris.model_copy(update={"headline": iris.headline.model_copy(update=nothing), "doubts": ()})
    text = printed(zero)
    assert "\n0 bits\n" in text
    assert "Written" not in text
    assert "Doubtful" not in text


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have bars show almost at once."""
    monkeypatch.setattr(terminal, "PATIENCE", 0.05)


@pytest.fixture
def progress() -> Progress:
    """Bars that are drawn nowhere."""
    return Progress(console=Console(file=io.StringIO()))


def shown(progress: Progress, count: int) -> list[tuple[str, float | None, float]]:
    """The bars, once there are as many as this, or after a while."""
    deadline = time.monotonic() + 10
    while len(progress.tasks) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    return [(task.description, task.total, task.completed) for task in progress.tasks]


@pytest.mark.usefixtures("impatient")
def test_a_bar_pulses_for_a_stage_that_takes_long_and_tells_nothing(progress: Progress) -> None:
    """A stage that was told once has a pulsing bar after a while, which moves once it is told how far, and ends."""
    told = Bars(progress)
    told("slow", 0.0)
    assert shown(progress, 1) == [("slow", None, 0.0)]
    told("slow", 0.6)
    assert shown(progress, 1) == [("slow", 1.0, 0.6)]
    told("slow", 1.0)
    assert progress.tasks == []


def test_a_quick_stage_has_no_bar(progress: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stage that ends in time is never drawn, and its timer is not left running; a stage told 1 first is none."""
    monkeypatch.setattr(terminal, "PATIENCE", 60.0)
    told = Bars(progress)
    before = threading.active_count()
    told("quick", 0.0)
    told("quick", 0.5)
    assert threading.active_count() == before + 1
    (timer,) = told._waiting.values()
    told("quick", 1.0)
    told("at once", 1.0)
    timer.join(10)
    assert not timer.is_alive()
    assert progress.tasks == []


@pytest.mark.usefixtures("impatient")
def test_closing_ends_all_stages(progress: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stage that failed never tells its end: closing takes its bar away, and one that waits gets none."""
    told = Bars(progress)
    told("failed", 0.0)
    shown(progress, 1)
    monkeypatch.setattr(terminal, "PATIENCE", 60.0)
    told("waiting", 0.0)
    (timer,) = told._waiting.values()
    told.close()
    timer.join(10)
    assert not timer.is_alive()
    assert progress.tasks == []


@pytest.mark.usefixtures("impatient")
def test_a_stage_within_a_task_bears_its_name(progress: Progress) -> None:
    """Two tasks' stages of one name are two bars."""
    told = Bars(progress)
    told.within("iris")("reading", 0.0)
    shown(progress, 1)
    told.within("wine")("reading", 0.0)
    assert [name for name, _, _ in shown(progress, 2)] == ["iris: reading", "wine: reading"]
    told.close()


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


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("kind", "quiet", "seen"), SEEN)
def test_bars_are_for_people(kind: type[io.StringIO], quiet: bool, seen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bars are drawn on a terminal's standard error, and nowhere where it is none or --quiet was given."""
    stream = kind()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with bars(quiet=quiet) as told:
        told("measuring", 0.0)
        deadline = time.monotonic() + (10 if seen else 0.3)
        while "measuring" not in stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert ("measuring" in stream.getvalue()) is seen
    assert bool(stream.getvalue()) is seen


def test_the_summary_names_what_was_measured(iris: Report) -> None:
    """Target, inputs and encoder are there; of many inputs the first six."""
    assert iris.data is not None
    inputs = ", ".join(iris.data.encoder.inputs)
    assert f"\ntarget {iris.data.target} (3 classes); inputs {inputs}; encoder tabular\n" in printed(iris)
    many = iris.data.encoder.model_copy(update={"inputs": tuple("abcdefgh")})
    changes = {"encoder": many, "classes": ()}
    wide = iris.model_copy(update={"data": iris.data.model_copy(update=changes)})
    assert " (values); inputs a, b, c, d, e, f, …; encoder tabular\n" in printed(wide)


def test_control_characters_of_a_dataset_do_not_reach_the_terminal(iris: Report) -> None:
    """Escapes in titles, columns, doubts and paths come out as U+FFFD, and line breaks as spaces."""
    assert iris.data is not None
    hostile = "a\x1b[2Jb\x07c\nd"
    encoder = iris.data.encoder.model_copy(update={"inputs": (hostile,)})
    numbers = tuple(number.model_copy(update={"origin": hostile}) for number in iris.numbers)
    changes = {
        "title": hostile,
        "doubts": (hostile,),
        "numbers": numbers,
        "data": iris.data.model_copy(update={"encoder": encoder, "target": hostile}),
    }
    text = printed(iris.model_copy(update=changes), (hostile,))
    assert not {"\x1b", "\x07"} & set(text)
    assert text.count("a\ufffd[2Jb\ufffdc d") >= 6
