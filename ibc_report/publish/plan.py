"""What a push would change: everything is read at one commit, and nothing is written."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Any

import yaml

from ibc_report.common import hub
from ibc_report.common.errors import UsageError
from ibc_report.publish import content
from ibc_report.publish.front_matter import add_tag
from ibc_report.publish.repository import Repository
from ibc_report.publish.section import front_matter, insert, remove, section_of
from ibc_report.report.schema.document import ReportDocument

__all__ = [
    "README",
    "REMOVAL_TITLE",
    "TITLE",
    "Plan",
    "Wishes",
    "linked_sha",
    "plan",
    "removal",
    "removals",
    "with_section",
]

README = "README.md"

TITLE = "Add a difficulty card section"

REMOVAL_TITLE = "Take the difficulty card section out"

UNKNOWN_SHA = "SHA-OF-THE-NEW-FILES"
"""Stands in the diff of a dry run for the commit that would hold the files."""

# Files that say nothing about the data: a change of theirs does not make a report stale.
_NOT_DATA = (README, ".gitattributes", ".gitignore", f"{content.FOLDER}/")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asked of a push.

    Parameters
    ----------
    direct : bool
        Commit on main instead of opening or updating a pull request.
    stale_ok : bool
        Push a report of an older state of the data.
    cite : bool
        Link to the paper.
    tag : str or None
        Tag to add to the front matter.
    """

    direct: bool = False
    stale_ok: bool = False
    cite: bool = False
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a push would change.

    Parameters
    ----------
    head : str
        Commit that was read.
    revision : str or None
        Reference of the open pull request that would be updated; None for main or a new one.
    readme : bytes or None
        The card as it is; None where there is none.
    base : bytes or None
        The card that is edited: main's, where it moved on since the pull request was opened.
    stale : str or None
        How the data differ from those that were measured.
    """

    repository: str
    head: str
    revision: str | None
    readme: bytes | None
    base: bytes | None
    wanted: bytes
    added: dict[str, bytes]
    stale: str | None

    @property
    def unchanged(self) -> bool:
        """Whether there is nothing to do."""
        return not self.added and self.readme == self.wanted

    @property
    def diff(self) -> str:
        """The change of the card as a unified diff, and what else a reader has to know."""
        change = _difference(self.readme, self.wanted)
        return f"# stale: {self.stale}\n{change}" if self.stale else change


def plan(report: ReportDocument, repository: str, wishes: Wishes) -> Plan:
    """Say what a push would change, without changing anything.

    Parameters
    ----------
    repository : str
        OWNER/NAME.

    Raises
    ------
    UsageError
        If the report is of something else.
    DataError
        If the card cannot be edited safely, or the repository ignores the files.
    HubError
        See `ibc_report.common.hub.explained`.
    """
    if report.data is None or report.data.source != repository:
        of = report.data.source if report.data is not None else "declared numbers"
        raise UsageError(f"the report is of {of}, not of {repository}; measure it with 'ibc-report card {repository}'")
    main = hub.pinned(repository)
    request = None if wishes.direct else Repository(repository, "dataset").open_request(TITLE)
    head = hub.pinned(repository, request).sha if request is not None else main.sha
    readme = hub.download(repository, README, head)
    base = readme
    if request is not None:
        base = _rebased(readme, hub.download(repository, README, main.sha))
    files = content.files(report)
    Repository(repository, "dataset").refuse_ignored(head, [README, *files])
    linked = linked_sha(readme, repository)
    added = _missing(repository, files, linked or head)
    sha = UNKNOWN_SHA if added else (linked or head)
    wanted = with_section(report, repository, base, sha, wishes)
    stale = _stale(repository, report.data.revision, main.sha)
    return Plan(repository, head, request, readme, base, wanted, added, stale)


def _rebased(ours: bytes | None, main: bytes | None) -> bytes | None:
    """The card that an open pull request edits: main's, where main's has moved on."""
    if ours is None or main is None or remove(ours) == main:
        return ours
    section = section_of(ours)
    return main if section is None else insert(main, section)


def removal(repository: str, *, direct: bool) -> str:
    """Say what taking the section out would change.

    Parameters
    ----------
    repository : str
        OWNER/NAME.
    direct : bool
        On main, instead of by pull request.

    Returns
    -------
    str
        The change of the card as a unified diff, and the files that would go.

    Raises
    ------
    UsageError, DataError, HubError
        As for `removals`.
    """
    head, _, changes = removals(repository, direct=direct)
    lines: list[str] = []
    for path, data in changes:
        if path == README:
            lines.insert(0, _difference(hub.download(repository, README, head), data or b""))
        if data is None:
            lines.append(f"would delete {path}")
    return "\n".join(lines)


def removals(repository: str, *, direct: bool) -> tuple[str, str | None, list[tuple[str, bytes | None]]]:
    """Find the section, on main or in the open pull request, and list what has to change for it to be gone.

    Parameters
    ----------
    repository : str
        OWNER/NAME.
    direct : bool
        Look on main only.

    Returns
    -------
    head : str
        The commit that was read.
    revision : str or None
        Reference of the pull request that is to be changed; None for main, or a new one.
    changes : list of (str, bytes or None)
        Paths and their new content; None for a file that goes.

    Raises
    ------
    UsageError
        If there is neither a section nor a file of one.
    DataError, HubError
        As for `plan`.
    """
    head = hub.pinned(repository).sha
    changes = _changes_for_removal(repository, head)
    if changes:
        request = None if direct else Repository(repository, "dataset").open_request(REMOVAL_TITLE)
        if request is None:
            return head, None, changes
        head = hub.pinned(repository, request).sha
        return head, request, _changes_for_removal(repository, head)
    request = None if direct else Repository(repository, "dataset").open_request(TITLE)
    if request is not None:
        head = hub.pinned(repository, request).sha
        changes = _changes_for_removal(repository, head)
        if changes:
            return head, request, changes
    raise UsageError(f"{repository} has no section of ibc-report, on main or in an open pull request of yours")


def _changes_for_removal(repository: str, head: str) -> list[tuple[str, bytes | None]]:
    readme = hub.download(repository, README, head)
    ours = [path for path in _tree(repository, head) if path.startswith(f"{content.FOLDER}/")]
    changes: list[tuple[str, bytes | None]] = [(path, None) for path in ours]
    section = section_of(readme) if readme is not None else None
    if readme is not None and section is not None:
        left = remove(readme)
        # a card that this made has its title in the section, and nothing outside
        changes.append((README, None if not left and section.startswith("# ") else left))
    return changes


def _difference(before: bytes | None, after: bytes) -> str:
    old, new = ((data or b"").decode("utf-8").splitlines() for data in (before, after))
    return "\n".join(difflib.unified_diff(old, new, f"a/{README}", f"b/{README}", lineterm=""))


def with_section(report: ReportDocument, repository: str, readme: bytes | None, sha: str, wishes: Wishes) -> bytes:
    """Write the card with its section, and its tag where one is wished for.

    Parameters
    ----------
    readme : bytes or None
        The card as it is.
    sha : str
        Commit that the section links to.
    """
    text = content.section(report, content.Links(hub.address(repository), sha), cite=wishes.cite)
    ours = readme is None or (not remove(readme) and (section_of(readme) or "").startswith("# "))
    if ours:
        # a card that is not there yet gets its title inside the section, so that all of it goes again with it
        text = f"# {repository.rpartition('/')[2]}\n\n{text}"
    edited = insert(readme if readme is not None else b"", text)
    return add_tag(edited, wishes.tag) if wishes.tag else edited


def linked_sha(readme: bytes | None, repository: str) -> str | None:
    """Find the commit of this dataset that its card's section links to; None where there is none."""
    section = section_of(readme) if readme is not None else None
    page = re.escape(hub.address(repository))
    found = re.search(rf"{page}/resolve/([0-9a-f]{{40}})/{re.escape(content.FOLDER)}/", section or "")
    if found is None:
        return None
    try:
        return str(hub.pinned(repository, found[1]).sha)
    except UsageError:
        # a history that was squashed has it no more
        return None


