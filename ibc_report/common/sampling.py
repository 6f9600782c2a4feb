"""Which rows a sample takes: by a hash of (seed, row), so that it depends on no order and no shard."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["chosen", "ranks"]


def ranks(rows: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """Give each row a number that looks random; a sample takes the smallest.

    Returns
    -------
    ndarray of uint64
        SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, DOI 10.1145/2660193.2660195) of row and seed: a bijection for each
        seed, so that no two rows tie.

    Examples
    --------
    >>> bool(ranks(np.array([7]), 0)[0] == ranks(np.arange(10), 0)[7])
    True
    """
    # the seed goes through the mixer once, so that neighbouring seeds do not shift the same sequence
    start = _mixed(np.array([seed], dtype=np.uint64))
    return _mixed(rows.astype(np.uint64) + start)


def chosen(rows: NDArray[np.int64], most: int | None, seed: int) -> NDArray[np.int64]:
    """Sample rows.

    Parameters
    ----------
    most : int or None
        How many to take; all where there are no more, or for None.

    Returns
    -------
    ndarray of int64
        In the order of `rows`.

    Examples
    --------
    >>> len(chosen(np.arange(1000), 10, seed=0))
    10
    """
    if most is None or len(rows) <= most:
        return rows
    smallest = np.argpartition(ranks(rows, seed), most)[:most]
    return rows[np.sort(smallest)]


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    # arithmetic modulo 2⁶⁴ is meant
    with np.errstate(over="ignore"):
        z = values + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
