"""Discussions and pull requests, and their form in JSON."""

from __future__ import annotations

import datetime
import hashlib
from dataclasses import dataclass
from typing import Any, Literal

from .history import timestamp

Status = Literal["draft", "open", "closed", "merged"]


@dataclass(frozen=True)
class Event:
    """One line of a discussion: a comment, a commit, a change of status or of title."""

    kind: Literal["comment", "commit", "status-change", "title-change"]
    author: str
    date: datetime.datetime
    data: dict[str, Any]


@dataclass(frozen=True)
class Discussion:
    """A discussion; it is a pull request where `base` holds the sha it starts from."""

    number: int
    title: str
    description: str
    author: str
    status: Status
    date: datetime.datetime
    events: tuple[Event, ...] = ()
    base: str | None = None
    merge_commit: str | None = None

    @property
    def is_pull_request(self) -> bool:
        return self.base is not None

    @property
    def ref(self) -> str:
        """The revision that a pull request's commits go to."""
        return f"refs/pr/{self.number}"


def comment(text: str, author: str, date: datetime.datetime) -> Event:
    """The event of something said; the first one of a discussion is its description."""
    latest = {"raw": text, "html": text, "updatedAt": timestamp(date), "author": {"name": author}}
    return Event("comment", author, date, {"edited": False, "hidden": False, "latest": latest, "history": []})


def listed(discussion: Discussion, *, kind: str, status: str, author: str | None) -> bool:
    """Whether a discussion passes the filters of the listing."""
    wanted_kind = kind == "all" or (kind == "pull_request") == discussion.is_pull_request
    is_open = discussion.status in ("open", "draft")
    wanted_status = status == "all" or (status == "open") == is_open
    return wanted_kind and wanted_status and author in (None, discussion.author)


def summary_json(discussion: Discussion, kind: str, repo_id: str) -> dict[str, Any]:
    """A discussion in a listing."""
    return {
        "num": discussion.number,
        "title": discussion.title,
        "status": discussion.status,
        "isPullRequest": discussion.is_pull_request,
        "createdAt": timestamp(discussion.date),
        "author": {"name": discussion.author, "type": "user"},
        "repo": {"name": repo_id, "type": kind},
        "numComments": sum(event.kind == "comment" for event in discussion.events),
    }


def detail_json(discussion: Discussion, kind: str, repo_id: str, *, diff: str, conflicts: list[str]) -> dict[str, Any]:
    """A discussion on its own page."""
    detail = summary_json(discussion, kind, repo_id)
    detail["events"] = [event_json(event, discussion.number, index) for index, event in enumerate(discussion.events)]
    if discussion.is_pull_request:
        detail["changes"] = {"base": "refs/heads/main"}
        if discussion.merge_commit is not None:
            detail["changes"]["mergeCommitId"] = discussion.merge_commit
        detail["filesWithConflicts"] = conflicts
        detail["diff"] = diff
    return detail


def event_json(event: Event, number: int, index: int) -> dict[str, Any]:
    """One event; its id only has to be stable."""
    return {
        "id": hashlib.sha1(f"{number}/{index}".encode()).hexdigest()[:24],
        "type": event.kind,
        "author": {"name": event.author, "type": "user"},
        "createdAt": timestamp(event.date),
        "data": event.data,
    }
