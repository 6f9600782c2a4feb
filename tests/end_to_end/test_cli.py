"""The command line: what it writes, what it says, and with which status it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import datasets
import pytest
from PIL import Image

import ibc_report
from ibc_report import load_report
from ibc_report.cli.app import main
from tests.support.tables import encoded_image

COMMANDS = ("card", "render", "build", "site")


@pytest.fixture(autouse=True)
def own_folder(workspace: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, and have `datasets` cache outside of it, in a folder of this test."""
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", cache)
    monkeypatch.setattr(datasets.config, "EXTRACTED_DATASETS_PATH", cache / "extracted")
    # long lines stay whole in the summary and in usage errors
    monkeypatch.setenv("COLUMNS", "300")
    return workspace


def status(*arguments: str) -> int:
    """Run a command in this process, and give its exit status."""
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    code = caught.value.code
    return code if isinstance(code, int) else 0


def process(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "from ibc_report.cli.app import main; main()", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "HF_HOME": str(cache)},
        check=False,
    )


def csv(header: str, *rows: str) -> str:
    """A CSV file."""
    return "\n".join([header, *rows]) + "\n"


PLAIN = csv("a,b,label", *(f"{n % 7}.5,{n * n},{'xy'[n % 2]}" for n in range(12)))

CATALOG = "tasks:\n- name: iris\n  source: builtin:iris\n"

NEWER = json.dumps({"schema_version": 99})

FILES = {
    "plain.csv": PLAIN,
    "one-class.csv": csv("a,label", *(f"{n},x" for n in range(12))),
    "few.csv": csv("a,label", "1,x", "2,y", "3,x", "4,y", "5,x"),
    "constant.csv": csv("a,b,label", *(f"3,z,{'xy'[n % 2]}" for n in range(12))),
    "unlabelled.csv": csv("a,label", *(f"{n}," for n in range(12))),
    "empty.csv": "",
    "infinite.csv": csv("a,label", *(f"inf,{'xy'[n % 2]}" for n in range(12))),
    "several.csv": csv("a,colour,shape", *(f"{n},{'rg'[n % 2]},{'st'[n // 6]}" for n in range(12))),
    "text.csv": csv("a,answer", *(f"{n},answer number {n}" for n in range(60))),
    "key.yml": CATALOG + "  taget: a\n",
    "twice.yml": CATALOG + "- name: iris\n  source: builtin:wine\n",
    "catalog.yml": CATALOG,
    "newer.json": NEWER,
    "other.json": "{}",
    "broken.yml": "tasks: [",
    "file": "in the way",
}

