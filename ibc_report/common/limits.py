"""What the machine lacked, where a library failed for that: memory, disk, depth, a folder that can be written.

Such a failure comes out of any library at any depth, wrapped in errors of others; no file is at fault then.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ibc_report.common.errors import LimitError
from ibc_report.common.wording import amount

__all__ = ["exceeded", "not_the_data", "unwritable_cache"]

SMALLER = "measure fewer rows with --max-rows, or smaller vectors, as with --encoder image:size=32"

NO_SPACE = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})

NO_FOLDER = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.ENOENT})


def exceeded(error: BaseException) -> LimitError | None:
    """Word a failure that is a limit of the machine; None for any other.

    Parameters
    ----------
    error : exception
        With what it came from.

    Examples
    --------
    >>> print(exceeded(RecursionError("maximum recursion depth exceeded")))
    a value is nested deeper than the 1,000 levels that can be followed; flatten it, or leave its column out
    >>> exceeded(ValueError("no number")) is None
    True
    """
    links: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in links:
        links.append(link)
        link = link.__cause__ or link.__context__
    for link in links:
        said = _worded(link)
        if said is not None:
            return LimitError(said)
    return None


@contextmanager
def not_the_data() -> Iterator[None]:
    """Raise a limit of the machine as such, before what stands around this calls it a fault of the data.

    Raises
    ------
    LimitError
        If the block failed for a limit.
    """
    try:
        yield
    except LimitError:
        raise
    except Exception as error:
        limit = exceeded(error)
        if limit is not None:
            raise limit from error
        raise


def _worded(error: BaseException) -> str | None:
    if _is_of_memory(error):
        wanted = f" ({str(error).strip().splitlines()[0]})" if str(error).strip() else ""
        return f"the memory does not suffice{wanted}; this process may have {_memory()}: {SMALLER}"
    if isinstance(error, RecursionError):
        return (
            f"a value is nested deeper than the {sys.getrecursionlimit():,} levels that can be followed; flatten it, "
            "or leave its column out"
        )
    if isinstance(error, UnicodeEncodeError):
        return _unencodable(error)
    if not isinstance(error, OSError):
        return None
    if error.errno in NO_SPACE:
        return f"{_disk(error.filename)} has no space left ({error.strerror}); {_other_disk(error.filename)}"
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "too many files are open; raise the limit, as with 'ulimit -n 4096'"
    cache = _cache_of(error.filename)
    if error.errno in NO_FOLDER and cache is not None:
        return _unwritable(cache, error)
    return None


def _is_of_memory(error: BaseException) -> bool:
    text = str(error).lower()
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        # a thread's stack, and a library's code, are memory too
        or (isinstance(error, RuntimeError) and "can't start new thread" in text)
        or (isinstance(error, ImportError) and ("cannot allocate memory" in text or "failed to map segment" in text))
    )


def _unencodable(error: UnicodeEncodeError) -> str:
    # what stands in text as half of a pair, or for a byte that is no text
    code = ord(error.object[error.start])
    if 0xDC80 <= code <= 0xDCFF:
        return (
            f"a name or an argument has the byte 0x{code - 0xDC00:X}, which is no text in the system's encoding "
            f"({sys.getfilesystemencoding()}); set PYTHONUTF8=1, or a UTF-8 locale"
        )
    character = f"U+{code:04X}"
    if error.encoding.replace("-", "").lower() == "utf8":
        return (
            f"a text has {character}, half of a character, which UTF-8 cannot hold; replace it, as with "
            "text.encode('utf-8', 'replace')"
        )
    return f"{character} cannot be written in {error.encoding}; set PYTHONIOENCODING=utf-8, or PYTHONUTF8=1"


def _memory() -> str:
    """What this process may have, by its own limit or by the machine."""
    sizes = []
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        if soft != resource.RLIM_INFINITY:
            sizes.append(soft)
    with suppress(AttributeError, OSError, ValueError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return amount(min(sizes)) if sizes else "what the system leaves it"


def cache_home() -> Path:
    """Where the clients of the Hub keep what they fetch and what they convert."""
    given = os.environ.get("HF_HOME")
    if given:
        return Path(given).expanduser()
    # unlike Path.expanduser this does not fail where there is no home
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")  # noqa: PTH111, PTH118
    return Path(base) / "huggingface"


def _caches() -> list[Path]:
    names = ("HF_DATASETS_CACHE", "HF_HUB_CACHE", "HF_MODULES_CACHE")
    return [cache_home(), *(Path(os.environ[name]).expanduser() for name in names if os.environ.get(name))]


def _cache_of(filename: str | bytes | int | None) -> Path | None:
    """The cache folder that a path lies in, or that could not be made for it."""
    if filename is None or isinstance(filename, int):
        return None
    path = Path(os.fsdecode(filename)).resolve()
    for cache in _caches():
        whole = cache.resolve()
        if path == whole or whole in path.parents or path in whole.parents:
            return cache
    return None


def _unwritable(path: Path, error: OSError) -> str:
    return f"the cache folder {path} cannot be written ({error.strerror or error}); set HF_HOME to a folder that can be"


def unwritable_cache(path: Path) -> LimitError | None:
    """Try whether a cache folder can be written; what to say where it cannot.

    Parameters
    ----------
    path : Path
        It is made where it is missing.
    """
    import tempfile

    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return None
    except OSError as error:
        return LimitError(_unwritable(path, error))


def _disk(filename: str | bytes | int | None) -> str:
    if filename is None or isinstance(filename, int):
        return f"the disk of the cache folder {cache_home()}, or of the folder for temporary files,"
    return f"the disk of {os.fsdecode(filename)}"


def _other_disk(filename: str | bytes | int | None) -> str:
    if filename is None or isinstance(filename, int):
        return "set HF_HOME and TMPDIR to folders on a larger disk"
    return f"set {'TMPDIR' if _cache_of(filename) is None else 'HF_HOME'} to a folder on a larger disk"
