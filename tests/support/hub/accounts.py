"""Who calls, and what each caller may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .errors import bad_credentials, forbidden, gated, login_required, repository_not_found
from .repository import Repository


@dataclass(frozen=True)
class User:
    """An account: it writes to its own repositories, to those of its organizations and to `can_write`."""

    name: str
    orgs: tuple[str, ...] = ()
    can_write: tuple[str, ...] = ()
    role: Literal["read", "write"] = "write"

    def owns(self, repo_id: str) -> bool:
        """Whether a repository is among those that this user can write to."""
        return repo_id.partition("/")[0] in (self.name, *self.orgs) or repo_id in self.can_write


def caller(authorization: str | None, users: dict[str, User]) -> User | None:
    """The user behind an Authorization header; none without a header, refused with a wrong one."""
    if authorization is None:
        return None
    scheme, _, token = authorization.partition(" ")
    user = users.get(token.strip()) if scheme.lower() == "bearer" else None
    if user is None:
        raise bad_credentials()
    return user


def require_user(user: User | None) -> User:
    """Refuse a caller without a token."""
    if user is None:
        raise login_required()
    return user


def require_seen(user: User | None, repository: Repository | None) -> Repository:
    """Refuse a repository that is not there, or that is private to others."""
    visible = repository is not None and (
        not repository.private or (user is not None and (user.owns(repository.id) or user.name in repository.granted))
    )
    if repository is None or not visible:
        raise repository_not_found(anonymous=user is None)
    return repository


def require_content(user: User | None, repository: Repository) -> None:
    """Refuse the files of a gated repository to those who were not let in; its listing stays open."""
    if repository.gate is None:
        return
    if user is None or not (user.owns(repository.id) or user.name in repository.granted):
        raise gated(repository.id, anonymous=user is None)


def require_proposal(user: User | None) -> User:
    """Refuse those who may not open a pull request or a discussion: any account with a write token may."""
    known = require_user(user)
    if known.role != "write":
        raise forbidden("This token can only read.")
    return known


def require_write(user: User | None, repository: Repository) -> User:
    """Refuse those who may not write to the repository."""
    known = require_proposal(user)
    if not known.owns(repository.id):
        raise forbidden("No write access to this repository: pass create_pr=1 to propose the change instead.")
    return known
