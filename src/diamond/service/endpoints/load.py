"""How busy an endpoint's partitions were, hour by hour, and how much the person used there, day by day."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.access.principal import Principal
from diamond.service.endpoints.endpoints import find_endpoint
from diamond.service.endpoints.facts import Facts
from diamond.service.endpoints.free_now import partitions_now
from diamond.service.endpoints.schemas import (
    BusyHour,
    EndpointLoad,
    PartitionLoad,
    PartitionNow,
    UsedDay,
)
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import TypedRow, rows_of
from diamond.service.platform.database.tables import partition_hours, tasks
from diamond.service.platform.services import Services

HOUR, DAY = 3600, 86400
KEPT_DAYS = 30
MOST_TASKS = 20_000


@dataclass(frozen=True)
class PartitionHourRow(TypedRow):
    """The reports of one hour: how many, and the sums of what they said."""

    endpoint: str
    partition: str
    hour: int
    owner: str
    samples: int
    busy: float
    """Sum of the busy parts, each between 0 and 1."""
    pending: float


async def note_load(tx: Transaction, *, owner: str, endpoint: str, facts: Facts, at: float) -> None:
    """Add what is free now to the hour it belongs to; hours that are too old are forgotten."""
    hour = int(at // HOUR)
    for now in partitions_now(facts):
        busy = busy_part(now)
        if busy is not None:
            await _add(tx, owner, endpoint, now, hour, busy)
    old = partition_hours.c.hour < hour - KEPT_DAYS * 24
    await tx.connection.execute(
        delete(partition_hours).where(partition_hours.c.endpoint == endpoint, old)
    )


def busy_part(now: PartitionNow) -> float | None:
    """Of its GPUs, or of its nodes where it has none; None where that is not known."""
    for idle, total in ((now.gpus_idle, now.gpus_total), (now.nodes_idle, now.nodes_total)):
        if total and idle is not None:
            return min(1.0, max(0.0, 1 - idle / total))
    return None


async def _add(
    tx: Transaction, owner: str, endpoint: str, now: PartitionNow, hour: int, busy: float
) -> None:
    of = partition_hours.c
    same = of.endpoint == endpoint, of.partition == now.name, of.hour == hour
    changed = await tx.connection.execute(
        update(partition_hours)
        .where(*same)
        .values(
            samples=of.samples + 1, busy=of.busy + busy, pending=of.pending + (now.pending or 0)
        )
    )
    if changed.rowcount:
        return
    row = {"endpoint": endpoint, "partition": now.name, "hour": hour, "owner": owner}
    fresh = {"samples": 1, "busy": busy, "pending": float(now.pending or 0)}
    await tx.connection.execute(insert(partition_hours), {**row, **fresh})


async def read_load(services: Services, principal: Principal, name: str, days: int) -> EndpointLoad:
    now = time.time()
    async with services.store.read() as connection:
        endpoint = await find_endpoint(connection, principal, name)
        hours = await _hours(connection, endpoint.id, int(now // HOUR) - days * 24)
        used = await _used_days(connection, principal.user, endpoint.id, now - days * DAY)
    by_partition: dict[str, list[BusyHour]] = defaultdict(list)
    for row in hours:
        by_partition[row.partition].append(_shown(row))
    return EndpointLoad(
        days=days,
        partitions=[
            PartitionLoad(name=partition, hours=rows) for partition, rows in by_partition.items()
        ],
        used=used,
    )


def _shown(row: PartitionHourRow) -> BusyHour:
    return BusyHour(
        at=row.hour * HOUR, busy=row.busy / row.samples, pending=row.pending / row.samples
    )


async def _hours(connection: AsyncConnection, endpoint: str, since: int) -> list[PartitionHourRow]:
    of = partition_hours.c
    query = select(partition_hours).where(of.endpoint == endpoint, of.hour >= since)
    ordered = query.order_by(of.partition, of.hour)
    return rows_of(await connection.execute(ordered), PartitionHourRow)


async def _used_days(
    connection: AsyncConnection, owner: str, endpoint: str, since: float
) -> list[UsedDay]:
    """By the day on which a task started, in UTC."""
    query = (
        select(tasks.c.started, tasks.c.node_seconds)
        .where(
            tasks.c.owner == owner,
            tasks.c.kind == "run",
            tasks.c.endpoint == endpoint,
            tasks.c.started > since,
        )
        .limit(MOST_TASKS)
    )
    seconds: dict[int, float] = defaultdict(float)
    counts: dict[int, int] = defaultdict(int)
    for started, used in await connection.execute(query):
        day = int(started // DAY)
        seconds[day] += used
        counts[day] += 1
    return [
        UsedDay(at=day * DAY, tasks=counts[day], node_hours=seconds[day] / HOUR)
        for day in sorted(counts)
    ]
