"""The ledger: the sixteen assumptions, and what is said of each on data."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from ibc_report.assumptions import LEDGER, diagnose
from ibc_report.complexity import classification, evaluate
from ibc_report.geometry import Geometry, Margin, Norms
from tests.samples import image_task

NORMS = Norms(radius=17.18, radius_row=3, mean=9.2147, deviation=1.7028, centre=5.9233, high=14.566)
FACTS = Geometry(
    n=60000,
    features=784,
    distinct=59000,
    equal_rows=900,
    coincident_rows=100,
    conflicting_rows=12,
    conflicting_examples=(1, 2),
    class_counts=(30000, 30000),
    norms=NORMS,
    dimension=14.2437,
    dimension_profile={3: 14.6533, 5: 14.2437, 50: 12.79},
    disagreement={1: 0.0265, 5: 0.0402, 10: 0.0512},
    margin=Margin(2.3987085, (5, 7), 1, "brute"),
    tolerance=0.0,
    method="brute",
)
"""MNIST's facts where theory.md has them, with repeated rows that it has not."""


def test_the_ledger_has_the_sixteen_assumptions_in_order() -> None:
    """A1 to A16 are there, each with a name, a statement and a consequence that are sentences."""
    assert [entry.id for entry in LEDGER] == [f"A{number}" for number in range(1, 17)]
    for entry in LEDGER:
        assert re.fullmatch(r"[A-Z].*\.", entry.statement), entry.id
        assert re.search(r"\.$", entry.consequence), entry.id
    assert len({entry.name for entry in LEDGER}) == 16


@pytest.mark.parametrize(
    ("id", "said"),
    [
        ("A1", "The norms vary by 18.5 % of their mean."),
        ("A2", "The mean point lies at 0.6428 of the mean norm from the origin."),
        ("A3", "The largest norm is 1.179 times the 99.9 % quantile of norms."),
        ("A6", "m is 14.65 at k = 3 and 12.79 at k = 50."),
        ("A7", "Neighbours with another label: 2.65 % at k = 1, 4.02 % at k = 5, 5.12 % at k = 10."),
        ("A8", "Rows with the inputs of a row of another target: 12."),
        ("A10", "Rows that repeat another point: 1,000 of 60,000."),
        ("A11", "Band limit 45.00, degree 38.97."),
        ("A14", "Target error 0.001, chance 0.9. The nearest neighbour has another label for 2.65 %."),
        ("A15", "Convention 'released'."),
    ],
)
def test_what_is_said_of_mnist(id: str, said: str) -> None:
    """Each diagnostic has the numbers that theory.md measured on MNIST (norms 0.185, mean 0.64, kNN 0.0265, …)."""
    assert diagnose(evaluate("classification", image_task("mnist")), FACTS)[id] == said


def test_of_declared_numbers_only_the_formula_speaks() -> None:
    """Without data there is a word on the band limit, the target and the counting, and on what does not apply."""
    assert set(diagnose(evaluate("classification", image_task("mnist")), None)) == {"A11", "A14", "A15"}
    reacher = {"n": 1e6, "dimension": 6, "actions": 2, "resolution": 1e-3, "target_error": 1e-3}
    said = diagnose(evaluate("control", reacher), None)
    assert set(said) == {"A15", "A1", "A2", "A3", "A7", "A8", "A9"}
    assert said.pop("A15") == "Convention 'released'."
    assert set(said.values()) == {"Does not apply: the inputs lie on a torus, and its resolution is chosen."}


def test_a_regression_has_no_neighbours_with_another_label() -> None:
    """Without classes nothing is said of disagreement and chance."""
    task = evaluate("regression", {"n": 9, "radius": 3, "dimension": 2, "resolution": 1, "target_error": 0.1})
    said = diagnose(task, replace(FACTS, disagreement={}, class_counts=()))
    assert not {"A7", "A14"} & set(said)


def test_data_that_are_nearly_all_zero_are_no_division_by_zero() -> None:
    """Where the 99.9 % quantile of norms is 0 the ratio is not taken, and that is said."""
    task = classification(n=60000, radius=17, dimension=14, classes=2, margin=2, target_error=0.1)
    said = diagnose(task, replace(FACTS, norms=replace(NORMS, high=0.0)))
    assert said["A3"] == "The 99.9 % quantile of norms is 0: nearly all rows are at the origin."


def test_every_diagnostic_is_of_an_assumption() -> None:
    """Nothing is said of an assumption that the ledger does not have."""
    said = diagnose(evaluate("classification", image_task("mnist")), FACTS)
    assert set(said) <= {entry.id for entry in LEDGER}
