"""Geometry of examples: the digits of the reference values, and brute force over all pairs."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import DataError
from ibc_report.complexity import classification
from ibc_report.data import sources
from ibc_report.data.examples import Examples, gather
from ibc_report.data.sources import Column, Origin, Rows
from ibc_report.geometry import Geometry, facts_of_examples
from tests.support.samples import few_properties, made

# Six points far from each other and from the small grids of the tests below, so that a dimension is defined.
FAR = [[100.0, 0.0], [0.0, 117.0], [-131.0, 0.0], [0.0, -149.0], [163.0, 163.0], [-170.0, 181.0]]


@pytest.fixture(scope="module")
def digit_examples() -> Examples:
    """Scikit-learn's digits, encoded."""
    return gather(sources.load("builtin:digits", base=Path(), config=None, split=None))


@pytest.fixture(scope="module")
def digits(digit_examples: Examples) -> Geometry:
    """The geometry of digits."""
    return facts_of_examples(digit_examples)


def test_radius_and_margin_of_digits(digits: Geometry) -> None:
    """Digits over 16 have R = 4.806002106741111 and δ = 1.1792476415070754, both of whole squares over 256."""
    assert digits.norms.radius == pytest.approx(4.806002106741111, rel=1e-15)
    assert digits.margin.distance == pytest.approx(1.1792476415070754, rel=1e-15)
    assert digits.margin.ties == 1


def test_an_eight_and_a_one_set_the_margin_of_digits(digits: Geometry, digit_examples: Examples) -> None:
    """The pair that sets δ is an 8 and a 1, and the stored vectors are that far apart."""
    assert digit_examples.codes is not None
    # rows of facts are keys, by which the rows of examples lie
    first, second = np.searchsorted(digit_examples.encoded.rows, digits.margin.rows)
    assert {digit_examples.names[digit_examples.codes[row]] for row in (first, second)} == {"8", "1"}
    vectors = digit_examples.encoded.vectors[[first, second]].astype(float) * digit_examples.encoded.unit
    assert np.linalg.norm(vectors[0] - vectors[1]) == pytest.approx(1.1792476415070754)


@pytest.mark.parametrize(("k", "dimension"), [(3, 8.7761), (5, 8.1099), (10, 7.4195), (20, 6.8448)])
def test_dimension_of_digits_over_scales(digits: Geometry, k: int, dimension: float) -> None:
    """m̂(k) of digits is the published one, to its four decimals."""
    assert digits.dimension_profile[k] == pytest.approx(dimension, abs=5.1e-5)
    assert digits.dimension == digits.dimension_profile[5]


@pytest.mark.parametrize(("rounded", "log10_bits"), [(None, 10.5618), (8, 10.5073)], ids=["real", "rounded"])
def test_bits_of_digits(digits: Geometry, rounded: float | None, log10_bits: float) -> None:
    """At ε = 0.01 digits have log10 bits 10.5618 with the measured m, and 10.5073 with m = 8."""
    task = classification(
        n=digits.n,
        radius=digits.norms.radius,
        dimension=rounded or digits.dimension,
        classes=len(digits.class_counts),
        margin=digits.margin.distance,
        target_error=0.01,
    )
    assert digits.n == 1797
    assert task.log10_bits == pytest.approx(log10_bits, abs=5.1e-5)


def test_digits_against_brute_force(digits: Geometry, digit_examples: Examples) -> None:
    """Margin, disagreement and distinct points of digits are those of all 1797² distances."""
    # pixels are whole sixteenths, so all distances are exact
    vectors = np.rint(digit_examples.encoded.vectors * digit_examples.encoded.unit * 16).astype(np.int64)
    squares = (vectors**2).sum(axis=1)
    distances = squares[:, None] + squares[None, :] - 2 * vectors @ vectors.T
    labels = digit_examples.codes
    assert labels is not None
    other = labels[:, None] != labels[None, :]
    assert digits.margin.distance == pytest.approx(sqrt(distances[other].min()) / 16)
    assert digits.distinct == len(np.unique(vectors, axis=0))
    np.fill_diagonal(distances, 2**60)
    nearest = np.argsort(distances, axis=1, kind="stable")
    for k in (1, 5, 10):
        share = (labels[nearest[:, :k]] != labels[:, None]).mean()
        assert digits.disagreement[k] == pytest.approx(share)


