"""Discussions and pull requests: list, read, open, comment, rename, close, merge."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from .accounts import User, require_proposal, require_write
from .discussions import Discussion, detail_json, event_json, listed, summary_json
from .errors import HubError, bad_request, forbidden
from .repository import MAIN, Repository
from .state import page_url, read_json, state_of, visible_repository


async def listing(request: Request) -> Response:
    """`get_repo_discussions`: one page, the newest first."""
    repository, _ = visible_repository(request)
    query = request.query_params
    wanted = [
        discussion
        for discussion in reversed(repository.discussions.values())
        if listed(
            discussion,
            kind=query.get("type", "all"),
            status=query.get("status", "all"),
            author=query.get("author"),
        )
    ]
    page = query.get("p", "0")
    if not page.isdigit():
        raise bad_request("p is the number of a page")
    size = state_of(request).settings.discussion_page
    start = int(page) * size
    shown = [summary_json(discussion, repository.kind, repository.id) for discussion in wanted[start : start + size]]
    return JSONResponse({"count": len(wanted), "start": start, "discussions": shown})


async def detail(request: Request) -> Response:
    """`get_discussion_details`."""
    repository, _ = visible_repository(request)
    return JSONResponse(_detail(repository, _discussion(request, repository)))


async def create(request: Request) -> Response:
    """`create_discussion` and `create_pull_request`."""
    repository, user = visible_repository(request)
    author = require_proposal(user)
    body = await read_json(request)
    title = str(body.get("title", "")).strip()
    if not 3 <= len(title) <= 200:
        raise bad_request("a title has 3 to 200 characters")
    with state_of(request).lock:
        base = repository.find(MAIN).sha if body.get("pullRequest") else None
        made = repository.discuss(title, str(body.get("description", "")), author.name, base=base)
    url = f"{page_url(repository, '')}/discussions/{made.number}"
    return JSONResponse({"num": made.number, "pullRequest": made.is_pull_request, "url": url})


async def say(request: Request) -> Response:
    """`comment_discussion`."""
    repository, user = visible_repository(request)
    author = require_proposal(user)
    text = str((await read_json(request)).get("comment", ""))
    with state_of(request).lock:
        changed = repository.say(_discussion(request, repository).number, text, author.name)
    return JSONResponse({"newMessage": _last_event(changed)})


async def rename(request: Request) -> Response:
    """`rename_discussion`."""
    repository, user = visible_repository(request)
    discussion = _discussion(request, repository)
    author = _require_owner(user, repository, discussion)
    title = str((await read_json(request)).get("title", "")).strip()
    if not 3 <= len(title) <= 200:
        raise bad_request("a title has 3 to 200 characters")
    with state_of(request).lock:
        changed = repository.rename(discussion.number, title, author.name)
    return JSONResponse({"newTitle": _last_event(changed)})


async def set_status(request: Request) -> Response:
    """`change_discussion_status`: open or closed."""
    repository, user = visible_repository(request)
    discussion = _discussion(request, repository)
    author = _require_owner(user, repository, discussion)
    body = await read_json(request)
    status = body.get("status")
    if status not in ("open", "closed") or discussion.status == "merged":
        raise bad_request("a discussion that is not merged can be open or closed")
    with state_of(request).lock:
        if body.get("comment"):
            repository.say(discussion.number, str(body["comment"]), author.name)
        changed = repository.set_status(discussion.number, status, author.name)
    return JSONResponse({"newStatus": _last_event(changed)})


async def merge(request: Request) -> Response:
    """`merge_pull_request`."""
    repository, user = visible_repository(request)
    author = require_write(user, repository)
    discussion = _discussion(request, repository)
    body = await read_json(request)
    with state_of(request).lock:
        if body.get("comment"):
            repository.say(discussion.number, str(body["comment"]), author.name)
        repository.merge(discussion.number, author.name)
    return JSONResponse({"newStatus": _last_event(repository.discussions[discussion.number])})


def _discussion(request: Request, repository: Repository) -> Discussion:
    number = request.path_params["number"]
    if number not in repository.discussions:
        raise HubError(404, f"There is no discussion {number} here.")
    return repository.discussions[number]


def _require_owner(user: User | None, repository: Repository, discussion: Discussion) -> User:
    known = require_proposal(user)
    if known.name != discussion.author and not known.owns(repository.id):
        raise forbidden("Only its author and those who write to the repository can change a discussion.")
    return known


def _detail(repository: Repository, discussion: Discussion) -> dict[str, object]:
    changed = repository.changes(discussion) if discussion.is_pull_request else []
    return detail_json(
        discussion,
        repository.kind,
        repository.id,
        diff="".join(f"diff --git a/{path} b/{path}\n" for path in changed),
        conflicts=repository.conflicts(discussion),
    )


def _last_event(discussion: Discussion) -> dict[str, object]:
    return event_json(discussion.events[-1], discussion.number, len(discussion.events) - 1)
