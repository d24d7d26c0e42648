"""How long a person's own attempts waited on an endpoint: what plans are made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.planning.waits import PastWait
from diamond.service.platform.database.tables import tasks

LOOKED_AT = 1000
"""Tasks; those before them tell of other times."""


async def past_waits(
    connection: AsyncConnection, owner: str, endpoint: str, since: float = 0.0
) -> list[PastWait]:
    """Of tasks that were asked for after `since`."""
    query = select(tasks.c.created, tasks.c.attempts, tasks.c.order).where(
        tasks.c.owner == owner,
        tasks.c.kind == "run",
        tasks.c.endpoint == endpoint,
        tasks.c.started.is_not(None),
        tasks.c.created > since,
    )
    last = query.order_by(tasks.c.created.desc()).limit(LOOKED_AT)
    found = await connection.execute(last)
    return [
        wait for created, attempts, order in found for wait in waits_of(created, attempts, order)
    ]


def waits_of(
    created: float, attempts: list[Mapping[str, Any]], order: Mapping[str, Any]
) -> Iterator[PastWait]:
    """One for each attempt that got its nodes. Where it is not known when it was queued: with the task, or when the one before ended."""
    resources, placement = order.get("resources") or {}, order.get("placement") or {}
    asked: float | None = created
    for attempt in attempts:
        started, ended = attempt.get("arrived") or attempt.get("started"), attempt.get("ended")
        asked = attempt.get("queued") or asked
        if asked is not None and started is not None:
            yield PastWait(
                submitted=asked,
                waited=max(0.0, started - asked),
                nodes=int(resources.get("nodes") or 1),
                limit_seconds=60.0 * int(resources.get("walltime_minutes") or 60),
                queue=str(placement.get("partition") or ""),
            )
        asked = ended
