"""Shortcuts: whether what should not matter tells the class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc
from sklearn.tree import DecisionTreeClassifier

from ibc_report.evaluation.baselines import Scored
from ibc_report.evaluation.comparisons import discordant, holm, newcombe_paired
from ibc_report.evaluation.intervals import Interval
from ibc_report.evaluation.signals import Signal

__all__ = ["LEVEL", "Shortcut", "predict_from", "probe_shortcuts"]

LEVEL = 0.05
"""Chance, over all that was tried, to flag anything where nothing tells the class."""

LEAST_LEAF = 5
LEAVES = 64

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shortcut:
    """What one property tells of the class.

    Parameters
    ----------
    signal : Signal
        The property.
    scored : Scored
        A probe that sees nothing else, on test rows.
    gain : float
        Its accuracy less that of the most common class of the test rows.
    interval : Interval
        Of the gain (Newcombe's for pairs).
    p : float
        Exact one-sided McNemar test that the probe is right no more often than that class.
    corrected : float
        The same after Holm's correction for all that was tried.
    """

    signal: Signal
    scored: Scored
    gain: float
    interval: Interval
    p: float
    corrected: float

    @property
    def flagged(self) -> bool:
        """Whether the property tells the class beyond chance."""
        return self.corrected <= LEVEL


def predict_from(train: NDArray[np.float64], codes: _Ints, test: NDArray[np.float64]) -> _Ints:
    """Predict the class from a few properties.

    A small decision tree: it takes numbers of any scale, whatever shape the dependence has, categories as columns of
    0 and 1, and missing values as they are. Its leaves, twice the classes and 64 at least, of five rows at least,
    keep it from learning rows by heart; what it learns in vain is lost on the test rows, where alone it is scored.

    Parameters
    ----------
    train : ndarray of float64, shape (n, values)
        NaN where missing.
    codes : ndarray of int64, shape (n,)
        Classes.
    test : ndarray of float64, shape (m, values)

    Returns
    -------
    ndarray of int64, shape (m,)

    Examples
    --------
    >>> shade = np.arange(20.0)[:, None]
    >>> predict_from(shade, np.repeat([3, 8], 10), np.array([[1.5], [18.0]])).tolist()
    [3, 8]
    """
    tree = DecisionTreeClassifier(
        max_leaf_nodes=max(LEAVES, 2 * len(np.unique(codes))),
        min_samples_leaf=max(LEAST_LEAF, len(codes) // 1000),
        random_state=0,
    )
    tree.fit(train, codes)
    return np.asarray(tree.predict(test), dtype=np.int64)


def probe_shortcuts(signals: Sequence[Signal], codes: _Ints, truth: _Ints) -> tuple[Shortcut, ...]:
    """Ask a probe on each property whether it tells the class.

    Parameters
    ----------
    signals : sequence of Signal
        Of the same rows as the classes.
    codes, truth : ndarray of int64
        Classes of the training and of the test rows.

    Returns
    -------
    tuple of Shortcut
        In the order of the signals. A probe is compared with the class that is most common among the test rows
        themselves: where nothing tells the class, nothing is right more often than that, also where the splits differ
        in their classes, so that the test holds its level.
    """
    if not signals:
        return ()
    base = truth == np.bincount(truth).argmax()
    found = [_against(signal, predict_from(signal.train, codes, signal.test) == truth, base) for signal in signals]
    corrected = holm([one.p for one in found])
    return tuple(replace(one, corrected=float(value)) for one, value in zip(found, corrected, strict=True))


def _against(signal: Signal, right: NDArray[np.bool_], base: NDArray[np.bool_]) -> Shortcut:
    both, mine, other, neither = discordant(right, base)
    p = float(bdtrc(mine - 1, mine + other, 0.5)) if mine > 0 else 1.0
    return Shortcut(
        signal=signal,
        scored=Scored(both + mine, len(right)),
        gain=(mine - other) / len(right),
        interval=newcombe_paired(both, mine, other, neither),
        p=p,
        corrected=p,
    )
