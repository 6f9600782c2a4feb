"""The ledger: the sixteen assumptions, what is said of each on data, and the verdicts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import ibc_report
from ibc_report.complexity import Complexity, classification, evaluate
from ibc_report.geometry import Geometry, Margin, Norms, assumption_values
from ibc_report.geometry.diagnostics import Diagnostics
from ibc_report.geometry.dimension.by_class import ClassSpread
from ibc_report.geometry.dimension.local_density import Near
from ibc_report.geometry.far_rows import FarRows
from ibc_report.geometry.label_checks import LabelChecks
from ibc_report.rendering.environment import template_folder
from ibc_report.report.assumptions import IDS
from ibc_report.report.assumptions.assumption import Evidence
from ibc_report.report.assumptions.ledger import LEDGER, assess
from ibc_report.report.schema.sections import AssumptionRecord
from tests.support.samples import image_task

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
"""MNIST's facts where they are published, with repeated rows that it has not."""

EXAMINED = Diagnostics(
    asked=59000,
    far=FarRows(0, (), 1.0, 0.4),
    density_spread=0.6931,
    dimension_spread=0.21,
    class_spread=ClassSpread(10, 0.1, 1e-12),
    dimension_drift=-0.0478,
    labels=LabelChecks(2, (10, 12), 0.3, 900.0, 40, 1),
    margin_slope=-0.1234,
    near=Near(70, 59.0, 0.09),
)

MNIST = evaluate("classification", image_task("mnist"))

REACHER = evaluate("control", {"n": 1e6, "dimension": 6, "actions": 2, "resolution": 1e-3, "target_error": 1e-3})


def said_of(task: Complexity, facts: Geometry | None = None, found: Diagnostics | None = None) -> dict[str, str]:
    """What is said of each assumption of which something is."""
    said = {entry.id: entry.said(Evidence(task, facts, found)) for entry in LEDGER}
    return {id: text for id, text in said.items() if text is not None}


def by_id(entries: tuple[AssumptionRecord, ...]) -> dict[str, AssumptionRecord]:
    """The entries of a ledger by assumption."""
    return {entry.id: entry for entry in entries}


def test_the_ledger_has_the_sixteen_assumptions_in_order() -> None:
    """A1 to A16 are there, each with a name, a statement and a consequence that are sentences."""
    assert [entry.id for entry in LEDGER] == [f"A{number}" for number in range(1, 17)]
    for entry in LEDGER:
        assert re.fullmatch(r"[A-Z].*\.", entry.statement), entry.id
        assert re.search(r"\.$", entry.consequence), entry.id
    assert len({entry.name for entry in LEDGER}) == 16
    assert tuple(entry.id for entry in LEDGER) == IDS


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
        ("A13", "Declared: the loss has Lipschitz constant 1 and the outputs are bounded by B = 1."),
        ("A14", "Target error 0.001, chance 0.9. The nearest neighbour has another label for 2.65 %."),
        ("A15", "Convention 'released'."),
    ],
)
def test_what_is_said_of_mnist(id: str, said: str) -> None:
    """Each diagnostic has the numbers that were measured on MNIST (norms 0.185, mean 0.64, kNN 0.0265, …)."""
    assert said_of(MNIST, FACTS)[id] == said


@pytest.mark.parametrize(
    ("id", "added"),
    [
        ("A3", "No row is further out than the law of the others allows."),
        ("A4", "density varies by a factor of 2.00"),
        (
            "A5",
            "by 21 % of its mean from place to place. Between 10 classes it varies by 10 %, more than chance.",
        ),
        ("A6", "The slope of ln m on ln k is −0.0478."),
        (
            "A8",
            "Rows that stand alone among rows of other labels: 2 (rows 10, 12). Pairs of rows that are nearly the "
            "same: 40, of which 1 differ in their label.",
        ),
        ("A9", "falls like n to the power −0.123, so that the bits grow about like n to the power 1.76"),
        ("A10", "too near: 70, where an even density has about 59, which chance allows."),
    ],
)
def test_what_the_search_adds(id: str, added: str) -> None:
    """The statistics of the neighbour search are said after the facts."""
    said = said_of(MNIST, FACTS, EXAMINED)
    assert added in said[id]
    assert said[id].startswith(said_of(MNIST, FACTS).get(id, ""))


