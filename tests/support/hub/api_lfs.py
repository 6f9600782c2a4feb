"""Large files: where to put them, putting them, and whether they arrived."""

from __future__ import annotations

import hashlib
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from .accounts import require_content, require_proposal
from .errors import HubError, bad_request
from .state import base_url, parameter, read_body, read_json, state_of, visible_repository


async def batch(request: Request) -> Response:
    """What to do with each object; one that is there already needs nothing."""
    repository, user = visible_repository(request)
    require_proposal(user)
    require_content(user, repository)
    body = await read_json(request)
    if body.get("operation") != "upload":
        raise bad_request("only uploads are spoken here")
    try:
        objects = [_instructions(request, item["oid"], int(item["size"])) for item in body["objects"]]
    except (KeyError, TypeError, ValueError) as error:
        raise bad_request(f"the objects cannot be read: {error!r}") from error
    return JSONResponse({"transfer": "basic", "objects": objects}, media_type="application/vnd.git-lfs+json")


async def upload(request: Request) -> Response:
    """Keep a content sent to its signed address, if it is the one announced."""
    oid = parameter(request, "sha256")
    state = state_of(request)
    if request.query_params.get("signature") != state.sign(f"put {oid}"):
        raise HubError(403, "The signature is not valid for this upload.")
    body = await read_body(request)
    if hashlib.sha256(body).hexdigest() != oid:
        raise bad_request("the content has another hash than announced")
    with state.lock:
        state.blobs.put(body)
    return Response(headers={"ETag": f'"{oid}"'})


async def verify(request: Request) -> Response:
    """Whether an object is there in its announced size."""
    visible_repository(request)
    body = await read_json(request)
    blob = state_of(request).blobs.get(str(body.get("oid")))
    if blob is None or blob.size != body.get("size"):
        raise HubError(404, "This object was not uploaded.")
    return JSONResponse({})


def _instructions(request: Request, oid: str, size: int) -> dict[str, Any]:
    state = state_of(request)
    if state.blobs.get(oid) is not None:
        return {"oid": oid, "size": size}
    repository, _ = visible_repository(request)
    base = base_url(request)
    prefix = "datasets/" if repository.kind == "dataset" else ""
    return {
        "oid": oid,
        "size": size,
        "authenticated": True,
        "actions": {
            "upload": {"href": f"{base}/lfs/upload/{oid}?signature={state.sign(f'put {oid}')}"},
            "verify": {"href": f"{base}/{prefix}{repository.id}.git/info/lfs/objects/verify"},
        },
    }
