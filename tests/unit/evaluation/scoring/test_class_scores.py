"""Answers by scores of classes, by labels beside a score, and by places such as LABEL_2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import DataError, IbcReportError, UsageError
from ibc_report.data.sources import Rows
from ibc_report.evaluation.scoring.answers import AnswerTable
from ibc_report.evaluation.scoring.columns import laid_out
from ibc_report.evaluation.scoring.grading import Grader, NotGraded
from ibc_report.evaluation.scoring.predictions import Predictions, match, read
from tests.support.samples import few_properties
from tests.support.tables import column, table

NAMES = ("bird", "cat", "dog")

CODES = [i % 3 for i in range(30)]

GUESSES = [code if i % 5 else (code + 1) % 3 for i, code in enumerate(CODES)]

RIGHT = sum(guess == code for guess, code in zip(GUESSES, CODES, strict=True))

PETS = table(column("size", [0.1 * i for i in range(30)]), column("kind", [NAMES[code] for code in CODES]))

DECLARED = table(column("kind", CODES, names=("dog", "bird", "cat")))


def lines(*records: Any) -> str:
    """JSON Lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def scores(guess: int) -> list[float]:
    """Scores of the three classes, of which one is the highest."""
    return [0.8 if place == guess else 0.1 for place in range(3)]


def one_by_one(form: str) -> str:
    """Scores of each class in columns that are called like this."""
    rows = ["row," + ",".join(form.format(name=name, place=place) for place, name in enumerate(NAMES))]
    rows += [f"{i}," + ",".join(map(str, scores(guess))) for i, guess in enumerate(GUESSES)]
    return "\n".join(rows) + "\n"


def objects(guess: int, form: str = "{name}") -> list[dict[str, Any]]:
    """A pipeline's labels and scores, the highest first."""
    found = [
        {"label": form.format(name=name, place=place), "score": score}
        for place, (name, score) in enumerate(zip(NAMES, scores(guess), strict=True))
    ]
    return sorted(found, key=lambda one: -one["score"])


FORMS = {
    "label-and-score.jsonl": lines(*({"label": NAMES[g], "score": 0.9} for g in GUESSES)),
    "label-and-score.json": json.dumps([{"label": NAMES[g], "score": 0.9} for g in GUESSES]),
    "text-too.jsonl": lines(*({"text": f"t{i}", "label": NAMES[g], "score": 0.9} for i, g in enumerate(GUESSES))),
    "places.jsonl": lines(*({"label": f"LABEL_{g}", "score": 0.9} for g in GUESSES)),
    "label-alone.csv": "id,label\n" + "".join(f"{i},{NAMES[g]}\n" for i, g in enumerate(GUESSES)),
    "place-numbers.csv": "row,prediction\n" + "".join(f"{i},{g}\n" for i, g in enumerate(GUESSES)),
    "lists.jsonl": lines(*(objects(g) for g in GUESSES)),
    "lists.json": json.dumps([objects(g, "LABEL_{place}") for g in GUESSES]),
    "in-a-column.jsonl": lines(*({"row": i, "output": objects(g)} for i, g in enumerate(GUESSES))),
    "in-prediction.jsonl": lines(*({"row": i, "prediction": objects(g)} for i, g in enumerate(GUESSES))),
    "one-object.jsonl": lines(*({"row": i, "output": objects(g)[0]} for i, g in enumerate(GUESSES))),
    "zero-shot.jsonl": lines(
        *(
            {"sequence": f"t{i}", "labels": [one["label"] for one in objects(g)], "scores": sorted(scores(g))[::-1]}
            for i, g in enumerate(GUESSES)
        )
    ),
    "vectors.jsonl": lines(*({"row": i, "probabilities": scores(g)} for i, g in enumerate(GUESSES))),
    "vectors.json": json.dumps([scores(g) for g in GUESSES]),
    "columns.csv": one_by_one("{name}"),
    "places.csv": one_by_one("{place}"),
    "label-places.csv": one_by_one("LABEL_{place}"),
    "before.csv": one_by_one("prob_{name}"),
    "behind.csv": one_by_one("{name}.logit"),
    "around.csv": one_by_one("P({name})"),
    "savetxt.txt": "".join(" ".join(f"{score:.18e}" for score in scores(g)) + "\n" for g in GUESSES),
    "savetxt.csv": "".join(",".join(f"{score:.18e}" for score in scores(g)) + "\n" for g in GUESSES),
    "codes.txt": "".join(f"{g:.18e}\n" for g in GUESSES),
    "series.csv": ",0\n" + "".join(f"{i},{NAMES[g]}\n" for i, g in enumerate(GUESSES)),
    "series-alone.csv": "0\n" + "".join(f"{NAMES[g]}\n" for g in GUESSES),
    "called-as-the-target.csv": "Id,Kind\n" + "".join(f"{i},{NAMES[g]}\n" for i, g in enumerate(GUESSES)),
    "labels.json": json.dumps([NAMES[g] for g in GUESSES]),
}


