"""People of a running service, written directly into its database, because signing in is tested elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable

from sqlalchemy import text

from diamond.core.ids import new_id
from diamond.service.access.principal import Role, Scope
from diamond.service.people import store as users
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.projects import store as projects
from diamond.service.settings import Settings
from support.http import Client
from support.service import RunningService


def add_person(
    service: RunningService,
    name: str,
    *,
    scopes: Iterable[Scope] = (),
    user: str = "",
    is_admin: bool = False,
) -> tuple[str, Client]:
    """A person's id and a client with their token; with `user`, only another token for an existing person."""
    person = user or new_id("u")
    words = " ".join(scope.value for scope in scopes)

    async def add(tx: Transaction) -> str:
        if not user:
            await users.add_user(tx, person, f"{name} {person}", is_admin=is_admin)
        _, secret = await users.add_credential(tx, person, users.TOKEN, "", scopes=words)
        return secret

    return person, Client(service.url, _write(service, add))


def put_in_project(service: RunningService, project: str, user: str, role: Role) -> None:
    async def put(tx: Transaction) -> str:
        await projects.put_member(tx, project, user, role)
        return ""

    _write(service, put)


def disable(service: RunningService, user: str) -> None:
    async def change(tx: Transaction) -> str:
        await users.change_user(tx, user, {"disabled": time.time()})
        return ""

    _write(service, change)


def execute(service: RunningService, words: str) -> None:
    """Plain SQL, as someone with a database connection could send."""

    async def run(tx: Transaction) -> str:
        await tx.connection.execute(text(words))
        return ""

    _write(service, run)


def _write(service: RunningService, work: Callable[[Transaction], Awaitable[str]]) -> str:
    """On the database of a running service, whose tables are up to date."""

    async def run() -> str:
        url = Settings(service.home, database_url=service.database_url).database
        store = Store(url, Notifier())
        try:
            return await store.run(work)
        finally:
            await store.close()

    return asyncio.run(run())
