"""Answers that were costly to make and may be asked for again."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

MOST_BYTES = 16 << 20
MOST_ANSWERS = 10_000
T = TypeVar("T")


class Recent:
    """The answers that were last asked for, up to a number of bytes.

    A key must name everything that the answer depends on: nothing here ever grows stale.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes, self._bytes = most_bytes, 0
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()

    async def get(self, key: Hashable, make: Callable[[], Awaitable[bytes]]) -> bytes:
        if key in self._answers:
            self._answers.move_to_end(key)
            return self._answers[key]
        answer = await make()
        self._keep(key, answer)
        return answer

    def _keep(self, key: Hashable, answer: bytes) -> None:
        self._bytes += len(answer) - len(self._answers.pop(key, b""))
        self._answers[key] = answer
        while self._bytes > self._most_bytes:
            _, oldest = self._answers.popitem(last=False)
            self._bytes -= len(oldest)


class Lately(Generic[T]):
    """Answers that may be a little old: each is used for some seconds and then made again."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._answers: OrderedDict[Hashable, tuple[float, T]] = OrderedDict()

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        known = self._answers.get(key)
        if known is not None and time.monotonic() - known[0] < self._seconds:
            return known[1]
        answer = await make()
        self._answers[key] = (time.monotonic(), answer)
        self._answers.move_to_end(key)
        if len(self._answers) > MOST_ANSWERS:
            self._answers.popitem(last=False)
        return answer
