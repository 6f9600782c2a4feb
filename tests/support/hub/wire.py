"""Between the socket and the application: the log of requests, the faults, and the escaped slashes."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from collections import deque
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from .faults import FaultBoard

# Enough for any test, and a bound for one that loops.
LOG_LENGTH = 10_000

Peer = tuple[str, int]


@dataclass(frozen=True)
class Logged:
    """A request and the status that was sent; none where the connection was closed instead."""

    method: str
    path: str
    query: str
    authorized: bool
    status: int | None = None


class RequestLog:
    """The requests in the order of their arrival."""

    def __init__(self) -> None:
        self._entries: deque[list[Logged]] = deque(maxlen=LOG_LENGTH)
        self._lock = threading.Lock()

    def open(self, entry: Logged) -> list[Logged]:
        """Note an arrival; the slot is completed before the client sees the status."""
        slot = [entry]
        with self._lock:
            self._entries.append(slot)
        return slot

    def entries(self) -> list[Logged]:
        with self._lock:
            return [slot[0] for slot in self._entries]

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()


class Wire:
    """The outermost application."""

    def __init__(
        self,
        app: ASGIApp,
        board: FaultBoard,
        log: RequestLog,
        transports: dict[Peer, asyncio.Transport],
        failures: list[Exception],
    ) -> None:
        self._app = app
        self._board = board
        self._log = log
        self._transports = transports
        self._failures = failures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method, path = scope["method"], scope["path"]
        slot = self._log.open(
            Logged(method, path, scope["query_string"].decode(), "authorization" in Headers(scope=scope))
        )

        async def logged(message: Message) -> None:
            if message["type"] == "http.response.start":
                slot[0] = dataclasses.replace(slot[0], status=message["status"])
            await send(message)

        def hangup() -> None:
            transport = self._transports.get(scope["client"])
            if transport is not None:
                transport.close()

        inner = {**scope, "path": _routable(scope["raw_path"])}
        fault = self._board.take(method, path)
        try:
            if fault is None:
                await self._app(inner, receive, logged)
            else:
                await fault(self._app, inner, receive, logged, hangup)
        except ClientDisconnect:
            # A client that loses its patience is no failure of the hub.
            return
        except Exception as error:
            self._failures.append(error)
            raise


def tracked_protocol(transports: dict[Peer, asyncio.Transport]) -> type[H11Protocol]:
    """A protocol that keeps its connections at hand, as an application has no other way to close one."""

    class Tracked(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if self.client is not None:
                transports[self.client] = transport

        def connection_lost(self, exc: Exception | None) -> None:
            if self.client is not None:
                transports.pop(self.client, None)
            super().connection_lost(exc)

    return Tracked


def _routable(raw_path: bytes) -> str:
    """Decode a path but for its escaped slashes, which belong to a revision or to a file's path."""
    text = raw_path.decode("ascii").replace("%25", "%2525").replace("%2f", "%2F").replace("%2F", "%252F")
    return unquote(text)
