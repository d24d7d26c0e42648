"""Each owner's numbered stream of events.

Numbers are taken under the stream's row lock, in the transaction that writes the events. A reader who has seen n
therefore has seen everything up to n, also on PostgreSQL, whose sequences give no such promise.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.notify import owner_topic
from diamond.service.store.engine import Transaction
from diamond.service.store.rows import Row, rows_of
from diamond.service.store.tables import events, streams


@dataclass(frozen=True)
class News:
    """One event to be: `kind` is task, note or endpoint."""

    kind: str
    subject: str
    data: dict[str, Any] = field(default_factory=dict)


async def publish(tx: Transaction, owner: str, news: list[News]) -> None:
    """Number and store events. Call it last: the row lock is held until the commit."""
    if not news:
        return
    taken = update(streams).where(streams.c.owner == owner)
    taken = taken.values(last=streams.c.last + len(news))
    last: int = (await tx.connection.execute(taken.returning(streams.c.last))).scalar_one()
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
    await tx.connection.execute(insert(events), rows)
    tx.wake(owner_topic(owner))


async def newest_number(connection: AsyncConnection, owner: str) -> int:
    found = await connection.execute(select(streams.c.last).where(streams.c.owner == owner))
    return int(found.scalar_one_or_none() or 0)


async def events_after(
    connection: AsyncConnection, owner: str, n: int, limit: int = 500
) -> list[Row]:
    query = select(events).where(events.c.owner == owner, events.c.n > n)
    found = await connection.execute(query.order_by(events.c.n).limit(limit))
    return rows_of(found)


async def forget_events(tx: Transaction, before: float) -> None:
    await tx.connection.execute(delete(events).where(events.c.at < before))
