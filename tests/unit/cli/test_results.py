"""The command `results`: what it writes and says of a task and of files, and how it refuses."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import datasets
import numpy as np
import pytest
import typer
from sklearn.datasets import load_iris

from ibc_report import measure
from ibc_report.cli.results import register
from ibc_report.common.errors import IbcReportError
from ibc_report.data.task import Task
from ibc_report.report.schema.results import load_results

app = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)

register(app)


@app.callback()
def group() -> None:
    """Keep the command's name among its arguments."""


IRIS = [int(label) for label in load_iris().target]

SPECIES = ("setosa", "versicolor", "virginica")


def ran(line: str) -> None:
    """Run the command line in this process."""
    app(args=["results", *shlex.split(line)], standalone_mode=False)


def refused(line: str) -> str:
    """Run a command line that is refused, and give the error's line."""
    with pytest.raises(IbcReportError) as caught:
        ran(line)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def guesses(share: float, seed: int) -> list[int]:
    """Labels of iris, some of them changed to the next."""
    rng = np.random.default_rng(seed)
    return [label if rng.random() < share else (label + 1) % 3 for label in IRIS]


def csv(header: str, *rows: str) -> str:
    """A CSV file."""
    return "\n".join([header, *rows]) + "\n"


GOOD, FAIR = guesses(0.97, 0), guesses(0.8, 1)

FILES = {
    "two.csv": csv(
        "row,model,prediction",
        *(f"{i},{model},{p}" for model, ps in (("good", GOOD), ("fair", FAIR)) for i, p in enumerate(ps)),
    ),
    "right.jsonl": "".join(
        json.dumps({"row": i, "good": {"is_correct": g == y}, "fair": {"is_correct": f == y}}) + "\n"
        for i, (g, f, y) in enumerate(zip(GOOD, FAIR, IRIS, strict=True))
    ),
    "short.csv": csv("row,prediction", *(f"{i},{p}" for i, p in enumerate(GOOD[:100]))),
    "wrong.csv": csv("row,guess", *(f"{i},{p}" for i, p in enumerate(GOOD))),
    "species.csv": csv("row,prediction", *(f"{i},{SPECIES[p]}" for i, p in enumerate(GOOD))),
    "empty.csv": "",
    "here.csv": csv("model,accuracy,n", "m,0.782,1319"),
    "there.csv": csv("model,accuracy,n", "m,0.684,1250"),
}


