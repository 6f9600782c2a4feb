"""When two points count as different: another class, or targets further apart than a tolerance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibc_report.geometry.points import Points


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """Which pairs of a query and a reference differ.

    Parameters
    ----------
    queries, references
        Class codes or targets, shapes (q,) and (n,).
    tolerance
        Targets differ if they are further apart than this; None for classes.
    """

    queries: NDArray[np.int64] | NDArray[np.float64]
    references: NDArray[np.int64] | NDArray[np.float64]
    tolerance: float | None

    @classmethod
    def between(cls, queries: Points, references: Points, tolerance: float | None) -> Relation | None:
        """Return the relation of two sets, or None where one of them carries neither labels nor targets.

        Raises
        ------
        ValueError
            If there is a tolerance and no targets, or it is negative.
        """
        if tolerance is None:
            if queries.labels is None or references.labels is None:
                return None
            return cls(queries.labels, references.labels, None)
        if queries.targets is None or references.targets is None:
            raise ValueError("a tolerance needs targets on both sides")
        if not tolerance >= 0:
            raise ValueError(f"tolerance is {tolerance}; it must be at least 0")
        return cls(queries.targets, references.targets, tolerance)

    def differ(self, query: NDArray[np.int64], reference: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether each pair of positions differs (the two broadcast)."""
        left, right = self.queries[query], self.references[reference]
        if self.tolerance is None:
            return np.asarray(left != right)
        return np.asarray(np.abs(left - right) > self.tolerance)
