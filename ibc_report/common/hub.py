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
from ibc_report.common.hub_failures import NOT_RUN, HubError, chain_of, explanation, status_of, transport_error
from ibc_report.common.limits import not_the_data

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
    HubError
        If the token has characters that none has, which no request can carry.
    """
    from huggingface_hub import HfApi, get_token

    # the client strips it, and `datasets` does not
    if os.environ.get("HF_ENDPOINT", "").endswith("/"):
        raise UsageError("HF_ENDPOINT ends in a slash, which the clients cannot take; set it without")
    if not (get_token() or "").isascii():
        raise HubError(
            "your token has characters that no token has, such as a letter with an accent or a dash from a text; copy "
            "it again into HF_TOKEN, or log in with 'hf auth login'"
        )
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


def retried(
    call: Callable[[], T], *, tries: int = TRIES, writes: bool = False, sleep: Callable[[float], None] = time.sleep
) -> T:
    """Call again after a limit or a failure of the Hub, a bounded number of times.

    Parameters
    ----------
    call : callable
        Without side effects, or safe to repeat.
    writes : bool
        Call again after a limit only: what the Hub refused so had no effect, and a failure may have had one.
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
            if wait is None or (writes and not _is_limit(error)):
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
        with not_the_data():
            yield
    except IbcReportError:
        raise
    except Exception as error:
        said = explanation(error, repository, revision, address(repository, kind))
        if NOT_RUN in str(said) and _is_converted(repository):
            said = type(said)(f"{said}; try --revision {CONVERTED}")
        raise said from None


CONVERTED = "refs/convert/parquet"
"""Where the Hub keeps a copy of a dataset as parquet, of those that it could convert."""


def _is_converted(repository: str) -> bool:
    try:
        refs = api().list_repo_refs(repository, repo_type="dataset")
    # this is asked after a failure, and must not be another one
    except Exception:
        return False
    return any(ref.ref == CONVERTED for ref in refs.converts)


def _is_limit(error: BaseException) -> bool:
    return next((status for link in chain_of(error) if (status := status_of(link)) is not None), None) == 429


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