@pytest.fixture(autouse=True)
def folder(workspace: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with the files, and have `datasets` cache elsewhere."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path_factory.mktemp("cache"))
    monkeypatch.setenv("COLUMNS", "200")
    for name, content in FILES.items():
        (workspace / name).write_text(content, encoding="utf-8")
    return workspace


def test_predictions_on_a_source(capsys: pytest.CaptureFixture[str]) -> None:
    """Labels are graded, the task is measured for the bits, and the file has what the terminal shows."""
    ran("builtin:iris two.csv -o results.json")
    shown = capsys.readouterr().out
    found = load_results("results.json")
    good, fair = found.models
    assert good.correct == sum(p == y for p, y in zip(GOOD, IRIS, strict=True))
    assert fair.correct == sum(p == y for p, y in zip(FAIR, IRIS, strict=True))
    assert found.test.majority == pytest.approx(1 / 3)
    assert good.bits is not None
    assert good.bits.log10_bits is not None
    for said in (
        "good",
        good.text,
        "1",
        "rows matched by row numbers in column 'row'",
        "Bits",
        "Written: results.json",
    ):
        assert said in shown
    ran("builtin:iris two.csv -o results.json -q")
    assert capsys.readouterr().out == ""


def test_names_of_classes_are_found_in_the_task(capsys: pytest.CaptureFixture[str]) -> None:
    """Predictions by name and by id are graded alike where the source declares names."""
    ran("builtin:iris species.csv --no-bits -q -o by-name.json")
    ran("builtin:iris two.csv --no-bits -q -o by-id.json")
    by_id = {model.name: model.correct for model in load_results("by-id.json").models}
    assert load_results("by-name.json").models[0].correct == by_id["good"]


def test_a_report_needs_no_data(capsys: pytest.CaptureFixture[str]) -> None:
    """With a saved report verdicts are enough, and bits are those of its numbers; predictions read its data again."""
    Path("iris.json").write_text(measure("builtin:iris").to_json(), encoding="utf-8")
    ran("iris.json right.jsonl -q -o a.json")
    ran("iris.json two.csv -q -o b.json")
    ran("builtin:iris two.csv -q -o c.json")
    offline, graded, measured = (load_results(name) for name in ("a.json", "b.json", "c.json"))
    assert "The data were not read: the examples are those that the files name." in offline.notes
    for found in (offline, graded):
        assert [(model.name, model.correct, model.bits) for model in found.models] == [
            (model.name, model.correct, model.bits) for model in measured.models
        ]


def test_standard_output_is_json_or_a_markdown_file(capsys: pytest.CaptureFixture[str]) -> None:
    """'-' prints the document alone, and a name that ends in .md gets Markdown."""
    ran("builtin:iris two.csv --no-bits -o -")
    assert json.loads(capsys.readouterr().out)["kind"] == "results"
    ran("builtin:iris two.csv --no-bits -o results.md -q")
    assert Path("results.md").read_text(encoding="utf-8").startswith("# Results on iris\n")


def test_rows_are_taken_by_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    """--where takes the rows of one value, which the notes say; without it each value is a model, and the notes ask."""
    rows = [{"row": i, "filter": name, "prediction": p} for name in ("strict", "loose") for i, p in enumerate(GOOD)]
    Path("samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ran("builtin:iris samples.jsonl --no-bits -o both.json")
    assert "take one with --where filter=strict" in capsys.readouterr().out
    ran("builtin:iris samples.jsonl --where filter=loose --no-bits -q -o one.json")
    both, one = load_results("both.json"), load_results("one.json")
    assert [model.name for model in both.models] == ["samples (loose)", "samples (strict)"]
    assert [model.name for model in one.models] == ["samples"]
    assert "Only rows with 'loose' in column 'filter' are read." in one.notes
    ran("builtin:iris samples.jsonl --where filter=loose --no-bits -q -o two.json --against GSM1k there.csv")
    assert load_results("two.json").between[0].model == "samples"
    assert refused("builtin:iris samples.jsonl --where filter").startswith("--where filter is no COLUMN=VALUE; write")
    assert "did you mean 'strict'? Known: strict, loose" in refused("builtin:iris samples.jsonl --where filter=strikt")


def test_classes_that_tie_are_said_to() -> None:
    """No class of iris is more frequent than another, which the words on skill say, with a report or without."""
    ran("builtin:iris species.csv --no-bits -q -o results.json")
    assert "Skill is over always answering 'setosa', one of 3 most frequent classes" in (
        load_results("results.json").test.majority_is
    )


def test_places_are_those_of_all_splits() -> None:
    """LABEL_2 is the third class of the training split where the test split has but two, and the note says so."""
    Path("pets").mkdir()
    for split, names in (("train", ("bird", "cat", "dog")), ("test", ("cat", "dog"))):
        rows = [f"{i}.5,{name}" for i in range(20) for name in names]
        Path(f"pets/{split}.csv").write_text(csv("size,kind", *rows), encoding="utf-8")
    Path("m.jsonl").write_text("".join(json.dumps({"label": f"LABEL_{1 + i % 2}"}) + "\n" for i in range(40)), "utf-8")
    ran("pets m.jsonl --target kind --no-bits -q -o results.json")
    found = load_results("results.json")
    assert found.models[0].correct == 40
    assert any("sorted by name, for the source declares none: 'LABEL_1' is 'cat'" in note for note in found.notes)


def test_published_scores_of_gsm8k_and_gsm1k(capsys: pytest.CaptureFixture[str]) -> None:
    """Published accuracies on two sets give the published z in the file, and the score test's p on the terminal."""
    ran("builtin:iris here.csv --against GSM1k there.csv --no-bits -o results.json")
    between = load_results("results.json").between[0]
    assert f"{between.p:.2g}" in capsys.readouterr().out
    assert round(between.z or 0, 3) == 5.638
    assert (round(between.interval.lower, 4), round(between.interval.upper, 4)) == (0.0636, 0.1324)


def test_one_model_here_and_one_there_are_one() -> None:
    """Files of one model each may be called differently, which is said."""
    ran("builtin:iris species.csv --no-bits --against GSM1k there.csv -q -o results.json")
    found = load_results("results.json")
    assert [row.model for row in found.between] == ["species"]
    assert "m on GSM1k is taken to be species." in found.notes


@pytest.mark.data
def test_the_four_models_of_gsm8k(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The real file is matched by its question, and every pair of its models is distinguishable."""
    folder = shared / "gsm8k"
    ran(f"{folder}/test.jsonl {folder}/example_model_solutions.jsonl -o results.json")
    found = load_results("results.json")
    assert found.test.matched_by == "rows matched by column 'question'"
    assert [(model.name, model.correct, model.rank_text) for model in found.models] == [
        ("175b_verification", 742, "1"),
        ("6b_verification", 515, "2"),
        ("175b_finetuning", 458, "3"),
        ("6b_finetuning", 286, "4"),
    ]
    assert all(pair.distinguishable for pair in found.pairs)
    assert "There are no classes" in capsys.readouterr().out


def test_two_splits_in_one_file(folder: Path) -> None:
    """A column of splits gives the train–test gap, and the majority class is that of the training split."""
    rng = np.random.default_rng(0)
    (folder / "set").mkdir()
    labels = {"train": ["cat"] * 40 + ["dog"] * 20, "test": ["cat"] * 10 + ["dog"] * 20}
    for split, names in labels.items():
        rows = [f"{rng.normal(name == 'dog', 0.3):.4f},{rng.normal():.4f},{name}" for name in names]
        (folder / "set" / f"{split}.csv").write_text(csv("a,b,label", *rows), encoding="utf-8")
    rows = [f"{i},{split},cat" for split, names in labels.items() for i in range(len(names))]
    (folder / "both.csv").write_text(csv("row,split,prediction", *rows), encoding="utf-8")
    ran("set both.csv -q -o results.json")
    found = load_results("results.json")
    gap = found.models[0].gap
    assert found.test.split == "test"
    assert found.test.majority == pytest.approx(1 / 3)
    assert found.models[0].skill == pytest.approx(0)
    assert gap is not None
    assert gap.gap == pytest.approx(2 / 3 - 1 / 3)


def flowers(path: str, rows: range) -> None:
    """Some rows of iris as a table with an id for each, and predictions of all of them by id and by place."""
    data = load_iris().data
    lines = [f"k{i},{','.join(map(str, data[i]))},{SPECIES[IRIS[i]]}" for i in rows]
    Path(path).write_text(csv("id,a,b,c,d,species", *lines), encoding="utf-8")
    Path("by-id.csv").write_text(csv("id,prediction", *(f"k{i},{SPECIES[IRIS[i]]}" for i in rows)), encoding="utf-8")
    by_place = (f"{place},{SPECIES[IRIS[i]]}" for place, i in enumerate(rows))
    Path("by-place.csv").write_text(csv("row,prediction", *by_place), encoding="utf-8")


INPUTS = ("a", "b", "c", "d")


def test_a_report_of_other_rows_is_refused() -> None:
    """Where the data have changed since, row numbers may be of other rows; a key names the example whatever its row."""
    flowers("flowers.csv", range(150))
    report = measure(Task.of("flowers.csv", name="flowers", target="species", inputs=INPUTS))
    Path("report.json").write_text(report.to_json(), encoding="utf-8")
    ran("report.json by-place.csv -q -o before.json")
    flowers("flowers.csv", range(1, 150))
    said = refused("report.json by-place.csv")
    assert "flowers.csv has changed since its report was made" in said
    assert "measure again" in said
    ran("report.json by-id.csv -q -o after.json")
    found = load_results("after.json")
    assert found.models[0].accuracy == 1
    assert found.notes[0].startswith("The data have changed since the report was made")


def test_a_report_finds_the_file_that_it_was_tested_on() -> None:
    """A test file of its own is graded by itself, not by the rows that were measured."""
    flowers("train.csv", range(0, 150, 2))
    flowers("test.csv", range(1, 150, 2))
    report = measure(Task.of("train.csv", name="flowers", target="species", inputs=INPUTS, test="test.csv"))
    assert report.test is not None
    assert report.test.split == "test.csv"
    Path("report.json").write_text(report.to_json(), encoding="utf-8")
    ran("report.json by-id.csv -q -o results.json")
    found = load_results("results.json")
    assert (found.test.name, found.test.examples, found.models[0].accuracy) == ("test.csv", 75, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("builtin:irs two.csv", "there is no built-in set 'irs'; did you mean 'iris'?"),
        ("nothing.csv two.csv", "nothing.csv does not exist"),
        ("builtin:iris tow.csv", "tow.csv does not exist; did you mean 'two.csv'?"),
        ("builtin:iris empty.csv", "empty.csv is empty"),
        ("builtin:iris wrong.csv", "no column of answers (columns: row, guess)"),
        ("builtin:iris short.csv", "50 of 150 examples missing"),
        ("builtin:iris two.csv --key rwo", "has no column 'rwo'; did you mean 'row'?"),
        ("builtin:iris two.csv --column god", "has no column 'god'"),
        ("builtin:iris two.csv --target spicies", "has no column 'spicies'"),
        ("builtin:iris two.csv --kind clases", "'kind': input should be 'classes' or 'values'"),
        ("builtin:iris two.csv --split test", "has no configurations and no splits"),
        ("builtin:iris two.csv -o results.txt", "call it .json or .md"),
        ("builtin:iris two.csv --level 95 --no-bits", "level 95.0 is not between 0 and 1"),
        ("builtin:iris two.csv --max-unmatched 2", "--max-unmatched 2 is not a share"),
        ("builtin:diabetes two.csv --no-bits", "say how far off one may be with --tolerance"),
        ("builtin:iris two.csv here.csv", "cannot be compared row by row"),
        ("builtin:iris two.csv two.csv", "two.csv is given twice"),
        ("builtin:iris two.csv --against builtin:irs two.csv", "there is no built-in set 'irs'"),
        (
            "builtin:iris two.csv --no-bits --against X here.csv",
            "no model is on both the test set (fair, good) and X (m)",
        ),
    ],
)
def test_mistakes_are_told_in_a_line(line: str, said: str) -> None:
    """Each mistake names what is wrong and what would be right, and nothing is written."""
    assert said in refused(line)
    assert not Path("results.json").exists()
