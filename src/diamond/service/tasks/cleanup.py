"""What lies on an endpoint beside tasks: secrets, and run directories that can go."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from diamond.core.task import FINAL_WORDS
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.secrets import online_endpoint
from diamond.service.limits.store import forget_sizes
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.tasks.store import tasks_by_id


async def clean_endpoint(
    services: Services,
    principal: Principal,
    name: str,
    *,
    older_than_days: float | None,
    tasks: list[str] | None,
    dry_run: bool,
) -> list[dict[str, Any]]:
    """The run directories of ended tasks that match; removed unless this is a dry run."""
    row = await online_endpoint(services, principal, name, Action.WRITE)
    usage = await services.relay.ask_json(row["id"], "usage")
    sizes = {str(one["task"]): int(one.get("bytes") or 0) for one in usage.get("items", [])}
    async with services.store.read() as connection:
        known = await tasks_by_id(connection, set(sizes))
    before = time.time() - (older_than_days or 0.0) * 86400
    gone = [
        {"task": task, "name": known[task]["name"], "bytes": size, "ended": known[task]["ended"]}
        for task, size in sizes.items()
        if task in known and _may_go(known[task], row, before, tasks)
    ]
    if gone and not dry_run:
        await services.store.run(partial(_clean, row=row, tasks=[one["task"] for one in gone]))
    return sorted(gone, key=lambda one: one["ended"] or 0.0)


async def _clean(tx: Transaction, row: EndpointRow, tasks: list[str]) -> None:
    await forget_sizes(tx, tasks)
    await send(tx, [Command("clean", row["id"], row["owner"], data={"tasks": tasks})])


def _may_go(
    task: Mapping[str, Any], endpoint: EndpointRow, before: float, tasks: list[str] | None
) -> bool:
    if task["endpoint"] != endpoint["id"] or task["state"] not in FINAL_WORDS:
        return False
    if tasks is not None:
        return any(task["id"].startswith(one) or task["job"] == one for one in tasks if one)
    return bool((task["ended"] or 0.0) <= before)
