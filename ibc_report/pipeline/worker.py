"""One process beside ours that measures task after task, and is replaced where a task kills it.

What a map of a full disk, an exhausted memory or a library's fault does to a process cannot be caught in it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, TypeVar

from ibc_report.common.errors import IbcReportError
from ibc_report.common.progress import StageProgress

__all__ = ["Worker", "WorkerDied"]

Result = TypeVar("Result")

PATIENCE = 3.0
"""Seconds that a process may take to clean up before it is killed."""

EVERY = 0.05
"""Seconds between two reports of progress of one stage."""

REASONS: Mapping[str, str] = {
    "SIGKILL": "as the system does where memory runs out; give the task max_rows, or a smaller size of its encoder",
    "SIGBUS": "as where a disk is full; look at the space of TMPDIR and HF_HOME",
    "SIGABRT": "as by a library where memory runs out; give the task max_rows, or a smaller size of its encoder",
    "SIGSEGV": "as by a fault in a library; run this task alone, on fewer rows",
}
"""What a signal usually means, and what to do."""


class WorkerDied(IbcReportError):
    """The process of a task ended before the task did."""


class Worker:
    """A process that calls functions one after the other; it starts with the first call, and again after its death.

    Examples
    --------
    >>> with Worker() as worker:
    ...     worker.call(max, (3, 7), {}, None)
    7
    """

    def __init__(self) -> None:
        self._process: Any = None
        self._connection: Connection[Any, Any] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None:
            return
        if self._connection is not None:
            self._connection.close()
        if kind is not None:
            self._process.terminate()
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def call(
        self,
        work: Callable[..., Result],
        arguments: tuple[Any, ...],
        settings: Mapping[str, Any],
        progress: StageProgress | None,
    ) -> Result:
        """Call a function in the process.

        Parameters
        ----------
        work : callable
            Given the arguments, the settings, and `progress` where there is one. It is sent by its name, and has to
            word its errors itself.

        Raises
        ------
        WorkerDied
            If the process ended before it had an answer.
        """
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._connection is not None
        self._connection.send((work, arguments, dict(settings), progress is not None))
        while True:
            wait([self._connection, self._process.sentinel])
            try:
                # what was sent before the death is still there
                if not self._connection.poll():
                    raise EOFError
                done, answer = self._connection.recv()
            except (EOFError, ConnectionResetError):
                self._process.join()
                raise WorkerDied(_death(self._process.exitcode)) from None
            if done:
                return answer  # type: ignore[no-any-return]
            if progress is not None:
                progress(*answer)

    def _start(self) -> None:
        # a copy of this process has its libraries already; elsewhere copies of processes with threads are not safe
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        ours, theirs = context.Pipe()
        self._connection, self._process = ours, context.Process(target=_serve, args=(theirs, ours), daemon=True)
        with warnings.catch_warnings():
            # our other threads draw bars and wait for products of matrices, and the copy does neither of theirs
            warnings.filterwarnings("ignore", message=".*multi-threaded.*", category=DeprecationWarning)
            self._process.start()
        theirs.close()


def _death(status: int) -> str:
    if status >= 0:
        return f"its process ended with status {status}; run this task alone"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"its process was killed by {name}, {REASONS.get(name, 'from outside; build again')}"


def _serve(connection: Connection[Any, Any], others: Connection[Any, Any]) -> None:
    others.close()
    # Ctrl-C reaches every process of a terminal; the one that asked tells us to stop, by SIGTERM
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        while True:
            work, arguments, settings, reports = connection.recv()
            if reports:
                settings["progress"] = _told(connection)
            connection.send((True, work(*arguments, **settings)))
    except (EOFError, OSError):
        pass
    except KeyboardInterrupt:
        sys.exit(1)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _told(connection: Connection[Any, Any]) -> StageProgress:
    last = ("", 0.0)

    def tell(stage: str, fraction: float) -> None:
        nonlocal last
        now = time.monotonic()
        if fraction < 1 and stage == last[0] and now - last[1] < EVERY:
            return
        last = (stage, now)
        connection.send((False, (stage, fraction)))

    return tell
