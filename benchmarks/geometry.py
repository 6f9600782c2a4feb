"""Time and memory of the neighbour engine against its peers, in one run on one machine.

Run ``python benchmarks/geometry.py --data /path/to/shared/data``; it prints a Markdown table. Each
measurement is a process of its own, so that its peak memory is its own; peers that cannot be imported are
left out.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

QUERIES = 10_000
SETS = {
    "mnist": ("mnist/mnist/train-00000-of-00001.parquet", "image"),
    "cifar": ("cifar10-jpeg/plain_text/train-00000-of-00001.parquet", "img"),
}
GROWTH = (15_000, 30_000, 60_000, 120_000)
# The sampled method as published: this many pairs, of which the nearest few are fitted.
SAMPLED_PAIRS, TAIL = 4_000_000, 2000


@dataclass(frozen=True, slots=True)
class Data:
    """Pixels, classes, and the positions of the queries of every sampled job."""

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]
    chosen: NDArray[np.int64]

    @classmethod
    def load(cls, folder: Path, name: str, count: int | None) -> Data:
        """Read a prepared set; beyond its size, copies follow whose pixels are shifted by one place."""
        pixels, labels = (np.load(folder / f"{name}_{part}.npy") for part in ("pixels", "labels"))
        if count is not None:
            copies = -(-count // len(pixels))
            pixels = np.concatenate([np.roll(pixels, shift, axis=1) for shift in range(copies)])[:count]
            labels = np.tile(labels, copies)[:count]
        chosen = np.random.default_rng(0).choice(len(pixels), min(QUERIES, len(pixels)), replace=False)
        return cls(pixels, labels, chosen)

    def floats(self, dtype: type[np.floating[Any]]) -> NDArray[Any]:
        """Return the pixels in [0, 1]."""
        values: NDArray[Any] = self.pixels.astype(dtype)
        values /= 255
        return values


def prepare(source: Path, folder: Path) -> None:
    """Decode the images once."""
    import pyarrow.parquet as pq
    from PIL import Image

    for name, (file, column) in SETS.items():
        table = pq.read_table(source / file)
        images = [Image.open(io.BytesIO(image["bytes"])) for image in table[column].to_pylist()]
        np.save(folder / f"{name}_pixels.npy", np.stack([np.asarray(image).reshape(-1) for image in images]))
        np.save(folder / f"{name}_labels.npy", np.array(table["label"].to_pylist(), np.int64))


def _points(data: Data) -> Any:
    from ibc_report.geometry.neighbors.points import Points

    return Points(data.pixels, 1 / 255, np.arange(len(data.pixels)), data.labels)


def _dimension(distances: NDArray[np.float64]) -> float:
    """Return the pooled estimate from the distances to the k nearest."""
    return float(1 / np.log(distances[:, -1:] / distances[:, :-1]).mean())


def _sampled_queries(data: Data, k: int, labels: bool) -> Any:
    from ibc_report.geometry.neighbors.points import Points
    from ibc_report.geometry.neighbors.search import search

    points = Points(data.pixels, 1 / 255, np.arange(len(data.pixels)), data.labels if labels else None)
    return search(points, points.take(data.chosen), k=k, same_set=True)


def ours_queries(data: Data) -> str:
    """Search 10,000 queries, k = 6, and nothing else."""
    found = _sampled_queries(data, 6, labels=False)
    return f"{found.method}; m = {_dimension(found.distances[:, :5]):.3f}"


def ours_margin(data: Data) -> str:
    """Find the exact margin."""
    from ibc_report.geometry.neighbors.search import margin

    found = margin(_points(data))
    assert found is not None
    return f"{found.method}; δ = {found.distance:.6f}, rows {found.rows}, ties {found.ties}"


def ours_paper(data: Data) -> str:
    """Find what the paper's method finds: m from 10,000 queries, δ (exact), R."""
    from ibc_report.geometry.neighbors.search import margin

    found, least = _sampled_queries(data, 5, labels=False), margin(_points(data))
    assert least is not None
    starts = range(0, len(data.pixels), 1000)
    blocks = (data.pixels[start : start + 1000].astype(np.float64) for start in starts)
    radius = math.sqrt(max(float(np.vecdot(block, block).max()) for block in blocks)) / 255
    return f"m = {_dimension(found.distances):.3f}, δ = {least.distance:.4f}, R = {radius:.3f}"


