"""When waiting tasks will probably start: from the waits of similar jobs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.batch_systems import read_abilities
from diamond.core.order import placement_from
from diamond.planning.waits import forecast
from diamond.service.chains.granting import known_waits
from diamond.service.dashboard.schemas import StartEstimate
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.services import Services
from diamond.service.tasks.rows import TaskRow

KEPT_SECONDS = 60
"""Waits of many jobs are read for it, and the dashboard is asked for every second."""


class _Kept(BaseModel):
    typical: float | None
    bound: float | None
    samples: int


async def estimate_starts(
    services: Services,
    connection: AsyncConnection,
    waiting: Sequence[TaskRow],
    endpoints: Mapping[str, EndpointRow],
) -> list[StartEstimate]:
    """Of tasks in a queue whose like have started before."""
    estimates = []
    for row in waiting:
        endpoint = endpoints.get(row.endpoint)
        queued = _queued_since(row)
        if endpoint is None or queued is None or not _has_queue(endpoint):
            continue
        kept = await _forecast(services, connection, row, endpoint)
        if kept.typical is not None and kept.bound is not None:
            estimates.append(
                StartEstimate(
                    task=row.id,
                    waited=max(0.0, time.time() - queued),
                    typical=kept.typical,
                    bound=kept.bound,
                    samples=kept.samples,
                )
            )
    return estimates


def _has_queue(endpoint: EndpointRow) -> bool:
    return read_abilities(effective_facts(endpoint)).has_queue


def _queued_since(row: TaskRow) -> float | None:
    if row.state != "pending":
        return None
    current = next((attempt for attempt in row.attempts if attempt.id == row.attempt), None)
    return current.queued if current is not None and current.queued else row.created


async def _forecast(
    services: Services, connection: AsyncConnection, row: TaskRow, endpoint: EndpointRow
) -> _Kept:
    queue, nodes = placement_from(row.order_json).partition, row.resources.nodes
    limit = 60.0 * row.resources.walltime_minutes

    async def make() -> bytes:
        past = await known_waits(connection, endpoint, row.owner)
        expected = forecast(past, queue=queue, nodes=nodes, limit_seconds=limit)
        kept = _Kept(typical=expected.typical, bound=expected.bound, samples=expected.samples)
        return kept.model_dump_json().encode()

    minute = int(time.time() // KEPT_SECONDS)
    key = ("start-estimate", row.owner, endpoint.id, queue, nodes, limit, minute)
    return _Kept.model_validate_json(await services.recent.get(key, make))