WRONG = [
    pytest.param("card nothing.csv", 2, "nothing.csv does not exist; give a file", id="missing-path"),
    pytest.param("card builtin:irs", 2, "there is no built-in set 'irs'; did you mean 'iris'?", id="unknown-set"),
    pytest.param(
        "card plain.csv --target lable", 2, "has no column 'lable'; did you mean 'label'?", id="unknown-column"
    ),
    pytest.param("card plain.csv --input c", 2, "plain.csv has no column 'c'; Known: a, b, label", id="unknown-input"),
    pytest.param("card several.csv", 2, "choose one with --target: 'colour', 'shape'", id="several-targets"),
    pytest.param("card text.csv --target answer", 2, "column 'answer' is free text", id="free-text"),
    pytest.param("card one-class.csv --target label", 1, "column 'label' has one class only ('x')", id="one-class"),
    pytest.param(
        "card few.csv --target label", 1, "there are 5 distinct rows, and the intrinsic dimension needs", id="few-rows"
    ),
    pytest.param(
        "card constant.csv", 1, "no column can be used as a feature (constant or empty: a, b)", id="constant-features"
    ),
    pytest.param("card unlabelled.csv --target label", 1, "no usable target in any row", id="all-labels-missing"),
    pytest.param("card empty.csv", 1, "empty.csv is empty; give a file that has rows", id="empty-file"),
    pytest.param("card infinite.csv", 1, "every row has an infinite number in a", id="infinite-features"),
    pytest.param(
        "card plain.csv --encoder tabluar", 2, "no encoder 'tabluar'; did you mean 'tabular'?", id="unknown-encoder"
    ),
    pytest.param("card plain.csv --encoder image", 2, "encoder 'image' cannot take any column", id="wrong-encoder"),
    pytest.param("card plain.csv --kind clases", 2, "'kind': input should be 'classes' or 'values'", id="wrong-kind"),
    pytest.param("card plain.csv --target-error 0", 2, "'target_error': input should be greater", id="zero-error"),
    pytest.param("card plain.csv --convention half", 2, "convention 'half' is not known", id="unknown-convention"),
    pytest.param("card plain.csv --split tset", 2, "plain.csv has no split 'tset'; Known: train", id="unknown-split"),
    pytest.param("card plain.csv --exact --queries 9", 2, "--exact asks all rows, and --queries", id="all-and-some"),
    pytest.param("card plain.csv -o card.doc", 2, "card.doc does not say its form by its ending", id="unknown-ending"),
    pytest.param("card plain.csv -o file/card.md", 1, "cannot be written: ", id="folder-that-cannot-be-made"),
    pytest.param("build key.yml", 2, "unknown key 'taget'; did you mean 'target'?", id="unknown-key"),
    pytest.param("build twice.yml", 2, "task 'iris' is given twice (tasks 1 and 2)", id="entry-given-twice"),
    pytest.param("build broken.yml", 2, "not valid YAML", id="no-yaml"),
    pytest.param("build nothing.yml", 2, "nothing.yml does not exist", id="missing-catalog"),
    pytest.param("build --only irs", 2, "has no task 'irs'; did you mean 'iris'?", id="unknown-task"),
    pytest.param("render newer.json", 2, "newer.json has schema version 99, and this ibc-report", id="newer-schema"),
    pytest.param("render other.json", 1, "other.json is not a report", id="no-report"),
    pytest.param("render nothing.json", 2, "nothing.json does not exist", id="missing-report"),
]


@pytest.mark.parametrize(("command", "code", "message"), WRONG)
def test_bad_input_is_one_line_and_a_status(
    command: str, code: int, message: str, capsys: pytest.CaptureFixture[str], own_folder: Path
) -> None:
    """What cannot be done is said in one line on standard error, without a traceback, and nothing is written."""
    for name, content in FILES.items():
        Path(name).write_text(content, encoding="utf-8")
    assert status(*command.split()) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("ibc-report: ")
    assert message in err
    assert err.count("\n") == 1
    assert {path.name for path in own_folder.iterdir()} == set(FILES)


USAGE = [
    pytest.param("card builtin:iris --targte x", "--targte", id="unknown-option"),
    pytest.param("crad builtin:iris", "crad", id="unknown-command"),
    pytest.param("card builtin:iris --format pdf", "pdf", id="wrong-format"),
    pytest.param("card builtin:iris --target-error much", "--target-error", id="no-number"),
    pytest.param("card", "source", id="missing-argument"),
]


