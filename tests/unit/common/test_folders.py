"""A folder is replaced whole: by an exchange, by two renames, or file by file."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ibc_report.common import folders, leftovers
from ibc_report.common.errors import IbcReportError
from ibc_report.common.folders import exchange, rebuilt, repair

OLD = {"index.html": b"old", "gone/page.html": b"old", "becomes-a-folder": b"old", "becomes-a-file/x": b"old"}

NEW = {"index.html": b"new", "added/page.html": b"new", "becomes-a-folder/x": b"new", "becomes-a-file": b"new"}

HIDDEN = {".nojekyll": b"", ".git/config": b"[core]", ".git/objects/aa": b"blob"}


def filled(folder: Path, content: dict[str, bytes]) -> Path:
    """Write files below a folder."""
    for name, data in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    """The files below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def cannot_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that cannot exchange folders."""
    monkeypatch.setattr(folders, "exchange", lambda first, second: False)


def cannot_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is a mount point, as the system says it."""

    def busy(first: Path, second: Path) -> bool:
        raise OSError(errno.EBUSY, "Device or resource busy")

    monkeypatch.setattr(folders, "exchange", busy)


def is_a_mount(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is known to be immovable beforehand."""
    monkeypatch.setattr(folders, "_is_immovable", Path.is_dir)


WAYS = [lambda monkeypatch: None, cannot_exchange, cannot_move, is_a_mount]


@pytest.mark.parametrize("way", WAYS, ids=["exchange", "renames", "busy", "in place"])
def test_a_folder_is_replaced_and_hidden_files_stay(
    way: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever way it goes, the new files and the hidden ones of before are there, and nothing is left beside them."""
    way(monkeypatch)
    target = filled(tmp_path / "site", OLD | HIDDEN)
    target.chmod(0o750)
    with rebuilt(target, marker="index.html", keep_hidden=True) as fresh:
        filled(fresh, NEW)
        assert tree(target).items() >= (OLD | HIDDEN).items()
    assert tree(target) == NEW | HIDDEN
    assert target.stat().st_mode & 0o777 == 0o750
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.parametrize("way", WAYS, ids=["exchange", "renames", "busy", "in place"])
def test_a_failure_leaves_the_old_folder(
    way: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes wrong while the new folder is filled costs nothing of the old one."""
    way(monkeypatch)
    target = filled(tmp_path / "site", OLD | HIDDEN)

    def fail() -> None:
        with rebuilt(target, marker="index.html", keep_hidden=True) as fresh:
            filled(fresh, NEW)
            raise ValueError("a broken template")

    with pytest.raises(ValueError, match="a broken template"):
        fail()
    assert tree(target) == OLD | HIDDEN
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_link_to_a_folder_stays_one(tmp_path: Path) -> None:
    """A link is followed, and what it leads to is replaced."""
    filled(tmp_path / "real", OLD)
    (tmp_path / "site").symlink_to("real")
    with rebuilt(tmp_path / "site", marker="index.html") as fresh:
        filled(fresh, NEW)
    assert (tmp_path / "site").is_symlink()
    assert tree(tmp_path / "real") == NEW


def test_the_folder_that_the_process_runs_in_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that a shell stands in is not swapped from under it: its files are replaced."""
    target = filled(tmp_path / "site", OLD)
    monkeypatch.chdir(target)
    number = target.stat().st_ino
    with rebuilt(target, marker="index.html") as fresh:
        filled(fresh, NEW)
    assert (target.stat().st_ino, tree(Path())) == (number, NEW)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems may not exchange folders")
def test_an_exchange_is_one_step(tmp_path: Path) -> None:
    """Two folders change places without a moment at which one is missing."""
    first, second = filled(tmp_path / "a", OLD), filled(tmp_path / "b", NEW)
    if not exchange(first, second):
        pytest.skip("this file system cannot exchange folders")
    assert (tree(first), tree(second)) == (NEW, OLD)


STEPS = ("rename", "unlink", "rmtree", "mkdir", "replace", "link", "exchange")

KILLED = """
import os, signal, sys
from pathlib import Path
import shutil
from ibc_report.common import folders

left, way, target = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])

def counted(inner):
    def step(*args, **kwargs):
        global left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return inner(*args, **kwargs)
    return step

if way == "renames":
    folders.exchange = lambda first, second: False
elif way == "in place":
    folders._is_immovable = Path.is_dir
folders.exchange = counted(folders.exchange)
for name in ("rename", "unlink", "mkdir", "replace"):
    setattr(Path, name, counted(getattr(Path, name)))
for module, name in ((shutil, "rmtree"), (os, "link")):
    setattr(module, name, counted(getattr(module, name)))
folders.repair(target)
with folders.rebuilt(target, marker="index.html", keep_hidden=True) as fresh:
    for name in ("index.html", "added/page.html", "becomes-a-folder/x", "becomes-a-file"):
        (fresh / name).parent.mkdir(parents=True, exist_ok=True)
        (fresh / name).write_bytes(b"new")
"""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")
@pytest.mark.parametrize("way", ["exchange", "renames", "in place"])
def test_a_kill_at_any_step_is_repaired(way: str, tmp_path: Path) -> None:
    """After a kill before any step, hidden files are there, and the next run leaves one whole folder and no more."""
    for step in range(60):
        target = filled(tmp_path / str(step) / "site", OLD | HIDDEN)
        command = [sys.executable, "-c", KILLED, str(step), way, str(target)]
        killed = subprocess.run(command, check=False).returncode != 0
        repair(target)
        found = tree(target)
        assert found.items() >= HIDDEN.items()
        if way != "in place":
            assert found in (OLD | HIDDEN, NEW | HIDDEN), f"step {step}"
        assert "index.html" in found
        assert [path.name for path in target.parent.iterdir()] == ["site"]
        with rebuilt(target, marker="index.html", keep_hidden=True) as fresh:
            filled(fresh, NEW)
        assert tree(target) == NEW | HIDDEN
        if not killed:
            break
    assert not killed
    assert step > 10


def test_what_another_process_holds_is_left_alone(tmp_path: Path) -> None:
    """Temporary files of a run that goes on are not swept; those of one that is gone are."""
    descriptor, held = leftovers.temporary_file(tmp_path, "a.json")
    number, folder = leftovers.temporary_folder(tmp_path, "site")
    leftovers.sweep(tmp_path)
    assert held.exists()
    assert folder.exists()
    os.close(descriptor)
    if number is not None:
        os.close(number)
    leftovers.sweep(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """One line names the folder and why."""
    (tmp_path / "file").write_bytes(b"")
    with (
        pytest.raises(IbcReportError, match="file/site cannot be written: "),
        rebuilt(tmp_path / "file" / "site", marker="index.html"),
    ):
        pass
