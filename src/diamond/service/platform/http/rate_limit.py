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
        left = self._left(credential, address)
        sending = self._with_headers(self._with_result(send, credential, address), left)
        if left >= 0:
            await self._app(scope, receive, sending)
        else:
            message = f"More than {self._buckets.per_minute:g} calls in a minute"
            rejection = response(TooMany(message, "Wait as long as Retry-After says."))
            await rejection(scope, receive, sending)

    def _left(self, credential: str, address: str) -> float:
        """Of the calls of a token; without one, or with one not known to be valid, of the calls of the address."""
        if credential in self._good:
            return self._buckets.take(credential)
        of_address = self._buckets.look(address) - 1 if credential else self._buckets.take(address)
        return min(of_address, self._buckets.take(credential)) if credential else of_address

    def _with_result(self, send: Send, credential: str, address: str) -> Send:
        """A token that is not valid counts as a call of its address; otherwise guessing tokens would be free."""

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start" and credential:
                self._note(credential, address, is_good=message["status"] not in (401, 429))
            await send(message)

        return send_noted

    def _note(self, credential: str, address: str, *, is_good: bool) -> None:
        if is_good:
            self._good[credential] = None
            self._good.move_to_end(credential)
            if len(self._good) > MOST_CALLERS:
                self._good.popitem(last=False)
        elif credential not in self._good:
            self._buckets.take(address)

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
