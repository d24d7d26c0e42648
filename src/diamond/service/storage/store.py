"""Storage rules, and how much is stored of whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import BigInteger, ColumnElement, case, cast, delete, func, insert, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import SERVICE, ArtifactKind
from diamond.core.kept import HEAD_BYTES, LOG_STREAMS, TAIL_BYTES
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import rows_of, values_of
from diamond.service.platform.database.tables import (
    artifact_places,
    artifacts,
    log_streams,
    metric_series,
    storage_rules,
    tasks,
    trees,
)
from diamond.service.storage.rows import EndedTaskRow, NamedTaskRow, StorageRuleRow, StoredRow

KEPT_BYTES = HEAD_BYTES + TAIL_BYTES
POINT_BYTES = 24
"""Step, time and value of one point of a curve."""
_LOGS: ColumnElement[int] = func.sum(
    case((log_streams.c.size > KEPT_BYTES, KEPT_BYTES), else_=log_streams.c.size)
)
_SIZE: ColumnElement[int] = func.sum(artifacts.c.size)
_HAS_TEXT = log_streams.c.stream.in_(sorted(LOG_STREAMS))
_CURVES: ColumnElement[int] = cast(
    func.sum(metric_series.c.count * POINT_BYTES / metric_series.c.stride), BigInteger
)


async def list_rules(connection: AsyncConnection) -> list[StorageRuleRow]:
    return rows_of(await connection.execute(select(storage_rules)), StorageRuleRow)


async def put_rule(tx: Transaction, rule: StorageRuleRow) -> None:
    of_subject = storage_rules.c.kind == rule.kind, storage_rules.c.subject == rule.subject
    await tx.connection.execute(delete(storage_rules).where(*of_subject))
    await tx.connection.execute(insert(storage_rules), values_of(rule))


async def stored_by(connection: AsyncConnection, owners: Sequence[str]) -> dict[str, StoredRow]:
    """By owner; also of those who store nothing."""
    here = (
        select(artifacts.c.owner, artifacts.c.kind, _SIZE)
        .join(
            artifact_places,
            (artifact_places.c.owner == artifacts.c.owner)
            & (artifact_places.c.digest == artifacts.c.digest),
        )
        .where(artifacts.c.owner.in_(owners), artifact_places.c.place == SERVICE)
        .group_by(artifacts.c.owner, artifacts.c.kind)
    )
    kept: Counter[tuple[str, bool]] = Counter()
    for owner, kind, size in await connection.execute(here):
        kept[owner, kind == ArtifactKind.TREE.value] += int(size or 0)
    lists = select(trees.c.owner, func.sum(trees.c.manifest_bytes)).where(trees.c.owner.in_(owners))
    for owner, size in await connection.execute(lists.group_by(trees.c.owner)):
        kept[owner, True] += int(size or 0)
    logs = select(log_streams.c.owner, _LOGS).where(log_streams.c.owner.in_(owners), _HAS_TEXT)
    curves = select(metric_series.c.owner, _CURVES).where(metric_series.c.owner.in_(owners))
    sums = [
        {owner: int(size or 0) for owner, size in await connection.execute(query)}
        for query in (
            logs.group_by(log_streams.c.owner),
            curves.group_by(metric_series.c.owner),
        )
    ]
    return {
        owner: StoredRow(
            owner,
            kept[owner, False],
            sums[0].get(owner, 0),
            sums[1].get(owner, 0),
            kept[owner, True],
        )
        for owner in owners
    }


async def stored_by_tasks(connection: AsyncConnection, owner: str) -> dict[str, int]:
    """Bytes of logs and curves of each of a person's tasks."""
    logs = select(log_streams.c.task, _LOGS).where(log_streams.c.owner == owner, _HAS_TEXT)
    curves = select(metric_series.c.task, _CURVES).where(metric_series.c.owner == owner)
    summed: dict[str, int] = {}
    for query in (logs.group_by(log_streams.c.task), curves.group_by(metric_series.c.task)):
        for task, size in await connection.execute(query):
            summed[task] = summed.get(task, 0) + int(size or 0)
    return summed


async def named_tasks(connection: AsyncConnection, ids: Sequence[str]) -> dict[str, NamedTaskRow]:
    query = select(tasks.c.id, tasks.c.name, tasks.c.ended).where(tasks.c.id.in_(ids))
    return {row.id: row for row in rows_of(await connection.execute(query), NamedTaskRow)}


async def images_by_endpoint(connection: AsyncConnection, owner: str) -> dict[str, int]:
    joined = artifact_places.join(
        artifacts,
        (artifact_places.c.owner == artifacts.c.owner)
        & (artifact_places.c.digest == artifacts.c.digest),
    )
    query = (
        select(artifact_places.c.place, func.sum(artifacts.c.size))
        .select_from(joined)
        .where(artifact_places.c.owner == owner, artifact_places.c.place != SERVICE)
        .group_by(artifact_places.c.place)
    )
    return {place: int(size or 0) for place, size in await connection.execute(query)}


async def run_directories_by_endpoint(connection: AsyncConnection, owner: str) -> dict[str, int]:
    query = select(tasks.c.endpoint, func.sum(tasks.c.bytes)).where(tasks.c.owner == owner)
    rows = await connection.execute(query.group_by(tasks.c.endpoint))
    return {endpoint: int(size or 0) for endpoint, size in rows}


async def ended_tasks(
    connection: AsyncConnection, before: float, after: tuple[float, str] | None, limit: int
) -> list[EndedTaskRow]:
    """Those that ended before, and are not archived; the next ones behind `after`."""
    keys = (tasks.c.ended, tasks.c.id)
    query = select(tasks.c.id, tasks.c.owner, tasks.c.project, tasks.c.ended).where(
        tasks.c.archived.is_(None), tasks.c.ended < before
    )
    if after is not None:
        query = query.where(tuple_(*keys) > after)
    return rows_of(await connection.execute(query.order_by(*keys).limit(limit)), EndedTaskRow)
