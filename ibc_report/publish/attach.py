"""A bundle goes into its model's repository: what would change, and the commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ibc_report.common import hub
from ibc_report.common.errors import DataError
from ibc_report.common.escaping import one_line
from ibc_report.publish import eval_results
from ibc_report.publish.bundle import PULL_REQUEST, folder_of
from ibc_report.publish.repository import Pushed, Repository, until_settled
from ibc_report.publish.submission import Submission

__all__ = ["AttachPlan", "attach", "plan"]

LONGEST_TITLE = 120


@dataclass(frozen=True, slots=True)
class AttachPlan:
    """What a push of a bundle would change.

    Parameters
    ----------
    repository : str
        OWNER/MODEL.
    head : str
        Commit that was read.
    revision : str or None
        Reference of the open pull request that would be updated; None for main or a new one.
    changes : mapping of str to bytes or None
        Files that would be added or changed; None for one that goes, as a former bundle of the task had it.
    """

    repository: str
    head: str
    revision: str | None
    title: str
    changes: Mapping[str, bytes | None]


def plan(submission: Submission, files: Mapping[str, bytes], *, direct: bool = False) -> AttachPlan:
    """Say what a push would change, without changing anything.

    Parameters
    ----------
    direct : bool
        Commit on main instead of opening or updating a pull request.

    Returns
    -------
    AttachPlan
        The bundle lies in a hidden folder as a whole; its file of results is where the Hub looks for it as well.

    Raises
    ------
    UsageError, HubError
        See `ibc_report.common.hub.explained`.
    DataError
        If the repository ignores the files, or holds results of the same name from somewhere else.
    """
    repository = Repository(submission.repository, "model")
    title = _title(submission)
    revision = None if direct else repository.open_request(title)
    head = repository.sha(revision)
    folder = folder_of(submission.report.name)
    wanted: dict[str, bytes | None] = {f"{folder}/{name}": data for name, data in files.items()}
    submitted = eval_results.path(submission)
    if submitted in files:
        wanted[submitted] = files[submitted]
    repository.refuse_ignored(head, list(wanted))
    present = repository.below(folder, head)
    if submitted in files:
        _refuse_foreign(repository, submitted, folder, head, files[submitted])
    changes = {path: data for path, data in wanted.items() if repository.download(path, head) != data}
    changes |= dict.fromkeys(sorted(present - set(wanted)), None)
    return AttachPlan(submission.repository, head, revision, title, changes)


def attach(submission: Submission, files: Mapping[str, bytes], *, direct: bool = False) -> Pushed:
    """Put a bundle into its model's repository.

    Raises
    ------
    HubError
        If nobody is logged in, or the Hub fails or refuses.
    UsageError, DataError
        As for `plan`.
    """
    from huggingface_hub import get_token

    if get_token() is None:
        raise hub.HubError(f"you are not logged in; log in with 'hf auth login' to write to {submission.repository}")

    def once() -> Pushed:
        found = plan(submission, files, direct=direct)
        if not found.changes:
            return Pushed(None, found.head)
        return Repository(found.repository, "model").commit(
            found.changes,
            parent=found.head,
            revision=found.revision,
            direct=direct,
            title=found.title,
            description=files[PULL_REQUEST].decode(),
        )

    return until_settled(once, submission.repository)


def _title(submission: Submission) -> str:
    return f"Add results on {one_line(submission.report.title)[:LONGEST_TITLE]} with its difficulty card"


def _refuse_foreign(repository: Repository, path: str, folder: str, head: str, wanted: bytes) -> None:
    """Leave results alone that no bundle brought."""
    there = repository.download(path, head)
    if there not in (None, wanted) and repository.download(f"{folder}/{path}", head) != there:
        raise DataError(
            f"{repository.name} has a {path} that is no bundle's; rename it, or give the task another name with "
            "ibc-report card --name"
        )
