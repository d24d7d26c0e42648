"""Results in the database."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import encoded, row_of, rows_of, values_of
from diamond.service.platform.database.tables import results
from diamond.service.results.rows import WAITING, ResultRow

# Asked whenever tasks end: built once.
_UNREAD = (
    select(results)
    .where(
        results.c.task.in_(bindparam("of_tasks", expanding=True)),
        results.c.state == WAITING,
        results.c.scan == "",
    )
    .order_by(results.c.task, results.c.name)
)


async def results_of(connection: AsyncConnection, task: str) -> list[ResultRow]:
    query = select(results).where(results.c.task == task).order_by(results.c.name)
    return rows_of(await connection.execute(query), ResultRow)


async def results_by_task(
    connection: AsyncConnection, tasks: Collection[str]
) -> dict[str, list[ResultRow]]:
    """Of each of these, by name."""
    by_task: dict[str, list[ResultRow]] = {task: [] for task in tasks}
    if by_task:
        query = select(results).where(results.c.task.in_(sorted(by_task))).order_by(results.c.name)
        for row in rows_of(await connection.execute(query), ResultRow):
            by_task[row.task].append(row)
    return by_task


async def unread_results(connection: AsyncConnection, tasks: Collection[str]) -> list[ResultRow]:
    """What these tasks named and nobody has begun to read."""
    if not tasks:
        return []
    return rows_of(await connection.execute(_UNREAD, {"of_tasks": sorted(tasks)}), ResultRow)


async def count_results(connection: AsyncConnection, task: str) -> int:
    query = select(func.count()).select_from(results).where(results.c.task == task)
    return int((await connection.execute(query)).scalar_one())


async def find_result(connection: AsyncConnection, task: str, name: str) -> ResultRow | None:
    query = select(results).where(results.c.task == task, results.c.name == name)
    return row_of(await connection.execute(query), ResultRow)


async def results_of_scans(connection: AsyncConnection, scans: Collection[str]) -> list[ResultRow]:
    query = select(results).where(results.c.scan.in_(scans))
    return rows_of(await connection.execute(query), ResultRow)


async def put_result(tx: Transaction, result: ResultRow) -> None:
    """In place of an older one of the same name."""
    await tx.connection.execute(
        delete(results).where(results.c.task == result.task, results.c.name == result.name)
    )
    await tx.connection.execute(insert(results), values_of(result))


async def change_result(tx: Transaction, result: ResultRow, **values: Any) -> None:
    changed = update(results).where(results.c.task == result.task, results.c.name == result.name)
    await tx.connection.execute(changed.values(encoded(ResultRow, values)))
