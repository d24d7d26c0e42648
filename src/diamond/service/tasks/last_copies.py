"""Run directories that hold the last copy of something with a name."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import exists, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.batches import in_batches
from diamond.service.platform.database.tables import artifact_places, model_versions, tasks

IN_PLACE = "in-place"


async def with_last_copies(connection: AsyncConnection, ids: Sequence[str]) -> set[str]:
    """Of these tasks, those that made a version of a model whose files are nowhere but in their run directory."""
    found: set[str] = set()
    for batch in in_batches(ids):
        elsewhere = exists().where(
            artifact_places.c.owner == model_versions.c.owner,
            artifact_places.c.digest == model_versions.c.tree,
            or_(
                artifact_places.c.place != tasks.c.endpoint,
                artifact_places.c.subject != IN_PLACE,
            ),
        )
        query = (
            select(model_versions.c.task)
            .join(tasks, tasks.c.id == model_versions.c.task)
            .where(model_versions.c.task.in_(batch), ~elsewhere)
        )
        found |= set((await connection.execute(query)).scalars())
    return found