def test_a_flipped_percent_of_labels_narrows_the_margin(digit_examples: Examples) -> None:
    """Wrong labels show: with 1 % of the labels of digits replaced, δ falls to less than two thirds of it."""
    codes = digit_examples.codes
    assert codes is not None
    flipped = codes.copy()
    chosen = np.random.default_rng(0).choice(len(codes), size=18, replace=False)
    flipped[chosen] = (flipped[chosen] + 1) % 10
    found = facts_of_examples(
        made(digit_examples.encoded.vectors, labels=flipped.tolist(), unit=digit_examples.encoded.unit)
    )
    assert found.margin.distance < 2 / 3 * 1.1792476415070754


grids = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=14)


def brute_margin(vectors: np.ndarray, answers: np.ndarray, tolerance: float) -> tuple[float, set[int]]:
    """The smallest distance of rows whose answers differ, and the rows that a conflict leaves out."""
    same = (vectors[:, None, :] == vectors[None, :, :]).all(axis=2)
    differ = np.abs(answers[:, None] - answers[None, :]) > tolerance
    # a conflict takes all rows of its point along
    conflicts = {int(row) for row in np.flatnonzero((same.astype(int) @ (same & differ).any(axis=1).astype(int)) > 0)}
    kept = np.array([row for row in range(len(vectors)) if row not in conflicts], dtype=int)
    distances = np.linalg.norm(vectors[kept][:, None, :] - vectors[kept][None, :, :], axis=2)
    return float(distances[differ[np.ix_(kept, kept)]].min(initial=np.inf)), conflicts


@few_properties
@given(grids)
def test_classes_on_a_grid_are_as_brute_force_has_them(grid: list[tuple[int, int, int]]) -> None:
    """δ, its ties, distinct points, repeated and conflicting rows are those of all pairs, with duplicates about."""
    vectors = np.array([[x, y] for x, y, _ in grid] + FAR)
    labels = [label for _, _, label in grid] + [0, 1, 0, 1, 0, 1]
    found = facts_of_examples(made(vectors, labels=labels))
    least, conflicts = brute_margin(vectors, np.array(labels), 0)
    assert found.margin.distance == pytest.approx(least)
    assert found.conflicting_rows == len(conflicts)
    assert set(found.conflicting_examples) <= conflicts
    points = {
        (tuple(vector), label)
        for index, (vector, label) in enumerate(zip(vectors.tolist(), labels, strict=True))
        if index not in conflicts
    }
    ties = sum(
        1
        for a in points
        for b in points
        if a < b and a[1] != b[1] and np.hypot(a[0][0] - b[0][0], a[0][1] - b[0][1]) == pytest.approx(least)
    )
    assert found.margin.ties == ties
    assert found.distinct == len(np.unique(vectors, axis=0))
    assert found.equal_rows == len(vectors) - found.distinct
    assert found.coincident_rows == 0
    assert found.n == len(vectors)
    assert sum(found.class_counts) == len(vectors)


@few_properties
@given(grids, st.sampled_from([0.5, 1.0, 1.5]))
def test_targets_on_a_grid_are_as_brute_force_has_them(grid: list[tuple[int, int, int]], tolerance: float) -> None:
    """For a regression δ is the smallest distance of any two rows whose targets differ by more than the tolerance.

    Equal inputs whose targets differ by less are no conflict, and each of their targets counts.
    """
    vectors = np.array([[x, y] for x, y, _ in grid] + FAR)
    values = np.array([float(value) for _, _, value in grid] + [0.0, 9.0, 0.0, 9.0, 0.0, 9.0])
    found = facts_of_examples(made(vectors, values=values.tolist()), tolerance=tolerance)
    least, conflicts = brute_margin(vectors, values, tolerance)
    assert found.margin.distance == pytest.approx(least)
    assert found.conflicting_rows == len(conflicts)
    first, second = found.margin.rows
    assert abs(values[first] - values[second]) > tolerance
    assert np.linalg.norm(vectors[first] - vectors[second]) == pytest.approx(least)
    assert found.class_counts == ()
    assert found.disagreement == {}
    assert found.tolerance == tolerance


