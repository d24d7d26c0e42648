"""Imported crates and links."""

from __future__ import annotations

import time

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.paging import Page, page_of
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import record_imports, record_links
from diamond.service.records.rows import ImportRow, LinkRow

KEEP_LINKS_SECONDS = 30 * 86400.0


async def add_import(tx: Transaction, row: ImportRow) -> None:
    await tx.connection.execute(insert(record_imports), values_of(row))


async def find_import(connection: AsyncConnection, owner: str, crate: str) -> ImportRow | None:
    query = select(record_imports).where(
        record_imports.c.owner == owner, record_imports.c.id == crate
    )
    return row_of(await connection.execute(query), ImportRow)


async def list_imports(
    connection: AsyncConnection, owner: str, *, limit: int, cursor: str | None
) -> Page[ImportRow]:
    return await page_of(
        connection,
        ImportRow,
        [select(record_imports).where(record_imports.c.owner == owner)],
        keys=(record_imports.c.created, record_imports.c.id),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


async def delete_import(tx: Transaction, owner: str, crate: str) -> bool:
    gone = delete(record_imports).where(
        record_imports.c.owner == owner, record_imports.c.id == crate
    )
    return (await tx.connection.execute(gone)).rowcount == 1


async def add_link(tx: Transaction, row: LinkRow) -> None:
    await tx.connection.execute(insert(record_links), values_of(row))


async def links_of(connection: AsyncConnection, owner: str) -> list[LinkRow]:
    query = select(record_links).where(record_links.c.owner == owner)
    return rows_of(await connection.execute(query.order_by(record_links.c.created.desc())), LinkRow)


async def delete_link(tx: Transaction, owner: str, link: str) -> bool:
    gone = delete(record_links).where(record_links.c.owner == owner, record_links.c.id == link)
    return (await tx.connection.execute(gone)).rowcount == 1


async def link_by_hash(connection: AsyncConnection, hashed: str) -> LinkRow | None:
    query = select(record_links).where(record_links.c.hash == hashed)
    return row_of(await connection.execute(query), LinkRow)


async def note_use(tx: Transaction, link: str) -> None:
    used = update(record_links).where(record_links.c.id == link)
    await tx.connection.execute(used.values(uses=record_links.c.uses + 1, used=time.time()))


async def forget_links(tx: Transaction) -> None:
    """Those that expired some time ago; until then their owner sees that they did."""
    old = record_links.c.expires < time.time() - KEEP_LINKS_SECONDS
    await tx.connection.execute(delete(record_links).where(old))
