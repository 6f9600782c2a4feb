"""What the Hub answers when it refuses: a status, a code the client maps to an exception, a message."""

from __future__ import annotations

from starlette.responses import JSONResponse


class HubError(Exception):
    """A refusal; `code` becomes `X-Error-Code`, the message becomes `X-Error-Message` and the body."""

    def __init__(
        self, status: int, message: str, *, code: str | None = None, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = headers or {}


def error_response(error: HubError) -> JSONResponse:
    """Turn a refusal into the response that the client reads."""
    # Headers travel as latin-1 and on one line, a path in the message may hold anything.
    printable = error.message.encode("ascii", "replace").decode().replace("\r", " ").replace("\n", " ")
    headers = {"X-Error-Message": printable, **error.headers}
    if error.code is not None:
        headers["X-Error-Code"] = error.code
    return JSONResponse({"error": error.message}, status_code=error.status, headers=headers)


def bad_request(message: str) -> HubError:
    return HubError(400, message)


def bad_credentials() -> HubError:
    # The client tells a wrong token from a missing repository by exactly this message.
    return HubError(401, "Invalid credentials in Authorization header")


def login_required() -> HubError:
    # On https the client takes any 401 for a missing repository; on http it needs the code to do the same.
    return HubError(401, "Authentication is required.", code="RepoNotFound")


def repository_not_found(*, anonymous: bool) -> HubError:
    """A missing repository and one the caller may not see look the same."""
    if anonymous:
        return login_required()
    return HubError(404, "Repository not found", code="RepoNotFound")


def gated(repo_id: str, *, anonymous: bool) -> HubError:
    return HubError(
        401 if anonymous else 403, f"Access to {repo_id} is restricted: ask for it first.", code="GatedRepo"
    )


def forbidden(message: str) -> HubError:
    return HubError(403, message)


def revision_not_found(revision: str) -> HubError:
    return HubError(404, f"Invalid rev id: {revision}", code="RevisionNotFound")


def entry_not_found(path: str, sha: str) -> HubError:
    # The client caches the absence of a file under the sha in this header.
    return HubError(404, f"No such file at this revision: {path}", code="EntryNotFound", headers={"X-Repo-Commit": sha})


def conflict(message: str) -> HubError:
    return HubError(409, message)


def precondition_failed(message: str) -> HubError:
    return HubError(412, message)
