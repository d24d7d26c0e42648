"""More people on a service, each with their own token."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bench.stack import Service
from diamond.service.people import store as users
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.settings import Settings


def add_people(service: Service, count: int) -> list[Service]:
    """The service as each of them sees it. Written directly into the database, because signing in is not measured here."""
    tokens = asyncio.run(_add(service, [f"person-{number}" for number in range(count)]))
    return [replace(service, token=token) for token in tokens]


async def _add(service: Service, names: list[str]) -> list[str]:
    store = Store(Settings(service.folder).database, Notifier())

    async def add(tx: Transaction) -> list[str]:
        for name in names:
            await users.add_user(tx, name, name)
        return [(await users.add_credential(tx, name, users.TOKEN, "bench"))[1] for name in names]

    try:
        return await store.run(add)
    finally:
        await store.close()
