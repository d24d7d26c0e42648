"""Tasks and their history."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Integer, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.chains.rows import attempts_json, chain_json
from diamond.service.lineage.edges import add_inputs
from diamond.service.platform.database.engine import LostRace, Transaction
from diamond.service.platform.database.name_index import remember_name
from diamond.service.platform.database.pipeline_tables import pipeline_steps
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import history, records, tasks
from diamond.service.tasks.rows import HistoryRow, TaskRow
from diamond.service.tasks.summaries import add_summary

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
    "unconfirmed",
    "cleaned",
    "node_seconds",
)
"""What changes in a task's life; sizes, marks and names are changed on their own."""
# One statement for every save: a burst of events compiles it once.
_SAVE = (
    update(tasks)
    .where(tasks.c.id == bindparam("of_task"), tasks.c.version == bindparam("of_version"))
    .values({name: bindparam(f"new_{name}") for name in SAVED})
    .values(version=tasks.c.version + 1)
)


TAGS_LOOKED_AT = 2000
"""Of so many of the newest tasks the tags are offered."""
_ADD = insert(tasks)
_UNCONFIRMED = (
    select(tasks.c.id)
    .where(tasks.c.endpoint == bindparam("of_endpoint"), tasks.c.unconfirmed)
    .limit(bindparam("at_most", type_=Integer))
)
_ADD_HISTORY = insert(history)
_STAGE_TASKS = select(pipeline_steps.c.task).where(
    pipeline_steps.c.task.in_(bindparam("of_tasks", expanding=True))
)
_BY_IDS = select(tasks).where(tasks.c.id.in_(bindparam("of_ids", expanding=True)))


async def add_task(tx: Transaction, task: TaskRow) -> None:
    await remember_name(tx, task.owner, task.name)
    await tx.connection.execute(_ADD, values_of(task))
    await add_summary(tx, task)
    await add_inputs(tx, task.id, task.owner, task.order_json)


async def save_task(tx: Transaction, task: TaskRow) -> None:
    """Save what was decided on this version of the row; raises LostRace if it is no longer that."""
    values: dict[str, Any] = {f"new_{name}": getattr(task, name) for name in SAVED}
    values |= {"new_attempts": attempts_json(task.attempts), "new_chain": chain_json(task.chain)}
    result = await tx.connection.execute(
        _SAVE, {**values, "of_task": task.id, "of_version": task.version}
    )
    if result.rowcount != 1:
        raise LostRace(task.id)


async def annotate_task(tx: Transaction, task: TaskRow) -> None:
    """Save its name, tags and note; raises LostRace if the row has changed since it was read."""
    await remember_name(tx, task.owner, task.name)
    result = await tx.connection.execute(
        update(tasks)
        .where(tasks.c.id == task.id, tasks.c.version == task.version)
        .values(name=task.name, tags=list(task.tags), note=task.note, version=task.version + 1)
    )
    if result.rowcount != 1:
        raise LostRace(task.id)


async def newest_tags(
    connection: AsyncConnection, owner: str, among: int = TAGS_LOOKED_AT
) -> list[str]:
    """The tags of the newest tasks, each as often as it is used."""
    newest = (
        select(tasks.c.tags)
        .where(tasks.c.owner == owner, tasks.c.kind == "run")
        .order_by(tasks.c.created.desc(), tasks.c.id.desc())
        .limit(among)
    )
    return [tag for tags in (await connection.execute(newest)).scalars() for tag in tags]


async def find_task(connection: AsyncConnection, task: str) -> TaskRow | None:
    query = select(tasks).where(tasks.c.id == task)
    return row_of(await connection.execute(query), TaskRow)


async def tasks_by_id(connection: AsyncConnection, ids: set[str]) -> dict[str, TaskRow]:
    if not ids:
        return {}
    rows = await connection.execute(_BY_IDS, {"of_ids": sorted(ids)})
    return {row.id: row for row in rows_of(rows, TaskRow)}


async def changed_in_projects(
    connection: AsyncConnection, projects: Collection[str], *, but: str, since: float, limit: int
) -> list[TaskRow]:
    """Work of others than `but` in these projects, in the order of its changes."""
    query = select(tasks).where(
        tasks.c.project.in_(sorted(projects)), tasks.c.owner != but, tasks.c.updated > since
    )
    first = query.order_by(tasks.c.updated, tasks.c.id).limit(limit)
    return rows_of(await connection.execute(first), TaskRow)


async def tasks_with_prefix(
    connection: AsyncConnection, owner: str, prefix: str, limit: int = 6
) -> list[TaskRow]:
    query = select(tasks).where(tasks.c.owner == owner, starts_with(tasks.c.id, prefix))
    return rows_of(await connection.execute(query.limit(limit)), TaskRow)


async def newest_task_of(connection: AsyncConnection, job: str) -> TaskRow | None:
    query = select(tasks).where(tasks.c.job == job).order_by(tasks.c.created.desc()).limit(1)
    return row_of(await connection.execute(query), TaskRow)


async def recent_tasks(
    connection: AsyncConnection, *, owner: str, endpoint: str, kind: str, limit: int
) -> list[TaskRow]:
    """Of one kind on one endpoint, newest first."""
    query = select(tasks).where(
        tasks.c.owner == owner, tasks.c.endpoint == endpoint, tasks.c.kind == kind
    )
    newest = query.order_by(tasks.c.created.desc()).limit(limit)
    return rows_of(await connection.execute(newest), TaskRow)


async def tasks_after(connection: AsyncConnection, task: str) -> list[TaskRow]:
    """Those that repeat this task, or continue it."""
    return rows_of(await connection.execute(select(tasks).where(tasks.c.retry_of == task)), TaskRow)


async def tasks_without_record(connection: AsyncConnection, limit: int) -> list[TaskRow]:
    """Those from before records existed."""
    has_record = select(records.c.task).where(records.c.task == tasks.c.id).exists()
    query = select(tasks).where(~has_record).order_by(tasks.c.id).limit(limit)
    return rows_of(await connection.execute(query), TaskRow)


async def add_history(tx: Transaction, lines: list[HistoryRow]) -> None:
    if lines:
        await tx.connection.execute(_ADD_HISTORY, [values_of(line) for line in lines])


async def history_of(connection: AsyncConnection, task: str) -> list[HistoryRow]:
    query = select(history).where(history.c.task == task).order_by(history.c.n)
    return rows_of(await connection.execute(query), HistoryRow)


async def has_note(connection: AsyncConnection, task: str, code: str) -> bool:
    query = select(history.c.n).where(
        history.c.task == task,
        history.c.type == "note",
        history.c.data["code"].as_string() == code,
    )
    return (await connection.execute(query.limit(1))).first() is not None


async def unconfirmed_ends(
    connection: AsyncConnection, endpoint: str, limit: int = 500
) -> list[str]:
    """Ended tasks whose agent does not know yet that their end is recorded."""
    asked = {"of_endpoint": endpoint, "at_most": limit}
    return list((await connection.execute(_UNCONFIRMED, asked)).scalars())


async def confirm_ends(tx: Transaction, ids: list[str]) -> None:
    """Not a change of the tasks: their versions stay."""
    if ids:
        await tx.connection.execute(
            update(tasks).where(tasks.c.id.in_(ids)).values(unconfirmed=False)
        )


async def stage_tasks(connection: AsyncConnection, tasks: Collection[str]) -> set[str]:
    """Those that carry out a stage of a pipeline."""
    if not tasks:
        return set()
    return set((await connection.execute(_STAGE_TASKS, {"of_tasks": sorted(tasks)})).scalars())
