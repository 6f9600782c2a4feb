"""Talking to the Hugging Face Hub: names, bounded retries, and one line for whatever goes wrong.

A repository is named OWNER/NAME. Nothing here reads or prints a token: the client takes it from its own configuration.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

from ibc_report.common.errors import IbcReportError, UsageError
from ibc_report.common.hub_failures import HubError, chain_of, explanation, status_of, transport_error

__all__ = [
    "HubError",
    "Kind",
    "address",
    "api",
    "download",
    "explained",
    "name_of",
    "pinned",
    "retried",
    "transport_error",
]

TRIES = 4

READ_TRIES = 2
"""Tries of what the clients try again by themselves."""

LONGEST_WAIT = 30.0
"""Seconds that a retry waits; where the Hub asks for more, it is said instead."""

FIRST_WAIT = 1.0

T = TypeVar("T")

Kind = Literal["dataset", "model"]
"""Kinds of repository."""


def api() -> Any:
    """Make a client of the Hub that is configured by the environment.

    Raises
    ------
    UsageError
        If HF_ENDPOINT ends in a slash, which `datasets` does not stand.
    """
    from huggingface_hub import HfApi

    # the client strips it, and `datasets` does not
    if os.environ.get("HF_ENDPOINT", "").endswith("/"):
        raise UsageError("HF_ENDPOINT ends in a slash, which the clients cannot take; set it without")
    return HfApi(library_name="ibc_report")


def address(repository: str, kind: Kind = "dataset") -> str:
    """Say where a repository's page is."""
    from huggingface_hub import constants

    return f"{constants.ENDPOINT}/{'datasets/' if kind == 'dataset' else ''}{repository}"


def pinned(repository: str, revision: str | None = None) -> Any:
    """Resolve a dataset's revision to the commit that it stands for.

    Parameters
    ----------
    revision : str, optional
        Branch, tag, pull request reference or commit; main by default.

    Returns
    -------
    huggingface_hub.DatasetInfo
        Its `sha` is the commit.

    Raises
    ------
    HubError, UsageError
        See `explained`.
    """
    from huggingface_hub import DatasetInfo, constants

    client = api()
    if constants.HF_HUB_OFFLINE:
        sha = _cached(repository, revision)
        if sha is not None:
            return DatasetInfo(id=repository, sha=sha, tags=[])  # type: ignore[no-untyped-call]
    with explained(repository, revision):
        return retried(lambda: client.dataset_info(repository, revision=revision))


def _cached(repository: str, revision: str | None) -> str | None:
    """The commit that is meant, of those that lie in the cache; the last one that was read for no revision."""
    from huggingface_hub import constants

    folder = Path(constants.HF_HUB_CACHE) / f"datasets--{repository.replace('/', '--')}" / "snapshots"
    found = sorted((path for path in folder.glob("*") if path.is_dir()), key=lambda path: path.stat().st_mtime)
    if revision is None:
        return found[-1].name if found else None
    return revision if revision in {path.name for path in found} else None


def download(repository: str, path: str, sha: str, kind: Kind = "dataset") -> bytes | None:
    """Read a file as it is in a commit.

    Parameters
    ----------
    sha : str
        Commit: a branch's name could be answered from a stale cache.

    Returns
    -------
    bytes or None
        None where the commit has no such file.

    Raises
    ------
    HubError, UsageError
        See `explained`.
    """
    from huggingface_hub.errors import RemoteEntryNotFoundError

    client = api()

    def read() -> bytes | None:
        try:
            local = client.hf_hub_download(repository, path, repo_type=kind, revision=sha)
        except RemoteEntryNotFoundError:
            return None
        return Path(local).read_bytes()

    with explained(repository, sha, kind):
        return retried(read)


def retried(call: Callable[[], T], *, tries: int = TRIES, sleep: Callable[[float], None] = time.sleep) -> T:
    """Call again after a limit or a failure of the Hub, a bounded number of times.

    Parameters
    ----------
    call : callable
        Without side effects, or safe to repeat.
    sleep : callable
        Waits a number of seconds.

    Raises
    ------
    Exception
        What the last call raised.
    """
    for attempt in range(tries - 1):
        try:
            return call()
        except Exception as error:
            wait = _wait(error, attempt)
            if wait is None:
                raise
            sleep(wait)
    return call()


@contextmanager
def explained(repository: str, revision: str | None = None, kind: Kind = "dataset") -> Iterator[None]:
    """Turn what the clients raise into one line that names the remedy.

    Raises
    ------
    UsageError
        If there is no such repository or revision.
    HubError
        If it is gated, the token is wrong, the Hub limits, fails or cannot be reached, or the client is offline.
    DataError
        If a client fails for another reason.
    """
    try:
        yield
    except IbcReportError:
        raise
    except Exception as error:
        raise explanation(error, repository, revision, address(repository, kind)) from None


def _wait(error: BaseException, attempt: int) -> float | None:
    """Seconds until the next try; None where another would not help."""
    for link in chain_of(error):
        status = status_of(link)
        if status is None:
            continue
        if status == 429:
            asked = getattr(link, "response").headers.get("Retry-After", "")  # noqa: B009 - typed as an exception
            wait = float(asked) if asked.isdecimal() else FIRST_WAIT * 2**attempt
            return wait if wait <= LONGEST_WAIT else None
        return FIRST_WAIT * 2**attempt if status >= 500 else None
    return None


_PREFIXES = ("hf://datasets/", "https://huggingface.co/datasets/", "huggingface.co/datasets/")

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


def name_of(source: str) -> str | None:
    """Read the name of a dataset of the Hub.

    Parameters
    ----------
    source : str
        OWNER/NAME, possibly as an address of the Hub.

    Returns
    -------
    str or None
        OWNER/NAME, or None where it is no such name.

    Examples
    --------
    >>> name_of("https://huggingface.co/datasets/ylecun/mnist"), name_of("./data")
    ('ylecun/mnist', None)
    """
    for prefix in _PREFIXES:
        source = source.removeprefix(prefix)
    source = source.rstrip("/")
    return source if _REPOSITORY.fullmatch(source) else None
