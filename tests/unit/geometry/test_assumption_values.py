"""The numbers that verdicts hang on: by their definitions, and None where facts and diagnostics do not tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ibc_report.geometry import Geometry, Margin, Norms
from ibc_report.geometry import assumption_values as measured
from ibc_report.geometry.class_pieces import ClassPieces
from ibc_report.geometry.diagnostics import Diagnostics
from ibc_report.geometry.dimension.by_class import ClassSpread
from ibc_report.geometry.dimension.local_density import Near
from ibc_report.geometry.far_rows import FarRows
from ibc_report.geometry.feature_maps import WidestFeature
from ibc_report.geometry.label_checks import LabelChecks
from ibc_report.geometry.row_order import Pairs, RowOrder

FACTS = Geometry(
    n=1000,
    features=20,
    distinct=950,
    equal_rows=40,
    coincident_rows=10,
    conflicting_rows=6,
    conflicting_examples=(1, 2),
    class_counts=(500, 500),
    norms=Norms(radius=9.0, radius_row=3, mean=4.0, deviation=1.0, centre=3.0, high=8.0),
    dimension=8.0,
    dimension_profile={3: 8.5, 5: 8.0, 10: 7.5},
    disagreement={1: 0.03, 5: 0.04},
    margin=Margin(1.0, (5, 7), 1, "brute"),
    tolerance=0.0,
    method="brute",
)

EXAMINED = Diagnostics(
    asked=900,
    far=FarRows(1, (3,), 1.2, 1e-4),
    density_spread=0.7,
    dimension_spread=0.12,
    class_spread=ClassSpread(2, 0.25, 1e-9),
    dimension_drift=-0.05,
    labels=LabelChecks(9, (3, 5), 1e-4, 50.0, 3, 0),
    margin_slope=-0.1,
    near=Near(1, 0.9, 0.5),
    density_gradient=0.15,
    pieces=ClassPieces(2, 0.5, 3, 1),
    widest=WidestFeature(4, 0.6, 12.0),
    order=RowOrder(
        pairs=700,
        next=Pairs(90, 2.0, 1e-9),
        within=Pairs(120, 20.0, 1e-9),
        drift=0.3,
        alike=0.2,
        dependence=0.3,
        feature=2,
        probability=1e-8,
        strongest="next",
        label=None,
        rows=(0, 999),
        sorted_by=None,
    ),
)

Value = Callable[[Geometry, Diagnostics | None], float | None]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (measured.norm_spread, 0.25),
        # 3/4 without what the mean of 1,000 points is off by chance: (16 + 1 − 9) / 999 in squares
        (measured.off_centre, (9 - 8 / 999) ** 0.5 / 4),
        (measured.outlier, 1.2),
        (measured.density_spread, 0.7),
        (measured.dimension_spread, 0.25),
        (measured.dimension_drift, 0.05),
        (measured.nearest_disagreement, 0.03),
        (measured.contradicted_labels, 0.01 + 0.006),
        (measured.margin_power, 0.8),
        (measured.repeated_rows, 0.05),
        (measured.density_gradient, 0.15),
        (measured.rows_in_pieces, 0.5),
        (measured.serial_dependence, 0.3),
        (measured.widest_share, 0.6),
    ],
)
def test_values_are_their_definitions(value: Value, wanted: float) -> None:
    """Each is the ratio, the share or the size that it is named for."""
    assert value(FACTS, EXAMINED) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    "value",
    [
        measured.outlier,
        measured.density_spread,
        measured.dimension_spread,
        measured.dimension_drift,
        measured.contradicted_labels,
        measured.margin_power,
        measured.density_gradient,
        measured.rows_in_pieces,
        measured.serial_dependence,
        measured.widest_share,
    ],
)
def test_what_the_search_would_tell_is_none_without_it(value: Value) -> None:
    """A set that was not examined has no value where the value is not a fact."""
    assert value(FACTS, None) is None


@pytest.mark.parametrize(
    "value", [measured.norm_spread, measured.off_centre, measured.nearest_disagreement, measured.repeated_rows]
)
def test_facts_need_no_diagnostics(value: Value) -> None:
    """What the facts alone tell is the same without diagnostics, where these found nothing beyond chance."""
    assert value(FACTS, None) == value(FACTS, EXAMINED) is not None


@pytest.mark.parametrize(
    ("value", "missing"),
    [
        (measured.outlier, replace(EXAMINED, far=None)),
        (measured.density_spread, replace(EXAMINED, density_spread=None)),
        (measured.dimension_spread, replace(EXAMINED, dimension_spread=None)),
        (measured.dimension_drift, replace(EXAMINED, dimension_drift=None)),
        (measured.margin_power, replace(EXAMINED, margin_slope=None)),
        (measured.density_gradient, replace(EXAMINED, density_gradient=None)),
        (measured.rows_in_pieces, replace(EXAMINED, pieces=None)),
        (measured.serial_dependence, replace(EXAMINED, order=None)),
        (measured.widest_share, replace(EXAMINED, widest=None)),
    ],
)
def test_what_these_data_do_not_tell_is_none(value: Value, missing: Diagnostics) -> None:
    """A statistic that the data do not allow leaves its value out, whatever the others say."""
    assert value(FACTS, missing) is None


def test_rows_at_the_origin_have_no_ratios() -> None:
    """Norms that are all zero tell nothing of sphere and origin."""
    nothing = replace(FACTS, norms=Norms(radius=0.0, radius_row=0, mean=0.0, deviation=0.0, centre=0.0, high=0.0))
    assert measured.norm_spread(nothing, EXAMINED) is None
    assert measured.off_centre(nothing, EXAMINED) is None


@pytest.mark.parametrize("n", [30, 300, 3000])
def test_the_mean_of_a_centred_set_is_at_the_origin(n: int) -> None:
    """What the mean of n points is off by chance is taken out: on average nothing is left, at any n."""
    found = []
    for seed in range(100):
        points = np.random.default_rng(seed).normal(size=(n, 5))
        lengths = np.linalg.norm(points, axis=1)
        norms = replace(
            FACTS.norms, mean=lengths.mean(), deviation=lengths.std(), centre=float(np.linalg.norm(points.mean(axis=0)))
        )
        value = measured.off_centre(replace(FACTS, n=n, norms=norms), None)
        assert value is not None
        found.append(value)
    assert np.mean(np.square(found)) < 1 / n


@pytest.mark.parametrize(
    ("classes", "wanted"),
    [
        (ClassSpread(2, 0.25, 0.01), 0.12),
        (ClassSpread(2, 0.05, 1e-9), 0.12),
        (ClassSpread(2, 0.25, 1e-9), 0.25),
        (None, 0.12),
    ],
)
def test_classes_that_differ_by_chance_do_not_count(classes: ClassSpread | None, wanted: float) -> None:
    """The spread between classes is the value only where it is larger than over places and no chance."""
    assert measured.dimension_spread(FACTS, replace(EXAMINED, class_spread=classes)) == wanted


def test_a_dimension_that_rises_drifts_as_one_that_falls() -> None:
    """The drift is a size: its sign does not matter."""
    assert measured.dimension_drift(FACTS, replace(EXAMINED, dimension_drift=0.05)) == 0.05


def test_a_regression_has_no_nearest_disagreement() -> None:
    """Without classes no neighbour is of another one."""
    assert measured.nearest_disagreement(replace(FACTS, disagreement={}), EXAMINED) is None


def test_contradictions_count_where_there_are_no_votes() -> None:
    """Rows of one point and two targets are contradicted without a vote; without either nothing is told."""
    silent = replace(EXAMINED, labels=None)
    assert measured.contradicted_labels(FACTS, silent) == 0.006
    assert measured.contradicted_labels(replace(FACTS, conflicting_rows=0), silent) is None
    none = replace(EXAMINED, labels=LabelChecks(0, (), 1.0, 50.0, 0, 0))
    assert measured.contradicted_labels(replace(FACTS, conflicting_rows=0), none) == 0


@pytest.mark.parametrize(("probability", "counted"), [(0.019, True), (0.021, False)])
def test_rows_alone_count_where_touching_classes_have_fewer(probability: float, counted: bool) -> None:
    """As many as classes have that touch are no contradiction."""
    found = LabelChecks(9, (3, 5), probability, 50.0, 0, 0)
    assert measured.are_alone(found) == counted
    value = measured.contradicted_labels(replace(FACTS, conflicting_rows=0), replace(EXAMINED, labels=found))
    assert value == (0.01 if counted else 0.0)


@pytest.mark.parametrize(("agreement", "value"), [(2.4, 0.03), (2.6, 0.0), (None, 0.0)])
def test_labels_that_follow_no_input_are_all_contradicted(agreement: float | None, value: float) -> None:
    """Where neighbours agree no more than at random the value is the share of nearest ones that differ."""
    found = replace(EXAMINED, labels=LabelChecks(0, (), 1.0, agreement, 0, 0))
    assert measured.contradicted_labels(replace(FACTS, conflicting_rows=0), found) == value


def test_near_pairs_count_where_they_are_no_chance() -> None:
    """Of pairs that differ one row of two is wrong, as many as is certain; pairs of an even density do not count."""
    labels = LabelChecks(0, (), 1.0, 50.0, 100, 25)
    clean = replace(FACTS, conflicting_rows=0)
    found = replace(EXAMINED, labels=labels, near=Near(190, 1.0, 1e-9))
    assert measured.contradicted_labels(clean, found) == labels.near_share / 2
    assert measured.contradicted_labels(clean, replace(found, near=Near(190, 180.0, 0.3))) == 0


def test_a_margin_that_rises_costs_nothing() -> None:
    """Bits do not grow where the sampled margin does not fall."""
    assert measured.margin_power(FACTS, replace(EXAMINED, margin_slope=0.2)) == 0


def test_near_duplicates_count_as_repeats() -> None:
    """Of the points that are too near beyond chance one of two repeats the other; what chance allows does not count."""
    crowded = replace(EXAMINED, near=Near(91, 1.0, 0.0))
    assert measured.repeated_rows(FACTS, crowded) == pytest.approx((50 + 950 * 0.05) / 1000)
    assert measured.repeated_rows(FACTS, replace(EXAMINED, near=None)) == 0.05


@pytest.mark.parametrize(("probability", "beyond"), [(0.5e-3, True), (1e-3, False), (0.5, False)])
def test_what_chance_allows_is_no_difference(probability: float, beyond: bool) -> None:
    """Crowding and classes are told from chance by the same probability; what was not measured does not differ."""
    assert measured.is_crowded(Near(5, 1.0, probability)) == beyond
    assert measured.differ_by_class(ClassSpread(2, 0.2, probability)) == beyond
    assert not measured.is_crowded(None)
    assert not measured.differ_by_class(None)


@pytest.mark.parametrize("sorted_by", [0, 3, "target"])
def test_sorted_rows_are_not_dependent(sorted_by: int | str) -> None:
    """An order by a column or by the target, the first one too, says nothing of how the rows were drawn."""
    assert EXAMINED.order is not None
    order = replace(EXAMINED.order, sorted_by=sorted_by)  # type: ignore[arg-type]
    assert measured.serial_dependence(FACTS, replace(EXAMINED, order=order)) == 0


@pytest.mark.parametrize(("times", "share"), [(9.9, 0.0), (10.0, 0.6)])
def test_a_feature_of_the_scale_of_the_others_may_make_the_distances(times: float, share: float) -> None:
    """Only one that is ten times as wide as the median of the others is of another scale."""
    widest = WidestFeature(4, 0.6, times)
    assert measured.widest_share(FACTS, replace(EXAMINED, widest=widest)) == share


def test_projected_features_have_no_widest() -> None:
    """Where a random projection made the features none of them is of another scale."""
    assert measured.widest_share(replace(FACTS, distortion=0.1), EXAMINED) is None