@pytest.mark.parametrize(("command", "named"), USAGE)
def test_wrong_usage_ends_with_2(command: str, named: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A command that cannot be understood ends with status 2, and what was wrong is named on standard error."""
    assert status(*command.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert named in err
    assert "Traceback" not in err


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """--version prints the package's version."""
    assert status("--version") == 0
    assert capsys.readouterr().out == f"ibc-report {ibc_report.common.version.__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """COMMAND --help says how it is used."""
    assert status(command, "--help") == 0
    out = capsys.readouterr().out
    assert f"ibc-report {command}" in out
    assert "--quiet" in out


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """--help names every command."""
    assert status("--help") == 0
    out = capsys.readouterr().out
    assert all(f"\n  {command} " in out for command in COMMANDS)


def test_help_takes_no_heavy_import(tmp_path: Path) -> None:
    """Asking for help loads none of the libraries that measuring needs."""
    heavy = ("numpy", "datasets", "matplotlib", "sklearn", "pandas", "pydantic", "scipy", "pyarrow", "mkdocs")
    code = (
        "import sys\nfrom ibc_report.cli.app import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


def test_debug_shows_the_traceback(tmp_path: Path, own_folder: Path) -> None:
    """With --debug an error has its traceback; without, the same command says one line."""
    Path("empty.csv").write_text("", encoding="utf-8")
    loud = process("--debug", "card", "empty.csv", cache=tmp_path)
    assert loud.returncode == 1
    assert "Traceback (most recent call last)" in loud.stderr
    assert loud.stderr.rstrip().endswith("DataError: empty.csv is empty; give a file that has rows")


def test_an_unexpected_error_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A defect ends with status 1 and a line that says how to see more of it."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr("ibc_report.pipeline.measure.measure", fail)
    assert status("card", "builtin:iris") == 1
    assert capsys.readouterr().err == (
        "ibc-report: unexpected ZeroDivisionError: two lines; run 'ibc-report --debug …' and report it\n"
    )


def test_an_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C is one line and the shell's own status."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ibc_report.pipeline.measure.measure", stop)
    code = status("card", "builtin:iris")
    assert code == 130
    assert capsys.readouterr().err == (
        "ibc-report: stopped; what was written is whole, and the next run goes on from there\n"
    )


def test_card_writes_json_and_html(capsys: pytest.CaptureFixture[str], own_folder: Path) -> None:
    """Without --format and -o two files go into reports, and the summary names them; no bar goes to a pipe."""
    assert status("card", "builtin:iris", "--name", "flowers", "--title", "Flowers [1]") == 0
    out, err = capsys.readouterr()
    assert sorted(path.name for path in (own_folder / "reports").iterdir()) == ["flowers.html", "flowers.json"]
    report = load_report("reports/flowers.json")
    assert report == ibc_report.measure("builtin:iris", name="flowers", title="Flowers [1]")
    assert "Flowers [1]" in out
    assert f"10^{report.headline.exponent} bits, between " in out
    assert report.headline.is_not[:60] in out
    assert out.endswith("\nWritten: reports/flowers.json\nWritten: reports/flowers.html\n")
    assert err == ""
    Path("reports/flowers.html").unlink()
    assert status("card", "builtin:iris", "--name", "flowers") == 0
    assert capsys.readouterr().out.endswith("\nReplaced: reports/flowers.json\nWritten: reports/flowers.html\n")


ENDINGS = [
    pytest.param("card.json", lambda text: json.loads(text)["name"] == "iris", id="json"),
    pytest.param("card.html", lambda text: text.lower().startswith("<!doctype html>"), id="html"),
    pytest.param("card.htm", lambda text: text.lower().startswith("<!doctype html>"), id="htm"),
    pytest.param("card.md", lambda text: text.startswith("#"), id="md"),
    pytest.param("CARD.MARKDOWN", lambda text: text.startswith("#"), id="markdown-in-capitals"),
    pytest.param("deep/er/card.md", lambda text: text.startswith("#"), id="new-folder"),
]


@pytest.mark.parametrize(("output", "fits"), ENDINGS)
def test_the_ending_says_the_form(output: str, fits: Callable[[str], bool], own_folder: Path) -> None:
    """-o writes one file, in the form of its ending, and no other card."""
    assert status("card", "builtin:iris", "-o", output, "-q") == 0
    assert fits(Path(output).read_text(encoding="utf-8"))
    assert not Path("reports").exists()


def test_a_markdown_file_finds_its_figures(own_folder: Path) -> None:
    """Figures lie in a folder beside the card, under the names by which it shows them."""
    assert status("card", "builtin:iris", "-o", "out/card.md", "-q") == 0
    text = Path("out/card.md").read_text(encoding="utf-8")
    figures = [path.relative_to("out").as_posix() for path in Path("out/card_files").iterdir()]
    assert figures
    assert all(figure in text for figure in figures)


STREAMED = [
    pytest.param(("-o", "-"), "#", id="output-dash"),
    pytest.param(("-f", "md"), "#", id="format-md"),
    pytest.param(("-f", "json"), "{", id="format-json"),
    pytest.param(("-f", "html", "-o", "-"), "<!", id="html-to-dash"),
]


@pytest.mark.parametrize(("options", "start"), STREAMED)
def test_a_card_goes_to_standard_output(
    options: tuple[str, ...], start: str, capsys: pytest.CaptureFixture[str], own_folder: Path
) -> None:
    """With a form and no file the card alone is printed, without a summary, and nothing is written."""
    assert status("card", "builtin:iris", *options) == 0
    out, err = capsys.readouterr()
    assert out.startswith(start)
    assert "Written: " not in out
    assert err == ""
    assert list(own_folder.iterdir()) == []


def test_quiet_prints_nothing(capfd: pytest.CaptureFixture[str], own_folder: Path) -> None:
    """--quiet writes the files and says nothing, on neither stream, for each command that measures or renders."""
    Path("catalog.yml").write_text(CATALOG, encoding="utf-8")
    assert status("card", "builtin:iris", "--quiet") == 0
    assert status("build", "--quiet") == 0
    assert status("render", "reports/iris.json", "-o", "again.html", "--quiet") == 0
    assert Path("again.html").is_file()
    assert capfd.readouterr() == ("", "")


def test_a_saved_report_renders_to_the_same_card(capsys: pytest.CaptureFixture[str], own_folder: Path) -> None:
    """`render` gives the bytes that `card` wrote, in every form, without the data."""
    Path("plain.csv").write_text(PLAIN, encoding="utf-8")
    assert status("card", "plain.csv", "-q") == 0
    Path("plain.csv").unlink()
    assert status("render", "reports/plain.json", "-o", "again.html") == 0
    assert capsys.readouterr().out == "Written: again.html\n"
    assert Path("again.html").read_bytes() == Path("reports/plain.html").read_bytes()
    assert status("render", "reports/plain.json", "-f", "json") == 0
    assert capsys.readouterr().out == Path("reports/plain.json").read_text(encoding="utf-8")
    assert status("render", "reports/plain.json") == 0
    assert capsys.readouterr().out.startswith("#")


def test_a_second_build_measures_nothing(capsys: pytest.CaptureFixture[str], own_folder: Path) -> None:
    """What has not changed is left as it is; --force and a changed task measure again."""
    Path("catalog.yml").write_text(CATALOG, encoding="utf-8")
    said = []
    for options in ((), (), ("--force",)):
        assert status("build", *options) == 0
        said.append(capsys.readouterr().out.split())
    Path("catalog.yml").write_text(CATALOG + "  target_error: 0.02\n", encoding="utf-8")
    assert status("build") == 0
    said.append(capsys.readouterr().out.split())
    assert said == [["measured", "iris"], ["unchanged", "iris"], ["measured", "iris"], ["measured", "iris"]]


def test_a_failing_task_does_not_stop_the_others(capsys: pytest.CaptureFixture[str], own_folder: Path) -> None:
    """The tasks after a failing one are done, the failures are listed at the end, and the status is 1."""
    bad = "tasks:\n- name: gone\n  source: nothing.csv\n- name: worse\n  source: builtin:irs\n"
    Path("catalog.yml").write_text(bad + CATALOG.removeprefix("tasks:\n"), encoding="utf-8")
    assert status("build") == 1
    out, err = capsys.readouterr()
    assert out.split() == ["failed", "gone", "failed", "worse", "measured", "iris"]
    lines = err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["gone", "worse", "ibc-report"]
    assert "2 of 3 tasks failed" in lines[-1]
    assert load_report("reports/iris.json").name == "iris"


def test_a_failing_task_keeps_its_former_report(own_folder: Path) -> None:
    """Data that went away do not take the report with them."""
    Path("plain.csv").write_text(PLAIN, encoding="utf-8")
    Path("catalog.yml").write_text("tasks:\n- name: plain\n  source: plain.csv\n", encoding="utf-8")
    assert status("build", "-q") == 0
    before = Path("reports/plain.json").read_bytes()
    Path("plain.csv").write_text("", encoding="utf-8")
    assert status("build", "-q") == 1
    assert Path("reports/plain.json").read_bytes() == before


def test_a_corrupt_image_costs_its_row(own_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder with a bad picture gives a card on the others, and the summary says how many were not used."""
    for number in range(12):
        path = Path(f"set/{'xy'[number % 2]}/{number}.png")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"bad" if number == 5 else encoded_image(Image.new("L", (2, 2), number * number)))
    assert status("card", "set") == 0
    report = load_report("reports/set.json")
    assert report.data is not None
    assert [(lost.reason, lost.count) for lost in report.data.dropped] == [("images that do not decode", 1)]
    assert (report.data.rows_read, report.data.rows_used) == (12, 11)
    assert "could not be used" in capsys.readouterr().out


