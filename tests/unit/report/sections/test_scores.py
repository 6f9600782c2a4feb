"""What a card says of simple predictors and of inputs that give the answer away."""

from __future__ import annotations

import pytest

from ibc_report.evaluation.audit.baselines import Baseline, CorrectAnswers, NeighborVotes, ProbeRows
from ibc_report.evaluation.audit.target_leakage import TargetLeak
from ibc_report.report.sections.scores import baseline_record, target_leaks_text

HALF, MOST = CorrectAnswers(50, 100), CorrectAnswers(90, 100)


@pytest.mark.parametrize(
    ("found", "name", "note"),
    [
        (Baseline.of("majority", HALF, HALF), "majority class", "The most common class of the training split."),
        (Baseline.of("nearest", MOST, HALF), "1-NN", "The label of the nearest training row."),
        (
            Baseline.of("neighbors", MOST, HALF, NeighborVotes(7, 2000)),
            "k-NN",
            "k = 7 is best where 2,000 training rows are predicted from the others; the nearest decides a tie.",
        ),
        (
            Baseline.of("linear", MOST, HALF, ProbeRows(100, every_row=True, components=None)),
            "linear probe",
            "Ridge regression of class indicators on standardised features, from all training rows; the penalty by "
            "generalised cross-validation.",
        ),
        (
            Baseline.of("linear", MOST, HALF, ProbeRows(10_000, every_row=False, components=512)),
            "linear probe",
            "Ridge regression of class indicators on the first 512 principal components, from a hash sample of 10,000 "
            "training rows; the penalty by generalised cross-validation.",
        ),
        (
            Baseline.of("metadata", MOST, HALF, ("file size", "site")),
            "class prior by metadata",
            "A small tree that sees nothing but file size, site.",
        ),
    ],
)
def test_a_baseline_is_said_to_be_what_it_was_made_of(found: Baseline, name: str, note: str) -> None:
    """Each predictor has its name, and how it was made with the numbers of it."""
    record = baseline_record(found)
    assert (record.name, record.note) == (name, note)


def test_many_columns_are_cut() -> None:
    """A sentence names a few columns and counts the others."""
    found = [TargetLeak(f"g{i}", 40, False) for i in range(8)]
    text = target_leaks_text(found, is_class=False)
    assert "'g4' and 3 more each determine the target of all 40 held-out rows" not in text
    assert "'g4' and 3 more alone each determine the target of all 40 held-out rows" in text
    assert target_leaks_text([], is_class=True) == ""
