"""What the Hub's clients raise, as one line that names the remedy; none of them repeats a token."""

from __future__ import annotations

import os
import re
from collections.abc import Container
from dataclasses import dataclass
from functools import cache

from ibc_report.common.errors import DataError, IbcReportError, UsageError

__all__ = ["NOT_RUN", "HubError", "chain_of", "explanation", "status_of", "transport_error"]

_TOKEN = re.compile(r"hf_[A-Za-z0-9]{8,}")


NOT_RUN = "is loaded by a script, which is not run"


class HubError(IbcReportError):
    """The Hub cannot be reached, refuses, or fails."""


def transport_error() -> type[Exception]:
    """Base of what the client raises where the network or the Hub fails.

    Returns
    -------
    type
        The HTTP library is the client's own choice, and changed between its versions.
    """
    from huggingface_hub.errors import HfHubHTTPError

    base = HfHubHTTPError.__mro__[1]
    assert issubclass(base, Exception)
    return base


@dataclass(frozen=True, slots=True)
class _Failure:
    """What a client raised, with all that it came from."""

    chain: list[BaseException]
    status: int | None
    text: str


@dataclass(frozen=True, slots=True)
class _Remedy:
    """What is said of a failure: of one with one of the statuses, and with any of the signs where there are signs."""

    error: type[IbcReportError]
    line: str
    kinds: tuple[type[BaseException], ...] = ()
    names: tuple[str, ...] = ()
    """Classes of `datasets`, which is slow to import."""
    text: str | None = None
    """A pattern; `datasets` keeps the text of some errors, not their class."""
    statuses: Container[int | None] | None = None

    def fits(self, failure: _Failure) -> bool:
        """Whether this is what to say."""
        if self.statuses is not None and failure.status not in self.statuses:
            return False
        signs = (
            any(isinstance(link, self.kinds) or type(link).__name__ in self.names for link in failure.chain),
            self.text is not None and re.search(self.text, failure.text) is not None,
        )
        return any(signs) or not (self.kinds or self.names or self.text)


NO_ANSWER = (None,)
"""Stands for a failure without a status: nothing has answered."""


@cache
def _remedies() -> tuple[_Remedy, ...]:
    """What is said, the first that fits."""
    from huggingface_hub import errors as hub

    return (
        _Remedy(
            HubError,
            "{repository}{at} is not in the cache and HF_HUB_OFFLINE is set; unset it, or run once with a network",
            kinds=(hub.OfflineModeIsEnabled,),
        ),
        _Remedy(
            HubError,
            "{repository} is gated; ask for access at {where} and log in with 'hf auth login', then try again",
            kinds=(hub.GatedRepoError,),
            text="is a gated dataset",
        ),
        _Remedy(
            HubError,
            "the Hub does not accept your token; log in again with 'hf auth login', or unset HF_TOKEN",
            text="(?i:invalid)",
            statuses=(401,),
        ),
        _Remedy(
            UsageError,
            "{repository} has no revision '{revision}'; see {where}/commits/main",
            kinds=(hub.RevisionNotFoundError,),
        ),
        _Remedy(
            UsageError,
            "{repository} does not exist on the Hub, or is private and you may not see it; check the name, or log in "
            "with 'hf auth login'",
            kinds=(hub.RepositoryNotFoundError,),
            names=("DatasetNotFoundError",),
        ),
        _Remedy(
            HubError,
            "the Hub does not know you; log in with 'hf auth login' to reach {repository}",
            statuses=(401,),
        ),
        _Remedy(
            HubError,
            "your token may not do this to {repository}; use one with write access, or ask its owner",
            statuses=(403,),
        ),
        _Remedy(
            HubError,
            "the Hub limits how often you may ask (429); wait some minutes, or log in",
            statuses=(429,),
        ),
        _Remedy(
            HubError,
            "the Hub fails ({status}); nothing is wrong here, try again later",
            statuses=range(500, 1000),
        ),
        _Remedy(
            DataError,
            f"{{repository}} {NOT_RUN}",
            text="Dataset scripts are no longer supported",
        ),
        _Remedy(
            HubError,
            "the Hub cannot be reached at {where}; check the network and HF_ENDPOINT",
            kinds=(transport_error(), ConnectionError),
            statuses=NO_ANSWER,
        ),
        _Remedy(
            HubError,
            "you are not logged in; log in with 'hf auth login' to write to {repository}",
            kinds=(hub.LocalTokenNotFoundError,),
            text="Token is required",
        ),
        _Remedy(
            DataError,
            "{repository}{at} has no rows; choose another --split or --config",
            text="BatchSize must be greater than 0|corresponds to no data",
        ),
        _Remedy(
            DataError,
            "{repository}{at} has no data files that can be loaded; see {where}/tree/main",
            names=("DataFilesNotFoundError", "EmptyDatasetError"),
            text=r"No \(supported\) data files",
        ),
    )


def explanation(error: Exception, repository: str, revision: str | None, where: str) -> IbcReportError:
    """Word whatever a client raised as one line that names the remedy; `where` is the repository's address."""
    chain = chain_of(error)
    failure = _Failure(chain, next((code for code in map(status_of, chain) if code is not None), None), _text(error))
    at = f"@{revision}" if revision else ""
    if os.environ.get("HF_DATASETS_OFFLINE", "0") not in ("", "0") and failure.status is None:
        return HubError(
            f"{repository}{at} is not in the cache and HF_DATASETS_OFFLINE is set; unset it, or run once with a network"
        )
    for remedy in _remedies():
        if remedy.fits(failure):
            return remedy.error(
                remedy.line.format(repository=repository, at=at, revision=revision, where=where, status=failure.status)
            )
    reason = next((said for link in chain if (said := getattr(link, "server_message", None))), None)
    if failure.status is not None and reason:
        said = _TOKEN.sub("hf_…", " ".join(str(reason).split()))
        return HubError(f"the Hub refuses {repository}{at} ({failure.status}): {said}")
    return DataError(f"{repository}{at} cannot be read: {_TOKEN.sub('hf_…', _innermost(chain))}")


def chain_of(error: BaseException) -> list[BaseException]:
    """The error and what it came from."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    return chain


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an error carries; None where it came without an answer."""
    code = getattr(getattr(error, "response", None), "status_code", None)
    return code if isinstance(code, int) else None


def _text(error: BaseException) -> str:
    return " ".join(f"{link} {getattr(link, 'server_message', '') or ''}" for link in chain_of(error))


def _innermost(chain: list[BaseException]) -> str:
    for link in reversed(chain):
        if text := str(link).strip():
            return text.splitlines()[0]
    return type(chain[0]).__name__