def test_nan_and_infinity_cost_what_they_must(own_folder: Path) -> None:
    """A NaN feature is a missing value and an infinite one costs its row; both are on the card."""
    lines = PLAIN.splitlines()
    lines[1], lines[2] = "nan,1,x", "inf,1,y"
    Path("odd.csv").write_text("\n".join(lines), encoding="utf-8")
    assert status("card", "odd.csv", "-q") == 0
    data = load_report("reports/odd.json").data
    assert data is not None
    assert [(lost.reason, lost.rows) for lost in data.dropped] == [("rows with an infinite number", (1,))]
    assert any(note.startswith("1 missing values: ") for note in data.encoder.notes)


def test_columns_may_be_called_like_options(own_folder: Path) -> None:
    """Columns named input, target and format are only columns."""
    Path("named.csv").write_text(PLAIN.replace("a,b,label", "input,format,target"), encoding="utf-8")
    assert status("card", "named.csv", "--input", "format", "--input", "input", "-q") == 0
    data = load_report("reports/named.json").data
    assert data is not None
    assert (data.target, data.encoder.inputs) == ("target", ("format", "input"))


def test_the_printed_command_repeats_the_card(own_folder: Path) -> None:
    """The command on a card, run again, gives the same report."""
    import shlex

    Path("my set.csv").write_text(PLAIN, encoding="utf-8")
    assert status("card", "my set.csv", "--target-error", "0.05", "--input", "b", "--seed", "3", "-q") == 0
    first = Path("reports/my-set.json").read_bytes()
    Path("reports/my-set.json").unlink()
    command = shlex.split(json.loads(first)["repeat"]["command"])
    assert command[0] == "ibc-report"
    assert status(*command[1:], "-q") == 0
    assert Path("reports/my-set.json").read_bytes() == first


