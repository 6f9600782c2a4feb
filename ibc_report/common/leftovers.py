"""Temporary files and folders: held by a lock while their process lives, and swept by the next run where it died."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

__all__ = ["SUFFIX", "abandoned", "sweep", "swept", "temporary_file", "temporary_folder"]

SUFFIX = ".ibc-report-tmp"
"""How the name of every temporary file and folder of this package ends, so that no other is ever swept."""

DAY = 86_400.0
"""Seconds after which a temporary file counts as left over where the system cannot tell whose it is."""


def temporary_file(folder: Path, name: str) -> tuple[int, Path]:
    """Make a hidden file that is held for as long as its descriptor is open.

    Parameters
    ----------
    name : str
        What it will be called in the end.

    Returns
    -------
    descriptor : int
        Open for writing.
    path : Path
        In the folder.
    """
    while True:
        descriptor, path = tempfile.mkstemp(dir=folder, prefix=f".{name[:100]}.", suffix=SUFFIX)
        if _held(descriptor, path):
            return descriptor, Path(path)
        os.close(descriptor)


def temporary_folder(folder: Path, name: str) -> tuple[int | None, Path]:
    """Make a hidden folder that is held for as long as its descriptor is open.

    Returns
    -------
    descriptor : int or None
        None where the system has no such locks.
    path : Path
        In the folder.
    """
    while True:
        path = tempfile.mkdtemp(dir=folder, prefix=f".{name[:100]}.", suffix=SUFFIX)
        if fcntl is None:
            return None, Path(path)
        with suppress(FileNotFoundError):
            descriptor = os.open(path, os.O_RDONLY)
            if _held(descriptor, path):
                return descriptor, Path(path)
            os.close(descriptor)


def _held(descriptor: int, path: str) -> bool:
    """Lock what was just made; whether it is still there, for a sweep may have come between."""
    if fcntl is not None:
        # a file system without locks cannot tell what is left over, and sweeps nothing either
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    return os.path.lexists(path)


def abandoned(folder: Path, name: str = "") -> list[Path]:
    """Find temporary files and folders whose process is gone.

    Parameters
    ----------
    name : str
        What they would have been called in the end; any by default.
    """
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
    start = f".{name[:100]}." if name else "."
    paths = [folder / entry for entry in names if entry.startswith(start) and entry.endswith(SUFFIX)]
    return [path for path in paths if not path.is_symlink() and _is_abandoned(path)]


def _is_abandoned(path: Path) -> bool:
    try:
        if fcntl is None:
            return time.time() - path.stat().st_mtime > DAY
        if not (path.is_dir() or path.is_file()):
            return False
        descriptor = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return True


def sweep(folder: Path, name: str = "") -> None:
    """Delete temporary files and folders whose process is gone; what cannot be deleted stays."""
    for path in abandoned(folder, name):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()


@lru_cache(maxsize=1024)
def swept(folder: Path) -> None:
    """Delete the left-over temporary files of a folder once a process: to list a large folder costs time."""
    for path in abandoned(folder):
        # a folder may hold what a repair needs (`ibc_report.common.folders`)
        if not path.is_dir():
            with suppress(OSError):
                path.unlink()
