"""What taking a section out of a card would change: its text and its files, and nothing of another section."""

from __future__ import annotations

from ibc_report.common import hub
from ibc_report.common.errors import UsageError
from ibc_report.publish import content
from ibc_report.publish.plan import README, REMOVAL_TITLE, TITLE, difference, is_bare, standing, titled, tree
from ibc_report.publish.repository import Repository
from ibc_report.publish.section import remove, sections

__all__ = ["removal", "removals"]


def removal(repository: str, *, direct: bool, config: str | None = None) -> str:
    """Say what taking the section out would change.

    Parameters
    ----------
    repository : str
        OWNER/NAME.
    direct : bool
        On main, instead of by pull request.
    config : str, optional
        Configuration whose section is meant; the only one by default.

    Returns
    -------
    str
        The change of the card as a unified diff, and the files that would go.

    Raises
    ------
    UsageError, DataError, HubError
        As for `removals`.
    """
    head, _, changes = removals(repository, direct=direct, config=config)
    lines: list[str] = []
    for path, data in changes:
        if path == README:
            lines.insert(0, difference(hub.download(repository, README, head), data or b""))
        if data is None:
            lines.append(f"would delete {path}")
    return "\n".join(lines)


def removals(
    repository: str, *, direct: bool, config: str | None = None
) -> tuple[str, str | None, list[tuple[str, bytes | None]]]:
    """Find the section, on main or in the open pull request, and list what has to change for it to be gone.

    Parameters
    ----------
    repository : str
        OWNER/NAME.
    direct : bool
        Look on main only.
    config : str, optional
        Configuration whose section is meant; the only one by default.

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
        If there is neither a section nor a file of one, or several and none is named.
    DataError, HubError
        As for `plan`.
    """
    head = hub.pinned(repository).sha
    changes = _changes_for_removal(repository, head, config)
    if changes:
        request = None if direct else Repository(repository, "dataset").open_request(titled(REMOVAL_TITLE, config))
        if request is None:
            return head, None, changes
        head = hub.pinned(repository, request).sha
        return head, request, _changes_for_removal(repository, head, config)
    request = None if direct else Repository(repository, "dataset").open_request(titled(TITLE, config))
    if request is not None:
        head = hub.pinned(repository, request).sha
        changes = _changes_for_removal(repository, head, config)
        if changes:
            return head, request, changes
    of = "" if config is None else f" for the configuration '{config}'"
    raise UsageError(f"{repository} has no section of ibc-report{of}, on main or in an open pull request of yours")


def _changes_for_removal(repository: str, head: str, config: str | None) -> list[tuple[str, bytes | None]]:
    readme = hub.download(repository, README, head)
    found = sections(readme) if readme is not None else {}
    if config is None and len(found) > 1:
        names = ", ".join(str(name) for name in found if name is not None)
        raise UsageError(f"{repository} has several sections of ibc-report; choose one with --config: {names}")
    there = [path for path in tree(repository, head) if path.startswith(f"{content.FOLDER}/")]
    section = next(iter(found.items()), None) if config is None else standing(readme, config)
    alone = len(found) == (section is not None)
    if config is not None and (section is None or not alone):
        own = content.folder_of(config)
        there = [path for path in there if section is not None and path.rpartition("/")[0] == own]
    changes: list[tuple[str, bytes | None]] = [(path, None) for path in there]
    if readme is not None and section is not None:
        left = remove(readme, section[0])
        changes.append((README, None if is_bare(left) and section[1].startswith("# ") else left))
    return changes
