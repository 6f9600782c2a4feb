"""Scaling: bits against one input, the others fixed."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from ibc_report.common import wording
from ibc_report.complexity import FAMILIES, Complexity, evaluate
from ibc_report.report.schema.document import Curve
from ibc_report.report.sections.numbers import TERMS

__all__ = ["scaling_curves"]

POINTS = 41
"""Points of a curve over a continuous input."""

COUNTS = frozenset({"classes", "ways", "observations", "outputs", "actions"})
"""Inputs that are whole numbers."""


def scaling_curves(task: Complexity) -> tuple[Curve, ...]:
    """Trace bits over each input that a card varies.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> task = classification(n=1797, radius=4.8, dimension=8.1, classes=10, margin=1.18, target_error=0.01)
    >>> [curve.symbol for curve in scaling_curves(task)]
    ['n', 'm', 'δ', 'ε', 'd']
    """
    return tuple(_curve(task, key) for key in FAMILIES[task.family].axes)


def _curve(task: Complexity, key: str) -> Curve:
    present = float(task.inputs[key])
    values = [float(value) for value in _range(key, present)]
    bits = [evaluate(task.family, {**task.inputs, key: value}, task.convention).log10_bits for value in values]
    name, symbol = TERMS[key].name, TERMS[key].symbol
    label = f"{name} ({symbol})" if symbol else name
    return Curve(
        key=key,
        name=name,
        symbol=symbol,
        values=tuple(values),
        log10_bits=tuple(value if isfinite(value) else None for value in bits),
        present=present,
        alternative=(
            f"Bits against {label}: {_words(bits[0])} at {wording.number(values[0])}, "
            f"{_words(task.log10_bits)} at the present {wording.number(present)}, "
            f"{_words(bits[-1])} at {wording.number(values[-1])}."
        ),
    )


def _range(key: str, present: float) -> Sequence[float]:
    if key in COUNTS:
        least = 2 if key in ("classes", "ways") else 1
        highest = max(10 * present, 10)
        spaced = np.rint(np.geomspace(least, highest, POINTS))
        return sorted({*spaced.tolist(), present})
    if key == "dimension":
        return sorted({*np.linspace(1, max(2 * present, 4), POINTS).tolist(), present})
    if key == "target_error":
        return _floats(np.geomspace(present / 100, max(present, min(100 * present, 1)), POINTS))
    # the margin acts with the power m, so a factor of 4 either way spans decades enough
    factor = 4 if key in ("margin", "resolution") else 100
    spaced = np.geomspace(present / factor, present * factor, POINTS)
    return _floats(np.maximum(np.rint(spaced), 1) if key == "n" else spaced)


def _floats(values: NDArray[np.float64]) -> list[float]:
    return [float(value) for value in np.unique(values)]


def _words(log10_bits: float) -> str:
    return f"10^{wording.exponent(log10_bits)} bits" if isfinite(log10_bits) else "0 bits"
