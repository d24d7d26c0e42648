"""Jobs: what a person asked for."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Text, cast, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.paging import Page, page_of
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import jobs, tasks
from diamond.service.tasks.rows import JobRow

_ADD = insert(jobs)


async def add_job(tx: Transaction, job: JobRow) -> None:
    await tx.connection.execute(_ADD, values_of(job))


async def settle_spec(tx: Transaction, job: str, spec: dict[str, Any]) -> None:
    """What was left open in a spec is known now."""
    await tx.connection.execute(update(jobs).where(jobs.c.id == job).values(spec=spec))


async def find_job(connection: AsyncConnection, job: str) -> JobRow | None:
    query = select(jobs).where(jobs.c.id == job)
    return row_of(await connection.execute(query), JobRow)


async def jobs_with_prefix(
    connection: AsyncConnection, owner: str, prefix: str, limit: int = 6
) -> list[JobRow]:
    query = select(jobs).where(jobs.c.owner == owner, starts_with(jobs.c.id, prefix))
    return rows_of(await connection.execute(query.limit(limit)), JobRow)


async def jobs_with_code(
    connection: AsyncConnection,
    digest: str,
    ids: Collection[str],
    projects: Collection[str],
    limit: int = 20,
) -> list[JobRow]:
    """Jobs among these, or of these projects, whose code mentions a digest."""
    query = select(jobs).where(
        or_(jobs.c.id.in_(ids), jobs.c.project.in_(projects)),
        cast(jobs.c.code, Text).contains(digest, autoescape=True),
    )
    return rows_of(await connection.execute(query.limit(limit)), JobRow)


async def list_jobs(
    connection: AsyncConnection, owner: str, *, limit: int, cursor: str | None
) -> Page[JobRow]:
    return await page_of(
        connection,
        JobRow,
        [select(jobs).where(jobs.c.owner == owner)],
        keys=(jobs.c.created, jobs.c.id),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


async def tasks_of_jobs(connection: AsyncConnection, ids: list[str]) -> dict[str, list[str]]:
    """The ids of each job's tasks, oldest first."""
    query = select(tasks.c.job, tasks.c.id).where(tasks.c.job.in_(ids))
    rows = await connection.execute(query.order_by(tasks.c.created, tasks.c.id))
    grouped: dict[str, list[str]] = {job: [] for job in ids}
    for job, task in rows:
        grouped[job].append(task)
    return grouped
