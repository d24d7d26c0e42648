"""So many calls a minute from each token, browser or address, told in the standard headers.

RateLimit and RateLimit-Policy are those of draft-ietf-httpapi-ratelimit-headers. Each process counts for itself.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from diamond.core.errors import TooMany
from diamond.service.problems import response

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
        now = self.clock()
        level, at = self._levels.pop(caller, (self.per_minute, now))
        level = min(self.per_minute, level + (now - at) * self.per_minute / WINDOW_SECONDS)
        left = level - 1
        self._levels[caller] = max(left, -1.0) if left >= 0 else level, now
        if len(self._levels) > MOST_CALLERS:
            self._levels.popitem(last=False)
        return left

    def wait_seconds(self, left: float) -> float:
        """Until a call is possible again."""
        return max(0.0, -left) * WINDOW_SECONDS / self.per_minute


class RateLimit:
    """Agents pace themselves by what the service tells them, and are not counted."""

    def __init__(self, app: ASGIApp, per_minute: float) -> None:
        self._app, self._buckets = app, Buckets(per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_counted(scope["path"]):
            await self._app(scope, receive, send)
            return
        left = self._buckets.take(_caller(scope))
        told = self._telling(send, left)
        if left >= 0:
            await self._app(scope, receive, told)
        else:
            words = f"More than {self._buckets.per_minute:g} calls in a minute"
            refusal = response(TooMany(words, "Wait as long as Retry-After says."))
            await refusal(scope, receive, told)

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
    return path.startswith(API) and not path.startswith(SYNC)


def _caller(scope: Scope) -> str:
    """The token or cookie as it is, whether or not it is good; else the address."""
    headers = Headers(scope=scope)
    shown = headers.get("authorization") or headers.get("cookie")
    client = scope.get("client")
    text = shown or (str(client[0]) if client else "")
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
