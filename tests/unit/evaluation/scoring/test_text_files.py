"""Text files of labels: with a header by tabs, numbered, or labels alone in the order of rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibc_report.common.errors import UsageError
from ibc_report.data.sources import Rows
from ibc_report.evaluation.scoring.grading import Grader
from ibc_report.evaluation.scoring.predictions import Predictions, match, read
from tests.support.tables import column, table

LABELS = ["cat", "dog", "eel, grilled", "cat", "dog"] * 4

PETS = table(column("size", list(range(20))), column("kind", LABELS))

NUMBERS = table(column("value", [0.5 * i for i in range(20)]))


def matched(path: Path, rows: Rows = PETS, **settings: float) -> Predictions:
    """The answers of a file, graded."""
    grader = Grader.of(rows, target=rows.columns[-1].name, tolerance=0.01 if rows is NUMBERS else None)
    return match(read([path])[0], rows, grader, **settings)  # type: ignore[arg-type]


def quoted(labels: list[str]) -> str:
    """Labels of a CSV file of one column."""
    return "".join(f'"{label}"\n' if "," in label else f"{label}\n" for label in labels)


BACKWARDS = [(i, label) for i, label in reversed(list(enumerate(LABELS)))]

FORMS = {
    "predict_results.txt": "index\tprediction\n" + "".join(f"{i}\t{label}\n" for i, label in BACKWARDS),
    "numbered.txt": "".join(f"{i}\t{label}\n" for i, label in BACKWARDS),
    "numbered.tsv": "".join(f"{i}\t{label}\n" for i, label in BACKWARDS),
    "by-commas.txt": "id,prediction\n" + "".join(f'{i},"{label}"\n' for i, label in BACKWARDS),
    "alone.txt": "\n".join(LABELS),
    "windows.txt": "\ufeff" + "\r\n".join(LABELS) + "\r\n",
    "alone.csv": quoted(LABELS),
    "alone.tsv": "\n".join(LABELS) + "\n",
    "header.txt": "\n".join(["prediction", *LABELS]) + "\n",
    "header.csv": "label\n" + quoted(LABELS),
    "unquoted.csv": "\n".join(LABELS) + "\n",
    "own-header.csv": "species\n" + quoted(LABELS),
    "own-header.txt": "\n".join(["what it is", *LABELS]) + "\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_the_same(name: str, tmp_path: Path) -> None:
    """Labels reach their rows by number, or by order, whether or not there is a header."""
    (tmp_path / name).write_bytes(FORMS[name].encode())
    found = matched(tmp_path / name)
    assert found.correct.tolist() == [20]
    assert found.counts[0].given == 20
    said = f"The first line, '{FORMS[name].splitlines()[0]}', is taken for a header."
    assert (said in found.notes) == name.startswith("own-header")


@pytest.mark.parametrize(("count", "said"), [(19, "has 19 lines"), (21, "has 21 lines"), (1, "has 1 line,")])
def test_a_wrong_number_of_lines_is_said(count: int, said: str, tmp_path: Path) -> None:
    """Labels alone that are not one for each row are refused with both numbers, in a line."""
    (tmp_path / "m.txt").write_text("\n".join([*LABELS, "cat"][:count]) + "\n", encoding="utf-8")
    with pytest.raises(
        UsageError, match=f"{said}.* and here has 20 rows: labels alone need one line for each"
    ) as caught:
        matched(tmp_path / "m.txt")
    assert "\n" not in str(caught.value)


def test_an_empty_line_keeps_its_place(tmp_path: Path) -> None:
    """A row without an answer does not shift those behind it."""
    for name in ("m.txt", "m.csv"):
        labels = [*LABELS[:2], "", *LABELS[3:]]
        (tmp_path / name).write_text(quoted(labels) if name == "m.csv" else "\n".join(labels) + "\n", encoding="utf-8")
        found = matched(tmp_path / name, max_unmatched=0.1)
        assert found.correct.tolist() == [19]
        assert (found.counts[0].unreadable, found.counts[0].missing) == (1, 1)


def test_values_alone(tmp_path: Path) -> None:
    """Of a regression a line holds a number; a first line that is none, and one too many, is a header."""
    numbers = "".join(f"{0.5 * i}\n" for i in range(20))
    for name, content in (("m.txt", numbers), ("n.txt", f"yhat\n{numbers}"), ("o.txt", "index\tprediction\n")):
        rows = "".join(f"{i}\t{0.5 * i:.3f}\n" for i in range(20)) if name == "o.txt" else ""
        (tmp_path / name).write_text(content + rows, encoding="utf-8")
        assert matched(tmp_path / name, NUMBERS).correct.tolist() == [20]


def test_right_or_wrong_alone(tmp_path: Path) -> None:
    """A column of true and false under a name of its own says what is right."""
    (tmp_path / "m.csv").write_text("passed\n" + "True\nFalse\n" * 10, encoding="utf-8")
    assert matched(tmp_path / "m.csv").correct.tolist() == [10]


def test_scores_of_two_classes_are_no_row_numbers(tmp_path: Path) -> None:
    """A header of 0 and 1 above scores is one, though both are whole numbers."""
    rows = table(column("kind", ["a", "b"] * 10))
    (tmp_path / "m.csv").write_text("0,1\n" + "1,0\n0,1\n" * 10, encoding="utf-8")
    found = match(read([tmp_path / "m.csv"])[0], rows, Grader.of(rows, target="kind"))
    assert found.correct.tolist() == [20]


def test_letters_with_marks_are_one_however_composed(tmp_path: Path) -> None:
    """Names of classes are compared in NFC, without spaces around."""
    rows = table(column("kind", ["th\u00e9", "tea"] * 10))
    (tmp_path / "m.txt").write_text("the\u0301 \n tea\n" * 10, encoding="utf-8")
    assert match(read([tmp_path / "m.txt"])[0], rows, Grader.of(rows, target="kind")).correct.tolist() == [20]
