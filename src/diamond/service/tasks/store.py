"""Tasks: rows, and the core's view of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Integer, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import LostRace, Transaction
from diamond.service.platform.database.name_index import remember_name
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import row_of, rows_of
from diamond.service.platform.database.tables import history, tasks
from diamond.service.tasks.rows import HistoryRow, TaskRow

SAVED = (
    "state",
    "phase",
    "reason",
    "message",
    "native_state",
    "exit_code",
    "signal",
    "as_of",
    "cancel_requested",
    "attempt",
    "attempts",
    "chain",
    "history",
    "node",
    "run_dir",
    "started",
    "ended",
    "updated",
    "untold",
    "cleaned",
    "awaits",
    "node_seconds",
)
# One statement for every save: a burst of events compiles it once.
_SAVE = (
    update(tasks)
    .where(tasks.c.id == bindparam("of_task"), tasks.c.version == bindparam("of_version"))
    .values({name: bindparam(f"new_{name}") for name in SAVED})
    .values(version=tasks.c.version + 1)
)


_ADD = insert(tasks)
_UNTOLD = (
    select(tasks.c.id)
    .where(tasks.c.endpoint == bindparam("of_endpoint"), tasks.c.untold)
    .limit(bindparam("at_most", type_=Integer))
)
_ADD_HISTORY = insert(history)
_BY_IDS = select(tasks).where(tasks.c.id.in_(bindparam("of_ids", expanding=True)))


async def add_task(tx: Transaction, row: dict[str, Any]) -> None:
    await remember_name(tx, row["owner"], row["name"])
    await tx.connection.execute(_ADD, row)


async def save_task(tx: Transaction, row: Mapping[str, Any], changes: dict[str, Any]) -> None:
    """Save what was decided on this version of the row; raises LostRace if it is no longer that."""
    values = {f"new_{name}": changes.get(name, row[name]) for name in SAVED}
    of = {"of_task": row["id"], "of_version": row["version"]}
    result = await tx.connection.execute(_SAVE, {**values, **of})
    if result.rowcount != 1:
        raise LostRace(row["id"])


async def find_task(connection: AsyncConnection, task: str) -> TaskRow | None:
    found = await connection.execute(select(tasks).where(tasks.c.id == task))
    return row_of(found, TaskRow)


async def tasks_by_id(connection: AsyncConnection, ids: set[str]) -> dict[str, TaskRow]:
    if not ids:
        return {}
    found = await connection.execute(_BY_IDS, {"of_ids": sorted(ids)})
    return {row["id"]: row for row in rows_of(found, TaskRow)}


async def changed_in_projects(
    connection: AsyncConnection, projects: Collection[str], *, but: str, since: float, limit: int
) -> list[TaskRow]:
    """Work of others than `but` in these projects, in the order of its changes."""
    query = select(tasks).where(
        tasks.c.project.in_(sorted(projects)), tasks.c.owner != but, tasks.c.updated > since
    )
    found = await connection.execute(query.order_by(tasks.c.updated, tasks.c.id).limit(limit))
    return rows_of(found, TaskRow)


async def tasks_with_prefix(
    connection: AsyncConnection, owner: str, prefix: str, limit: int = 6
) -> list[TaskRow]:
    query = select(tasks).where(tasks.c.owner == owner, starts_with(tasks.c.id, prefix))
    return rows_of(await connection.execute(query.limit(limit)), TaskRow)


async def newest_task_of(connection: AsyncConnection, job: str) -> TaskRow | None:
    query = select(tasks).where(tasks.c.job == job)
    found = await connection.execute(query.order_by(tasks.c.created.desc()).limit(1))
    return row_of(found, TaskRow)


async def tasks_after(connection: AsyncConnection, task: str) -> list[TaskRow]:
    """Those that were made to do again, or to go on with, what this one did."""
    return rows_of(await connection.execute(select(tasks).where(tasks.c.retry_of == task)), TaskRow)


async def add_history(tx: Transaction, rows: list[dict[str, Any]]) -> None:
    if rows:
        await tx.connection.execute(_ADD_HISTORY, rows)


async def history_of(connection: AsyncConnection, task: str) -> list[HistoryRow]:
    query = select(history).where(history.c.task == task).order_by(history.c.n)
    return rows_of(await connection.execute(query), HistoryRow)


async def untold_tasks(connection: AsyncConnection, endpoint: str, limit: int = 500) -> list[str]:
    """Ended tasks whose agent was not yet told that the end is recorded."""
    asked = {"of_endpoint": endpoint, "at_most": limit}
    return list((await connection.execute(_UNTOLD, asked)).scalars())


async def mark_told(tx: Transaction, ids: list[str]) -> None:
    """Not a change of the task: its version stays."""
    if ids:
        await tx.connection.execute(update(tasks).where(tasks.c.id.in_(ids)).values(untold=False))
