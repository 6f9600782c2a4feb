"""The files themselves: plain ones directly, LFS ones through a redirect to where they are stored."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from .accounts import require_content
from .errors import HubError, entry_not_found
from .state import parameter, state_of, visible_repository


async def resolve(request: Request) -> Response:
    """HEAD and GET of a file; `Range` is answered in any of its forms."""
    repository, user = visible_repository(request)
    require_content(user, repository)
    commit = repository.find(parameter(request, "revision"))
    path = parameter(request, "path")
    entry = commit.tree.get(path)
    if entry is None:
        raise entry_not_found(path, commit.sha)
    with state_of(request).lock:
        repository.downloads += request.method == "GET"
    headers = {"X-Repo-Commit": commit.sha, "ETag": f'"{entry.etag}"'}
    if not entry.lfs:
        return FileResponse(entry.blob.path, headers=headers, media_type=_media_type(path))
    headers |= {"X-Linked-Etag": f'"{entry.blob.sha256}"', "X-Linked-Size": str(entry.blob.size)}
    if not state_of(request).settings.lfs_redirect:
        return FileResponse(entry.blob.path, headers=headers)
    return Response(status_code=302, headers={**headers, "Location": _storage_url(request, entry.blob.sha256)})


async def stored(request: Request) -> Response:
    """An LFS content at its storage address, which needs a signature and no token."""
    sha256 = parameter(request, "sha256")
    state = state_of(request)
    blob = state.blobs.get(sha256)
    if blob is None or request.query_params.get("signature") != state.sign(sha256):
        raise HubError(403, "The signature is not valid for this content.")
    return FileResponse(blob.path, headers={"ETag": f'"{sha256}"'})


def _storage_url(request: Request, sha256: str) -> str:
    # Another host name for the same loopback makes another origin: the client drops its token, as for a CDN.
    signature = state_of(request).sign(sha256)
    return f"http://localhost:{request.url.port}/lfs/objects/{sha256}?signature={signature}"


def _media_type(path: str) -> str:
    return "text/plain; charset=utf-8" if path.endswith((".md", ".txt", ".csv")) else "application/octet-stream"
