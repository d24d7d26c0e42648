"""Summaries and lineage of tasks that were made before these were kept, in the background after an upgrade."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy import select

from diamond.service.lineage.edges import add_inputs
from diamond.service.output import metric_store
from diamond.service.output.metric_summary import Summary, curve_summary
from diamond.service.output.metrics import TRAINING
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import rows_of
from diamond.service.platform.database.tables import run_summaries, tasks
from diamond.service.platform.services import Services
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.summaries import summary_of

log = logging.getLogger("diamond.service")
AT_ONCE = 50


async def summarise_old_tasks(services: Services) -> int:
    """How many were made. Two processes may do it at once: what one has made, the other leaves."""
    last, count = "", 0
    while True:
        rows = await _without(services, last)
        if not rows:
            return count
        last, count = rows[-1].id, count + len(rows)
        await services.store.run(partial(_summarise, rows=rows))
        await asyncio.sleep(0)


async def summarise_in_background(services: Services) -> None:
    try:
        await summarise_old_tasks(services)
    except Exception:
        log.exception("some older tasks have no parameters and metrics in the table of runs yet")


async def _without(services: Services, last: str) -> list[TaskRow]:
    query = (
        select(tasks)
        .outerjoin(run_summaries, run_summaries.c.task == tasks.c.id)
        .where(run_summaries.c.task.is_(None), tasks.c.kind == "run", tasks.c.id > last)
        .order_by(tasks.c.id)
        .limit(AT_ONCE)
    )
    async with services.store.read() as connection:
        return rows_of(await connection.execute(query), TaskRow)


async def _summarise(tx: Transaction, rows: Sequence[TaskRow]) -> None:
    series = await metric_store.series_of(tx.connection, [row.id for row in rows], TRAINING)
    curves = await metric_store.curves_of(tx.connection, [each.id for each in series])
    summaries = []
    for row in rows:
        own = [(each.name, curves[each.id]) for each in series if each.task == row.id]
        summaries.append(summary_of(row, {**_kept(row), **curve_summary(own)}))
    await tx.insert_new(run_summaries, summaries)
    for row in rows:
        await add_inputs(tx, row.id, row.owner, row.order_json)


def _kept(row: TaskRow) -> Summary:
    """Of an archived task, whose curves are gone."""
    final: dict[str, Any] = row.final_metrics or {}
    return {
        name: (value["last"], value["min"], value["max"], value.get("step"))
        for name, value in final.items()
    }