def _missing(repository: str, files: dict[str, bytes], sha: str) -> dict[str, bytes]:
    """The files that a commit lacks or has otherwise."""
    present = _tree(repository, sha)
    return {
        path: data for path, data in files.items() if path not in present or hub.download(repository, path, sha) != data
    }


def _tree(repository: str, sha: str) -> dict[str, str]:
    """Paths of a commit and the identifiers of their contents."""
    from huggingface_hub.hf_api import RepoFile

    client = hub.api()
    with hub.explained(repository, sha):
        entries: list[Any] = hub.retried(
            lambda: list(client.list_repo_tree(repository, recursive=True, revision=sha, repo_type="dataset"))
        )
    return {entry.path: entry.blob_id for entry in entries if isinstance(entry, RepoFile)}


def _stale(repository: str, measured: str, head: str) -> str | None:
    """How the data differ between two commits, by the identifiers of their files."""
    if measured == head:
        return None

    def data(sha: str) -> dict[str, str]:
        return {path: blob for path, blob in _tree(repository, sha).items() if not path.startswith(_NOT_DATA)}

    before, after = data(measured), data(head)
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    if _declared(repository, measured) != _declared(repository, head):
        changed.insert(0, f"the data that {README} declares")
    if not changed:
        return None
    more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
    return f"{', '.join(changed[:3])}{more} differ between the measured {measured[:10]} and {head[:10]}"


def _declared(repository: str, sha: str) -> dict[str, Any]:
    """What a card's front matter says of the files and features of the dataset."""
    readme = hub.download(repository, README, sha)
    text = readme.decode("utf-8", errors="replace") if readme is not None else ""
    span = front_matter(text)
    if span is None:
        return {}
    try:
        matter = yaml.safe_load(text[span[0] : span[1]])
    except yaml.YAMLError:
        return {}
    return {key: matter.get(key) for key in ("configs", "dataset_info")} if isinstance(matter, dict) else {}
