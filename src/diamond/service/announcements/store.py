"""Messages of administrators to everyone."""

from __future__ import annotations

from sqlalchemy import delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.announcements.rows import AnnouncementRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject, rows_of, values_of
from diamond.service.platform.database.tables import announcements, users


async def list_announcements(
    connection: AsyncConnection, now: float, *, every: bool = False
) -> list[AnnouncementRow]:
    """Those to show now, or all; the newest first."""
    query = select(announcements, users.c.name.label("by")).join(
        users, users.c.id == announcements.c.owner
    )
    if not every:
        starts, ends = announcements.c.starts, announcements.c.ends
        query = query.where(or_(starts.is_(None), starts <= now), or_(ends.is_(None), ends > now))
    return rows_of(
        await connection.execute(query.order_by(announcements.c.created.desc())), AnnouncementRow
    )


async def add_announcement(tx: Transaction, row: AnnouncementRow) -> None:
    values = values_of(row)
    del values["by"]
    await tx.connection.execute(insert(announcements), values)


async def change_announcement(tx: Transaction, key: str, values: JsonObject) -> bool:
    changed = update(announcements).where(announcements.c.id == key).values(values)
    return bool((await tx.connection.execute(changed)).rowcount)


async def drop_announcement(tx: Transaction, key: str) -> bool:
    gone = delete(announcements).where(announcements.c.id == key)
    return bool((await tx.connection.execute(gone)).rowcount)
