"""The line of accuracies, and the selection of examples that is looked at on other models."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr

from ibc_report.common.errors import InputError
from ibc_report.evaluation.statistics.accuracy_line import FEWEST_MODELS, accuracy_line, probit, select
from ibc_report.evaluation.statistics.accuracy_line import _correlation as correlation
from tests.support.samples import few_properties


def drawn(seed: int, *, planted: int, models: int = 120, examples: int = 600) -> tuple[NDArray[np.float64], np.ndarray]:
    """Reference accuracies, and correctness on examples of which some go against ability."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(0, 0.5, models)
    along = np.where(np.arange(examples) < planted, -0.5, 0.5)
    correct = rng.random((models, examples)) < ndtr(rng.normal(0, 1, examples) + along * ability[:, None])
    return ndtr(0.5 + ability), correct


@pytest.mark.parametrize("seed", range(3))
def test_planted_examples_are_found_and_hold(seed: int) -> None:
    """Of 120 models and 600 examples with 240 planted, the 240 selected ones go against the line on held-out models."""
    reference, correct = drawn(seed, planted=240)
    found = select(reference, 5000, correct, shares=(0.4,), seed=seed)
    subset = found.subsets[0]
    assert subset.held_out is not None
    assert subset.held_out.r < -0.8
    assert subset.held_out.interval.upper < -0.6
    assert np.mean(found.order[:240] < 240) > 0.7
    assert sorted([*found.selecting, *found.reporting]) == list(range(120))


def test_unrelated_correctness_looks_like_a_find_only_on_the_selecting_half() -> None:
    """Where correctness has nothing to do with ability, selection finds r far below 0, and other models show none."""
    selected, held_out = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        reference, _ = drawn(seed, planted=0)
        found = select(reference, 5000, rng.random((120, 600)) < 0.6, shares=(0.4,), seed=seed).subsets[0]
        assert found.selected is not None
        assert found.held_out is not None
        selected.append(found.selected.r)
        held_out.append(found.held_out.r)
    assert max(selected) < -0.5
    assert abs(np.mean(held_out)) < 0.15


@few_properties
@given(st.integers(0, 2**32 - 1), st.floats(-2, 2), st.floats(-1, 1))
def test_the_line_is_that_of_least_squares(seed: int, slope: float, shift: float) -> None:
    """Slope, intercept and r are scipy's on probits, and its interval excludes 0 where scipy's t test of r does."""
    rng = np.random.default_rng(seed)
    first = ndtr(rng.normal(0, 1, 40))
    second = ndtr(slope * probit(first, 1000) + shift + rng.normal(0, 0.3, 40))
    found = accuracy_line(first, 1000, second, 1000)
    expected = stats.linregress(probit(first, 1000), probit(second, 1000))
    assert found.slope == pytest.approx(expected.slope)
    assert found.intercept == pytest.approx(expected.intercept)
    tested = stats.pearsonr(probit(first, 1000), probit(second, 1000))
    ends = found.correlation.interval
    assert (ends.lower > 0 or ends.upper < 0) == (tested.pvalue < 0.05)
    around = tested.confidence_interval(0.95)
    assert (ends.lower, ends.upper) == pytest.approx((around.low, around.high), abs=2e-3)


def test_four_subsets_together_err_as_rarely_as_one() -> None:
    """The interval of each of four subsets is that of one at a quarter of the size."""
    reference, correct = drawn(3, planted=200)
    several = select(reference, 5000, correct)
    for size, subset in zip((30, 60, 120, 240), several.subsets, strict=True):
        alone = select(reference, 5000, correct, shares=(size / 600,), level=1 - 0.05 / 4).subsets[0]
        assert subset.held_out is not None
        assert alone.held_out is not None
        assert subset.held_out.interval.lower == pytest.approx(alone.held_out.interval.lower)
    assert several.everything is not None
    wide = select(reference, 5000, correct, level=0.5).everything
    assert wide is not None
    assert several.everything.interval.halfwidth > wide.interval.halfwidth


def test_halves_do_not_depend_on_chance_order_and_span_the_same_range() -> None:
    """The same seed gives the same halves, of each two neighbours one is in either, and another seed gives others."""
    reference, correct = drawn(0, planted=60, models=31)
    first, again, other = (select(reference, 5000, correct, seed=seed) for seed in (0, 0, 1))
    assert first.selecting.tolist() == again.selecting.tolist()
    assert first.order.tolist() == again.order.tolist()
    assert first.selecting.tolist() != other.selecting.tolist()
    place = np.argsort(np.argsort(reference))
    assert sorted(place[first.selecting] // 2)[:15] == list(range(15))
    assert abs(len(first.selecting) - len(first.reporting)) == 1


def test_the_reporting_half_has_no_part_in_the_selection() -> None:
    """Whatever the reporting half answers, the order of examples stays."""
    reference, correct = drawn(0, planted=100)
    found = select(reference, 5000, correct)
    changed = correct.copy()
    changed[found.reporting] = ~changed[found.reporting]
    assert select(reference, 5000, changed).order.tolist() == found.order.tolist()


def test_models_that_are_all_alike_have_no_correlation() -> None:
    """Examples that all models answer alike have no correlation, and no warning is given."""
    reference = np.linspace(0.1, 0.9, 30)
    found = select(reference, 100, np.ones((30, 20), dtype=bool), shares=(0.5,))
    assert found.everything is None
    assert found.subsets[0].held_out is None
    perfect = accuracy_line(reference, 100, reference, 100)
    assert perfect.correlation.r == pytest.approx(1)
    assert probit(np.array([0.0, 1.0]), 10).tolist() == pytest.approx([-1.6449, 1.6449], abs=1e-4)


def test_what_cannot_be_fitted_is_refused() -> None:
    """Fewer than 30 models, equal accuracies, no examples and shares outside 0 and 1 are refused."""
    few, enough = np.linspace(0.1, 0.9, FEWEST_MODELS - 1), np.linspace(0.1, 0.9, FEWEST_MODELS)
    with pytest.raises(InputError, match="29 models are too few"):
        accuracy_line(few, 10, few, 10)
    with pytest.raises(InputError, match="29 models are too few"):
        select(few, 10, np.ones((29, 5), dtype=bool))
    with pytest.raises(InputError, match="there is no line"):
        accuracy_line(enough, 10, np.full(30, 0.5), 10)
    with pytest.raises(InputError, match="no examples"):
        select(enough, 10, np.ones((30, 0), dtype=bool))
    with pytest.raises(InputError, match="shares"):
        select(enough, 10, np.ones((30, 5), dtype=bool), shares=(1.0,))


@pytest.mark.parametrize("models", [6, 15, 40])
def test_the_interval_of_a_correlation_ends_at_0_where_the_t_test_is_at_its_level(models: int) -> None:
    """A correlation that the t test just rejects at 5 % has an interval above 0, and a little less has one with 0."""
    rng = np.random.default_rng(models)
    x, other = rng.normal(size=(2, models))
    x = (x - x.mean()) / np.linalg.norm(x - x.mean())
    other = other - other.mean() - x * (x @ (other - other.mean()))
    other /= np.linalg.norm(other)
    t = stats.t.ppf(0.975, models - 2)
    critical = t / np.sqrt(t**2 + models - 2)
    for r, is_above in ((critical + 1e-6, True), (critical - 1e-6, False)):
        found = correlation(x, r * x + np.sqrt(1 - r**2) * other, 0.95)
        assert found is not None
        assert found.r == pytest.approx(r)
        assert (found.interval.lower > 0) == is_above
