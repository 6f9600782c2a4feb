"""Which column is predicted, as what, and which rows have no usable target."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data import targets
from ibc_report.data.class_names import class_name
from ibc_report.data.sources import Column
from ibc_report.data.sources.files import load
from tests.support.tables import column, table

NAN = float("nan")


def sifted(target: targets.Target) -> dict[str, tuple[int, ...]]:
    """The reasons for which rows were dropped, and the rows."""
    return {lost.reason: lost.examples for lost in target.dropped}


READS = [
    pytest.param(column("t", [1, 0, 1], names=("no", "yes")), ("no", "yes"), [1, 0, 1], id="class-label"),
    pytest.param(column("t", [2, 0, 2], names=("a", "b", "c")), ("a", "c"), [1, 0, 1], id="class-without-rows"),
    pytest.param(column("t", ["b", "a", "b"]), ("a", "b"), [1, 0, 1], id="string"),
    pytest.param(
        column("t", ["b", "a"], storage=pa.dictionary(pa.int8(), pa.string())), ("a", "b"), [1, 0], id="dictionary"
    ),
    pytest.param(column("t", [True, False, True]), ("false", "true"), [1, 0, 1], id="boolean"),
    pytest.param(column("t", [7, 3] * 5), ("3", "7"), [1, 0] * 5, id="integer"),
    pytest.param(column("t", [-1, 1] * 5), ("-1", "1"), [0, 1] * 5, id="minus-one-and-one"),
    pytest.param(column("t", [-2, -1, 1] * 5), ("-2", "-1", "1"), [0, 1, 2] * 5, id="minus-one-above-another"),
    pytest.param(column("t", [0, 1], names=("False", "True")), ("False", "True"), [0, 1], id="boolean-names"),
]


@pytest.mark.parametrize(("given_column", "names", "codes"), READS)
def test_labels_become_codes_in_the_order_of_their_names(
    given_column: Column, names: tuple[str, ...], codes: list[int]
) -> None:
    """Every form of a label is a class, codes count from 0, and classes that do not occur have none."""
    target = targets.read(given_column)
    assert (target.kind, target.names, target.codes.tolist()) == ("classes", names, codes)
    assert target.dropped == ()
    assert np.isnan(target.values).all()


DROPS = [
    pytest.param(column("t", [0, None, 1], names=("a", "b")), {"rows without a label": (1,)}, id="null"),
    pytest.param(column("t", [0, -1, 1], names=("a", "b")), {"rows with the label −1": (1,)}, id="minus-one"),
    pytest.param(
        column("t", [0, 7, 1, -2], names=("a", "b")), {"rows with a label outside 0..1": (1, 3)}, id="out-of-range"
    ),
    pytest.param(
        column("t", [-1, 0, 1] * 5), {"rows with the label −1": (0, 3, 6, 9, 12)}, id="minus-one-zero-and-one"
    ),
    pytest.param(
        column("t", [-1, 0, 1, 2] * 6),
        {"rows with the label −1": (0, 4, 8, 12, 16)},
        id="minus-one-among-ids",
    ),
    pytest.param(column("t", ["a", None, "b"]), {"rows without a label": (1,)}, id="null-string"),
    pytest.param(column("t", ["a", "", " \t", "b"]), {"rows with an empty label": (1, 2)}, id="empty-string"),
    pytest.param(column("t", [True, None, False]), {"rows without a label": (1,)}, id="null-boolean"),
]


@pytest.mark.parametrize(("given_column", "dropped"), DROPS)
def test_a_row_without_a_usable_label_is_dropped_and_counted(
    given_column: Column, dropped: dict[str, tuple[int, ...]]
) -> None:
    """A label that says nothing costs its row, under its reason, and the others stay."""
    target = targets.read(given_column)
    lost = {row for rows in dropped.values() for row in rows}
    assert sifted(target) == dropped
    assert not target.usable[sorted(lost)].any()
    assert (target.codes[~target.usable] == -1).all()
    assert target.usable.sum() == len(given_column.values) - sum(entry.count for entry in target.dropped)


def test_different_reasons_are_counted_apart() -> None:
    """Null, −1 and out-of-range labels of one column are three reasons, and no row is counted twice."""
    target = targets.read(column("t", [0, None, -1, 9, 1], names=("a", "b")))
    assert sifted(target) == {
        "rows without a label": (1,),
        "rows with the label −1": (2,),
        "rows with a label outside 0..1": (3,),
    }
    assert target.usable.tolist() == [True, False, False, False, True]


def test_floating_ids_are_classes_where_asked_for() -> None:
    """Floating ids become classes with --kind classes, and NaN and infinity are no labels."""
    target = targets.read(column("t", [0.0, 1.0, NAN, float("inf"), 1.0]), kind="classes")
    assert (target.names, target.codes.tolist()) == (("0", "1"), [0, 1, -1, -1, 1])
    assert sifted(target) == {"rows with a label that is not finite": (2, 3)}


def test_floats_are_regressed_on() -> None:
    """A floating column is a target of values, without rows that are null, NaN or infinite."""
    target = targets.read(column("t", [1.5, None, NAN, float("-inf"), 2.5]))
    assert target.kind == "values"
    assert target.values[target.usable].tolist() == [1.5, 2.5]
    assert sifted(target) == {"rows without a target": (1,), "rows with a target that is not finite": (2, 3)}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        pytest.param(list(range(30)), "values", id="one-row-a-value"),
        pytest.param([0, 1, 2] * 10, "classes", id="few-values"),
        pytest.param([value for value in range(101) for _ in range(5)], "values", id="more-values-than-classes"),
    ],
)
def test_integers_are_classes_where_few_repeat(values: list[int], kind: str) -> None:
    """Integers that repeat are classes; a value for every row is a quantity."""
    assert targets.read(column("t", values)).kind == kind


def test_the_user_may_say_how_integers_are_taken() -> None:
    """--kind overrules the guess, both ways."""
    assert targets.read(column("t", [0, 1, 2] * 10), kind="values").kind == "values"
    assert targets.read(column("t", list(range(30))), kind="classes").kind == "classes"


REFUSED = [
    pytest.param(
        column("t", [[0, 1], [1]]), None, UsageError, "holds lists, which cannot be a target", id="multi-label-numbers"
    ),
    pytest.param(
        column("t", [["a", "b"], ["a"]]), None, UsageError, "holds lists, which cannot be a target", id="multi-label"
    ),
    pytest.param(column("t", [b"a"], kind="image"), None, UsageError, "holds images", id="images"),
    pytest.param(column("t", [{"a": 1}]), None, UsageError, "holds values of type struct<a: int64>", id="structs"),
    pytest.param(column("t", [None, None]), None, UsageError, "holds values of type null", id="null-type"),
    pytest.param(column("t", ["a", "b"]), "values", UsageError, "cannot be regressed on", id="strings-as-values"),
    pytest.param(
        column("t", [-1, -1], names=("a", "b")), None, DataError, "no usable target in any row", id="all-minus-one"
    ),
    pytest.param(
        column("t", [None, None], storage=pa.string()), None, DataError, "no usable target in any row", id="all-null"
    ),
    pytest.param(column("t", [NAN, NAN]), None, DataError, "no usable target in any row", id="all-nan"),
    pytest.param(column("t", ["a", "a", None]), None, DataError, "has one class only ('a')", id="one-class"),
    pytest.param(column("t", [2.0, 2.0]), None, DataError, "the same value in every row", id="one-value"),
]


@pytest.mark.parametrize(("given_column", "kind", "error", "message"), REFUSED)
def test_what_is_no_target_is_refused_by_one_line(
    given_column: Column, kind: Any, error: type[Exception], message: str
) -> None:
    """A column that cannot be predicted is refused, by its name and with what to do next."""
    with pytest.raises(error) as caught:
        targets.read(given_column, kind=kind)
    said = str(caught.value)
    assert said.startswith("column 't' ")
    assert message in said
    assert "; choose " in said
    assert "\n" not in said


def test_real_free_text_is_refused_with_what_can_be_done(shared: Path) -> None:
    """GSM8K's worked answers are no labels, and the message says to grade them."""
    lines = (shared / "gsm8k/test.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [json.loads(line)["answer"] for line in lines]
    with pytest.raises(UsageError) as caught:
        targets.read(column("answer", answers))
    said = str(caught.value)
    assert "is free text (1319 different values in 1319 rows, 53 words each)" in said
    assert "choose a column of labels with --target, add one that grades the answers" in said


def test_long_sentences_are_text_even_where_they_are_few() -> None:
    """Ten words a value is text, however often it repeats."""
    with pytest.raises(UsageError, match="is free text"):
        targets.read(column("t", ["a b c d e f g h i j", "k l m n o p q r s t"] * 9))


COLOUR = column("colour", ["red", "blue", "green"] * 10)

SHAPE = column("shape", ["round", "square"] * 15)

SIZE = column("size", [0.5 * n for n in range(30)])

LABEL = column("label", ["x", "y"] * 15)

TAGGED = column("kind", [0, 1] * 15, names=("a", "b"))

CHOSEN = [
    pytest.param((COLOUR, SIZE), None, (), "colour", id="only-candidate"),
    pytest.param((COLOUR, LABEL, SIZE), None, (), "label", id="usual-name"),
    pytest.param((COLOUR, LABEL, TAGGED), None, (), "kind", id="only-class-label"),
    pytest.param((COLOUR, SHAPE), "shape", (), "shape", id="wanted"),
    pytest.param((COLOUR, SHAPE), None, ("shape",), "colour", id="the-other-is-an-input"),
    pytest.param((SIZE,), "size", (), "size", id="wanted-number"),
]


@pytest.mark.parametrize(("columns", "wanted", "inputs", "name"), CHOSEN)
def test_the_target_is_chosen_where_one_choice_is_plain(
    columns: tuple[Column, ...], wanted: str | None, inputs: tuple[str, ...], name: str
) -> None:
    """The wanted column, else the one class label, else the one usual name, else the one candidate."""
    assert targets.choose(table(*columns), wanted, inputs).column.name == name


def test_several_candidates_are_listed() -> None:
    """Where several columns would do, none is taken and all are named, and the numbers to regress on after them."""
    with pytest.raises(UsageError) as caught:
        targets.choose(table(COLOUR, SHAPE, SIZE), None)
    assert str(caught.value) == (
        "here has several columns that could be the target; choose one with --target: 'colour', 'shape'; or a number "
        "to regress on: size"
    )


def test_no_candidate_lists_what_there_is() -> None:
    """Where no column looks like a target, the columns are named, and the numeric ones for a regression."""
    with pytest.raises(UsageError) as caught:
        targets.choose(table(SIZE, column("text", [f"line {n}" for n in range(30)])), None)
    assert str(caught.value) == (
        "here has no column that looks like a target (columns: size, text); choose one with --target; for regression "
        "name a numeric one: size"
    )


def test_a_choice_says_why_and_what_else_could_be() -> None:
    """A target that was not named comes with its reason and the other candidates; one that was needs none."""
    assert targets.choose(table(COLOUR, LABEL, SIZE), None).why == (
        "'label' has the name of a target; others that could be: 'colour'; --target takes another."
    )
    assert targets.choose(table(COLOUR, SIZE), None).why == (
        "'colour' is the only column that looks like classes; --target takes another."
    )
    assert targets.choose(table(COLOUR, LABEL), "colour").why == ""


MONTH = column("month", [5, 6, 7] * 10)

AGAINST = [
    pytest.param((column("x", [0.5] * 30), column("y", [1.5] * 30), SIZE), "'x' beside it", id="coordinates"),
    pytest.param((LABEL, column("kind", ["u", "v"] * 15)), "'kind' says the same in other words", id="twins"),
    pytest.param((column("label", [f"a b c {n}" for n in range(30)]), COLOUR), "it is free text", id="text"),
]


@pytest.mark.parametrize(("columns", "why"), AGAINST)
def test_a_usual_name_wins_only_where_nothing_speaks_against_it(columns: tuple[Column, ...], why: str) -> None:
    """A coordinate, a second form of another column and a text are no targets by their name alone."""
    with pytest.raises(UsageError, match=why):
        targets.choose(table(*columns), None)


def test_hundreds_of_names_that_repeat_are_classes() -> None:
    """Strings may be of more classes than numbers may, and a column of splits beside them is none."""
    rows = table(column("intent", [f"intent {n % 110}" for n in range(660)]))
    assert targets.choose(rows, None).column.name == "intent"
    assert targets.candidates(table(column("amount", [n % 110 for n in range(660)]))) == []


def test_what_says_when_is_offered_last() -> None:
    """Months are no target by themselves, and stand behind the numbers in a list."""
    with pytest.raises(UsageError) as caught:
        targets.choose(table(MONTH, SIZE), None)
    assert str(caught.value) == (
        "here has no column that is plainly the target; choose one with --target: a number to regress on: size, month"
    )
    assert targets.choose(table(MONTH, COLOUR), None).column.name == "colour"


@given(st.lists(st.sampled_from(["caf\u00e9", "cafe\u0301", " tea", "tea ", "tea", "Tea"]), min_size=2, max_size=30))
def test_two_spellings_that_look_the_same_are_one_class(labels: list[str]) -> None:
    """Names are compared in one form of each character and without space around, and rows keep their classes."""
    plain = [class_name(label) for label in labels]
    if len(set(plain)) < 2:
        return
    target = targets.read(column("t", labels), kind="classes")
    assert target.names == tuple(sorted(set(plain)))
    assert [target.names[code] for code in target.codes] == plain


def test_declared_names_that_look_the_same_are_one_class() -> None:
    """Two ids whose names differ by space or form alone are one class."""
    target = targets.read(column("t", [0, 1, 2, 1], names=("caf\u00e9", "cafe\u0301 ", "tea")))
    assert (target.names, target.codes.tolist()) == (("caf\u00e9", "tea"), [0, 0, 1, 0])


def test_the_user_may_say_that_texts_are_classes() -> None:
    """--kind classes is stronger than the looks of free text, and so is --categorical."""
    texts = column("t", [f"so many words in each of these {n}" for n in range(30)])
    assert len(targets.read(texts, kind="classes").names) == 30
    assert len(targets.read(replace(texts, is_category=True)).names) == 30


@given(st.lists(st.one_of(st.none(), st.integers(-3, 5)), min_size=1, max_size=40))
def test_every_row_is_used_or_counted_once(labels: list[int | None]) -> None:
    """Whatever ids a class-label column holds, used and dropped rows add up and only names in range occur."""
    names = ("a", "b", "c")
    given_column = column("t", labels, names=names, storage=pa.int64())
    good = [label for label in labels if label is not None and 0 <= label < 3]
    if len(set(good)) < 2:
        with pytest.raises(DataError):
            targets.read(given_column)
        return
    target = targets.read(given_column)
    assert [target.names[code] for code in target.codes[target.usable]] == [names[label] for label in good]
    assert sum(lost.count for lost in target.dropped) == len(labels) - len(good)


def test_codes_do_not_depend_on_the_order_of_rows() -> None:
    """Shuffled rows give the same class the same code."""
    forward = targets.read(column("t", ["b", "a", "c"]))
    backward = targets.read(column("t", ["c", "a", "b"]))
    assert forward.names == backward.names
    assert forward.codes.tolist() == backward.codes.tolist()[::-1]


def test_a_label_column_with_boolean_names_reads_from_a_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that YAML reads as booleans (an unquoted no and yes) are class names all the same."""
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "README.md").write_text(
        "---\ndataset_info:\n  features:\n  - name: a\n    dtype: float64\n  - name: label\n    dtype:\n"
        "      class_label:\n        names:\n          '0': no\n          '1': yes\n---\n",
        encoding="utf-8",
    )
    (folder / "train.csv").write_text("a,label\n1,0\n2,1\n", encoding="utf-8")
    assert targets.read(load(folder).column("label")).names == ("False", "True")


def test_a_missing_label_leaves_a_csv_a_classification(tmp_path: Path) -> None:
    """One empty label makes pandas read whole numbers as floating; they are classes, and a candidate, all the same."""
    path = tmp_path / "set.csv"
    lines = ["a,kind", *(f"{n * n}.5,{n % 2 + 3}" for n in range(12)), "7.5,"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = load(path)
    given_column = rows.column("kind")
    assert pa.types.is_floating(given_column.values.type)
    target = targets.read(given_column)
    assert (target.kind, target.names) == ("classes", ("3", "4"))
    assert sifted(target) == {"rows without a label": (12,)}
    assert [found.name for found in targets.candidates(rows)] == ["kind"]
    assert targets.choose(rows, None).column.name == "kind"


def test_fractions_are_no_candidates() -> None:
    """A floating column with a fraction is a quantity, however few its values."""
    assert targets.candidates(table(column("a", [0.5, 1.0] * 20))) == []
    assert targets.read(column("a", [0.5, 1.0] * 20)).kind == "values"


def test_unsigned_labels_beyond_2_to_the_63_are_labels() -> None:
    """Labels that no signed integer holds are told apart without overflow."""
    target = targets.read(column("t", [2**63, 2**64 - 2**12, 3] * 5, storage=pa.uint64()))
    assert (target.kind, target.codes.tolist(), target.dropped) == ("classes", [1, 2, 0] * 5, ())
    assert [float(name) for name in target.names] == pytest.approx([3, 2**63, 2**64], rel=1e-5)


def test_minus_one_is_a_class_where_the_user_says_so() -> None:
    """With kind="classes" every whole number is a class, −1 too."""
    target = targets.read(column("t", [-1, 0, 1] * 5), kind="classes")
    assert (target.names, target.dropped) == (("-1", "0", "1"), ())
