"""Rows that give an example again: by a column's values, in several files, and what is taken of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.sources import Rows
from ibc_report.evaluation.scoring.grading import Grader
from ibc_report.evaluation.scoring.matching import MatchedBy
from ibc_report.evaluation.scoring.predictions import Predictions, match, read
from tests.support.tables import column, table

N = 40

QUESTIONS = table(column("prompt", [f"question {i}" for i in range(N)]), column("label", [i % 2 for i in range(N)]))

Record = dict[str, Any]


def written(path: Path, *records: Record) -> Path:
    """A file of JSON Lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def matched(*paths: Path, rows: Rows | None = QUESTIONS, where: tuple[tuple[str, str], ...] = ()) -> Predictions:
    """The answers of files, graded."""
    grader = Grader.none("no data") if rows is None else Grader.of(rows, target="label")
    return match(read(paths, where=where)[0], rows, grader)


def harness(share: dict[str, float], more: Callable[[int], Record] = lambda i: {}) -> list[Record]:
    """Samples as lm-evaluation-harness writes them: every question for each filter."""
    rng = np.random.default_rng(0)
    return [
        {
            "doc_id": i,
            "doc": {"question": f"question {i}"},
            "target": str(i % 2),
            "resps": [[f"answer {i}"]],
            "filtered_resps": [str(i % 3)],
            "filter": name,
            "exact_match": float(rng.random() < right),
        }
        | more(i)
        for i in range(N)
        for name, right in share.items()
    ]


FILTERS = {"strict-match": 0.3, "flexible-extract": 0.7}


def right_of(records: list[Record], name: str) -> float:
    """Right answers of a filter."""
    return sum(float(record["exact_match"]) for record in records if record["filter"] == name)


def test_each_value_of_a_column_is_a_model(tmp_path: Path) -> None:
    """Two filters are two models, and the note names the column, its values and how to take one."""
    records = harness(FILTERS)
    found = matched(written(tmp_path / "samples.jsonl", *records))
    assert found.models == ("samples (flexible-extract)", "samples (strict-match)")
    assert found.correct.tolist() == [right_of(records, "flexible-extract"), right_of(records, "strict-match")]
    assert all(counts.repeated == 0 and counts.missing == 0 for counts in found.counts)
    assert "for 2 values of column 'filter': strict-match; flexible-extract." in found.notes[0]
    assert "take one with --where filter=strict-match" in found.notes[0]


def test_one_value_is_taken(tmp_path: Path) -> None:
    """With a condition only its rows count, and the model is that of the file."""
    records = harness(FILTERS)
    path = written(tmp_path / "samples.jsonl", *records)
    for name in FILTERS:
        found = matched(path, where=(("filter", name),))
        assert found.models == ("samples",)
        assert found.correct.tolist() == [right_of(records, name)]
    both = matched(path, where=tuple(("filter", name) for name in FILTERS))
    assert len(both.models) == 2


def test_conditions_are_all_held(tmp_path: Path) -> None:
    """Conditions on two columns hold together, and numbers are compared by their value."""
    records = [record | {"seed": seed} for seed in (0, 1) for record in harness(FILTERS)]
    found = matched(written(tmp_path / "m.jsonl", *records), where=(("filter", "strict-match"), ("seed", "1.0")))
    assert (found.models, found.n.tolist()) == (("m",), [N])


def test_two_columns_together_may_tell_rows_apart(tmp_path: Path) -> None:
    """Where every example is there for each filter and seed, each pair of them is a model."""
    records = [record | {"seed": seed} for seed in (0, 1) for record in harness(FILTERS)]
    found = matched(written(tmp_path / "m.jsonl", *records))
    assert len(found.models) == 4
    assert "m (strict-match, 1)" in found.models
    assert "--where filter=strict-match --where seed=0" in found.notes[0]


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (("filtr", "strict-match"), r"has no column 'filtr' to choose rows by; did you mean 'filter'\? Known: doc, "),
        (("filter", "strict"), r"no row with 'strict' in column 'filter'; did you mean 'strict-match'\? Known: "),
    ],
)
def test_unknown_conditions_are_refused(chosen: tuple[str, str], said: str, tmp_path: Path) -> None:
    """An unknown column or value is one line with the known ones."""
    with pytest.raises(UsageError, match=said) as caught:
        matched(written(tmp_path / "m.jsonl", *harness(FILTERS)), where=(chosen,))
    assert "\n" not in str(caught.value)


def test_conditions_choose_published_scores(tmp_path: Path) -> None:
    """Of a table of accuracies on several tasks one is taken."""
    path = tmp_path / "scores.csv"
    path.write_text("model,task,accuracy,n\na,x,0.5,10\na,y,0.7,20\n", encoding="utf-8")
    scores = read([path], where=(("task", "y"),))[1]
    assert [(score.model, score.n) for score in scores] == [("a", 20)]


def test_splits_do_not_repeat_rows(tmp_path: Path) -> None:
    """Row numbers that begin again in another split are no repeated rows."""
    records = [{"row": i, "split": split, "correct": i % 2} for split in ("train", "test") for i in range(N)]
    answers, _ = read([written(tmp_path / "m.jsonl", *records)])
    assert [one.model for one in answers] == ["m"]


