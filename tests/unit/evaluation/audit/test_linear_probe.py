"""The linear probe is ridge regression with its penalty by generalised cross-validation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import StandardScaler

from ibc_report.evaluation.audit.linear_probe import COMPONENTS, PENALTIES, features_of, fit_probe
from ibc_report.geometry import Points

Floats = NDArray[np.float64]


def blobs(rng: np.random.Generator, n: int, features: int, classes: int) -> tuple[Floats, NDArray[np.int64]]:
    """Classes around points of their own."""
    codes = np.arange(n) % classes
    centres = rng.normal(size=(classes, features))
    return centres[codes] + 1.5 * rng.normal(size=(n, features)), codes


@pytest.mark.parametrize(("n", "features"), [(200, 12), (40, 90)])
def test_it_predicts_as_a_ridge_classifier(rng: np.random.Generator, n: int, features: int) -> None:
    """With more rows than features and with fewer, predictions are scikit-learn's at the chosen penalty."""
    rows, codes = blobs(rng, 2 * n, features, 4)
    probe = fit_probe(rows[:n], codes[:n])
    scaler = StandardScaler().fit(rows[:n])
    peer = RidgeClassifier(alpha=probe.penalty).fit(scaler.transform(rows[:n]), codes[:n])
    assert probe.predict(rows[n:]).tolist() == peer.predict(scaler.transform(rows[n:])).tolist()


@pytest.mark.parametrize(("n", "features"), [(60, 8), (30, 50)])
def test_the_penalty_has_the_least_cross_validation_error(rng: np.random.Generator, n: int, features: int) -> None:
    """Computed from the hat matrix itself, no other penalty of the grid has a lower score."""
    rows, codes = blobs(rng, n, features, 3)
    chosen = fit_probe(rows, codes).penalty
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    targets = (codes[:, None] == np.arange(3)).astype(float)
    targets -= targets.mean(axis=0)
    gram = scaled @ scaled.T
    # the mean eigenvalue of whichever Gram matrix is the smaller
    unit = float(np.trace(gram)) / min(n, features)

    def score(penalty: float) -> float:
        hat = gram @ np.linalg.inv(gram + penalty * np.eye(n))
        return n * float(((targets - hat @ targets) ** 2).sum()) / (n - 1 - float(np.trace(hat))) ** 2

    assert chosen == pytest.approx(min((unit * PENALTIES).tolist(), key=score), rel=1e-6)


def test_constant_features_and_one_class_do_no_harm() -> None:
    """A feature without spread is ignored, and one class is always predicted."""
    rows = np.column_stack([np.ones(6), np.arange(6.0)])
    assert fit_probe(rows, np.array([0, 0, 0, 1, 1, 1])).predict(rows).tolist() == [0, 0, 0, 1, 1, 1]
    assert fit_probe(rows, np.full(6, 3)).predict(rows).tolist() == [3] * 6
    assert fit_probe(np.ones((4, 2)), np.array([0, 1, 1, 1])).predict(np.ones((1, 2))).tolist() == [1]


def test_many_coordinates_become_principal_components(rng: np.random.Generator) -> None:
    """Beyond 1,024 coordinates a probe sees orthonormal components, which keep a signal of large variance."""
    codes = np.arange(300) % 2
    rows = rng.normal(size=(300, 1100))
    rows[:, 7] += 20 * codes
    points = Points(rows, 1.0, np.arange(300))
    features = features_of(points, 0)
    assert features.directions is not None
    assert features.directions.shape[1] <= COMPONENTS
    np.testing.assert_allclose(
        features.directions.T @ features.directions, np.eye(features.directions.shape[1]), atol=1e-9
    )
    seen = features.of(points, np.arange(300))
    probe = fit_probe(seen[:200], codes[:200], standardise=features.standardise)
    assert (probe.predict(seen[200:]) == codes[200:]).mean() > 0.95