def test_penguins_have_a_card(shared: Path, own_folder: Path) -> None:
    """The real table gives a card with dates in days, missing values marked, and what was left out said."""
    assert status("card", str(shared / "penguins"), "--target", "Species", "-q") == 0
    data = load_report("reports/penguins.json").data
    assert data is not None
    assert (data.rows_used, len(data.classes)) == (344, 3)
    assert "Columns of strings read as dates, in days: Date Egg." in data.encoder.notes
    assert "Individual ID" not in data.encoder.inputs


DEBUGGED = [
    pytest.param("card empty.csv", 1, id="data"),
    pytest.param("card nothing.csv", 2, id="usage"),
    pytest.param("card builtin:iris --targte x", 2, id="option"),
    pytest.param("build bad.yml", 1, id="tasks"),
    pytest.param("--version", 0, id="fine"),
]


@pytest.mark.parametrize(("command", "code"), DEBUGGED)
def test_debug_does_not_change_the_status(command: str, code: int, own_folder: Path) -> None:
    """A command ends with the same status with --debug as without."""
    Path("empty.csv").write_text("", encoding="utf-8")
    Path("bad.yml").write_text("tasks:\n- name: gone\n  source: nothing.csv\n", encoding="utf-8")
    assert [status(*command.split()), status("--debug", *command.split())] == [code, code]


def test_debug_does_not_change_the_status_of_a_defect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A defect ends with status 1 and its traceback."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("nothing")

    monkeypatch.setattr("ibc_report.pipeline.measure.measure", fail)
    assert status("--debug", "card", "builtin:iris") == 1
    err = capsys.readouterr().err
    assert err.startswith("Traceback (most recent call last)")
    assert err.endswith("ZeroDivisionError: nothing\n")