@pytest.mark.parametrize(
    ("count", "rows", "said"),
    [(0, (), "labels: 0."), (1, (7,), "labels: 1 (row 7)."), (9, (1, 2, 3), "labels: 9 (such as rows 1, 2, 3).")],
)
def test_rows_that_stand_alone_are_named(count: int, rows: tuple[int, ...], said: str) -> None:
    """All of a few rows are named, and some of many."""
    examined = replace(EXAMINED, labels=LabelChecks(count, rows, 0.3, 900.0, 0, 0))
    assert said_of(MNIST, FACTS, examined)["A8"].endswith(said)


def test_of_declared_numbers_only_the_formula_speaks() -> None:
    """Without data there is a word on the band limit, the target and the counting, and on what does not apply."""
    assert set(said_of(MNIST)) == {"A11", "A12", "A13", "A14", "A15"}
    said = said_of(REACHER)
    assert set(said) == {"A12", "A13", "A15", "A1", "A2", "A3", "A7", "A8", "A9"}
    assert said.pop("A15") == "Convention 'released'."
    del said["A12"], said["A13"]
    assert set(said.values()) == {"Does not apply: the inputs lie on a torus, and its resolution is chosen."}


def test_a_regression_has_no_neighbours_with_another_label() -> None:
    """Without classes nothing is said of disagreement, and the target error is held against the outputs' bound."""
    task = evaluate("regression", {"n": 9, "radius": 3, "dimension": 2, "resolution": 1, "target_error": 0.1})
    facts = replace(FACTS, disagreement={}, class_counts=(), conflicting_rows=0)
    said = said_of(task, facts)
    assert "A7" not in said
    assert said["A14"] == "Target error 0.1, bound of the outputs 1."
    ledger = by_id(assess(Evidence(task, facts, replace(EXAMINED, labels=None, class_spread=None))))
    assert {ledger[id].verdict for id in ("A7", "A8")} == {"not testable"}
    assert ledger["A14"].verdict == "holds"
    assert ledger["A9"].verdict == "violated"


def test_a_mean_of_rounding_errors_is_at_the_origin() -> None:
    """Vectors that an encoder centred have their mean at 0, not at 10^−15."""
    centred = replace(FACTS, norms=replace(NORMS, centre=1e-14))
    assert said_of(MNIST, centred)["A2"] == "The mean point lies at 0 of the mean norm from the origin."


def test_data_that_are_nearly_all_zero_are_no_division_by_zero() -> None:
    """Where the 99.9 % quantile of norms is 0 the ratio is not taken, and that is said."""
    task = classification(n=60000, radius=17, dimension=14, classes=2, margin=2, target_error=0.1)
    said = said_of(task, replace(FACTS, norms=replace(NORMS, high=0.0)))
    assert said["A3"] == "The 99.9 % quantile of norms is 0: nearly all rows are at the origin."


def test_the_verdicts_on_mnist() -> None:
    """Each entry has its statement, its value, the threshold that made its verdict, and that verdict."""
    ledger = by_id(assess(Evidence(MNIST, FACTS, EXAMINED)))
    assert list(ledger) == [entry.id for entry in LEDGER]
    verdicts = {id: entry.verdict for id, entry in ledger.items()}
    assert verdicts == {
        "A1": "doubtful",
        "A2": "violated",
        "A3": "holds",
        "A4": "doubtful",
        "A5": "doubtful",
        "A6": "holds",
        "A7": "doubtful",
        "A8": "doubtful",
        "A9": "violated",
        "A10": "doubtful",
        "A11": "holds",
        "A12": "not testable",
        "A13": "not testable",
        "A14": "doubtful",
        "A15": "not testable",
        "A16": "not testable",
    }
    assert ledger["A2"].value == pytest.approx(0.6428, abs=1e-4)
    assert ledger["A2"].threshold is not None
    assert ledger["A12"].value is None
    assert ledger["A1"].statement == LEDGER[0].statement


@pytest.mark.parametrize("task", [MNIST, REACHER])
def test_declared_numbers_are_tested_by_the_formula_alone(task: Complexity) -> None:
    """Without data only the degree and the target error can be judged."""
    ledger = by_id(assess(Evidence(task)))
    judged = {id for id, entry in ledger.items() if entry.verdict != "not testable"}
    assert judged == ({"A11", "A14"} if task is MNIST else set())
    assert all(entry.threshold is None for id, entry in ledger.items() if id not in judged)