def test_each_target_of_a_repeated_input_counts() -> None:
    """An input seen with targets 0 and 0.9 is 1 away from one with 1.5, by its lower one, in any order."""
    vectors = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], *FAR])
    for pair in ([0.0, 0.9], [0.9, 0.0]):
        found = facts_of_examples(made(vectors, values=[*pair, 1.5, 0, 9, 0, 9, 0, 9]), tolerance=1.0)
        assert found.margin.distance == 1
        assert found.conflicting_rows == 0
        assert found.margin.rows == (pair.index(0.0), 2)


@few_properties
@given(grids, st.floats(1e-3, 1e3), st.randoms(use_true_random=False))
@pytest.mark.long
def test_scale_and_the_order_of_rows_do_not_matter(
    grid: list[tuple[int, int, int]], scale: float, random: np.random.RandomState
) -> None:
    """Scaling multiplies R and δ and leaves m; shuffling rows leaves all three, and the counts."""
    vectors = np.array([[x, y] for x, y, _ in grid] + FAR)
    labels = [label for _, _, label in grid] + [0, 1, 0, 1, 0, 1]
    here = facts_of_examples(made(vectors, labels=labels))
    order = list(range(len(vectors)))
    random.shuffle(order)
    there = facts_of_examples(made(vectors[order] * scale, labels=[labels[index] for index in order]))
    assert there.norms.radius == pytest.approx(here.norms.radius * scale, rel=1e-9)
    assert there.margin.distance == pytest.approx(here.margin.distance * scale, rel=1e-9)
    assert there.margin.ties >= 1
    assert there.dimension == pytest.approx(here.dimension, rel=1e-9)
    assert (there.distinct, there.conflicting_rows) == (here.distinct, here.conflicting_rows)


@few_properties
@given(st.lists(st.integers(0, 19), min_size=0, max_size=40))
def test_the_dimension_is_that_of_distinct_points(repeated: list[int]) -> None:
    """Repeating rows changes n and no dimension, margin or disagreement."""
    vectors = np.random.default_rng(5).normal(size=(20, 3))
    labels = [index % 2 for index in range(20)]
    once = facts_of_examples(made(vectors, labels=labels))
    more = facts_of_examples(
        made(np.vstack([vectors, vectors[repeated]]), labels=labels + [labels[index] for index in repeated])
    )
    assert more.n == 20 + len(repeated)
    assert (more.distinct, more.equal_rows) == (20, len(repeated))
    assert more.dimension_profile == once.dimension_profile
    assert more.margin.distance == once.margin.distance
    assert more.disagreement == once.disagreement


def test_rows_within_the_encoders_rounding_are_one_point() -> None:
    """Points closer than the rounding times R are one: counted as coincident, out of m, and in conflict by label."""
    base = np.random.default_rng(6).normal(size=(12, 3))
    labels = [index % 2 for index in range(12)]
    clean = facts_of_examples(made(base, labels=labels))
    close = base[[0, 1, 2]] + 1e-12
    merged = facts_of_examples(
        made(np.vstack([base, close]), labels=[*labels, labels[0], labels[1], 1 - labels[2]], rounding=1e-7)
    )
    assert merged.n == 15
    assert (merged.distinct, merged.equal_rows, merged.coincident_rows) == (12, 0, 3)
    assert merged.dimension == pytest.approx(clean.dimension, rel=1e-9)
    assert merged.conflicting_rows == 2
    assert set(merged.conflicting_examples) == {2, 14}
    apart = facts_of_examples(made(np.vstack([base, close]), labels=[*labels, labels[0], labels[1], labels[2]]))
    assert (apart.distinct, apart.coincident_rows) == (15, 0)


