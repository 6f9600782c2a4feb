"""The search: references projected in shards, queries in blocks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.resources import run_blocks, slices
from ibc_report.geometry.neighbors.blocks import Block, Search, Shard
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.projection import BLOCK_ELEMENTS, Projection, Real
from ibc_report.geometry.neighbors.state import State

# Queries of one block. With the columns of a tile they make 4 MB of bounds.
TILE_ROWS = 512

# Coordinates of the queries of a block, where a row has very many: 16 MB of float32.
TILE_ELEMENTS = 2**22

# The first tile is a random sample of the references: it gives each query its first limit.
FIRST_COLUMNS = 4096


def tile_rows(width: int, most: int = TILE_ROWS) -> int:
    """Return how many rows of this width make a block.

    Examples
    --------
    >>> tile_rows(100), tile_rows(150_528)
    (512, 27)
    """
    return max(1, min(most, TILE_ELEMENTS // width))


def project(points: Points, positions: NDArray[np.int64], projection: Projection, allowance: float) -> Real:
    """Return the projected rows of the points at ``positions``, reading them in the order of storage."""
    out = np.empty((len(positions), projection.width), projection.dtype)
    order = np.argsort(positions, kind="stable")
    block = max(1, BLOCK_ELEMENTS // points.dimension)

    def work(at: slice) -> None:
        chosen = order[at]
        where = positions[chosen]
        contiguous = len(where) == where[-1] - where[0] + 1
        vectors = points.raw[where[0] : where[-1] + 1] if contiguous else points.read(where)
        part = np.empty((len(where), projection.width), projection.dtype)
        projection.rows(vectors, part, allowance)
        out[chosen] = part
        points.release()

    run_blocks(work, slices(len(positions), block))
    return out


def shards_of(search: Search, size: int) -> list[tuple[NDArray[np.int64], int]]:
    """Cut the references into equal shards of at most ``size``: positions in order, and how many are its sample."""
    count = len(search.references)
    rng = np.random.default_rng(0)
    parts = slices(count, -(-count // -(-count // size)))
    result = []
    for part in parts:
        positions = np.arange(part.start, part.stop)
        sample = np.zeros(len(positions), bool)
        first = min(FIRST_COLUMNS, len(positions))
        sample[rng.choice(len(positions), first, replace=False)] = True
        rest = positions[~sample]
        if search.relation is not None:
            rest = rest[np.argsort(search.relation.references[rest], kind="stable")]
        result.append((np.concatenate([positions[sample], rest]), first))
    return result


def query_order(search: Search) -> NDArray[np.int64]:
    """Return the queries sorted by class, so that a block meets its own class in few tiles."""
    if search.relation is None:
        return np.arange(len(search.queries))
    return np.argsort(search.relation.queries, kind="stable")


def run_search(search: Search, k: int, shard_size: int, progress: Callable[[float], None] | None) -> State:
    """Search all references; return the state of the queries, in their own order."""
    order = query_order(search)
    state = State.empty(len(order), k)
    parts = shards_of(search, shard_size) if len(search.references) else []
    for number, (positions, first) in enumerate(parts):

        def report(done: float, number: int = number) -> None:
            if progress is not None:
                progress((number + done) / len(parts))

        _search_shard(search, positions, first, order, state, report)
    return state


def _search_shard(
    search: Search,
    positions: NDArray[np.int64],
    first: int,
    order: NDArray[np.int64],
    state: State,
    report: Callable[[float], None],
) -> None:
    """Take the references at ``positions`` into the state; their projected rows are gone on return."""
    shard = Shard(project(search.references, positions, search.projection, search.allowance), positions, first)
    place = None
    if search.queries is search.references and len(positions) == len(search.references):
        place = np.empty(len(positions), np.int64)
        place[positions] = np.arange(len(positions))

    def work(at: slice) -> None:
        chosen = order[at]
        if place is not None:
            rows = shard.rows[place[chosen]]
        else:
            rows = np.empty((len(chosen), search.projection.width), search.projection.dtype)
            search.projection.rows(search.queries.read(chosen), rows, search.allowance)
        part = state.pick(chosen)
        Block(search, shard, chosen, rows, part).run()
        state.put(chosen, part)

    run_blocks(work, slices(len(order), tile_rows(search.queries.dimension, TILE_ROWS)), report)
