"""A catalog on a Dask cluster of two processes: the same reports, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ibc_report import load_report
from ibc_report.pipeline import catalog as catalogs
from ibc_report.pipeline import distributed
from ibc_report.report.catalog import report_path, reports_folder

CATALOG = """\
tasks:
  - name: digits
    source: builtin:digits
  - name: words
    source: words.csv
    target: label
  - name: some
    source: builtin:digits
    queries: 500
  - name: diabetes
    source: builtin:diabetes
  - name: reacher
    declared: {family: control, n: 1.0e+6, dimension: 6, actions: 2, resolution: 1.0e-3, target_error: 1.0e-3}
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", worker_dashboard_address=":0") as made:
        yield made


def written(folder: Path) -> Path:
    """A catalog of small tasks, texts among them."""
    folder.mkdir(exist_ok=True)
    lines = [f"the {word} number {i} of {word}s and {i % 7} more,{word}" for i in range(60) for word in ("red", "blue")]
    (folder / "words.csv").write_text("text,label\n" + "\n".join(lines) + "\n")
    (folder / "catalog.yml").write_text(CATALOG)
    return folder / "catalog.yml"


def contents(catalog: Path) -> dict[str, bytes]:
    """The reports beside a catalog."""
    return {path.stem: path.read_bytes() for path in reports_folder(catalog).glob("*.json")}


@pytest.mark.long
def test_reports_are_those_of_a_local_build(cluster: Any, tmp_path: Path) -> None:
    """Whole tasks and tasks in blocks give the bytes that one process gives, and a second build has nothing to do."""
    local = written(tmp_path / "local")
    assert {outcome.status for outcome in catalogs.build(local)} == {"measured"}
    seen: list[tuple[str, float]] = []
    for block_cost, name in ((1e15, "whole"), (2e7, "blocks")):
        remote = written(tmp_path / name)
        outcomes = list(
            distributed.build(
                remote,
                cluster.scheduler_address,
                block_cost=block_cost,
                progress=lambda stage, share: seen.append((stage, share)),
            )
        )
        assert [outcome.message for outcome in outcomes if outcome.status != "measured"] == []
        assert contents(remote) == contents(local)
        again = distributed.build(remote, cluster.scheduler_address)
        assert {outcome.status for outcome in again} == {"unchanged"}
    assert ("digits", 1.0) in seen


@pytest.mark.long
def test_a_killed_worker_costs_its_blocks_only(cluster: Any, tmp_path: Path) -> None:
    """A worker killed in the middle is replaced, and the report is the same."""
    from distributed import Client

    local = written(tmp_path / "local")
    list(catalogs.build(local, only=["digits"]))
    with Client(cluster) as client:
        process = next(iter(client.run(os.getpid).values()))
    finished = threading.Event()
    killed = threading.Event()

    def kill(stage: str, share: float) -> None:
        if not killed.is_set() and not finished.is_set():
            killed.set()
            os.kill(process, signal.SIGKILL)

    remote = written(tmp_path / "remote")
    outcomes = list(
        distributed.build(remote, cluster.scheduler_address, only=["digits"], block_cost=1e7, progress=kill)
    )
    finished.set()
    assert killed.is_set()
    assert [outcome.status for outcome in outcomes] == ["measured"]
    assert contents(remote) == contents(local)


@pytest.mark.long
def test_a_task_that_fails_ends_alone(cluster: Any, tmp_path: Path) -> None:
    """A task whose data are wrong fails with its own line, and the others are measured."""
    catalog = written(tmp_path / "catalog")
    catalog.write_text(CATALOG.replace("target: label", "target: lable"))
    outcomes = {outcome.name: outcome for outcome in distributed.build(catalog, cluster.scheduler_address)}
    assert outcomes["words"].status == "failed"
    assert "did you mean 'label'?" in outcomes["words"].message
    assert {outcome.status for name, outcome in outcomes.items() if name != "words"} == {"measured"}


