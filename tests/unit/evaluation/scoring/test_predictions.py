"""Answers matched to examples and graded: by row, by value, by order, and what is lost on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.sources import Rows
from ibc_report.evaluation.scoring.answers import Answers, AnswerTable, Score
from ibc_report.evaluation.scoring.columns import laid_out
from ibc_report.evaluation.scoring.grading import Grader, NotGraded
from ibc_report.evaluation.scoring.matching import MatchedBy, SplitSize
from ibc_report.evaluation.scoring.predictions import Predictions, RowCounts, match, of_scores, of_split
from tests.support.samples import few_properties
from tests.support.tables import column, table

LABELS = ["cat", "dog", "cat", "eel", "dog", "cat"] * 5

N = len(LABELS)

TEXTS = [f"question {i}" for i in range(N)]

PETS = table(column("question", TEXTS), column("label", LABELS))

GRADER = Grader.of(PETS, target="label")


def answers(model: str = "m", **columns: Sequence[object]) -> list[Answers]:
    """What a file with these columns says."""
    return laid_out(AnswerTable("a.csv", model, {name: list(values) for name, values in columns.items()}))[0]


def matched(found: list[Answers], rows: Rows | None = PETS, *, share: float = 0.5) -> Predictions:
    """Answers matched to the pets, with much put up with."""
    return match(found, rows, GRADER if rows is not None else Grader.none("no data"), max_unmatched=share)


@few_properties
@given(st.permutations(range(N)), st.lists(st.booleans(), min_size=N, max_size=N))
def test_rows_may_come_in_any_order(order: list[int], right: list[bool]) -> None:
    """By row number and by the text of the question, answers reach their examples whatever their order is."""
    by_row = answers(row=list(order), correct=[right[i] for i in order])
    by_text = answers(question=[TEXTS[i] for i in order], correct=[right[i] for i in order])
    for found in (matched(by_row), matched(by_text)):
        assert found.right is not None
        assert found.right[0].tolist() == right
        assert found.correct.tolist() == [sum(right)]
        assert found.counts == (RowCounts(given=N),)


def test_predictions_are_graded_by_the_labels() -> None:
    """A prediction is right where it names the label; ids count where the source declares names."""
    guesses = ["cat"] * N
    found = matched(answers(row=list(range(N)), prediction=guesses))
    assert found.right is not None
    assert found.right[0].tolist() == [label == "cat" for label in LABELS]
    named = table(column("x", list(range(N))), column("label", [i % 3 for i in range(N)], names=("cat", "dog", "eel")))
    grader = Grader.of(named, target="label")
    for values in ([i % 3 for i in range(N)], [("cat", "dog", "eel")[i % 3] for i in range(N)]):
        assert match(answers(row=list(range(N)), prediction=values), named, grader).correct.tolist() == [N]


def test_names_of_classes_win_over_their_ids() -> None:
    """Where names are numbers themselves, a prediction is a name."""
    digits = table(column("x", list(range(N))), column("label", [i % 2 for i in range(N)], names=("1", "2")))
    grader = Grader.of(digits, target="label")
    by_name = match(answers(row=list(range(N)), prediction=[i % 2 + 1 for i in range(N)]), digits, grader)
    assert by_name.correct.tolist() == [N]


def test_order_is_the_last_resort() -> None:
    """Without anything to match by the order is taken, and said; a file of another length is refused."""
    found = matched(answers(prediction=list(LABELS)))
    assert found.correct.tolist() == [N]
    assert found.matched_by == (MatchedBy("order"),)
    with pytest.raises(UsageError, match=r"has 3 rows of model 'm' and nothing to match them by, and here has 30"):
        matched(answers(prediction=["cat"] * 3))


def test_losses_are_counted() -> None:
    """Rows of no example, rows given again, lines without an answer and missing examples are counted."""
    rows = [*range(N - 2), 0, 99, 1]
    right = [i != 5 or None for i in range(N - 2)] + [False, True, False]
    found = matched(answers(row=list(rows), correct=right))
    assert found.counts == (RowCounts(given=N + 1, unmatched=1, repeated=2, unreadable=1, missing=3),)
    assert found.n.tolist() == [N - 3]
    assert found.correct.tolist() == [N - 3]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (range(20), "10 of 30 examples missing .first: '20', '21', '22'.; that is 33.3 %, and 1 % is allowed"),
        ([*range(30), 77], "1 row of no example; that is 3.23 %"),
        ([*range(30), 3], "1 row given again; that is 3.23 %"),
        (range(100, 130), "answers none of the 30 examples"),
    ],
)
def test_too_many_losses_are_refused(rows: range, said: str) -> None:
    """Beyond the share that is put up with, the losses are said, with the first rows and what to do."""
    with pytest.raises(DataError, match=said):
        match(answers(row=list(rows), correct=[1] * len(rows)), PETS, GRADER)


def test_rows_that_count_from_one_are_refused() -> None:
    """Row numbers from 1 to n would all be off by one, and are not taken for one lost row."""
    with pytest.raises(DataError, match="numbers rows from 1 to 30, and row numbers count from 0; subtract 1"):
        matched(answers(row=list(range(1, N + 1)), correct=[1] * N))


def test_identifiers_that_are_no_numbers_need_their_column() -> None:
    """Names of rows are looked up in the source's column of that name, and refused where it has none."""
    with pytest.raises(UsageError, match="column 'id' holds 'a0', and here has no column of that name"):
        matched(answers(id=[f"a{i}" for i in range(N)], correct=[1] * N))
    named = table(column("id", [f"a{i}" for i in range(N)]), column("label", LABELS))
    found = match(answers(id=[f"a{i}" for i in range(N)], prediction=list(LABELS)), named, GRADER)
    assert found.correct.tolist() == [N]
    assert found.matched_by == (MatchedBy("column", "id"),)


