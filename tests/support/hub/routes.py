"""Every address that the hub answers at."""

from __future__ import annotations

from collections.abc import Callable, Coroutine

from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from . import api_account, api_commit, api_discussions, api_info, api_lfs, api_resolve, api_tree
from .errors import HubError, error_response
from .state import State

View = Callable[[Request], Coroutine[None, None, Response]]


class _Kind(Convertor[str]):
    """`datasets` and `models` in an address are the two kinds of repositories."""

    regex = "datasets|models"

    def convert(self, value: str) -> str:
        return value.removesuffix("s")

    def to_string(self, value: str) -> str:
        return value + "s"


class _PageKind(_Kind):
    """Outside of the API only datasets have a prefix."""

    regex = "datasets"


register_url_convertor("kind", _Kind())
register_url_convertor("pagekind", _PageKind())

_API: list[tuple[str, str, View]] = [
    ("GET", "", api_info.info),
    ("GET", "/revision/{revision}", api_info.info),
    ("GET", "/refs", api_info.refs),
    ("GET", "/commits/{revision}", api_info.commits),
    ("GET", "/auth-check", api_info.auth_check),
    ("POST", "/branch/{ref}", api_info.create_branch),
    ("POST", "/tag/{ref}", api_info.create_tag),
    ("GET", "/tree/{revision}", api_tree.tree),
    ("GET", "/tree/{revision}/{path:path}", api_tree.tree),
    ("POST", "/paths-info/{revision}", api_tree.paths_info),
    ("POST", "/preupload/{revision}", api_commit.preupload),
    ("POST", "/commit/{revision}", api_commit.commit),
    ("GET", "/discussions", api_discussions.listing),
    ("POST", "/discussions", api_discussions.create),
    ("GET", "/discussions/{number:int}", api_discussions.detail),
    ("POST", "/discussions/{number:int}/comment", api_discussions.say),
    ("POST", "/discussions/{number:int}/title", api_discussions.rename),
    ("POST", "/discussions/{number:int}/status", api_discussions.set_status),
    ("POST", "/discussions/{number:int}/merge", api_discussions.merge),
]

_PAGES: list[tuple[str, str, View]] = [
    ("GET", "/resolve/{revision}/{path:path}", api_resolve.resolve),
    ("POST", ".git/info/lfs/objects/batch", api_lfs.batch),
    ("POST", ".git/info/lfs/objects/verify", api_lfs.verify),
]

_PLAIN: list[tuple[str, str, View]] = [
    ("GET", "/api/whoami-v2", api_account.whoami),
    ("POST", "/api/repos/create", api_account.create_repository),
    ("POST", "/api/validate-yaml", api_commit.validate_yaml),
    ("GET", "/lfs/objects/{sha256}", api_resolve.stored),
    ("PUT", "/lfs/upload/{sha256}", api_lfs.upload),
]


def application(state: State) -> Starlette:
    """The hub without its socket."""
    # A name without an owner is an old form that must be answered too, as missing if not as present. The
    # order keeps `/datasets/squad/resolve/…` from being a model, and `squad/refs` from being a dataset.
    templates = list(_PLAIN)
    for prefix in ("/{kind:pagekind}/", "/"):
        for owner in ("{owner}/", ""):
            templates += [(method, f"{prefix}{owner}{{name}}{end}", view) for method, end, view in _PAGES]
    for owner in ("", "{owner}/"):
        templates += [(method, f"/api/{{kind:kind}}/{owner}{{name}}{end}", view) for method, end, view in _API]
    app = Starlette(
        routes=[Route(path, view, methods=[method]) for method, path, view in templates],
        exception_handlers={HubError: _refused, HTTPException: _unknown},
    )
    # A redirect to the address without a slash would hide a client's mistake.
    app.router.redirect_slashes = False
    app.state.hub = state
    return app


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HubError)
    return error_response(error)


def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = f"The test hub does not answer {request.method} {request.url.path}"
    return JSONResponse({"error": message}, status_code=error.status_code)
