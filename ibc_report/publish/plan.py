"""What a push would change: everything is read at one commit, and nothing is written."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Any

import yaml

from ibc_report.common import hub
from ibc_report.common.errors import UsageError
from ibc_report.common.escaping import one_line
from ibc_report.publish import content
from ibc_report.publish.front_matter import add_tag
from ibc_report.publish.repository import Repository
from ibc_report.publish.section import front_matter, insert, remove, sections
from ibc_report.report.schema.document import ReportDocument

__all__ = [
    "README",
    "REMOVAL_TITLE",
    "TITLE",
    "Plan",
    "Wishes",
    "difference",
    "is_bare",
    "linked_sha",
    "plan",
    "standing",
    "titled",
    "tree",
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
        Tag to add to the front matter; a card that is made here gets front matter for it.
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
    def brought(self) -> dict[str, int]:
        """Bytes that each file gains."""
        # a commit is named by 40 digits
        size = len(self.wanted.replace(UNKNOWN_SHA.encode(), b"0" * 40)) - len(self.readme or b"")
        return {README: size, **{path: len(data) for path, data in self.added.items()}}

    @property
    def diff(self) -> str:
        """The change of the card as a unified diff, and what else a reader has to know."""
        change = difference(self.readme, self.wanted)
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
    config = report.data.config
    request = None if wishes.direct else Repository(repository, "dataset").open_request(titled(TITLE, config))
    head = hub.pinned(repository, request).sha if request is not None else main.sha
    readme = hub.download(repository, README, head)
    base = readme
    if request is not None:
        base = _rebased(readme, hub.download(repository, README, main.sha), config)
    files = content.files(report)
    Repository(repository, "dataset").refuse_ignored(head, [README, *files])
    linked = linked_sha(readme, repository, config)
    added = _missing(repository, files, linked or head)
    sha = UNKNOWN_SHA if added else (linked or head)
    wanted = with_section(report, repository, base, sha, wishes)
    stale = _stale(repository, report.data.revision, main.sha)
    return Plan(repository, head, request, readme, base, wanted, added, stale)


def titled(title: str, config: str | None) -> str:
    """Name the pull request of a configuration, so that each has its own.

    Examples
    --------
    >>> titled("Add a section", None), titled("Add a section", "en")
    ('Add a section', 'Add a section (en)')
    """
    return title if config is None else f"{title} ({one_line(config)})"


def standing(readme: bytes | None, config: str | None) -> tuple[str | None, str] | None:
    """Find the section of a configuration, also the one without a name that an earlier version wrote.

    Returns
    -------
    tuple of (str or None, str), or None
        Its name and its text; None where there is none.
    """
    found = sections(readme) if readme is not None else {}
    if config in found:
        return config, found[config]
    if None in found and content.config_of(found[None]) == config:
        return None, found[None]
    return None


def _rebased(ours: bytes | None, main: bytes | None, config: str | None) -> bytes | None:
    """The card that an open pull request edits: main's, where main's has moved on."""
    section = standing(ours, config)
    if ours is None or main is None or section is None or remove(ours, section[0]) == main:
        return ours
    return insert(main, section[1], config, earlier=_takes_place(main, config))


def _takes_place(readme: bytes, config: str | None) -> bool:
    """Whether the section without a name is an earlier one of this configuration."""
    found = standing(readme, config)
    return found is not None and found[0] is None and config is not None


def is_bare(left: bytes) -> bool:
    """Say whether what stands outside of a section was made with it: a card that this made has its title inside."""
    text = left.decode("utf-8")
    span = front_matter(text)
    if span is None:
        return not text
    try:
        matter = yaml.safe_load(text[span[0] : span[1]])
    except yaml.YAMLError:
        return False
    tags = matter.get("tags") if isinstance(matter, dict) and set(matter) == {"tags"} else None
    return isinstance(tags, list) and len(tags) == 1 and text == _bare(tags[0]).decode("utf-8")


def _bare(tag: str) -> bytes:
    """Front matter of a card that is not there yet."""
    return add_tag(b"---\ntags: []\n---\n", tag)


def difference(before: bytes | None, after: bytes) -> str:
    """Write the change of a card as a unified diff."""
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
    assert report.data is not None
    config = report.data.config
    text = content.section(report, content.Links(hub.address(repository), sha, config), cite=wishes.cite)
    former = standing(readme, config)
    made_here = former is not None and former[1].startswith("# ") and is_bare(remove(readme or b"", former[0]))
    if readme is None or made_here:
        # a card that is not there yet gets its title inside the section, so that all of it goes again with it
        text = f"# {repository.rpartition('/')[2]}\n\n{text}"
    if readme is None:
        return insert(_bare(wishes.tag) if wishes.tag else b"", text, config)
    edited = insert(readme, text, config, earlier=_takes_place(readme, config))
    return add_tag(edited, wishes.tag) if wishes.tag else edited


def linked_sha(readme: bytes | None, repository: str, config: str | None) -> str | None:
    """Find the commit of this dataset that its card's section links to; None where there is none."""
    section = standing(readme, config)
    page, folder = re.escape(hub.address(repository)), re.escape(content.folder_of(config))
    found = re.search(rf"{page}/resolve/([0-9a-f]{{40}})/{folder}/ruler", section[1] if section is not None else "")
    if found is None:
        return None
    try:
        return str(hub.pinned(repository, found[1]).sha)
    except UsageError:
        # a history that was squashed has it no more
        return None


def _missing(repository: str, files: dict[str, bytes], sha: str) -> dict[str, bytes]:
    """The files that a commit lacks or has otherwise."""
    present = tree(repository, sha)
    return {
        path: data for path, data in files.items() if path not in present or hub.download(repository, path, sha) != data
    }


def tree(repository: str, sha: str) -> dict[str, str]:
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
        return {path: blob for path, blob in tree(repository, sha).items() if not path.startswith(_NOT_DATA)}

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
    found = matter if isinstance(matter, dict) else {}
    return {key: found[key] for key in ("configs", "dataset_info") if found.get(key) is not None}
