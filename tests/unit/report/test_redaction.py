"""A report without its rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ibc_report import load_report, measure
from ibc_report.cli.app import app
from ibc_report.data.task import Task, load_catalog
from ibc_report.publish import bundle, content
from ibc_report.report.redaction import NOT_SHOWN, shows_rows, without_examples
from tests.support.submissions import made

SAVED = sorted((Path(__file__).resolve().parents[3] / "site" / "saved").glob("*.json"))


def with_secrets(folder: Path) -> Path:
    """A table of texts, each of which has a word of its own that nothing but a row could tell."""
    lines = ["text,kind"]
    lines += [
        f"a note of the {'sea' if row % 2 else 'land'} and secret{row} {row * 37 % 11},k{row % 2}" for row in range(60)
    ]
    path = folder / "notes.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_saved_reports_show_no_rows(path: Path) -> None:
    """Reports of other people's data that are published here show no picture, text or value of a row."""
    report = load_report(path)
    assert not shows_rows(report)
    assert report.pair is not None
    for example in (report.pair.first, report.pair.second):
        assert (example.png, example.text, example.fields, example.label) == (None, None, (), NOT_SHOWN)
    assert report.test is not None
    assert report.test.leakage is not None
    assert {leak.excerpt for leak in report.test.leakage.pairs} <= {None}
    assert "--no-examples" in report.repeat.command


def test_no_text_of_a_row_is_left(tmp_path: Path) -> None:
    """With --no-examples no word that only rows have is in the report or the card; without it, there is one."""
    path = with_secrets(tmp_path)
    for options, shown in (([], True), (["--no-examples"], False)):
        for form in ("json", "md", "html"):
            output = tmp_path / f"out.{form}"
            done = CliRunner().invoke(app, ["card", str(path), "-q", "-o", str(output), *options])
            assert done.exit_code == 0, done.output
            assert ("secret" in output.read_text(encoding="utf-8")) == shown


def test_the_numbers_are_the_same() -> None:
    """Leaving rows out changes no number, and the command that is printed leaves them out again."""
    shown, hidden = measure("builtin:digits", max_rows=300), measure("builtin:digits", max_rows=300, examples=False)
    assert (hidden.headline, hidden.numbers) == (shown.headline, shown.numbers)
    assert hidden.pair == without_examples(shown).pair
    assert hidden.repeat.command == f"{shown.repeat.command} --no-examples"
    assert hidden.repeat.fingerprint != shown.repeat.fingerprint


def test_a_catalog_can_leave_rows_out(tmp_path: Path) -> None:
    """A task of a catalog says it by a key."""
    path = tmp_path / "catalog.yml"
    path.write_text("tasks:\n- name: a\n  source: builtin:iris\n  examples: false\n", encoding="utf-8")
    (task,) = load_catalog(path).tasks
    assert not shows_rows(measure(task))
    assert shows_rows(measure(Task.of("builtin:iris")))


def test_a_push_and_a_bundle_show_no_rows() -> None:
    """What a push brings has no rows in any case, and a bundle has none of a report without them."""
    report = made().report
    assert report.pair is not None
    values = [value for one in (report.pair.first, report.pair.second) for _, value in one.fields]
    assert values
    files = content.files(report)
    assert {name.rpartition(".")[2] for name in files} == {"png"}
    hidden = bundle.files(made(report=without_examples(report)))
    pair = json.loads(hidden["report.json"])["pair"]
    assert [pair[one]["fields"] for one in ("first", "second")] == [[], []]
    assert NOT_SHOWN in hidden["card.md"].decode()
