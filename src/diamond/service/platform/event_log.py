"""Each owner's numbered stream of events.

Numbers are taken under the stream's row lock, in the transaction that writes the events. A reader who has seen n
therefore has seen everything up to n, also on PostgreSQL, whose sequences give no such promise.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Integer, bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import rows_of
from diamond.service.platform.database.tables import events, streams
from diamond.service.platform.rows import EventRow
from diamond.service.platform.wakeups.notifier import owner_topic

# Used by every write and every reader: built once.
_TAKE = (
    update(streams)
    .where(streams.c.owner == bindparam("of_owner"))
    .values(last=streams.c.last + bindparam("count", type_=Integer))
    .returning(streams.c.last)
)
_ADD = insert(events)
_AFTER = (
    select(events)
    .where(events.c.owner == bindparam("of_owner"), events.c.n > bindparam("after"))
    .order_by(events.c.n)
    .limit(bindparam("at_most", type_=Integer))
)


@dataclass(frozen=True)
class News:
    """One event to be: `kind` is task, note, endpoint, image, scale, notification or changed."""

    kind: str
    subject: str
    data: dict[str, Any] = field(default_factory=dict)


def changed(what: str) -> News:
    """A list or a setting that other windows of the same person should ask for again."""
    return News("changed", what)


async def publish(tx: Transaction, owner: str, news: list[News]) -> None:
    """Number and store events. Call it last: the row lock is held until the commit."""
    if not news:
        return
    taken = await tx.connection.execute(_TAKE, {"of_owner": owner, "count": len(news)})
    last: int = taken.scalar_one()
    first, at = last - len(news) + 1, time.time()
    rows = [
        {
            "owner": owner,
            "n": n,
            "kind": item.kind,
            "subject": item.subject,
            "data": item.data,
            "at": at,
        }
        for n, item in enumerate(news, first)
    ]
    await tx.connection.execute(_ADD, rows)
    tx.wake(owner_topic(owner))


async def newest_number(connection: AsyncConnection, owner: str) -> int:
    rows = await connection.execute(select(streams.c.last).where(streams.c.owner == owner))
    return int(rows.scalar_one_or_none() or 0)


async def events_after(
    connection: AsyncConnection, owner: str, n: int, limit: int = 500
) -> list[EventRow]:
    asked = {"of_owner": owner, "after": n, "at_most": limit}
    return rows_of(await connection.execute(_AFTER, asked), EventRow)


async def forget_events(tx: Transaction, before: float) -> None:
    await tx.connection.execute(delete(events).where(events.c.at < before))
