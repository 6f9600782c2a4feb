"""Files of answers: every layout says the same, and what is none is refused in a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import DataError, IbcReportError, UsageError
from ibc_report.evaluation.scoring.answers import AnswerTable
from ibc_report.evaluation.scoring.columns import laid_out, verdict
from ibc_report.evaluation.scoring.files import read_tables
from ibc_report.evaluation.scoring.spelling import plain
from tests.support.samples import few_properties

RIGHT = {"resnet": [True, False, True], "vit": [True, True, False]}


def written(path: Path, content: str) -> Path:
    """A file with this content."""
    path.write_text(content, encoding="utf-8")
    return path


def lines(*records: Any) -> str:
    """JSON Lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


LAYOUTS = {
    "long.csv": "row,model,correct\n0,resnet,1\n0,vit,1\n1,resnet,0\n1,vit,1\n2,resnet,1\n2,vit,0\n",
    "long.tsv": "id\tmodel\tis_correct\n0\tresnet\tTrue\n0\tvit\ttrue\n1\tresnet\tFalse\n1\tvit\tyes\n2\tresnet\tt\n"
    "2\tvit\tno\n",
    "nested.jsonl": lines(
        *(
            {"question": f"q{i}", "resnet": {"is_correct": a, "solution": "x"}, "vit": {"is_correct": b}}
            for i, (a, b) in enumerate(zip(RIGHT["resnet"], RIGHT["vit"], strict=True))
        )
    ),
    "marked.csv": "row,resnet_is_correct,vit.correct\n0,1,1\n1,0,1\n2,1,0\n",
    "booleans.csv": "row,resnet,vit\n0,True,True\n1,False,True\n2,True,False\n",
    "booleans.json": json.dumps([{"resnet": a, "vit": b} for a, b in zip(*RIGHT.values(), strict=True)]),
    "doc.jsonl": lines(
        *({"doc_id": i, "model": model, "acc": float(right[i])} for model, right in RIGHT.items() for i in range(3))
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_says_the_same(name: str, tmp_path: Path) -> None:
    """Long, nested, marked and boolean columns of the same answers give the same models with the same answers."""
    answers, scores = laid_out(read_tables([written(tmp_path / name, LAYOUTS[name])])[0])
    assert scores == []
    assert {one.model: list(one.values) for one in answers} == RIGHT
    assert {one.kind for one in answers} == {"correct"}


def test_parquet_with_structs(tmp_path: Path) -> None:
    """A parquet file with a struct for each model is a nested layout."""
    frame = pd.DataFrame(
        {"row": [0, 1, 2], **{model: [{"correct": value} for value in right] for model, right in RIGHT.items()}}
    )
    frame.to_parquet(tmp_path / "nested.parquet")
    answers, _ = laid_out(read_tables([tmp_path / "nested.parquet"])[0])
    assert {one.model: list(one.values) for one in answers} == RIGHT
    assert {one.key for one in answers} == {"row"}


@pytest.mark.data
def test_the_published_solutions_of_gsm8k(shared: Path) -> None:
    """The four models' solutions on 1,319 problems are a nested layout."""
    answers, _ = laid_out(read_tables([shared / "gsm8k" / "example_model_solutions.jsonl"])[0])
    right = {one.model: sum(map(bool, one.values)) for one in answers}
    assert right == {"6b_finetuning": 286, "6b_verification": 515, "175b_finetuning": 458, "175b_verification": 742}
    assert {len(one.values) for one in answers} == {1319}


def test_predictions_and_columns_that_the_user_names(tmp_path: Path) -> None:
    """A column 'prediction' of one model is called by the file; columns of models hold either kind."""
    single, wide = tmp_path / "my-model.csv", tmp_path / "wide.csv"
    written(single, "row,prediction\n0,cat\n1,3.0\n")
    written(wide, "row,a,b\n0,cat,true\n1,dog,false\n")
    answers, _ = laid_out(read_tables([single])[0])
    assert [(one.model, one.kind, one.values) for one in answers] == [("my-model", "prediction", ("cat", "3.0"))]
    answers, _ = laid_out(read_tables([wide])[0], model_columns=("a", "b"))
    assert [(one.model, one.kind) for one in answers] == [("a", "prediction"), ("b", "correct")]


def test_published_scores(tmp_path: Path) -> None:
    """Rows of model, accuracy and n are scores."""
    path = written(tmp_path / "scores.csv", "model,accuracy,n\na,0.782,1319\nb,0.5,1319\n")
    answers, scores = laid_out(read_tables([path])[0])
    assert answers == []
    assert [(score.model, score.accuracy, score.n) for score in scores] == [("a", 0.782, 1319), ("b", 0.5, 1319)]


def test_files_that_are_called_alike_are_told_apart(tmp_path: Path) -> None:
    """Two files of one name are called by their folders too, and a folder stands for its files."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder / "test.csv", "correct\n1\n")
    tables = read_tables([tmp_path / "one", tmp_path / "two" / "test.csv"])
    assert [table.model for table in tables] == ["one/test", "two/test"]


def test_lines_that_cannot_be_read_keep_their_place(tmp_path: Path) -> None:
    """Broken JSON lines and ragged CSV lines are lines without an answer, so that the order of the others holds."""
    for name, content in (
        ("a.jsonl", '{"correct": 1}\n{"corr\n[1]\n{"correct": 0}\n'),
        ("a.csv", "row,correct\n0,1\n1\n2,1,1\n3,0\n"),
    ):
        table = read_tables([written(tmp_path / name, content)])[0]
        answers, _ = laid_out(table)
        assert answers[0].values == (True, None, None, False)
        assert table.unreadable == {1, 2}


def test_line_ends_inside_of_json_strings(tmp_path: Path) -> None:
    """A line separator of Unicode inside a string does not end a JSON line."""
    path = tmp_path / "a.jsonl"
    written(path, '{"text": "one\u2028two", "correct": true}\n')
    assert read_tables([path])[0].count == 1


@pytest.mark.parametrize(
    ("name", "content", "error", "said"),
    [
        ("a.csv", "", DataError, "is empty; give a file of predictions"),
        ("a.csv", "row,correct\n", DataError, "has no rows"),
        ("a.json", "[]", DataError, "has no rows"),
        ("a.json", '{"a": 1}', DataError, "holds no list"),
        ("a.json", "[", DataError, "cannot be read as JSON"),
        ("a.jsonl", "one\ntwo\n", DataError, "has no JSON object"),
        ("a.parquet", "no parquet", DataError, "cannot be read as parquet"),
        ("a.csv", "row;correct\n0;1\n", DataError, "separated by ';'"),
        ("a.csv", "row,correct,correct\n0,1,1\n", DataError, "two columns 'correct'"),
        (
            "a.csv",
            "row,corect,note\n0,1,x\n",
            UsageError,
            r"no column of answers \(columns: row, corect, note\); call",
        ),
        ("a.csv", "row,correct\n0,0.5\n", DataError, "column 'correct' holds '0.5'"),
        ("a.csv", "row,model,correct\n0,,1\n", DataError, "1 rows name no model"),
        ("a.jsonl", '{"model": NaN, "correct": 1}\n', DataError, "1 rows name no model"),
        ("a.csv", "model,accuracy,n\na,78.2,10\n", DataError, "accuracy 78.2 is not a share"),
        ("a.csv", "model,accuracy,n\na,x,10\n", DataError, "have to be numbers"),
        ("a.csv", "model,accuracy,n\na,1,0\n", DataError, "n is 0"),
        ("a.jsonl", f'{{"accuracy": 1{"0" * 400}, "n": 5}}\n', DataError, "have to be numbers"),
        ("a.csv", "model,accuracy,n\na,1,5\na,1,5\n", DataError, "given twice"),
        ("a.csv", "model,accuracy,n\n ,1,5\n", DataError, "row 1 names no model"),
        ("a.csv", "model,accuracy,n\na,1,100.9\n", DataError, "n is 100.9; write the number of examples, a whole one"),
        ("a.csv", "model,accuracy,n\na,1,inf\n", DataError, "n is inf"),
        ("a.csv", "model,accuracy,n\na,1,1e300\n", DataError, "n is 1e300"),
        ("a.csv", f"model,accuracy,n\na,1,{'9' * 5000}\n", DataError, "n is 99999"),
        ("a.json", "[" * 100_000, DataError, "nests lists or objects too deeply"),
        ("a.jsonl", "[" * 100_000, DataError, "has no JSON object"),
        ("a.jsonl", '{"correct": 1}\n{"model": "a\\ud800"}\n', DataError, r"line 2 holds .ud800, half of a character"),
        ("a.json", '[{"model": "a\\udfff", "correct": 1}]', DataError, r"holds .udfff, half of a character"),
        ("a.xlsx", "row,correct\n0,1\n", UsageError, "ends in '.xlsx', which no reader takes"),
        ("a", "row,correct\n0,1\n", UsageError, "has no ending"),
    ],
)
def test_what_is_no_file_of_answers(
    name: str, content: str, error: type[IbcReportError], said: str, tmp_path: Path
) -> None:
    """Each mistake is one line that says what is wrong and what would be right."""
    with pytest.raises(error, match=said) as caught:
        laid_out(read_tables([written(tmp_path / name, content)])[0])
    assert "\n" not in str(caught.value)


def test_paths_that_are_none(tmp_path: Path) -> None:
    """A path with a typing mistake gets the nearest file, an empty folder the endings, a file given twice is named."""
    path = written(tmp_path / "preds.csv", "correct\n1\n")
    with pytest.raises(UsageError, match=r"did you mean 'preds.csv'\?"):
        read_tables([tmp_path / "pred.csv"])
    with pytest.raises(UsageError, match=r"preds.csv is given twice"):
        read_tables([tmp_path, path])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"has no file of predictions in it"):
        read_tables([tmp_path / "empty"])


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    """A file of another encoding is refused with the place."""
    (tmp_path / "a.csv").write_bytes("row,prediction\n0,é\n".encode("latin-1"))
    with pytest.raises(DataError, match="is not UTF-8"):
        read_tables([tmp_path / "a.csv"])


def test_named_columns_that_do_not_exist() -> None:
    """A key or a model's column with a typing mistake gets the nearest one."""
    table = AnswerTable("a.csv", "a", {"row": ["0"], "correct": ["1"]})
    with pytest.raises(UsageError, match="no column 'rwo'; did you mean 'row'"):
        laid_out(table, key="rwo")
    with pytest.raises(UsageError, match="no column 'corect'; did you mean 'correct'"):
        laid_out(table, model_columns=("corect",))


@few_properties
@given(st.integers(-(10**9), 10**9))
def test_numbers_are_compared_by_their_value(number: int) -> None:
    """A whole number is written in one way, whether it comes as a number, as text or as a double."""
    assert plain(number) == plain(float(number)) == plain(f" {number} ") == plain(f"{number}.0") == str(number)


@pytest.mark.parametrize("value", ["maybe", 0.5, 2, "-1"])
def test_what_is_no_verdict(value: object) -> None:
    """Anything but right and wrong is refused, and nothing says nothing."""
    with pytest.raises(ValueError, match=plain(value)):
        verdict(value)
    assert verdict(None) is verdict("") is verdict("nan") is None


def test_whole_characters_may_be_escaped(tmp_path: Path) -> None:
    """Both halves of a surrogate pair are a character like any other."""
    path = written(tmp_path / "a.jsonl", '{"model": "\\ud83d\\ude00", "correct": true}\n')
    assert [one.model for one in laid_out(read_tables([path])[0])[0]] == ["\U0001f600"]


def test_a_column_of_objects_is_one_model(tmp_path: Path) -> None:
    """A nested model is chosen by its column; objects that hold no answer are refused with what they hold."""
    content = lines(
        *({"q": f"q{i}", "a": {"is_correct": a}, "b": {"solution": "x"}} for i, a in enumerate(RIGHT["resnet"]))
    )
    table = read_tables([written(tmp_path / "nested.jsonl", content)])[0]
    answers, _ = laid_out(table, model_columns=("a",))
    assert [(one.model, one.kind, list(one.values)) for one in answers] == [("a", "correct", RIGHT["resnet"])]
    with pytest.raises(
        UsageError, match=r"column 'b' holds objects without 'correct' or 'prediction' .they have: solu"
    ):
        laid_out(table, model_columns=("b",))


def test_blanks_are_no_answers() -> None:
    """Nothing, not a number and white space are no predictions; words for nothing may be classes, and are kept."""
    table = AnswerTable("a.csv", "a", {"prediction": [None, float("nan"), " ", "", "null", 0]})
    assert laid_out(table)[0][0].values == (None, None, None, None, "null", "0")
