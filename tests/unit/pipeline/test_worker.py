"""A process of its own for tasks: what kills it costs one task."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from ibc_report.pipeline.worker import Worker, WorkerDied
from tests.support.limits import python

CATALOG = """\
tasks:
- {name: first, declared: {family: control, n: 10000, dimension: 4, actions: 1, resolution: 0.001, target_error: 0.01}}
- {name: dies, source: 'builtin:wine'}
- {name: last, declared: {family: control, n: 10000, dimension: 3, actions: 1, resolution: 0.001, target_error: 0.01}}
"""

BUILDING = """
import os, signal, sys
from ibc_report.cli.app import main
from ibc_report.pipeline import measure as pipeline

measure = pipeline.measure

def deadly(task, **settings):
    if task.name == "dies":
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
    return measure(task, **settings)

pipeline.measure = deadly
main(["build", "--force"])
"""


def killed(number: int) -> None:
    """Die by a signal."""
    os.kill(os.getpid(), number)


def pid(progress: object = None) -> int:
    """Which process this is."""
    return os.getpid()


def test_a_death_is_worded_and_the_next_call_has_a_new_process() -> None:
    """Each signal is named with what it usually means, the calls after it are answered, and calls share a process."""
    with Worker() as worker:
        first = worker.call(pid, (), {}, None)
        assert first != os.getpid()
        assert worker.call(pid, (), {}, None) == first
        for name, hint in (("SIGKILL", "max_rows"), ("SIGUSR1", "SIGUSR1, from outside"), ("SIGTERM", "status 1")):
            with pytest.raises(WorkerDied, match=hint):
                worker.call(killed, (getattr(signal, name),), {}, None)
            assert worker.call(pid, (), {}, None) not in (first, os.getpid())
        with pytest.raises(WorkerDied, match="ended with status 7"):
            worker.call(os._exit, (7,), {}, None)


def stages(progress: object) -> str:
    """Report two stages."""
    assert callable(progress)
    for stage in ("reading", "asking"):
        progress(stage, 0.0)
        progress(stage, 1.0)
    return "done"


def test_progress_comes_over() -> None:
    """Who waits is told each stage's beginning and end, in order."""
    told: list[tuple[str, float]] = []
    with Worker() as worker:
        assert worker.call(stages, (), {}, lambda stage, fraction: told.append((stage, fraction))) == "done"
    assert told == [("reading", 0.0), ("reading", 1.0), ("asking", 0.0), ("asking", 1.0)]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the process of tasks does not know what a test replaced")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGBUS"])
def test_a_task_that_dies_costs_only_itself(name: str, tmp_path: Path) -> None:
    """In `build` the tasks before and after a killed one are done, and the reason names the signal."""
    (tmp_path / "catalog.yml").write_text(CATALOG, encoding="utf-8")
    ran = python(BUILDING, name, cwd=tmp_path)
    assert ran.stdout.decode().split() == ["measured", "first", "failed", "dies", "measured", "last"]
    lines = ran.stderr.decode().splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"dies: its process was killed by {name}, ")
    assert ran.returncode == 1
    assert sorted(path.name for path in (tmp_path / "reports").iterdir()) == ["first.json", "last.json"]
