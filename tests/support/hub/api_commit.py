"""A push, in the three calls that the client makes: check the card, ask how to send each file, commit."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from .accounts import User, require_content, require_proposal, require_write
from .api_info import TRUE
from .attributes import goes_to_lfs, is_ignored
from .card import read_metadata
from .errors import bad_request
from .history import Message
from .operations import apply, parse_commit
from .repository import Repository
from .state import base_url, page_url, parameter, read_body, read_json, state_of, text_at, visible_repository
from .trees import Tree


async def validate_yaml(request: Request) -> Response:
    """Whether a card's front matter can be read."""
    metadata = read_metadata(str((await read_json(request)).get("content", "")))
    errors = [{"message": metadata.error}] if metadata.error else []
    empty = not metadata.present or (not metadata.values and not metadata.error)
    warnings = [{"message": "empty or missing yaml metadata in repo card"}] if empty else []
    return JSONResponse({"errors": errors, "warnings": warnings}, status_code=400 if errors else 200)


async def preupload(request: Request) -> Response:
    """For each file: sent in the commit or to LFS, left out or not, and what is there now."""
    repository, user = visible_repository(request)
    _author(request, repository, user)
    require_content(user, repository)
    tree = repository.find(parameter(request, "revision")).tree
    body = await read_json(request)
    gitignore = str(body.get("gitIgnore") or text_at(tree, ".gitignore"))
    gitattributes = text_at(tree, ".gitattributes")
    try:
        files = [_upload_mode(file, tree, gitattributes, gitignore) for file in body["files"]]
    except (KeyError, TypeError, ValueError) as error:
        raise bad_request(f"the list of files cannot be read: {error!r}") from error
    return JSONResponse({"files": files})


async def commit(request: Request) -> Response:
    """Apply a commit to a branch, to an open pull request, or to a new one."""
    repository, user = visible_repository(request)
    author = _author(request, repository, user)
    require_content(user, repository)
    parsed = parse_commit(await read_body(request))
    state = state_of(request)
    message = Message(parsed.summary, parsed.description, author.name)
    proposes = _proposes(request)
    revision = parameter(request, "revision")
    page = page_url(repository, base_url(request))
    pull_request_url = None
    with state.lock:
        base = repository.find(_base(repository, parsed.parent) if proposes and parsed.parent else revision)
        tree = apply(base.tree, parsed.operations, state.blobs, base.sha)
        _refuse_unreadable_card(base.tree, tree)
        if not proposes:
            head = repository.commit(revision, tree, message, parent=parsed.parent)
        elif tree == base.tree:
            head = base
        else:
            discussion = repository.open_pull_request(base, tree, message)
            head = repository.find(discussion.ref)
            pull_request_url = f"{page}/discussions/{discussion.number}"
    return JSONResponse(
        {
            "success": True,
            "commitOid": head.sha,
            "commitUrl": f"{page}/commit/{head.sha}",
            "hookOutput": "",
            "pullRequestUrl": pull_request_url,
        }
    )


def _proposes(request: Request) -> bool:
    return request.query_params.get("create_pr") in TRUE


def _author(request: Request, repository: Repository, user: User | None) -> User:
    """The caller, who may write, or proposes, or goes on with a proposal of their own."""
    revision = parameter(request, "revision")
    own = any(
        item.is_pull_request and item.ref == revision and user is not None and item.author == user.name
        for item in repository.discussions.values()
    )
    return require_proposal(user) if own or _proposes(request) else require_write(user, repository)


def _base(repository: Repository, parent: str) -> str:
    """The full name of the commit that a pull request starts from."""
    found = [sha for sha in repository.commits if sha.startswith(parent)]
    if len(found) != 1:
        raise bad_request(f"parentCommit {parent} is no commit of this repository")
    return found[0]


def _upload_mode(file: dict[str, Any], tree: Tree, gitattributes: str, gitignore: str) -> dict[str, Any]:
    path = file["path"]
    lfs = goes_to_lfs(path, int(file["size"]), gitattributes)
    answer = {
        "path": path,
        "uploadMode": "lfs" if lfs else "regular",
        "shouldIgnore": is_ignored(path, gitignore),
    }
    # The client compares this with its own file and leaves out what has not changed.
    return {**answer, "oid": tree[path].etag} if path in tree else answer


def _refuse_unreadable_card(before: Tree, after: Tree) -> None:
    changed = after.get("README.md")
    if changed is None or changed == before.get("README.md"):
        return
    error = read_metadata(changed.blob.read().decode("utf-8", "replace")).error
    if error is not None:
        raise bad_request(f"the metadata of README.md is not valid: {error}")
