"""A repository on the Hub: read at one commit, and changed by pull request unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

from pathspec import GitIgnoreSpec

from ibc_report.common import hub
from ibc_report.common.errors import DataError, IbcReportError

__all__ = ["Conflict", "Pushed", "Repository", "until_settled"]

TRIES = 3

CONFLICTS = (409, 412)
"""What the Hub answers where another commit came first."""

T = TypeVar("T")


class Conflict(IbcReportError):
    """Somebody else's commit came first, or a failure of the Hub had no effect: read again, and try again."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of a push.

    Parameters
    ----------
    address : str or None
        Page of the pull request or commit; None where nothing changed.
    sha : str
        Commit that now holds what was pushed.
    loads_alike : bool
        Of a dataset: whether it loads as it did before.
    difference : str
        How it does not.
    unchecked : str
        Why that could not be checked; empty where it was.
    """

    address: str | None
    sha: str
    loads_alike: bool = True
    difference: str = ""
    unchecked: str = ""


@dataclass(frozen=True, slots=True)
class Repository:
    """A dataset's or a model's repository; what reads it raises as `ibc_report.common.hub.explained` says.

    Parameters
    ----------
    name : str
        OWNER/NAME.
    """

    name: str
    kind: hub.Kind

    @property
    def page(self) -> str:
        """Its address."""
        return hub.address(self.name, self.kind)

    def explained(self, revision: str | None = None) -> AbstractContextManager[None]:
        """Turn what the client raises into one line (`ibc_report.common.hub.explained`)."""
        return hub.explained(self.name, revision, self.kind)

    def sha(self, revision: str | None = None) -> str:
        """Resolve a revision to its commit.

        Parameters
        ----------
        revision : str, optional
            Branch, tag, pull request reference or commit; main by default.
        """
        client = hub.api()
        with self.explained(revision):
            return str(hub.retried(lambda: client.repo_info(self.name, repo_type=self.kind, revision=revision)).sha)

    def download(self, path: str, sha: str) -> bytes | None:
        """Read a file as it is in a commit.

        Parameters
        ----------
        sha : str
            Commit: a branch's name could be answered from a stale cache.

        Returns
        -------
        bytes or None
            None where the commit has no such file.
        """
        return hub.download(self.name, path, sha, self.kind)

    def below(self, folder: str, sha: str) -> frozenset[str]:
        """List the files of a folder.

        Returns
        -------
        frozenset of str
            Their paths; empty where there is no such folder.
        """
        from huggingface_hub.errors import RemoteEntryNotFoundError
        from huggingface_hub.hf_api import RepoFile

        client = hub.api()

        def read() -> list[Any]:
            try:
                return list(client.list_repo_tree(self.name, folder, recursive=True, repo_type=self.kind, revision=sha))
            except RemoteEntryNotFoundError:
                return []

        with self.explained(sha):
            return frozenset(entry.path for entry in hub.retried(read) if isinstance(entry, RepoFile))

    def open_request(self, title: str) -> str | None:
        """Find the open pull request with this title that the user made.

        Returns
        -------
        str or None
            Its reference; None where there is none, or nobody is logged in.
        """
        from huggingface_hub import get_token

        if get_token() is None:
            return None
        client = hub.api()
        with self.explained():
            author = hub.retried(client.whoami)["name"]
            requests: list[Any] = hub.retried(
                lambda: list(
                    client.get_repo_discussions(
                        self.name,
                        author=author,
                        discussion_type="pull_request",
                        discussion_status="open",
                        repo_type=self.kind,
                    )
                )
            )
        numbers = [request.num for request in requests if request.title == title]
        return f"refs/pr/{max(numbers)}" if numbers else None

    def refuse_ignored(self, sha: str, paths: list[str]) -> None:
        """Refuse files that the repository ignores: the Hub drops them, and the client goes on without a word.

        Raises
        ------
        DataError
            If one is ignored.
        HubError, UsageError
            See `ibc_report.common.hub.explained`.
        """
        rules = self.download(".gitignore", sha)
        if rules is None:
            return
        spec = GitIgnoreSpec.from_lines(rules.decode("utf-8", errors="replace").splitlines())
        ignored = [path for path in paths if spec.match_file(path)]
        if ignored:
            raise DataError(
                f"the .gitignore of {self.name} ignores {ignored[0]}, so the Hub would drop it; take the rule out"
            )

    def commit(
        self,
        changes: Mapping[str, bytes | None],
        *,
        parent: str,
        revision: str | None,
        direct: bool,
        title: str,
        description: str,
    ) -> Pushed:
        """Commit once; a failure of the Hub is read back before it is told.

        Parameters
        ----------
        changes : mapping of str to bytes or None
            Path to new content; None for a file that goes.
        parent : str
            Commit that was read.
        revision : str or None
            Pull request reference to go on with; None for main or a new one.
        direct : bool
            On main, instead of a pull request.
        title, description : str
            Of the commit, and of the pull request that it opens.

        Raises
        ------
        Conflict
            If another commit came first, or the Hub failed without effect.
        HubError, UsageError, DataError
            See `ibc_report.common.hub.explained`.
        """
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete
        from huggingface_hub.errors import HfHubHTTPError

        client = hub.api()
        opens = not direct and revision is None

        def send() -> Any:
            # operations are used up by a try, so each makes its own
            operations = [
                CommitOperationDelete(path) if data is None else CommitOperationAdd(path, data)
                for path, data in changes.items()
            ]
            return client.create_commit(
                self.name,
                operations,
                commit_message=title,
                commit_description=description,
                repo_type=self.kind,
                revision=revision,
                create_pr=opens,
                parent_commit=parent,
            )

        try:
            with self.explained(revision):
                try:
                    info = hub.retried(send, writes=True)
                except HfHubHTTPError as error:
                    if error.response is not None and error.response.status_code in CONFLICTS:
                        raise Conflict from error
                    raise
        except Conflict:
            raise
        except IbcReportError as error:
            if not _unclear(error):
                raise
            landed = self._landed(changes, revision, opens=opens, title=title)
            if landed is None:
                raise Conflict from error
            return landed
        return Pushed(info.pr_url if opens else self._address(revision, info.oid), info.oid)

    def _address(self, revision: str | None, sha: str) -> str:
        return f"{self.page}/discussions/{revision.rpartition('/')[2]}" if revision else f"{self.page}/commit/{sha}"

    def _landed(
        self, changes: Mapping[str, bytes | None], revision: str | None, *, opens: bool, title: str
    ) -> Pushed | None:
        """Whether a commit whose answer was a failure is there all the same."""
        if opens:
            revision = self.open_request(title)
            if revision is None:
                return None
        sha = self.sha(revision)
        if any(self.download(path, sha) != data for path, data in changes.items()):
            return None
        return Pushed(self._address(revision, sha), sha)


def until_settled(once: Callable[[], T], name: str) -> T:
    """Read again and try again where another commit came first or the Hub failed without effect.

    Parameters
    ----------
    once : callable
        Reads, and commits once.
    name : str
        OWNER/NAME.

    Raises
    ------
    IbcReportError
        What made the last try fail.
    """
    for _ in range(TRIES):
        try:
            return once()
        except Conflict as conflict:
            last = conflict
    if isinstance(last.__cause__, IbcReportError):
        raise last.__cause__
    raise hub.HubError(
        f"{name} was changed by somebody else {TRIES} times meanwhile; nothing of theirs is lost, try again later"
    )


def _unclear(error: IbcReportError) -> bool:
    """Whether a failure may have had an effect: the Hub failed, or its answer did not arrive."""
    cause = error.__context__
    status = getattr(getattr(cause, "response", None), "status_code", 500)
    return isinstance(cause, hub.transport_error()) and status >= 500
