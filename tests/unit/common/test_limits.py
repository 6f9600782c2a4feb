"""What the machine lacks is said as such, whatever wraps it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from ibc_report.common.errors import LimitError
from ibc_report.common.limits import exceeded, not_the_data, unwritable_cache
from tests.support.limits import small_disk


def wrapped(error: BaseException) -> BaseException:
    """An error as a library gives it: raised from another, while a third was handled."""
    try:
        try:
            raise KeyError("first")
        except KeyError:
            raise error  # noqa: B904 - as libraries do
    except BaseException as inner:
        outer = RuntimeError("An error occurred while generating the dataset")
        outer.__cause__ = inner
        return outer


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            MemoryError("Unable to allocate 7.5 GiB"),
            r"memory does not suffice \(Unable to allocate 7\.5 GiB\).*max-rows",
        ),
        (MemoryError(), r"memory does not suffice; this process may have .*size="),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "memory does not suffice"),
        (RuntimeError("can't start new thread"), "memory does not suffice"),
        (RecursionError("maximum recursion depth"), "nested deeper than .* flatten"),
        (UnicodeEncodeError("utf-8", "a\ud83d", 1, 2, "surrogates"), r"U\+D83D, half of a character"),
        (UnicodeEncodeError("utf-8", "a\udcc3", 1, 2, "surrogates"), "byte 0xC3, .* set PYTHONUTF8=1"),
        (
            UnicodeEncodeError("charmap", "é…", 1, 2, "no"),
            r"U\+2026 cannot be written in charmap; set PYTHONIOENCODING",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "HF_HOME and TMPDIR"),
        (OSError(errno.ENOSPC, "No space left on device", "/elsewhere/a"), "the disk of /elsewhere/a .* set TMPDIR"),
        (OSError(errno.ENOSPC, "No space left on device", "/cache/hf/a/b"), "the disk of /cache/hf/a/b .* set HF_HOME"),
        (OSError(errno.EMFILE, "Too many open files"), "ulimit"),
        (PermissionError(errno.EACCES, "Permission denied", "/cache/hf/a"), "cache folder /cache/hf cannot .* HF_HOME"),
        (
            OSError(errno.EROFS, "Read-only file system", "/cache"),
            "cache folder /cache/hf cannot be written .* HF_HOME",
        ),
    ],
)
def test_a_limit_is_found_below_what_wraps_it(error: BaseException, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind is one line with what to do, alone and as the cause of another error."""
    monkeypatch.setenv("HF_HOME", "/cache/hf")
    for seen in (error, wrapped(error)):
        limit = exceeded(seen)
        assert limit is not None
        assert "\n" not in str(limit)
        assert limit.exit_status == 1
        with pytest.raises(LimitError, match=said):
            raise limit


@pytest.mark.parametrize(
    "error",
    [ValueError("no"), PermissionError(errno.EACCES, "Permission denied", "/data/a.csv"), ImportError("numpyy")],
)
def test_what_is_no_limit_stays_what_it_is(error: Exception) -> None:
    """A file that may not be read, or a fault of the data, is not called a limit."""
    assert exceeded(error) is None
    with pytest.raises(type(error)), not_the_data():
        raise error


def test_a_limit_is_raised_before_it_is_blamed_on_the_data() -> None:
    """What stands around the block gets a LimitError instead of the library's own error."""
    with pytest.raises(LimitError, match="memory"), not_the_data():
        raise MemoryError


def test_a_file_in_the_place_of_the_cache_is_named(tmp_path: Path) -> None:
    """A cache folder that cannot be made, or not be written, is named with HF_HOME, and one that can be is made."""
    blocked = tmp_path / "file"
    blocked.touch()
    assert f"{blocked / 'cache'} cannot be written" in str(unwritable_cache(blocked / "cache"))
    assert unwritable_cache(tmp_path / "new" / "cache") is None
    assert (tmp_path / "new" / "cache").is_dir()
    with small_disk(tmp_path / "disk", "ro") as folder:
        said = str(unwritable_cache(folder / "cache"))
    assert os.strerror(errno.EROFS) in said
    assert "HF_HOME" in said
