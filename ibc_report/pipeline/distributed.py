"""A catalog on a Dask cluster: its tasks, and the blocks of a large dataset.

Workers read the data themselves; what passes through the client is names, and reports as JSON. A worker keeps the data
that it prepared last, so that the blocks of a dataset do not each read it again, for as long as their task lasts.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from ibc_report.common.errors import DataError, IbcReportError, UsageError
from ibc_report.common.files import write
from ibc_report.data.task import Task
from ibc_report.pipeline import catalog
from ibc_report.pipeline.catalog import TaskOutcome
from ibc_report.report.catalog import report_path

__all__ = ["LOCAL", "build"]

LOCAL = "local"
"""Stands for a cluster of processes on this machine, instead of a scheduler's address."""

BLOCK_COST = 2e12
"""Rows asked × rows × features of a block: about half a minute of one core."""

PATIENCE = 15.0
"""Seconds without a scheduler, or without a worker, after which the tasks that wait have failed."""

STEP = 0.05
"""Seconds between two looks at what is done."""

RETRIES = 2
"""Times that a block which failed is tried again, on whichever worker."""


class ClusterError(IbcReportError):
    """The cluster cannot be reached, or lost the workers of a task."""


@dataclass(frozen=True, slots=True)
class _SharedBlocks:
    """A dataset that is searched in parts."""

    edges: tuple[int, ...]
    pinned: str


def build(
    path: Path,
    address: str,
    *,
    only: Collection[str] = (),
    force: bool = False,
    block_cost: float = BLOCK_COST,
    progress: Callable[[str, float], None] = lambda stage, fraction: None,
) -> Iterator[TaskOutcome]:
    """Measure the tasks of a catalog that have changed, on a Dask cluster.

    Parameters
    ----------
    path : Path
        The catalog.yml; workers see it, and the files that it names, at the same path.
    address : str
        Of the scheduler, as in tcp://scheduler:8786, or "local".
    only, force
        As for `ibc_report.pipeline.catalog.build`.
    block_cost : float
        Rows asked × rows × features of a block.
    progress : callable
        Told the name of a task and the fraction of its blocks that is done.

    Yields
    ------
    Outcome
        For each task, as they are done. The reports are those of a local build, to the byte.

    Raises
    ------
    UsageError
        If the catalog is not right, or the distributed extra is not installed.
    """
    path = path.resolve()
    pending: list[Task] = []
    for task in catalog.chosen_tasks(path, only):
        if task.source is None:
            # numbers need no cluster, and are done where there is none
            yield from catalog.build(path, only=[task.name], force=force)
            continue
        try:
            if not force and catalog.is_current(task, path):
                yield TaskOutcome(task.name, "unchanged")
            else:
                pending.append(task)
        # one task's defect must not cost the others their reports
        except Exception as error:
            yield catalog.failure(task.name, error)
    if not pending:
        return
    waiting = {task.name for task in pending}
    try:
        with _connected(address) as client:
            for outcome in _run(client, pending, path, block_cost, progress):
                waiting.discard(outcome.name)
                yield outcome
    except ClusterError as error:
        for name in (task.name for task in pending if task.name in waiting):
            yield catalog.failure(name, error)


def _run(
    client: Any, pending: list[Task], path: Path, block_cost: float, progress: Callable[[str, float], None]
) -> Iterator[TaskOutcome]:
    from distributed import KilledWorker, as_completed

    base = str(path.parent)
    texts = {task.name: json.dumps(task.model_dump(mode="json", exclude_none=True)) for task in pending}
    names = {
        client.submit(_start, text, base, block_cost, pure=False, retries=RETRIES): name for name, text in texts.items()
    }
    waiting = as_completed(list(names))
    while not waiting.is_empty():
        _wait(client, waiting)
        future = next(waiting)
        name = names[future]
        try:
            result = future.result(timeout=PATIENCE)
            if isinstance(result, _SharedBlocks):
                last = _submit_blocks(client, texts[name], base, result, partial(progress, name))
                names[last] = name
                waiting.add(last)
                continue
            write(report_path(path, name), result)
        except KilledWorker:
            yield catalog.failure(name, ClusterError("workers died again and again; give them more memory"))
        except Exception as error:
            # what a task raises on its worker is its own
            if isinstance(error, (CancelledError, TimeoutError)) and future.status != "error":
                raise ClusterError(DIED) from error
            yield catalog.failure(name, error)
        else:
            yield TaskOutcome(name, "measured")
    client.run(_forget, on_error="ignore")


