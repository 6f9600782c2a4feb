"""What each assumption is worth in decades, in words for the ledger."""

from __future__ import annotations

from math import isfinite

from ibc_report.assumptions import Change
from ibc_report.sensitivity import Sensitivity, by_assumption

__all__ = ["of"]

WORDS = {
    "mean_norm": "with the mean norm as the radius",
    "centred": "with the radius around the mean point",
    "next_radius": "without the row of the largest norm",
    "quantile": "with the 0.1 % quantile of the distances to another class as the margin",
    "without_worst": "without the closest 0.1 % of rows of different classes",
    "without_pair": "without the closest pair",
    "twice_expected": "with twice the rows",
    "distinct": "with the distinct rows counted only",
    "half_band": "with half the band limit",
    "whole_band": "with twice the band limit",
    "half_error": "with half the target error",
    "integer_degree": "with the degree rounded down",
    "real_degree": "with the degree not rounded",
    "standardised": "with standardised features",
    "halved": "with half of the features, by PCA",
}


def of(found: Sensitivity) -> dict[str, Change]:
    """Say what the bits change by without each assumption.

    Parameters
    ----------
    found : Sensitivity
        What would move the bits.

    Returns
    -------
    dict of str to Change
        By the assumption's id, for those of which a change was computed.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> from ibc_report.sensitivity import sensitivity
    >>> task = classification(n=60000, radius=17.179, dimension=14, classes=10, margin=2.3987, target_error=0.001)
    >>> of(sensitivity(task))["A11"].words
    'with half the band limit'
    """
    return {
        id: Change(change.change, WORDS[change.key])
        for id, change in by_assumption(found).items()
        if change.change is not None and isfinite(change.change)
    }
