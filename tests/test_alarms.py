"""What makes a score doubtful is said first, a sentence for each thing."""

from __future__ import annotations

import numpy as np
import pytest

from ibc_report.evaluation.alarms import alarms, proportion
from ibc_report.evaluation.examination import examine
from ibc_report.evaluation.splits import take_together
from ibc_report.evaluation.writing import write
from ibc_report.examples import gather
from tests.splits_made import clusters, examined, split_of
from tests.tables import column, table


def test_clean_splits_raise_no_alarm() -> None:
    """Where nothing was found there is no warning, and the summary begins with the precision."""
    rng = np.random.default_rng(0)
    found = write(examined(split_of(*clusters(rng, 300)), split_of(*clusters(rng, 100))), "test")
    assert found.warnings == ()
    assert found.summary.startswith("An accuracy of 90 %")


def test_a_test_split_that_is_the_training_split_is_said_first() -> None:
    """All rows leaked is the first thing that the summary says, with the share."""
    rows = split_of(*clusters(np.random.default_rng(6), 60))
    found = write(examined(rows, rows), "test")
    assert found.warnings[0].startswith("Leakage: 60 of 60 test rows (100 %) repeat a training row")
    assert found.summary.startswith(found.warnings[0])
    assert "memorised" in found.warnings[0]


def test_a_single_leaked_row_is_counted_too() -> None:
    """One row is said as one row, and does not make the score one of memory."""
    rng = np.random.default_rng(1)
    vectors, codes = clusters(rng, 90)
    others, truth = clusters(rng, 40)
    others[0], truth[0] = vectors[0], codes[0]
    found = write(examined(split_of(vectors, codes), split_of(others, truth)), "test")
    assert found.warnings == ("Leakage: 1 of 40 test rows (2.5 %) repeats a training row.",)


def test_a_regression_warns_as_well() -> None:
    """A repeated test split and an input that is the target are told of a target of values, too."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(80, 2))
    target = values @ [1.0, 0.5]
    rows = table(
        column("a", values[:, 0].tolist()),
        column("b", values[:, 1].tolist()),
        column("twice", (2 * target).tolist()),
        column("label", target.tolist()),
    )
    encoded = gather(rows, target="label", inputs=("a", "b", "twice"))
    splits = take_together(rows, rows, encoded, kind=None, encoder=None)
    found = write(examine(splits, rows, rows, margin=0.1, dimension=2.0, tolerance=0.1), "test")
    assert [text.split(" (")[0].split(";")[0] for text in found.warnings] == [
        "Leakage: 80 of 80 test rows",
        "Leakage: input 'twice' maps one to one to the target and is all that a model needs: name the others with "
        "--input.",
    ]
    assert found.summary.startswith(found.warnings[0])


def test_shortcuts_and_unseen_classes_are_named() -> None:
    """A column that tells the class and a class that was never seen have a sentence each."""
    rng = np.random.default_rng(2)
    vectors, codes = clusters(rng, 200)
    others, truth = clusters(rng, 80)
    truth[:4] = 7
    splits = [
        split_of(points, labels, column("camera", [f"k{label}" for label in labels.tolist()]))
        for points, labels in ((vectors, codes), (others, truth))
    ]
    train, test = splits
    said = alarms(examined(train, test))
    assert said[0] == "The class can be told in part from what should not matter: camera."
    assert said[1].startswith("4 of 80 test rows (5 %) are of a class that the training split lacks ('c7')")


@pytest.mark.parametrize(("count", "said"), [(0, "0 %"), (1, "0.0001 %"), (999_999, "over 99 %"), (10**6, "100 %")])
def test_a_share_is_100_only_for_all(count: int, said: str) -> None:
    """Nearly all is not called all."""
    assert proportion(count, 10**6) == said


def test_repeats_that_chance_explains_are_no_alarm() -> None:
    """Rows of twelve coins repeat each other by chance, and that is said without an alarm; copies are one."""
    rng = np.random.default_rng(0)

    def coins(n: int) -> np.ndarray:
        return rng.integers(0, 2, (n, 12))

    def examined_coins(first: np.ndarray, second: np.ndarray) -> tuple[tuple[str, ...], str]:
        names = tuple(f"x{place}" for place in range(12))
        splits = [
            table(
                *(column(name, part[:, place].tolist()) for place, name in enumerate(names)),
                column("label", [f"c{sum(row[:3]) // 2}" for row in part.tolist()]),
            )
            for part in (first, second)
        ]
        found = write(examined(splits[0], splits[1], inputs=names), "test")
        assert found.leakage is not None
        return found.warnings, found.leakage.verdict

    train, test = coins(600), coins(300)
    warnings, verdict = examined_coins(train, test)
    assert not any("Leakage" in warning for warning in warnings)
    assert "repeat a training row, as chance explains" in verdict
    warnings, _ = examined_coins(train, np.vstack([train[:80], test[80:]]))
    assert any(warning.startswith("Leakage: ") for warning in warnings)
