"""The commands `attach` and `verify`: what they write and say, and with which status they end."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from ibc_report.cli.app import main
from ibc_report.publish.verify import verify
from tests.support.submissions import hub_report, of_test, results

ATTACH = "attach report.json --results results.json --model owner/good"


@pytest.fixture(autouse=True)
def folder(workspace: Path) -> Path:
    """Work in a folder with a report and results."""
    (workspace / "report.json").write_text(hub_report().to_json(), encoding="utf-8")
    (workspace / "results.json").write_text(results().to_json(), encoding="utf-8")
    return workspace


def status(line: str) -> int:
    """Run a command line, and give its exit status."""
    with pytest.raises(SystemExit) as caught:
        main(shlex.split(line))
    return int(caught.value.code or 0)


def test_a_bundle_is_attached_and_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder is named with the number of its files; a second time it is replaced; verify says that it is whole."""
    assert status(f"{ATTACH} -o out/b") == 0
    assert status(f"{ATTACH} -o out/b") == 0
    assert status("verify out/b") == 0
    out = capsys.readouterr().out
    assert out == (
        "Written: out/b (11 files)\nReplaced: out/b (11 files)\nout/b is whole, and its parts belong together\n"
    )
    assert status(f"{ATTACH} -o out/b -q") == 0
    assert status("verify out/b -q") == 0
    assert capsys.readouterr() == ("", "")


def test_a_source_is_measured(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A task without a report is measured first; what is not on the Hub is said."""
    test = results().test.model_copy(update={"name": "builtin:iris", "revision": None})
    own = results().model_copy(update={"test": test})
    (folder / "own.json").write_text(own.to_json(), encoding="utf-8")
    assert status("attach builtin:iris --results own.json --model owner/good --share --task-id main") == 0
    assert "There is no .eval_results: the dataset is not on the Hub" in capsys.readouterr().out
    assert verify(folder / "bundle") == ()
    assert status("attach builtin:iris --results own.json --model owner/good --dataset owner/iris") == 0
    assert "The result names no commit of the dataset" in capsys.readouterr().out


def test_each_fault_is_a_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Faults go to standard error, each on a line, with a status of 1."""
    assert status(f"{ATTACH} -q") == 0
    Path("bundle/citation.bib").unlink()
    Path("bundle/more\n.txt").write_bytes(b"")
    assert status("verify bundle") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "citation.bib is missing",
        "more .txt is not in manifest.json",
        "ibc-report: bundle has 2 faults; get it again",
    ]


def test_what_was_written_by_others_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """A bundle of another version, and one whose links lead to another Hub, pass with a line that says so."""
    assert status(f"{ATTACH} -q") == 0
    path = Path("bundle/manifest.json")
    said = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**said, "version": "0.0.1", "hub": "https://hub.example"}), encoding="utf-8")
    assert status("verify bundle") == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "Its links lead to https://hub.example",
        "It was written by ibc-report 0.0.1 with other versions than those here: its files were compared by what they "
        "say, not byte by byte",
    ]


def test_results_of_another_dataset_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Results of a dataset of the same short name are attached and checked by nothing."""
    (folder / "results.json").write_text(of_test(results(), name="other/iris").to_json(), encoding="utf-8")
    assert status(ATTACH) == 2
    assert status("check report.json --results results.json --require 'm > 0'") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("the report is of the data 'owner/iris' and the results are of 'other/iris'") == 2


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (f"{ATTACH} --direct", 2, "--direct says how to push; add --push"),
        (f"{ATTACH} --dry-run", 2, "--dry-run says how to push; add --push"),
        (f"{ATTACH} --card x", 2, "--card x is no address"),
        (f"{ATTACH} --name best", 2, "the results have no model 'best'; Known: fair, good"),
        (f"{ATTACH} -o .", 2, ". is the folder that this runs in, or above it"),
        (ATTACH.replace("results.json", "none.json"), 2, "none.json does not exist"),
        (ATTACH.replace("results.json", "report.json"), 1, "report.json holds no results"),
        (ATTACH.replace("report.json", "none.json"), 2, "none.json does not exist"),
        (ATTACH.replace("owner/good", "good"), 2, "'good' is no model of the Hub"),
        ("verify none", 2, "none is no folder"),
        ("verify .", 1, "has no manifest.json"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    line: str, code: int, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong usage and wrong files are one line and a status, and nothing is written."""
    assert status(line) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["report.json", "results.json"]
