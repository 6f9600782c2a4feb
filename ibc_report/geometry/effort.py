"""How much is computed: neighbours of every row, or of a sample of rows where all would take too long."""

from __future__ import annotations

from dataclasses import dataclass

from ibc_report.geometry.neighbors import DEFAULT_MEMORY

__all__ = ["Effort", "exact_margin", "queries"]

LARGEST_COST = 5e13
"""Rows × rows × features up to which every row is asked for its neighbours: some ten minutes on two cores."""

MARGIN_COST = 10 * LARGEST_COST
"""The same for the margin, whose bound leaves fewer pairs to compute."""

SAMPLED_QUERIES = 10_000


@dataclass(frozen=True, slots=True)
class Effort:
    """What the user allows.

    Parameters
    ----------
    queries : int or None
        Rows that are asked for their neighbours; by the cost for None.
    exact : bool
        All rows and all features, whatever it costs.
    memory : int
        Bytes that the search may take besides what is in memory already.
    seed : int
        Of the sample and of a projection.
    """

    queries: int | None = None
    exact: bool = False
    memory: int = DEFAULT_MEMORY
    seed: int = 0


def queries(effort: Effort, n: int, features: int) -> int | None:
    """Say how many rows to ask for their neighbours.

    Parameters
    ----------
    effort : Effort
        What the user allows.
    n, features : int
        Size of the set.

    Returns
    -------
    int or None
        None for all.

    Examples
    --------
    >>> queries(Effort(), 60_000, 784) is None, queries(Effort(), 1_281_167, 4_096)
    (True, 10000)
    """
    if effort.exact:
        return None
    wanted = effort.queries
    if wanted is None and float(n) * n * features > LARGEST_COST:
        wanted = SAMPLED_QUERIES
    return wanted if wanted is not None and wanted < n else None


def exact_margin(effort: Effort, n: int, features: int) -> bool:
    """Say whether the margin is sought over all pairs although only some rows are asked for neighbours.

    Parameters
    ----------
    effort, n, features
        As for `queries`.

    Returns
    -------
    bool

    Examples
    --------
    >>> exact_margin(Effort(queries=10_000), 60_000, 784)
    True
    """
    return effort.exact or float(n) * n * features <= MARGIN_COST
