"""Run directories on an endpoint that can be removed."""

from __future__ import annotations

import time
from functools import partial

from diamond.core.task import FINAL_WORDS
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.schemas import Cleanable, Cleaned, CleanRequest
from diamond.service.endpoints.secrets import online_endpoint
from diamond.service.limits.store import forget_sizes
from diamond.service.limits.usage import measured_sizes
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.tasks.last_copies import with_last_copies
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import tasks_by_id

DAY = 86400.0


async def clean_endpoint(
    services: Services, principal: Principal, name: str, wanted: CleanRequest
) -> Cleaned:
    """The run directories of ended tasks that match; removed unless this is a dry run."""
    endpoint = await online_endpoint(services, principal, name, Action.WRITE)
    sizes = await measured_sizes(services, endpoint.id)
    async with services.store.read() as connection:
        known = await tasks_by_id(connection, set(sizes))
        matching = [task for task in known.values() if _may_go(task, endpoint, wanted)]
        kept = await with_last_copies(connection, [task.id for task in matching])
    items = [
        Cleanable(task=task.id, name=task.name, bytes=sizes[task.id], ended=task.ended)
        for task in matching
        if task.id not in kept
    ]
    if items and not wanted.dry_run:
        tasks = [item.task for item in items]
        await services.store.run(partial(_clean, endpoint=endpoint, tasks=tasks))
    items.sort(key=lambda item: item.ended or 0.0)
    return Cleaned(items=items, bytes=sum(item.bytes for item in items), kept=sorted(kept))


async def _clean(tx: Transaction, endpoint: EndpointRow, tasks: list[str]) -> None:
    await forget_sizes(tx, tasks)
    await send(tx, [Command("clean", endpoint.id, endpoint.owner, data={"tasks": tasks})])


def _may_go(task: TaskRow, endpoint: EndpointRow, wanted: CleanRequest) -> bool:
    if task.endpoint != endpoint.id or task.state not in FINAL_WORDS:
        return False
    if wanted.tasks is not None:
        return any(
            task.id.startswith(prefix) or task.job == prefix for prefix in wanted.tasks if prefix
        )
    return (task.ended or 0.0) <= time.time() - (wanted.older_than_days or 0.0) * DAY
