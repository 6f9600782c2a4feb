"""What lies where in a revision: the tree, page by page, and the paths asked for."""

from __future__ import annotations

import base64
import binascii
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from .api_info import TRUE
from .errors import bad_request, entry_not_found
from .history import Commit, last_change, timestamp
from .repository import Repository
from .state import parameter, read_body, state_of, visible_repository
from .trees import Entry, folder_ids, parent


async def tree(request: Request) -> Response:
    """`list_repo_tree`: a page, and in the Link header where the next one is."""
    repository, _ = visible_repository(request)
    commit = repository.find(parameter(request, "revision"))
    folder = parameter(request, "path") if "path" in request.path_params else ""
    query = request.query_params
    recursive, expand = query.get("recursive") in TRUE, query.get("expand") in TRUE
    paths = _listing(commit, folder.strip("/"), recursive=recursive)
    start = _read_cursor(query.get("cursor"))
    settings = state_of(request).settings
    stop = start + (settings.expanded_tree_page if expand else settings.tree_page)
    ids = folder_ids(commit.tree)
    page = [_item(repository, commit, ids, path, expand=expand) for path in paths[start:stop]]
    headers = {}
    if stop < len(paths):
        following = urlencode({**dict(query), "cursor": _write_cursor(stop)})
        # The address as it came, so that what the client escaped in it stays escaped.
        address = f"{request.url.scheme}://{request.url.netloc}{request.scope['raw_path'].decode()}"
        headers["Link"] = f'<{address}?{following}>; rel="next"'
    return JSONResponse(page, headers=headers)


async def paths_info(request: Request) -> Response:
    """`get_paths_info`: what exists among the paths asked for."""
    repository, _ = visible_repository(request)
    commit = repository.find(parameter(request, "revision"))
    # Read by hand: the framework's form parser needs one more package.
    form = parse_qs((await read_body(request)).decode("utf-8", "replace"))
    ids = folder_ids(commit.tree)
    wanted = [path.strip("/") for path in form.get("paths", [])]
    expand = form.get("expand", [""])[0] in TRUE
    return JSONResponse(
        [
            _item(repository, commit, ids, path, expand=expand)
            for path in dict.fromkeys(wanted)
            if path in commit.tree or (path and path in ids)
        ]
    )


def _lfs(entry: Entry) -> dict[str, Any]:
    """What a tree says of an LFS content."""
    return {"oid": entry.blob.sha256, "size": entry.blob.size, "pointerSize": len(entry.pointer)}


def _listing(commit: Commit, folder: str, *, recursive: bool) -> list[str]:
    known = set(folder_ids(commit.tree))
    if folder not in known:
        raise entry_not_found(folder, commit.sha)
    paths = (known | commit.tree.keys()) - {""}
    inside = folder + "/" if folder else ""
    below = [path for path in paths if path.startswith(inside)]
    return sorted(below if recursive else [path for path in below if parent(path) == folder])


def _item(repository: Repository, commit: Commit, ids: dict[str, str], path: str, *, expand: bool) -> dict[str, Any]:
    if path in commit.tree:
        entry = commit.tree[path]
        item: dict[str, Any] = {"type": "file", "oid": entry.oid, "size": entry.blob.size, "path": path}
        if entry.lfs:
            item["lfs"] = _lfs(entry)
    else:
        item = {"type": "directory", "oid": ids[path], "size": 0, "path": path}
    if expand:
        changed = last_change(repository.commits, commit, path)
        item["lastCommit"] = {
            "id": changed.sha,
            "title": changed.message.title,
            "date": timestamp(changed.date),
        }
    return item


def _write_cursor(position: int) -> str:
    return base64.urlsafe_b64encode(str(position).encode()).decode()


def _read_cursor(cursor: str | None) -> int:
    if cursor is None:
        return 0
    try:
        return int(base64.urlsafe_b64decode(cursor))
    except (ValueError, binascii.Error) as error:
        raise bad_request("the cursor is not one of this listing") from error
