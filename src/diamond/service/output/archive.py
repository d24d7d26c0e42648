"""Archived tasks: their logs and curves leave the service, and their record stays, with the last values of their metrics."""

from __future__ import annotations

import asyncio
import time
from functools import partial

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict
from diamond.core.task import FINAL_WORDS
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.output import metric_store, metrics
from diamond.service.output.curves import Curve
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import (
    history,
    log_chunks,
    log_streams,
    metric_chunks,
    metric_series,
    tasks,
)
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.separately import separately
from diamond.service.platform.services import Services
from diamond.service.storage import store as storage_store
from diamond.service.storage.rows import EndedTaskRow
from diamond.service.storage.rules import DAY
from diamond.service.storage.schemas import Archived
from diamond.service.storage.storage import read_rules
from diamond.service.tasks.schemas import FinalMetric
from diamond.service.tasks.tasks import find_task

AT_ONCE = 20
KEPT_NAMES = 100
KEPT_HISTORY = 100
"""Lines of a task's history that stay, the newest."""


async def archive_task(services: Services, principal: Principal, task: str) -> Archived:
    """At once. Its run directory stays on its endpoint until that is cleaned."""

    async def archive(tx: Transaction) -> Archived:
        row = await find_task(tx.connection, principal, task, Action.WRITE)
        if row.state not in FINAL_WORDS:
            raise Conflict(
                f"{row.id} has not ended", "Wait for its end, or cancel it: diamond cancel."
            )
        sizes = await storage_store.stored_by_tasks(tx.connection, row.owner)
        at = row.archived or time.time()
        if row.archived is None:
            await _archive(tx, row.owner, row.id, at)
        return Archived(task=row.id, archived=at, bytes=sizes.get(row.id, 0))

    return await services.store.run(archive)


async def archive_due_tasks(services: Services) -> int:
    """All whose time has come by the rules of their owner, their project and the service; how many these were. One that fails stops no other."""
    async with services.store.read() as connection:
        rules = await read_rules(services, connection)
    if rules.shortest is None:
        return 0
    now, count = time.time(), 0
    last: tuple[float, str] | None = None
    while True:
        async with services.store.read() as connection:
            ended = await storage_store.ended_tasks(
                connection, now - rules.shortest * DAY, last, AT_ONCE
            )
        if not ended:
            return count
        last = (ended[-1].ended, ended[-1].id)
        due = [
            row
            for row in ended
            if (days := rules.days_for(row.owner, row.project)) and row.ended < now - days * DAY
        ]
        await separately(due, partial(_archive_due, services, now), "archiving a task")
        count += len(due)
        await asyncio.sleep(0)


async def _archive_due(services: Services, at: float, due: EndedTaskRow) -> None:
    await services.store.run(partial(_archive, owner=due.owner, task=due.id, at=at))


async def _archive(tx: Transaction, owner: str, task: str, at: float) -> None:
    final = await final_metrics(tx.connection, task)
    for part, whole in ((log_chunks, log_streams), (metric_chunks, metric_series)):
        key = part.c.stream if part is log_chunks else part.c.series
        of_task = select(whole.c.id).where(whole.c.task == task)
        await tx.connection.execute(delete(part).where(key.in_(of_task)))
        await tx.connection.execute(delete(whole).where(whole.c.task == task))
    lines = select(tasks.c.history).where(tasks.c.id == task).scalar_subquery()
    old = history.c.task == task, history.c.n <= lines - KEPT_HISTORY
    await tx.connection.execute(delete(history).where(*old))
    values = {name: metric.model_dump() for name, metric in final.items()}
    changed = update(tasks).where(tasks.c.id == task)
    await tx.connection.execute(changed.values(archived=at, final_metrics=values))
    await publish(tx, owner, [News("task", task)])


async def final_metrics(connection: AsyncConnection, task: str) -> dict[str, FinalMetric]:
    """Of the last attempt that logged each."""
    series = await metric_store.series_of(connection, [task], metrics.TRAINING)
    newest = {row.name: row for row in series}
    chosen = [newest[name] for name in sorted(newest)[:KEPT_NAMES]]
    curves = await metric_store.curves_of(connection, [row.id for row in chosen])
    return {
        row.name: final
        for row in chosen
        if (curve := curves.get(row.id)) and (final := _final(curve))
    }


def _final(curve: Curve) -> FinalMetric | None:
    last = curve.last_known()
    known = [value for value in curve.values if value == value]
    if last is None or not known:
        return None
    return FinalMetric(last=last[2], min=min(known), max=max(known), step=last[0])
