"""What is refused before it is read: what is no file, and what unpacks to more than it seems."""

from __future__ import annotations

import gzip
import os
import re
import stat
import zipfile
from pathlib import Path

from ibc_report.common.errors import LimitError, UsageError
from ibc_report.common.wording import amount

__all__ = [
    "MOST_UNPACKED",
    "bytes_of",
    "most_unpacked",
    "refuse_large_gzip",
    "refuse_large_zip",
    "refuse_special",
    "too_large",
]

MOST_UNPACKED = 20 * 10**9
"""Bytes that an archive may unpack to where the user allows no more."""

VARIABLE = "IBC_REPORT_MAX_UNPACKED"
"""Environment variable of what the user allows: processes that are started to measure have it too."""

LARGEST_RATIO = 1032
"""What gzip packs a byte of at most."""

CHUNK = 1 << 20

KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def refuse_special(path: Path) -> None:
    """Refuse what is neither a file nor a folder: it may have no end, or never begin.

    Parameters
    ----------
    path : Path
        May be missing, which is for others to say.

    Raises
    ------
    UsageError
        If it is a pipe, a device or a socket.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    for is_kind, name in KINDS:
        if is_kind(mode):
            raise UsageError(f"{path} is {name}, which is not read; write its content to a file and give that")


def bytes_of(text: str) -> int | None:
    """Read an amount of memory or disk; None where it is none.

    Examples
    --------
    >>> bytes_of("500MB"), bytes_of("1.5 gb"), bytes_of("lots")
    (500000000, 1500000000, None)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(MB|GB|TB)", text.strip(), flags=re.IGNORECASE)
    return None if match is None else int(float(match[1]) * {"MB": 10**6, "GB": 10**9, "TB": 10**12}[match[2].upper()])


def most_unpacked() -> int | None:
    """Bytes that the user allows an archive or a picture to unpack to; None where nothing is said.

    Raises
    ------
    UsageError
        If what is said is no amount.
    """
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    allowed = bytes_of(text)
    if allowed is None:
        raise UsageError(f"{VARIABLE}={text} is no amount of bytes; write it as in 500MB or 50GB")
    return allowed


def too_large(what: str, size: str) -> LimitError:
    """Word a refusal, with the option that allows it."""
    return LimitError(
        f"{what} unpacks to {size}; if you trust it, allow more before the command, as in 'ibc-report --max-unpacked "
        f"100GB card …', or in {VARIABLE}"
    )


def refuse_large_zip(path: Path) -> None:
    """Refuse a zip whose files are larger together than is allowed; none of them yields more than it says.

    Raises
    ------
    LimitError
        If they are.
    """
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    allowed = most_unpacked() or MOST_UNPACKED
    if size > allowed:
        raise too_large(str(path), f"{amount(size)}, more than {amount(allowed)}")


def refuse_large_gzip(path: Path) -> None:
    """Refuse a gzip that holds more than is allowed; one that could is read through, for it does not say.

    Raises
    ------
    LimitError
        If it does.
    """
    allowed = most_unpacked() or MOST_UNPACKED
    if path.stat().st_size * LARGEST_RATIO <= allowed:
        return
    size = 0
    with gzip.open(path) as stream:
        while block := stream.read(CHUNK):
            size += len(block)
            if size > allowed:
                raise too_large(str(path), f"more than {amount(allowed)}")
