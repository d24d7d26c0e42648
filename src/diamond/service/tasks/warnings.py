"""Warns of what will soon need a person: little room, results about to be purged."""

from __future__ import annotations

import time
from functools import partial

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.endpoints import attention
from diamond.service.endpoints import store as endpoint_store
from diamond.service.endpoints.attention import DAY, Need
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.notifications.notify import Notice, notify
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import publish
from diamond.service.platform.separately import separately
from diamond.service.platform.services import Services
from diamond.service.tasks import task_list

REMIND_SECONDS = 7 * DAY
"""The same need is reported again only after so long."""


async def warn(services: Services) -> None:
    async with services.store.read() as connection:
        endpoints = await endpoint_store.online_endpoints(connection)
        needs = {endpoint.id: await _needs(connection, endpoint) for endpoint in endpoints}

    async def send(endpoint: EndpointRow) -> None:
        if needs[endpoint.id]:
            notices = [_notice(endpoint, need) for need in needs[endpoint.id]]
            await services.store.run(partial(_notify, owner=endpoint.owner, notices=notices))

    await separately(endpoints, send, "warning of an endpoint")


async def purge_needs(connection: AsyncConnection, endpoint: EndpointRow) -> list[Need]:
    """Results on this endpoint that the site removes within the next days."""
    days = attention.purge_days(endpoint)
    if days is None:
        return []
    now = time.time()
    span = now - days * DAY, now - (days - attention.PURGE_DAYS) * DAY
    count, oldest = await task_list.kept_results(connection, endpoint.owner, endpoint.id, *span)
    if not count:
        return []
    return [attention.purge_need(endpoint, count=count, oldest=oldest, days=days)]


async def _needs(connection: AsyncConnection, endpoint: EndpointRow) -> list[Need]:
    return [*attention.quota_needs(endpoint), *await purge_needs(connection, endpoint)]


async def _notify(tx: Transaction, owner: str, notices: list[Notice]) -> None:
    await publish(tx, owner, await notify(tx, owner, notices))


def _notice(endpoint: EndpointRow, need: Need) -> Notice:
    period = int(time.time() / REMIND_SECONDS)
    # The count in the title of a purge changes from day to day; the need stays the same.
    which = need.title if need.kind == "quota" else ""
    key = f"{need.kind}:{endpoint.id}:{which}:{period}"
    return Notice(key, need.kind, need.title, need.hint, endpoint=endpoint.name)
