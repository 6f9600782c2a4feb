"""Small machines: memory, terminals, homes and disks that do not allow what is asked end in one line."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from tests.support.limits import python, small_disk

CARD = "import sys; from ibc_report.cli.app import main; main(sys.argv[1:])"

LITTLE_MEMORY = """
import re, resource, sys
from pathlib import Path
import datasets, scipy.spatial
import ibc_report.pipeline.measure, ibc_report.data.encoders.image
from ibc_report.cli.app import main
size = int(re.search(r"VmSize:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) << 10
resource.setrlimit(resource.RLIMIT_AS, (size + (400 << 20),) * 2)
main(sys.argv[1:])
"""

SMALL_ARRAYS = """
import sys
from ibc_report.common import files
from ibc_report.cli.app import main
files.IN_MEMORY = 1 << 20
main(sys.argv[1:])
"""


def table(folder: Path, rows: int = 60, columns: int = 3) -> Path:
    """Write two classes of normal numbers."""
    numbers = np.random.default_rng(3).normal(size=(rows, columns))
    frame = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(columns)])
    path = folder / "points.parquet"
    frame.assign(kind=np.where(numbers[:, 0] > 0, "a", "b")).to_parquet(path)
    return path


@pytest.mark.parametrize(
    "settings",
    [{"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
    ids=["cp1252", "C"],
)
def test_output_that_is_not_utf8_gets_the_summary(settings: dict[str, str], tmp_path: Path) -> None:
    """The headline and the doubts are printed in what the encoding has, and the status is 0."""
    table(tmp_path)
    # arguments are bytes, which only UTF-8 would read as this
    title = "Grüße 数 → 5" if "PYTHONIOENCODING" in settings else "Plain"
    ran = python(CARD, "card", "points.parquet", "--title", title, cwd=tmp_path, **settings)
    assert (ran.returncode, ran.stderr) == (0, b"")
    text = ran.stdout.decode("cp1252")
    assert "bits, between 10^" in text
    assert "Doubtful:" in text
    assert ("Grüße ? -> 5" if "PYTHONIOENCODING" in settings else "band-limited at delta") in text


def test_a_document_on_standard_output_is_utf8(tmp_path: Path) -> None:
    """What is a document, and no message, has the same bytes on any terminal as in a file."""
    table(tmp_path)
    ran = python(CARD, "card", "points.parquet", "-f", "md", "-o", "-", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert ran.returncode == 0
    text = ran.stdout.decode("utf-8")
    assert "δ" in text
    assert "�" not in text


@pytest.mark.parametrize("kind", ["a file", "a read-only disk"])
def test_local_files_need_no_home(kind: str, tmp_path: Path) -> None:
    """A card of a local file is made where the home cannot be written, and nothing is left of the folder it took."""
    table(tmp_path)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    home = tmp_path / "home"
    settings = {
        "HOME": str(home),
        "HF_HOME": "",
        "HF_DATASETS_CACHE": "",
        "XDG_CACHE_HOME": "",
        "TMPDIR": str(temporary),
    }
    if kind == "a file":
        home.touch()
        ran = python(CARD, "card", "points.parquet", "-q", cwd=tmp_path, **settings)
    else:
        with small_disk(home, "ro"):
            ran = python(CARD, "card", "points.parquet", "-q", cwd=tmp_path, **settings)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert (tmp_path / "reports" / "points.json").is_file()
    assert list(temporary.iterdir()) == []


def test_a_small_folder_for_temporary_files_is_one_line(tmp_path: Path) -> None:
    """Features that do not fit into TMPDIR are one line with the folder, the size and TMPDIR, and exit status 1."""
    table(tmp_path, rows=1500, columns=600)
    with small_disk(tmp_path / "small") as folder:
        ran = python(SMALL_ARRAYS, "card", "points.parquet", "-q", cwd=tmp_path, TMPDIR=str(folder))
    (line,) = ran.stderr.decode().splitlines()
    assert ran.returncode == 1
    assert line.startswith(f"ibc-report: the folder for temporary files, {folder}, has no space for ")
    assert "TMPDIR" in line


def test_a_small_cache_is_one_line(tmp_path: Path) -> None:
    """A cache folder without space for what a zip holds is named with HF_HOME, and the zip is not blamed."""
    pixels = np.random.default_rng(1).integers(0, 256, size=(500, 500, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    with zipfile.ZipFile(tmp_path / "pictures.zip", "w") as archive:
        for number in range(12):
            archive.write(tmp_path / "a.png", f"{'ab'[number % 2]}/{number}.png")
    with small_disk(tmp_path / "small") as folder:
        ran = python(CARD, "card", "pictures.zip", "-q", cwd=tmp_path, HF_HOME=str(folder), HF_DATASETS_CACHE="")
    (line,) = ran.stderr.decode().splitlines()
    assert ran.returncode == 1
    assert "has no space left" in line
    assert "HF_HOME" in line
    assert "pictures.zip" not in line


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux says how much memory a process has")
def test_little_memory_is_one_line(tmp_path: Path) -> None:
    """Where memory does not suffice one line says how much there is and what to do, and no picture is blamed."""
    for number in range(12):
        folder = tmp_path / "pictures" / "ab"[number % 2]
        folder.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (4, 4), (number, 0, 0)).save(folder / f"{number}.png")
    given = ("card", "pictures", "-q", "--encoder", "image:size=4000")
    ran = python(LITTLE_MEMORY, *given, cwd=tmp_path, OPENBLAS_NUM_THREADS="1")
    (line,) = ran.stderr.decode().splitlines()
    assert ran.returncode == 1
    assert line.startswith("ibc-report: the memory does not suffice")
    assert "--max-rows" in line


@pytest.mark.parametrize("name", ["deep.jsonl", "deep.json"])
def test_values_nested_too_deep_are_one_line(name: str, tmp_path: Path) -> None:
    """A depth at which a reader would overflow its stack is named as the limit that it is."""
    lines = [f'{{"a": {"[" * 50_000}1{"]" * 50_000}, "y": {number % 2}}}' for number in range(4)]
    text = "\n".join(lines) if name.endswith("l") else f"[{','.join(lines)}]"
    (tmp_path / name).write_text(text, encoding="utf-8")
    ran = python(CARD, "card", name, "-q", cwd=tmp_path)
    (line,) = ran.stderr.decode().splitlines()
    assert ran.returncode == 1
    assert line.startswith("ibc-report: a value is nested deeper than the 1,000 levels")


def test_half_a_character_is_one_line(tmp_path: Path) -> None:
    """A text that UTF-8 cannot hold is said as such, with what to do."""
    lines = [f'{{"a": "x\\ud83d {number}", "y": {number % 2}}}' for number in range(40)]
    (tmp_path / "half.jsonl").write_text("\n".join(lines), encoding="utf-8")
    ran = python(CARD, "card", "half.jsonl", "-q", cwd=tmp_path)
    (line,) = ran.stderr.decode().splitlines()
    assert (ran.returncode, "U+D83D, half of a character" in line) == (1, True)
