"""Studies, their trials, and the tasks of those."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import and_, bindparam, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.batches import in_batches
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.paging import Page, page_of
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import studies, study_tasks, study_trials, tasks
from diamond.service.studies.rows import RUNNING, StudyRow, TrialRow, TrialTask


class StaleStudy(Exception):
    """Somebody else changed the study since it was read."""


async def add_study(tx: Transaction, row: StudyRow) -> None:
    await tx.connection.execute(insert(studies), values_of(row))


async def save_study(tx: Transaction, row: StudyRow) -> StudyRow:
    """Save what was decided on this version of the row."""
    saved = replace(row, updated=time.time(), version=row.version + 1)
    same = update(studies).where(studies.c.id == row.id, studies.c.version == row.version)
    if (await tx.connection.execute(same.values(values_of(saved)))).rowcount != 1:
        raise StaleStudy(row.id)
    return saved


async def find_study(connection: AsyncConnection, study: str) -> StudyRow | None:
    return row_of(await connection.execute(select(studies).where(studies.c.id == study)), StudyRow)


async def studies_called(
    connection: AsyncConnection, owner: str, text: str, limit: int = 6
) -> list[StudyRow]:
    """By the beginning of the id, else by name, newest first."""
    query = select(studies).where(studies.c.owner == owner).order_by(studies.c.created.desc())
    by_id = query.where(starts_with(studies.c.id, text)).limit(limit)
    rows = rows_of(await connection.execute(by_id), StudyRow)
    by_name = query.where(studies.c.name == text).limit(1)
    return rows or rows_of(await connection.execute(by_name), StudyRow)


async def list_studies(
    connection: AsyncConnection,
    owner: str,
    projects: Sequence[str],
    *,
    limit: int,
    cursor: str | None,
) -> Page[StudyRow]:
    visible = or_(studies.c.owner == owner, studies.c.project.in_(list(projects)))
    return await page_of(
        connection,
        StudyRow,
        [select(studies).where(visible)],
        keys=(studies.c.created, studies.c.id),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


async def open_studies(connection: AsyncConnection) -> list[str]:
    """Those in which something may have to be done."""
    query = select(studies.c.id).where(or_(studies.c.state == RUNNING, studies.c.open > 0))
    return list((await connection.execute(query.order_by(studies.c.created))).scalars())


async def add_trials(tx: Transaction, rows: Sequence[TrialRow]) -> None:
    for batch in in_batches(list(rows)):
        await tx.connection.execute(insert(study_trials), [values_of(row) for row in batch])


_SAVE_TRIAL = (
    update(study_trials)
    .where(
        study_trials.c.study == bindparam("of_study"),
        study_trials.c.number == bindparam("of_number"),
    )
    .values(
        {
            column.name: bindparam(f"new_{column.name}", type_=column.type)
            for column in study_trials.c
            if column.name not in ("study", "number", "owner", "created", "origin")
        }
    )
)


async def save_trials(tx: Transaction, rows: Iterable[TrialRow]) -> None:
    changes = []
    for row in rows:
        values = values_of(row)
        change = {f"new_{name}": value for name, value in values.items()}
        for name in ("study", "number", "owner", "created", "origin"):
            del change[f"new_{name}"]
        changes.append({**change, "of_study": row.study, "of_number": row.number})
    if changes:
        await tx.connection.execute(_SAVE_TRIAL, changes)


async def trials_since(connection: AsyncConnection, study: str, revision: int) -> list[TrialRow]:
    """Those that changed after a version of the study, by number."""
    query = select(study_trials).where(
        study_trials.c.study == study, study_trials.c.revision > revision
    )
    return rows_of(await connection.execute(query.order_by(study_trials.c.number)), TrialRow)


async def find_trial(connection: AsyncConnection, study: str, number: int) -> TrialRow | None:
    query = select(study_trials).where(
        study_trials.c.study == study, study_trials.c.number == number
    )
    return row_of(await connection.execute(query), TrialRow)


async def add_task(tx: Transaction, task: str, trial: TrialRow, repeat: int, n: int) -> None:
    values = {
        "task": task,
        "study": trial.study,
        "owner": trial.owner,
        "trial": trial.number,
        "repeat": repeat,
        "n": n,
    }
    await tx.connection.execute(insert(study_tasks), values)


_OF_TASK = (
    "state",
    "reason",
    "message",
    "exit_code",
    "endpoint",
    "endpoint_name",
    "cancel_requested",
    "started",
    "ended",
    "updated",
    "node_seconds",
    "pilot",
)


async def tasks_of_trials(
    connection: AsyncConnection, study: str, trials: Sequence[int]
) -> list[TrialTask]:
    """All of them, in order."""
    found: list[TrialTask] = []
    for batch in in_batches(list(trials)):
        query = (
            select(
                study_tasks.c.task,
                study_tasks.c.study,
                study_tasks.c.trial,
                study_tasks.c.repeat,
                study_tasks.c.n,
                *(tasks.c[name] for name in _OF_TASK),
            )
            .join(tasks, tasks.c.id == study_tasks.c.task)
            .where(and_(study_tasks.c.study == study, study_tasks.c.trial.in_(batch)))
            .order_by(study_tasks.c.trial, study_tasks.c.repeat, study_tasks.c.n)
        )
        found += rows_of(await connection.execute(query), TrialTask)
    return found


async def study_of_task(connection: AsyncConnection, task: str) -> tuple[str, int] | None:
    """The study and number of the trial that a task belongs to."""
    query = select(study_tasks.c.study, study_tasks.c.trial).where(study_tasks.c.task == task)
    row = (await connection.execute(query)).first()
    return (row[0], row[1]) if row else None


async def node_seconds_of(connection: AsyncConnection, study: str) -> float:
    query = (
        select(func.coalesce(func.sum(tasks.c.node_seconds), 0.0))
        .join(study_tasks, tasks.c.id == study_tasks.c.task)
        .where(study_tasks.c.study == study)
    )
    return float((await connection.execute(query)).scalar_one())


async def update_study(tx: Transaction, row: StudyRow) -> None:
    """In the transaction that has saved this version already."""
    same = update(studies).where(studies.c.id == row.id)
    await tx.connection.execute(same.values(values_of(row)))


async def best_trials(connection: AsyncConnection, rows: Sequence[StudyRow]) -> dict[str, TrialRow]:
    """By study."""
    wanted = [
        and_(study_trials.c.study == row.id, study_trials.c.number == row.best)
        for row in rows
        if row.best is not None
    ]
    if not wanted:
        return {}
    found = rows_of(await connection.execute(select(study_trials).where(or_(*wanted))), TrialRow)
    return {row.study: row for row in found}


async def next_version(tx: Transaction, study: str) -> int:
    """The study changes by one of its trials alone; whoever decides on an older version starts again."""
    same = update(studies).where(studies.c.id == study).values(version=studies.c.version + 1)
    taken = await tx.connection.execute(same.returning(studies.c.version))
    return int(taken.scalar_one())
