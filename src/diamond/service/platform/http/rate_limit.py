"""A limit of calls per minute for each token, browser or address, reported in the standard headers.

RateLimit and RateLimit-Policy are those of draft-ietf-httpapi-ratelimit-headers. Each process counts on its own.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from diamond.core.errors import TooMany
from diamond.service.platform.http.addresses import caller_address
from diamond.service.platform.http.problems import response

WINDOW_SECONDS = 60.0
MOST_CALLERS = 20_000
API, SYNC = "/api/v1/", "/api/v1/sync/"


CALLER = "diamond.caller"
"""Where a request's scope holds its `Caller`."""


@dataclass
class Caller:
    """Who calls, as far as the limit must know: marked once a token or cookie was found to be valid."""

    is_signed_in: bool = False


def mark_signed_in(scope: Scope) -> None:
    caller = scope.get(CALLER)
    if isinstance(caller, Caller):
        caller.is_signed_in = True


@dataclass
class Buckets:
    """A bucket for each caller: full at first, filled again evenly, emptied by a call."""

    per_minute: float
    clock: Callable[[], float] = time.monotonic
    _levels: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, caller: str) -> float:
        """How many calls are left after this one; below zero, this one is over the limit."""
        level = self.look(caller)
        left = level - 1
        self._levels[caller] = left if left >= 0 else level, self.clock()
        self._levels.move_to_end(caller)
        if len(self._levels) > MOST_CALLERS:
            self._levels.popitem(last=False)
        return left

    def look(self, caller: str) -> float:
        """How many calls are left now."""
        now = self.clock()
        level, at = self._levels.get(caller, (self.per_minute, now))
        return min(self.per_minute, level + (now - at) * self.per_minute / WINDOW_SECONDS)

    def give_back(self, caller: str) -> None:
        """A call that turned out to be another's."""
        self._levels[caller] = min(self.per_minute, self.look(caller) + 1), self.clock()

    def wait_seconds(self, left: float) -> float:
        """Until a call is possible again."""
        return max(0.0, -left) * WINDOW_SECONDS / self.per_minute


class RateLimit:
    """Agents are not counted: the service itself sets their pace."""

    def __init__(self, app: ASGIApp, per_minute: float, proxies: Collection[str] = ()) -> None:
        self._app, self._buckets, self._proxies = app, Buckets(per_minute), proxies
        self._good: OrderedDict[str, None] = OrderedDict()
        """Digests of tokens and cookies that were valid when last seen."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_counted(scope["path"]):
            await self._app(scope, receive, send)
            return
        credential, address = _credential_digest(scope), self._address(scope)
        scope[CALLER] = caller = Caller()
        left = self._buckets.take(credential if credential in self._good else address)
        sending = send
        if left >= 0 and credential:
            sending = self._with_result(send, caller, credential, address)
        sending = self._with_headers(sending, left)
        if left >= 0:
            await self._app(scope, receive, sending)
        else:
            message = f"More than {self._buckets.per_minute:g} calls in a minute"
            rejection = response(TooMany(message, "Wait as long as Retry-After says."))
            await rejection(scope, receive, sending)

    def _with_result(self, send: Send, caller: Caller, credential: str, address: str) -> Send:
        """Only callers who are signed in by a token or cookie are counted separately; otherwise made-up ones would be free."""

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                if caller.is_signed_in:
                    self._remember(credential, address)
                elif message["status"] == 401:
                    self._good.pop(credential, None)
            await send(message)

        return send_noted

    def _remember(self, credential: str, address: str) -> None:
        if credential not in self._good:
            self._buckets.give_back(address)
            self._buckets.take(credential)
        self._good[credential] = None
        self._good.move_to_end(credential)
        if len(self._good) > MOST_CALLERS:
            self._good.popitem(last=False)

    def _address(self, scope: Scope) -> str:
        client, headers = scope.get("client"), Headers(scope=scope)
        peer = str(client[0]) if client else ""
        return caller_address(peer, headers.get("x-forwarded-for", ""), self._proxies)

    def _with_headers(self, send: Send, left: float) -> Send:
        quota, wait = int(self._buckets.per_minute), self._buckets.wait_seconds(left)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["RateLimit-Policy"] = f'"calls";q={quota};w={int(WINDOW_SECONDS)}'
                headers["RateLimit"] = f'"calls";r={max(0, int(left))};t={int(wait) + 1}'
                if left < 0:
                    headers["Retry-After"] = str(int(wait) + 1)
            await send(message)

        return send_with_headers


def _is_counted(path: str) -> bool:
    """The API, and the pages that sign a browser in."""
    is_way = path == "/open" or path.startswith("/auth/")
    return is_way or (path.startswith(API) and not path.startswith(SYNC))


def _credential_digest(scope: Scope) -> str:
    """Of the token or cookie; empty for none."""
    headers = Headers(scope=scope)
    text = headers.get("authorization") or headers.get("cookie")
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() if text else ""
