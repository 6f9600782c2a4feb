"""Warnings: each is said when its condition holds, and is not when it does not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ibc_report.complexity import Complexity, classification, evaluate
from ibc_report.data.examples import Examples, gather
from ibc_report.data.sources import Dropped
from ibc_report.evaluation.audit.audit import SplitRows, TrainGeometry, audit
from ibc_report.evaluation.audit.joint_split import take_together
from ibc_report.geometry import Geometry, Margin, Norms
from ibc_report.geometry.diagnostics import Diagnostics
from ibc_report.geometry.far_rows import FarRows
from ibc_report.geometry.label_checks import LabelChecks
from ibc_report.report.assumptions.assumption import Evidence
from ibc_report.report.assumptions.ledger import assess
from ibc_report.report.sections.split_audit import split_audit_section
from ibc_report.report.sections.warnings import CardWarning, number_warnings, ordered, score_warnings
from tests.support.samples import image_task, made
from tests.support.splits_made import clusters, examined, split_of
from tests.support.tables import column, table


def test_clean_splits_raise_no_alarm() -> None:
    """Where nothing was found there is no warning, and the summary begins with the precision."""
    rng = np.random.default_rng(0)
    found = split_audit_section(examined(split_of(*clusters(rng, 300)), split_of(*clusters(rng, 100))), "test")
    assert found.warnings == ()
    assert found.summary.startswith("An accuracy of 90 %")


def test_a_test_split_that_is_the_training_split_is_said_first() -> None:
    """All rows leaked is the first thing that the summary says, with the share."""
    rows = split_of(*clusters(np.random.default_rng(6), 60))
    found = split_audit_section(examined(rows, rows), "test")
    assert found.warnings[0].startswith("Leakage: 60 of 60 test rows (100 %) repeat a training row")
    assert found.summary.startswith(found.warnings[0])
    assert "memorised" in found.warnings[0]


def test_a_single_leaked_row_is_counted_too() -> None:
    """One row is said as one row, and does not make the score one of memory."""
    rng = np.random.default_rng(1)
    vectors, codes = clusters(rng, 90)
    others, truth = clusters(rng, 40)
    others[0], truth[0] = vectors[0], codes[0]
    found = split_audit_section(examined(split_of(vectors, codes), split_of(others, truth)), "test")
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
    splits = take_together(rows, rows, encoded, kind=None)
    geometry = TrainGeometry(dimension=2.0, tolerance=0.1)
    found = split_audit_section(audit(splits, SplitRows(rows, rows), geometry), "test")
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
    said = score_warnings(examined(train, test))
    assert said[0] == "The class can be told in part from what should not matter: camera."
    assert said[1].startswith("4 of 80 test rows (5 %) are of a class that the training split lacks ('c7')")


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
        found = split_audit_section(examined(splits[0], splits[1], inputs=names), "test")
        assert found.leakage is not None
        return found.warnings, found.leakage.verdict

    train, test = coins(600), coins(300)
    warnings, verdict = examined_coins(train, test)
    assert not any("Leakage" in warning for warning in warnings)
    assert "repeat a training row, as chance explains" in verdict
    warnings, _ = examined_coins(train, np.vstack([train[:80], test[80:]]))
    assert any(warning.startswith("Leakage: ") for warning in warnings)


NORMS = Norms(radius=2.0, radius_row=3, mean=1.9, deviation=0.05, centre=0.01, high=1.99)

CALM = Geometry(
    n=30_000,
    features=3,
    distinct=30_000,
    equal_rows=0,
    coincident_rows=0,
    conflicting_rows=0,
    conflicting_examples=(),
    class_counts=(50, 50),
    norms=NORMS,
    dimension=2.0,
    dimension_profile={3: 2.1, 5: 2.0, 50: 1.95},
    disagreement={1: 0.0},
    margin=Margin(0.5, (5, 7), 1, "brute"),
    tolerance=0.0,
    method="brute",
)
"""Facts that leave nothing to doubt."""


def task(error: float = 0.01) -> Complexity:
    """A task without flags."""
    return classification(n=100, radius=2, dimension=2, classes=2, margin=0.5, target_error=error)


def examples(**changes: Any) -> Examples:
    """A hundred rows, none of which was lost."""
    rows = made([[float(index), 0.0] for index in range(100)], labels=[index % 2 for index in range(100)])
    return replace(rows, **changes)


SEARCHED = Diagnostics(
    asked=100,
    far=FarRows(0, (), 1.0, 0.5),
    density_spread=0.1,
    dimension_spread=0.05,
    class_spread=None,
    dimension_drift=0.02,
    labels=LabelChecks(0, (), 1.0, 9.0, 0, 0),
    margin_slope=-0.01,
    near=None,
)
"""What the search says of them: every assumption holds that it tells of."""


def warned(
    facts: Geometry = CALM,
    rows: Examples | None = None,
    *,
    error: float = 0.01,
    found: Diagnostics = SEARCHED,
    moved: dict[str, float] | None = None,
) -> tuple[str, ...]:
    """The warnings of a task."""
    ledger = assess(Evidence(task(error), facts, found, moved or {}))
    return number_warnings(task(error), facts, examples() if rows is None else rows, ledger)


def test_calm_data_leave_nothing_to_doubt() -> None:
    """Where all thresholds hold, nothing is said."""
    assert warned() == ()


@pytest.mark.parametrize(
    ("changes", "found", "said"),
    [
        (
            {"dimension_profile": {3: 2.5, 5: 2.0, 50: 1.5}},
            {"dimension_drift": -0.18},
            "The intrinsic dimension depends on the scale (A6 doubtful). m is 2.5 at k = 3 and 1.5 at k = 50. The "
            "slope of ln m on ln k is −0.18.",
        ),
        (
            {"norms": replace(NORMS, high=0.5)},
            {"far": FarRows(2, (7, 3), 4.0, 1e-9)},
            "Few rows set the radius (A3 violated). The largest norm is 4 times the 99.9 % quantile of norms. Rows "
            "further out than the law of the others allows: 2 (rows 7, 3); the largest norm is 4 times that of the "
            "others.",
        ),
        (
            {"norms": replace(NORMS, high=0.0)},
            {"far": None},
            "Few rows set the radius (A3 violated). The 99.9 % quantile of norms is 0: nearly all rows are at the "
            "origin.",
        ),
        (
            {"norms": replace(NORMS, centre=1.52)},
            {},
            "The value depends on where the origin is (A2 violated). The mean point lies at 0.8 of the mean norm from "
            "the origin.",
        ),
        (
            {"distinct": 29_000, "equal_rows": 600, "coincident_rows": 400},
            {},
            "Some rows repeat others (A10 doubtful). Rows that repeat another point: 1,000 of 30,000.",
        ),
        (
            {"conflicting_rows": 2, "conflicting_examples": (4, 9)},
            {},
            "Some labels are contradicted by the rows around them (A8 doubtful). Rows with the inputs of a row of "
            "another target: 2. Rows that stand alone among rows of other labels: 0.",
        ),
        (
            {"disagreement": {1: 0.01, 5: 0.2}},
            {"margin_slope": -0.35},
            "The margin falls as rows are added (A9 doubtful). In samples of these rows the margin falls like n to the "
            "power −0.35, so that the bits grow about like n to the power 0.7; without a margin it would be 2.",
        ),
    ],
    ids=["drift", "outlier", "origin", "centre", "repeats", "conflicts", "margin"],
)
def test_each_doubt_is_said_alone(changes: dict[str, Any], found: dict[str, Any], said: str) -> None:
    """One fact beyond its threshold gives that one sentence, with its numbers."""
    assert warned(replace(CALM, **changes), found=replace(SEARCHED, **found)) == (said,)


def test_what_a_card_doubts_is_what_its_ledger_does_not_hold() -> None:
    """A norm 1.1 times the others, at which A3 holds, is no warning; each that is not held has exactly one."""
    assert (
        warned(replace(CALM, norms=replace(NORMS, high=1.6)), found=replace(SEARCHED, far=FarRows(1, (5,), 1.1, 1e-9)))
        == ()
    )
    facts = replace(CALM, norms=replace(NORMS, centre=1.8, deviation=1.0), conflicting_rows=900)
    ledger = assess(Evidence(task(), facts, replace(SEARCHED, density_spread=2.0)))
    bad = [f"({entry.id} {entry.verdict})" for entry in ledger if entry.verdict in ("doubtful", "violated")]
    said = number_warnings(task(), facts, examples(), ledger)
    assert len(bad) == 4
    assert sorted(re.search(r"\(A\d+ \w+\)", text).group() for text in said) == sorted(bad)  # type: ignore[union-attr]


def test_the_most_decades_come_first() -> None:
    """Warnings go by what they are worth either way, then violated before doubtful, then what is no assumption."""
    facts = replace(CALM, norms=replace(NORMS, centre=1.8), conflicting_rows=1, n=400)
    found = replace(SEARCHED, far=FarRows(1, (5,), 1.5, 1e-9), density_spread=0.6, dimension_drift=0.3)
    moved = {"next_radius": -0.7, "centred": -2.5, "without_pair": 0.04}
    said = warned(facts, found=found, moved=moved)
    assert [text.split(")")[0] for text in said[:5]] == [
        "The value depends on where the origin is (A2 violated; −2.5 decades with the radius around the mean point",
        "Few rows may set the radius (A3 doubtful; −0.7 decades without the rows furthest out",
        "Some labels are contradicted by the rows around them (A8 doubtful; less than 0.1 decades without the closest "
        "pair",
        "The intrinsic dimension depends strongly on the scale (A6 violated",
        "The inputs are spread unevenly (A4 doubtful",
    ]


def test_what_spoils_a_score_goes_by_its_points() -> None:
    """Classes that were never seen come before a few repeated rows where they are the more."""
    rng = np.random.default_rng(2)
    vectors, codes = clusters(rng, 200)
    others, truth = clusters(rng, 80)
    others[0], truth[0] = vectors[0], codes[0]
    truth[40:60] = 7
    said = score_warnings(examined(split_of(vectors, codes), split_of(others, truth)))
    assert said[0].startswith("20 of 80 test rows (25 %) are of a class that the training split lacks")
    assert said[1].startswith("Leakage: 1 of 80 test rows")


@pytest.mark.parametrize(("stakes", "order"), [((None, 1.0, 2.0), (2, 1, 0)), ((0.5, None, None), (0, 1, 2))])
def test_what_nothing_tells_the_stake_of_comes_last(stakes: tuple[float | None, ...], order: tuple[int, ...]) -> None:
    """The known ones go down, the others keep their order behind them."""
    made_up = [CardWarning(str(place), stake) for place, stake in enumerate(stakes)]
    assert ordered(made_up) == tuple(map(str, order))


@pytest.mark.parametrize(("error", "said"), [(0.01, True), (0.05, False)])
def test_a_target_below_the_neighbours_error_may_be_out_of_reach(error: float, said: bool) -> None:
    """Disagreement above the target error is a doubt; below it, and where classes hardly touch, it is none."""
    texts = warned(replace(CALM, disagreement={1: 0.02}), error=error)
    wanted = (
        "These features may not allow the target error (A14 doubtful). Target error 0.01, chance 0.5. The nearest "
        "neighbour has another label for 2 %."
    )
    assert (wanted in texts) is said
    assert any(text.startswith("Classes touch in places (A7 doubtful)") for text in texts)


@pytest.mark.parametrize(("lost", "said"), [(1, ()), (2, ("Rows that could not be used: 2 of 102.",))])
def test_lost_rows_are_doubtful_beyond_one_in_a_hundred(lost: int, said: tuple[str, ...]) -> None:
    """One lost row in 101 is no doubt and two in 102 are."""
    dropped = (Dropped.of("rows without a label", list(range(lost))),)
    assert warned(CALM, examples(dropped=dropped, rows_read=100 + lost)) == said


def test_the_encoders_notes_are_doubts() -> None:
    """What an encoder had to choose on these data is said."""
    rows = examples()
    noted = replace(rows, encoded=replace(rows.encoded, notes=("Only 3 components: the data have no more.",)))
    assert warned(CALM, noted) == ("Only 3 components: the data have no more.",)


def test_flags_of_the_formula_come_first() -> None:
    """A limit that the formula touches is a doubt, before those of the data, and is said once."""
    lax = evaluate("classification", image_task("mnist", target_error=1.0))
    facts = replace(CALM, norms=replace(NORMS, centre=1.52))
    ledger = assess(Evidence(lax, facts, SEARCHED, {"centred": 99.0}))
    said = number_warnings(lax, facts, examples(), ledger)
    assert [sentence[:16] for sentence in said] == ["The target error", "The value depend"]
    assert said[0].endswith("guessing would do (A14 violated).")


def test_declared_numbers_are_doubted_as_such() -> None:
    """Without data the one doubt is that nothing was checked."""
    found = evaluate("classification", image_task("mnist"))
    said = number_warnings(found, None, None, assess(Evidence(found)))
    assert said == ("The inputs are declared, not measured: nothing here was checked on data.",)


@pytest.mark.parametrize(("classes", "counted", "said"), [(20, True, False), (21, True, True), (21, False, False)])
def test_many_whole_numbers_may_be_counts(classes: int, counted: bool, said: bool) -> None:
    """More than twenty classes of whole numbers have a note on --kind values; fewer, or names, have none."""
    names = tuple(str(number) for number in range(classes))
    note = f"The whole numbers of 'y' were taken as {classes} classes; --kind values regresses on them instead."
    assert warned(CALM, examples(names=names, counted=counted)) == ((note,) if said else ())


@pytest.mark.parametrize(
    ("family", "inputs", "bound"),
    [
        ("regression", {"n": 9, "radius": 3, "dimension": 2, "resolution": 1}, 1.0),
        ("control", {"n": 1e6, "dimension": 6, "actions": 2, "resolution": 1e-3}, 1.0),
    ],
)
def test_a_target_error_that_a_constant_meets_is_doubtful(family: str, inputs: dict[str, float], bound: float) -> None:
    """From the bound of the outputs on, a regression and a control task say that one constant would do."""
    for target_error, flagged in ((0.9 * bound, False), (bound, True), (2 * bound, True)):
        found = evaluate(family, {**inputs, "target_error": target_error})
        said = [flag.text for flag in found.flags if flag.code == "target_above_chance"]
        assert bool(said) is flagged
        assert all("one constant would do" in sentence for sentence in said)
        texts = number_warnings(found, None, None, assess(Evidence(found)))
        assert [text for text in texts if "(A14 violated)" in text] == [
            f"{sentence.rstrip('.')} (A14 violated)." for sentence in said
        ]


def test_few_rows_are_said() -> None:
    """Below the sizes that were calibrated the card says so."""
    found = warned(replace(CALM, n=80, distinct=80, dimension=8.0))
    assert found[0] == "80 rows are few: the intervals were calibrated on 200 rows and more."


def test_a_region_where_an_interval_falls_short_is_said() -> None:
    """Every region of the shipped table has a sentence with the share that was covered and the one promised."""
    from ibc_report.report.sections import calibration
    from ibc_report.report.sections.warnings import INTERVALS, _shortfall

    assert set(INTERVALS) >= {region.interval for region in calibration.regions()}
    region = calibration.Region("m, true", (0.0, 3.0), (0.0, 700.0), 0.9, 0.8, 60)
    assert region.holds(2.5, 500)
    assert not region.holds(3.5, 500)
    assert _shortfall(region) == (
        "On synthetic tasks of about this dimension and size the interval of the true dimension covered the truth in "
        "80 % of draws, not in the 90 % that it promises."
    )
