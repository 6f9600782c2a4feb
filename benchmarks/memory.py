"""What a card of large data takes: `python benchmarks/memory.py [--share 0.01]`.

Makes a million rows of 200 numbers, 200,000 texts and 20,000 pictures of 256×256, measures a card of each in a process
of its own, and prints wall time, processor time, the peak of its memory and the machine. A share makes all of them
smaller. It needs about 12 GB in the folder for temporary files.
"""

from __future__ import annotations

import argparse
import io
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

BATCH = 10_000

WORDS = 5000
"""Different words of the texts, of which each class prefers some."""

SIDE = 256


def numbers(rows: int) -> Iterator[pa.Table]:
    """Two classes of rows of 200 normal numbers."""
    rng = np.random.default_rng(0)
    for start in range(0, rows, BATCH):
        labels = rng.integers(0, 2, min(BATCH, rows - start))
        values = rng.normal(size=(len(labels), 200)) + labels[:, None] * 0.3
        columns = {f"x{column}": values[:, column] for column in range(200)}
        yield pa.table({**columns, "label": np.where(labels, "b", "a")})


def texts(rows: int) -> Iterator[pa.Table]:
    """Two classes of texts of 20 to 60 words."""
    rng = np.random.default_rng(1)
    for start in range(0, rows, BATCH):
        labels = rng.integers(0, 2, min(BATCH, rows - start))
        drawn = [rng.zipf(1.3, rng.integers(20, 60)) % WORDS + label * (WORDS // 4) for label in labels]
        said = [" ".join(f"w{word}" for word in words) for words in drawn]
        yield pa.table({"text": said, "label": np.where(labels, "b", "a")})


def pictures(rows: int) -> Iterator[pa.Table]:
    """Two classes of smooth colour pictures of 256×256 pixels, as JPEG."""
    rng = np.random.default_rng(2)
    middles = rng.normal(size=(2, 6, 6, 3))
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    for start in range(0, rows, BATCH // 10):
        labels = rng.integers(0, 2, min(BATCH // 10, rows - start))
        files = []
        for label in labels:
            small = middles[label] + 0.7 * rng.normal(size=(6, 6, 3))
            picture = Image.fromarray(np.uint8(np.clip(128 + 45 * small, 0, 255)))
            stream = io.BytesIO()
            picture.resize((SIDE, SIDE), Image.Resampling.BICUBIC).save(stream, "JPEG", quality=85)
            files.append({"bytes": stream.getvalue(), "path": None})
        yield pa.table({"image": pa.array(files, kind), "label": np.where(labels, "b", "a")})


SETS: dict[str, tuple[int, Callable[[int], Iterator[pa.Table]]]] = {
    "numbers": (1_000_000, numbers),
    "texts": (200_000, texts),
    "pictures": (20_000, pictures),
}


def measured(path: Path) -> tuple[float, float, float]:
    """Wall time, processor time in seconds, and peak memory in GB of a card."""
    command = [sys.executable, "-m", "ibc_report", "card", str(path), "-q", "-o", str(path.with_suffix(".json"))]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, cwd=path.parent, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # the peak is that of the largest child so far: `--only` keeps one set from hiding behind another
    return wall, processor, after.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9


def main() -> None:
    """Measure the sets that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="make all sets smaller")
    parser.add_argument("--only", choices=SETS, help="measure one set; its peak is then its own for certain")
    given = parser.parse_args()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    print(f"{platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB, Python {platform.python_version()}")
    print("| Set | Rows | Wall, s | Processor, s | Peak, GB |\n|---|---:|---:|---:|---:|")
    for name, (whole, make) in SETS.items():
        if given.only not in (None, name):
            continue
        rows = max(1000, round(whole * given.share))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.parquet"
            tables = make(rows)
            first = next(tables)
            with pq.ParquetWriter(path, first.schema) as writer:
                writer.write_table(first)
                for table in tables:
                    writer.write_table(table)
            wall, processor, peak = measured(path)
        print(f"| {name} | {rows:,} | {wall:.0f} | {processor:.0f} | {peak:.2f} |", flush=True)


if __name__ == "__main__":
    main()
