"""Pipelines in the database."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlalchemy import bindparam, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.pipelines.readiness import StepState
from diamond.service.pipelines.rows import RUNNING, PipelineRow, StepRow
from diamond.service.platform.database.engine import LostRace, Transaction
from diamond.service.platform.database.paging import Page, page_of
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import pipeline_steps, pipelines

CACHED_AT_MOST = 5
"""Earlier steps with the same key that are looked at."""


_STEP_KEY = ("pipeline", "stage", "n")
# One statement for every save: a round of many steps compiles it once.
_SAVE_STEP = (
    update(pipeline_steps)
    .where(*(pipeline_steps.c[name] == bindparam(f"new_{name}") for name in _STEP_KEY))
    .values(
        {
            column.name: bindparam(f"new_{column.name}", type_=column.type)
            for column in pipeline_steps.c
            if column.name not in _STEP_KEY
        }
    )
)


async def add_pipeline(tx: Transaction, row: PipelineRow) -> None:
    await tx.connection.execute(insert(pipelines), values_of(row))


async def save_pipeline(tx: Transaction, row: PipelineRow) -> PipelineRow:
    """Raises LostRace if the stored one is newer. Whoever changes steps saves their pipeline too."""
    saved = replace(row, updated=time.time(), version=row.version + 1)
    same = update(pipelines).where(pipelines.c.id == row.id, pipelines.c.version == row.version)
    if (await tx.connection.execute(same.values(values_of(saved)))).rowcount != 1:
        raise LostRace(row.id)
    return saved


async def find_pipeline(connection: AsyncConnection, pipeline: str) -> PipelineRow | None:
    query = select(pipelines).where(pipelines.c.id == pipeline)
    return row_of(await connection.execute(query), PipelineRow)


async def pipelines_called(
    connection: AsyncConnection, owner: str, text: str, limit: int = 6
) -> list[PipelineRow]:
    """By the beginning of the id, else the newest of that name."""
    query = select(pipelines).where(pipelines.c.owner == owner).order_by(pipelines.c.created.desc())
    by_id = query.where(starts_with(pipelines.c.id, text)).limit(limit)
    rows = rows_of(await connection.execute(by_id), PipelineRow)
    by_name = query.where(pipelines.c.name == text).limit(1)
    return rows or rows_of(await connection.execute(by_name), PipelineRow)


async def list_pipelines(
    connection: AsyncConnection,
    owner: str,
    projects: Collection[str],
    shared: Collection[str],
    *,
    limit: int,
    cursor: str | None,
) -> Page[PipelineRow]:
    """Of a person, those in these projects, and these; the newest first."""
    visible = or_(
        pipelines.c.owner == owner,
        pipelines.c.project.in_(sorted(projects)),
        pipelines.c.id.in_(sorted(shared)),
    )
    return await page_of(
        connection,
        PipelineRow,
        [select(pipelines).where(visible)],
        keys=(pipelines.c.created, pipelines.c.id),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


async def open_pipelines(connection: AsyncConnection) -> list[str]:
    query = select(pipelines.c.id).where(pipelines.c.state == RUNNING)
    return list((await connection.execute(query.order_by(pipelines.c.created))).scalars())


async def pilots_in_use(connection: AsyncConnection, owner: str, *, but: str) -> set[str]:
    """Of all open pipelines of a person, but for one."""
    query = select(pipelines.c.pilots).where(
        pipelines.c.owner == owner, pipelines.c.state == RUNNING, pipelines.c.id != but
    )
    return {task for used in (await connection.execute(query)).scalars() for task in used.values()}


async def add_steps(tx: Transaction, rows: Sequence[StepRow]) -> None:
    if rows:
        await tx.connection.execute(insert(pipeline_steps), [values_of(row) for row in rows])


async def save_step(tx: Transaction, row: StepRow) -> None:
    values = {f"new_{name}": value for name, value in values_of(row).items()}
    await tx.connection.execute(_SAVE_STEP, values)


async def drop_steps(tx: Transaction, pipeline: str, stage: str) -> None:
    """Its map is expanded again."""
    gone = delete(pipeline_steps).where(
        pipeline_steps.c.pipeline == pipeline, pipeline_steps.c.stage == stage
    )
    await tx.connection.execute(gone)


async def steps_of(connection: AsyncConnection, ids: Collection[str]) -> list[StepRow]:
    query = select(pipeline_steps).where(pipeline_steps.c.pipeline.in_(sorted(ids)))
    ordered = query.order_by(pipeline_steps.c.stage, pipeline_steps.c.n)
    return rows_of(await connection.execute(ordered), StepRow)


async def count_steps(
    connection: AsyncConnection, ids: Collection[str]
) -> dict[str, dict[str, int]]:
    """By pipeline and state: a page of pipelines may have hundreds of thousands of steps."""
    of = (pipeline_steps.c.pipeline, pipeline_steps.c.state)
    query = select(*of, func.count()).where(pipeline_steps.c.pipeline.in_(sorted(ids)))
    counts: dict[str, dict[str, int]] = {pipeline: {} for pipeline in ids}
    for pipeline, state, count in await connection.execute(query.group_by(*of)):
        counts[pipeline][state] = int(count)
    return counts


async def done_with_key(connection: AsyncConnection, owner: str, key: str) -> list[StepRow]:
    """Newest first."""
    query = select(pipeline_steps).where(
        pipeline_steps.c.owner == owner,
        pipeline_steps.c.key == key,
        pipeline_steps.c.state == StepState.DONE.value,
    )
    newest = query.order_by(pipeline_steps.c.ended.desc()).limit(CACHED_AT_MOST)
    return rows_of(await connection.execute(newest), StepRow)
