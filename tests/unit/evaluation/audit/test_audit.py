"""A test split is examined, worded, drawn and printed as a part of the card."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from ibc_report import Report, measure
from ibc_report.common.errors import DataError
from ibc_report.data.examples import gather
from ibc_report.data.sources import Rows
from ibc_report.data.task import Task
from ibc_report.evaluation.audit.audit import SplitRows, TrainGeometry, audit
from ibc_report.evaluation.audit.joint_split import take_together
from ibc_report.evaluation.audit.learning_curves import SEEDS, SIZES, curve_sizes
from ibc_report.evaluation.audit.memorization import free_bits
from ibc_report.rendering.split_audit_figures import figures_of
from ibc_report.rendering.svg import inline
from ibc_report.report.schema.split_audit import EvaluationRecord, LeakRecord
from ibc_report.report.sections.split_audit import split_audit_section, unusable
from tests.support.splits_made import clusters, examined, split_of, splits_of
from tests.support.tables import column, table


def record(seed: int = 0, n: int = 400, others: int = 150) -> EvaluationRecord:
    """What is said of two splits of overlapping classes."""
    rng = np.random.default_rng(seed)
    return split_audit_section(examined(split_of(*clusters(rng, n)), split_of(*clusters(rng, others))), "test")


@pytest.fixture(scope="module")
def usual() -> EvaluationRecord:
    """The record of clean splits."""
    return record()


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A folder with a training and a test split as CSV."""
    rng = np.random.default_rng(1)
    for name, n in (("train", 120), ("test", 50)):
        vectors, codes = clusters(rng, n, features=3)
        lines = [f"{a:.6f},{b:.6f},{c:.6f},k{code}" for (a, b, c), code in zip(vectors, codes, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,c,label", *lines]) + "\n")
    return tmp_path


def test_the_record_holds_what_rules_ask_for(usual: EvaluationRecord) -> None:
    """Half-widths by accuracy, all baselines with intervals around them, two curves, and the bits of the labels."""
    assert list(usual.halfwidths) == ["0.5", "0.8", "0.9", "0.95", "0.99"]
    assert [one.key for one in usual.baselines] == ["majority", "stratified", "nearest", "neighbors", "linear"]
    assert all(one.lower <= one.accuracy <= one.upper for one in usual.baselines)
    assert [len(curve.points) for curve in usual.curves] == [SIZES, SIZES]
    assert usual.memory is not None
    assert usual.memory.train == pytest.approx(400 * np.log2(3))
    assert usual.leakage is not None
    assert not usual.leakage.flagged


def test_the_bayes_rule_of_clusters_is_linear(usual: EvaluationRecord) -> None:
    """On equal round clusters the linear probe is as good as any predictor can be, and beats 1-NN."""
    accuracy = {one.key: one.accuracy for one in usual.baselines}
    assert accuracy["linear"] >= accuracy["nearest"] > accuracy["majority"]


def test_a_curve_of_all_rows_has_one_value_at_its_end(usual: EvaluationRecord) -> None:
    """Samples differ by the seed, and the whole split does not."""
    for curve in usual.curves:
        assert [len(point.errors) for point in curve.points] == [*[SEEDS] * (SIZES - 1), 1]
        assert curve.predicted[1] == pytest.approx(4 * curve.predicted[0])


@pytest.mark.parametrize(("n", "classes"), [(5, 2), (19, 2), (100, 30), (0, 1)])
def test_few_rows_make_no_curve(n: int, classes: int) -> None:
    """Where the rows cannot be halved without losing classes, there is no curve."""
    assert curve_sizes(n, classes) == ()


@pytest.mark.long
def test_the_same_bytes_come_out_for_any_number_of_threads() -> None:
    """The record and its figures are the same on each run and with one thread or two."""
    made = []
    for threads in (1, 2, 2):
        with threadpool_limits(threads):
            found = record(n=200, others=60)
        drawn = [inline(plot) for plot in figures_of(found).values()]
        made.append((found.model_dump_json(), drawn))
    assert made[0] == made[1] == made[2]


def test_classes_of_the_test_split_alone_are_counted() -> None:
    """Test rows of a class that was never seen are always wrong, and said to be there."""
    rng = np.random.default_rng(2)
    vectors, codes = clusters(rng, 90)
    others, truth = clusters(rng, 40)
    truth[:4] = 7
    assert split_audit_section(examined(split_of(vectors, codes), split_of(others, truth)), "test").unseen == 4


def test_a_test_split_of_one_class_is_refused() -> None:
    """A score on one class tells nothing."""
    rng = np.random.default_rng(2)
    vectors, codes = clusters(rng, 90)
    with pytest.raises(DataError, match="class 'c0'"):
        examined(split_of(vectors, codes), split_of(vectors[:5], np.zeros(5, dtype=np.int64)))


def test_a_regression_is_examined_for_leaks_only() -> None:
    """Without classes there are no accuracies, and repeated rows are found all the same."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(80, 2))
    train = table(column("x", values[:60].tolist()), column("label", values[:60, 0].tolist()))
    test = table(
        column("x", [values[3].tolist(), *values[60:].tolist()]), column("label", [0.5, *values[60:, 0].tolist()])
    )
    splits = examined_values(train, test)
    assert splits.precision is None
    assert splits.leakage is not None
    assert splits.leakage.equal_inputs == 1
    assert splits.leakage.accuracy is None


def examined_values(train: Rows, test: Rows) -> EvaluationRecord:
    """What is said of two splits of a regression."""
    encoded = gather(train, target="label", inputs=("x",))
    splits = take_together(train, test, encoded, kind=None)
    found = audit(splits, SplitRows(train, test), TrainGeometry(dimension=2.0, tolerance=0.1))
    return split_audit_section(found, "test")


def test_all_categories_leave_finite_bits_free() -> None:
    """A table of categories has a finite number of inputs, and its free bits are counted."""
    rng = np.random.default_rng(5)

    def split(n: int) -> Rows:
        first, second = rng.integers(0, 4, n), rng.integers(0, 3, n)
        return table(
            column("a", [f"a{value}" for value in first]),
            column("b", [f"b{value}" for value in second]),
            column("label", [f"c{value % 2}" for value in first]),
        )

    train, test = split(9), split(30)
    found = free_bits(splits_of(train, test, ("a", "b")))
    assert found is not None
    held = {(a, b) for a, b in zip(*(train.columns[i].values.to_pylist() for i in (0, 1)), strict=True)}
    assert found.bits == pytest.approx(12 - len(held))


def test_the_card_of_a_folder_has_its_test_split(tables: Path) -> None:
    """Report, JSON, HTML and Markdown all carry the section, and it reads back as it was written."""
    report = measure(Task.of(".", name="made", target="label"), base=tables)
    assert report.test is not None
    assert report.test.n == 50
    assert Report.model_validate(json.loads(report.to_json())) == report
    for text in (report.to_html(), report.to_markdown()):
        assert "What a score can tell" in text
        assert report.test.summary[:40] in text
    assert "predicted slopes" in report.to_html()


def test_test_rows_are_encoded_by_the_training_rows_alone(tables: Path) -> None:
    """What the features were learned from is said, and no second margin stands on the card."""
    report = measure(Task.of(".", name="made", target="label"), base=tables)
    assert report.test is not None
    assert report.test.leakage is not None
    assert "encoded by what was learned from the training rows alone" in report.test.notes[0]
    assert "margin" not in report.test.notes[0]
    near = next(name for name, _ in report.test.leakage.rows if name.startswith("Near"))
    assert near.endswith("of the distance to the training row of rank 10, as one row in a thousand is by chance")


def test_the_precision_table_says_what_its_columns_are(tables: Path) -> None:
    """HTML and Markdown have the same words for what to add, and explain them."""
    report = measure(Task.of(".", name="made", target="label"), base=tables)
    for text in (report.to_html(), report.to_markdown()):
        assert text.count("Rows to add to halve it") == 3
        assert "Labels for half" not in text


def test_the_card_without_a_test_split_is_as_before(tables: Path) -> None:
    """Asked for none, the card has no such section."""
    report = measure(Task.of(".", name="made", target="label", test="none"), base=tables)
    assert report.test is None
    assert "What a score can tell" not in report.to_html() + report.to_markdown()


def test_a_split_without_labels_costs_no_card(tables: Path) -> None:
    """Where the labels of the test split are withheld, the card says so in a sentence."""
    lines = (tables / "test.csv").read_text().splitlines()
    (tables / "test.csv").write_text("\n".join([lines[0], *(line.rsplit(",", 1)[0] + "," for line in lines[1:])]))
    report = measure(Task.of(".", name="made", target="label"), base=tables)
    assert report.test is not None
    assert report.test.unusable is not None
    assert "cannot be used" in report.to_html()
    assert "cannot be used" in report.to_markdown()


def test_hostile_names_stay_text(usual: EvaluationRecord) -> None:
    """Class names, columns and texts of a dataset are escaped in HTML and in Markdown."""
    assert usual.leakage is not None
    evil = "<script>alert(1)</script> | [x](javascript:y) `$"
    pair = LeakRecord(
        kind="near",
        test_row=1,
        train_row=2,
        test_label=evil,
        train_label="b",
        agree=False,
        distance=0.1,
        share=None,
        text="distance 0.1",
        excerpt=evil,
    )
    shortcut = usual.shortcuts[0].model_copy(update={"name": evil})
    shown = usual.model_copy(
        update={"leakage": usual.leakage.model_copy(update={"pairs": (pair,)}), "shortcuts": (shortcut,)}
    )
    report = measure("builtin:iris").model_copy(update={"test": shown})
    for text in (report.to_html(), report.to_markdown()):
        assert "<script>alert" not in text
        assert "alert(1)" in text
    assert re.search(r"(?<!\\)\]\(javascript", report.to_markdown()) is None


def test_an_unusable_split_says_why() -> None:
    """The reason stands in the record, and nothing else does."""
    found = unusable("test", "it has no labels.", 9)
    assert found.summary == "The split cannot be used: it has no labels."
    assert figures_of(found) == {}


def test_a_test_split_that_is_the_training_split_is_all_leak() -> None:
    """Where every test row repeats a training row, no row is left to score on, and nothing is tried as a shortcut."""
    rng = np.random.default_rng(6)
    rows = split_of(*clusters(rng, 60))
    found = split_audit_section(examined(rows, rows), "test")
    assert found.leakage is not None
    assert found.leakage.leaked == 60
    assert found.leakage.accuracy == 1
    assert found.leakage.accuracy_without is None
    assert found.shortcuts == ()
