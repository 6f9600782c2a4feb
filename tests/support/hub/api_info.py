"""What a repository is: its description, references, history and access."""

from __future__ import annotations

from typing import Any

import yaml
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from .accounts import require_content, require_write
from .card import load_yaml, read_metadata, tags
from .errors import bad_request
from .history import Commit, lineage, timestamp
from .repository import Repository
from .state import parameter, read_json, state_of, text_at, visible_repository
from .trees import Entry

TRUE = ("1", "true", "True")

# Where a model keeps its results, one list of entries to a file.
RESULTS = ".eval_results/"


async def info(request: Request) -> Response:
    """`dataset_info` and `model_info`."""
    repository, _ = visible_repository(request)
    revision = parameter(request, "revision") if "revision" in request.path_params else "main"
    described = describe(repository, repository.find(revision), blobs=request.query_params.get("blobs") in TRUE)
    expand = request.query_params.getlist("expand") + request.query_params.getlist("expand[]")
    if not expand:
        return JSONResponse(described)
    if "evalResults" in expand:
        described["evalResults"] = eval_results(repository.find(revision))
    return JSONResponse({key: described[key] for key in ["_id", "id", *expand] if key in described})


def describe(repository: Repository, commit: Commit, *, blobs: bool) -> dict[str, Any]:
    """A repository at a revision, as JSON."""
    readme = text_at(commit.tree, "README.md")
    metadata = read_metadata(readme)
    first = min(repository.commits.values(), key=lambda item: item.date)
    return {
        "_id": first.sha[:24],
        "id": repository.id,
        "author": repository.id.partition("/")[0],
        "sha": commit.sha,
        "lastModified": timestamp(repository.find("main").date),
        "createdAt": timestamp(first.date),
        "private": repository.private,
        "gated": repository.gate or False,
        "disabled": False,
        "downloads": repository.downloads,
        "likes": 0,
        "tags": tags(repository.kind, metadata, readme),
        "usedStorage": sum(entry.blob.size for entry in commit.tree.values()),
        "siblings": [_sibling(path, commit.tree[path], blobs=blobs) for path in sorted(commit.tree)],
        **({"cardData": metadata.values} if metadata.values else {}),
    }


def eval_results(commit: Commit) -> list[dict[str, Any]]:
    """The entries of a model's result files; a file that cannot be read is named with its error."""
    found: list[dict[str, Any]] = []
    for path in sorted(name for name in commit.tree if name.startswith(RESULTS) and name.endswith(".yaml")):
        try:
            found += [_result(path, entry) for entry in load_yaml(text_at(commit.tree, path))]
        except (yaml.YAMLError, KeyError, TypeError) as error:
            found.append({"filename": path, "error": repr(error)})
    return found


async def refs(request: Request) -> Response:
    """`list_repo_refs`."""
    repository, _ = visible_repository(request)
    answer = {
        "branches": _refs_below(repository, "refs/heads/"),
        "tags": _refs_below(repository, "refs/tags/"),
        "converts": _refs_below(repository, "refs/convert/"),
    }
    if request.query_params.get("include_prs") in TRUE:
        answer["pullRequests"] = _refs_below(repository, "refs/pr/")
    return JSONResponse(answer)


async def commits(request: Request) -> Response:
    """`list_repo_commits`."""
    repository, _ = visible_repository(request)
    head = repository.find(parameter(request, "revision"))
    return JSONResponse(
        [
            {
                "id": commit.sha,
                "title": commit.message.title,
                "message": commit.message.body,
                "date": timestamp(commit.date),
                "authors": [{"user": commit.message.author}],
            }
            for commit in lineage(repository.commits, head)
        ]
    )


async def create_branch(request: Request) -> Response:
    """`create_branch`: the branch's name is in the address and its starting point in the body."""
    repository, user = visible_repository(request)
    require_write(user, repository)
    name = parameter(request, "ref")
    _checked_name(name)
    start = str((await read_json(request)).get("startingPoint", "main"))
    with state_of(request).lock:
        repository.point(f"refs/heads/{name}", start)
    return Response(status_code=201)


async def create_tag(request: Request) -> Response:
    """`create_tag`: the revision is in the address and the tag's name in the body."""
    repository, user = visible_repository(request)
    require_write(user, repository)
    name = str((await read_json(request)).get("tag", ""))
    _checked_name(name)
    with state_of(request).lock:
        repository.point(f"refs/tags/{name}", parameter(request, "ref"))
    return Response(status_code=201)


async def auth_check(request: Request) -> Response:
    """`auth_check`: whether the files can be read."""
    repository, user = visible_repository(request)
    require_content(user, repository)
    return JSONResponse({})


def _checked_name(name: str) -> None:
    if not name or name.startswith("refs/"):
        raise bad_request(f"not a name for a reference: {name!r}")


def _result(path: str, entry: dict[str, Any]) -> dict[str, Any]:
    for value in (entry["dataset"]["id"], entry["dataset"]["task_id"], entry["value"]):
        if value is None:
            raise TypeError("an entry names its dataset, its task and a value")
    return {"filename": path, "data": entry}


def _sibling(path: str, entry: Entry, *, blobs: bool) -> dict[str, Any]:
    if not blobs:
        return {"rfilename": path}
    detail: dict[str, Any] = {"rfilename": path, "blobId": entry.oid, "size": entry.blob.size}
    if entry.lfs:
        detail["lfs"] = {
            "sha256": entry.blob.sha256,
            "size": entry.blob.size,
            "pointerSize": len(entry.pointer),
        }
    return detail


def _refs_below(repository: Repository, prefix: str) -> list[dict[str, str]]:
    return [
        {"name": ref.removeprefix("refs/heads/").removeprefix("refs/tags/"), "ref": ref, "targetCommit": sha}
        for ref, sha in sorted(repository.refs.items())
        if ref.startswith(prefix)
    ]