@pytest.mark.parametrize(
    ("decades", "text", "verdict"),
    [
        (-2.01, "−2.0 decades", "doubtful"),
        (0.96, "+1.0 decades", "holds"),
        (0.04, "less than 0.1 decades", "holds"),
        (3.2, "+3.2 decades", "violated"),
    ],
)
def test_a_change_is_worded_and_judges_the_features(decades: float, text: str, verdict: str) -> None:
    """What another feature map moves is A16's verdict; for others a change is shown and judges nothing."""
    changes = {"standardised": decades, "next_radius": decades}
    ledger = by_id(assess(Evidence(MNIST, FACTS, EXAMINED, changes)))
    features, radius = ledger["A16"], ledger["A3"]
    assert (features.verdict, features.change) == (verdict, decades)
    assert features.change_text == f"{text} with standardised features"
    assert features.diagnostic == f"Another feature map moves the bits by {text} with standardised features."
    assert (radius.verdict, radius.change_text) == ("holds", f"{text} without the rows furthest out")
    assert ledger["A1"].change is None


def test_every_diagnostic_is_of_an_assumption() -> None:
    """Nothing is said of an assumption that the ledger does not have."""
    said = said_of(MNIST, FACTS, EXAMINED)
    assert set(said) <= {entry.id for entry in LEDGER}


def test_an_entry_survives_the_document() -> None:
    """An entry is written as JSON and read back as it was."""
    for entry in assess(Evidence(MNIST, FACTS, EXAMINED)):
        assert AssumptionRecord.model_validate_json(entry.model_dump_json()) == entry


def test_the_number_behind_a_verdict_on_data_is_one_of_the_geometry() -> None:
    """Each assumption that the data tell of names the function of the geometry that computes its value."""
    named = {entry.id: entry.measured_by for entry in LEDGER if entry.measured_by is not None}
    assert set(named) == {f"A{number}" for number in range(1, 11)}
    assert len(set(named.values())) == 10
    assert set(named.values()) <= set(assumption_values.__all__)


def test_every_verdict_that_can_be_bad_has_its_words() -> None:
    """What can be doubtful or violated says so in words of its own, no two alike."""
    words = [text for entry in LEDGER for text in (entry.doubtful, entry.violated) if text]
    assert len(set(words)) == len(words)
    for entry in LEDGER:
        assert (entry.threshold is None and entry.judge is None) == (not entry.violated)
        assert bool(entry.doubtful) == bool(entry.threshold or entry.id == "A14")


SEVENTEENTH = '''"""A17: nothing is hidden."""

from ibc_report.report.assumptions.assumption import Assumption, Threshold

ASSUMPTION = Assumption(
    id="A17",
    name="nothing hidden",
    statement="Nothing is hidden.",
    consequence="Something is.",
    finding=lambda evidence: "Something was found.",
    value=lambda evidence: 2.0,
    threshold=Threshold("things hidden", 0, 1),
    violated="Something is hidden",
)
'''


def test_another_assumption_is_one_file(tmp_path: Path) -> None:
    """A seventeenth file in the room is on the card, in the warnings and in the rules, with nothing else touched."""
    package = Path(ibc_report.__file__).parent
    copy = shutil.copytree(package, tmp_path / "ibc_report", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(template_folder(), tmp_path / "templates", dirs_exist_ok=True)
    (copy / "report" / "assumptions" / "a17_hidden.py").write_text(SEVENTEENTH, encoding="utf-8")
    program = (
        "import ibc_report\n"
        "from ibc_report.report.rules import check, parse\n"
        "report = ibc_report.measure('builtin:iris')\n"
        "assert [entry.id for entry in report.assumptions][-2:] == ['A16', 'A17']\n"
        "assert 'Something is hidden (A17 violated). Something was found.' in report.doubts\n"
        "assert 'Nothing is hidden.' in report.to_markdown()\n"
        "print(ibc_report.__file__, check([parse('A17 == violated')], report)[0].holds)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == [str(copy / "__init__.py"), "True"]
