"""The dashboard: what runs, what waits, what needs the person, what is free, what ended last."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.task import Phase
from diamond.service.access.principal import Principal
from diamond.service.dashboard import schemas
from diamond.service.dashboard.start_estimates import estimate_starts
from diamond.service.endpoints import attention
from diamond.service.endpoints import store as endpoint_store
from diamond.service.endpoints.attention import Need
from diamond.service.endpoints.facts import fact_time, facts_of
from diamond.service.endpoints.free_now import gpus_now, partitions_now
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.output import metric_store
from diamond.service.output.headline import most_telling
from diamond.service.output.metrics import TRAINING
from diamond.service.output.summary import summarize
from diamond.service.people.settings_store import SEEN, read_setting, write_setting
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.tasks import task_list
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.schemas import StateCounts
from diamond.service.tasks.task_list import TaskFilter
from diamond.service.tasks.tasks import as_now_known
from diamond.service.tasks.views import show_tasks
from diamond.service.tasks.warnings import purge_needs

SHOWN, RESULTS, FAILURES = 20, 8, 20
WAITING = ["preparing", "pending"]


async def get_overview(services: Services, principal: Principal) -> schemas.Overview:
    owner = principal.user
    async with services.store.read() as connection:
        seen = float(await read_setting(connection, owner, SEEN) or 0.0)
        endpoints = await endpoint_store.list_endpoints(connection, owner)
        running = await _tasks(connection, owner, TaskFilter(["running"]), SHOWN)
        waiting = await _tasks(connection, owner, TaskFilter(WAITING), SHOWN)
        open_now = await task_list.open_by_endpoint(connection, owner)
        places = [_endpoint_now(row, open_now.get(row.id, Counter())) for row in endpoints]
        needs = await _needs(connection, owner, endpoints, open_now, seen)
        counts = await task_list.count_by_state(connection, owner, TaskFilter())
        return schemas.Overview(
            counts=StateCounts(**counts),
            running=await as_now_known(connection, running),
            waiting=await as_now_known(connection, waiting),
            starts=await estimate_starts(
                services, connection, waiting, {row.id: row for row in endpoints}
            ),
            needs=[_shown(need) for need in [*needs, *_asking(waiting)]],
            gpus=_gpus(endpoints, places),
            endpoints=places,
            summaries=await summarize(connection, running, sparks=True),
            recent=await _recent(connection, owner),
            seen=seen,
            now=time.time(),
        )


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
    needs = [attention.failed_need(row) for row in failed]
    needs += [attention.held_need(row) for row in held]
    for row in endpoints:
        needs += attention.endpoint_needs(row, has_open_tasks=bool(open_now.get(row.id)))
        needs += await purge_needs(connection, row)
    return sorted(needs, key=lambda need: -need.at)


def _asking(waiting: Sequence[TaskRow]) -> list[Need]:
    return [attention.asking_need(row) for row in waiting if row.phase == Phase.ASKING.value]


def _shown(need: Need) -> schemas.Need:
    return schemas.Need.model_validate(vars(need))


async def _recent(connection: AsyncConnection, owner: str) -> list[schemas.Result]:
    rows = await _tasks(connection, owner, TaskFilter(sort="-ended"), RESULTS)
    headlines = await _headlines(connection, [row.id for row in rows])
    return [
        schemas.Result(task=task, headline=headlines.get(task.id))
        for task in await show_tasks(connection, rows)
    ]


async def _headlines(connection: AsyncConnection, tasks: list[str]) -> dict[str, schemas.Headline]:
    """For each task the last value of its most telling curve."""
    series = await metric_store.series_of(connection, tasks, TRAINING)
    names = {
        task: most_telling(curve.name for curve in series if curve.task == task) for task in tasks
    }
    newest = {curve.task: curve for curve in series if curve.name == names[curve.task]}
    last = await metric_store.last_points(connection, [curve.id for curve in newest.values()])
    headlines = {}
    for task, curve in newest.items():
        point = last[curve.id].last_known()
        if point:
            headlines[task] = schemas.Headline(name=curve.name, value=point[2], step=point[0])
    return headlines


async def _tasks(
    connection: AsyncConnection, owner: str, wanted: TaskFilter, limit: int
) -> list[TaskRow]:
    page = await task_list.list_tasks(connection, owner, wanted, limit=limit, cursor=None)
    return page.rows


def _endpoint_now(row: EndpointRow, tasks: Counter[str]) -> schemas.EndpointNow:
    facts = facts_of(row)
    return schemas.EndpointNow.model_validate(
        {
            "name": row.name,
            "state": row.state,
            "since": row.since,
            "default": row.is_default,
            "gpus": gpus_now(facts),
            "partitions": partitions_now(facts),
            "running": tasks["running"],
            "waiting": sum(tasks[state] for state in WAITING),
            "as_of": fact_time(row, "free"),
        }
    )


def _gpus(rows: Sequence[EndpointRow], places: Sequence[schemas.EndpointNow]) -> schemas.AllGpus:
    """Of machines that answer, each cluster once however often it was added; as old as the oldest report among them."""
    online = [
        (row.cluster or row.id, place)
        for row, place in zip(rows, places, strict=True)
        if place.state == "online" and place.gpus.total
    ]
    by_cluster: dict[str, schemas.EndpointNow] = {}
    for cluster, place in online:
        known = by_cluster.get(cluster)
        if known is None or (known.as_of or 0) < (place.as_of or 0):
            by_cluster[cluster] = place
    counted = list(by_cluster.values())
    return schemas.AllGpus(
        free=sum(place.gpus.free for place in counted),
        total=sum(place.gpus.total for place in counted),
        as_of=min((place.as_of for place in counted if place.as_of is not None), default=None),
    )
