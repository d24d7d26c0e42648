"""Pilots in the database."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.task import FINAL_WORDS
from diamond.service.pilots.rows import Held, PilotRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.paging import page_of
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import rows_of, values_of
from diamond.service.platform.database.tables import pilots, pipeline_steps, tasks
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import tasks_by_id

MOST_LIVING = 100
"""Of one person that are looked at, newest first."""


async def add_pilot(tx: Transaction, row: PilotRow) -> None:
    await tx.connection.execute(insert(pilots), values_of(row))


async def mark_closing(tx: Transaction, task: str, at: float) -> None:
    still = update(pilots).where(pilots.c.task == task, pilots.c.closing.is_(None))
    await tx.connection.execute(still.values(closing=at))


async def pilots_by_id(connection: AsyncConnection, ids: Collection[str]) -> dict[str, Held]:
    if not ids:
        return {}
    query = select(pilots).where(pilots.c.task.in_(sorted(ids)))
    return await _with_tasks(connection, rows_of(await connection.execute(query), PilotRow))


async def pilots_of(
    connection: AsyncConnection, pipeline: str, also: Collection[str]
) -> list[Held]:
    """Those that a pipeline started, and these; the oldest first."""
    query = select(pilots).where(
        or_(pilots.c.made_for == pipeline, pilots.c.task.in_(sorted(set(also) - {""})))
    )
    ordered = query.order_by(pilots.c.created, pilots.c.task)
    return list(
        (
            await _with_tasks(connection, rows_of(await connection.execute(ordered), PilotRow))
        ).values()
    )


async def living_pilots(connection: AsyncConnection, owner: str) -> list[Held]:
    """Newest first."""
    query = (
        select(pilots)
        .join(tasks, tasks.c.id == pilots.c.task)
        .where(pilots.c.owner == owner, tasks.c.state.not_in(FINAL_WORDS))
        .order_by(pilots.c.created.desc())
        .limit(MOST_LIVING)
    )
    rows = rows_of(await connection.execute(query), PilotRow)
    return list((await _with_tasks(connection, rows)).values())


async def pilots_made_for(connection: AsyncConnection, maker: str, owner: str) -> list[Held]:
    """Of a pipeline or study, newest first; also those that are over."""
    query = (
        select(pilots)
        .where(pilots.c.owner == owner, pilots.c.made_for == maker)
        .order_by(pilots.c.created.desc())
        .limit(MOST_LIVING)
    )
    rows = rows_of(await connection.execute(query), PilotRow)
    return list((await _with_tasks(connection, rows)).values())


async def list_pilots(
    connection: AsyncConnection, owner: str, *, limit: int, cursor: str | None
) -> tuple[list[Held], str | None]:
    page = await page_of(
        connection,
        PilotRow,
        [select(pilots).where(pilots.c.owner == owner)],
        keys=(pilots.c.created, pilots.c.task),
        descending=True,
        limit=limit,
        cursor=cursor,
    )
    return list((await _with_tasks(connection, page.rows)).values()), page.next


async def pilots_with_prefix(connection: AsyncConnection, owner: str, text: str) -> list[str]:
    query = select(pilots.c.task).where(pilots.c.owner == owner, starts_with(pilots.c.task, text))
    return list((await connection.execute(query.limit(6))).scalars())


async def count_inside(
    connection: AsyncConnection, ids: Collection[str]
) -> dict[str, dict[str, int]]:
    """Tasks in each pilot, by state."""
    query = (
        select(tasks.c.pilot, tasks.c.state, func.count())
        .where(tasks.c.pilot != "", tasks.c.pilot.in_(sorted(ids)))
        .group_by(tasks.c.pilot, tasks.c.state)
    )
    counts: dict[str, dict[str, int]] = {pilot: {} for pilot in ids}
    for pilot, state, count in await connection.execute(query):
        counts[pilot][state] = int(count)
    return counts


async def has_open_inside(connection: AsyncConnection, pilot: str) -> bool:
    """Whether it has anything to do; what is being cancelled is nothing."""
    query = select(tasks.c.id).where(
        tasks.c.pilot != "",
        tasks.c.pilot == pilot,
        tasks.c.state.not_in(FINAL_WORDS),
        tasks.c.cancel_requested.is_(False),
    )
    return (await connection.execute(query.limit(1))).first() is not None


async def tasks_inside(connection: AsyncConnection, pilot: str, limit: int) -> list[TaskRow]:
    """Newest first."""
    query = select(tasks).where(tasks.c.pilot != "", tasks.c.pilot == pilot)
    newest = query.order_by(tasks.c.created.desc(), tasks.c.id.desc()).limit(limit)
    return rows_of(await connection.execute(newest), TaskRow)


async def steps_of_tasks(
    connection: AsyncConnection, ids: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """Pipeline and stage of tasks that are steps."""
    columns = (pipeline_steps.c.task, pipeline_steps.c.pipeline, pipeline_steps.c.stage)
    query = select(*columns).where(pipeline_steps.c.task.in_(ids))
    rows = await connection.execute(query)
    return {task: (pipeline, stage) for task, pipeline, stage in rows}


async def _with_tasks(connection: AsyncConnection, rows: Sequence[PilotRow]) -> dict[str, Held]:
    known = await tasks_by_id(connection, {row.task for row in rows})
    return {row.task: Held(row, known[row.task]) for row in rows if row.task in known}
