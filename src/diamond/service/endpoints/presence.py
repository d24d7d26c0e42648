"""Which endpoints are there: online while calls come, away when none came for a while."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from diamond.service.endpoints import store as rows
from diamond.service.endpoints.attention import endpoint_needs
from diamond.service.notifications.notify import Notice, notify
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.services import Services

AWAY_AFTER_SECONDS = 40.0
ONLINE = "online"


async def heard_of(services: Services, endpoint: Row) -> None:
    """A call of the endpoint's agent came: `last_seen` is written now and then, a change of state at once."""
    if services.presence.is_fresh(endpoint["id"]) and endpoint["state"] == ONLINE:
        return
    now = time.time()
    services.presence.wrote(endpoint["id"], now)
    await services.store.run(lambda tx: _mark(tx, endpoint["id"], ONLINE, last_seen=now))


async def went_away(services: Services, endpoint: Row) -> None:
    """Its carrier says that the connection closed."""
    services.presence.forget(endpoint["id"])
    await services.store.run(lambda tx: _mark(tx, endpoint["id"], away_state(endpoint)))


async def sweep(store: Store) -> None:
    """Endpoints that fell silent read as away from now on. Any process may do it, also two at once."""
    before = time.time() - AWAY_AFTER_SECONDS
    async with store.read() as connection:
        silent = await rows.silent_endpoints(connection, before)
    for endpoint in silent:
        await store.run(partial(_sweep_one, endpoint=endpoint, before=before))


async def _sweep_one(tx: Transaction, endpoint: Row, before: float) -> None:
    now = await rows.endpoint_by_id(tx.connection, endpoint["id"], lock=True)
    if now and now["state"] == ONLINE and now["last_seen"] < before:
        await _mark(tx, endpoint["id"], away_state(endpoint))


async def _mark(tx: Transaction, endpoint: str, state: str, last_seen: float | None = None) -> None:
    row = await rows.endpoint_by_id(tx.connection, endpoint, lock=True)
    if row is None:
        return
    values: dict[str, Any] = {} if last_seen is None else {"last_seen": last_seen}
    if row["state"] != state:
        values |= {"state": state, "since": time.time()}
    if values:
        await rows.change_endpoint(tx, endpoint, values)
    if "state" in values:
        told = await _tell_away(tx, {**row, **values}) if state == "sign-in" else []
        await publish(tx, row["owner"], [News("endpoint", endpoint), *told])


async def _tell_away(tx: Transaction, row: Row) -> list[News]:
    """Only while tasks are open there: a laptop that is closed for the night needs nobody."""
    if not await rows.open_tasks(tx.connection, row["id"]):
        return []
    need = endpoint_needs(row, has_open_tasks=True)[0]
    key = f"sign-in:{row['id']}:{row['since']:.0f}"
    notice = Notice(key, "sign-in", need.title, f"{need.hint} {need.command}", endpoint=row["name"])
    return await notify(tx, row["owner"], [notice])


def away_state(endpoint: Mapping[str, Any]) -> str:
    return "sign-in" if endpoint["carrier"] == "ssh" else "offline"
