"""Scales: probe runs that belong together, and what they measured."""

from __future__ import annotations

import time
from dataclasses import replace

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.planning.rows import ScaleRow
from diamond.service.platform.database.engine import LostRace, Transaction
from diamond.service.platform.database.paging import Page, page_of
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import scales

RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"


async def add_scale(tx: Transaction, row: ScaleRow) -> None:
    await tx.connection.execute(insert(scales), values_of(row))


async def save_scale(tx: Transaction, row: ScaleRow) -> ScaleRow:
    """Save what was decided on this version of the row; raises LostRace if the stored one is newer."""
    saved = replace(row, updated=time.time(), version=row.version + 1)
    same = update(scales).where(scales.c.id == row.id, scales.c.version == row.version)
    if (await tx.connection.execute(same.values(values_of(saved)))).rowcount != 1:
        raise LostRace(row.id)
    return saved


async def find_scale(connection: AsyncConnection, scale: str) -> ScaleRow | None:
    return row_of(await connection.execute(select(scales).where(scales.c.id == scale)), ScaleRow)


async def scales_with_prefix(
    connection: AsyncConnection, owner: str, prefix: str, limit: int = 6
) -> list[ScaleRow]:
    query = select(scales).where(scales.c.owner == owner, starts_with(scales.c.id, prefix))
    return rows_of(await connection.execute(query.limit(limit)), ScaleRow)


async def scales_by_id(connection: AsyncConnection, ids: set[str]) -> dict[str, ScaleRow]:
    if not ids:
        return {}
    rows = await connection.execute(select(scales).where(scales.c.id.in_(sorted(ids))))
    return {row.id: row for row in rows_of(rows, ScaleRow)}


async def list_scales(
    connection: AsyncConnection, owner: str, *, limit: int, cursor: str | None
) -> Page[ScaleRow]:
    return await page_of(
        connection,
        ScaleRow,
        [select(scales).where(scales.c.owner == owner)],
        keys=(scales.c.created, scales.c.id),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


async def open_scales(connection: AsyncConnection) -> list[str]:
    query = select(scales.c.id).where(scales.c.state == RUNNING).order_by(scales.c.created)
    return list((await connection.execute(query)).scalars())


async def newest_fitting(connection: AsyncConnection, owner: str, fits: str) -> ScaleRow | None:
    query = select(scales).where(
        scales.c.owner == owner,
        scales.c.fits == fits,
        scales.c.kind == "nodes",
        scales.c.state == DONE,
    )
    rows = await connection.execute(query.order_by(scales.c.created.desc()).limit(1))
    return row_of(rows, ScaleRow)
