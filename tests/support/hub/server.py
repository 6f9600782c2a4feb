"""A Hub on loopback for tests: the real clients talk to it through `HF_ENDPOINT`."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import uvicorn

from .accounts import User
from .attributes import template
from .blobs import BlobStore
from .discussions import Discussion
from .faults import KINDS, FaultBoard, Order
from .history import Commit, Message, lineage
from .repository import Gate, Kind, Repository
from .routes import application
from .state import Settings, State, entries_of, page_url, text_at
from .wire import Logged, Peer, RequestLog, Wire, tracked_protocol

START_TIMEOUT = 10.0

# Variables of the caller that would change where or how a client goes.
FOREIGN = (
    "HF_",
    "HUGGING",
    "DATASETS_",
    "TRANSFORMERS_",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
)

Content = bytes | Path


class HubServer:
    """A Hub that lives as long as its `with` block, on a free port of 127.0.0.1.

    Parameters
    ----------
    root : Path
        An empty folder for the contents of the repositories.
    settings : Settings, optional
        Page sizes, and whether LFS files are answered with a redirect.
    """

    def __init__(self, root: Path, settings: Settings | None = None) -> None:
        self._state = State(BlobStore(root / "blobs"), settings or Settings())
        self._board = FaultBoard()
        self._log = RequestLog()
        self._failures: list[Exception] = []
        transports: dict[Peer, asyncio.Transport] = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._port = 0
        self._server = uvicorn.Server(
            uvicorn.Config(
                Wire(application(self._state), self._board, self._log, transports, self._failures),
                http=tracked_protocol(transports),
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="critical",
                access_log=False,
                proxy_headers=False,
                timeout_graceful_shutdown=1,
            )
        )
        # A daemon, so that a test that never leaves its block does not keep the process alive.
        self._thread = threading.Thread(target=self._run, name="hub", daemon=True)

    def __enter__(self) -> HubServer:
        self._socket.bind(("127.0.0.1", 0))
        self._port = self._socket.getsockname()[1]
        self._thread.start()
        deadline = time.monotonic() + START_TIMEOUT
        while not self._server.started:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise RuntimeError("the test hub did not start")
            time.sleep(0.005)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=START_TIMEOUT)
        self._socket.close()
        if self._thread.is_alive():
            raise RuntimeError("the test hub did not stop")
        if self._failures and error is None:
            raise ExceptionGroup("the test hub itself failed", self._failures)

    @property
    def url(self) -> str:
        """The endpoint, without a slash at its end: datasets breaks with one."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def requests(self) -> list[Logged]:
        """The requests so far, in the order of their arrival."""
        return self._log.entries()

    def forget_requests(self) -> None:
        """Start the log anew."""
        self._log.clear()

    def add_user(
        self,
        name: str,
        token: str,
        *,
        can_write: tuple[str, ...] | list[str] = (),
        orgs: tuple[str, ...] | list[str] = (),
        role: Literal["read", "write"] = "write",
    ) -> User:
        """Make an account; it writes to `name/*`, to the repositories of its `orgs`, and to `can_write`."""
        user = User(name, tuple(orgs), tuple(can_write), role)
        with self._state.lock:
            self._state.users[token] = user
        return user

    def create_dataset(
        self,
        repo_id: str,
        files: Mapping[str, Content] | None = None,
        *,
        folder: Path | None = None,
        private: bool = False,
        gated: Gate | None = None,
    ) -> str:
        """Make a dataset from contents or from a folder, and return the sha of its head."""
        return self._create("dataset", repo_id, files, folder, private, gated)

    def create_model(
        self,
        repo_id: str,
        files: Mapping[str, Content] | None = None,
        *,
        folder: Path | None = None,
        private: bool = False,
        gated: Gate | None = None,
    ) -> str:
        """Make a model from contents or from a folder, and return the sha of its head."""
        return self._create("model", repo_id, files, folder, private, gated)

    def grant(self, repo_id: str, user: str, *, kind: Kind = "dataset") -> None:
        """Let a user read a private or gated repository."""
        with self._state.lock:
            self._repository(repo_id, kind).granted.add(user)

    def set_access(
        self, repo_id: str, *, private: bool = False, gated: Gate | None = None, kind: Kind = "dataset"
    ) -> None:
        """Change who may see a repository."""
        with self._state.lock:
            repository = self._repository(repo_id, kind)
            repository.private, repository.gate = private, gated

    def commit(
        self,
        repo_id: str,
        files: Mapping[str, Content | None],
        *,
        message: str = "Update files",
        revision: str = "main",
        author: str = "someone",
        kind: Kind = "dataset",
    ) -> str:
        """Commit as another would, and return the new sha; None in place of a content deletes the file."""
        with self._state.lock:
            repository = self._repository(repo_id, kind)
            tree = dict(repository.find(revision).tree)
            kept = {path: content for path, content in files.items() if content is not None}
            tree |= entries_of(kept, self._state.blobs, text_at(tree, ".gitattributes"))
            for path in files.keys() - kept.keys():
                del tree[path]
            return repository.commit(revision, tree, Message(message, author=author)).sha

    def tag(self, repo_id: str, name: str, *, revision: str = "main", kind: Kind = "dataset") -> None:
        """Give a revision a name."""
        with self._state.lock:
            self._repository(repo_id, kind).point(f"refs/tags/{name}", revision)

    def convert(self, repo_id: str, *, kind: Kind = "dataset") -> None:
        """Let a repository have a copy of itself as parquet, as the Hub makes them."""
        with self._state.lock:
            repository = self._repository(repo_id, kind)
            repository.point("refs/convert/parquet", repository.find("main").sha)

    def read(self, repo_id: str, path: str, *, revision: str = "main", kind: Kind = "dataset") -> bytes:
        """The content of a file, as a user would download it."""
        return self._repository(repo_id, kind).find(revision).tree[path].blob.read()

    def files(self, repo_id: str, *, revision: str = "main", kind: Kind = "dataset") -> list[str]:
        """The paths of a revision."""
        return sorted(self._repository(repo_id, kind).find(revision).tree)

    def is_lfs(self, repo_id: str, path: str, *, revision: str = "main", kind: Kind = "dataset") -> bool:
        """Whether a file is kept by LFS."""
        return self._repository(repo_id, kind).find(revision).tree[path].lfs

    def head(self, repo_id: str, *, revision: str = "main", kind: Kind = "dataset") -> str:
        """The sha that a revision stands for."""
        return self._repository(repo_id, kind).find(revision).sha

    def commits(self, repo_id: str, *, revision: str = "main", kind: Kind = "dataset") -> list[Commit]:
        """The history, the newest first."""
        repository = self._repository(repo_id, kind)
        return lineage(repository.commits, repository.find(revision))

    def pull_requests(self, repo_id: str, *, kind: Kind = "dataset") -> list[Discussion]:
        """The pull requests, the oldest first."""
        discussions = self._repository(repo_id, kind).discussions.values()
        return [discussion for discussion in discussions if discussion.is_pull_request]

    def merge(self, repo_id: str, number: int, *, author: str = "someone", kind: Kind = "dataset") -> str:
        """Merge a pull request as the owner would, and return the new head of main."""
        with self._state.lock:
            return self._repository(repo_id, kind).merge(number, author).sha

    def close(self, repo_id: str, number: int, *, author: str = "someone", kind: Kind = "dataset") -> None:
        """Close a pull request or a discussion."""
        with self._state.lock:
            self._repository(repo_id, kind).set_status(number, "closed", author)

    def page(self, repo_id: str, *, kind: Kind = "dataset") -> str:
        """The address of a repository's page."""
        return page_url(self._repository(repo_id, kind), self.url)

    def fault(self, kind: str, match: str = "*", *, times: int = 1, skip: int = 0, **options: Any) -> Order:
        """Order a fault.

        Parameters
        ----------
        kind : str
            `status` (status, landed, retry_after, code, message), `close` (landed), `truncate` (keep),
            `slow` (seconds) or `before` (action).
        match : str
            A method, where it matters, and a pattern for the decoded path: `"POST */commit/*"`.
        times : int
            At how many requests.
        skip : int
            How many requests of this kind pass unharmed before.

        Returns
        -------
        Order
            Its `served` counts the requests met.
        """
        if kind not in KINDS:
            raise ValueError(f"unknown fault {kind!r}: choose among {', '.join(sorted(KINDS))}")
        return self._board.order(Order(KINDS[kind](**options), match, times, skip))

    def clear_faults(self) -> None:
        """Take back every order."""
        self._board.clear()

    def environment(self, hf_home: Path, token: str | None = None) -> dict[str, str]:
        """The variables for a client's process: the clients read them once, when they are imported."""
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(FOREIGN)}
        ours = {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(hf_home),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "NO_PROXY": "127.0.0.1,localhost",
        }
        return {**kept, **ours, **({} if token is None else {"HF_TOKEN": token})}

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])

    def _repository(self, repo_id: str, kind: Kind) -> Repository:
        return self._state.repositories[kind, repo_id]

    def _create(
        self,
        kind: Kind,
        repo_id: str,
        files: Mapping[str, Content] | None,
        folder: Path | None,
        private: bool,
        gated: Gate | None,
    ) -> str:
        contents = dict(_walk(folder)) | dict(files or {})
        with self._state.lock:
            if (kind, repo_id) in self._state.repositories:
                raise ValueError(f"{repo_id} exists")
            attributes = contents.setdefault(".gitattributes", template(kind))
            text = (attributes if isinstance(attributes, bytes) else attributes.read_bytes()).decode()
            tree = entries_of(contents, self._state.blobs, text)
            repository = Repository(kind, repo_id, tree, self._state.clock)
            repository.private, repository.gate = private, gated
            self._state.repositories[kind, repo_id] = repository
            return repository.find("main").sha


def _walk(folder: Path | None) -> dict[str, Path]:
    if folder is None:
        return {}
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in files}
