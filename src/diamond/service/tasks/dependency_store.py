"""Which tasks wait for what."""

from __future__ import annotations

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.task import FINAL_WORDS
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import rows_of, values_of
from diamond.service.platform.database.tables import image_wishes, tasks
from diamond.service.tasks.rows import TaskRow


async def hold_wishes(tx: Transaction, build: str) -> None:
    """Before its end is told to those who wait: whoever now wishes for the same waits already, or finds it ended."""
    query = select(image_wishes.c.key).where(image_wishes.c.build == build)
    await tx.connection.execute(query.with_for_update())


async def waiting_for(connection: AsyncConnection, what: str) -> list[TaskRow]:
    """Tasks that are not yet submitted because they wait for a build or a move."""
    query = select(tasks).where(tasks.c.awaits == what, tasks.c.state.not_in(sorted(FINAL_WORDS)))
    return rows_of(await connection.execute(query.order_by(tasks.c.id)), TaskRow)


async def settle_order(tx: Transaction, task: TaskRow) -> None:
    """What was left open in its order is known now."""
    columns = values_of(task)
    names = ("order", "digest", "chain", "awaits", "phase", "message")
    settled = update(tasks).where(tasks.c.id == task.id)
    await tx.connection.execute(settled.values({name: columns[name] for name in names}))
