"""A client of the hub in a process of its own: what it answers, or the error that it raises."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support import forked

from .server import HubServer

# Runs the source given as the first argument; the last line that it prints is the report. It leaves without
# the interpreter's own ending, which a stream of datasets that was not read to its end aborts now and then.
_RUNNER = """
import json, os, sys
scope = {"answer": None}
try:
    exec(compile(sys.argv[1], "<client>", "exec"), scope)
    report = {"answer": scope["answer"]}
except Exception as error:
    response = getattr(error, "response", None)
    report = {
        "error": type(error).__name__,
        "bases": [base.__name__ for base in type(error).__mro__],
        "message": str(error),
        "status": getattr(response, "status_code", None),
        "server_message": getattr(error, "server_message", None),
    }
print(json.dumps(report, default=str), flush=True)
sys.stderr.flush()
os._exit(0)
"""


@dataclass(frozen=True)
class Outcome:
    """What a client's process came to."""

    answer: Any
    error: str | None
    bases: tuple[str, ...]
    message: str
    status: int | None
    server_message: str | None
    stderr: str


def run_client(
    hub: HubServer,
    hf_home: Path,
    source: str,
    *,
    token: str | None = None,
    extra: Mapping[str, str] | None = None,
    timeout: int = 60,
) -> Outcome:
    """Run Python source in a fresh process against the hub; what it leaves in `answer` comes back by JSON."""
    environment = {**hub.environment(hf_home, token), **(extra or {})}
    done = forked.run(_RUNNER, textwrap.dedent(source), env=environment, timeout=timeout)
    done.check_returncode()
    report = json.loads(done.stdout.splitlines()[-1])
    return Outcome(
        answer=report.get("answer"),
        error=report.get("error"),
        bases=tuple(report.get("bases", ())),
        message=report.get("message", ""),
        status=report.get("status"),
        server_message=report.get("server_message"),
        stderr=done.stderr,
    )
