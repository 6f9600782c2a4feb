"""A folder is built beside the old one and put in its place in one step, so that a kill leaves one of the two whole.

Where the system cannot exchange two folders, the old one is moved aside first, and the next run moves it back if it
has to. What cannot be moved at all (a mount point, the folder that the process runs in) has its files replaced one by
one, each of them whole.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ibc_report.common.errors import IbcReportError
from ibc_report.common.leftovers import SUFFIX, abandoned, sweep, temporary_folder

__all__ = ["exchange", "put_in_place", "rebuilt", "repair"]

FRESH, FORMER = "new", "old"
"""The two folders of a workplace."""

_AT_FDCWD, _EXCHANGE, _SWAP = -100, 2, 2

_IMMOVABLE = (errno.EBUSY, errno.EXDEV, errno.EACCES, errno.EPERM, errno.EROFS)


@contextmanager
def rebuilt(folder: Path, *, marker: str, keep_hidden: bool = False) -> Iterator[Path]:
    """Fill a new folder, and put it in the place of another once the block has ended without an error.

    Parameters
    ----------
    folder : Path
        Where it shall be; a link to a folder is followed. What is in it is replaced.
    marker : str
        File by which the folder is known again; it is replaced first where files are replaced one by one.
    keep_hidden : bool
        Keep what begins with a dot at the top of the old folder.

    Yields
    ------
    Path
        The new folder, empty.

    Raises
    ------
    IbcReportError
        If it cannot be written; what was there is then still there.
    """
    # a name with a dot at its end, or a link, is another path than it seems
    target = Path(os.path.realpath(folder))
    with _cannot_be_written(folder):
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, workplace = _workplace(target)
        fresh = workplace / FRESH
    try:
        with _cannot_be_written(folder):
            fresh.mkdir()
        yield fresh
        with _cannot_be_written(folder):
            put_in_place(fresh, target, marker=marker, keep_hidden=keep_hidden)
    finally:
        if not target.exists() and (workplace / FORMER).exists():
            (workplace / FORMER).rename(target)
        shutil.rmtree(workplace, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def repair(folder: Path) -> None:
    """Undo what a run that was killed left of a folder: put the old one back, and delete what is left over."""
    target = Path(os.path.realpath(folder))
    for workplace in abandoned(target.parent, target.name):
        if (workplace / FORMER).is_dir() and not target.exists():
            with suppress(OSError):
                (workplace / FORMER).rename(target)
    sweep(target.parent, target.name)
    sweep(target, target.name)


def _workplace(target: Path) -> tuple[int | None, Path]:
    """A temporary folder on the file system of the target: beside it, or in it where it is immovable."""
    if _is_immovable(target):
        return temporary_folder(target, target.name)
    try:
        return temporary_folder(target.parent, target.name)
    except OSError:
        if not target.is_dir():
            raise
        return temporary_folder(target, target.name)


def _is_immovable(target: Path) -> bool:
    here = Path(os.path.realpath(os.curdir))
    return target.is_dir() and (target.is_mount() or target in (here, *here.parents))


def put_in_place(fresh: Path, target: Path, *, marker: str, keep_hidden: bool) -> None:
    """Put a folder in the place of another one, in one step where that is possible.

    Parameters
    ----------
    fresh : Path
        On the same file system, in a temporary folder; what becomes of it is not said.

    Raises
    ------
    OSError
        If it cannot be done.
    """
    if not target.exists():
        fresh.rename(target)
        return
    if target in fresh.parents:
        _one_by_one(fresh, target, marker, keep_hidden=keep_hidden)
        return
    if keep_hidden:
        _carry_hidden(target, fresh)
    _like(target, fresh)
    try:
        if not exchange(fresh, target):
            _move_aside(fresh, target)
    except OSError as error:
        if error.errno not in _IMMOVABLE:
            raise
        _one_by_one(fresh, target, marker, keep_hidden=keep_hidden)


def _move_aside(fresh: Path, target: Path) -> None:
    former = fresh.with_name(FORMER)
    target.rename(former)
    try:
        fresh.rename(target)
    except OSError:
        former.rename(target)
        raise


def exchange(first: Path, second: Path) -> bool:
    """Exchange two folders in one step.

    Returns
    -------
    bool
        False where the system, or the file system, cannot.

    Raises
    ------
    OSError
        If the two may not be moved.
    """
    names = os.fsencode(first), os.fsencode(second)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            failed = library.renamex_np(*names, ctypes.c_uint(_SWAP))
        else:
            failed = library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], ctypes.c_uint(_EXCHANGE))
    # Windows has no library of this name; an older C library lacks the function
    except (AttributeError, OSError, TypeError):
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP):
        return False
    raise OSError(number, os.strerror(number), str(second))


def _like(target: Path, fresh: Path) -> None:
    """Give the new folder the mode and, where we may, the owner of the old one."""
    there = target.stat()
    with suppress(OSError, AttributeError):
        os.chown(fresh, there.st_uid, there.st_gid)
    fresh.chmod(there.st_mode & 0o7777)


def _carry_hidden(target: Path, fresh: Path) -> None:
    """Bring what is hidden along; the old folder keeps it too, so that a kill loses nothing."""
    for entry in target.iterdir():
        if entry.name.startswith(".") and not entry.name.endswith(SUFFIX):
            _carry(entry, fresh / entry.name)


def _carry(old: Path, new: Path) -> None:
    """Link or copy what has no namesake in the new folder."""
    if old.is_dir() and not old.is_symlink() and (new.is_dir() or not os.path.lexists(new)):
        new.mkdir(exist_ok=True)
        for entry in old.iterdir():
            _carry(entry, new / entry.name)
        shutil.copystat(old, new)
    elif not os.path.lexists(new):
        _linked(old, new)


def _linked(source: Path, copy: Path) -> None:
    try:
        os.link(source, copy, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, copy, follow_symlinks=False)


def _one_by_one(fresh: Path, target: Path, marker: str, *, keep_hidden: bool) -> None:
    """Replace files: what goes first, then what the folder is known by, then the others."""
    for entry in list(target.iterdir()):
        if not (entry.name.endswith(SUFFIX) or (keep_hidden and entry.name.startswith("."))):
            _drop_strangers(entry, fresh / entry.name)
    files = sorted(path.relative_to(fresh) for path in fresh.rglob("*") if not path.is_dir())
    for path in sorted(files, key=lambda path: path.as_posix() != marker):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (fresh / path).replace(target / path)


def _drop_strangers(old: Path, new: Path) -> None:
    """Delete what has no file of its name in the new folder, and what is a folder in one and a file in the other."""
    if old.is_dir() and not old.is_symlink():
        if not new.is_dir():
            shutil.rmtree(old)
            return
        for entry in list(old.iterdir()):
            _drop_strangers(entry, new / entry.name)
    elif not new.is_file() or old.is_symlink():
        old.unlink()


@contextmanager
def _cannot_be_written(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise IbcReportError(f"{folder} cannot be written: {error.strerror or error}") from error
