"""Memory and threads: what a search may take, and blocks of work on as many threads as BLAS has."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

DEFAULT_MEMORY = 400 * 10**6
"""Bytes that a neighbour search may take besides what is in memory already."""

Block = TypeVar("Block")

Result = TypeVar("Result")


def _blas() -> ThreadpoolController:
    return _blas_beside(len(sys.modules))


@lru_cache(maxsize=1)
def _blas_beside(modules: int) -> ThreadpoolController:
    """Find the BLAS libraries, once for each number of modules: it takes 3 ms, and an import alone brings one."""
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def single_blas() -> Iterator[None]:
    """Keep BLAS to one thread: small products on several lose more to waiting than they gain."""
    with _blas().limit(limits=1):
        yield


def run_blocks(
    work: Callable[[Block], Result],
    blocks: Sequence[Block],
    progress: Callable[[float], None] | None = None,
) -> list[Result]:
    """Call ``work`` on every block and return the results in order of the blocks.

    BLAS calls from several threads that each want all cores oversubscribe them, so its own threads are off
    meanwhile. What is not BLAS (comparisons, selections) then runs in parallel too.

    Parameters
    ----------
    work
        Called with one block; must not write where another block writes.
    progress
        Called with the finished fraction after each block, from the calling thread.

    Examples
    --------
    >>> run_blocks(lambda block: block**2, [1, 2, 3])
    [1, 4, 9]
    """
    controller = _blas()
    threads = max([library.num_threads for library in controller.lib_controllers], default=1)
    if threads == 1 or len(blocks) <= 1:
        results = []
        for block in blocks:
            results.append(work(block))
            _report(progress, len(results), len(blocks))
        return results
    with controller.limit(limits=1), ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work, block) for block in blocks]
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                _report(progress, done, len(futures))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [future.result() for future in futures]


def _report(progress: Callable[[float], None] | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done / total)


BLOCK_BYTES = 64 << 20
"""Bytes of rows that are taken at a time, in the numbers that are computed with."""

MOST_BLOCK_ROWS = 4096


def block_rows(columns: int, itemsize: int = 8) -> int:
    """How many rows are taken at a time: by their bytes, for a row may be a picture.

    Parameters
    ----------
    columns : int
        Numbers of a row, at least 1.
    itemsize : int
        Bytes of a number.

    Examples
    --------
    >>> block_rows(200), block_rows(256 * 256 * 3)
    (4096, 42)
    """
    return min(MOST_BLOCK_ROWS, max(1, BLOCK_BYTES // (columns * itemsize)))


def slices(total: int, size: int) -> list[slice]:
    """Cut ``range(total)`` into slices of at most ``size``.

    Examples
    --------
    >>> list(slices(5, 3))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]
