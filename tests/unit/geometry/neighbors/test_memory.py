"""Peak memory, each measured in a process of its own: what lies in files does not count, and budgets are kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STATUS = Path("/proc/self/status")

PRELUDE = """
import sys
from pathlib import Path
import numpy as np
from ibc_report.common import files
from ibc_report.geometry.neighbors.search import search
from ibc_report.geometry.neighbors.points import Points

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1000

def noise(rows, features):
    rng = np.random.default_rng(0)
    def fill(out):
        for start in range(0, rows, 4096):
            out[start : start + 4096] = rng.integers(0, 256, (min(4096, rows - start), features), np.uint8)
    return files.filled((rows, features), np.uint8, fill)

before = peak()
"""

pytestmark = pytest.mark.skipif(not STATUS.exists(), reason="the peak is read from /proc")


def peak_of(code: str) -> float:
    """Run code in a process of its own; what its peak grew by, in MB."""
    code = PRELUDE + code + "\nprint(peak() - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


@pytest.mark.long
def test_filling_a_file_takes_little_memory() -> None:
    """An array of 400 MB is written in blocks without being in memory as a whole."""
    assert peak_of("noise(100_000, 4000)") < 150


@pytest.mark.long
def test_scattered_reads_of_a_file_take_little_memory(tmp_path: Path) -> None:
    """Rows from all over a file of 600 MB are read without mapping all of it."""
    path = tmp_path / "zeros"
    with path.open("wb") as file:
        file.truncate(600_000_000)
    code = f"""
zeros = np.memmap({str(path)!r}, np.uint8, "r", shape=(600_000, 1000))
rows = np.random.default_rng(0).integers(0, 600_000, 20_000)
assert not Points(zeros, 1.0, np.arange(600_000)).read(rows).any()
files.taken(zeros, rows)
"""
    assert peak_of(code) < 200


@pytest.mark.long
def test_a_search_keeps_its_budget() -> None:
    """Noise, of which nothing but the 410 MB of all its coordinates would do, is searched within 250 MB."""
    code = """
points = Points(noise(100_000, 1024), 1.0, np.arange(100_000))
found = search(points, points.take(np.arange(0, 100_000, 2000)), k=5, same_set=True, memory=250_000_000)
assert found.method == "plain GEMM"
"""
    assert peak_of(code) < 250