def test_texts_with_the_same_n_grams_are_one_point() -> None:
    """Different strings with the same character n-grams, as real tweets have, count as coincident and not as equal."""
    words = ["red", "green", "blue", "white", "black", "violet", "orange", "yellow"]
    texts = [f"{first} {second} boat" for first in words for second in words if first != second]
    # letter case and the kind of white space are no difference to the n-grams
    texts += [texts[0].upper(), texts[1].replace(" ", "  "), texts[2]]
    labels = [index % 2 for index in range(len(texts) - 3)] + [0, 1, 0]
    rows = Rows(
        columns=(
            Column("text", "string", pa.chunked_array([texts])),
            Column("label", "class", pa.chunked_array([pa.array(labels)]), class_names=("a", "b")),
        ),
        count=len(texts),
        origin=Origin("made", "none"),
    )
    found = facts_of_examples(gather(rows, target="label"))
    assert (found.n, found.equal_rows, found.coincident_rows) == (59, 1, 2)
    assert found.distinct == 56
    assert found.conflicting_rows == 0
    assert found.margin.distance > 1e-6


@pytest.mark.parametrize("distinct", [1, 5])
def test_too_few_distinct_rows_are_refused(distinct: int) -> None:
    """With no more than k distinct points there is no m, and the message has the number needed."""
    vectors = np.arange(distinct, dtype=float)[:, None].repeat(2, axis=1)
    with pytest.raises(DataError, match=f"there are {distinct} distinct rows, .* needs at least 6"):
        facts_of_examples(made(np.vstack([vectors] * 4), labels=[index % 2 for index in range(4 * distinct)]))


def test_six_distinct_rows_are_enough() -> None:
    """K + 1 = 6 distinct points can be measured."""
    assert facts_of_examples(made(FAR, labels=[0, 1, 0, 1, 0, 1])).distinct == 6


def test_conflicts_everywhere_are_refused() -> None:
    """Where every input occurs with two labels, no margin is left, and the message says what to do."""
    with pytest.raises(DataError, match=r"every distinct input occurs with different targets.*give more input columns"):
        facts_of_examples(made(FAR + FAR, labels=[0] * 6 + [1] * 6))


def test_one_class_besides_the_conflicts_is_refused() -> None:
    """Where one class is left besides the conflicts, there is no margin."""
    with pytest.raises(DataError, match=r"no two rows have different targets once equal inputs .* are set aside"):
        facts_of_examples(made([*FAR, FAR[0]], labels=[0, 0, 0, 0, 0, 0, 1]))


def test_a_tolerance_beyond_all_targets_is_refused() -> None:
    """Where no two targets differ by more than the tolerance, the message says to lower it."""
    with pytest.raises(DataError, match=r"have targets more than 5 apart.*lower the tolerance or the target error"):
        facts_of_examples(made(FAR, values=[0, 1, 2, 3, 4, 5]), tolerance=5.0)


def test_a_full_table_of_yes_and_no_is_measured() -> None:
    """All 16 rows of four yes-or-no columns have no m at k = 3, and are measured at the paper's k = 5."""
    corners = np.array([[(index >> bit) & 1 for bit in range(4)] for index in range(16)])
    found = facts_of_examples(made(corners, labels=[int(corner.sum() % 2) for corner in corners]))
    assert found.margin.distance == 1
    assert found.margin.ties == 32
    assert found.dimension == pytest.approx(2 / np.log(2))


def test_distances_whose_squares_underflow_are_measured() -> None:
    """Two distinct points 1e-200 apart, whose squared distance no double holds, make no dimension of infinity or 0."""
    vectors = np.array([*FAR, [100.0, 1e-200]])
    found = facts_of_examples(made(vectors, labels=[0, 1, 0, 1, 0, 1, 0]))
    assert found.distinct == 7
    assert 0 < found.dimension < 1


def test_progress_reaches_the_end(digit_examples: Examples) -> None:
    """A bar that follows the search is told fractions that never fall, up to 1."""
    told: list[float] = []
    facts_of_examples(digit_examples, progress=told.append)
    assert told
    assert told == sorted(told)
    assert told[-1] == 1
