"""A repository: its revisions, its references, its discussions, and who may see it."""

from __future__ import annotations

import dataclasses
import re
from typing import Literal

from .discussions import Discussion, Event, comment
from .errors import bad_request, conflict, precondition_failed, revision_not_found
from .history import Clock, Commit, Message, changed_paths, make_commit
from .trees import Tree

Kind = Literal["dataset", "model"]
Gate = Literal["auto", "manual"]

MAIN = "refs/heads/main"
SHA = re.compile(r"[0-9a-f]{40}\Z")


class Repository:
    """A dataset or a model. The caller holds the hub's lock while it changes one."""

    def __init__(self, kind: Kind, repo_id: str, tree: Tree, clock: Clock) -> None:
        self.kind = kind
        self.id = repo_id
        self.private = False
        self.gate: Gate | None = None
        self.granted: set[str] = set()
        self.downloads = 0
        self.commits: dict[str, Commit] = {}
        self.refs: dict[str, str] = {}
        self.discussions: dict[int, Discussion] = {}
        self._clock = clock
        self._record(MAIN, tree, (), Message("initial commit"))

    def find(self, revision: str) -> Commit:
        """The commit that a branch, a tag, a reference or a sha stands for."""
        sha = self.refs.get(self._ref_of(revision) or "", revision)
        if sha not in self.commits:
            raise revision_not_found(revision)
        return self.commits[sha]

    def commit(self, revision: str, tree: Tree, message: Message, *, parent: str | None = None) -> Commit:
        """Move a branch or a pull request one commit further."""
        ref = self._ref_of(revision)
        if ref is None or ref.startswith("refs/tags/"):
            if SHA.match(revision) or ref:
                raise bad_request("a commit goes to a branch or to a pull request")
            raise revision_not_found(revision)
        head = self.commits[self.refs[ref]]
        if parent is not None and not head.sha.startswith(parent):
            raise precondition_failed(f"{revision} has moved on to {head.sha}")
        pull_request = self._pull_request_at(ref)
        if pull_request is not None and pull_request.status == "merged":
            raise bad_request("this pull request is merged")
        if tree == head.tree:
            return head
        commit = self._record(ref, tree, (head.sha,), message)
        if pull_request is not None:
            data = {"subject": message.title, "oid": commit.sha}
            self._append(pull_request, Event("commit", message.author, commit.date, data))
        return commit

    def open_pull_request(self, base: Commit, tree: Tree, message: Message) -> Discussion:
        """Open a pull request from a base with one commit."""
        discussion = self.discuss(message.title, message.body, message.author, base=base.sha)
        self.commit(discussion.ref, tree, message)
        return self.set_status(discussion.number, "open", message.author, silent=True)

    def discuss(self, title: str, description: str, author: str, *, base: str | None = None) -> Discussion:
        """Open a discussion, or a pull request in draft where there is a base."""
        number = len(self.discussions) + 1
        date = self._clock.now()
        status: Literal["open", "draft"] = "open" if base is None else "draft"
        events = (comment(description, author, date),)
        discussion = Discussion(number, title, description, author, status, date, events, base)
        self.discussions[number] = discussion
        if base is not None:
            self.refs[discussion.ref] = base
        return discussion

    def merge(self, number: int, author: str) -> Commit:
        """Bring a pull request into main."""
        discussion = self.discussions[number]
        if not discussion.is_pull_request or discussion.status not in ("open", "draft"):
            raise bad_request("only an open pull request can be merged")
        conflicts = self.conflicts(discussion)
        if conflicts:
            raise conflict(f"main changed the same files: {', '.join(conflicts)}")
        main, head = self.commits[self.refs[MAIN]], self.commits[self.refs[discussion.ref]]
        tree = dict(main.tree)
        for path, entry in changed_paths(self._base_of(discussion).tree, head.tree).items():
            if entry is None:
                tree.pop(path, None)
            else:
                tree[path] = entry
        message = Message(f"{discussion.title} (#{number})", author=author)
        commit = self._record(MAIN, tree, (main.sha, head.sha), message)
        merged = self.set_status(number, "merged", author)
        self.discussions[number] = dataclasses.replace(merged, merge_commit=commit.sha)
        return commit

    def conflicts(self, discussion: Discussion) -> list[str]:
        """The paths that main and a pull request both changed, differently, since its base."""
        if not discussion.is_pull_request or discussion.status not in ("open", "draft"):
            return []
        base = self._base_of(discussion).tree
        ours = changed_paths(base, self.commits[self.refs[MAIN]].tree)
        theirs = changed_paths(base, self.commits[self.refs[discussion.ref]].tree)
        return [path for path in theirs if path in ours and ours[path] != theirs[path]]

    def changes(self, discussion: Discussion) -> list[str]:
        """The paths that a pull request changes."""
        return list(changed_paths(self._base_of(discussion).tree, self.find(discussion.ref).tree))

    def set_status(
        self,
        number: int,
        status: Literal["open", "closed", "merged"],
        author: str,
        *,
        silent: bool = False,
    ) -> Discussion:
        """Open, close or merge a discussion."""
        changed = dataclasses.replace(self.discussions[number], status=status)
        self.discussions[number] = changed
        if silent:
            return changed
        return self._append(changed, Event("status-change", author, self._clock.now(), {"status": str(status)}))

    def rename(self, number: int, title: str, author: str) -> Discussion:
        """Give a discussion another title."""
        before = self.discussions[number]
        event = Event("title-change", author, self._clock.now(), {"from": before.title, "to": title})
        return self._append(dataclasses.replace(before, title=title), event)

    def say(self, number: int, text: str, author: str) -> Discussion:
        """Add a comment."""
        return self._append(self.discussions[number], comment(text, author, self._clock.now()))

    def point(self, ref: str, revision: str) -> None:
        """Make a new branch or tag at a revision."""
        if ref in self.refs:
            raise conflict(f"{ref} exists")
        self.refs[ref] = self.find(revision).sha

    def _ref_of(self, revision: str) -> str | None:
        candidates = (revision, f"refs/heads/{revision}", f"refs/tags/{revision}")
        return next((ref for ref in candidates if ref in self.refs), None)

    def _pull_request_at(self, ref: str) -> Discussion | None:
        return next((item for item in self.discussions.values() if item.is_pull_request and item.ref == ref), None)

    def _base_of(self, discussion: Discussion) -> Commit:
        return self.find(discussion.base or MAIN)

    def _append(self, discussion: Discussion, event: Event) -> Discussion:
        longer = dataclasses.replace(discussion, events=(*discussion.events, event))
        self.discussions[discussion.number] = longer
        return longer

    def _record(self, ref: str, tree: Tree, parents: tuple[str, ...], message: Message) -> Commit:
        commit = make_commit(dict(tree), parents, message, self._clock.now())
        self.commits[commit.sha] = commit
        self.refs[ref] = commit.sha
        return commit
