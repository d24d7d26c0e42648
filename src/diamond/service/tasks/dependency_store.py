"""What tasks wait for."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterable

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.dependencies import Dependency, DependencyState
from diamond.core.task import FINAL_WORDS
from diamond.service.lineage.edges import settle_image
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import rows_of, values_of
from diamond.service.platform.database.tables import (
    dependencies,
    image_moves,
    image_wishes,
    tasks,
    tree_transfers,
)
from diamond.service.tasks.rows import DependencyProgressRow, DependencyRow, TaskRow
from diamond.service.tasks.summaries import settle_summary

WAITING = DependencyState.WAITING.value
# Asked for every list of tasks, and at the end of each task: built once.
_WAITS = select(dependencies.c.task).where(
    dependencies.c.target == bindparam("of_target"), dependencies.c.state == WAITING
)
_AWAITED = select(dependencies.c.target).where(
    dependencies.c.target.in_(bindparam("of_targets", expanding=True)),
    dependencies.c.state == WAITING,
)
_OF_TASKS = (
    select(
        dependencies,
        func.coalesce(tree_transfers.c.bytes, image_moves.c.bytes).label("bytes"),
        func.coalesce(tree_transfers.c.size, image_moves.c.size).label("size"),
        tree_transfers.c.rate,
        tree_transfers.c.words.label("how"),
    )
    .outerjoin(tree_transfers, tree_transfers.c.id == dependencies.c.target)
    .outerjoin(image_moves, image_moves.c.id == dependencies.c.target)
    .where(dependencies.c.task.in_(bindparam("of_tasks", expanding=True)))
    .order_by(dependencies.c.created)
)


async def hold_wishes(tx: Transaction, build: str) -> None:
    """Before those who wait learn of its end: whoever now wishes for the same waits already, or finds it ended."""
    query = select(image_wishes.c.key).where(image_wishes.c.build == build)
    await tx.connection.execute(query.with_for_update())


async def add_dependencies(
    tx: Transaction, task: TaskRow, waits_for: Collection[Dependency]
) -> None:
    now = time.time()
    rows = [
        DependencyRow(
            task=task.id,
            kind=dependency.kind.value,
            target=dependency.id,
            owner=task.owner,
            state=dependency.state.value,
            message=dependency.message,
            created=now,
            updated=now,
        )
        for dependency in waits_for
    ]
    if rows:
        await tx.connection.execute(insert(dependencies), [values_of(row) for row in rows])
        counted = update(tasks).where(tasks.c.id == task.id)
        await tx.connection.execute(counted.values(depends=tasks.c.depends + len(rows)))


async def save_dependency(tx: Transaction, task: str, dependency: Dependency) -> None:
    known = update(dependencies).where(
        dependencies.c.task == task,
        dependencies.c.kind == dependency.kind.value,
        dependencies.c.target == dependency.id,
    )
    await tx.connection.execute(
        known.values(state=dependency.state.value, message=dependency.message, updated=time.time())
    )


async def dependencies_of(
    connection: AsyncConnection, ids: Iterable[str]
) -> dict[str, list[DependencyProgressRow]]:
    """By task, in the order in which they were added; those on their way with how far they are."""
    rows = await connection.execute(_OF_TASKS, {"of_tasks": sorted(ids)})
    grouped: dict[str, list[DependencyProgressRow]] = defaultdict(list)
    for row in rows_of(rows, DependencyProgressRow):
        grouped[row.task].append(row)
    return grouped


async def is_waiting(connection: AsyncConnection, task: str) -> bool:
    """Whether it is not submitted yet because of something that it waits for."""
    query = select(dependencies.c.target).where(
        dependencies.c.task == task, dependencies.c.state == WAITING
    )
    return (await connection.execute(query.limit(1))).first() is not None


async def awaited(connection: AsyncConnection, targets: Collection[str]) -> set[str]:
    """Those that something waits for."""
    if not targets:
        return set()
    return set((await connection.execute(_AWAITED, {"of_targets": sorted(targets)})).scalars())


async def waiting_for(connection: AsyncConnection, target: str) -> list[TaskRow]:
    """Tasks that are not yet submitted because they wait for this."""
    waits = list((await connection.execute(_WAITS, {"of_target": target})).scalars())
    if not waits:
        return []
    query = select(tasks).where(tasks.c.id.in_(waits), tasks.c.state.not_in(sorted(FINAL_WORDS)))
    return rows_of(await connection.execute(query.order_by(tasks.c.id)), TaskRow)


async def settle_order(tx: Transaction, task: TaskRow) -> None:
    """What was left open in its order is known now."""
    columns = values_of(task)
    settled = update(tasks).where(tasks.c.id == task.id)
    await tx.connection.execute(
        settled.values({name: columns[name] for name in ("order", "digest", "chain")})
    )
    await settle_summary(tx, task)
    await settle_image(tx, task.id, task.owner, task.order_json)
