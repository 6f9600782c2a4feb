"""Where the true dimension lies, by all that the neighbours tell: of all points, of each class, and further out.

The range by the estimate among all points holds where the classes lie apart. Where they are closer than the spacing of
the points, two sheets of dimension m look like a body of m + 1, and the neighbours within a class tell what it is.
Noise in all features makes the nearest neighbours those of the noise; further ones tell of what is below it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, fsum, log

from ibc_report.geometry.dimension.by_class import ClassDimension
from ibc_report.geometry.dimension.estimators import PAPER_K
from ibc_report.geometry.dimension.finite_sample_bias import FEWEST_POINTS, true_dimensions, true_range
from ibc_report.geometry.dimension.manifolds import Sheet

__all__ = ["true_dimension"]

FURTHER = (10, 20)
"""Sizes of neighbourhoods whose dimension is compared with that at the paper's."""

FALL = 0.02
"""Share by which the dimension further out may be smaller without saying anything."""

FOLLOWED = 2.0
"""What lies below the noise is followed as much further again as the dimension falls within reach."""

MOST_UNTOLD = 0.5
"""Share of the points that may be in classes too small to tell their dimension."""


def true_dimension(
    estimate: float, profile: Mapping[int, float], own: Sheet, classes: Sequence[ClassDimension]
) -> tuple[float, float] | None:
    """Give the range in which the true dimension lies, statistical noise left out.

    Parameters
    ----------
    estimate : float
        m̂ at k = 5 among all points.
    profile : mapping of int to float
        The same over neighbourhood sizes.
    own : Sheet
        Of the points.
    classes : sequence of ClassDimension
        The dimension of each class among its own points; empty where there are none.

    Returns
    -------
    tuple of float or None
        The upper end may be inf. None where classes mix and most points are in classes of fewer than 25.

    Notes
    -----
    At neighbourhood size k among n points the estimate has about the bias of k = 5 among 5n/k, so that a drop of the
    corrected values is one of the data. How often the range holds is counted by ``benchmarks/calibration.py``.

    Examples
    --------
    Two sheets of dimension 2 that lie closer than their points:

    >>> sheets = Sheet(1000.0, 6.0, True)
    >>> each = [ClassDimension(0, 500, 1.95, 0.1), ClassDimension(1, 500, 1.95, 0.1)]
    >>> lower, upper = true_dimension(2.44, {5: 2.44, 10: 2.4, 20: 2.3}, sheets, each)
    >>> lower < 2 < 2.4 < upper
    True
    """
    lower, upper = true_range(estimate, 0.0, own.points, global_dimension=own.global_dimension)
    if own.classes_mix:
        large = [each for each in classes if each.points >= FEWEST_POINTS]
        told = sum(each.points for each in large)
        if told < (1 - MOST_UNTOLD) * own.points:
            return None
        within = told / fsum(each.points / each.estimate for each in large)
        size = sum(each.points**2 for each in large) / told
        ends = true_range(within, 0.0, size, global_dimension=own.global_dimension)
        lower, upper = min(lower, ends[0]), max(upper, ends[1])
    return lower * _fall(estimate, profile, own.points) ** FOLLOWED, upper


def _fall(estimate: float, profile: Mapping[int, float], points: float) -> float:
    """The dimension further out over that at the paper's size, both corrected for their bias; at most 1."""
    near = _middle(estimate, points)
    far = [_middle(profile[k], points * PAPER_K / k) for k in FURTHER if k in profile]
    if near is None:
        return 1.0
    shares = [each / near for each in far if each is not None]
    return min(1.0, min(shares, default=1.0) / (1 - FALL))


def _middle(estimate: float, points: float) -> float | None:
    """Geometric mean of the true dimensions over the spaces of the table; None beyond it."""
    known = [value for value in true_dimensions(estimate, points).values() if value is not None]
    return exp(fsum(log(value) for value in known) / len(known)) if known else None