def ours_queries_and_margin(data: Data) -> str:
    """Search 10,000 queries and find the exact margin."""
    return f"{ours_queries(data)}; {ours_margin(data)}"


def ours_all(data: Data) -> str:
    """Search all queries, k = 100, with classes, and derive the margin."""
    from ibc_report.geometry.neighbors.search import margin_from, search

    points = _points(data)
    found = search(points, k=100)
    least = margin_from(found, points)
    assert least is not None
    error = np.mean(data.labels[found.rows[:, 0]] != data.labels)
    m = _dimension(found.distances[:, :5])
    return f"{found.method}; m = {m:.6f}, δ = {least.distance:.6f}, ties {least.ties}, error {error:.5f}"


def ours_sampled(data: Data) -> str:
    """Search 10,000 queries, k = 6, with classes: the sampled mode."""
    return str(_sampled_queries(data, 6, labels=True).method)


def paper(data: Data) -> str:
    """Estimate m and δ as published: full float64 distances, a full sort, and a loop over sampled pairs."""
    values = data.floats(np.float64)
    norms = np.square(values).sum(axis=1)
    ordered = values[data.chosen] @ values.T
    ordered *= -2
    ordered += norms[data.chosen, None]
    ordered += norms
    np.sqrt(np.maximum(ordered, 0, out=ordered), out=ordered)
    ordered.sort(axis=1)
    m = _dimension(ordered[:, 1:6])
    del ordered
    rng = np.random.default_rng(0)
    distances = np.empty(SAMPLED_PAIRS)
    at = 0
    while at < SAMPLED_PAIRS:
        for i, j in rng.integers(0, len(values), (SAMPLED_PAIRS, 2)):
            if data.labels[i] == data.labels[j]:
                continue
            distances[at] = np.linalg.norm(values[i] - values[j])
            at += 1
            if at == SAMPLED_PAIRS:
                break
    tail = np.log(1 / np.sort(distances)[: TAIL + 1])
    logs = tail[:-1] - tail[-1]
    first, second = float(logs.mean()), float(np.square(logs).mean())
    gamma = first + 1 - 0.5 / (1 - first**2 / second)
    reach = float(len(values)) ** 2 / 2 * TAIL / SAMPLED_PAIRS
    growth = np.expm1(gamma * np.log(reach)) / gamma
    delta = 1 / (np.exp(tail[-1]) * (1 + first * growth))
    radius = float(np.sqrt(norms.max()))
    return f"m = {m:.3f}, δ ≈ {delta:.3f} (sampled), R = {radius:.3f}"


def sgemm_margin(data: Data) -> str:
    """Find the margin by float32 products of all tiles above the diagonal of classes."""
    order = np.argsort(data.labels, kind="stable")
    labels = data.labels[order]
    values = data.floats(np.float32)[order]
    values -= values.mean(axis=0)
    norms = np.einsum("ij,ij->i", values, values)
    ends = np.searchsorted(labels, labels, side="right")
    rows, columns = 2048, 8192
    out = np.empty(rows * columns, np.float32)
    best = math.inf
    for top in range(0, len(values), rows):
        block = values[top : top + rows] * np.float32(-2)
        first = int(ends[top])
        for left in range(first, len(values), columns):
            stop = min(left + columns, len(values))
            tile = out[: len(block) * (stop - left)].reshape(len(block), stop - left)
            np.dot(block, values[left:stop].T, out=tile)
            tile += norms[top : top + len(block), None]
            tile += norms[left:stop]
            if labels[left] <= labels[top + len(block) - 1]:
                tile[labels[top : top + len(block), None] >= labels[left:stop]] = np.inf
            best = min(best, float(tile.min()))
    return f"δ ≈ {math.sqrt(best):.6f} (float32)"


def sklearn_queries(data: Data) -> str:
    """Search 10,000 queries, k = 6, with scikit-learn's ArgKmin."""
    from sklearn.neighbors import NearestNeighbors

    values = data.floats(np.float32)
    index = NearestNeighbors(n_neighbors=6, algorithm="brute").fit(values)
    return f"m = {_dimension(index.kneighbors(values[data.chosen])[0][:, 1:].astype(np.float64)):.3f}"


