"""Notifications, and those that are still to be sent."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from sqlalchemy import and_, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.notifications.rows import (
    DeliveryRow,
    DeliveryState,
    DueRow,
    NewDelivery,
    NotificationRow,
)
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.fair_order import in_turns
from diamond.service.platform.database.paging import Page, page_of
from diamond.service.platform.database.rows import rows_of, values_of
from diamond.service.platform.database.tables import deliveries, notifications

WAITING: Final = "waiting"
LEASE_SECONDS = 120.0
"""After this, another sender takes over the deliveries of one that died."""
MANY = 1000
# Asked at every ending: built once.
_UNREAD = select(func.count()).select_from(
    select(notifications.c.id)
    .where(notifications.c.owner == bindparam("of_owner"), notifications.c.in_page)
    .where(notifications.c.read.is_(None))
    .limit(MANY)
    .subquery()
)
_BY_IDS = select(notifications).where(notifications.c.id.in_(bindparam("of_ids", expanding=True)))
_KNOWN = (
    select(notifications.c.key)
    .where(notifications.c.owner == bindparam("of_owner"))
    .where(notifications.c.key.in_(bindparam("of_keys", expanding=True)))
)
_DELIVERIES = (
    select(deliveries)
    .where(deliveries.c.notification.in_(bindparam("of_ids", expanding=True)))
    .order_by(deliveries.c.id)
)
_ADD, _ADD_DELIVERIES = insert(notifications), insert(deliveries)


async def known_keys(connection: AsyncConnection, owner: str, keys: Sequence[str]) -> set[str]:
    asked = {"of_owner": owner, "of_keys": list(keys)}
    return set((await connection.execute(_KNOWN, asked)).scalars())


async def add_notifications(
    tx: Transaction, rows: Sequence[NotificationRow], deliveries: Sequence[NewDelivery]
) -> None:
    if rows:
        await tx.connection.execute(_ADD, [values_of(row) for row in rows])
    if deliveries:
        await tx.connection.execute(_ADD_DELIVERIES, [values_of(row) for row in deliveries])


async def list_notifications(
    connection: AsyncConnection, owner: str, *, only_unread: bool, limit: int, cursor: str | None
) -> Page[NotificationRow]:
    query = select(notifications).where(notifications.c.owner == owner, notifications.c.in_page)
    if only_unread:
        query = query.where(notifications.c.read.is_(None))
    keys = notifications.c.at, notifications.c.id
    return await page_of(
        connection, NotificationRow, [query], keys=keys, descending=True, limit=limit, cursor=cursor
    )


async def notifications_by_id(
    connection: AsyncConnection, ids: set[str]
) -> dict[str, NotificationRow]:
    result = await connection.execute(_BY_IDS, {"of_ids": sorted(ids)})
    return {row.id: row for row in rows_of(result, NotificationRow)}


async def deliveries_of(
    connection: AsyncConnection, ids: Sequence[str]
) -> dict[str, list[DeliveryRow]]:
    of_notification: dict[str, list[DeliveryRow]] = {notification: [] for notification in ids}
    for row in rows_of(await connection.execute(_DELIVERIES, {"of_ids": list(ids)}), DeliveryRow):
        of_notification[row.notification].append(row)
    return of_notification


async def count_unread(connection: AsyncConnection, owner: str) -> int:
    """At most `MANY`: nobody needs the exact number beyond, and a busy stream asks ten times a second."""
    return int((await connection.execute(_UNREAD, {"of_owner": owner})).scalar_one())


async def mark_read(tx: Transaction, owner: str, ids: list[str] | None) -> None:
    seen = update(notifications).where(
        notifications.c.owner == owner, notifications.c.read.is_(None)
    )
    if ids is not None:
        seen = seen.where(notifications.c.id.in_(ids))
    await tx.connection.execute(seen.values(read=time.time()))


async def claim_due(tx: Transaction, limit: int) -> list[DueRow]:
    """Deliveries to try now, with their notifications; nobody else gets them while the lease lasts."""
    now = time.time()
    is_due = and_(deliveries.c.state == WAITING, deliveries.c.due <= now)
    turns = in_turns(deliveries.c.id, deliveries.c.owner, deliveries.c.due, is_due, limit)
    wanted = list((await tx.connection.execute(turns)).scalars())
    due = select(deliveries.c.id).where(deliveries.c.id.in_(wanted), is_due)
    locked = due.order_by(deliveries.c.due).with_for_update(skip_locked=True)
    ids = list((await tx.connection.execute(locked)).scalars()) if wanted else []
    if not ids:
        return []
    taken = update(deliveries).where(deliveries.c.id.in_(ids))
    values = {"due": now + LEASE_SECONDS, "tries": deliveries.c.tries + 1}
    await tx.connection.execute(taken.values(values))
    carried = select(
        deliveries.c.channel, deliveries.c.tries, deliveries.c.id.label("delivery"), notifications
    )
    joined = carried.join(notifications, notifications.c.id == deliveries.c.notification)
    return rows_of(await tx.connection.execute(joined.where(deliveries.c.id.in_(ids))), DueRow)


async def end_delivery(
    tx: Transaction, delivery: int, state: DeliveryState, error: str = ""
) -> None:
    ended = update(deliveries).where(deliveries.c.id == delivery)
    await tx.connection.execute(ended.values(state=state, error=error))


async def retry_delivery(tx: Transaction, delivery: int, due: float, error: str) -> None:
    later = update(deliveries).where(deliveries.c.id == delivery)
    await tx.connection.execute(later.values(due=due, error=error))


async def forget_notifications(tx: Transaction, before: float) -> None:
    old = select(notifications.c.id).where(notifications.c.at < before)
    await tx.connection.execute(delete(deliveries).where(deliveries.c.notification.in_(old)))
    await tx.connection.execute(delete(notifications).where(notifications.c.at < before))
