"""Writing: a file is whole or untouched; arrays may be larger than memory."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from ibc_report.common import files
from ibc_report.common.errors import IbcReportError
from ibc_report.common.files import write


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
