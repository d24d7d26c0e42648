"""The relay between several service processes: through the database, which sees nothing but sealed bytes."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator
from typing import Any

from diamond.service.platform.database.engine import Store
from diamond.service.platform.relay import store as relayed
from diamond.service.platform.relay.relay import ANSWER_SECONDS, Relay, no_answer, refusal
from diamond.service.platform.relay.store import Part
from diamond.service.platform.sealing import Seal, WrongSeal
from diamond.service.platform.wakeups.notifier import Notifier, answer_topic, wait

log = logging.getLogger("diamond.service")
POLL_SECONDS = 2.0


class SharedRelay(Relay):
    """Any process asks, any gives the question to the agent, any takes the answer."""

    def __init__(self, store: Store, notifier: Notifier, seal: Seal) -> None:
        self._store, self._notifier, self._seal = store, notifier, seal

    async def ask(self, endpoint: str, request: dict[str, Any]) -> AsyncIterator[bytes]:
        number = str(request["id"])
        sealed = self._seal.close(json.dumps(request).encode(), number)
        with self._notifier.listen([answer_topic(number)]) as bell:
            await self._store.run(lambda tx: relayed.add_request(tx, endpoint, number, sealed))
            try:
                async for part in self._parts(number, bell):
                    yield self._open(part, number)
            finally:
                await self._store.run(lambda tx: relayed.forget_request(tx, number))

    async def take(self, endpoint: str) -> list[dict[str, Any]]:
        async with self._store.read() as connection:
            if not await relayed.has_requests(connection, endpoint):
                return []
        requests = await self._store.run(lambda tx: relayed.take_requests(tx, endpoint))
        return [request for number, body in requests for request in self._read(number, body)]

    async def answer(
        self, endpoint: str, request: str, body: bytes, *, ok: bool, more: bool
    ) -> None:
        sealed = self._seal.close(body, request)
        part = Part(0, ok=ok, more=ok and more, body=sealed)
        await self._store.run(lambda tx: relayed.add_part(tx, endpoint, request, part))

    async def _parts(self, number: str, bell: asyncio.Event) -> AsyncIterator[Part]:
        last, deadline = 0, time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < deadline:
            bell.clear()
            async with self._store.read() as connection:
                parts = await relayed.parts_after(connection, number, last)
            for part in parts:
                last, deadline = part.n, time.monotonic() + ANSWER_SECONDS
                yield part
                if not part.more:
                    return
            if not parts:
                await wait(bell, POLL_SECONDS)
        raise no_answer()

    def _open(self, part: Part, number: str) -> bytes:
        body = self._seal.open(part.body, number)
        if not part.ok:
            raise refusal(body)
        return body

    def _read(self, number: str, sealed: bytes) -> list[dict[str, Any]]:
        """Nothing where another process has another key: the log says so, and the person gets no answer."""
        try:
            return [json.loads(self._seal.open(sealed, number))]
        except WrongSeal:
            log.error("a question was sealed with another key: give all processes one relay.key")
            return []
