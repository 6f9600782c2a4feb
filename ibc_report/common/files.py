"""Files are written whole or not at all, and arrays larger than memory lie in files.

The system counts the pages of a map as the process's own for as long as they are mapped. Whoever reads a map through
hands its pages back from time to time; their contents stay in the file, and in the system's cache while there is room.
"""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ibc_report.common import leftovers
from ibc_report.common.errors import IbcReportError
from ibc_report.common.resources import block_rows, slices
from ibc_report.common.wording import amount

__all__ = ["filled", "gather", "is_map", "release", "taken", "write"]


def write(path: Path, content: str | bytes) -> None:
    """Write a file through a temporary one beside it.

    A link is followed, and stays one. A file that is there keeps its mode and, where we may, its owner. What is no
    plain file, such as a device or a pipe, is written to.

    Parameters
    ----------
    path : Path
        Its folder is made where it is missing.
    content : str or bytes
        Text is written as UTF-8 with the line ends that it has.

    Raises
    ------
    IbcReportError
        If the file cannot be written; what was there is then still there.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        there = _status(path)
        # /dev/stdout may be a file that the shell goes on writing to
        if there is not None and (not stat.S_ISREG(there.st_mode) or path.absolute().as_posix().startswith("/dev/")):
            with path.open("ab") as stream:
                stream.write(data)
            return
        # a link that leads to nothing yet is followed too
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        leftovers.swept(target.parent)
        descriptor, temporary = leftovers.temporary_file(target.parent, target.name)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
                _give(temporary, there)
                if os.name == "nt":
                    # an open file cannot be renamed there; elsewhere closing it would let go of its lock
                    stream.close()
                _replace(temporary, target, data)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        raise IbcReportError(f"{path} cannot be written: {error.strerror or error}") from error


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _give(temporary: Path, there: os.stat_result | None) -> None:
    """Give a file the mode and owner of the one that it replaces, or those of any new file."""
    if there is None:
        # it was made for the owner alone; a report is as readable as any other new file
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        return
    own = temporary.stat()
    if (own.st_uid, own.st_gid) != (there.st_uid, there.st_gid):
        with suppress(OSError, AttributeError):
            os.chown(temporary, there.st_uid, there.st_gid)
    temporary.chmod(stat.S_IMODE(there.st_mode))


def _replace(temporary: Path, target: Path, data: bytes) -> None:
    try:
        temporary.replace(target)
    except OSError as error:
        # a file that is a mount point of its own, as in a container, cannot be replaced
        if error.errno != errno.EBUSY:
            raise
        with target.open("r+b") as stream:
            stream.write(data)
            stream.truncate()
        temporary.unlink()


IN_MEMORY = 128 << 20
"""Bytes up to which an array is kept in memory."""

MAPPED = 32 << 20
"""Bytes of a map that may stay mapped while it is filled, or read here and there."""


class _Filling(np.memmap[Any, Any]):
    """A map that hands its pages back while it is filled."""

    written = 0

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self.written += np.asarray(value).nbytes
        if self.written >= MAPPED:
            self.written = 0
            _drop(self)


def _drop(array: NDArray[Any]) -> bool:
    """Hand the pages of a shared map back; whether the array is one. What was written to them stays in the file."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    if not isinstance(base, mmap.mmap) or not hasattr(mmap, "MADV_DONTNEED"):
        return False
    base.madvise(mmap.MADV_DONTNEED)
    return True


def is_map(array: NDArray[Any]) -> bool:
    """Whether an array is a read-only memory map, which is read in order of storage and released.

    Examples
    --------
    >>> is_map(np.zeros(3))
    False
    """
    # a private map ("c") would lose what was written to it
    return getattr(array, "mode", None) == "r"


def release(array: NDArray[Any]) -> bool:
    """Hand the pages of a read-only memory map back, so that they do not count as our memory.

    Parameters
    ----------
    array : ndarray
        Any; one in memory stays as it is.

    Returns
    -------
    bool
        Whether it is such a map.

    Examples
    --------
    >>> release(np.zeros(3))
    False
    """
    return is_map(array) and _drop(array)