def matched(path: Path, rows: Rows = PETS, **settings: Any) -> Predictions:
    """The answers of a file, graded."""
    return match(read([path])[0], rows, Grader.of(rows, target="kind"), **settings)


@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_the_same(name: str, tmp_path: Path) -> None:
    """However a client writes the class of each row, the same answers are right, of the model named by the file."""
    path = tmp_path / name
    path.write_text(FORMS[name], encoding="utf-8")
    found = matched(path)
    assert found.models == (path.stem,)
    assert found.correct.tolist() == [RIGHT]
    assert found.counts[0].unknown == 0


def test_a_parquet_file_of_scores(tmp_path: Path) -> None:
    """Columns of scores beside other numbers and texts, and lists of structs, are read from parquet too."""
    wide = pd.DataFrame([scores(g) for g in GUESSES], columns=list(NAMES)).astype("float32")
    wide.assign(loss=0.5, text="t").to_parquet(tmp_path / "wide.parquet")
    pd.DataFrame({"output": [objects(g) for g in GUESSES]}).to_parquet(tmp_path / "deep.parquet")
    for name in ("wide", "deep"):
        assert matched(tmp_path / f"{name}.parquet").correct.tolist() == [RIGHT]


def test_places_go_by_the_declared_order_or_by_names(tmp_path: Path) -> None:
    """LABEL_2 is the class of id 2 where ids are declared, else the third by name; both are said with examples."""
    path = tmp_path / "m.jsonl"
    path.write_text(FORMS["places.jsonl"], encoding="utf-8")
    declared, sorted_ = matched(path, DECLARED), matched(path)
    assert declared.correct.tolist() == sorted_.correct.tolist() == [RIGHT]
    assert "as the source declares them: 'LABEL_0' is 'dog', 'LABEL_1' is 'bird'" in declared.notes[-1]
    assert "sorted by name, for the source declares none: 'LABEL_0' is 'bird'" in sorted_.notes[-1]


def test_a_place_beyond_the_classes_is_no_class(tmp_path: Path) -> None:
    """Where one place is beyond the classes, none is taken for a class, and all are counted as of no class."""
    path = tmp_path / "m.jsonl"
    path.write_text(lines(*({"label": f"LABEL_{g + 1}", "score": 1} for g in GUESSES)), encoding="utf-8")
    with pytest.raises(DataError, match=r"of no class of column 'kind', such as 'LABEL_"):
        matched(path)


def test_places_are_those_of_all_classes(tmp_path: Path) -> None:
    """A test split without one class does not shift the places of the others."""
    path = tmp_path / "m.csv"
    cats_and_dogs = table(column("kind", ["cat", "dog"] * 10))
    path.write_text("label\n" + "LABEL_1\nLABEL_2\n" * 10, encoding="utf-8")
    grader = Grader.of(cats_and_dogs, target="kind", elsewhere=NAMES)
    assert match(read([path])[0], cats_and_dogs, grader).correct.tolist() == [20]


def test_names_win_over_places(tmp_path: Path) -> None:
    """Classes that are called LABEL_1 and LABEL_0 are themselves."""
    rows = table(column("kind", ["LABEL_1", "LABEL_7"] * 10))
    path = tmp_path / "m.csv"
    path.write_text("label,score\n" + "LABEL_1,1\nLABEL_7,1\n" * 10, encoding="utf-8")
    found = matched(path, rows)
    assert found.correct.tolist() == [20]
    assert not any("place" in note for note in found.notes)


def test_ties_are_said(tmp_path: Path) -> None:
    """Of classes with the same highest score the first in their order is taken, and the rows are counted."""
    table_ = pd.DataFrame([scores(g) for g in GUESSES], columns=list(NAMES))
    table_.loc[:3, :] = 0.5
    table_[list(reversed(NAMES))].to_csv(tmp_path / "m.csv", index=False)
    found = matched(tmp_path / "m.csv")
    guesses = [0] * 4 + GUESSES[4:]
    assert found.correct.tolist() == [sum(g == c for g, c in zip(guesses, CODES, strict=True))]
    assert any("in 4 rows several classes share the highest score; the first" in note for note in found.notes)


