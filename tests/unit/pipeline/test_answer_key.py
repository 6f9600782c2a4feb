"""A test set of which a report knows more than the files say: its size, and its majority class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ibc_report
from ibc_report import Report
from ibc_report.common.errors import DataError
from ibc_report.data.task import Task
from ibc_report.evaluation.scoring.matching import SplitSize
from ibc_report.pipeline.answer_key import Reading, size_in_report
from ibc_report.pipeline.score import score_predictions
from ibc_report.report.schema.split_audit import EvaluationRecord, LostRecord
from tests.support.submissions import hub_report


def record(**changes: object) -> EvaluationRecord:
    """What a report says of a test split of 100 rows."""
    fields = {"split": "test", "n": 100, "n_train": 500, "unusable": None, "summary": "Made."} | changes
    return EvaluationRecord.model_validate(fields)


def test_the_test_split_goes_before_the_measured_one() -> None:
    """Without a split named it is the tested one; without a tested one, the measured one."""
    whole = hub_report()
    assert whole.data is not None
    plain = whole.model_copy(update={"test": None, "data": whole.data.model_copy(update={"split": "train"})})
    assert size_in_report(plain, None) == SplitSize("split 'train'", 150, 150)
    both = plain.model_copy(
        update={"test": record(dropped=(LostRecord(said="4 rows without a label", count=4, rows=(1,)),))}
    )
    assert size_in_report(both, None) == size_in_report(both, "test") == SplitSize("split 'test'", 100, 104)
    assert size_in_report(both, "train") == size_in_report(plain, "train") == size_in_report(plain, None)
    assert size_in_report(both, "validation") is None


def test_rows_that_were_not_counted_are_not_known() -> None:
    """Of a sample, and of rows lost under an encoder fitted anew, there may be more."""
    for note in ("A sample of 100 of 5,000 test rows, by a hash of (seed, row).", "7 test rows left out."):
        found = size_in_report(hub_report().model_copy(update={"test": record(notes=(note,))}), "test")
        assert found == SplitSize("split 'test'", 100, None)


def test_a_split_that_says_nothing_has_no_size() -> None:
    """A test split that could not be used, or a declared task, has no number of examples."""
    unusable = hub_report().model_copy(update={"test": record(n=0, unusable="no labels")})
    assert size_in_report(unusable, "test") is None
    assert size_in_report(unusable, None) is None
    assert size_in_report(hub_report().model_copy(update={"data": None, "test": None}), None) is None


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dataset of two splits, whose majority classes differ."""
    folder = tmp_path_factory.mktemp("sides")
    rng = np.random.default_rng(0)
    (folder / "pets").mkdir()
    for split, n, share in (("train", 120, 0.6), ("test", 60, 0.4)):
        label = np.arange(n) < share * n
        x = rng.normal(size=(n, 2)) + 2 * label[:, None]
        lines = [f"{a:.6f},{b:.6f},{'cat' if is_cat else 'dog'}" for (a, b), is_cat in zip(x, label, strict=True)]
        (folder / "pets" / f"{split}.csv").write_text("a,b,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    for name, n in (("all", 60), ("part", 40), ("more", 70)):
        (folder / f"{name}.csv").write_text("row,correct\n" + "".join(f"{i},{i % 2}\n" for i in range(n)), "utf-8")
        (folder / f"{name}-score.csv").write_text(f"model,accuracy,n\nm,0.5,{n}\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(base: Path) -> Report:
    """Its report."""
    return ibc_report.measure(Task.of("pets", target="label"), base=base)


@pytest.mark.parametrize("form", ["", "-score"])
def test_rows_that_a_report_knows_of_are_missed(base: Path, report: Report, form: str) -> None:
    """Verdicts and scores on a part of the test split are refused although the data are not read, and so are more."""
    assert score_predictions(report, [base / f"all{form}.csv"], base=base).models[0].n == 60
    for name in ("part", "more"):
        with pytest.raises(DataError, match=r"missing|leaves out|of no example|split 'test' has 60"):
            score_predictions(report, [base / f"{name}{form}.csv"], base=base)
    allowed = Reading(max_unmatched=0.5)
    assert score_predictions(report, [base / f"part{form}.csv"], reading=allowed, base=base).models[0].n == 40


def test_skill_has_one_baseline(base: Path, report: Report) -> None:
    """Whatever the flags, skill is over the majority class of the training split, scored on the test split."""
    task = Task.of("pets", target="label")
    found = [
        score_predictions(report, [base / "all.csv"], base=base),
        score_predictions(task, [base / "all.csv"], base=base),
        score_predictions(task, [base / "all.csv"], reading=Reading(bits=False), base=base),
    ]
    assert [one.test.majority for one in found] == [0.4] * 3
    assert len({one.models[0].skill for one in found}) == 1
