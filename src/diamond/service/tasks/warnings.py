"""Looks now and then for what will soon need a person: little room, results about to be purged."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.endpoints import attention as needs
from diamond.service.endpoints import store as endpoint_rows
from diamond.service.notifications.notify import Notice, notify
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.event_log import publish
from diamond.service.platform.services import Services
from diamond.service.tasks import task_list

REMIND_SECONDS = 7 * needs.DAY
"""The same need is told again only after so long."""


async def warn(services: Services) -> None:
    async with services.store.read() as connection:
        rows = await endpoint_rows.online_endpoints(connection)
        found = {
            row["id"]: [_notice(row, need) for need in await _needs(connection, row)]
            for row in rows
        }
    for row in rows:
        if found[row["id"]]:
            await services.store.run(partial(_tell, row=row, notices=found[row["id"]]))


async def purge_needs(connection: AsyncConnection, row: Row) -> list[dict[str, Any]]:
    """Results on this endpoint that the site removes within the next days."""
    days = needs.purge_days(row)
    if days is None:
        return []
    now = time.time()
    span = now - days * needs.DAY, now - (days - needs.PURGE_DAYS) * needs.DAY
    count, oldest = await task_list.kept_results(connection, row["owner"], row["id"], *span)
    return [needs.purge_need(row, count=count, oldest=oldest, days=days)] if count else []


async def _needs(connection: AsyncConnection, row: Row) -> list[dict[str, Any]]:
    return [*needs.quota_needs(row), *await purge_needs(connection, row)]


async def _tell(tx: Transaction, row: Row, notices: list[Notice]) -> None:
    await publish(tx, row["owner"], await notify(tx, row["owner"], notices))


def _notice(row: Row, need: dict[str, Any]) -> Notice:
    period = int(time.time() / REMIND_SECONDS)
    # A count in the words of a purge changes from day to day; the need stays the same.
    which = need["title"] if need["kind"] == "quota" else ""
    key = f"{need['kind']}:{row['id']}:{which}:{period}"
    return Notice(key, need["kind"], need["title"], need["hint"], endpoint=row["name"])
