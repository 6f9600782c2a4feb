"""Whether results are of the task of a report: data, split, number of examples, and classes of a copy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.report.agreement import SLACK, disagreement
from ibc_report.report.schema.split_audit import BaselineRecord
from tests.support.samples import properties
from tests.support.submissions import DATASET, SHA, hub_report, local, of_data, of_test, results, with_test

OTHER = f"sha256:{'b' * 64}"


def on_test(**changes: object) -> str | None:
    """What is wrong with results on the test split of 150 examples."""
    copy_of = changes.pop("copy_of", None)
    found = of_test(results(), **{"split": "test", **changes})
    return disagreement(with_test(150), found, copy_of=str(copy_of) if copy_of else None)


def test_what_belongs_together_does() -> None:
    """The same data and split agree, whatever the form of the Hub's name, and what is not said is not compared."""
    assert disagreement(hub_report(), results()) is None
    assert on_test() is None
    assert on_test(name=f"https://huggingface.co/datasets/{DATASET}") is None
    assert on_test(revision=None) is None
    # published scores have no split
    assert on_test(split=None) is None


def test_another_dataset_of_the_same_short_name_is_told() -> None:
    """Results of other data do not belong to the report, although both are called alike."""
    assert on_test(name="other/iris") == (
        "the report is of the data 'owner/iris' and the results are of 'other/iris'; make the results with this "
        "report, as in ibc-report results REPORT PREDICTIONS"
    )
    assert on_test(name="other/iris", copy_of="third/iris") is not None
    assert f"and the results are of {OTHER}" in (on_test(revision=OTHER) or "")


def test_files_are_the_same_by_their_content() -> None:
    """A file that was moved is the same, and another one of the same name is not."""
    made = local("data/rows.csv")
    assert disagreement(made["report"], made["results"]) is None
    assert disagreement(made["report"], of_test(made["results"], name="./data/rows.csv")) is None
    assert disagreement(made["report"], of_test(made["results"], name="rows.csv")) is None
    assert disagreement(made["report"], of_test(made["results"], revision=OTHER)) is not None
    assert disagreement(made["report"], of_test(made["results"], name="rows.csv", revision=OTHER)) is not None


def test_a_file_to_test_on_is_the_test_split() -> None:
    """Results on the file that the report names as its test split are of its task."""
    own = with_test(150, "held/out.csv")
    assert disagreement(own, of_test(results(), name="held/out.csv", revision=OTHER, split=None)) is None
    assert disagreement(own, of_test(results(), name="held/in.csv", revision=OTHER, split=None)) is not None
    # answers that are not graded by the file call it as they like, but not as the training split
    assert disagreement(own, of_test(results(), split="test")) is None
    assert disagreement(own, of_test(results(), split="train")) is not None


def test_another_split_is_told() -> None:
    """An accuracy on the training split is none on the test split; without a test split any will do."""
    assert on_test(split="train") == (
        "the report's test split is 'test' and the results are on 'train'; give results on 'test'"
    )
    assert disagreement(hub_report(), of_test(results(), split="validation")) is None


@properties
@given(st.integers(1, 10**7), st.integers(0, 10**7))
def test_the_numbers_of_examples_agree_within_a_percent(wanted: int, found: int) -> None:
    """Numbers that differ by more than a percent, and more than one example, are told; equal ones never are."""
    here = with_test(wanted)
    said = disagreement(here, of_test(results(), split="test", examples=found))
    assert disagreement(here, of_test(results(), split="test", examples=wanted)) is None
    off = abs(found - wanted)
    assert said is None if off <= SLACK * wanted else said is not None or off < SLACK * wanted + 1
    if said is not None:
        assert f"has {wanted:,} examples and the results are on {found:,}" in said


def test_what_the_report_does_not_know_is_not_compared() -> None:
    """A test split that cannot be used has no number, and of a sample there may be any number more."""
    many = of_test(results(), split="test", examples=10_000)
    assert disagreement(with_test(0), many) is None
    sampled = of_data(with_test(150), sample="of 1,000 rows, by a hash of (seed 0, row)")
    assert disagreement(sampled, many) is None
    assert disagreement(sampled, of_test(many, examples=100)) is not None


def test_a_copy_has_the_same_classes_as_often() -> None:
    """Results of the dataset that a local copy is of agree where number and majority class do."""
    copied = of_data(with_test(150), source="rows.csv", revision=OTHER)
    base = BaselineRecord(
        key="majority", name="majority class", n=150, accuracy=1 / 3, lower=0, upper=1, accuracy_text="", skill=0,
        skill_lower=0, skill_upper=0, skill_text="", note=""
    )  # fmt: skip
    assert copied.test is not None
    copied = copied.model_copy(update={"test": copied.test.model_copy(update={"baselines": (base,)})})
    found = of_test(results(), split="test", majority=1 / 3)
    assert disagreement(copied, found) is not None
    assert disagreement(copied, found, copy_of=DATASET) is None
    assert disagreement(copied, of_test(found, majority=None), copy_of=DATASET) is None
    assert "the majority class has 33.3 %" in (
        disagreement(copied, of_test(found, majority=0.4), copy_of=DATASET) or ""
    )
    assert "on 120" in (disagreement(copied, of_test(found, examples=120), copy_of=DATASET) or "")
    values = of_data(copied, classes=())
    assert "a target of values" in (disagreement(values, found, copy_of=DATASET) or "")


@pytest.mark.parametrize("revision", [SHA, None])
def test_a_task_without_data_has_only_its_name(revision: str | None) -> None:
    """A declared task is compared by its name alone."""
    declared = hub_report().model_copy(update={"data": None})
    assert disagreement(declared, of_test(results(), name="any", revision=revision)) is None
    assert disagreement(declared, results().model_copy(update={"name": "wine"})) is not None
