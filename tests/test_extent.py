"""How many examples a split has, as its report says."""

from __future__ import annotations

from ibc_report.evaluation.extent import Extent
from ibc_report.records.evaluation import EvaluationRecord, LostRecord
from tests.submissions import report


def record(**changes: object) -> EvaluationRecord:
    """What a report says of a test split of 100 rows."""
    fields = {"split": "test", "n": 100, "n_train": 500, "unusable": None, "summary": "Made."} | changes
    return EvaluationRecord.model_validate(fields)


def test_the_test_split_goes_before_the_measured_one() -> None:
    """Without a split named it is the tested one; without a tested one, the measured one."""
    whole = report()
    assert whole.data is not None
    plain = whole.model_copy(update={"test": None, "data": whole.data.model_copy(update={"split": "train"})})
    assert Extent.of(plain, None) == Extent("split 'train'", 150, 150)
    both = plain.model_copy(
        update={"test": record(dropped=(LostRecord(said="4 rows without a label", count=4, rows=(1,)),))}
    )
    assert Extent.of(both, None) == Extent.of(both, "test") == Extent("split 'test'", 100, 104)
    assert Extent.of(both, "train") == Extent.of(plain, "train") == Extent.of(plain, None)
    assert Extent.of(both, "validation") is None


def test_rows_that_were_not_counted_are_not_known() -> None:
    """Of a sample, and of rows lost under an encoder fitted anew, there may be more."""
    for note in ("A sample of 100 of 5,000 test rows, by a hash of (seed, row).", "7 test rows left out."):
        found = Extent.of(report().model_copy(update={"test": record(notes=(note,))}), "test")
        assert found == Extent("split 'test'", 100, None)


def test_a_split_that_says_nothing_has_no_size() -> None:
    """A test split that could not be used, or a declared task, has no number of examples."""
    unusable = report().model_copy(update={"test": record(n=0, unusable="no labels")})
    assert Extent.of(unusable, "test") is None
    assert Extent.of(unusable, None) is None
    assert Extent.of(report().model_copy(update={"data": None, "test": None}), None) is None
