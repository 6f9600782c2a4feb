"""Processes that find the large libraries imported: each is a fork of one that imported them once."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

__all__ = ["run"]

# It forks for every line that it reads and answers with the exit status. What is imported here reads no variable
# that a test sets: the clients of the Hub, which do, are left to the fork. A fork ends as any interpreter does.
_PARENT = """
import importlib, json, os, signal, sys

for name in (
    "matplotlib.figure", "matplotlib.backends.backend_svg", "matplotlib.backends.backend_agg", "numpy", "pandas",
    "PIL.Image", "pyarrow.dataset", "pyarrow.parquet", "pydantic", "scipy.optimize", "scipy.sparse", "scipy.spatial",
    "scipy.special", "scipy.stats", "sklearn.datasets", "sklearn.decomposition", "sklearn.discriminant_analysis",
    "sklearn.feature_extraction.text", "sklearn.neighbors", "sklearn.tree", "ibc_report.pipeline.measure",
):
    importlib.import_module(name)
assert not {"datasets", "huggingface_hub"} & sys.modules.keys()

def become(job):
    os.environ.clear()
    os.environ.update(job["env"])
    os.chdir(job["cwd"])
    for number, path in enumerate((os.devnull, job["out"], job["err"])):
        opened = os.open(path, os.O_RDWR)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv[:] = ["-c", *job["arguments"]]
    signal.alarm(job["timeout"])
    return job["code"]

def serve():
    while line := sys.stdin.readline():
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            return become(job)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return ""

exec(compile(serve(), "<string>", "exec"), {"__name__": "__main__"})
"""


@cache
def _parent() -> subprocess.Popen[str]:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    atexit.register(parent.communicate)
    return parent


def run(
    code: str, *arguments: str, env: Mapping[str, str], cwd: Path | None = None, timeout: int = 120
) -> subprocess.CompletedProcess[str]:
    """Run Python source in a process of its own, as `python -c` would; a process that takes too long is ended."""
    parent = _parent()
    assert parent.stdin is not None
    assert parent.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        out, err = (Path(folder) / name for name in ("out", "err"))
        job = {"code": code, "arguments": arguments, "env": dict(env), "cwd": str(cwd or Path.cwd())}
        for path in (out, err):
            path.touch()
        parent.stdin.write(json.dumps(job | {"out": str(out), "err": str(err), "timeout": timeout}) + "\n")
        parent.stdin.flush()
        status = int(parent.stdout.readline())
        texts = [path.read_text(encoding="utf-8") for path in (out, err)]
    return subprocess.CompletedProcess([sys.executable, "-c", code, *arguments], status, *texts)
