"""A section goes into a dataset's card on the Hub: pinned to what was read, by pull request unless told otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ibc_report.common import hub
from ibc_report.common.errors import IbcReportError, UsageError
from ibc_report.data.sources import hub as source
from ibc_report.data.sources.hub import Glimpse
from ibc_report.publish import content
from ibc_report.publish.plan import (
    README,
    REMOVAL_TITLE,
    TITLE,
    Plan,
    Wishes,
    linked_sha,
    plan,
    titled,
    with_section,
)
from ibc_report.publish.removal import removals
from ibc_report.publish.repository import Pushed, Repository, until_settled
from ibc_report.report.schema.document import ReportDocument

__all__ = ["StaleError", "push", "remove_section"]

REMOVAL = (
    "The section between the two `ibc-report` markers of README.md goes, with the pictures that it shows. Nothing "
    "outside the markers is changed."
)


class StaleError(UsageError):
    """The dataset changed since it was measured."""


def push(report: ReportDocument, repository: str, wishes: Wishes) -> Pushed:
    """Put a report's section into a dataset's card.

    Raises
    ------
    StaleError
        If the data changed since they were measured and that was not allowed.
    UsageError, DataError, HubError
        As for `plan`, and where a commit is refused.
    """
    _refuse_anonymous(repository)

    def once() -> Pushed:
        found = plan(report, repository, wishes)
        if found.stale and not wishes.stale_ok:
            raise StaleError(
                f"{repository} changed since it was measured: {found.stale}; measure again, or add --stale-ok"
            )
        if found.unchanged:
            return Pushed(None, found.head)
        if not before:
            before.append(_glimpse(report, repository, found.head))
        return _carry_out(report, found, wishes)

    before: list[Glimpse | IbcReportError] = []
    done = until_settled(once, repository)
    return _checked(report, repository, before[0], done) if before else done


def remove_section(repository: str, *, direct: bool, config: str | None = None) -> Pushed:
    """Take the section and its files out of a dataset's repository.

    Parameters
    ----------
    repository : str
        OWNER/NAME.
    direct : bool
        Commit on main instead of opening a pull request.
    config : str, optional
        Configuration whose section is meant; the only one by default.

    Raises
    ------
    UsageError
        If main has no section.
    DataError, HubError
        As for `plan`.
    """
    _refuse_anonymous(repository)

    def once() -> Pushed:
        head, revision, changes = removals(repository, direct=direct, config=config)
        if not changes:
            return Pushed(None, head)
        return Repository(repository, "dataset").commit(
            dict(changes),
            parent=head,
            revision=revision,
            direct=direct,
            title=titled(REMOVAL_TITLE, config),
            description=REMOVAL,
        )

    return until_settled(once, repository)


def _refuse_anonymous(repository: str) -> None:
    """Say that a token is needed: the Hub itself answers that a public dataset does not exist."""
    from huggingface_hub import get_token

    if get_token() is None:
        raise hub.HubError(f"you are not logged in; log in with 'hf auth login' to write to {repository}")


def _carry_out(report: ReportDocument, found: Plan, wishes: Wishes) -> Pushed:
    """Commit the files first: the card links to the commit that holds them."""
    assert report.data is not None
    config = report.data.config
    title = titled(TITLE, config)
    said = content.description(report, found.repository, found.brought)
    repository = Repository(found.repository, "dataset")

    def commit(changes: Mapping[str, bytes | None], parent: str, revision: str | None) -> Pushed:
        return repository.commit(
            changes, parent=parent, revision=revision, direct=wishes.direct, title=title, description=said
        )

    head, revision, address = found.head, found.revision, None
    if found.added:
        done = commit(found.added, head, revision)
        head, address = done.sha, done.address
        if not wishes.direct and revision is None:
            revision = repository.open_request(title)
    linked = head if found.added else (linked_sha(found.readme, found.repository, config) or head)
    wanted = with_section(report, found.repository, found.base, linked, wishes)
    if wanted == found.readme:
        return Pushed(address, head)
    done = commit({README: wanted}, head, revision)
    return Pushed(done.address or address, done.sha)


def _glimpse(report: ReportDocument, repository: str, sha: str) -> Glimpse | IbcReportError:
    """What a reader sees first at a commit, or why nothing."""
    assert report.data is not None
    try:
        return source.glimpse(repository, sha, report.data.config, report.data.split)
    except IbcReportError as error:
        return error


def _checked(report: ReportDocument, repository: str, before: Glimpse | IbcReportError, done: Pushed) -> Pushed:
    """Compare what a reader saw first before the push with what one sees now."""
    if isinstance(before, IbcReportError):
        return replace(done, unchecked=f"it could not be loaded before either: {before}")
    after = _glimpse(report, repository, done.sha)
    if isinstance(after, hub.HubError):
        return replace(done, unchecked=str(after))
    if isinstance(after, IbcReportError):
        return replace(done, loads_alike=False, difference=f"it cannot be loaded any more: {after}")
    if before == after:
        return done
    what = "features" if before.features != after.features else "first rows"
    return replace(done, loads_alike=False, difference=f"its {what} changed")
