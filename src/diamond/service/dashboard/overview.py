"""The dashboard: what runs, what waits, what needs the person, what is free, what ended last."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.task import Phase
from diamond.service.access.principal import Principal
from diamond.service.endpoints import attention as needs
from diamond.service.endpoints import store as endpoint_rows
from diamond.service.endpoints.attention import Need
from diamond.service.endpoints.facts import fact_time, facts_of
from diamond.service.endpoints.free_now import gpus_now, partitions_now
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.output import metric_store as metrics
from diamond.service.output.headline import most_telling
from diamond.service.output.metrics import TRAINING
from diamond.service.people.settings_store import SEEN, read_setting, write_setting
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.tasks import task_list
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.task_list import TaskFilter
from diamond.service.tasks.tasks import as_now_known
from diamond.service.tasks.views import show_task
from diamond.service.tasks.warnings import purge_needs

SHOWN, RESULTS, FAILURES = 20, 8, 20
WAITING = ["preparing", "pending"]


async def get_overview(services: Services, principal: Principal) -> dict[str, Any]:
    owner = principal.user
    async with services.store.read() as connection:
        seen = float(await read_setting(connection, owner, SEEN) or 0.0)
        endpoints = await endpoint_rows.list_endpoints(connection, owner)
        running = await _tasks(connection, owner, TaskFilter(["running"]), SHOWN)
        waiting = await _tasks(connection, owner, TaskFilter(WAITING), SHOWN)
        open_now = await task_list.open_by_endpoint(connection, owner)
        shown = [_endpoint_now(row, open_now.get(row["id"], Counter())) for row in endpoints]
        return {
            "counts": await task_list.count_by_state(connection, owner, TaskFilter()),
            "running": await as_now_known(connection, running),
            "waiting": await as_now_known(connection, waiting),
            "needs": [
                asdict(need)
                for need in await _needs(connection, owner, endpoints, open_now, seen)
                + _asking(waiting)
            ],
            "gpus": _gpus(shown),
            "endpoints": shown,
            "recent": await _recent(connection, owner),
            "seen": seen,
            "now": time.time(),
        }


async def mark_seen(services: Services, principal: Principal, at: float) -> None:
    async def mark(tx: Transaction) -> None:
        await write_setting(tx, principal.user, SEEN, at)
        await publish(tx, principal.user, [changed("overview")])

    await services.store.run(mark)


async def _needs(
    connection: AsyncConnection,
    owner: str,
    endpoints: Sequence[EndpointRow],
    open_now: Mapping[str, Counter[str]],
    seen: float,
) -> list[Need]:
    """The newest first, failures among them."""
    failed = await task_list.ended_since(connection, owner, "failed", seen, FAILURES)
    held = await task_list.held_tasks(connection, owner, FAILURES)
    found = [needs.failed_need(row) for row in failed] + [needs.held_need(row) for row in held]
    for row in endpoints:
        found += needs.endpoint_needs(row, has_open_tasks=bool(open_now.get(row["id"])))
        found += await purge_needs(connection, row)
    return sorted(found, key=lambda need: -need.at)


def _asking(waiting: Sequence[TaskRow]) -> list[Need]:
    return [needs.asking_need(row) for row in waiting if row.phase == Phase.ASKING.value]


async def _recent(connection: AsyncConnection, owner: str) -> list[dict[str, Any]]:
    rows = await _tasks(connection, owner, TaskFilter(sort="-ended"), RESULTS)
    headlines = await _headlines(connection, [row["id"] for row in rows])
    return [{"task": show_task(row), "headline": headlines.get(row["id"])} for row in rows]


async def _headlines(connection: AsyncConnection, tasks: list[str]) -> dict[str, dict[str, Any]]:
    """For each task the last value of its most telling curve."""
    series = await metrics.series_of(connection, tasks, TRAINING)
    names = {
        task: most_telling(one["name"] for one in series if one["task"] == task) for task in tasks
    }
    newest = {one["task"]: one for one in series if one["name"] == names[one["task"]]}
    last = await metrics.last_points(connection, [one["id"] for one in newest.values()])
    found = {}
    for task, one in newest.items():
        point = last[one["id"]].last_known()
        if point:
            found[task] = {"name": one["name"], "value": point[2], "step": point[0]}
    return found


async def _tasks(
    connection: AsyncConnection, owner: str, wanted: TaskFilter, limit: int
) -> Sequence[TaskRow]:
    page = await task_list.list_tasks(connection, owner, wanted, limit=limit, cursor=None)
    return page.rows


def _endpoint_now(row: EndpointRow, tasks: Counter[str]) -> dict[str, Any]:
    facts = facts_of(row)
    return {
        **{name: row[name] for name in ("name", "state", "since")},
        "default": row["is_default"],
        "gpus": gpus_now(facts).model_dump(),
        "partitions": [partition.model_dump() for partition in partitions_now(facts)],
        "running": tasks["running"],
        "waiting": sum(tasks[state] for state in WAITING),
        "as_of": fact_time(row, "free"),
    }


def _gpus(endpoints: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of machines that answer; as old as the oldest word among them."""
    found = [one for one in endpoints if one["state"] == "online" and one["gpus"]["total"]]
    told = [one["as_of"] for one in found if one["as_of"] is not None]
    counts = {name: sum(one["gpus"][name] for one in found) for name in ("free", "total")}
    return {**counts, "as_of": min(told, default=None)}