def gather(array: NDArray[Any], rows: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Copy scattered rows; those of a read-only memory map in order of storage, and little stays mapped at any time.

    Where the system has a file in its cache, reading a row maps all that is cached in one piece with it, up to a huge
    page: many rows at once cost little more than a few.

    Parameters
    ----------
    array : ndarray, shape (n, ...)
        From which.
    rows : ndarray of int64, shape (m,)
        Positions, all of them valid.
    out : ndarray, shape (m, ...)
        Where to, of the same type.

    Examples
    --------
    >>> out = np.empty(2, np.int64)
    >>> gather(np.array([5, 6, 7]), np.array([2, 0]), out)
    >>> out
    array([7, 5])
    """
    plain = np.asarray(array)
    if not is_map(array):
        # without a mode "take" would first copy its output
        np.take(plain, rows, axis=0, out=out, mode="clip")
        return
    order = np.argsort(rows, kind="stable")
    window = rows[order] * plain.strides[0] // MAPPED
    for part in np.split(order, np.flatnonzero(np.diff(window)) + 1):
        out[part] = plain[rows[part]]
        release(array)


def filled(shape: tuple[int, ...], dtype: DTypeLike, fill: Callable[[NDArray[Any]], None]) -> NDArray[Any]:
    """Make an array and fill it, in memory or in a file that is gone when the array is.

    Parameters
    ----------
    fill : callable
        Writes the values into the array that it is given, by assigning to parts of it.

    Returns
    -------
    ndarray
        A read-only memory map where the array has more than `IN_MEMORY` bytes.

    Examples
    --------
    >>> filled((3,), np.uint8, lambda array: array.fill(7)).tolist()
    [7, 7, 7]
    """
    if prod(shape) * np.dtype(dtype).itemsize <= IN_MEMORY:
        array = np.empty(shape, dtype=dtype)
        fill(array)
        return array
    # the file has no name, so it is gone with the last map of it
    with _reserved(prod(shape) * np.dtype(dtype).itemsize) as file:
        fill(_Filling(file, dtype=dtype, mode="r+", shape=shape))
        return np.memmap(file, dtype=dtype, mode="r", shape=shape)


@contextmanager
def _reserved(size: int) -> Iterator[IO[bytes]]:
    """Open a temporary file that has its space: a map of one that has none is a SIGBUS where the disk is full."""
    try:
        # asked first, for where no folder can be written this is what says so
        folder = tempfile.gettempdir()
        file = tempfile.TemporaryFile(prefix="ibc_report-")  # noqa: SIM115, closed below
    except OSError as error:
        raise IbcReportError(
            f"no folder for temporary files can be written ({error.strerror or error}), and {amount(size)} are needed; "
            "set TMPDIR to a folder that can be written and has that much space"
        ) from error
    with file:
        try:
            _reserve(file.fileno(), size)
        except OSError as error:
            raise IbcReportError(
                f"the folder for temporary files, {folder}, has no space for {amount(size)} ({error.strerror}; "
                f"{_free(folder)} free); set TMPDIR to a folder on a larger disk, or measure fewer rows with --max-rows"
            ) from error
        yield file


def _reserve(descriptor: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, 0, size)
            return
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
    zeros = bytes(MAPPED)
    for start in range(0, size, MAPPED):
        rest = memoryview(zeros)[: size - start]
        while rest:
            rest = rest[os.write(descriptor, rest) :]


def _free(folder: str) -> str:
    try:
        return amount(shutil.disk_usage(folder).free)
    except OSError:
        return "an unknown amount"


def taken(array: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """Keep some rows of an array, in memory or in a file as `filled` does.

    Parameters
    ----------
    array : ndarray, shape (n, ...)
        From which.
    rows : ndarray of int64
        Their positions.

    Examples
    --------
    >>> taken(np.arange(6).reshape(3, 2), np.array([2, 0])).tolist()
    [[4, 5], [0, 1]]
    """

    def fill(out: NDArray[Any]) -> None:
        for block in slices(len(rows), block_rows(prod(array.shape[1:]), array.itemsize)):
            part = np.empty((block.stop - block.start, *array.shape[1:]), array.dtype)
            gather(array, rows[block], part)
            out[block] = part

    return filled((len(rows), *array.shape[1:]), array.dtype, fill)
