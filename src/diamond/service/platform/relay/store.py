"""Questions and answers on their way between processes: sealed, and deleted once the person has the answer."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import endpoints, relay_answers, relay_requests
from diamond.service.platform.wakeups.notifier import answer_topic, endpoint_topic

KEEP_SECONDS = 3600.0
"""For what a process left behind that died while a person waited."""


@dataclass(frozen=True)
class Part:
    """One part of an answer; `n` grows from part to part."""

    n: int
    ok: bool
    more: bool
    body: bytes


async def add_request(tx: Transaction, endpoint: str, request: str, body: bytes) -> None:
    owner = select(endpoints.c.owner).where(endpoints.c.id == endpoint).scalar_subquery()
    row = {"id": request, "endpoint": endpoint, "body": body, "taken": False}
    await tx.connection.execute(
        insert(relay_requests).values(**row, owner=owner, created=time.time())
    )
    tx.wake(endpoint_topic(endpoint))


async def has_requests(connection: AsyncConnection, endpoint: str) -> bool:
    waiting = select(relay_requests.c.id).where(
        relay_requests.c.endpoint == endpoint, relay_requests.c.taken.is_(False)
    )
    return (await connection.execute(waiting.limit(1))).first() is not None


async def take_requests(tx: Transaction, endpoint: str) -> list[tuple[str, bytes]]:
    """Each is handed to one agent once, and its content does not stay."""
    waiting = select(relay_requests.c.id, relay_requests.c.body).where(
        relay_requests.c.endpoint == endpoint, relay_requests.c.taken.is_(False)
    )
    ordered = waiting.order_by(relay_requests.c.created).with_for_update(skip_locked=True)
    requests = [(str(row.id), bytes(row.body)) for row in await tx.connection.execute(ordered)]
    taken = update(relay_requests).where(
        relay_requests.c.id.in_([number for number, _ in requests])
    )
    await tx.connection.execute(taken.values(taken=True, body=b""))
    return requests


async def add_part(tx: Transaction, endpoint: str, request: str, part: Part) -> None:
    """Only for a question that this endpoint was asked and somebody still waits for."""
    asked = select(relay_requests.c.owner).where(
        relay_requests.c.id == request, relay_requests.c.endpoint == endpoint
    )
    owner = (await tx.connection.execute(asked)).scalar_one_or_none()
    if owner is None:
        return
    row = {"owner": owner, "request": request, "ok": part.ok, "more": part.more, "body": part.body}
    await tx.connection.execute(insert(relay_answers), {**row, "created": time.time()})
    tx.wake(answer_topic(request))


async def parts_after(connection: AsyncConnection, request: str, last: int) -> list[Part]:
    query = select(relay_answers).where(
        relay_answers.c.request == request, relay_answers.c.n > last
    )
    rows = await connection.execute(query.order_by(relay_answers.c.n))
    return [Part(row.n, ok=row.ok, more=row.more, body=bytes(row.body)) for row in rows]


async def forget_request(tx: Transaction, request: str) -> None:
    await tx.connection.execute(delete(relay_answers).where(relay_answers.c.request == request))
    await tx.connection.execute(delete(relay_requests).where(relay_requests.c.id == request))


async def forget_old(tx: Transaction) -> None:
    before = time.time() - KEEP_SECONDS
    for table in (relay_answers, relay_requests):
        await tx.connection.execute(delete(table).where(table.c.created < before))