def test_values_that_give_some_rows_again_are_named(tmp_path: Path) -> None:
    """A filter with answers to few examples is no model; the refusal names the column, its values and the option."""
    records = [{"row": i, "filter": name, "correct": i % 2} for name, n in (("a", N), ("b", 9)) for i in range(N)[:n]]
    path = written(tmp_path / "m.jsonl", *records)
    said = r"9 rows given again \(a; b in column 'filter': take one with --where filter=a\)"
    with pytest.raises(DataError, match=said):
        matched(path)
    assert matched(path, where=(("filter", "a"),)).n.tolist() == [N]


def test_repeats_that_no_column_explains_are_refused(tmp_path: Path) -> None:
    """Rows given twice without a column that says why are refused, as ever."""
    records = [{"row": i, "model": "a", "text": f"{i}", "correct": i % 2} for i in [*range(N), *range(N)]]
    with pytest.raises(DataError, match="40 rows given again"):
        matched(written(tmp_path / "m.jsonl", *records))


def test_the_only_boolean_column_says_what_is_right(tmp_path: Path) -> None:
    """Two files of one boolean column are two models called by the files, matched by the text that both have."""
    strict = [{"prompt": f"question {i}", "response": "…", "follow_all": i % 3 == 0} for i in range(N)]
    loose = [{"prompt": f"question {i}", "response": "…", "follow_all": i % 3 != 1} for i in reversed(range(N))]
    paths = (written(tmp_path / "strict.jsonl", *strict), written(tmp_path / "loose.jsonl", *loose))
    for rows in (QUESTIONS, None):
        found = matched(*paths, rows=rows)
        assert found.models == ("loose", "strict")
        assert found.correct.tolist() == [sum(i % 3 != 1 for i in range(N)), sum(i % 3 == 0 for i in range(N))]
        assert found.matched_by == (MatchedBy("column", "prompt"),)
        assert found.right is not None
        # every answer that strict reading takes, loose reading takes
        assert (found.right[0] >= found.right[1]).all()
        assert any("'follow_all', the only one of true and false, says what is right" in note for note in found.notes)


def test_files_in_different_orders_are_not_taken_by_order(tmp_path: Path) -> None:
    """Where the source lacks the text that two files share, they are taken by order only if they have one."""
    rows = table(column("label", [i % 2 for i in range(N)]))
    records = [{"prompt": f"question {i}", "ok": i % 3 == 0} for i in range(N)]
    a = written(tmp_path / "a.jsonl", *records)
    assert matched(a, written(tmp_path / "b.jsonl", *records), rows=rows).matched_by == (MatchedBy("order"),)
    with pytest.raises(UsageError, match="have the texts of column 'prompt' in different orders, and here has no such"):
        matched(a, written(tmp_path / "c.jsonl", *reversed(records)), rows=rows)


def test_files_without_texts_go_by_order(tmp_path: Path) -> None:
    """Two files of as many rows and nothing in common but their answers are compared by order."""
    paths = [
        written(tmp_path / f"{name}.jsonl", *({"ok": i % n == 0} for i in range(N))) for name, n in (("a", 2), ("b", 4))
    ]
    found = matched(*paths, rows=None)
    assert found.models == ("a", "b")
    assert found.matched_by == (MatchedBy("order"),)


@pytest.mark.parametrize("column_", ["model", "two columns"])
def test_one_name_in_two_files_is_two_models(column_: str, tmp_path: Path) -> None:
    """The same name on the same examples in two files is told apart by the files, and said."""
    own: Record = {"model": "base"} if column_ == "model" else {}
    more = {"correct": True} if column_ == "model" else {"strict": True, "loose": False}
    paths = [written(tmp_path / f"{name}.jsonl", *({"row": i} | own | more for i in range(N))) for name in ("a", "b")]
    found = matched(*paths)
    expected = ("a", "b") if column_ == "model" else ("loose (a)", "loose (b)", "strict (a)", "strict (b)")
    assert found.models == expected
    assert found.n.tolist() == [N] * len(expected)
    assert any("has answers to the same examples in 2 files" in note for note in found.notes)


def test_measures_in_an_object_are_of_the_file(tmp_path: Path) -> None:
    """Objects called 'stats' name no model, as in HELM, and lists of verdicts on parts of an answer are none."""
    helm = [{"instance_id": f"id{i}", "stats": {"exact_match": float(i % 4 == 0), "f1": 0.3}} for i in range(N)]
    found = matched(written(tmp_path / "helm.jsonl", *helm))
    assert (found.models, found.correct.tolist()) == (("helm",), [N / 4])
    parts = [{"row": i, "strict_acc": i % 2 == 0, "loose_acc": True, "parts_acc": [True, False]} for i in range(N)]
    assert matched(written(tmp_path / "parts.jsonl", *parts)).models == ("loose", "strict")


def test_parts_of_one_model_stay_one(tmp_path: Path) -> None:
    """Files with one name and other examples are parts of one set of answers."""
    halves = (range(N // 2), range(N // 2, N))
    paths = [
        written(tmp_path / f"{number}.jsonl", *({"row": i, "model": "m", "correct": True} for i in half))
        for number, half in enumerate(halves)
    ]
    found = matched(*paths)
    assert (found.models, found.n.tolist(), found.notes) == (("m",), [N], ())


def test_a_model_column_with_a_value_for_each_row_names_none(tmp_path: Path) -> None:
    """What differs in every row is no model's name; the file's is taken, and said."""
    records = [{"row": i, "model": f"run-{i}", "correct": True} for i in range(N)]
    found = matched(written(tmp_path / "m.jsonl", *records))
    assert found.models == ("m",)
    assert "Column 'model' has another value in each row" in found.notes[0]