def test_predictions_of_other_names_are_refused() -> None:
    """Beyond the share, predictions of no class are refused with an example and the nearest; below, they are wrong."""
    guesses = answers(row=list(range(N)), prediction=["Cat", "Dog", *LABELS[2:]])
    with pytest.raises(DataError) as caught:
        matched(guesses, share=0.01)
    assert str(caught.value) == (
        "model 'm': 2 of 30 predictions of no class of column 'label', such as 'Cat' (did you mean 'cat'? Known: cat, "
        "dog, eel); that is 6.67 %, and 1 % is allowed: mend the file, or allow more with --max-unmatched"
    )
    found = matched(guesses, share=0.1)
    assert found.counts[0].unknown == 2
    assert found.correct.tolist() == [N - 2]
    with pytest.raises(DataError, match="that is 100 %"):
        matched(answers(row=list(range(N)), prediction=["cats"] * N), share=0.99)


def test_a_class_of_another_split_is_wrong_and_a_class() -> None:
    """A prediction of a class that only the training split has is no misnamed one."""
    grader = Grader.of(PETS, target="label", elsewhere=("hen",))
    found = match(answers(row=list(range(N)), prediction=["hen", *LABELS[1:]]), PETS, grader)
    assert (found.counts[0].unknown, found.correct.tolist()) == (0, [N - 1])


def test_predictions_that_are_no_numbers_are_refused() -> None:
    """Of a target of values, words count as lost."""
    prices = table(column("x", list(range(N))), column("price", [i + 0.5 for i in range(N)]))
    grader = Grader.of(prices, target="price", tolerance=0.3)
    with pytest.raises(DataError, match="3 of 30 predictions that are no numbers, such as 'dear'; that is 10 %"):
        match(answers(row=list(range(N)), prediction=["dear"] * 3 + list(range(3, N))), prices, grader)


def test_values_are_right_within_a_tolerance() -> None:
    """Predictions of numbers are graded by a tolerance, which has to be given."""
    prices = table(column("x", list(range(N))), column("price", [i + 0.5 for i in range(N)]))
    guesses = answers(row=list(range(N)), prediction=[i + 0.5 + 0.2 * (i % 3) for i in range(N)])
    found = match(guesses, prices, Grader.of(prices, target="price", tolerance=0.3))
    assert found.correct.tolist() == [N * 2 / 3]
    with pytest.raises(NotGraded, match="--tolerance"):
        match(guesses, prices, Grader.of(prices, target="price"))


def test_what_cannot_be_graded_says_why() -> None:
    """Free text is no label: predictions of it are refused with the reason, verdicts are not."""
    essays = table(column("essay", [f"a long answer with words, number {i}" for i in range(N)]))
    grader = Grader.of(essays, target="essay")
    with pytest.raises(NotGraded, match="cannot be graded: column 'essay' is free text"):
        match(answers(row=list(range(N)), prediction=["x"] * N), essays, grader)
    assert match(answers(row=list(range(N)), correct=[1] * N), essays, grader).correct.tolist() == [N]
    with pytest.raises(UsageError, match="has no column 'esay'; did you mean 'essay'"):
        Grader.of(essays, target="esay")


def test_rows_without_a_label_are_not_graded() -> None:
    """Examples without a usable target are no examples for predictions, and not missing either."""
    holes = table(column("x", list(range(N))), column("label", [None, *LABELS[1:]]))
    found = match(answers(row=list(range(N)), prediction=list(LABELS)), holes, Grader.of(holes, target="label"))
    assert found.n.tolist() == [N - 1]
    assert found.counts[0].missing == 0


def test_without_data_the_files_say_what_the_examples_are() -> None:
    """Models are matched to each other by their keys; a model that leaves some out misses them."""
    found = matched(
        [*answers("a", id=["x", "y", "z"], correct=[1, 0, 1]), *answers("b", id=["z", "x"], correct=[1, 0])], None
    )
    assert found.examples == ("x", "y", "z")
    assert found.n.tolist() == [3, 2]
    assert found.right is not None
    assert found.right.tolist() == [[True, False, True], [False, False, True]]
    with pytest.raises(UsageError, match="cannot be matched to each other"):
        matched([*answers("a", correct=[1, 0, 1]), *answers("b", correct=[1])], None)