def test_a_row_without_all_scores_is_no_answer(tmp_path: Path) -> None:
    """A missing score may have been the highest."""
    table_ = pd.DataFrame([scores(g) for g in GUESSES], columns=list(NAMES))
    table_.loc[[2, 9], "cat"] = np.nan
    table_.to_csv(tmp_path / "m.csv", index=False)
    found = matched(tmp_path / "m.csv", max_unmatched=0.2)
    assert (found.counts[0].unreadable, found.counts[0].missing) == (2, 2)


def test_numbers_that_name_classes_are_no_places(tmp_path: Path) -> None:
    """Of classes 5, 6 and 7 a prediction of 1 names none, however the number is written."""
    rows = table(column("kind", [5 + code for code in CODES]))
    path = tmp_path / "m.txt"
    path.write_text("".join(f"{5 + g:.3e}\n" for g in GUESSES), encoding="utf-8")
    assert matched(path, rows).correct.tolist() == [RIGHT]
    path.write_text("1\n" * 30, encoding="utf-8")
    with pytest.raises(DataError, match="of no class of column 'kind', such as '1'"):
        matched(path, rows)


def test_a_column_of_another_name_is_no_answer(tmp_path: Path) -> None:
    """A lone column that is called neither as answers nor as the target is refused."""
    path = tmp_path / "m.csv"
    path.write_text("row,sort\n" + "".join(f"{i},cat\n" for i in range(30)), encoding="utf-8")
    with pytest.raises(UsageError, match=r"no column of answers \(columns: row, sort\); call one 'correct'"):
        matched(path)


def test_columns_of_other_numbers_are_refused(tmp_path: Path) -> None:
    """Numbers in columns that are not all of the classes are named beside the classes, in a line."""
    path = tmp_path / "m.csv"
    path.write_text("row,bird,loss\n" + "".join(f"{i},1,2\n" for i in range(30)), encoding="utf-8")
    with pytest.raises(UsageError, match=r"\(columns: row, bird, loss\), nor one for each class of 'kind'") as caught:
        matched(path)
    assert "\n" not in str(caught.value)


def test_scores_cannot_be_graded_without_classes(tmp_path: Path) -> None:
    """Without data, and against a target of values, scores of classes are refused with the reason."""
    path = tmp_path / "m.csv"
    path.write_text(FORMS["columns.csv"], encoding="utf-8")
    with pytest.raises(NotGraded, match="cannot be graded: no data"):
        match(read([path])[0], None, Grader.none("no data"))
    values = table(column("kind", [0.5 * i for i in range(30)]))
    with pytest.raises(UsageError, match="'kind' has values: call the column of predictions 'prediction'"):
        match(read([path])[0], values, Grader.of(values, target="kind", kind="values", tolerance=1.0))


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.floats(),
    st.sampled_from(["bird", "LABEL_1", "", "x", "1e-3"]),
    st.lists(st.floats(0, 1), max_size=3),
    st.lists(st.fixed_dictionaries({"label": st.sampled_from([*NAMES, None]), "score": st.floats()}), max_size=3),
)

COLUMNS = st.sampled_from(["row", "label", "labels", "score", "scores", "prediction", "filter", "correct", *NAMES])


@few_properties
@given(st.dictionaries(COLUMNS, st.lists(CELLS, min_size=30, max_size=30), min_size=1, max_size=4))
def test_whatever_a_file_holds_is_answers_or_one_line(columns: dict[str, list[Any]]) -> None:
    """No mixture of values in the columns of answers ends in anything but counts, or an error of one line."""
    said = ""
    try:
        answers, _ = laid_out(AnswerTable("m.jsonl", "m", columns))
        found = match(answers, PETS, Grader.of(PETS, target="kind"), max_unmatched=0.99)
        assert all(0 <= right <= n for right, n in zip(found.correct, found.n, strict=True))
    except IbcReportError as error:
        said = str(error)
    assert "\n" not in said


def test_the_truth_beside_scores_is_not_the_answer(tmp_path: Path) -> None:
    """A column 'label' beside the scores of the classes is not taken for the answers."""
    table_ = pd.DataFrame([scores(g) for g in GUESSES], columns=list(NAMES)).assign(label=[NAMES[c] for c in CODES])
    table_.to_csv(tmp_path / "m.csv", index=False)
    assert matched(tmp_path / "m.csv").correct.tolist() == [RIGHT]