def test_a_ragged_file_is_read_in_silence(own_folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With --quiet nothing of what the readers tried comes through, on neither stream."""
    lines = PLAIN.splitlines()
    lines.insert(5, "1,2,x,more,and,more")
    Path("ragged.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert status("card", "ragged.csv", "--quiet") == 0
    assert capfd.readouterr() == ("", "")
    data = load_report("reports/ragged.json").data
    assert data is not None
    assert [(lost.said, lost.rows) for lost in data.dropped] == [("1 line with more fields than the header", (4,))]


CORRUPT = [
    pytest.param("set.parquet", b"PAR1" + bytes(range(256)) * 8 + b"PAR1", "cannot be read as parquet: ", id="parquet"),
    pytest.param("set.csv", "a,label\n1,é\n".encode("latin-1"), "it is not UTF-8 (byte 0xe9", id="latin-1"),
    pytest.param("set.json", b"{" * 5000, "cannot be read as json: ", id="json"),
]


@pytest.mark.parametrize(("name", "content", "said"), CORRUPT)
def test_a_corrupt_file_is_one_short_line(
    name: str, content: bytes, said: str, own_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of a file that no reader takes there is our own line alone on standard error, and it is not long."""
    Path(name).write_bytes(content)
    assert status("card", name, "--quiet") == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"ibc-report: {name} ")
    assert said in err
    assert err.count("\n") == 1
    assert len(err) < 500


def test_control_characters_of_a_header_do_not_reach_the_terminal(
    own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A column whose name would clear the screen is named with U+FFFD, in an error and in the summary."""
    Path("odd.csv").write_text(PLAIN.replace("a,b,label", "a\x1b[2J,b,label"), encoding="utf-8")
    assert status("card", "odd.csv", "--target", "c") == 2
    err = capsys.readouterr().err
    assert "a\ufffd[2J" in err
    assert "\x1b" not in err
    assert status("card", "odd.csv") == 0
    out = capsys.readouterr().out
    assert "a\ufffd[2J" in out
    assert "\x1b" not in out


@pytest.mark.parametrize("command", ["card builtin:iris", "render iris.json"])
def test_figures_may_be_png(command: str, own_folder: Path) -> None:
    """With --png a Markdown file has PNG figures, all of which it shows, and the same ones as in SVG."""
    assert status("card", "builtin:iris", "-o", "iris.json", "-q") == 0
    assert status(*command.split(), "-o", "svg.md", "-q") == 0
    assert status(*command.split(), "--png", "-o", "png.md", "-q") == 0
    text = Path("png.md").read_text(encoding="utf-8")
    figures = sorted(Path("png_files").iterdir())
    assert [path.stem for path in figures] == sorted(path.stem for path in Path("svg_files").iterdir())
    assert figures
    for path in figures:
        assert path.suffix == ".png"
        assert f"png_files/{path.name}" in text
        with Image.open(path) as picture:
            assert picture.size[0] > 300


SLOW = """
import signal
import sys
# a shell's background job is born deaf to Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)
from ibc_report.pipeline import measure as pipeline
from ibc_report.cli.app import main
from ibc_report.data.sources import builtin

measure = pipeline.measure

def slow(task, **settings):
    if task.name == "wine":
        print("measuring", flush=True)
        import time
        time.sleep(60)
    return measure(task, **settings)

pipeline.measure = slow
main(sys.argv[1:])
"""


def test_an_interrupted_build_says_one_line_and_goes_on(own_folder: Path) -> None:
    """Ctrl-C in the middle of a build is one line and status 130; the next build does what is left."""
    text = CATALOG + "- name: wine\n  source: builtin:wine\n- name: digits\n  source: builtin:digits\n"
    Path("catalog.yml").write_text(text, encoding="utf-8")
    run = subprocess.Popen(
        [sys.executable, "-c", SLOW, "build"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    assert [run.stdout.readline(), run.stdout.readline()] == ["measured   iris\n", "measuring\n"]
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (out, run.returncode) == ("", 130)
    assert err == "ibc-report: stopped; what was written is whole, and the next run goes on from there\n"
    assert [path.name for path in Path("reports").iterdir()] == ["iris.json"]
    again = process("build", cache=own_folder / "cache")
    assert again.stdout.split() == ["unchanged", "iris", "measured", "wine", "measured", "digits"]
