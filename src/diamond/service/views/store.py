"""Saved views."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import and_, delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Columns, row_of, rows_of, values_of
from diamond.service.platform.database.tables import saved_views
from diamond.service.views.rows import ViewRow


async def views_of(
    connection: AsyncConnection, owner: str, projects: Collection[str], page: str
) -> list[ViewRow]:
    """Their own, and those of their projects, by name."""
    of = saved_views.c
    shared = and_(of.project != "", of.project.in_(sorted(projects)))
    query = select(saved_views).where(or_(of.owner == owner, shared))
    if page:
        query = query.where(of.page == page)
    return rows_of(await connection.execute(query.order_by(of.name, of.id)), ViewRow)


async def find_view(connection: AsyncConnection, view: str) -> ViewRow | None:
    query = select(saved_views).where(saved_views.c.id == view)
    return row_of(await connection.execute(query), ViewRow)


async def named_view(
    connection: AsyncConnection, owner: str, page: str, name: str
) -> ViewRow | None:
    of = saved_views.c
    query = select(saved_views).where(of.owner == owner, of.page == page, of.name == name)
    return row_of(await connection.execute(query), ViewRow)


async def add_view(tx: Transaction, view: ViewRow) -> None:
    await tx.connection.execute(insert(saved_views), values_of(view))


async def change_view(tx: Transaction, view: str, values: Columns) -> None:
    await tx.connection.execute(
        update(saved_views).where(saved_views.c.id == view).values(**values)
    )


async def drop_view(tx: Transaction, view: str) -> None:
    await tx.connection.execute(delete(saved_views).where(saved_views.c.id == view))
