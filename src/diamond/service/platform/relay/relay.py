"""Questions to agents while a person waits."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from diamond.core import ids
from diamond.core.errors import DiamondError, EndpointAway, from_problem
from diamond.service.platform.audit import who_calls
from diamond.service.platform.wakeups.notifier import Notifier, endpoint_topic

ANSWER_SECONDS = 30.0


class Relay(ABC):
    """Carries a question to the process that an agent calls, and the parts of the answer back."""

    async def ask_json(self, endpoint: str, kind: str, **fields: Any) -> dict[str, Any]:
        """Ask, and read the answer as JSON."""
        answer = json.loads(await self.ask_bytes(endpoint, kind, **fields) or b"{}")
        return answer if isinstance(answer, dict) else {}

    async def ask_bytes(self, endpoint: str, kind: str, **fields: Any) -> bytes:
        request = {"id": ids.new_id("r"), "type": kind, **fields, **who_calls()}
        return b"".join([part async for part in self.ask(endpoint, request)])

    @abstractmethod
    def ask(self, endpoint: str, request: dict[str, Any]) -> AsyncIterator[bytes]:
        """The parts of the answer as they come; raises what the agent answered instead."""

    @abstractmethod
    async def take(self, endpoint: str) -> list[dict[str, Any]]:
        """The requests that an agent now gets, each once."""

    @abstractmethod
    async def answer(
        self, endpoint: str, request: str, body: bytes, *, ok: bool, more: bool
    ) -> None:
        """An answer that nobody waits for any more is dropped."""


@dataclass
class Pending:
    endpoint: str
    request: dict[str, Any]
    parts: asyncio.Queue[bytes | DiamondError | None] = field(default_factory=asyncio.Queue)


class MemoryRelay(Relay):
    """Within one process: nothing touches a disk."""

    def __init__(self, notifier: Notifier) -> None:
        self._notifier = notifier
        self._waiting: dict[str, list[Pending]] = {}
        self._asked: dict[str, Pending] = {}

    async def ask(self, endpoint: str, request: dict[str, Any]) -> AsyncIterator[bytes]:
        pending = self._put(endpoint, request)
        try:
            while (part := await self._next(pending)) is not None:
                yield part
        finally:
            self._drop(pending)

    async def take(self, endpoint: str) -> list[dict[str, Any]]:
        return [pending.request for pending in self._waiting.pop(endpoint, [])]

    async def answer(
        self, endpoint: str, request: str, body: bytes, *, ok: bool, more: bool
    ) -> None:
        pending = self._asked.get(request)
        if pending is None or pending.endpoint != endpoint:
            return
        pending.parts.put_nowait(body if ok else refusal(body))
        if ok and not more:
            pending.parts.put_nowait(None)

    def _put(self, endpoint: str, request: dict[str, Any]) -> Pending:
        pending = Pending(endpoint, request)
        self._asked[request["id"]] = pending
        self._waiting.setdefault(endpoint, []).append(pending)
        self._notifier.wake([endpoint_topic(endpoint)])
        return pending

    async def _next(self, pending: Pending) -> bytes | None:
        try:
            part = await asyncio.wait_for(pending.parts.get(), ANSWER_SECONDS)
        except TimeoutError:
            raise no_answer() from None
        if isinstance(part, DiamondError):
            raise part
        return part

    def _drop(self, pending: Pending) -> None:
        self._asked.pop(pending.request["id"], None)
        queue = self._waiting.get(pending.endpoint, [])
        if pending in queue:
            queue.remove(pending)


def no_answer() -> EndpointAway:
    return EndpointAway(
        f"The endpoint did not answer within {ANSWER_SECONDS:.0f} seconds",
        "Its file system or login node may be slow. Try again, or see `diamond endpoint list`.",
    )


def refusal(body: bytes) -> DiamondError:
    """What an agent answered instead."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = {"title": body.decode("utf-8", "replace")[:500]}
    return from_problem(problem if isinstance(problem, dict) else {})
