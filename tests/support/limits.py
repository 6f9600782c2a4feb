"""Small disks and other limits of the system, for tests that meet them for real."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


@contextmanager
def small_disk(folder: Path, options: str = "size=4m") -> Iterator[Path]:
    """Mount a disk of few megabytes, or skip the test where that is not allowed."""
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting a small disk is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def python(code: str, *arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run Python code in a process of its own, with this checkout; a variable that is empty is not set."""
    settings = {**os.environ, "PYTHONPATH": str(CHECKOUT), **environment}
    settings = {name: value for name, value in settings.items() if value or name not in environment}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=cwd, env=settings, capture_output=True, timeout=100, check=False
    )
