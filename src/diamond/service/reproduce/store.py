"""Reproductions."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.task import FINAL_WORDS
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject, row_of, rows_of, values_of
from diamond.service.platform.database.tables import reproductions, run_summaries, tasks
from diamond.service.reproduce.rows import JUDGED, RUNNING, ReproductionRow

MOST_SHOWN = 50
MOST_REPEATS = 200
AGREED = ("identical", "within-tolerance")


async def add_reproduction(tx: Transaction, row: ReproductionRow) -> None:
    await tx.connection.execute(insert(reproductions), values_of(row))


async def find_reproduction(connection: AsyncConnection, task: str) -> ReproductionRow | None:
    query = select(reproductions).where(reproductions.c.task == task)
    return row_of(await connection.execute(query), ReproductionRow)


async def reproductions_of(connection: AsyncConnection, original: str) -> list[ReproductionRow]:
    """Newest first."""
    query = select(reproductions).where(reproductions.c.original == original)
    newest = query.order_by(reproductions.c.created.desc()).limit(MOST_SHOWN)
    return rows_of(await connection.execute(newest), ReproductionRow)


async def waiting_for_verdict(connection: AsyncConnection) -> list[ReproductionRow]:
    """Whose task has ended."""
    query = (
        select(reproductions)
        .join(tasks, tasks.c.id == reproductions.c.task)
        .where(reproductions.c.state == RUNNING, tasks.c.state.in_(sorted(FINAL_WORDS)))
        .limit(20)
    )
    return rows_of(await connection.execute(query), ReproductionRow)


async def any_open(connection: AsyncConnection) -> bool:
    query = select(reproductions.c.task).where(reproductions.c.state == RUNNING).limit(1)
    return (await connection.execute(query)).first() is not None


async def save_verdict(tx: Transaction, task: str, verdict: JsonObject, at: float) -> bool:
    """Once: False if another process was first."""
    first = update(reproductions).where(
        reproductions.c.task == task, reproductions.c.state == RUNNING
    )
    done = await tx.connection.execute(first.values(state=JUDGED, verdict=verdict, judged=at))
    return done.rowcount == 1


async def repeats_of(
    connection: AsyncConnection, owner: str, digest: str, *, but: str
) -> Sequence[bytes]:
    """Packed metrics of runs of exactly the same order that succeeded.

    Neither of `but`, the run that is judged, nor of one that was found to be different: they would widen what they are held against.
    """
    query = (
        select(run_summaries.c.metrics, reproductions.c.state, reproductions.c.verdict)
        .join(tasks, tasks.c.id == run_summaries.c.task)
        .outerjoin(reproductions, reproductions.c.task == tasks.c.id)
        .where(
            tasks.c.owner == owner,
            tasks.c.kind == "run",
            tasks.c.digest == digest,
            tasks.c.state == "succeeded",
            tasks.c.id != but,
        )
        .limit(MOST_REPEATS)
    )
    rows = await connection.execute(query)
    return [row.metrics for row in rows if row.state is None or _agreed(row.verdict)]


def _agreed(verdict: JsonObject | None) -> bool:
    return verdict is not None and verdict.get("level") in AGREED
