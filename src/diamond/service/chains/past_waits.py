"""How long a person's own attempts waited on an endpoint: what plans are made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.order import Placement, Resources, placement_from, resources_from
from diamond.planning.waits import PastWait
from diamond.service.chains.rows import AttemptRow, attempts_from
from diamond.service.platform.database.tables import tasks

LOOKED_AT = 1000
"""Tasks; older ones say little about today's waits."""


async def past_waits(
    connection: AsyncConnection, owner: str, endpoint: str, since: float = 0.0
) -> list[PastWait]:
    """Of tasks that were submitted after `since`."""
    query = select(tasks.c.created, tasks.c.attempts, tasks.c.order).where(
        tasks.c.owner == owner,
        tasks.c.kind == "run",
        tasks.c.endpoint == endpoint,
        tasks.c.started.is_not(None),
        tasks.c.created > since,
    )
    last = query.order_by(tasks.c.created.desc()).limit(LOOKED_AT)
    rows = await connection.execute(last)
    return [
        wait
        for created, attempts, order in rows
        for wait in waits_of(
            created, attempts_from(attempts), resources_from(order), placement_from(order)
        )
    ]


def waits_of(
    created: float, attempts: Sequence[AttemptRow], resources: Resources, placement: Placement
) -> Iterator[PastWait]:
    """One for each attempt that got its nodes. Where it is not known when it was queued: with the task, or when the one before ended."""
    queued: float | None = created
    for attempt in attempts:
        started = attempt.arrived or attempt.started
        queued = attempt.queued or queued
        if queued is not None and started is not None:
            yield PastWait(
                submitted=queued,
                waited=max(0.0, started - queued),
                nodes=resources.nodes,
                limit_seconds=60.0 * resources.walltime_minutes,
                queue=placement.partition,
            )
        queued = attempt.ended
