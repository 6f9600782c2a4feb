"""Processes that are forks: they are told apart from those of `python -c` by their speed alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.support import forked


def test_a_fork_has_its_own_words_folder_and_variables(tmp_path: Path) -> None:
    """The code sees its arguments, its folder and nothing but its variables, and prints to both streams."""
    code = "import os, sys; print(sys.argv[1:], os.getcwd(), os.environ['A']); print(len(os.environ), file=sys.stderr)"
    done = forked.run(code, "x", "y z", env={"A": "é"}, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"['x', 'y z'] {tmp_path} é\n", "1\n")


def test_a_fork_ends_as_any_interpreter(tmp_path: Path) -> None:
    """The status is that of the exit, an error is a traceback, exit functions are called, and time is limited."""
    env = dict(os.environ)
    assert forked.run("raise SystemExit(3)", env=env).returncode == 3
    failed = forked.run("1 / 0", env=env)
    assert (failed.returncode, failed.stderr.splitlines()[-1]) == (1, "ZeroDivisionError: division by zero")
    assert forked.run("import atexit; atexit.register(print, 'last')", env=env).stdout == "last\n"
    assert forked.run("import time; time.sleep(60)", env=env, timeout=1).returncode < 0
    assert forked.run("print(1)", env=env).args[0] == sys.executable


def test_a_fork_imports_the_clients_of_the_hub_itself() -> None:
    """The clients, which read variables when they are imported, see those of the fork."""
    code = "from huggingface_hub import constants; print(constants.ENDPOINT)"
    done = forked.run(code, env={**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9"})
    assert done.stdout == "http://127.0.0.1:9\n"