DIED = "the Dask scheduler died, or cannot be reached any more; start it again, and build again: what is done stays"

NO_WORKERS = "the Dask cluster has no workers; start some, as with 'dask worker ADDRESS', and build again"


def _wait(client: Any, waiting: Any) -> None:
    """Wait until something is done, for as long as there is a scheduler and it has workers.

    Raises
    ------
    ClusterError
        If either is missing for longer than `PATIENCE`.
    """
    alone = {DIED: 0.0, NO_WORKERS: 0.0}
    while not waiting.has_ready():
        time.sleep(STEP)
        connected = client.status == "running"
        missing = {DIED: not connected, NO_WORKERS: connected and not client.scheduler_info()["workers"]}
        for reason, is_missing in missing.items():
            alone[reason] = alone[reason] + STEP if is_missing else 0.0
            if alone[reason] > PATIENCE:
                raise ClusterError(reason)


def _submit_blocks(client: Any, text: str, base: str, blocks: _SharedBlocks, progress: Callable[[float], None]) -> Any:
    """Search each part where there is room, and conclude where the parts are."""
    count = len(blocks.edges) - 1
    parts = [
        client.submit(_block, text, base, blocks.pinned, start, stop, pure=False, retries=RETRIES)
        for start, stop in zip(blocks.edges[:-1], blocks.edges[1:], strict=True)
    ]
    done: list[Any] = []

    def count_one(part: Any) -> None:
        done.append(part)
        progress(len(done) / count)

    for part in parts:
        part.add_done_callback(count_one)
    return client.submit(_finish, text, base, blocks.pinned, parts, pure=False, retries=RETRIES)


def _start(text: str, base: str, block_cost: float) -> str | _SharedBlocks:
    """On a worker: the report of a small task, or the parts that a large one is searched in."""
    from ibc_report.pipeline import measure

    task = Task.model_validate_json(text)
    if task.source is None:
        return measure.measure(task, base=base).to_json()
    # data that changed since this worker read them are other data
    pinned = measure.fingerprint(task, base=base)
    prepared, plan = _prepared(text, base, pinned)
    size = plan.extent
    cost = float(size.queries) * size.points * size.features
    count = min(int(-(-cost // block_cost)), size.queries)
    if count <= 1:
        _forget()
        return measure.conclude(task, prepared, plan=plan).to_json()
    return _SharedBlocks(tuple(round(size.queries * part / count) for part in range(count + 1)), pinned)


def _block(text: str, base: str, pinned: str, start: int, stop: int) -> Any:
    """On a worker: the neighbours of some of the rows that are asked."""
    _, plan = _prepared(text, base, pinned)
    return plan.part(start, stop)


def _finish(text: str, base: str, pinned: str, parts: list[Any]) -> str:
    """On a worker: the report, from the neighbours that the blocks found."""
    from ibc_report import geometry
    from ibc_report.pipeline import measure

    task = Task.model_validate_json(text)
    prepared, plan = _prepared(text, base, pinned)
    _forget()
    return measure.conclude(task, prepared, plan=plan, known=geometry.concatenate(parts)).to_json()


@lru_cache(maxsize=1)
def _prepared(text: str, base: str, pinned: str) -> Any:
    """On a worker: the data of a task and their prepared search, kept for its next block."""
    from ibc_report import geometry
    from ibc_report.pipeline import measure

    task = Task.model_validate_json(text)
    if measure.fingerprint(task, base=base) != pinned:
        raise DataError(f"{task.name}: the data changed while they were measured; build it again")
    prepared = measure.prepare(task, base=base)
    plan = geometry.search_plan_of(prepared.examples, tolerance=prepared.tolerance, budget=prepared.budget)
    return prepared, plan


def _forget() -> None:
    """On a worker: keep no data any longer."""
    _prepared.cache_clear()


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client of the scheduler, or of a cluster that is made for the time of the block."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError("--dask needs more: pip install 'ibc-report[distributed]'") from None
    if address == LOCAL:
        try:
            cluster = LocalCluster(threads_per_worker=1, dashboard_address=None)
        except Exception as error:
            raise ClusterError(
                f"no cluster of processes could be started here ({type(error).__name__}: {error}); build without --dask"
            ) from error
        with cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(address, timeout="10s")
    # of an address of another kind, or where TLS is not set up, a TypeError comes
    except (OSError, TypeError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at '{address}'; give its address, as in tcp://host:8786"
        ) from error
    try:
        yield client
    finally:
        # a scheduler that is gone is not waited for
        client.close(timeout=1)
