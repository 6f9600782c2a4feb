"""Writing: a file is whole or untouched; arrays may be larger than memory."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from ibc_report.common import files, leftovers
from ibc_report.common.errors import IbcReportError
from ibc_report.common.files import write
from tests.support.limits import python, small_disk


@pytest.mark.parametrize("limit", [0, 1 << 20], ids=["in a file", "in memory"])
def test_an_array_is_the_same_wherever_it_lies(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is filled in is what is read, from memory and from a file."""
    monkeypatch.setattr(files, "IN_MEMORY", limit)
    expected = np.arange(60, dtype=np.uint8).reshape(20, 3)

    def fill(array: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> None:
        array[:] = expected

    array = files.filled((20, 3), np.uint8, fill)
    assert isinstance(array, np.memmap) == (limit == 0)
    assert np.array_equal(array, expected)
    chosen = np.array([19, 0, 7])
    assert np.array_equal(files.taken(array, chosen), expected[chosen])


def test_a_mapped_array_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """An array in a file is read-only once it is filled."""
    monkeypatch.setattr(files, "IN_MEMORY", 0)
    array = files.filled((4,), np.float64, lambda values: values.fill(1.0))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 2.0


def test_a_file_is_filled_through_releases(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """Pages that are handed back while an array is filled lose nothing, of a sum that is read again either."""
    monkeypatch.setattr(files, "IN_MEMORY", 0)
    monkeypatch.setattr(files, "MAPPED", 1 << 14)
    terms = rng.standard_normal((3, 200, 50))

    def fill(array: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
        for term in terms:
            for start in range(0, 200, 16):
                rows = slice(start, start + 16)
                array[rows] = array[rows] + term[rows]

    array = files.filled((200, 50), np.float64, fill)
    assert np.array_equal(array, terms[0] + terms[1] + terms[2])
    rows = rng.integers(0, 200, 300)
    out = np.empty((300, 50))
    files.gather(array, rows, out)
    assert np.array_equal(out, array[rows])


@pytest.mark.parametrize(
    ("content", "held"),
    [("δ = 2.4\n", "δ = 2.4\n".encode()), ("a\r\nb\n", b"a\r\nb\n"), (b"\x00\xff", b"\x00\xff"), ("", b"")],
    ids=["utf-8", "line ends", "bytes", "empty"],
)
def test_what_is_written_is_what_was_given(tmp_path: Path, content: str | bytes, held: bytes) -> None:
    """Text becomes UTF-8 with its own line ends, bytes stay, and missing folders are made."""
    path = tmp_path / "new" / "folder" / "file"
    write(path, content)
    assert path.read_bytes() == held
    assert list(path.parent.iterdir()) == [path]


def test_a_file_is_replaced_and_never_changed_in_place(tmp_path: Path) -> None:
    """A reader that has the former file open still sees all of it after the write."""
    path = tmp_path / "file"
    write(path, "former")
    with path.open() as reader:
        write(path, "new")
        assert reader.read() == "former"
    assert path.read_text() == "new"


def test_a_failed_write_leaves_the_former_file_and_nothing_else(tmp_path: Path) -> None:
    """Content that cannot be encoded fails before the former file is touched, and no temporary file is left."""
    path = tmp_path / "file"
    write(path, "former")
    with pytest.raises(UnicodeEncodeError):
        write(path, "\ud800")
    assert path.read_text() == "former"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_in_the_way_is_one_line(tmp_path: Path) -> None:
    """Where a folder has the file's name, the error names the path, and no temporary file is left."""
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(IbcReportError, match=r"folder cannot be written: ") as caught:
        write(path, "content")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_place_of_a_folder_is_one_line(tmp_path: Path) -> None:
    """Where a file stands in the place of the folder, the error says that nothing could be written."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(IbcReportError, match=r"file/report\.json cannot be written: "):
        write(tmp_path / "file" / "report.json", "content")
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_new_file_is_as_readable_as_any_other(tmp_path: Path) -> None:
    """A file has the permissions that the umask gives, not those of a temporary file."""
    former = os.umask(0o022)
    try:
        write(tmp_path / "file", "content")
    finally:
        os.umask(former)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_that_is_there_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    """What its owner made private stays private."""
    path = tmp_path / "file"
    path.write_text("former")
    path.chmod(mode)
    write(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", mode)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_a_file_that_is_there_keeps_its_owner(tmp_path: Path) -> None:
    """Root replaces the content of somebody's file, and the file stays theirs."""
    path = tmp_path / "file"
    path.write_text("former")
    os.chown(path, 12, 34)
    write(path, "new")
    assert (path.read_text(), path.stat().st_uid, path.stat().st_gid) == ("new", 12, 34)


@pytest.mark.parametrize("there", [True, False], ids=["a file", "nothing yet"])
def test_a_link_is_followed(there: bool, tmp_path: Path) -> None:
    """What a link leads to is written, also through a link to a link, and the links stay."""
    (tmp_path / "real").mkdir()
    if there:
        (tmp_path / "real" / "file").write_text("former")
    (tmp_path / "near").symlink_to("real/file")
    (tmp_path / "far").symlink_to("near")
    write(tmp_path / "far", "new")
    assert (tmp_path / "far").is_symlink()
    assert (tmp_path / "near").is_symlink()
    assert (tmp_path / "real" / "file").read_text() == "new"
    assert [path.name for path in (tmp_path / "real").iterdir()] == ["file"]


def test_a_link_in_a_circle_is_one_line(tmp_path: Path) -> None:
    """Where links lead nowhere the error names the path."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(IbcReportError, match="a cannot be written: "):
        write(tmp_path / "a", "content")


@pytest.mark.skipif(not Path("/dev/null").is_char_device(), reason="there is no such device")
def test_a_device_stays_a_device() -> None:
    """What is written to a device goes into it, whoever writes."""
    write(Path("/dev/null"), "content")
    assert Path("/dev/null").is_char_device()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    """A named pipe stays one, and its reader gets what is written."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(path, "content")
        assert os.read(reader, 100) == b"content"
    finally:
        os.close(reader)
    assert path.is_fifo()


def test_a_file_that_is_a_mount_point_is_written_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says is in use has its content replaced, shorter or longer, and nothing is left beside it."""

    def busy(path: Path, target: Path) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    path = tmp_path / "file"
    path.write_text("a former content")
    monkeypatch.setattr(Path, "replace", busy)
    write(path, "new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_run_left_is_swept(tmp_path: Path) -> None:
    """Temporary files of a process that is gone go with the next run; files of others that look alike stay."""
    descriptor, left = leftovers.temporary_file(tmp_path, "b.json")
    os.close(descriptor)
    others = [tmp_path / name for name in (".a.json.x1y2z3", "a.json.ibc-report-tmp", ".hidden")]
    for other in others:
        other.write_text("mine")
    leftovers.swept.cache_clear()
    write(tmp_path / "a.json", "content")
    assert set(tmp_path.iterdir()) == {tmp_path / "a.json", *others}
    assert not left.exists()


SMALL_LIMIT = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
"""

FILLING = """
import numpy as np
from ibc_report.common import files
from ibc_report.common.errors import IbcReportError
files.IN_MEMORY = 0
try:
    files.filled((8 << 20,), np.uint8, lambda array: array.fill(7))
except IbcReportError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a file")
def test_space_is_asked_for_before_it_is_written(tmp_path: Path) -> None:
    """Where a file may not grow as large, one line names the folder, the size and TMPDIR, and the process lives."""
    ran = python(SMALL_LIMIT + FILLING, cwd=tmp_path, TMPDIR=str(tmp_path))
    assert (ran.returncode, ran.stderr) == (0, b"")
    said = ran.stdout.decode()
    assert said.startswith(f"the folder for temporary files, {tmp_path}, has no space for 8.4 MB (")
    assert "TMPDIR" in said


def test_a_small_disk_of_temporary_files_is_named(tmp_path: Path) -> None:
    """A full TMPDIR is one line with what is free, and not a signal that kills the process."""
    with small_disk(tmp_path / "small") as folder:
        ran = python(FILLING, cwd=tmp_path, TMPDIR=str(folder))
    assert (ran.returncode, ran.stderr) == (0, b"")
    said = ran.stdout.decode()
    assert said.startswith(f"the folder for temporary files, {folder}, has no space for 8.4 MB (")
    assert "4.2 MB free); set TMPDIR" in said


def test_a_system_that_cannot_reserve_is_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file system knows no reservation, the space is filled with zeros first."""

    def refuse(*_arguments: int) -> None:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    monkeypatch.setattr(files, "IN_MEMORY", 0)
    monkeypatch.setattr(files, "MAPPED", 1000)
    assert files.filled((2500,), np.uint8, lambda array: None).tolist() == [0] * 2500


def test_no_folder_for_temporary_files_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no folder takes a temporary file, the line says what TMPDIR has to be."""

    def none() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    monkeypatch.setattr(files, "IN_MEMORY", 0)
    with pytest.raises(IbcReportError, match=r"2\.5 MB are needed; set TMPDIR"):
        files.filled((2_500_000,), np.uint8, lambda array: None)