@pytest.mark.long
def test_a_block_that_keeps_failing_ends_its_task(cluster: Any, tmp_path: Path) -> None:
    """Data that go away after the blocks were laid out end that task with the reason, not the build."""
    from distributed import Client

    catalog = written(tmp_path / "catalog")

    def forget() -> None:
        from ibc_report.pipeline.distributed import _prepared

        _prepared.cache_clear()

    gone = threading.Event()

    def lose(stage: str, share: float) -> None:
        if stage == "words" and not gone.is_set():
            gone.set()
            (catalog.parent / "words.csv").unlink()
            client.run(forget)

    with Client(cluster) as client:
        # a cost that makes a block of each row, so that most are still to come when the first is done
        outcomes = {
            outcome.name: outcome
            for outcome in distributed.build(
                catalog,
                cluster.scheduler_address,
                only=["words", "reacher"],
                block_cost=120 * 60,
                progress=lambda stage, share: threading.Thread(target=lose, args=(stage, share)).start(),
            )
        }
    assert gone.is_set()
    assert outcomes["reacher"].status == "measured"
    assert outcomes["words"].status == "failed"
    assert "words.csv does not exist" in outcomes["words"].message


@pytest.mark.long
def test_data_that_changed_are_read_again(cluster: Any, tmp_path: Path) -> None:
    """Workers that stay do not measure what they read for an earlier build."""
    catalog = written(tmp_path / "catalog")
    for rows, block_cost in ((120, 1e15), (100, 1e15), (80, 120 * 60)):
        words = catalog.parent / "words.csv"
        words.write_text("".join(words.read_text().splitlines(keepends=True)[: 1 + rows]))
        build = distributed.build(catalog, cluster.scheduler_address, only=["words"], block_cost=block_cost)
        assert [outcome.status for outcome in build] == ["measured"]
        data = load_report(report_path(catalog, "words")).data
        assert data is not None
        assert data.rows_used == rows
        assert catalogs.is_current(catalogs.chosen_tasks(catalog, ["words"])[0], catalog)


@pytest.mark.long
def test_a_report_that_cannot_be_written_ends_its_task(cluster: Any, tmp_path: Path) -> None:
    """A folder where a report belongs fails that task alone, whether its report is looked at or written."""
    catalog = written(tmp_path / "catalog")
    report_path(catalog, "digits").mkdir(parents=True)
    for force in (False, True):
        build = distributed.build(catalog, cluster.scheduler_address, only=["digits", "reacher"], force=force)
        assert {outcome.name: outcome.status for outcome in build} == {"digits": "failed", "reacher": "measured"}


@pytest.mark.long
def test_no_scheduler_costs_no_declared_task(tmp_path: Path) -> None:
    """An address where no scheduler answers is said of each task that needs one; declared numbers need none."""
    for address in ("tcp://127.0.0.1:9", "tls://127.0.0.1:8786", "127.0.0.1", "http://127.0.0.1:8786"):
        catalog = written(tmp_path / address.replace("/", "_"))
        build = distributed.build(catalog, address, only=["digits", "words", "reacher"])
        outcomes = {outcome.name: outcome for outcome in build}
        assert outcomes["reacher"].status == "measured"
        for name in ("digits", "words"):
            assert outcomes[name].status == "failed"
            assert f"no Dask scheduler answers at '{address}'" in outcomes[name].message


def scheduler(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """A scheduler in a process of its own, without workers, and its address."""
    code = (
        "import asyncio\nfrom distributed import Scheduler\n"
        "async def run():\n"
        "    async with Scheduler(port=0, host='127.0.0.1', dashboard=False) as made:\n"
        "        print(made.address, flush=True)\n        await made.finished()\n"
        "asyncio.run(run())"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=folder)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


@pytest.mark.long
@pytest.mark.parametrize("dies", [False, True], ids=["no workers", "a scheduler that dies"])
def test_a_cluster_that_does_nothing_ends(dies: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without workers, or where the scheduler dies meanwhile, each task has its reason, and the command ends."""
    monkeypatch.setattr(distributed, "PATIENCE", 2.0)
    catalog = written(tmp_path / "catalog")
    process, address = scheduler(tmp_path)
    try:
        if dies:
            threading.Timer(1.5, process.kill).start()
        build = distributed.build(catalog, address, only=["digits", "words", "reacher"])
        outcomes = {outcome.name: outcome for outcome in build}
    finally:
        process.kill()
        process.communicate()
    assert outcomes["reacher"].status == "measured"
    for name in ("digits", "words"):
        assert outcomes[name].status == "failed"
        assert outcomes[name].message == (distributed.DIED if dies else distributed.NO_WORKERS)
