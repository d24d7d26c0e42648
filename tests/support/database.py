"""A separate store for a test, without a service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from diamond.service.platform.database.engine import Store
from diamond.service.platform.database.migrate import upgrade
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.settings import Settings

Result = TypeVar("Result")


@asynccontextmanager
async def open_store(
    home: Path, database_url: str = "", revision: str = "head"
) -> AsyncIterator[Store]:
    store = Store(Settings(home, database_url=database_url).database, Notifier())
    try:
        await upgrade(store, revision)
        yield store
    finally:
        await store.close()


def with_store(home: Path, database_url: str, work: Callable[[Store], Awaitable[Result]]) -> Result:
    """Run `work` on an upgraded store."""

    async def run() -> Result:
        async with open_store(home, database_url) as store:
            return await work(store)

    return asyncio.run(run())
