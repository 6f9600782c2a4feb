"""What a test set resolves: its rows agree with the formulas they are made of, and the curve with its split."""

from __future__ import annotations

import pytest

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.power import labels_paired, labels_unpaired
from ibc_report.evaluation.statistics.proportions import halfwidth
from ibc_report.evaluation.statistics.resolution import ACCURACIES, precision, width_curve
from ibc_report.report.sections.scores import precision_record


@pytest.mark.parametrize("n", [3, 150, 10_000, 1_000_000])
def test_rows_hold_what_the_formulas_say(n: int) -> None:
    """At each accuracy the interval's half-width and the labels for half a difference are the formulas'."""
    found = precision(n)
    assert tuple(row.accuracy for row in found.rows) == ACCURACIES
    for row in found.rows:
        assert row.wilson.halfwidth == halfwidth(row.accuracy, n)
        assert row.clopper_pearson.halfwidth == halfwidth(row.accuracy, n, "clopper_pearson")
        assert row.disagreement == pytest.approx(row.accuracy * (1 - row.accuracy))
        assert (row.unpaired is None) == (row.unpaired_more is None)
        if row.unpaired is not None and row.unpaired_more is not None:
            assert n + row.unpaired_more == pytest.approx(labels_unpaired(row.accuracy, row.unpaired / 2), abs=1.001)
        if row.paired is not None and row.paired_more is not None:
            assert n + row.paired_more == pytest.approx(labels_paired(row.disagreement, row.paired / 2), abs=1.001)


def test_a_measured_disagreement_takes_the_place_of_the_assumed_one() -> None:
    """Models that disagree less show smaller differences on the same examples, and no other ones on different ones."""
    often, rarely = precision(1000, disagreement=0.2), precision(1000, disagreement=0.05)
    for one, other in zip(often.rows, rarely.rows, strict=True):
        assert one.paired is not None
        assert other.paired is not None
        assert other.paired < one.paired
        assert other.unpaired == one.unpaired


@pytest.mark.parametrize("n", [1, 7, 10_000])
def test_the_curve_passes_through_its_split(n: int) -> None:
    """The split is one of the points, sizes ascend, and half-widths fall as they do."""
    curve = width_curve(n)
    assert n in curve.n
    assert list(curve.n) == sorted(set(curve.n))
    for accuracy, widths in curve.halfwidths.items():
        assert widths[curve.n.index(n)] == halfwidth(accuracy, n)
        assert list(widths) == sorted(widths, reverse=True)


def test_no_examples_make_no_curve() -> None:
    """A curve of no examples is refused."""
    with pytest.raises(InputError, match="n = 0"):
        width_curve(0)


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (
            150,
            "“None” on the same rows, at 95 % and 99 %: with 150 rows such models disagree on too few of them (1.5 at",
        ),
        (5, "“None” on own rows, at 50 % and 80 %: not even a model that is always wrong"),
    ],
)
def test_what_shows_no_difference_is_explained(n: int, said: str) -> None:
    """Where a cell of the table is "none", the text says at which accuracies and why."""
    assert said in precision_record(precision(n), width_curve(n)).text


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (1000, "among 10 models, the p of whose 45 pairs are corrected, it takes 3.9 points."),
        (100, "the p of whose 45 pairs are corrected, none is found so often."),
        (20, "No difference of two models near that is found on the same rows with a probability of 80 %"),
        (20, "the p of whose 45 pairs are corrected, still fewer are found so often."),
    ],
)
def test_what_the_correction_costs_is_said(n: int, said: str) -> None:
    """Beside the smallest difference of two models stands that of ten, or that there is none."""
    assert said in precision_record(precision(n), width_curve(n)).text


def test_nothing_is_explained_where_all_show() -> None:
    """With many rows no cell is "none", and no word is said of it."""
    record = precision_record(precision(1000), width_curve(1000))
    assert "None" not in record.text
    assert "none" not in {text for row in record.rows for text in (row.paired_text, row.unpaired_text)}


def test_a_width_curve_goes_a_decade_and_a_half_to_either_side() -> None:
    """Around 1,000 examples it is drawn from 32 to 31,623, the split itself among them."""
    curve = width_curve(1000)
    assert (curve.n[0], curve.n[-1]) == (32, 31623)
    assert 1000 in curve.n
    assert width_curve(1000, decades=1.0).n[-1] == 10_000
