"""Accounts: who a token belongs to, and new repositories."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from .accounts import require_proposal
from .attributes import template
from .errors import HubError, bad_request, conflict, forbidden
from .repository import Kind, Repository
from .state import base_url, entries_of, page_url, read_json, state_of, user_of


async def whoami(request: Request) -> Response:
    """`whoami`."""
    user = user_of(request)
    if user is None:
        raise HubError(401, "Authentication is required.")
    return JSONResponse(
        {
            "type": "user",
            "id": user.name.encode().hex().ljust(24, "0")[:24],
            "name": user.name,
            "fullname": user.name,
            "orgs": [{"type": "org", "name": name, "roleInOrg": "write"} for name in user.orgs],
            "auth": {"type": "access_token", "accessToken": {"displayName": "test", "role": user.role}},
        }
    )


async def create_repository(request: Request) -> Response:
    """`create_repo`, as `push_to_hub` does before it sends anything."""
    user = require_proposal(user_of(request))
    body = await read_json(request)
    kind, name = body.get("type", "model"), str(body.get("name", ""))
    if kind not in ("dataset", "model") or not name:
        raise bad_request("a repository has a name and is a dataset or a model")
    repo_id = name if "/" in name else f"{body.get('organization') or user.name}/{name}"
    if not user.owns(repo_id):
        raise forbidden("No right to create a repository under this name.")
    state = state_of(request)
    key: tuple[Kind, str] = ("dataset" if kind == "dataset" else "model", repo_id)
    with state.lock:
        if key in state.repositories:
            raise conflict(f"{repo_id} exists")
        attributes = template(key[0])
        tree = entries_of({".gitattributes": attributes}, state.blobs, attributes.decode())
        repository = Repository(*key, tree, state.clock)
        repository.private = bool(body.get("private") or body.get("visibility") == "private")
        state.repositories[key] = repository
    return JSONResponse({"url": page_url(repository, base_url(request)), "id": repo_id, "name": repo_id})
