"""The study of a dimension: digits and MNIST as they are known, and sets at the edge of what can be studied."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from ibc_report.common.errors import DataError
from ibc_report.geometry import Points, neighbor_graph
from ibc_report.geometry.dimension.study import DimensionStudy, study

MEMORY = 2**30


def studied(points: Points, k: int = 50, seed: int = 0, tolerance: float | None = None) -> DimensionStudy:
    """The study of points that were all asked."""
    graph = neighbor_graph(points, k=min(k, len(points) - 1), tolerance=tolerance)
    return study(graph, seed=seed, memory=MEMORY)


@pytest.fixture(scope="module")
def digits() -> Points:
    """Scikit-learn's digits over 16."""
    loaded = load_digits()
    return Points(loaded.data.astype(np.uint8), 1 / 16, np.arange(1797), loaded.target.astype(np.int64))


@pytest.fixture(scope="module")
def of_digits(digits: Points) -> DimensionStudy:
    """Their study."""
    return studied(digits)


def test_digits_have_their_known_dimension_and_margin(of_digits: DimensionStudy) -> None:
    """m̂(5) of digits is 8.1099, its exact margin 1.1792476415070754 and its radius 4.806002106741111."""
    whole = of_digits.by_sample_size[0]
    assert of_digits.estimate == pytest.approx(8.1099, abs=5e-5)
    assert whole.log_margin == pytest.approx(np.log(1.1792476415070754), rel=1e-12)
    assert whole.radius == pytest.approx(4.806002106741111, rel=1e-12)


def test_the_parts_of_a_study_agree(of_digits: DimensionStudy) -> None:
    """The true dimensions lie in their range, the whole has the estimate, and parts have smaller ones."""
    assert of_digits.true_range is not None
    lower, upper = of_digits.true_range
    assert all(value is not None and lower < value < upper for value in of_digits.true_dimensions.values())
    assert of_digits.by_sample_size[0].dimension == of_digits.estimate
    sizes = [size.dimension for size in of_digits.by_sample_size if size.dimension]
    assert sizes == sorted(sizes, reverse=True)
    assert of_digits.standard_error is not None
    assert 0.05 < of_digits.standard_error < 0.3
    assert len(of_digits.by_class) == 10
    # by maximum likelihood TwoNN reads fewer neighbours than m̂ at 3, which is 8.7761
    assert 8.1 < of_digits.gride[2] < 8.8 < of_digits.gride[1]


def test_a_study_repeats_and_hangs_on_no_order(digits: Points, of_digits: DimensionStudy) -> None:
    """The same points give the same study; stored in another order, the same to rounding."""
    assert studied(digits) == of_digits
    order = np.random.default_rng(1).permutation(len(digits))
    again = studied(digits.take(order))
    assert again.standard_error == pytest.approx(of_digits.standard_error, rel=1e-9)
    assert [size.log_margin for size in again.by_sample_size] == pytest.approx(
        [size.log_margin for size in of_digits.by_sample_size], rel=1e-12
    )
    assert again.true_range == pytest.approx(of_digits.true_range, rel=1e-9)


def test_a_sample_of_queries_is_within_its_errors(digits: Points, of_digits: DimensionStudy) -> None:
    """A quarter of the points, asked, gives an estimate within four of its larger standard errors."""
    queries = digits.take(np.arange(0, 1797, 4))
    sampled = study(neighbor_graph(digits, queries, k=50), seed=0, memory=MEMORY)
    assert sampled.standard_error is not None
    assert of_digits.standard_error is not None
    assert sampled.standard_error > of_digits.standard_error
    assert abs(sampled.estimate - of_digits.estimate) < 4 * sampled.standard_error


def test_progress_is_told(digits: Points) -> None:
    """The fraction done rises to one."""
    told: list[float] = []
    points = digits.take(np.arange(300))
    study(neighbor_graph(points, k=32), seed=0, memory=MEMORY, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1


def test_a_regression_has_margins_and_no_classes() -> None:
    """Targets and a tolerance take the place of classes."""
    generator = np.random.default_rng(2)
    vectors = generator.normal(size=(300, 4))
    points = Points(vectors, 1.0, np.arange(300), None, vectors.sum(axis=1))
    result = studied(points, tolerance=0.5)
    assert result.by_class == ()
    assert all(size.log_margin is not None for size in result.by_sample_size)


def test_six_points_can_be_studied() -> None:
    """The fewest points have an estimate and a range, and no standard error."""
    points = Points(np.random.default_rng(3).normal(size=(6, 3)), 1.0, np.arange(6), np.array([0, 1, 0, 1, 0, 1]))
    result = studied(points)
    assert result.standard_error is None
    assert result.by_class == ()
    assert len(result.by_sample_size) == 1
    # two classes of three points that lie among one another tell of no dimension
    assert result.true_range is None


def test_one_class_has_no_margin() -> None:
    """A single class is studied without margins, and is its own class."""
    points = Points(np.random.default_rng(4).normal(size=(250, 3)), 1.0, np.arange(250), np.zeros(250, np.int64))
    result = studied(points)
    assert [size.log_margin for size in result.by_sample_size] == [None, None]
    assert result.by_class[0].estimate == pytest.approx(result.estimate, rel=1e-12)


def test_equally_far_points_cannot_be_studied() -> None:
    """Where no dimension is defined, the error says so."""
    with pytest.raises(DataError, match="equally far"):
        studied(Points(np.eye(40), 1.0, np.arange(40)))


def test_near_duplicates_and_constant_features_are_studied() -> None:
    """Pairs a millionth apart make the estimate small, and nothing breaks."""
    generator = np.random.default_rng(5)
    vectors = np.hstack([generator.normal(size=(120, 5)), np.ones((120, 2))])
    points = Points(np.vstack([vectors, vectors + 1e-6]), 1.0, np.arange(240), np.arange(240) % 3)
    result = studied(points)
    assert 0 < result.estimate < 3
    assert result.true_range is not None
    assert result.true_range[0] < result.true_range[1]


def mnist(folder: Path, count: int) -> Points:
    """Random training images of MNIST."""
    table = pq.read_table(folder / "mnist" / "mnist" / "train-00000-of-00001.parquet")
    chosen = np.sort(np.random.default_rng(0).permutation(len(table))[:count])
    rows = table.take(chosen).to_pylist()
    pixels = np.stack([np.asarray(Image.open(io.BytesIO(row["image"]["bytes"]))).ravel() for row in rows])
    return Points(pixels, 1 / 255, chosen, np.array([row["label"] for row in rows]))


@pytest.mark.data
@pytest.mark.long
def test_mnist_drifts_as_it_is_known_to(shared: Path) -> None:
    """A sixteenth of MNIST and its parts have m̂ = 12.50, 12.08, 11.62, 11.14 within three standard errors."""
    points = mnist(shared, 3750)
    result = studied(points, k=32)
    assert result.standard_error == pytest.approx(0.14, rel=0.5)
    for size, known in zip(result.by_sample_size, (12.50, 12.08, 11.62, 11.14), strict=False):
        assert size.dimension is not None
        assert abs(size.dimension - known) < 3 * 0.14 * np.sqrt(3750 / size.n)
    assert result.true_range is not None
    lower, upper = result.true_range
    assert 10 < lower < 14 < 15 < upper < 18
