"""Pilots as they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.pilots import store
from diamond.service.pilots.rows import Held
from diamond.service.pilots.schemas import Pilot
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.schemas import StateCounts


async def show_pilot(connection: AsyncConnection, pilot: str) -> Pilot:
    helds = await store.pilots_by_id(connection, [pilot])
    return (await show_pilots(connection, [helds[pilot]]))[0]


async def show_pilots(connection: AsyncConnection, helds: Sequence[Held]) -> list[Pilot]:
    counts = await store.count_inside(connection, {held.task.id for held in helds})
    return [_show(held, counts[held.task.id]) for held in helds]


def _show(held: Held, counts: Mapping[str, int]) -> Pilot:
    task, resources = held.task, held.task.resources
    pilot = task.order.pilot
    return Pilot.model_validate(
        {
            "id": task.id,
            "owner": task.owner,
            "name": task.name,
            "project": task.project,
            "endpoint": task.endpoint_name,
            "partition": task.order.placement.partition,
            "account": task.order.placement.account,
            "state": task.state,
            "phase": task.phase,
            "message": task.message,
            "is_closing": held.row.closing is not None and not held.is_over,
            "pipeline": "" if held.is_of_study else held.row.made_for,
            "study": held.row.made_for if held.is_of_study else "",
            "nodes": resources.nodes,
            "cpus_per_node": resources.cpus_per_node,
            "memory_mb": resources.memory_mb,
            "gpus_per_node": resources.gpus_per_node,
            "gpu_type": resources.gpu_type,
            "walltime_minutes": resources.walltime_minutes,
            "idle_seconds": pilot.idle_seconds if pilot else 0,
            "allocations": sum(attempt.started is not None for attempt in task.attempts),
            "counts": StateCounts(**counts),
            "created": task.created,
            "started": task.started,
            "ended": task.ended,
            "until": _until(task),
        }
    )


def _until(task: TaskRow) -> float | None:
    """When its present allocation ends, at the latest."""
    if task.state != "running":
        return None
    present = next((one for one in task.attempts if one.id == task.attempt), None)
    if present is None or present.started is None:
        return None
    limit = present.limit_seconds or 60.0 * task.resources.walltime_minutes
    return (present.arrived or present.started) + limit
