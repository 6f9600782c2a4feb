"""The number that a verdict on each assumption about the data hangs on, one function an assumption.

All take the facts and the diagnostics of a set, so that a ledger can name them side by side, and return None for what
these data do not tell.

Source of what is assumed: the derivation of Boopathy et al., ICML 2023.
"""

from __future__ import annotations

from math import sqrt

from ibc_report.geometry.diagnostics import Diagnostics
from ibc_report.geometry.dimension.by_class import ClassSpread
from ibc_report.geometry.dimension.local_density import Near
from ibc_report.geometry.facts import Geometry
from ibc_report.geometry.label_checks import LabelChecks

__all__ = [
    "AT_RANDOM",
    "FEW_ALONE",
    "SIGNIFICANT",
    "are_alone",
    "contradicted_labels",
    "density_gradient",
    "density_spread",
    "differ_by_class",
    "dimension_drift",
    "dimension_spread",
    "follow_nothing",
    "is_crowded",
    "margin_power",
    "nearest_disagreement",
    "norm_spread",
    "off_centre",
    "outlier",
    "repeated_rows",
    "rows_in_pieces",
    "serial_dependence",
    "widest_share",
]

SIGNIFICANT = 1e-3
"""Probability below which a difference is not chance: of sixteen checks, one in sixty would be wrong."""

FEW_ALONE = 0.02
"""Probability below which rows that are alone in another class are more than touching classes have."""

AT_RANDOM = 2.5
"""Standard deviations by which neighbours agree beyond chance, from which on labels follow the inputs."""


MUCH_WIDER = 10
"""Times the median standard deviation of the others from which a feature is of another scale than they are."""


def is_crowded(near: Near | None) -> bool:
    """Say whether more points than chance allows have a neighbour that is too near."""
    return near is not None and near.probability < SIGNIFICANT


def differ_by_class(spread: ClassSpread | None) -> bool:
    """Say whether the dimension differs by class beyond its noise."""
    return spread is not None and spread.probability < SIGNIFICANT


def are_alone(found: LabelChecks) -> bool:
    """Say whether more rows are alone in another class than touching classes have."""
    return found.probability < FEW_ALONE


def follow_nothing(found: LabelChecks) -> bool:
    """Say whether neighbours agree no more often than labels at random would."""
    return found.agreement is not None and found.agreement < AT_RANDOM


