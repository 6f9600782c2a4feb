"""Commits: a tree, its parents and who said what, named by the hash that git would give."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from .blobs import git_hash
from .trees import Entry, Tree, folder_ids

EPOCH = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


class Clock:
    """A clock that moves one second at every look, so that the same steps give the same hashes."""

    def __init__(self) -> None:
        self._ticks = 0

    def now(self) -> datetime.datetime:
        self._ticks += 1
        return EPOCH + datetime.timedelta(seconds=self._ticks)


def timestamp(moment: datetime.datetime) -> str:
    """A moment in the form of the Hub's JSON."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


@dataclass(frozen=True)
class Message:
    """What a commit says."""

    title: str
    body: str = ""
    author: str = "system"


@dataclass(frozen=True)
class Commit:
    """One revision."""

    sha: str
    tree: Tree
    parents: tuple[str, ...]
    message: Message
    date: datetime.datetime


def make_commit(tree: Tree, parents: tuple[str, ...], message: Message, date: datetime.datetime) -> Commit:
    """Name a revision by its content."""
    moment = f"{message.author} <{message.author}@localhost> {int(date.timestamp())} +0000"
    lines = [f"tree {folder_ids(tree)['']}", *(f"parent {sha}" for sha in parents)]
    lines += [f"author {moment}", f"committer {moment}", "", message.title, "", message.body]
    return Commit(git_hash("commit", "\n".join(lines).encode()), tree, parents, message, date)


def lineage(commits: Mapping[str, Commit], head: Commit) -> list[Commit]:
    """Every commit that a head contains, the newest first."""
    seen: dict[str, Commit] = {}
    waiting = [head]
    while waiting:
        commit = waiting.pop()
        if commit.sha not in seen:
            seen[commit.sha] = commit
            waiting += [commits[sha] for sha in commit.parents]
    return sorted(seen.values(), key=lambda commit: commit.date, reverse=True)


def last_change(commits: Mapping[str, Commit], head: Commit, path: str) -> Commit:
    """The commit that gave a file or a folder its present content."""
    current = head
    while current.parents:
        before = commits[current.parents[0]]
        if _below(before.tree, path) != _below(current.tree, path):
            break
        current = before
    return current


def changed_paths(before: Tree, after: Tree) -> dict[str, Entry | None]:
    """What a change does to each path it touches; None stands for a deletion."""
    return {
        path: after.get(path) for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)
    }


def _below(tree: Tree, path: str) -> dict[str, Entry]:
    return {name: entry for name, entry in tree.items() if name == path or name.startswith(path + "/")}