def _faiss(data: Data, chosen: slice | NDArray[np.int64]) -> str:
    import faiss

    values = data.floats(np.float32)
    index = faiss.IndexFlatL2(values.shape[1])
    index.add(values)
    squares = index.search(values[chosen], 6)[0].astype(np.float64)
    return f"m = {_dimension(np.sqrt(squares[:, 1:])):.3f} (float32)"


def faiss_queries(data: Data) -> str:
    """Search 10,000 queries, k = 6, with faiss."""
    return _faiss(data, data.chosen)


def faiss_all(data: Data) -> str:
    """Search all queries, k = 6, with faiss."""
    return _faiss(data, slice(None))


def skdim_mle(data: Data) -> str:
    """Estimate the dimension of 10,000 points with scikit-dimension's MLE."""
    import skdim

    return f"m = {skdim.id.MLE(K=5).fit(data.floats(np.float64)[data.chosen]).dimension_:.3f} of 10,000"


def skdim_twonn(data: Data) -> str:
    """Estimate the dimension of 10,000 points with scikit-dimension's TwoNN."""
    import skdim

    return f"m = {skdim.id.TwoNN().fit(data.floats(np.float64)[data.chosen]).dimension_:.3f} of 10,000"


Job = Callable[[Data], str]
JOBS: dict[str, Job] = {
    job.__name__: job
    for job in (
        ours_queries,
        ours_margin,
        ours_paper,
        ours_queries_and_margin,
        ours_all,
        ours_sampled,
        paper,
        sgemm_margin,
        sklearn_queries,
        faiss_queries,
        faiss_all,
        skdim_mle,
        skdim_twonn,
    )
}
# What is compared: set, ours, peer, and the target as (quantity, at most).
COMPARISONS: tuple[tuple[str, str, str, str, str], ...] = (
    ("mnist", "m (10,000 queries), δ, R", "ours_paper", "paper", "≤ 1/20 of the time, ≤ 1/10 of the memory"),
    ("mnist", "10,000 queries, k = 6", "ours_queries", "faiss_queries", "≤ 1/2"),
    ("mnist", "10,000 queries, k = 6", "ours_queries", "sklearn_queries", "-"),
    ("mnist", "10,000 points, MLE", "ours_queries", "skdim_mle", "-"),
    ("mnist", "10,000 points, TwoNN", "ours_queries", "skdim_twonn", "-"),
    ("mnist", "exact δ", "ours_margin", "sgemm_margin", "≤ 1/9"),
    ("mnist", "all queries, k = 100, classes, δ (peer: k = 6)", "ours_all", "faiss_all", "≤ 1.5"),
    ("cifar", "10,000 queries, k = 6", "ours_queries", "faiss_queries", "≤ 0.6"),
    ("cifar", "exact δ", "ours_margin", "sgemm_margin", "-"),
    ("cifar", "10,000 queries and exact δ", "ours_queries_and_margin", "faiss_queries", "≤ 13 s"),
)


@dataclass(frozen=True, slots=True)
class Measurement:
    """One job: seconds, peak memory of its process in MB, that above the imports, and what it found."""

    seconds: float
    peak: float
    above: float
    answer: str