def norm_spread(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how far the points are from a sphere (A1): the standard deviation of the norms over their mean.

    From 0, a sphere around the origin; None where all norms are 0.
    """
    return facts.norms.deviation / facts.norms.mean if facts.norms.mean > 0 else None


def rows_in_pieces(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how many rows are of classes in several pieces (A1), as a share of those that were looked at.

    None where no class has 30 points or nothing was examined.
    """
    return None if diagnostics is None or diagnostics.pieces is None else diagnostics.pieces.share


def off_centre(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how far the mean point is from the origin, over the mean norm (A2).

    From 0 to 1; the mean of n points is off by chance, and that is taken out in squares. None where all norms are 0.
    """
    norms = facts.norms
    if norms.mean == 0:
        return None
    chance = (norms.mean**2 + norms.deviation**2 - norms.centre**2) / max(1, facts.n - 1)
    return sqrt(max(0.0, norms.centre**2 - chance)) / norms.mean


def outlier(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how far rows out of line set the radius (A3): the largest norm over that of the other rows.

    Rows are out of line that lie further out than the law of the norms allows; 1 where there are none. None where there
    are too few points for a law or nothing was examined.
    """
    return None if diagnostics is None or diagnostics.far is None else diagnostics.far.factor


def density_spread(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how uneven the density is (A4): the standard deviation of its logarithm over points, in nats.

    From 0, an even density; None for fewer than 11 points or where nothing was examined.
    """
    return None if diagnostics is None else diagnostics.density_spread


def density_gradient(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how far the density leans (A4): the standard deviation of its logarithm along straight lines, in nats.

    From 0, where chance allows it; None for fewer than 11 points or where nothing was examined.
    """
    return None if diagnostics is None else diagnostics.density_gradient


def dimension_spread(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how much the dimension varies (A5): the standard deviation of 1/m over its mean.

    Over places, or over classes where that is larger and no chance; from 0. None for fewer than 11 points or where
    nothing was examined.
    """
    if diagnostics is None:
        return None
    over_places, classes = diagnostics.dimension_spread, diagnostics.class_spread
    if over_places is None or classes is None or not differ_by_class(classes):
        return over_places
    return max(over_places, classes.spread)


def dimension_drift(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how much the dimension hangs on the scale (A6): the size of the slope of ln m on ln k.

    From 0, one dimension at all neighbourhood sizes k; None for fewer than three sizes or where nothing was examined.
    """
    if diagnostics is None or diagnostics.dimension_drift is None:
        return None
    return abs(diagnostics.dimension_drift)


def nearest_disagreement(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how much classes overlap (A7): the share of points whose nearest neighbour has another label.

    From 0 to 1: the leave-one-out error of the nearest neighbour. None for a regression.
    """
    return facts.disagreement.get(1)


def contradicted_labels(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how many labels are contradicted (A8), as a share of rows.

    Rows alone in another class, of those that were asked, where there are more than touching classes have, plus rows
    that share their point with a row of another target, of all; or, where that is more, half of the share of near pairs
    that differ (one of two is wrong), as much of it as is certain; or, where neighbours agree no more often than labels
    at random, the share of nearest neighbours that differ. None where nothing was examined, or neither told anything.
    """
    found = None if diagnostics is None else diagnostics.labels
    # without neighbours there is no telling that no label is wrong, but contradictions tell that some are
    if diagnostics is None or (found is None and not facts.conflicting_rows):
        return None
    share = facts.conflicting_rows / facts.n
    if found is None:
        return share
    if are_alone(found):
        share += found.alone / diagnostics.asked
    if is_crowded(diagnostics.near):
        share = max(share, found.near_share / 2)
    if follow_nothing(found):
        share = max(share, facts.disagreement.get(1, 0.0))
    return share


def margin_power(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how the bits grow because the sampled margin falls (A9): the power of n.

    From 0, a margin that stays, to about 2, classes that touch. None where only some points were asked for their
    neighbours, or nothing was examined.
    """
    if diagnostics is None or diagnostics.margin_slope is None:
        return None
    return max(0.0, -diagnostics.margin_slope * facts.dimension)


def repeated_rows(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how many rows repeat another (A10), as a share of all.

    Rows at the point of an earlier one, and, where there are more of them than chance allows, one of each two points
    that are too near one another. From 0 to 1.
    """
    near = None if diagnostics is None else diagnostics.near
    if diagnostics is None or near is None or not is_crowded(near):
        return (facts.n - facts.distinct) / facts.n
    # both points of a near pair are counted, and one of them repeats the other
    share = (near.count - near.expected) / 2 / diagnostics.asked
    return (facts.n - facts.distinct * (1 - share)) / facts.n


def serial_dependence(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure what the order of rows tells of them (A10), beyond chance, as a correlation or a share of pairs.

    From 0 to 1; 0 where chance may be all of it, or the rows are sorted, which says nothing of how they were drawn.
    None for fewer than 20 points, or where the order is not known.
    """
    if diagnostics is None or diagnostics.order is None:
        return None
    return diagnostics.order.dependence if diagnostics.order.sorted_by is None else 0.0


def widest_share(facts: Geometry, diagnostics: Diagnostics | None) -> float | None:
    """Measure how far one feature makes the distances (A16): its share of the mean squared distance of two rows.

    From 0, also where its standard deviation is less than ten times the median one of the others, to 1. None for fewer
    than two features that vary, where a random projection made the features, or nothing was examined.
    """
    if diagnostics is None or diagnostics.widest is None or facts.distortion is not None:
        return None
    widest = diagnostics.widest
    return widest.share if widest.times >= MUCH_WIDER else 0.0
