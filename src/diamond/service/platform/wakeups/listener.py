"""Wake-ups from other service processes, by PostgreSQL's LISTEN/NOTIFY."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import asyncpg  # type: ignore[import-untyped]

from diamond.service.platform.database.engine import CHANNEL
from diamond.service.platform.services import Services

log = logging.getLogger("diamond.service")
RETRY_SECONDS = 2.0


class Listener:
    """Keeps one connection open; while it is away everybody looks every few seconds."""

    def __init__(self, services: Services) -> None:
        self._notifier = services.notifier
        self._url = services.settings.database.replace("postgresql+asyncpg", "postgresql")

    async def run(self) -> None:
        while True:
            try:
                await self._listen()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                log.warning("no wake-ups from the database for now: %s", error)
            self._notifier.wake_all()
            await asyncio.sleep(RETRY_SECONDS)

    async def _listen(self) -> None:
        connection = await asyncpg.connect(self._url)
        closed = asyncio.Event()
        connection.add_termination_listener(lambda _connection: closed.set())
        try:
            await connection.add_listener(CHANNEL, self._heard)
            self._notifier.wake_all()
            await closed.wait()
        finally:
            await connection.close(timeout=1)

    def _heard(self, _connection: Any, _pid: int, _channel: str, topic: Any) -> None:
        self._notifier.wake([str(topic)])
