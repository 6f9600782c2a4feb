"""Faults to order: what goes wrong, at which requests, and how often."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# A test that waits longer than this has lost its way.
LONGEST_WAIT = 60.0

Hangup = Callable[[], None]


@dataclass(frozen=True)
class Status:
    """Another status than the right one; with `landed` the request takes effect before."""

    status: int = 500
    landed: bool = False
    retry_after: int | None = None
    code: str | None = None
    message: str = "a fault that a test ordered"

    async def __call__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send, hangup: Hangup) -> None:
        await _settle(app, scope, receive, landed=self.landed)
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        if self.code is not None:
            headers["X-Error-Code"] = self.code
        response = JSONResponse({"error": self.message}, status_code=self.status, headers=headers)
        await response(scope, receive, send)


@dataclass(frozen=True)
class Close:
    """The connection ends without a response; with `landed` the request takes effect before."""

    landed: bool = False

    async def __call__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send, hangup: Hangup) -> None:
        await _settle(app, scope, receive, landed=self.landed)
        hangup()
        await _disconnected(receive)


@dataclass(frozen=True)
class Truncate:
    """The body stops short of its announced length, after `keep` bytes or at its half."""

    keep: int | None = None

    async def __call__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send, hangup: Hangup) -> None:
        left = self.keep or 0
        cut = False

        async def shorten(message: Message) -> None:
            nonlocal left, cut
            if message["type"] == "http.response.start":
                if self.keep is None:
                    left = int(dict(message["headers"]).get(b"content-length", b"0")) // 2
                await send(message)
            elif not cut:
                body = message.get("body", b"")
                cut = len(body) > left or not message.get("more_body", False)
                await send({"type": "http.response.body", "body": body[:left], "more_body": True})
                left -= len(body)
                if cut:
                    hangup()

        await app(scope, receive, shorten)
        await _disconnected(receive)


@dataclass(frozen=True)
class Slow:
    """A wait before the request is looked at."""

    seconds: float

    async def __call__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send, hangup: Hangup) -> None:
        await asyncio.sleep(min(self.seconds, LONGEST_WAIT))
        await app(scope, receive, send)


@dataclass(frozen=True)
class Before:
    """Something that happens just before the request: another's commit, a repository made private."""

    action: Callable[[], object]

    async def __call__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send, hangup: Hangup) -> None:
        self.action()
        await app(scope, receive, send)


Fault = Status | Close | Truncate | Slow | Before

KINDS: dict[str, type[Fault]] = {
    "status": Status,
    "close": Close,
    "truncate": Truncate,
    "slow": Slow,
    "before": Before,
}


@dataclass
class Order:
    """A fault that waits for its requests; `served` counts those it has met."""

    fault: Fault
    match: str
    times: int
    skip: int
    served: int = field(default=0, init=False)

    def takes(self, method: str, path: str) -> bool:
        """Whether this order stands for a request; asking counts."""
        wanted_method, _, wanted_path = self.match.rpartition(" ")
        if wanted_method not in ("", "*", method) or not fnmatchcase(path, wanted_path):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.served >= self.times:
            return False
        self.served += 1
        return True


class FaultBoard:
    """The orders, the oldest first."""

    def __init__(self) -> None:
        self._orders: list[Order] = []
        self._lock = threading.Lock()

    def order(self, order: Order) -> Order:
        with self._lock:
            self._orders.append(order)
        return order

    def take(self, method: str, path: str) -> Fault | None:
        """The fault for a request, used up by being taken."""
        with self._lock:
            return next((order.fault for order in self._orders if order.takes(method, path)), None)

    def clear(self) -> None:
        with self._lock:
            self._orders.clear()


async def _settle(app: ASGIApp, scope: Scope, receive: Receive, *, landed: bool) -> None:
    """Run the request and drop its response, or only read its body, so that the client has sent it all."""

    async def drop(message: Message) -> None:
        return None

    if landed:
        await app(scope, receive, drop)
        return
    while (await receive()).get("more_body", False):
        continue


async def _disconnected(receive: Receive) -> None:
    """Wait until the connection is gone: a request left unanswered would get a 500."""
    while (await receive())["type"] != "http.disconnect":
        continue
