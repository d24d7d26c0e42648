"""So many calls a minute from each token, browser or address, told in the standard headers.

RateLimit and RateLimit-Policy are those of draft-ietf-httpapi-ratelimit-headers. Each process counts for itself.
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
        """How many calls are left after this one; below zero it is one too many."""
        level = self.look(caller)
        left = level - 1
        self._levels[caller] = left if left >= 0 else level, self.clock()
        self._levels.move_to_end(caller)
        if len(self._levels) > MOST_CALLERS:
            self._levels.popitem(last=False)
        return left

    def look(self, caller: str) -> float:
        """How many calls there are now."""
        now = self.clock()
        level, at = self._levels.get(caller, (self.per_minute, now))
        return min(self.per_minute, level + (now - at) * self.per_minute / WINDOW_SECONDS)

    def wait_seconds(self, left: float) -> float:
        """Until a call is possible again."""
        return max(0.0, -left) * WINDOW_SECONDS / self.per_minute


class RateLimit:
    """Agents pace themselves by what the service tells them, and are not counted."""

    def __init__(self, app: ASGIApp, per_minute: float, proxies: Collection[str] = ()) -> None:
        self._app, self._buckets, self._proxies = app, Buckets(per_minute), proxies
        self._good: OrderedDict[str, None] = OrderedDict()
        """Tokens and cookies that were good when last seen."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_counted(scope["path"]):
            await self._app(scope, receive, send)
            return
        shown, address = _shown(scope), self._address(scope)
        left = self._left(shown, address)
        told = self._telling(self._learning(send, shown, address), left)
        if left >= 0:
            await self._app(scope, receive, told)
        else:
            words = f"More than {self._buckets.per_minute:g} calls in a minute"
            refusal = response(TooMany(words, "Wait as long as Retry-After says."))
            await refusal(scope, receive, told)

    def _left(self, shown: str, address: str) -> float:
        """Of a token's own calls; of her address's, for one who shows none, or whose token is not known to be good."""
        if shown in self._good:
            return self._buckets.take(shown)
        of_address = self._buckets.look(address) - 1 if shown else self._buckets.take(address)
        return min(of_address, self._buckets.take(shown)) if shown else of_address

    def _learning(self, send: Send, shown: str, address: str) -> Send:
        """A token that is not good counts as a call of its address: else guesses, a new one each time, would be free."""

        async def learning(message: Message) -> None:
            if message["type"] == "http.response.start" and shown:
                self._learn(shown, address, is_good=message["status"] not in (401, 429))
            await send(message)

        return learning

    def _learn(self, shown: str, address: str, *, is_good: bool) -> None:
        if is_good:
            self._good[shown] = None
            self._good.move_to_end(shown)
            if len(self._good) > MOST_CALLERS:
                self._good.popitem(last=False)
        elif shown not in self._good:
            self._buckets.take(address)

    def _address(self, scope: Scope) -> str:
        client, headers = scope.get("client"), Headers(scope=scope)
        peer = str(client[0]) if client else ""
        return caller_address(peer, headers.get("x-forwarded-for", ""), self._proxies)

    def _telling(self, send: Send, left: float) -> Send:
        quota, wait = int(self._buckets.per_minute), self._buckets.wait_seconds(left)

        async def telling(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["RateLimit-Policy"] = f'"calls";q={quota};w={int(WINDOW_SECONDS)}'
                headers["RateLimit"] = f'"calls";r={max(0, int(left))};t={int(wait) + 1}'
                if left < 0:
                    headers["Retry-After"] = str(int(wait) + 1)
            await send(message)

        return telling


def _is_counted(path: str) -> bool:
    """The API, and a browser's ways in."""
    is_way = path == "/open" or path.startswith("/auth/")
    return is_way or (path.startswith(API) and not path.startswith(SYNC))


def _shown(scope: Scope) -> str:
    """A token or cookie, hashed; '' for none."""
    headers = Headers(scope=scope)
    text = headers.get("authorization") or headers.get("cookie")
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() if text else ""
