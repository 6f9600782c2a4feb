"""Everything that a hub holds, and how a view reaches it."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request

from .accounts import User, caller, require_seen
from .attributes import goes_to_lfs
from .blobs import BlobStore
from .errors import HubError, bad_request
from .history import Clock
from .repository import Kind, Repository
from .trees import Entry, Tree


@dataclass(frozen=True)
class Settings:
    """What a test can choose; the sizes of pages are those of the Hub unless it does."""

    tree_page: int = 1000
    expanded_tree_page: int = 50
    discussion_page: int = 50
    lfs_redirect: bool = True
    body_limit: int = 256 * 1024 * 1024


@dataclass
class State:
    """The repositories and accounts; `lock` is held to change any of them."""

    blobs: BlobStore
    settings: Settings
    clock: Clock = field(default_factory=Clock)
    users: dict[str, User] = field(default_factory=dict)
    repositories: dict[tuple[Kind, str], Repository] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(16))

    def sign(self, name: str) -> str:
        """The signature that makes a storage URL work without a token, as on a CDN."""
        return hmac.new(self.secret, name.encode(), hashlib.sha256).hexdigest()[:32]


def state_of(request: Request) -> State:
    state = request.app.state.hub
    assert isinstance(state, State)
    return state


def parameter(request: Request, name: str) -> str:
    """A part of the path; the slashes that the client escaped within it are still escaped there."""
    return unquote(request.path_params[name])


def user_of(request: Request) -> User | None:
    return caller(request.headers.get("authorization"), state_of(request).users)


def repo_id_of(request: Request) -> str:
    owner = request.path_params.get("owner")
    name = parameter(request, "name")
    return f"{unquote(owner)}/{name}" if owner else name


def visible_repository(request: Request) -> tuple[Repository, User | None]:
    """The repository that a request is about, and who asks."""
    user = user_of(request)
    kind = request.path_params.get("kind", "model")
    return require_seen(user, state_of(request).repositories.get((kind, repo_id_of(request)))), user


async def read_body(request: Request) -> bytes:
    """The whole body, up to the limit."""
    limit = state_of(request).settings.body_limit
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise HubError(413, f"the body is larger than {limit} bytes")
        parts.append(part)
    return b"".join(parts)


async def read_json(request: Request) -> dict[str, Any]:
    """A body that is a JSON object; an empty one counts as an object without keys."""
    body = await read_body(request)
    try:
        value = json.loads(body or b"{}")
    except ValueError as error:
        raise bad_request(f"the body is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise bad_request("the body is no JSON object")
    return value


def base_url(request: Request) -> str:
    return str(request.base_url).rstrip("/")


def page_url(repository: Repository, base: str) -> str:
    """The address of a repository's page."""
    return f"{base}/{'datasets/' if repository.kind == 'dataset' else ''}{repository.id}"


def text_at(tree: Tree, path: str) -> str:
    """A text file of a tree, empty where it is missing."""
    return tree[path].blob.read().decode("utf-8", "replace") if path in tree else ""


def entries_of(contents: Mapping[str, bytes | Path], blobs: BlobStore, gitattributes: str) -> dict[str, Entry]:
    """Files that a test lays down, each given as bytes or as a path on disk."""
    stored = {
        path: blobs.put(source) if isinstance(source, bytes) else blobs.put_file(source)
        for path, source in contents.items()
    }
    return {path: Entry(blob, goes_to_lfs(path, blob.size, gitattributes)) for path, blob in stored.items()}
