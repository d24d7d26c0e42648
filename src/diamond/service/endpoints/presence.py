"""Which endpoints are there: online while calls come, away when none came for a while."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from diamond.service.endpoints import store as endpoint_store
from diamond.service.endpoints.attention import endpoint_needs
from diamond.service.endpoints.rows import EndpointRow, EndpointState
from diamond.service.notifications.notify import Notice, notify
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.separately import separately
from diamond.service.platform.services import Services

AWAY_AFTER_SECONDS = 40.0


async def heard_of(services: Services, endpoint: EndpointRow) -> None:
    """A call of the endpoint's agent came: `last_seen` is written now and then, a change of state at once."""
    if services.presence.is_fresh(endpoint.id) and endpoint.state == "online":
        return
    now = time.time()
    services.presence.wrote(endpoint.id, now)
    await services.store.run(lambda tx: _mark(tx, endpoint.id, "online", last_seen=now))


async def went_away(services: Services, endpoint: EndpointRow) -> None:
    """Its carrier reports that the connection closed."""
    services.presence.forget(endpoint.id)
    await services.store.run(lambda tx: _mark(tx, endpoint.id, away_state(endpoint)))


async def sweep(store: Store) -> None:
    """Mark endpoints that fell silent as away. Any process may do it, also two at once."""
    before = time.time() - AWAY_AFTER_SECONDS
    async with store.read() as connection:
        silent = await endpoint_store.silent_endpoints(connection, before)
    await separately(
        silent,
        lambda endpoint: store.run(partial(_sweep_one, endpoint=endpoint, before=before)),
        "marking an endpoint as away",
    )


async def _sweep_one(tx: Transaction, endpoint: EndpointRow, before: float) -> None:
    now = await endpoint_store.endpoint_by_id(tx.connection, endpoint.id, lock=True)
    if now and now.state == "online" and (now.last_seen or 0.0) < before:
        await _mark(tx, endpoint.id, away_state(endpoint))


async def _mark(
    tx: Transaction, endpoint: str, state: EndpointState, last_seen: float | None = None
) -> None:
    row = await endpoint_store.endpoint_by_id(tx.connection, endpoint, lock=True)
    if row is None:
        return
    if last_seen is not None:
        await endpoint_store.change_endpoint(tx, endpoint, last_seen=last_seen)
    if row.state != state:
        marked = replace(row, state=state, since=time.time())
        await endpoint_store.change_endpoint(tx, endpoint, state=state, since=marked.since)
        notices = await _notify_away(tx, marked) if state == "sign-in" else []
        await publish(tx, row.owner, [News("endpoint", endpoint), *notices])


async def _notify_away(tx: Transaction, endpoint: EndpointRow) -> list[News]:
    """Only while tasks are open there: a laptop that is closed for the night needs nobody."""
    if not await endpoint_store.open_tasks(tx.connection, endpoint.id):
        return []
    need = endpoint_needs(endpoint, has_open_tasks=True)[0]
    key = f"sign-in:{endpoint.id}:{endpoint.since:.0f}"
    notice = Notice(
        key, "sign-in", need.title, f"{need.hint} {need.command}", endpoint=endpoint.name
    )
    return await notify(tx, endpoint.owner, [notice])


def away_state(endpoint: EndpointRow) -> EndpointState:
    return "sign-in" if endpoint.carrier == "ssh" else "offline"
