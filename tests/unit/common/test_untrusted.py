"""What is refused before it is read: pipes, devices, sockets, and archives that unpack to too much."""

from __future__ import annotations

import gzip
import os
import socket
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ibc_report import load_report
from ibc_report.common import untrusted
from ibc_report.common.errors import LimitError, UsageError
from ibc_report.common.untrusted import most_unpacked, refuse_large_gzip, refuse_large_zip, refuse_special
from ibc_report.data import sources
from ibc_report.data.task import load_catalog
from ibc_report.evaluation.scoring.files import read_tables
from ibc_report.report import rules

READERS: dict[str, Callable[[Path], object]] = {
    "data": lambda path: sources.load(str(path), base=Path()),
    "fingerprint": lambda path: sources.revision(str(path), base=Path()),
    "report": load_report,
    "catalog": load_catalog,
    "rules": rules.read,
    "predictions": lambda path: read_tables([path]),
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize("reader", READERS)
def test_pipes_and_devices_are_not_read(reader: str, tmp_path: Path) -> None:
    """Each reader of a path that a user gives refuses what may never end, a link to it too."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    link = tmp_path / "link.csv"
    link.symlink_to("/dev/zero")
    for path, kind in ((pipe, "a pipe"), (Path("/dev/zero"), "a device"), (link, "a device")):
        with pytest.raises(UsageError, match=f"is {kind}, which is not read"):
            READERS[reader](path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_sockets_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket is named as one; a file, a folder and nothing at all are for others to judge."""
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(UsageError, match="is a socket"):
            refuse_special(Path("s"))
    for path in (tmp_path, Path(__file__), tmp_path / "missing"):
        refuse_special(path)


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes of its files are added before any is unpacked, and the line names the option that allows it."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"a/{number}.png", bytes(10**6))
    refuse_large_zip(path)
    monkeypatch.setattr(untrusted, "MOST_UNPACKED", 2 * 10**6)
    with pytest.raises(LimitError, match=r"a\.zip unpacks to 3\.0 MB, more than 2\.0 MB.*--max-unpacked"):
        sources.load(str(path), base=Path())
    monkeypatch.setenv(untrusted.VARIABLE, "3MB")
    refuse_large_zip(path)


def test_a_gzip_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A packed table is refused before it is parsed."""
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 10**6))
    refuse_large_gzip(path)
    monkeypatch.setenv(untrusted.VARIABLE, "2MB")
    with pytest.raises(LimitError, match=r"unpacks to more than 2\.0 MB.*--max-unpacked"):
        sources.load(str(path), base=Path())


def test_an_amount_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment variable is read as the option is."""
    monkeypatch.setenv(untrusted.VARIABLE, "much")
    with pytest.raises(UsageError, match="IBC_REPORT_MAX_UNPACKED=much is no amount"):
        most_unpacked()
    monkeypatch.delenv(untrusted.VARIABLE)
    assert most_unpacked() is None
