"""Walks over edges: one recursive query, whatever the depth."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.lineage.rows import Direction, EdgeRow, Kind, StepRow
from diamond.service.platform.database.batches import in_batches
from diamond.service.platform.database.rows import rows_of
from diamond.service.platform.database.tables import lineage_edges, tasks


@dataclass(frozen=True)
class Reader:
    """Whose tasks a caller may see. Others are left out: not even their number shows."""

    user: str
    projects: Collection[str]
    """Where the caller sees everybody's work."""
    jobs: Collection[str]
    """Shared with the caller."""

    def sees(self) -> ColumnElement[bool]:
        return or_(
            tasks.c.owner == self.user,
            and_(tasks.c.project != "", tasks.c.project.in_(sorted(self.projects))),
            tasks.c.job.in_(sorted(self.jobs)),
        )


async def tasks_with(
    connection: AsyncConnection, reader: Reader, digest: str, direction: Direction, most: int
) -> list[str]:
    """Visible tasks that used (in) or made (out) this."""
    query = (
        select(lineage_edges.c.task)
        .join(tasks, tasks.c.id == lineage_edges.c.task)
        .where(
            lineage_edges.c.digest == digest,
            lineage_edges.c.direction == direction.value,
            reader.sees(),
        )
        .distinct()
        .limit(most)
    )
    return list((await connection.execute(query)).scalars())


async def reached(
    connection: AsyncConnection,
    reader: Reader,
    start: Sequence[str],
    *,
    backward: bool,
    most: int,
) -> list[str]:
    """Tasks that `start` came from (backward) or led to, themselves first; at most `most`."""
    leaves, enters = (Direction.IN, Direction.OUT) if backward else (Direction.OUT, Direction.IN)
    walk = select(tasks.c.id.label("task")).where(tasks.c.id.in_(start)).cte("walk", recursive=True)
    near, far = lineage_edges.alias("near"), lineage_edges.alias("far")
    step = (
        select(far.c.task)
        .select_from(walk)
        .join(near, and_(near.c.task == walk.c.task, near.c.direction == leaves.value))
        .join(far, and_(far.c.digest == near.c.digest, far.c.direction == enters.value))
        .join(tasks, tasks.c.id == far.c.task)
        .where(reader.sees())
    )
    query = select(walk.union(step).c.task).limit(most)
    return list((await connection.execute(query)).scalars())


async def makers_behind(connection: AsyncConnection, owner: str, digest: str) -> list[str]:
    """Tasks of this person that made it, and those that made what these used. For decisions about data: nobody is shown them."""
    edges = lineage_edges
    made = edges.c.direction == Direction.OUT.value
    first = select(edges.c.task).where(edges.c.digest == digest, made, edges.c.owner == owner)
    walk = first.cte("walk", recursive=True)
    near, far = edges.alias("near"), edges.alias("far")
    step = (
        select(far.c.task)
        .select_from(walk)
        .join(near, and_(near.c.task == walk.c.task, near.c.direction == Direction.IN.value))
        .join(far, and_(far.c.digest == near.c.digest, far.c.direction == Direction.OUT.value))
        .where(near.c.kind == Kind.TREE.value, far.c.owner == owner)
    )
    query = select(walk.union(step).c.task).distinct()
    return list((await connection.execute(query)).scalars())


async def projects_of(connection: AsyncConnection, ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for batch in in_batches(ids):
        query = select(tasks.c.project).where(tasks.c.id.in_(batch), tasks.c.project != "")
        found.update((await connection.execute(query.distinct())).scalars())
    return found


async def trees_read_by(connection: AsyncConnection, ids: Sequence[str]) -> set[str]:
    edges = await edges_of(connection, ids)
    is_input = (Direction.IN.value, Kind.TREE.value)
    return {edge.digest for edge in edges if (edge.direction, edge.kind) == is_input}


async def edges_of(connection: AsyncConnection, ids: Sequence[str]) -> list[EdgeRow]:
    edges: list[EdgeRow] = []
    for batch in in_batches(ids):
        query = select(lineage_edges).where(lineage_edges.c.task.in_(batch))
        edges += rows_of(await connection.execute(query), EdgeRow)
    return edges


async def steps_of(connection: AsyncConnection, ids: Sequence[str]) -> list[StepRow]:
    of = tasks.c
    steps: list[StepRow] = []
    for batch in in_batches(ids):
        query = select(of.id, of.owner, of.name, of.state, of.endpoint_name, of.created)
        steps += rows_of(await connection.execute(query.where(of.id.in_(batch))), StepRow)
    return steps


async def visible_task(connection: AsyncConnection, reader: Reader, task: str) -> bool:
    query = select(tasks.c.id).where(tasks.c.id == task, reader.sees())
    return (await connection.execute(query)).first() is not None