def test_one_model_in_several_files() -> None:
    """Parts of one model's answers in two files are one model."""
    found = matched(
        [
            *answers(row=list(range(10)), correct=[1] * 10),
            *answers(row=list(range(10, N)), correct=[0] * (N - 10)),
        ]
    )
    assert found.models == ("m",)
    assert found.correct.tolist() == [10]
    assert found.counts == (RowCounts(given=N),)


def test_rows_of_one_split_are_kept() -> None:
    """A column of splits keeps the wanted rows; one that none is of is refused with those that there are."""
    both = answers(row=[0, 1, 0, 1], split=["train", "train", "test", "test"], correct=[1, 1, 0, 1])
    kept = of_split(both, "test")
    assert [one.values for one in kept] == [(False, True)]
    assert [one.lines for one in kept] == [(2, 3)]
    assert of_split(both, None) == both
    with pytest.raises(DataError, match="has no row of split 'tset'; its column 'split' holds: test, train"):
        of_split(both, "tset")


def test_scores_have_no_single_answers() -> None:
    """Published accuracies keep their fractions of an answer, and no rows."""
    found = of_scores([Score("b", 0.5, 10), Score("a", 0.782, 1319)])
    assert found.models == ("a", "b")
    assert found.correct == pytest.approx(np.array([0.782 * 1319, 5]))
    assert found.right is None


@pytest.mark.parametrize("share", [-0.1, 1, 3])
def test_a_share_to_put_up_with_is_below_one(share: float) -> None:
    """The share of losses is from 0 to below 1."""
    with pytest.raises(UsageError, match="--max-unmatched"):
        matched(answers(row=[0], correct=[1]), share=share)


def test_blanks_are_unreadable() -> None:
    """A blank or a word for nothing is no answer, of classes and of values, and is put up with to a share only."""
    blanks = [None, "", " ", "NaN", "null"]
    found = matched(answers(row=list(range(N)), prediction=[*blanks, *LABELS[5:]]))
    assert found.counts == (RowCounts(given=N, unreadable=5, missing=5),)
    assert found.correct.tolist() == found.n.tolist() == [N - 5]
    prices = table(column("x", list(range(N))), column("price", [i + 0.5 for i in range(N)]))
    guesses = answers(row=list(range(N)), prediction=[*blanks, *(i + 0.5 for i in range(5, N))])
    grader = Grader.of(prices, target="price", tolerance=0.1)
    assert match(guesses, prices, grader, max_unmatched=0.5).counts == found.counts
    with pytest.raises(DataError, match="5 rows without an answer, 5 of 30 examples missing"):
        match(guesses, prices, grader)


def test_predictions_of_rows_without_a_label_are_not_counted() -> None:
    """What is said of an example without a label is not lost, and no unknown class."""
    holes = table(column("x", list(range(N))), column("label", [None, None, *LABELS[2:]]))
    found = match(
        answers(row=list(range(N)), prediction=["hen", "", *LABELS[2:]]), holes, Grader.of(holes, target="label")
    )
    assert found.counts == (RowCounts(given=N),)
    assert found.correct.tolist() == [N - 2]


@pytest.mark.parametrize("key", ["row", "id"])
def test_missing_rows_of_a_split_that_is_not_read(key: str) -> None:
    """Where a report says how many examples there are, those that no file names are missing."""
    extent = SplitSize("split 'test'", N, N)
    columns: dict[str, Any] = {key: list(range(20)), "correct": [1] * 20}
    part = answers(**columns)
    first = r" .first: '20', '21', '22'." if key == "row" else ""
    with pytest.raises(DataError, match=rf"10 of 30 examples missing{first}; that is 33.3 %"):
        match(part, None, Grader.none("no data"), extent=extent)
    found = match(part, None, Grader.none("no data"), extent=extent, max_unmatched=0.5)
    assert found.counts[0].missing == 10
    assert found.n.tolist() == [20]


def test_scores_of_another_number_of_examples() -> None:
    """A published accuracy on fewer examples than the split has, or on more, is not one on the split."""
    extent = SplitSize("split 'test'", 1000, 1010)
    for n in (990, 1000, 1010):
        assert of_scores([Score("a", 0.5, n)], extent).n.tolist() == [n]
    with pytest.raises(DataError, match="of 1,011 examples, and split 'test' has 1,010"):
        of_scores([Score("a", 0.5, 1011)], extent)
    with pytest.raises(DataError, match="of 900 of the 1,000 examples of split 'test'; that leaves out 10 %"):
        of_scores([Score("a", 0.5, 900)], extent)
    assert of_scores([Score("a", 0.5, 900)], extent, max_unmatched=0.1).n.tolist() == [900]
