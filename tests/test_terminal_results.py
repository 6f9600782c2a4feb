"""Results in the terminal: names from files print as themselves, and narrow windows keep every number."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from ibc_report.evaluation.grading import Grader
from ibc_report.evaluation.judging import Baseline, Scored, judge
from ibc_report.evaluation.layouts import Table, laid_out
from ibc_report.evaluation.predictions import match
from ibc_report.evaluation.results import Results
from ibc_report.terminal_results import show


def results(*names: str, n: int = 40) -> Results:
    """Results of models with these names, each worse than the one before."""
    answers = [
        one
        for place, name in enumerate(names)
        for one in laid_out(
            Table("a.csv", name, {"row": list(range(n)), "correct": [i % 10 >= place for i in range(n)]})
        )[0]
    ]
    found = match(answers, None, Grader.none("no data"))
    return judge(Scored("here", None, None, found, Baseline(0.5, "")), name="made", title="[bold]Made[/bold]\x1b[2J")


def printed(of: Results, width: int) -> str:
    """What a terminal of some width shows."""
    stream = io.StringIO()
    show(Console(file=stream, width=width), of, ["Written: a.json"])
    return stream.getvalue()


def test_names_print_as_themselves() -> None:
    """Markup of a name is not taken for the terminal's, and control characters are replaced."""
    text = printed(results("[red]x[/red]", "a\x1b[2Jb"), 120)
    assert "[red]x[/red]" in text
    assert "[bold]Made[/bold]" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_number_is_cut(width: int) -> None:
    """Nothing is shortened to an ellipsis, and each model's accuracy is there."""
    found = results("resnet-with-a-long-name-v2", "vit-with-an-even-longer-name-v11", "mlp")
    text = printed(found, width)
    assert "…" not in text
    for model in found.models:
        assert model.text in text
    assert "Written: a.json" in text


def test_one_model_has_no_table_of_pairs() -> None:
    """A single model has no ranks and no pairs."""
    text = printed(results("only"), 100)
    assert "On the same examples" not in text
    assert "Rank" not in text


def test_a_tie_is_equal() -> None:
    """Of two models with as many right answers neither is called better."""
    right = [i % 10 > 0 for i in range(40)]
    answers = [
        one
        for name in ("copy", "original")
        for one in laid_out(Table("a.csv", name, {"row": list(range(40)), "correct": right}))[0]
    ]
    found = match(answers, None, Grader.none("no data"))
    made = judge(Scored("here", None, None, found, Baseline(0.5, "")), name="made", title="Made")
    assert made.pairs[0].text == "equal"
    for text in (printed(made, 120), made.to_markdown()):
        assert "equal" in text
        assert "Better" not in text
