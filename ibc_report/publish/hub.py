"""A section goes into a dataset's card on the Hub: pinned to what was read, by pull request unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ibc_report import hub
from ibc_report.errors import IbcReportError, UsageError
from ibc_report.publish import content
from ibc_report.publish.plan import README, TITLE, Plan, Wishes, linked_sha, open_request, plan, removals, with_section
from ibc_report.report import Report
from ibc_report.sources import hub as source

__all__ = ["Pushed", "StaleError", "push", "remove_section"]

REMOVAL_TITLE = "Take the difficulty card section out"
DESCRIPTION = (
    "The section between the two `ibc-report` markers of README.md says how hard it is to generalize on this dataset, "
    "and how sure that is. Nothing outside the markers is changed. The files that it links to lie in the hidden folder "
    f"`{content.FOLDER}`, which loading the dataset does not see."
)
TRIES = 3


class StaleError(UsageError):
    """The dataset changed since it was measured."""


class _Conflict(IbcReportError):
    """Somebody else's commit came first."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of a push.

    Parameters
    ----------
    address : str or None
        Page of the pull request or commit; None where nothing changed.
    sha : str
        Commit that now holds the section.
    loads_alike : bool
        Whether the dataset loads as it did before.
    difference : str
        How it does not.
    """

    address: str | None
    sha: str
    loads_alike: bool = True
    difference: str = ""


def push(report: Report, repository: str, wishes: Wishes) -> Pushed:
    """Put a report's section into a dataset's card.

    Parameters
    ----------
    report, repository, wishes
        As for `plan`.

    Returns
    -------
    Pushed

    Raises
    ------
    StaleError
        If the data changed since they were measured and that was not allowed.
    UsageError, DataError, HubError
        As for `plan`, and where a commit is refused.
    """

    def once() -> Pushed:
        found = plan(report, repository, wishes)
        if found.stale and not wishes.stale_ok:
            raise StaleError(
                f"{repository} changed since it was measured: {found.stale}; measure again, or add --stale-ok"
            )
        if found.unchanged:
            return Pushed(None, found.head)
        return _carry_out(report, found, wishes)

    return _checked(report, repository, _until_settled(once, repository))


def remove_section(repository: str, *, direct: bool) -> Pushed:
    """Take the section and its files out of a dataset's repository.

    Parameters
    ----------
    repository : str
        OWNER/NAME.
    direct : bool
        Commit on main instead of opening a pull request.

    Returns
    -------
    Pushed

    Raises
    ------
    UsageError
        If main has no section.
    DataError, HubError
        As for `plan`.
    """

    def once() -> Pushed:
        head = hub.pinned(repository).sha
        changes = removals(repository, head)
        return _commit(repository, changes, head, None, direct=direct, title=REMOVAL_TITLE)

    return _until_settled(once, repository)


def _carry_out(report: Report, found: Plan, wishes: Wishes) -> Pushed:
    """Commit the files first: the card links to the commit that holds them."""
    head, revision, address = found.head, found.revision, None
    if found.added:
        done = _commit(found.repository, list(found.added.items()), head, revision, direct=wishes.direct, title=TITLE)
        head, address = done.sha, done.address
        if not wishes.direct and revision is None:
            revision = open_request(found.repository, TITLE)
    linked = head if found.added else (linked_sha(found.readme) or head)
    wanted = with_section(report, found.repository, found.readme, linked, wishes)
    if wanted == found.readme:
        return Pushed(address, head)
    done = _commit(found.repository, [(README, wanted)], head, revision, direct=wishes.direct, title=TITLE)
    return Pushed(done.address or address, done.sha)


def _commit(
    repository: str,
    changes: list[tuple[str, bytes | None]],
    parent: str,
    revision: str | None,
    *,
    direct: bool,
    title: str,
) -> Pushed:
    """One commit; a failure of the Hub is read back before it is told."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete
    from huggingface_hub.errors import HfHubHTTPError

    client = hub.api()
    opens = not direct and revision is None
    try:
        with hub.explained(repository):
            try:
                # operations are used up by a try, so each makes its own
                info = client.create_commit(
                    repository,
                    [
                        CommitOperationDelete(path) if data is None else CommitOperationAdd(path, data)
                        for path, data in changes
                    ],
                    commit_message=title,
                    commit_description=DESCRIPTION,
                    repo_type="dataset",
                    revision=revision,
                    create_pr=opens,
                    parent_commit=parent,
                )
            except HfHubHTTPError as error:
                status = error.response.status_code if error.response is not None else None
                if status in (409, 412):
                    raise _Conflict from error
                raise
    except _Conflict:
        raise
    except IbcReportError as error:
        cause = error.__context__
        unclear = isinstance(cause, hub.transport_error()) and (
            getattr(getattr(cause, "response", None), "status_code", 500) >= 500
        )
        landed = _landed(repository, changes, revision, opens=opens, title=title) if unclear else None
        if landed is not None:
            return landed
        if unclear:
            raise _Conflict from error
        raise
    address = info.pr_url if opens else f"{hub.address(repository)}/commit/{info.oid}"
    if revision is not None:
        address = f"{hub.address(repository)}/discussions/{revision.rpartition('/')[2]}"
    return Pushed(address, info.oid)


def _landed(
    repository: str, changes: list[tuple[str, bytes | None]], revision: str | None, *, opens: bool, title: str
) -> Pushed | None:
    """Whether a commit whose answer was a failure is there all the same."""
    if opens:
        revision = open_request(repository, title)
        if revision is None:
            return None
    sha = hub.pinned(repository, revision).sha
    if any(hub.download(repository, path, sha) != data for path, data in changes):
        return None
    page = hub.address(repository)
    address = f"{page}/discussions/{revision.rpartition('/')[2]}" if revision else f"{page}/commit/{sha}"
    return Pushed(address, sha)


def _until_settled(once: Callable[[], Pushed], repository: str) -> Pushed:
    """Read again and try again where another commit came first or the Hub failed without effect."""
    for _ in range(TRIES):
        try:
            return once()
        except _Conflict as conflict:
            last = conflict
    cause = last.__cause__
    if isinstance(cause, IbcReportError):
        raise cause
    raise hub.HubError(
        f"{repository} was changed by somebody else {TRIES} times meanwhile; nothing of theirs is lost, try again later"
    )


def _checked(report: Report, repository: str, done: Pushed) -> Pushed:
    """Load the dataset as it was measured and as it is now, and compare what a reader sees first."""
    if done.address is None or report.data is None:
        return done
    config, split = report.data.config, report.data.split
    before = source.glimpse(repository, report.data.revision, config, split)
    try:
        after = source.glimpse(repository, done.sha, config, split)
    except IbcReportError as error:
        return Pushed(done.address, done.sha, False, f"it cannot be loaded any more: {error}")
    if before == after:
        return done
    what = "features" if before.features != after.features else "first rows"
    return Pushed(done.address, done.sha, False, f"its {what} changed")
