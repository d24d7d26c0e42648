"""What people and projects may use, and what they have used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.order import resources_from, resume_from
from diamond.core.task import FINAL_WORDS
from diamond.service.chains.grants import node_hours_with_follow_ups
from diamond.service.chains.rows import attempts_from, chain_from
from diamond.service.limits.rows import LimitRow, ProjectNameRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import rows_of, values_of
from diamond.service.platform.database.tables import limits, projects, tasks
from diamond.service.platform.wakeups.notifier import SIZES

EVERYONE, PERSON, PROJECT, EACH = "everyone", "person", "project", "each"
"""Each person without their own limits; one person; all of a project; each of its members in it."""
COUNTED = ("run", "probe", "trial", "pilot")
"""Kinds of tasks that a limit of running tasks counts: builds come with the task that waits for them."""
Key = tuple[str, str]


@dataclass(frozen=True)
class Use:
    tasks: int = 0
    running_tasks: int = 0
    """All that have not ended."""
    node_hours: float = 0.0
    node_hours_committed: float = 0.0
    """What those that have not ended may still take."""
    storage_bytes: int = 0
    """Run directories on the machines, as last measured."""


@dataclass(frozen=True)
class Span:
    """Tasks that were made then."""

    since: float = 0.0
    until: float | None = None


ALWAYS = Span()


async def read_limits(
    connection: AsyncConnection, keys: Sequence[Key], *, lock: bool = False
) -> dict[Key, LimitRow]:
    """Those that are set. `lock`: of two who ask at once the second waits for the first."""
    asked = {
        f"{name}_{n}": value
        for n, key in enumerate(keys)
        for name, value in zip(("kind", "subject"), key, strict=True)
    }
    rows = rows_of(await connection.execute(_read(len(keys), lock), asked), LimitRow)
    return {(row.kind, row.subject): row for row in rows}


@cache
def _read(count: int, lock: bool) -> Select[Any]:
    """Asked at every submission: built once."""
    wanted = [
        and_(limits.c.kind == bindparam(f"kind_{n}"), limits.c.subject == bindparam(f"subject_{n}"))
        for n in range(count)
    ]
    query = select(limits).where(or_(*wanted)).order_by(limits.c.kind, limits.c.subject)
    return query.with_for_update() if lock else query


async def put_limits(tx: Transaction, row: LimitRow) -> None:
    of_subject = limits.c.kind == row.kind, limits.c.subject == row.subject
    await tx.connection.execute(delete(limits).where(*of_subject))
    if not row.is_empty:
        await tx.connection.execute(insert(limits), values_of(row))
    if row.storage_bytes is not None:
        tx.wake(SIZES)


async def has_storage_limits(connection: AsyncConnection) -> bool:
    query = select(limits.c.kind).where(limits.c.storage_bytes.is_not(None)).limit(1)
    return (await connection.execute(query)).first() is not None


async def use_of(
    connection: AsyncConnection, *, owner: str = "", project: str = "", span: Span = ALWAYS
) -> Use:
    """Of a person, a project, or a person in a project."""
    summed = await uses(connection, [], owner=owner, project=project, span=span)
    return summed.get((), Use())


async def uses(
    connection: AsyncConnection,
    by: Sequence[ColumnElement[Any]],
    *,
    owner: str = "",
    project: str = "",
    span: Span = ALWAYS,
) -> dict[tuple[Any, ...], Use]:
    """Summed for each value of the columns."""
    which = [*_where(owner, project, span)]
    own_seconds = case((tasks.c.pilot == "", tasks.c.node_seconds), else_=0.0)
    sums = (func.count(), func.sum(own_seconds), func.sum(tasks.c.bytes))
    query = select(*by, *sums).select_from(tasks).where(*which).group_by(*by)
    ended = {tuple(row[: len(by)]): row[len(by) :] for row in await connection.execute(query)}
    still = await _open(connection, by, which)
    return {
        key: Use(
            tasks=int(count),
            running_tasks=still.get(key, (0, 0.0))[0],
            node_hours=float(seconds or 0.0) / 3600,
            node_hours_committed=still.get(key, (0, 0.0))[1],
            storage_bytes=int(size or 0),
        )
        for key, (count, seconds, size) in ended.items()
        if count
    }


async def set_sizes(tx: Transaction, endpoint: str, sizes: dict[str, int]) -> None:
    """As an endpoint has measured its run directories; one that is no longer there holds nothing."""
    held = select(tasks.c.id, tasks.c.bytes).where(tasks.c.endpoint == endpoint)
    known = await tx.connection.execute(held.where(or_(tasks.c.bytes > 0, tasks.c.id.in_(sizes))))
    for task, size in known.all():
        now = sizes.get(task, 0)
        if now != size:
            await tx.connection.execute(update(tasks).where(tasks.c.id == task).values(bytes=now))


async def forget_sizes(tx: Transaction, cleaned: Sequence[str]) -> None:
    """Of run directories that are being removed."""
    await tx.connection.execute(update(tasks).where(tasks.c.id.in_(cleaned)).values(bytes=0))


async def list_projects_of_all(
    connection: AsyncConnection, search: str, limit: int
) -> list[ProjectNameRow]:
    """For administrators, who see that a project is there and what it uses, not its work."""
    query = select(projects.c.id, projects.c.name)
    if search:
        parts = (projects.c.name, projects.c.title, projects.c.id)
        query = query.where(or_(*(part.icontains(search, autoescape=True) for part in parts)))
    first = query.order_by(projects.c.name).limit(limit)
    return rows_of(await connection.execute(first), ProjectNameRow)


async def _open(
    connection: AsyncConnection, by: Sequence[ColumnElement[Any]], which: list[ColumnElement[bool]]
) -> dict[tuple[Any, ...], tuple[int, float]]:
    """How many have not ended, and the node-hours that they may take, with the follow-ups that agents may make."""
    query = select(*by, tasks.c.kind, tasks.c.order, tasks.c.attempts, tasks.c.chain)
    counted: dict[tuple[Any, ...], tuple[int, float]] = {}
    outside = tasks.c.pilot == ""  # what runs in a pilot is counted with it
    still = query.where(*which, outside, tasks.c.state.not_in(FINAL_WORDS))
    for row in await connection.execute(still):
        key, (kind, order, attempts, chain) = tuple(row[: len(by)]), row[len(by) :]
        count, hours = counted.get(key, (0, 0.0))
        more = node_hours_with_follow_ups(
            chain_from(chain), resources_from(order), resume_from(order), attempts_from(attempts)
        )
        counted[key] = count + (kind in COUNTED), hours + more
    return counted


def _where(owner: str, project: str, span: Span) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if owner:
        conditions.append(tasks.c.owner == owner)
    if project:
        conditions.append(tasks.c.project == project)
    if span.since:
        conditions.append(tasks.c.created >= span.since)
    if span.until is not None:
        conditions.append(tasks.c.created < span.until)
    return conditions