def _peak() -> float:
    """Return the peak memory of this process in MB; that of getrusage would start at the parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def child(name: str, folder: Path, dataset: str, count: int | None) -> None:
    """Run one job and print what it took as JSON."""
    _import_for(name)
    imported = _peak()
    data = Data.load(folder, dataset, count)
    start = time.perf_counter()
    answer = JOBS[name](data)
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, _peak(), _peak() - imported, answer]))


def _import_for(name: str) -> None:
    """Import before the clock starts."""
    if name.startswith("faiss"):
        import faiss  # noqa: F401
    elif name.startswith("skdim"):
        import skdim  # noqa: F401
    elif name.startswith("sklearn"):
        import sklearn.neighbors  # noqa: F401
    else:
        import ibc_report.geometry.neighbors  # noqa: F401


def measure(name: str, folder: Path, dataset: str, count: int | None = None) -> Measurement | None:
    """Run one job in a process of its own; None where it cannot be imported."""
    command = [sys.executable, __file__, "--child", name, "--folder", str(folder), "--set", dataset]
    if count is not None:
        command += ["--count", str(count)]
    environment = {
        key: value for key, value in os.environ.items() if key not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    }
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        if "ModuleNotFoundError" in done.stderr:
            return None
        raise RuntimeError(f"{name} on {dataset} failed:\n{done.stderr}")
    return Measurement(*json.loads(done.stdout.splitlines()[-1]))


def best(names: Sequence[str], folder: Path, dataset: str, repeats: int) -> dict[str, Measurement | None]:
    """Measure jobs in turn, ``repeats`` times, and keep the fastest of each."""
    result: dict[str, Measurement | None] = {}
    for _ in range(repeats):
        for name in names:
            now = measure(name, folder, dataset)
            before = result.get(name)
            if now is None or before is None or now.seconds < before.seconds:
                result[name] = now
            print(f"{dataset} {name}: {now}", file=sys.stderr, flush=True)
    return result


def machine() -> str:
    """Return one line on the machine and its BLAS."""
    from threadpoolctl import threadpool_info

    models = [
        line.split(":")[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    blas = next(info for info in threadpool_info() if info["user_api"] == "blas")
    return (
        f"{models[0] if models else platform.processor()}, {os.cpu_count()} cores; "
        f"Python {platform.python_version()}, numpy {np.__version__}, "
        f"{blas['internal_api']} {blas['version']} ({blas.get('architecture')}), "
        f"{blas['num_threads']} threads"
    )


def growth(folder: Path, repeats: int) -> tuple[list[float], float]:
    """Return the time of the sampled mode at each size, and the exponent that fits them."""
    times = []
    for count in GROWTH:
        runs = [measure("ours_sampled", folder, "mnist", count) for _ in range(repeats)]
        times.append(min(run.seconds for run in runs if run is not None))
        print(f"n = {count}: {times[-1]:.2f} s", file=sys.stderr, flush=True)
    return times, float(np.polyfit(np.log(GROWTH), np.log(times), 1)[0])


def report(folder: Path, repeats: int, only: str) -> None:
    """Measure everything and print the table."""
    print(f"Machine: {machine()}. Fastest of {repeats} runs each, in turn.\n")
    head = (
        "set",
        "work",
        "ours, s",
        "peer",
        "peer, s",
        "ratio",
        "target",
        "ours, MB",
        "peer, MB",
        "ours found",
    )
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for dataset, work, ours, peer, target in COMPARISONS:
        if only not in f"{dataset} {ours} {peer}":
            continue
        # The paper's method takes minutes, and noise is nothing to it.
        found = best((ours, peer), folder, dataset, 1 if peer == "paper" else repeats)
        mine, other = found[ours], found[peer]
        assert mine is not None
        cells = [dataset, work, f"{mine.seconds:.2f}", peer]
        if other is None:
            cells += ["not installed", "-", target, f"{mine.peak:.0f} (+{mine.above:.0f})", "-"]
        else:
            cells += [f"{other.seconds:.2f}", f"{mine.seconds / other.seconds:.3f}", target]
            cells += [f"{one.peak:.0f} (+{one.above:.0f})" for one in (mine, other)]
        print(f"| {' | '.join([*cells, mine.answer])} |", flush=True)
    print("\nMB: peak of the process, and in brackets what of it came after the imports.")
    if only in "growth":
        times, exponent = growth(folder, repeats)
        pairs = ", ".join(f"n = {count:,}: {seconds:.2f} s" for count, seconds in zip(GROWTH, times, strict=True))
        print(f"\nSampled mode, 10,000 queries with classes: {pairs}; exponent {exponent:.2f} (target ≤ 1.1).")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with the data sets mnist and cifar10-jpeg")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="only comparisons that contain this, as 'mnist' or 'growth'")
    parser.add_argument("--child", choices=JOBS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help="where decoded images are kept between runs")
    parser.add_argument("--set", choices=SETS, help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, arguments.folder, arguments.set, arguments.count)
        return
    if arguments.data is None:
        parser.error("--data is needed")
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "cifar_labels.npy").exists():
            prepare(arguments.data, folder)
        report(folder, arguments.repeats, arguments.only)


if __name__ == "__main__":
    main()
