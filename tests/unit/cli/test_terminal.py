"""What a person sees in the terminal: names from files print as themselves, and narrow windows keep every number."""

from __future__ import annotations

import io
import sys
import threading
import time

import pytest
from rich.console import Console
from rich.progress import Progress

import ibc_report
from ibc_report import Report
from ibc_report.cli import terminal
from ibc_report.cli.terminal import Bars, bars, show, summary
from ibc_report.evaluation.scoring.answers import AnswerTable
from ibc_report.evaluation.scoring.columns import laid_out
from ibc_report.evaluation.scoring.grading import Grader
from ibc_report.evaluation.scoring.predictions import match
from ibc_report.evaluation.scoring.score import MajorityClass, ScoredSet, score
from ibc_report.rendering.results import results_markdown
from ibc_report.report.schema.results import Results
from ibc_report.report.sections.results import results_document


@pytest.fixture(scope="module")
def iris() -> Report:
    """A measured report."""
    return ibc_report.measure("builtin:iris")


def printed(report: Report, files: tuple[str, ...] = (), width: int = 200) -> str:
    """The summary as plain text."""
    stream = io.StringIO()
    summary(Console(file=stream, width=width), report, files)
    return stream.getvalue()


def test_the_summary_says_first_what_the_data_do_not_fix(iris: Report) -> None:
    """Under the title stands that they do not fix the number, and then the bits; without that, the bits at once."""
    said = "These data do not fix the number: they allow 10^1.5 bits or more."
    bits = f"10^{iris.headline.exponent} bits"
    for sentence, after in ((said, [iris.title, said, bits]), ("", [iris.title, bits])):
        headline = iris.headline.model_copy(update={"not_fixed": sentence})
        lines = printed(iris.model_copy(update={"headline": headline})).split("\n")[1:]
        assert [line.split(",")[0] for line in lines[: len(after)]] == after


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


def results(*names: str, n: int = 40) -> Results:
    """Results of models with these names, each worse than the one before."""
    answers = [
        one
        for place, name in enumerate(names)
        for one in laid_out(
            AnswerTable("a.csv", name, {"row": list(range(n)), "correct": [i % 10 >= place for i in range(n)]})
        )[0]
    ]
    found = match(answers, None, Grader.none("no data"))
    scores = score(ScoredSet("here", None, None, found, MajorityClass(0.5, "1", "test")))
    return results_document(scores, name="made", title="[bold]Made[/bold]\x1b[2J")


def printed_results(of: Results, width: int) -> str:
    """What a terminal of some width shows."""
    stream = io.StringIO()
    show(Console(file=stream, width=width), of, ["Written: a.json"])
    return stream.getvalue()


def test_names_print_as_themselves() -> None:
    """Markup of a name is not taken for the terminal's, and control characters are replaced."""
    text = printed_results(results("[red]x[/red]", "a\x1b[2Jb"), 120)
    assert "[red]x[/red]" in text
    assert "[bold]Made[/bold]" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_number_is_cut(width: int) -> None:
    """Nothing is shortened to an ellipsis, and each model's accuracy is there."""
    found = results("resnet-with-a-long-name-v2", "vit-with-an-even-longer-name-v11", "mlp")
    text = printed_results(found, width)
    assert "…" not in text
    for model in found.models:
        assert model.text in text
    assert "Written: a.json" in text


def test_one_model_has_no_table_of_pairs() -> None:
    """A single model has no ranks and no pairs."""
    text = printed_results(results("only"), 100)
    assert "On the same examples" not in text
    assert "Rank" not in text


def test_a_tie_is_equal() -> None:
    """Of two models with as many right answers neither is called better."""
    right = [i % 10 > 0 for i in range(40)]
    answers = [
        one
        for name in ("copy", "original")
        for one in laid_out(AnswerTable("a.csv", name, {"row": list(range(40)), "correct": right}))[0]
    ]
    found = match(answers, None, Grader.none("no data"))
    scores = score(ScoredSet("here", None, None, found, MajorityClass(0.5, "1", "test")))
    made = results_document(scores, name="made", title="Made")
    assert made.pairs[0].text == "equal"
    for text in (printed_results(made, 120), results_markdown(made)):
        assert "equal" in text
        assert "Better" not in text
